"""`ShaderPerFormerModel`: a bundle of the paper's Transformer for one target, and its forecasts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from shaderlab.errors import InvalidModel, InvalidModule, UnsupportedShader
from shaderlab.prediction.bundles.bundle import Bundle
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecast import Forecast
from shaderlab.prediction.models import distrust, shaderperformer
from shaderlab.prediction.models.bands import calibrated_band
from shaderlab.prediction.models.model import (
    Installed,
    Model,
    instruction_shares,
    only_method,
    sentences,
)
from shaderlab.prediction.models.shaderperformer import Configuration, weights_of

ARCHITECTURE = "shaderperformer"
METHOD = "shaderperformer"
FEATURES = ("tokens", "block_counts")
"""What the network is shown."""

_SHORTEST_S, _LONGEST_S = 1e-9, 1e4
"""Answers are limited to the times a card may contain."""


@dataclass(frozen=True)
class ShaderPerFormerModel(Model):
    """The network of one target."""

    configuration: Configuration
    weights: Mapping[str, np.ndarray]
    """As in the file, mostly half precision: most models of a catalogue are never asked."""

    ARCHITECTURES = (ARCHITECTURE,)

    @classmethod
    def from_bundle(
        cls, bundle: Bundle, installed: Installed | None = None
    ) -> ShaderPerFormerModel:
        card = bundle.card
        if only_method(card, METHOD).features != FEATURES:
            raise InvalidModel("methods[0]: features are not its own")
        configuration = Configuration.read(card.configuration)
        return cls(card, configuration, weights_of(bundle.tensors, configuration))

    def refusal(self, traced: TracedProgram) -> str | None:
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
        """Raises `UnsupportedShader` where `refusal` says why."""
        if why := self.refusal(traced):
            raise UnsupportedShader(why)
        card = self.card
        counts = {block.label: block.count for block in traced.trace.blocks}
        floor_s = card.target.floor_s or 0.0
        shown = shaderperformer.token_counts(traced.tokens, counts)
        own_s = self.predict_s(traced.tokens.ids, shown)
        time_s = max(own_s, floor_s)
        band = calibrated_band(time_s, self.methods[0].bands, floor_s)
        lines = instruction_shares(traced, (time_s - floor_s) / time_s)
        warnings = distrust.undefined_values(card, traced) + distrust.of_trace(card, traced)
        return self.answer(self.methods[0], time_s, band, self._basis(band.origin), lines, warnings)

    def _basis(self, band: str) -> str:
        card, method, size = self.card, self.methods[0], self.configuration
        return sentences(
            f"ShaderPerFormer: the paper's Transformer over tokens and counts, {size.layers} "
            f"layer{'s' if size.layers > 1 else ''} of {size.hidden}, trained by shaderlab on "
            f"{method.training_samples:,} shaders of the {card.target.name} "
            f"(clocks: {card.target.clocks}).",
            band,
            "It has no cost per line: lines share the time above the floor by executed "
            "instructions.",
            card.target.notes,
        )
