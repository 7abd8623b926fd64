from __future__ import annotations

from math import nan

import numpy as np
import pytest

from shaderlab.app.panels.frame.heat_view import HeatPicture, coloured, described
from shaderlab.app.widgets.heat_colours import heat_table
from shaderlab.app.widgets.theme import LIGHT
from shaderlab.workers.frame_heat import FrameHeat, FrameHeatKind

VALUES = np.array([[1.0, nan], [2.0, 5.0]])


def heat(kind: FrameHeatKind, values: np.ndarray = VALUES) -> FrameHeat:
    return FrameHeat(kind, values, 2, 3, 1, 1)


def test_the_least_is_cold_the_most_hot_and_nothing_transparent():
    colours = coloured(heat(FrameHeatKind.OVERDRAW))
    assert colours[0, 0].tolist() == [*heat_table()[0], 255]
    assert colours[1, 1].tolist() == [*heat_table()[-1], 255]
    assert colours[0, 1, 3] == 0


def test_few_active_lanes_are_hot():
    colours = coloured(heat(FrameHeatKind.LANES, np.array([[1.0, 0.25]])))
    assert colours[0, 1, :3].tolist() == heat_table()[-1].tolist()


@pytest.mark.parametrize("value", [3.0, nan])
def test_one_value_everywhere_or_none_can_be_painted(value: float):
    colours = coloured(heat(FrameHeatKind.INSTRUCTIONS, np.full((2, 2), value)))
    assert colours.shape == (2, 2, 4)


def test_a_large_map_is_painted_smaller_between_the_same_ends():
    values = np.zeros((1000, 1500))
    values[3, 3] = 9.0
    colours = coloured(heat(FrameHeatKind.OVERDRAW, values))
    assert colours.shape == (334, 500, 4)
    assert colours[1, 1, :3].tolist() == heat_table()[-1].tolist()


def test_the_caption_says_scale_and_what_is_left_out():
    text = described(heat(FrameHeatKind.OVERDRAW))
    assert text.startswith("1\u20135 invocations")
    assert "2 of 3 draws (1 has another size)" in text
    assert "1 could not be drawn" in text
    lanes = described(heat(FrameHeatKind.LANES, np.array([[1.0, 0.25]])))
    assert lanes.startswith("25 %\u2013100 % of lanes active")


def test_the_pointer_says_a_pixels_value(qapp):
    picture = HeatPicture(LIGHT)
    picture.resize(60, 60)
    picture.set_heat(heat(FrameHeatKind.OVERDRAW))
    assert picture.text_at(3, 3) == "0, 0: 1 invocation"
    assert picture.text_at(45, 45) == "1, 1: 5 invocations"
    assert picture.text_at(45, 6) == "1, 0: nothing was drawn"
    assert picture.text_at(90, 6) == ""
