"""Bundles of the Transformer: one that fits forecasts, any other is refused with the reason."""

from __future__ import annotations

import hashlib
import json
import re
import struct
from dataclasses import asdict, replace

import numpy as np
import pytest

from shaderlab.errors import UnsupportedShader
from shaderlab.frontend.program import Dialect, Program
from shaderlab.prediction.bundles import bundle
from shaderlab.prediction.bundles.accuracy import BandCard
from shaderlab.prediction.bundles.bundle import CARD, WEIGHTS
from shaderlab.prediction.catalogue import targets
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.models import shaderperformer
from shaderlab.prediction.models.shaderperformer import tensors_of
from shaderlab.prediction.models.shaderperformer import weights_of as unpacked
from shaderlab.prediction.models.shaderperformer_model import ARCHITECTURE, FEATURES, METHOD
from shaderlab.spirv.grammar import Op
from shaderlab.spirv.trace import BlockCount, Trace
from tests.unit.prediction.models.test_shaderperformer import weights_of
from tests.unit.spirv.walking import ZERO, module_of

SIZES = shaderperformer.Configuration(2, 64, 2, 96, 64, 20_200, "exact")
BANDS = (BandCard(0.0, None, 0.5, 2.0, 0.8, 100, 0.81),)
WORDS = sorted({*range(0, 20_200, 2), *range(20_000, 20_200), *range(2000, 2300)})
LABEL = 100
COUNT = 786_432


@pytest.fixture
def transformer_card(card):
    only = replace(card.methods[0], name=METHOD, features=FEATURES, bands=BANDS)
    return replace(
        card,
        architecture=ARCHITECTURE,
        methods=(only,),
        preference=-40,
        configuration=asdict(SIZES),
    )


@pytest.fixture
def weights():
    """As a bundle holds them: words of half the vocabulary, those of `traced_program` included."""
    found = weights_of(SIZES)
    found["head.out.bias"][:] = np.log(1e-3)
    return tensors_of(found, np.array(WORDS))


def traced_program(additions: int = 0) -> TracedProgram:
    """A label, so many additions, a return; traced once per pixel."""
    body = [[Op.IAdd, 3, 110 + n, ZERO, ZERO] for n in range(additions)]
    spirv = module_of([[[Op.Label, LABEL], *body, [Op.Return]]]).to_bytes()
    opcodes = {"OpReturn": 1} | ({"OpIAdd": additions} if additions else {})
    block = BlockCount(10, "main", LABEL, COUNT, (), opcodes)
    trace = Trace("made-by-hand", (1024, 768), 1.0, 1, (block,), float("nan"))
    return TracedProgram(Program("toy", Dialect.SPIRV, "", spirv, "main"), trace)


def test_what_was_written_forecasts(tmp_path, transformer_card, weights):
    bundle.write(tmp_path / "toy", transformer_card, weights)
    assert targets.problems(tmp_path) == ()
    (target,) = targets.catalogue(tmp_path).targets
    forecast = target.forecast(traced_program(3), METHOD)
    traced = traced_program(3)
    log_s = shaderperformer.log_seconds(
        unpacked(weights, SIZES), SIZES, traced.tokens.ids, np.where(traced.tokens.labels, COUNT, 0)
    )
    assert forecast.time_s == pytest.approx(np.exp(log_s[0]), rel=1e-6)
    assert forecast.low_s == pytest.approx(forecast.time_s / 2)
    assert forecast.high_s == pytest.approx(forecast.time_s * 2)
    assert (forecast.target, forecast.method) == ("toy", METHOD)
    assert "2 layers of 64" in forecast.basis
    assert "no cost per line" in forecast.basis
    assert forecast.validated == transformer_card.methods[0].validation


def test_words_no_training_shader_had_have_no_vector(weights):
    whole = unpacked(weights, SIZES)["words"]
    assert whole.shape == (20_200, 64)
    assert not whole[1].any()
    np.testing.assert_array_equal(whole[2], weights["words"][1])
    np.testing.assert_array_equal(whole[WORDS], weights["words"])


def test_the_counts_reach_the_answer(tmp_path, transformer_card, weights):
    bundle.write(tmp_path / "toy", transformer_card, weights)
    (target,) = targets.catalogue(tmp_path).targets
    traced = traced_program(3)
    (block,) = traced.trace.blocks
    busier = replace(traced.trace, blocks=(replace(block, count=COUNT + 1),))
    assert (
        target.forecast(traced).time_s
        != target.forecast(TracedProgram(traced.program, busier)).time_s
    )


def test_a_time_below_the_floor_is_the_floor(tmp_path, transformer_card, weights):
    weights["head.out.bias"][:] = -30.0
    bundle.write(tmp_path / "toy", transformer_card, weights)
    (target,) = targets.catalogue(tmp_path).targets
    forecast = target.forecast(traced_program())
    assert forecast.time_s == transformer_card.target.floor_s
    assert not forecast.lines


def test_where_it_cannot_read_the_program_the_default_stands_in(folder, transformer_card, weights):
    bundle.write(folder / "toy-transformer", transformer_card, weights)
    (target,) = targets.catalogue(folder).targets
    assert [method.name for method in target.methods] == ["pilr", "sh", METHOD]
    assert target.forecast(traced_program(3), METHOD).method == METHOD
    found = target.forecast(traced_program(30), METHOD)
    assert found.method == "pilr"
    assert re.match(r"ShaderPerFormer cannot read it: \d+ tokens, at most 64 are", found.basis)


