"""ShaderPerFormer (paper §6.2): a Transformer encoder over a traced module's token sequence.

A post-norm encoder in the manner of BERT.  A token goes in as the sum of its word's, its type's and
its position's vector, and of the trace: dimension k of the sum gains bit k of the execution count
its opcode token carries, neither scaled nor learned.  Sequences are padded on the left to a
multiple of eight and the head reads position 0, which is therefore mostly padding; padding is never
attended to, but attends.  The answer is the natural logarithm of the seconds per draw.

The released code departs from the paper in the counts it shows the network (`Counts`).  Here is
the forward pass alone, in float32; training is `models.laboratory.shaderperformer`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Literal, Self, get_args

import numpy as np

from shaderlab.errors import InvalidModel
from shaderlab.prediction.bundles.bundle import check_shapes
from shaderlab.spirv import tokens as vocabulary
from shaderlab.spirv.tokens import BOS, VOCABULARY, Tokens

Counts = Literal["exact", "as-released", "ones"]
"""`exact`: 64-bit executions, blocks the entry point does not reach run 0 times (the paper).
`as-released`: through a C int, then float32, as the released code passes them, which wraps counts
from 2^31 up; unreached blocks get the count of the entry block, whose counter is number 0.
`ones`: every token shows 1, the paper's ablation without a trace."""

UNCOUNTED = -1
"""In place of a count: the token's block is of a function the entry point does not reach."""
TRACE_BITS = 64
PADDED_TO = 8
"""Sequences are padded to a multiple of this many tokens."""
NORM_EPSILON = 1e-12

KNOWN = "known"
"""Tensor beside the weights: tokens of the training shaders, ascending, to which the rows of the
table of words belong.  Any other token has no vector, that is, zeros."""

_MOST = {"layers": 64, "hidden": 4096, "heads": 64, "inner": 16384, "positions": 65536}
_LARGEST_WEIGHT = 1e3
"""No number of a trained network comes near it; anything more is a damaged file."""
_QUERIES = 256
"""Rows of the attention matrix held at a time, so that it stays in the cache."""


@dataclass(frozen=True)
class Configuration:
    """Sizes of one network."""

    layers: int
    hidden: int
    """Width of a token's vector; at least `TRACE_BITS`."""
    heads: int
    inner: int
    """Width inside the feed-forward part."""
    positions: int
    """Longest padded sequence; longer shaders are refused, as the paper drops them."""
    vocabulary: int
    """Tokens from here up have no vector; shaders that hold one are refused."""
    counts: Counts

    @classmethod
    def read(cls, values: Mapping[str, int | float | str]) -> Self:
        """The sizes as a card holds them, by field.  Raises `InvalidModel`."""
        names = [each.name for each in fields(cls)]
        if set(values) != set(names):
            odd = sorted(set(values) ^ set(names))[0]
            raise InvalidModel(f"configuration: {odd}: missing or unknown")
        counts = next((each for each in get_args(Counts) if each == values["counts"]), None)
        if counts is None:
            raise InvalidModel(f"configuration: counts: none of {', '.join(get_args(Counts))}")
        limits = {name: (1, most) for name, most in _MOST.items()}
        limits |= {"hidden": (TRACE_BITS, _MOST["hidden"]), "vocabulary": (BOS + 1, VOCABULARY)}
        sizes: dict[str, int] = {}
        for name, (low, high) in limits.items():
            value = values[name]
            if type(value) is not int or not low <= value <= high:
                raise InvalidModel(f"configuration: {name}: not from {low} to {high}")
            sizes[name] = value
        if sizes["hidden"] % sizes["heads"]:
            raise InvalidModel("configuration: hidden: not a multiple of heads")
        return cls(**sizes, counts=counts)


PAPER = Configuration(9, 768, 12, 3072, 4096, vocabulary.VOCABULARY, "as-released")
"""98 million numbers, 64 million of them in the layers."""
TINY = Configuration(1, 128, 4, 512, 4096, vocabulary.IDS + 2048, "exact")
"""For minutes of one core, 38 s an epoch of 1,825 shaders: with one layer, each token is looked at
once, by position 0.  Ids end at 2,047: those of 2,219 shaders end at 849."""


