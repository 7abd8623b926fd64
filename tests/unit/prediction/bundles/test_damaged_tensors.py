"""Every tensor of every architecture, damaged in shape, rank, type and value: that bundle alone is
refused, or what it forecasts is a time."""

from __future__ import annotations

import math
import shutil
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from shaderlab.frontend.program import Dialect, Program
from shaderlab.locations import models, resources
from shaderlab.prediction.bundles import bundle
from shaderlab.prediction.bundles.accuracy import BandCard
from shaderlab.prediction.catalogue import targets
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.models import shaderperformer
from shaderlab.prediction.models.shaderperformer import tensors_of
from shaderlab.prediction.models.shaderperformer_model import ARCHITECTURE, FEATURES, METHOD
from shaderlab.spirv.trace import BlockCount, Trace
from tests.unit.prediction.models.test_shaderperformer import weights_of

SIZES = shaderperformer.Configuration(1, 64, 2, 64, 128, 20_200, "exact")
SHIPPED = (
    "uhd630-published",
    "llvmpipe-pilr-refitted",
    "llvmpipe-additive",
    "llvmpipe-trees",
    "gtx1660ti-matched",
)
CHANGES = (
    "scalar",
    "flat",
    "deeper",
    "shorter",
    "longer",
    "empty",
    "transposed",
    "half",
    "double",
    "missing",
)
VALUES = (0.0, -1.0, 1.5, 1e-30, -1e-30, 1e30, -1e30, 6e4)


def damaged(values: np.ndarray, change: str) -> np.ndarray:
    """The array with another shape, rank or type."""
    match change:
        case "scalar":
            return values.reshape(-1)[:1].reshape(())
        case "flat":
            return values.reshape(-1)
        case "deeper":
            return values[None]
        case "shorter":
            return values[:-1]
        case "longer":
            return np.concatenate([np.atleast_1d(values)] * 2)
        case "empty":
            return values[:0]
        case "transposed":
            return values.T
        case "half":
            return values.astype(np.float16)
        case _:
            return values.astype(np.float64)


def traced_draw() -> TracedProgram:
    """A real shader, every block of which ran once per pixel."""
    spirv = (resources() / "gpu" / "constant.frag.spv").read_bytes()
    program = Program("constant", Dialect.SPIRV, "", spirv, "main")
    blocks = tuple(
        BlockCount(function.id, "main", block.label, 1024 * 768, (), {"OpLoad": 1}, 24_576)
        for function in program.module.functions
        for block in function.blocks
    )
    return TracedProgram(program, Trace("made-by-hand", (1024, 768), 1.0, 1, blocks, float("nan")))


DRAW = traced_draw()


@pytest.fixture(scope="module")
def transformer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small network in a bundle, its card that of a shipped one."""
    card = bundle.read(models() / "llvmpipe-shaderperformer").card
    only = replace(
        card.methods[0],
        name=METHOD,
        features=FEATURES,
        bands=(BandCard(0.0, None, 0.5, 2.0, 0.8, 100, 0.81),),
    )
    small = replace(card, architecture=ARCHITECTURE, methods=(only,), configuration=asdict(SIZES))
    words = np.arange(0, 20_200, 7)
    folder = tmp_path_factory.mktemp("network") / "transformer"
    bundle.write(folder, small, tensors_of(weights_of(SIZES), words))
    return folder


@pytest.mark.parametrize("name", [*SHIPPED, "transformer"])
@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.integers(0, 1000),
    st.sampled_from(CHANGES) | st.tuples(st.integers(0, 10_000), st.sampled_from(VALUES)),
)
@example(0, "scalar")
@example(1, "scalar")
@example(3, "missing")
def test_a_damaged_tensor_costs_its_own_bundle_at_most(
    tmp_path: Path, transformer: Path, name: str, which: int, change
) -> None:
    folder = tmp_path / "models"
    shutil.rmtree(folder, ignore_errors=True)
    whole = bundle.read(transformer if name == "transformer" else models() / name)
    tensors = dict(whole.tensors)
    tensor = sorted(tensors)[which % len(tensors)]
    if change == "missing":
        del tensors[tensor]
    elif isinstance(change, str):
        tensors[tensor] = damaged(tensors[tensor], change)
    else:
        values = tensors[tensor].copy()
        at, put = change
        with np.errstate(over="ignore"):
            values.reshape(-1)[at % values.size] = put
        tensors[tensor] = values
    bundle.write(folder / "damaged", whole.card, tensors)
    # A matched model stands on another target's; the others have a sound one beside them.
    other = "rtx3060-additive" if name == "gtx1660ti-matched" else "rx7900gre-published"
    shutil.copytree(models() / other, folder / other)
    found = targets.catalogue(folder)
    assert all(problem.bundle == "damaged" for problem in found.problems)
    assert not any("damaged (" in problem.reason for problem in found.problems)
    assert len(found.targets) == 2 - len(found.problems)
    for target in found.targets:
        forecast = target.forecast(DRAW)
        for time_s in (forecast.time_s, forecast.low_s, forecast.high_s):
            assert math.isfinite(time_s)
            assert time_s > 0
