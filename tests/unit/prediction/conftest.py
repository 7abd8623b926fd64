"""A small bundle on disk that each test may damage, and traces made by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from shaderlab.prediction.bundles import bundle
from shaderlab.prediction.bundles.accuracy import TimeRangeError
from shaderlab.prediction.bundles.card import (
    CanonicalRun,
    Card,
    MethodCard,
    Origin,
    TargetCard,
    WeightsCard,
)
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecast import Validation
from shaderlab.prediction.models.regressions import ARCHITECTURE, TOTAL
from shaderlab.spirv.trace import BlockCount, Trace


def method(name: str, features: tuple[str, ...], by_time=((0.0, None, 0.5),)) -> MethodCard:
    return MethodCard(
        name=name,
        origin=Origin("https://example.org/fits", "abc123", "fits.ipynb", 3, "thousand shaders"),
        loss="least squares",
        training_samples=1000,
        features=features,
        validation=Validation(0.5, 0.9, 100, "held-out shaders"),
        by_time=tuple(TimeRangeError(*each) for each in by_time),
    )


@pytest.fixture
def card() -> Card:
    """Two methods: PILR over two opcodes first, Simple Heuristics behind it; floor 10 us."""
    return Card(
        architecture=ARCHITECTURE,
        target=TargetCard(
            slug="toy",
            name="Toy GPU",
            vendor="Toys",
            kind="published",
            device="a toy",
            driver="1.0",
            clocks="wound up",
            floor_s=1e-5,
            floor_source="fastest of ten",
            notes="",
        ),
        run=CanonicalRun((1024, 768), 1.0, 1, 10, 30),
        methods=(method("pilr", ("OpFAdd", "OpFMul")), method("sh", (TOTAL,))),
        default_reason="because",
        largest_block_count=10**9,
        weights=WeightsCard("0" * 64, 8),
        reproduce="make toys",
    )


@pytest.fixture
def tensors() -> dict[str, np.ndarray]:
    """PILR: 20 us + 1 ns per OpFAdd - 1 ns per OpFMul; SH: 30 us + 0.5 ns per instruction."""
    return {
        "pilr.intercept": np.array([2e-5], np.float32),
        "pilr.coefficients": np.array([1e-9, -1e-9], np.float32),
        "sh.intercept": np.array([3e-5], np.float32),
        "sh.coefficients": np.array([5e-10], np.float32),
    }


@pytest.fixture
def folder(tmp_path: Path, card: Card, tensors: dict[str, np.ndarray]) -> Path:
    """A models folder that holds the toy bundle as `toy`."""
    bundle.write(tmp_path / "toy", card, tensors)
    return tmp_path


@pytest.fixture
def traced():
    """Make a `TracedProgram` whose one block ran `count` times and holds `opcodes`."""

    def make(opcodes: dict[str, int], count: int = 1, **trace_fields) -> TracedProgram:
        block = BlockCount(4, "main", 5, count, (), opcodes)
        trace = Trace("made-by-hand", (1024, 768), 1.0, 1, (block,), float("nan"))
        return TracedProgram(None, replace(trace, **trace_fields))

    return make
