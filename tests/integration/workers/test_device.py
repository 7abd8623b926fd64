"""A quick device worker and a prepared trace, on the real software driver."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from shaderlab.frontend.compiler import load_program
from shaderlab.frontend.examples import examples
from shaderlab.gpu import drivers
from shaderlab.scene.draw import Draw, Frame
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.discovery import discover

SIZE = (64, 48)


@pytest.fixture(scope="module")
def workers() -> Iterator[tuple[DeviceWorker, DeviceWorker]]:
    info = next(
        (each for each in discover().result().devices if drivers.can_compile_quickly(each.slug)),
        None,
    )
    if info is None:
        pytest.skip("llvmpipe is not installed")
    made = DeviceWorker(info), DeviceWorker(info, quick=True)
    yield made
    for worker in made:
        worker.close()


@pytest.mark.parametrize("name", ["contours", "cornell", "julia", "truchet"])
def test_quickly_compiled_code_draws_the_same(workers, name: str) -> None:
    plain, quick = workers
    (path,) = [each.path for each in examples() if each.path.stem == name]
    frame = Frame.of(Draw.of(load_program(path), SIZE))
    first, second = (worker.render(frame).result() for worker in (plain, quick))
    assert second.pixels.any()
    difference = np.abs(first.pixels.astype(int) - second.pixels.astype(int))
    assert (difference > 1).mean() < 0.001  # rounded otherwise at an edge


def test_what_was_prepared_is_counted_as_ever(workers) -> None:
    plain, quick = workers
    (path,) = [each.path for each in examples() if each.path.stem == "stars"]
    draw = Draw.of(load_program(path), SIZE)
    assert plain.prepare_trace(draw).result() is None
    prepared, plainly = plain.trace(draw).result(), quick.trace(draw).result()
    assert prepared.blocks == plainly.blocks