def shapes(configuration: Configuration, targets: int = 1) -> dict[str, tuple[int, ...]]:
    """Shape of every weight by name; matrices are (out, in) as in torch.nn.Linear."""
    hidden, inner = configuration.hidden, configuration.inner
    found: dict[str, tuple[int, ...]] = {
        "words": (configuration.vocabulary, hidden),
        "positions": (configuration.positions, hidden),
        "kind": (hidden,),
        **_norm("embedded", hidden),
    }
    for number in range(configuration.layers):
        name = f"layers.{number}"
        for part in ("query", "key", "value", "attended"):
            found |= _linear(f"{name}.{part}", hidden, hidden)
        found |= _norm(f"{name}.attended_norm", hidden)
        found |= _linear(f"{name}.inner", inner, hidden)
        found |= _linear(f"{name}.outer", hidden, inner)
        found |= _norm(f"{name}.outer_norm", hidden)
    return found | _linear("head.dense", hidden, hidden) | _linear("head.out", targets, hidden)


def tensors_of(weights: Mapping[str, np.ndarray], known: np.ndarray) -> dict[str, np.ndarray]:
    """What `weights_of` reads: matrices in half precision, vectors in single.

    `known`: (tokens,) those whose words were trained, ascending.
    """
    kept = dict(weights) | {"words": weights["words"][known], KNOWN: known}
    return {
        name: each.astype(np.float16 if each.ndim == 2 else np.float32)
        for name, each in kept.items()
    }


def weights_of(
    tensors: Mapping[str, np.ndarray], configuration: Configuration
) -> dict[str, np.ndarray]:
    """The network's weights from what a bundle holds.  Raises `InvalidModel`."""
    known = tensors.get(KNOWN)
    rows = len(known) if known is not None and known.ndim == 1 else 0
    expected = shapes(configuration) | {"words": (rows, configuration.hidden), KNOWN: (rows,)}
    check_shapes(tensors, expected)
    for name in expected:
        if name != KNOWN and not (np.abs(tensors[name]) <= _LARGEST_WEIGHT).all():
            raise InvalidModel(f"weights: {name}: a value of over {_LARGEST_WEIGHT:g}")
    known = tensors[KNOWN]
    with np.errstate(invalid="ignore"):  # too large for an integer: then it differs, below
        tokens = known.astype(np.int64)
    if not rows or not (tokens == known).all() or not (np.diff(tokens) > 0).all():
        raise InvalidModel(f"weights: {KNOWN}: not ascending whole numbers")
    if tokens[0] < 0 or tokens[-1] >= configuration.vocabulary:
        raise InvalidModel(f"weights: {KNOWN}: a token outside the vocabulary")
    words = np.zeros((configuration.vocabulary, configuration.hidden), tensors["words"].dtype)
    words[tokens] = tensors["words"]
    return {name: tensors[name] for name in expected if name != KNOWN} | {"words": words}


def token_counts(tokens: Tokens, counts: Mapping[int, int]) -> np.ndarray:
    """(n,) int64: for each opcode token in a block the block's executions, 0 for other tokens.

    `counts`: executions by the result id of the block's OpLabel; blocks not in it are `UNCOUNTED`.
    """
    found = np.zeros(len(tokens), np.int64)
    places = np.flatnonzero(tokens.labels)
    found[places] = [counts.get(label, UNCOUNTED) for label in tokens.labels[places].tolist()]
    return found


def shown_counts(counts: np.ndarray, how: Counts) -> np.ndarray:
    """(n,) int64: what of `token_counts` the network gets to see."""
    unreached = counts == UNCOUNTED
    if how == "exact":
        return np.where(unreached, 0, counts)
    if how == "ones":
        return np.ones_like(counts)
    # The first count of a sequence is that of the entry function's first block.
    entry = counts[np.flatnonzero(counts)[0]] if counts.any() else 0
    whole = np.where(unreached, entry, counts)
    return whole.astype(np.int32).astype(np.float32).astype(np.int64)


def trace_bits(counts: np.ndarray) -> np.ndarray:
    """(..., 64) float32: bit k of each int64 count, in two's complement."""
    places = np.arange(TRACE_BITS, dtype=np.uint64)
    bits = counts[..., None].astype(np.uint64) >> places & np.uint64(1)
    return bits.astype(np.float32)


def padding(length: int) -> int:
    """Tokens put before a sequence of that many."""
    return -length % PADDED_TO


def refusal(tokens: np.ndarray, configuration: Configuration) -> str | None:
    """Why the network cannot read the sequence, None where it can."""
    length = len(tokens)
    if length > configuration.positions:
        return f"{length:,} tokens, at most {configuration.positions:,} are read"
    if int(tokens.max()) >= configuration.vocabulary:
        return f"token {int(tokens.max()):,} is outside the vocabulary"
    return None