def test_alone_it_says_what_it_cannot_read(tmp_path, transformer_card, weights):
    bundle.write(tmp_path / "toy", transformer_card, weights)
    (target,) = targets.catalogue(tmp_path).targets
    with pytest.raises(UnsupportedShader, match="at most 64 are read"):
        target.forecast(traced_program(30))
    traced = traced_program(3)
    unknown = replace(traced.program, entry_point="other")
    with pytest.raises(UnsupportedShader, match="no fragment entry point"):
        target.forecast(TracedProgram(unknown, traced.trace))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"layers": 3}, "layers.2.attended.bias' is missing"),
        ({"layers": 0}, "layers: not from 1 to 64"),
        ({"layers": 10**9}, "layers: not from 1 to 64"),
        ({"hidden": 32}, "hidden: not from 64"),
        ({"hidden": 66}, "shape"),
        ({"heads": 3}, "hidden: not a multiple of heads"),
        ({"inner": 97}, "shape"),
        ({"positions": 63}, "positions: shape"),
        ({"vocabulary": 20_000}, "known: a token outside"),
        ({"vocabulary": 40_001}, "vocabulary: not from"),
        ({"counts": "guessed"}, "counts: none of"),
        ({"heads": 2.0}, "heads: not from"),
        ({"more": 1}, "more: missing or unknown"),
        ({"heads": None}, "heads: missing or unknown"),
    ],
)
def test_configurations_that_do_not_fit_are_a_problem(
    folder, transformer_card, weights, change, reason
):
    told = {k: v for k, v in (asdict(SIZES) | change).items() if v is not None}
    bundle.write(folder / "other", replace(transformer_card, configuration=told), weights)
    assert_refused(folder, reason)


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("words", np.zeros((len(WORDS), 63), np.float16), "words: shape"),
        ("head.out.weight", np.zeros((3, 64), np.float16), "head.out.weight: shape"),
        ("layers.1.inner.bias", np.full(96, np.nan, np.float32), "not finite"),
        ("layers.1.inner.bias", np.full(96, 1e6, np.float32), "a value of over 1000"),
        ("kind", None, "'kind' is missing or has no use"),
        ("more", np.zeros(1, np.float32), "'more' is missing or has no use"),
        ("known", None, "'known' is missing or has no use"),
        ("known", np.zeros((2, 2), np.float32), "shape"),
        ("known", np.zeros(0, np.float32), "words: shape"),
        ("known", np.array(WORDS[::-1], np.float32), "not ascending whole numbers"),
        ("known", np.array(WORDS, np.float32) + 0.5, "not ascending whole numbers"),
        ("known", np.array(WORDS, np.float32) + 20_200, "outside the vocabulary"),
        ("known", np.array(WORDS, np.float32) - 2, "outside the vocabulary"),
    ],
)
def test_weights_that_do_not_fit_are_a_problem(
    folder, transformer_card, weights, name, value, reason
):
    if value is None:
        del weights[name]
    else:
        weights[name] = value
    bundle.write(folder / "other", transformer_card, weights)
    assert_refused(folder, reason)


@pytest.mark.parametrize(
    "change",
    [
        lambda method: replace(method, name="pilr"),
        lambda method: replace(method, bands=()),
        lambda method: replace(method, features=("tokens",)),
    ],
)
def test_cards_of_another_kind_are_a_problem(folder, transformer_card, weights, change):
    methods = (change(transformer_card.methods[0]),)
    bundle.write(folder / "other", replace(transformer_card, methods=methods), weights)
    assert_refused(folder, "methods|second")


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda data: data[: len(data) // 2], "weights.safetensors: "),
        (lambda data: data[:5], "truncated before its header"),
        (lambda data: struct.pack("<Q", 2**62) + data[8:], "header of .* bytes does not fit"),
        (lambda data: data[:8] + b"\xff" * 64 + data[72:], "weights.safetensors: "),
        (lambda data: data + b"surplus", "weights.safetensors: "),
    ],
)
def test_damaged_files_the_card_vouches_for_are_a_problem(
    folder, transformer_card, weights, damage, reason
):
    bundle.write(folder / "other", transformer_card, weights)
    data = damage((folder / "other" / WEIGHTS).read_bytes())
    (folder / "other" / WEIGHTS).write_bytes(data)
    card = json.loads((folder / "other" / CARD).read_text())
    card["weights"] = {"sha256": hashlib.sha256(data).hexdigest(), "bytes": max(len(data), 8)}
    (folder / "other" / CARD).write_text(json.dumps(card))
    assert_refused(folder, "bytes, the card says" if len(data) < 8 else reason)


def assert_refused(folder, reason: str) -> None:
    """The bundle `other` is, for the reason; `toy` beside it works."""
    (problem,) = targets.problems(folder)
    assert problem.bundle == "other"
    assert re.search(reason, problem.reason)
    assert "\n" not in problem.reason
    (target,) = targets.catalogue(folder).targets
    assert target.forecast(traced_program()).method in ("pilr", "sh")


def test_the_paper_configuration_is_within_what_is_read():
    sizes = asdict(shaderperformer.PAPER)
    assert set(sizes) == set(asdict(SIZES))
    size = sum(
        2 * int(np.prod(shape)) for shape in shaderperformer.shapes(shaderperformer.PAPER).values()
    )
    assert size < bundle.MAX_WEIGHTS_BYTES
