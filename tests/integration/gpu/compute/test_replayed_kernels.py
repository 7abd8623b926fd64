"""Twelve kernels as five vendors' compilers leave them: they compute what they did, and counts meet
their code block by block."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from shaderlab.errors import NoVulkan
from shaderlab.frontend.compiler import compile_text
from shaderlab.gpu.compilers.vendors import VENDORS
from shaderlab.gpu.counted import cost as executed
from shaderlab.gpu.radv import cost
from shaderlab.gpu.radv.replay import replay_of
from shaderlab.gpu.vulkan.compute_rendering import ComputeRenderer
from shaderlab.gpu.vulkan.compute_tracing import trace_compute
from shaderlab.gpu.vulkan.device import Device
from shaderlab.scene.draw import Draw
from shaderlab.spirv.reflection import Descriptor, ResourceKind
from shaderlab.workers import compiled
from shaderlab.workers.compiled import CompiledWorkers
from tests import kernels

WAIT_S = 300.0
CHIPS = {
    "amd": "navi23",
    "intel": "cfl",
    "nvidia": "ga106",
    "adreno": "adreno740",
    "mali": "malig610",
}


@pytest.fixture(scope="module")
def workers(compilers_at_home: bool) -> Iterator[CompiledWorkers]:
    """A chip of each vendor whose compiler is here."""
    try:
        there = compiled.available().result(WAIT_S).targets
    except NoVulkan as error:
        pytest.skip(str(error))
    chosen = [target for target in there if target.family.slug in CHIPS.values()]
    with closing(CompiledWorkers(chosen)) as made:
        yield made


def left(device: Device, draw: Draw) -> dict[Descriptor, np.ndarray]:
    """What a dispatch leaves in its buffers."""
    with ComputeRenderer(device, draw) as renderer:
        renderer.render(draw.inputs, np.empty((*draw.size[::-1], 4), np.uint8))
        return {
            each.descriptor: renderer.buffer(each.descriptor).copy()
            for each in draw.program.interface.resources
            if each.kind is ResourceKind.STORAGE_BUFFER
        }


@pytest.mark.parametrize("vendor", VENDORS)
@pytest.mark.parametrize("name", kernels.KERNELS)
def test_what_a_compiler_leaves_of_a_kernel_runs_and_meets_its_code(
    name: str, vendor: str, workers: CompiledWorkers, open_device, tmp_path: Path
) -> None:
    slug = CHIPS[vendor]
    target = next((each for each in workers.targets if each.family.slug == slug), None)
    if target is None:
        pytest.skip(f"{VENDORS[vendor].driver} is not built")
    device = open_device("llvmpipe")
    case = kernels.KERNELS[name](1000)
    draw = kernels.draw(name, case, tmp_path)
    stats = workers.compile(draw.program, [slug])[slug].result(WAIT_S)

    made = replay_of(draw.program, stats)
    replay = compile_text(made.text, f"{name}.comp", None).bound_as(draw.program)
    replayed = draw.of_program(replay)
    expected = left(device, draw)
    for at, found in left(device, replayed).items():
        assert np.allclose(found.view(np.float32), expected[at].view(np.float32), equal_nan=True), (
            at
        )

    join = cost.frame_cost if vendor == "amd" else executed.frame_cost
    frame = join(
        stats,
        target.family,
        made,
        trace_compute(device, replayed),
        trace_compute(device, draw),
        draw.launch.per_group,
    )
    assert frame is not None, "the code's control flow is the program's"
    assert frame.explained == 1
    waves = -(-kernels.LOCAL // stats.chosen.subgroup_size)
    assert frame.waves == case.groups * waves
    assert frame.blocks[0].executions == frame.waves
    assert frame.busy_cycles > frame.waves