def log_seconds(
    weights: Mapping[str, np.ndarray],
    configuration: Configuration,
    tokens: np.ndarray,
    counts: np.ndarray,
) -> np.ndarray:
    """(targets,) float32 natural logarithms of seconds per draw.

    `tokens` (n,) int32 with BOS first and `counts` (n,) int64 as from `token_counts`, of a sequence
    that `refusal` lets pass.  `weights` are `shapes`', of any float type.
    """
    pads = padding(len(tokens))
    x = _embedded(weights, configuration, tokens, counts, pads)
    for number in range(configuration.layers):
        last = number == configuration.layers - 1
        # Only position 0 is read in the end, so the last layer computes nothing else.
        x = _layer(_Part(weights, f"layers.{number}"), configuration, x, pads, first_only=last)
    whole = _Part(weights, "head")
    return whole.linear("out", np.tanh(whole.linear("dense", x[:1])))[0]


@dataclass(frozen=True)
class _Part:
    """Weights below one name, as float32."""

    weights: Mapping[str, np.ndarray]
    name: str

    def get(self, name: str) -> np.ndarray:
        return self.weights[f"{self.name}.{name}"].astype(np.float32, copy=False)

    def linear(self, name: str, x: np.ndarray) -> np.ndarray:
        return x @ self.get(f"{name}.weight").T + self.get(f"{name}.bias")

    def norm(self, name: str, x: np.ndarray) -> np.ndarray:
        """Layer normalisation, biased variance."""
        x = x - x.mean(-1, keepdims=True)
        x *= 1 / np.sqrt(np.square(x).mean(-1, keepdims=True) + np.float32(NORM_EPSILON))
        return x * self.get(f"{name}.weight") + self.get(f"{name}.bias")


def _embedded(
    weights: Mapping[str, np.ndarray],
    configuration: Configuration,
    tokens: np.ndarray,
    counts: np.ndarray,
    pads: int,
) -> np.ndarray:
    """(pads + n, hidden)"""
    padded = np.concatenate([np.full(pads, vocabulary.PAD), tokens])
    x = weights["words"][padded].astype(np.float32)
    x += weights["positions"][: len(padded)]
    x += weights["kind"].astype(np.float32)
    x[pads:, :TRACE_BITS] += trace_bits(shown_counts(counts, configuration.counts))
    return _Part({f".{name}": each for name, each in weights.items()}, "").norm("embedded", x)


def _layer(
    part: _Part, configuration: Configuration, x: np.ndarray, pads: int, *, first_only: bool
) -> np.ndarray:
    """One encoder layer; `x` and result (length, hidden), the result's length 1 if `first_only`."""
    heads, width = configuration.heads, configuration.hidden // configuration.heads
    asking = x[:1] if first_only else x
    # Padding is excluded from attention, which is what a mask does.
    query, key, value = (
        part.linear(name, of).reshape(-1, heads, width).transpose(1, 0, 2)
        for name, of in (("query", asking), ("key", x[pads:]), ("value", x[pads:]))
    )
    query *= np.float32(1 / math.sqrt(width))
    attended = np.empty((len(asking), heads, width), np.float32)
    for head in range(heads):
        turned = np.ascontiguousarray(key[head].T)
        for start in range(0, len(asking), _QUERIES):
            rows = slice(start, start + _QUERIES)
            scores = query[head, rows] @ turned
            scores -= scores.max(-1, keepdims=True)
            np.exp(scores, out=scores)
            attended[rows, head] = scores @ value[head] / scores.sum(-1, keepdims=True)
    mixed = part.linear("attended", attended.reshape(len(asking), -1))
    x = part.norm("attended_norm", mixed + asking)
    inner = part.linear("outer", _gelu(part.linear("inner", x)))
    return part.norm("outer_norm", inner + x)


def _gelu(x: np.ndarray) -> np.ndarray:
    """x times the normal distribution's cumulative function, to 2e-7 of it."""
    # Abramowitz and Stegun 7.1.26, a rational fit of the error function.
    z = np.abs(x) * np.float32(math.sqrt(0.5))
    t = 1 / (1 + np.float32(0.3275911) * z)
    series = np.float32(1.061405429) * t
    for coefficient in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series = (series + np.float32(coefficient)) * t
    tail = np.float32(0.5) * series * np.exp(-z * z)
    return x * np.where(x < 0, tail, 1 - tail)


def _linear(name: str, out: int, inside: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (out, inside), f"{name}.bias": (out,)}


def _norm(name: str, hidden: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (hidden,), f"{name}.bias": (hidden,)}
