"""Which frame a settings file names."""

from __future__ import annotations

import math

import pytest

from shaderlab.app.session.counted_run import CANONICAL, CountedRun, run_from


@pytest.mark.parametrize("size", [(16, 16), (8192, 8192), (1920, 1080)])
@pytest.mark.parametrize("time_s", [0.0, 3600.0, 2.5])
def test_a_possible_frame_is_taken(size, time_s):
    assert run_from("{}x{}".format(*size), time_s) == CountedRun(size, time_s)


@pytest.mark.parametrize(
    ("size", "time_s"),
    [
        ("15x100", 1.0),
        ("100x8193", 1.0),
        ("100", 1.0),
        ("axb", 1.0),
        ("1x2x3", 1.0),
        ("640x480", -0.1),
        ("640x480", 3600.1),
        ("640x480", math.nan),
        ("640x480", math.inf),
    ],
)
def test_for_an_impossible_one_the_canonical_frame_stands(size, time_s):
    assert run_from(size, time_s) == CANONICAL


def test_a_frame_is_named_by_size_and_time_and_differs_in_nothing_else():
    run = CountedRun((640, 480), 2.5)
    assert run.text == "640 \u00d7 480, t = 2.5 s"
    assert run.uniforms.time_s == 2.5
    assert run.uniforms.frame == CANONICAL.uniforms.frame
