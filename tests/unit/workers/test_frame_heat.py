from __future__ import annotations

from dataclasses import replace
from math import nan

import numpy as np
import pytest

from shaderlab.captures.frame import CapturedDraw
from shaderlab.errors import DeviceLost, WrongUse
from shaderlab.frontend.program import Dialect, Program
from shaderlab.locations import resources
from shaderlab.scene.draw import Attachments, DrawState
from shaderlab.spirv.block_counts import describe
from shaderlab.spirv.heat import HeatKind, HeatView
from shaderlab.spirv.trace import BlockId, Trace
from shaderlab.workers.analysed_draws import AnalysedDraw
from shaderlab.workers.frame_heat import (
    FrameHeatKind,
    costliest_size,
    difference,
    frame_heat,
)

SIZE = (3, 2)


@pytest.fixture(scope="module")
def program() -> Program:
    spirv = (resources() / "gpu" / "loops.frag.spv").read_bytes()
    return Program("loops", Dialect.SPIRV, "", spirv, "main")


def counted(
    program: Program, event: int, times: int = 1, size: tuple[int, int] = SIZE
) -> AnalysedDraw:
    ids = [BlockId(f.id, b.label) for f in program.module.functions for b in f.blocks]
    blocks = describe(program.module, ids, [times] * len(ids))
    trace = Trace("soft", size, 0.0, 0, blocks, nan)
    state = DrawState(attachments=Attachments(size))
    return AnalysedDraw(CapturedDraw(event, "draw", state=state), program, trace=trace)


def test_the_size_with_most_work_is_shown(program: Program):
    draws = [counted(program, 1), counted(program, 2), counted(program, 3, 9, (9, 9))]
    assert costliest_size(draws) == (9, 9)
    assert costliest_size(draws[:2]) == SIZE
    assert costliest_size([AnalysedDraw(draws[0].draw)]) is None


def test_overdraw_sums_invocations_and_leaves_out_what_nothing_covered(program: Program):
    entry = program.entry().id
    first = next(f.blocks[0].label for f in program.module.functions if f.id == entry)
    asked: list[HeatView] = []

    def heat(draw: AnalysedDraw, view: HeatView) -> np.ndarray:
        asked.append(view)
        found = np.zeros((2, 3), np.uint32)
        found[0, 0], found[1, draw.draw.event] = 1, 2
        return found

    draws = [counted(program, 1), counted(program, 2), counted(program, 0, 1, (1, 1))]
    steps = list(frame_heat(FrameHeatKind.OVERDRAW, draws, heat))
    assert [(each.done, each.total, each.elsewhere) for each in steps] == [(1, 2, 1), (2, 2, 1)]
    assert np.array_equal(steps[-1].values, [[2, nan, nan], [nan, 2, 2]], equal_nan=True)
    assert asked[0] == HeatView(HeatKind.BLOCKS, frozenset({first}))


def test_active_lanes_are_weighted_by_work(program: Program):
    work = {1: 30.0, 2: 10.0}
    busy = {1: 1.0, 2: 0.1}

    def heat(draw: AnalysedDraw, view: HeatView) -> np.ndarray:
        value = (busy if view.kind is HeatKind.LANES else work)[draw.draw.event]
        return np.full((2, 3), value, np.float32)

    draws = [counted(program, 1), counted(program, 2)]
    *_, last = frame_heat(FrameHeatKind.LANES, draws, heat)
    # 40 instructions in 30 / 1 + 10 / 0.1 lanes' time.
    assert last.values == pytest.approx(np.full((2, 3), 40 / 130), rel=1e-6)


def test_dispatches_have_no_pixels(program: Program):
    draw = counted(program, 1)
    dispatch = counted(program, 2, 99, (1024, 768))
    dispatch = replace(dispatch, draw=replace(dispatch.draw, stage="compute"))
    asked: list[int] = []

    def heat(each: AnalysedDraw, _view: HeatView) -> np.ndarray:
        asked.append(each.draw.event)
        return np.ones((2, 3), np.uint32)

    (found,) = frame_heat(FrameHeatKind.OVERDRAW, [draw, dispatch], heat)
    assert asked == [1]
    assert found.values.tolist() == [[1.0] * 3] * 2
    with pytest.raises(WrongUse, match="no draw with pixels"):
        list(frame_heat(FrameHeatKind.OVERDRAW, [dispatch], heat))


def test_a_draw_that_fails_is_counted_as_failed(program: Program):
    def heat(draw: AnalysedDraw, view: HeatView) -> np.ndarray:
        if draw.draw.event == 1:
            raise DeviceLost("the driver crashed")
        return np.ones((2, 3), np.uint32)

    draws = [counted(program, 1), counted(program, 2)]
    *_, last = frame_heat(FrameHeatKind.INSTRUCTIONS, draws, heat)
    assert last.failed == 1
    assert (last.values == 1).all()


def test_a_difference_is_the_largest_of_the_colours_whatever_its_sign():
    ours, theirs = np.zeros((1, 2, 4), np.uint8), np.zeros((1, 2, 4), np.uint8)
    ours[0, 0], theirs[0, 0] = (10, 0, 5, 0), (0, 250, 5, 255)
    assert difference(ours, theirs).values.tolist() == [[250.0, 0.0]]
