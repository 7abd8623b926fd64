"""How much a campaign spends on a shader, and what it says on the way."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.campaigns.campaign import Progress
from shaderlab.campaigns.measuring import Effort, picture_kind


@given(st.floats(1e-7, 100.0), st.integers(1, 30), st.floats(1e-3, 2.0), st.floats(0.1, 60.0))
def test_a_plan_stays_within_its_times(
    draw_s: float, trials: int, trial_s: float, shader_s: float
) -> None:
    effort = Effort(trials=trials, trial_s=trial_s, shader_s=shader_s)
    planned, draws = effort.plan(draw_s, "discrete")
    assert 1 <= draws <= effort.draws
    assert draws == 1 or draws * draw_s <= trial_s
    fewest = min(trials, effort.fewest_trials)
    assert fewest <= planned <= trials
    assert planned == fewest or planned * draws * draw_s <= shader_s


def test_trials_are_short_where_times_scatter_little() -> None:
    assert Effort().plan(0.001, "discrete").draws == 10
    assert Effort().plan(0.02, "software").draws == 25


def test_the_time_left_follows_from_the_rate() -> None:
    progress = Progress(100, 20, 25, 5, 60.0, 0.5, "plasma: recorded")
    assert progress.done == 50
    assert progress.left_s == 100.0
    assert Progress(100, 0, 0, 0, 0.0, 0.0, "").left_s is None


@pytest.mark.parametrize(
    ("colour", "kind"), [((0, 0, 0), "black"), ((255, 255, 255), "white"), ((1, 2, 3), "constant")]
)
def test_pictures_of_one_colour_are_told_apart(colour: tuple[int, int, int], kind: str) -> None:
    pixels = np.zeros((4, 5, 4), np.uint8)
    pixels[..., :3] = colour
    pixels[..., 3] = np.arange(20).reshape(4, 5)
    assert picture_kind(pixels) == kind
    pixels[3, 4, 1] ^= 7
    assert picture_kind(pixels) == "varied"
