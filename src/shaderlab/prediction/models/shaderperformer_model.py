"""`ShaderPerFormerModel`: a bundle of the paper's Transformer for one target, and its forecasts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import get_args

import numpy as np

from shaderlab.errors import InvalidModel, InvalidModule, UnsupportedShader
from shaderlab.prediction.bundles.bundle import Bundle
from shaderlab.prediction.bundles.card import Card, MethodCard
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecast import Forecast
from shaderlab.prediction.line_shares import LineShares
from shaderlab.prediction.models import distrust, shaderperformer
from shaderlab.prediction.models.bands import calibrated_band
from shaderlab.prediction.models.regressions import instruction_shares
from shaderlab.prediction.models.shaderperformer import TRACE_BITS, Configuration, Counts
from shaderlab.spirv.tokens import BOS, VOCABULARY

ARCHITECTURE = "shaderperformer"
METHOD = "shaderperformer"
FEATURES = ("tokens", "block_counts")
"""What the network is shown."""

KNOWN = "known"
"""Tensor beside the weights: tokens of the training shaders, ascending, to which the rows of the
table of words belong.  Any other token has no vector, which is to say zeros."""

_MOST = {"layers": 64, "hidden": 4096, "heads": 64, "inner": 16384, "positions": 65536}
_LARGEST_WEIGHT = 1e3
"""No number of a trained network comes near it; anything more is a damaged file."""
_SHORTEST_S, _LONGEST_S = 1e-9, 1e4
"""Answers are held to the times a card may speak of."""


@dataclass(frozen=True)
class ShaderPerFormerModel:
    """The network of one target."""

    card: Card
    configuration: Configuration
    weights: Mapping[str, np.ndarray]
    """As in the file, mostly half precision: most models of a catalogue are never asked."""

    @property
    def methods(self) -> tuple[MethodCard, ...]:
        return self.card.methods

    @classmethod
    def from_bundle(cls, bundle: Bundle) -> ShaderPerFormerModel:
        """Raises `InvalidModel` where card and weights do not fit together."""
        card, tensors = bundle.card, dict(bundle.tensors)
        if len(card.methods) != 1 or card.methods[0].name != METHOD:
            raise InvalidModel(f"methods: not {METHOD!r} alone")
        if card.methods[0].features != FEATURES:
            raise InvalidModel("methods[0]: features are not its own")
        if not card.methods[0].bands:
            raise InvalidModel("methods[0]: bands: missing")
        configuration = _configuration(card)
        return cls(card, configuration, weights_of(tensors, configuration))

    def refusal(self, traced: TracedProgram) -> str | None:
        """Why the network cannot read the program, None where it can."""
        try:
            tokens = traced.tokens
        except (InvalidModule, UnsupportedShader) as error:
            return f"ShaderPerFormer cannot read it: {error}."
        why = shaderperformer.refusal(tokens.ids, self.configuration)
        return None if why is None else f"ShaderPerFormer cannot read it: {why}."

    def predict_s(self, tokens: np.ndarray, counts: np.ndarray) -> float:
        """Seconds per draw of a sequence and its `token_counts`, which the network can read."""
        (log_s,) = shaderperformer.log_seconds(self.weights, self.configuration, tokens, counts)
        return math.exp(min(max(float(log_s), math.log(_SHORTEST_S)), math.log(_LONGEST_S)))

    def forecast(self, traced: TracedProgram, method: str | None = None) -> Forecast:
        """The model's one method; `method` is for models that have several.

        Raises `UnsupportedShader` where `refusal` says why.
        """
        if why := self.refusal(traced):
            raise UnsupportedShader(why)
        card = self.card
        counts = {block.label: block.count for block in traced.trace.blocks}
        floor_s = card.target.floor_s or 0.0
        shown = shaderperformer.token_counts(traced.tokens, counts)
        own_s = self.predict_s(traced.tokens.ids, shown)
        time_s = max(own_s, floor_s)
        band = calibrated_band(time_s, self.methods[0].bands, floor_s)
        return Forecast(
            target=card.target.slug,
            time_s=time_s,
            low_s=band.low_s,
            high_s=band.high_s,
            method=METHOD,
            basis=self._basis(band.origin),
            validated=self.methods[0].validation,
            lines=self._lines(traced, time_s),
            warnings=(
                *distrust.reads_undefined(traced),
                *distrust.of_trace(card, traced),
                *distrust.reads_textures(traced),
            ),
        )

    def _lines(self, traced: TracedProgram, time_s: float) -> LineShares:
        floor_s = self.card.target.floor_s or 0.0
        return instruction_shares(traced, (time_s - floor_s) / time_s)

    def _basis(self, band: str) -> str:
        card, method, size = self.card, self.methods[0], self.configuration
        sentences = [
            f"ShaderPerFormer: the paper's Transformer over tokens and counts, {size.layers} "
            f"layer{'s' if size.layers > 1 else ''} of {size.hidden}, trained by shaderlab on "
            f"{method.training_samples:,} shaders of the {card.target.name} "
            f"(clocks: {card.target.clocks}).",
            card.default_reason,
            band,
            "It explains nothing: lines share the time above the floor by executed instructions.",
            card.target.notes,
        ]
        return " ".join(sentence for sentence in sentences if sentence)


def tensors_of(weights: Mapping[str, np.ndarray], known: np.ndarray) -> dict[str, np.ndarray]:
    """What `from_bundle` reads: matrices in half precision, vectors in single.

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
    shapes = shaderperformer.shapes(configuration) | {KNOWN: (rows,)}
    shapes["words"] = (rows, configuration.hidden)
    if set(tensors) != set(shapes):
        odd = sorted(set(tensors) ^ set(shapes))[0]
        raise InvalidModel(f"weights: {odd[:80]!r} is missing or has no use")
    for name, shape in shapes.items():
        if tensors[name].shape != shape:
            raise InvalidModel(f"weights: {name}: shape {tensors[name].shape} is not {shape}")
        if name != KNOWN and not (np.abs(tensors[name]) <= _LARGEST_WEIGHT).all():
            raise InvalidModel(f"weights: {name}: a value of over {_LARGEST_WEIGHT:g}")
    with np.errstate(invalid="ignore"):  # too large for an integer: then it differs, below
        tokens = tensors[KNOWN].astype(np.int64)
    if not rows or not (tokens == known).all() or not (np.diff(tokens) > 0).all():
        raise InvalidModel(f"weights: {KNOWN}: not ascending whole numbers")
    if tokens[0] < 0 or tokens[-1] >= configuration.vocabulary:
        raise InvalidModel(f"weights: {KNOWN}: a token outside the vocabulary")
    words = np.zeros((configuration.vocabulary, configuration.hidden), tensors["words"].dtype)
    words[tokens] = tensors["words"]
    return {name: tensors[name] for name in shapes if name != KNOWN} | {"words": words}


def configuration_of(configuration: Configuration) -> dict[str, int | float | str]:
    """What `_configuration` reads of a card."""
    return {each.name: getattr(configuration, each.name) for each in fields(configuration)}


def _configuration(card: Card) -> Configuration:
    told = dict(card.configuration)
    names = [each.name for each in fields(Configuration)]
    if set(told) != set(names):
        odd = sorted(set(told) ^ set(names))[0]
        raise InvalidModel(f"configuration: {odd}: missing or unknown")
    if told["counts"] not in get_args(Counts):
        raise InvalidModel(f"configuration: counts: none of {', '.join(get_args(Counts))}")
    limits = {name: (1, most) for name, most in _MOST.items()}
    limits |= {"hidden": (TRACE_BITS, _MOST["hidden"]), "vocabulary": (BOS + 1, VOCABULARY)}
    for name, (low, high) in limits.items():
        value = told[name]
        if type(value) is not int or not low <= value <= high:
            raise InvalidModel(f"configuration: {name}: not from {low} to {high}")
    if told["hidden"] % told["heads"]:
        raise InvalidModel("configuration: hidden: not a multiple of heads")
    return Configuration(**told)
