from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.prediction.forecast import Forecast, Side, Status, Validation
from shaderlab.prediction.forecasts.frame_forecast import frame_forecasts
from shaderlab.prediction.line_shares import LineShares

NOT_VALIDATED = Validation(None, None, None, "made up")


def forecast(target: str = "a", time_s: float = 1.0, **rest: object) -> Forecast:
    lines = LineShares([("", 3, 0.5), ("", 7, 0.25)])
    made = Forecast(target, time_s, time_s / 2, time_s * 2, "m", "b", NOT_VALIDATED, lines)
    return replace(made, **rest)  # type: ignore[arg-type]


times = st.floats(1e-6, 1.0)


@given(st.lists(times, min_size=1, max_size=5))
def test_times_and_bands_add_up(seconds: list[float]) -> None:
    passes = {str(n): [forecast(time_s=each)] for n, each in enumerate(seconds)}
    (frame,) = frame_forecasts(passes, dict.fromkeys(passes, 1))
    assert frame.time_s == pytest.approx(sum(seconds))
    assert frame.low_s == pytest.approx(sum(seconds) / 2)
    assert frame.high_s == pytest.approx(sum(seconds) * 2)
    assert sum(line.share for line in frame.lines) == pytest.approx(0.75)
    shares = [line.share for line in frame.lines]
    assert shares == sorted(shares, reverse=True)


def test_a_pass_drawn_on_six_faces_counts_six_times() -> None:
    passes = {"Cube A": [forecast(time_s=1.0)], "Image": [forecast(time_s=4.0)]}
    (frame,) = frame_forecasts(passes, {"Cube A": 6, "Image": 1})
    assert [frame.pass_s(name) for name in passes] == [6.0, 4.0]
    assert frame.time_s == pytest.approx(10.0)
    assert frame.lines[0].pass_name == "Cube A"
    assert frame.lines[0].share == pytest.approx(0.3)


def test_a_lower_bound_in_one_pass_leaves_the_frame_a_lower_bound() -> None:
    bound = forecast(time_s=1.0, status=Status.LOWER_BOUND)
    bound = replace(bound, time_s=None, high_s=None)
    (frame,) = frame_forecasts(
        {"A": [bound], "Image": [forecast(time_s=2.0)]}, {"A": 1, "Image": 1}
    )
    assert (frame.time_s, frame.high_s) == (None, None)
    assert frame.low_s == pytest.approx(1.5)
    assert frame.status is Status.LOWER_BOUND
    assert frame.lines == ()


def test_a_frame_without_all_of_its_draws_is_a_lower_bound_whose_change_is_in_seconds() -> None:
    def frame(*times: float, missing: int):
        passes = {str(n): [forecast(time_s=each)] for n, each in enumerate(times)}
        (found,) = frame_forecasts(passes, dict.fromkeys(passes, 1), missing)
        return found

    whole, part = frame(2.0, 4.0, missing=0), frame(1.5, missing=1)
    assert (whole.status, whole.time_s) == (Status.OK, 6.0)
    assert (part.status, part.time_s, part.high_s) == (Status.LOWER_BOUND, None, None)
    assert part.low_s == forecast(time_s=1.5).low_s
    assert part.warnings[0] == "A lower bound: 1 of 2 draws have no time."
    assert part.more_than(whole) == pytest.approx(-0.5), "the draw that both have"
    assert part.more_than(replace(whole, passes={}, draws={})) is None


def test_the_weakest_claim_and_the_outermost_domain_hold_for_the_frame() -> None:
    weak = forecast(status=Status.ESTIMATE, domain=Side.OUTSIDE)
    (frame,) = frame_forecasts({"A": [weak], "Image": [forecast()]}, {"A": 1, "Image": 1})
    assert (frame.status, frame.domain) == (Status.ESTIMATE, Side.OUTSIDE)


def test_targets_that_a_pass_lacks_are_left_out() -> None:
    passes = {"A": [forecast("a"), forecast("b")], "Image": [forecast("b")]}
    assert [each.target for each in frame_forecasts(passes, dict.fromkeys(passes, 1))] == ["b"]
