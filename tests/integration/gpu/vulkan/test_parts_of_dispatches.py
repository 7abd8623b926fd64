"""A first dispatch grows by workgroups, and counts what one submission does."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.frontend.compiler import compile_text
from shaderlab.gpu.vulkan import dispatching, parts, profiling
from shaderlab.gpu.vulkan.compute_rendering import ComputeRenderer
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.submitting import GroupPacer, Pace
from shaderlab.gpu.vulkan.tracing import require_end, trace
from shaderlab.scene.draw import Draw, DrawState
from shaderlab.scene.launch import LaunchChoice
from shaderlab.spirv.reflection import Descriptor

GROUPS = (7, 5, 3)
PICTURE = np.empty((16, 16, 4), np.uint8)
TEXT = """\
#version 450
layout(local_size_x = 4, local_size_y = 2) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };
void main() {
    uint at = gl_GlobalInvocationID.x + 28u * (gl_GlobalInvocationID.y + 10u * gl_WorkGroupID.z);
    uint sum = 0u;
    for (uint i = 0u; i < at % 13u; i++)
        sum += i;
    result[at] = sum;
}
"""


@given(
    st.tuples(*[st.integers(1, 9)] * 3),
    st.lists(st.floats(1e-6, 0.5), min_size=1, max_size=20),
)
def test_every_workgroup_runs_once_and_parts_grow_no_faster_than_allowed(groups, seconds):
    pacer, seen, before = GroupPacer(Pace(0.25, math.inf)), set(), 1
    for n, (base, count) in enumerate(pacer.ranges(groups)):
        here = {
            (x, y, z)
            for x in range(base[0], base[0] + count[0])
            for y in range(base[1], base[1] + count[1])
            for z in range(base[2], base[2] + count[2])
        }
        assert not here & seen
        seen |= here
        assert len(here) <= max(1, before)
        taken = seconds[n % len(seconds)]
        pacer.took(len(here), taken)
        before = 4 * max(len(here), before)
        if taken > 0.25 and len(here) > 1:
            before = int(len(here) * 0.25 / taken)
    assert len(seen) == math.prod(groups)


@pytest.mark.parametrize("submission_s", [1e-9, 60.0])
def test_parts_count_what_one_submission_does(device: Device, monkeypatch, submission_s):
    program = compile_text(TEXT, "parts.comp", None)
    draw = Draw(program, DrawState(launch=LaunchChoice(groups=GROUPS)))
    whole = trace(device, draw)
    monkeypatch.setattr(dispatching, "pace", lambda _: Pace(submission_s, 60.0))
    parted = trace(device, draw)
    assert [each.count for each in parted.blocks] == [each.count for each in whole.blocks]
    assert (parted.lost, parted.left_out) == (0, 0)


def test_a_dispatch_that_takes_too_long_is_given_up_with_a_lower_bound(device: Device, monkeypatch):
    program = compile_text(TEXT, "parts.comp", None)
    draw = Draw(program, DrawState(launch=LaunchChoice(groups=GROUPS)))
    trace(device, draw)  # which finds the buffers' sizes
    monkeypatch.setattr(dispatching, "pace", lambda _: Pace(1e-9, 1e-9))
    found = trace(device, draw)
    assert (found.blocks[0].count, found.left_out, found.lost) == (8, 8 * 104, 0)
    assert "832 of 840 invocations left to run" in found.cut_notes[-1]


class TestOneThatIsKnownToBeHeavy:
    """It took, when it was counted, ten times as long as a submission may."""

    @pytest.fixture
    def draw(self, device: Device, monkeypatch):
        program = compile_text(TEXT, "parts.comp", None)
        draw = Draw(program, DrawState(launch=LaunchChoice(groups=GROUPS)))
        require_end(device, draw)
        with ComputeRenderer(device, draw) as renderer:
            renderer.render(draw.inputs, PICTURE)
            self.whole = renderer.buffer(Descriptor(0, 0)).copy()
        for module in (parts, dispatching):
            monkeypatch.setattr(module, "pace", lambda _: Pace(0.1))
        monkeypatch.setitem(device.counted_seconds, draw.pipeline_key, 1.0)
        self.submitted = []
        run = device.run

        def counting(commands: object) -> None:
            self.submitted.append(commands)
            run(commands)

        monkeypatch.setattr(device, "run", counting)
        return draw

    def test_runs_in_parts_with_the_same_outcome(self, device: Device, draw: Draw):
        with ComputeRenderer(device, draw) as renderer:
            self.submitted.clear()
            renderer.render(draw.inputs, PICTURE)
            assert len(self.submitted) >= 10
            assert (renderer.buffer(Descriptor(0, 0)) == self.whole).all()
            self.submitted.clear()
            renderer.render(draw.inputs, PICTURE)  # it was fast, after all
            assert len(self.submitted) == 1

    def test_is_timed_in_parts(self, device: Device, draw: Draw):
        with profiling.TimedDraws(device, draw) as timed:
            self.submitted.clear()
            assert timed.trial(2).gpu_s > 0
            assert len(self.submitted) >= 20

    def test_runs_at_once_where_it_asks_for_the_number_of_groups(self, device: Device, draw: Draw):
        text = TEXT.replace("uint sum = 0u;", "uint sum = gl_NumWorkGroups.x - 7u;")
        asking = replace(draw, program=compile_text(text, "asking.comp", None))
        require_end(device, asking)
        device.counted_seconds[asking.pipeline_key] = 1.0
        with ComputeRenderer(device, asking) as renderer:
            self.submitted.clear()
            renderer.render(asking.inputs, PICTURE)
            assert len(self.submitted) == 1
            assert (renderer.buffer(Descriptor(0, 0)) == self.whole).all()
