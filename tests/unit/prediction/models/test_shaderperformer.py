"""The parts of the network against their definitions, and what it refuses to read."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shaderlab.prediction.models import shaderperformer
from shaderlab.prediction.models.shaderperformer import (
    PAPER,
    TINY,
    UNCOUNTED,
    Configuration,
    log_seconds,
    refusal,
    shapes,
    shown_counts,
    token_counts,
    trace_bits,
)
from shaderlab.spirv.tokens import BOS, IDS, OPCODES, PAD, Tokens

TOY = Configuration(2, 64, 2, 96, 64, 3000, "exact")


def weights_of(configuration: Configuration, seed: int = 0, targets: int = 1):
    rng = np.random.default_rng(seed)
    found = {
        name: rng.normal(0, 0.2, shape).astype(np.float32)
        for name, shape in shapes(configuration, targets).items()
    }
    for name in found:
        if name.endswith("norm.weight") or name == "embedded.weight":
            found[name] += 1
    found["words"][PAD] = 0
    return found


def sequence(length: int, seed: int = 0, configuration: Configuration = TOY):
    rng = np.random.default_rng(seed)
    tokens = rng.integers(256, configuration.vocabulary, length).astype(np.int32)
    tokens[0] = BOS
    counts = np.where(rng.random(length) < 0.3, rng.integers(0, 2**33, length), 0)
    counts[0] = 0
    return tokens, counts


def test_the_bits_of_a_count_are_its_binary_digits():
    counts = np.array([0, 1, 786_432, 2**62 + 5, -1], np.int64)
    bits = trace_bits(counts)
    assert bits.shape == (5, 64)
    assert bits.dtype == np.float32
    assert np.flatnonzero(bits[2]).tolist() == [18, 19]  # 1024x768 is 2^19 + 2^18
    assert np.flatnonzero(bits[3]).tolist() == [0, 2, 62]
    assert bits[4].all()
    assert not bits[0].any()


@given(st.integers(0, 2**63 - 1))
@settings(max_examples=200)
def test_the_bits_add_up_to_the_count(count):
    bits = trace_bits(np.array([count], np.int64))[0]
    assert sum(1 << place for place, bit in enumerate(bits.tolist()) if bit) == count


def test_only_opcodes_of_blocks_carry_counts():
    tokens = Tokens(
        np.array([BOS, OPCODES + 19, IDS + 1, OPCODES + 248, IDS + 5, OPCODES + 253]),
        np.array([0, 0, 0, 5, 0, 5]),
    )
    assert token_counts(tokens, {5: 786_432}).tolist() == [0, 0, 0, 786_432, 0, 786_432]
    assert token_counts(tokens, {}).tolist() == [0, 0, 0, UNCOUNTED, 0, UNCOUNTED]


def test_what_the_network_is_shown_of_the_counts():
    counts = np.array([0, 786_432, 0, 2**31 + 7, 2**24 + 1, UNCOUNTED], np.int64)
    assert shown_counts(counts, "exact").tolist() == [0, 786_432, 0, 2**31 + 7, 2**24 + 1, 0]
    # The released code's C int wraps, its float32 rounds, its map names counter 0.
    wrapped = int(np.float32(-(2**31) + 7))
    assert shown_counts(counts, "as-released").tolist() == [
        0, 786_432, 0, wrapped, 2**24, 786_432
    ]  # fmt: skip
    assert shown_counts(counts, "ones").tolist() == [1] * 6


def test_the_papers_configuration_has_64_million_numbers_in_its_layers():
    sizes = {name: math.prod(shape) for name, shape in shapes(PAPER).items()}
    layers = sum(size for name, size in sizes.items() if name.startswith("layers."))
    assert layers == 9 * (4 * (768 * 768 + 768) + 2 * 768 * 3072 + 3072 + 768 + 4 * 768)
    assert round(layers / 1e6) == 64
    assert sizes["words"] + sizes["positions"] == (40_000 + 4096) * 768


@pytest.mark.parametrize("configuration", [PAPER, TINY])
def test_the_configurations_hold_together(configuration):
    assert configuration.hidden % configuration.heads == 0
    assert configuration.hidden >= shaderperformer.TRACE_BITS
    assert configuration.positions == 4096


def test_too_long_and_unknown_tokens_are_refused():
    tokens, _ = sequence(64)
    assert refusal(tokens, TOY) is None
    assert "65 tokens, at most 64" in refusal(np.append(tokens, BOS), TOY)
    assert "token 3,000 is outside" in refusal(np.append(tokens[:9], 3000), TOY)


@pytest.mark.parametrize("length", [1, 8, 13, 64])
def test_the_answer_is_that_of_the_formulas_written_out(length):
    weights = weights_of(TOY, targets=3)
    tokens, counts = sequence(length)
    found = log_seconds(weights, TOY, tokens, counts)
    assert found.shape == (3,)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, by_the_book(weights, TOY, tokens, counts), atol=2e-5)


def by_the_book(weights, configuration, tokens, counts):
    """In float64, every position of every layer, padding masked."""
    w = {name: each.astype(np.float64) for name, each in weights.items()}
    pads = -len(tokens) % 8
    padded = np.concatenate([np.full(pads, PAD), tokens])
    x = w["words"][padded] + w["positions"][: len(padded)] + w["kind"]
    for place, count in enumerate(counts.tolist()):
        for bit in range(64):
            x[pads + place, bit] += count >> bit & 1
    x = norm(w, "embedded", x)
    width = configuration.hidden // configuration.heads
    for number in range(configuration.layers):
        name = f"layers.{number}"
        query, key, value = (linear(w, f"{name}.{part}", x) for part in ("query", "key", "value"))
        mixed = np.zeros_like(x)
        for head in range(configuration.heads):
            mine = slice(head * width, (head + 1) * width)
            scores = query[:, mine] @ key[:, mine].T / math.sqrt(width)
            scores[:, :pads] = -np.inf
            odds = np.exp(scores - scores.max(1, keepdims=True))
            mixed[:, mine] = odds / odds.sum(1, keepdims=True) @ value[:, mine]
        x = norm(w, f"{name}.attended_norm", linear(w, f"{name}.attended", mixed) + x)
        inner = linear(w, f"{name}.inner", x)
        inner *= np.vectorize(lambda v: 0.5 * (1 + math.erf(v / math.sqrt(2))))(inner)
        x = norm(w, f"{name}.outer_norm", linear(w, f"{name}.outer", inner) + x)
    return linear(w, "head.out", np.tanh(linear(w, "head.dense", x[0])))


def linear(w, name, x):
    return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]


def norm(w, name, x):
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
    return scaled * w[f"{name}.weight"] + w[f"{name}.bias"]


def test_a_long_sequence_is_attended_to_whole():
    """More queries than are held at a time; the last token still matters to the answer."""
    configuration = Configuration(2, 64, 2, 96, 1024, 3000, "exact")
    weights = weights_of(configuration)
    tokens, counts = sequence(1000, configuration=configuration)
    whole = log_seconds(weights, configuration, tokens, counts)
    book = by_the_book(weights, configuration, tokens, counts)
    np.testing.assert_allclose(whole, book, atol=5e-5)
    counts[-1] += 2**20
    assert log_seconds(weights, configuration, tokens, counts) != whole


def test_half_precision_weights_are_read_as_they_are():
    weights = weights_of(TOY)
    half = {name: each.astype(np.float16) for name, each in weights.items()}
    again = {name: each.astype(np.float32) for name, each in half.items()}
    tokens, counts = sequence(30)
    assert log_seconds(half, TOY, tokens, counts) == log_seconds(again, TOY, tokens, counts)


def test_attention_that_is_very_sure_stays_a_number():
    """exp of its scores alone would be infinite."""
    weights = weights_of(TOY)
    for name in weights:
        if "query" in name or "key" in name:
            weights[name] = weights[name] * 30
    tokens, counts = sequence(60)
    with np.errstate(over="raise", invalid="raise"):
        found = log_seconds(weights, TOY, tokens, counts)
    assert np.isfinite(found).all()
