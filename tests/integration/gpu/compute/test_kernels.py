"""Twelve kernels on both software drivers: counts and results are those of a CPU oracle."""

import numpy as np
import pytest

from shaderlab.gpu.vulkan.buffer_sizes import buffer_sizes
from shaderlab.gpu.vulkan.compute_rendering import ComputeRenderer
from shaderlab.gpu.vulkan.compute_tracing import trace_compute
from tests import kernels

SIZES = (1000, 4096)
SOFTWARE = ("llvmpipe", "swiftshader")


@pytest.fixture(params=SOFTWARE)
def device(request, open_device):
    return open_device(request.param)


@pytest.mark.parametrize("name", kernels.KERNELS)
def test_counts_and_results_are_the_oracle_s(name, device, tmp_path):
    for n in SIZES:
        case = kernels.KERNELS[name](n)
        draw = kernels.draw(name, case, tmp_path)
        trace = trace_compute(device, draw)
        assert kernels.counted(name, trace) == case.counts
        launched = case.groups * kernels.LOCAL
        assert trace.blocks[0].count == launched == draw.launch.invocations
        assert trace.runs_of("main") == launched
        with ComputeRenderer(device, draw) as renderer:
            pixels = np.empty((*draw.size[::-1], 4), np.uint8)
            renderer.render(draw.inputs, pixels)
            for buffer, expected in case.results.items():
                resource = next(
                    each
                    for each in draw.program.interface.resources
                    if any(member.name == buffer for member in each.block.members)
                )
                raw = renderer.buffer(resource.descriptor)
                found = raw[: expected.nbytes].view(expected.dtype)
                assert np.allclose(found, expected.reshape(-1), rtol=1e-6), buffer


def test_windows_add_up_to_the_whole(device, tmp_path):
    case = kernels.KERNELS["spmv_csr_vector"](1000)
    draw = kernels.draw("spmv_csr_vector", case, tmp_path)
    whole = trace_compute(device, draw)
    cut = trace_compute(device, draw, memory_budget=20_000)
    assert [each.count for each in cut.blocks] == [each.count for each in whole.blocks]
    groups = [each.lane_groups for each in whole.blocks]
    assert [each.lane_groups for each in cut.blocks] == groups


def test_a_warp_spends_what_its_longest_lane_runs(device, tmp_path):
    case = kernels.KERNELS["spmv_csr_scalar"](1000)
    draw = kernels.draw("spmv_csr_scalar", case, tmp_path)
    trace = trace_compute(device, draw)
    lengths = np.diff(case.buffers["rows"].astype(np.int64))
    padded = np.pad(lengths, (0, -len(lengths) % 64)).reshape(-1, 32)
    line = kernels.marks("spmv_csr_scalar")["product"]
    (block,) = (each for each in trace.blocks if line in [at.line for at in each.lines])
    assert block.lane_groups == int(padded.max(axis=1).sum())


def test_bytes_from_a_file_are_as_long_as_the_file(device, tmp_path):
    case = kernels.KERNELS["triad"](1000)
    draw = kernels.draw("triad", case, tmp_path)
    assert buffer_sizes(device).of(draw) == ()
