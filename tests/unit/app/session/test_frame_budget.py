import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.app.session.frame_budget import LARGEST_DIVISOR, FrameBudget, LastChance, capped
from shaderlab.errors import DeviceLost, ShaderTimeout

SIDES = st.integers(1, 20_000)


def test_one_slow_frame_is_let_pass_and_two_are_not():
    budget = FrameBudget(0.5)
    assert not budget.spent(0.6)
    assert not budget.spent(0.1)
    assert not budget.spent(0.6)
    assert budget.spent(0.6)
    assert budget.size((800, 600)) == (400, 300)


def test_a_very_slow_frame_is_enough():
    budget = FrameBudget(0.5)
    assert budget.spent(1.5)
    assert budget.divisor == 2


def test_cheap_frames_grow_back_to_the_full_size():
    budget = FrameBudget(0.5)
    budget.spent(9.0)
    budget.spent(9.0)
    assert budget.divisor == 4
    assert budget.spent(0.01)
    assert budget.spent(0.01)
    assert not budget.spent(0.01)
    assert budget.size((801, 601)) == (801, 601)


@given(st.floats(0.001, 60.0))
def test_a_cost_in_step_with_the_pixels_settles(full_s):
    budget = FrameBudget(0.5)
    seen = []
    for _ in range(20):
        budget.spent(full_s / budget.divisor**2)
        seen.append(budget.divisor)
    assert len(set(seen[-10:])) == 1
    assert full_s / budget.divisor**2 <= 0.5 or budget.divisor == LARGEST_DIVISOR


def test_a_missed_deadline_leaves_smaller_sizes_to_try_but_not_for_ever():
    budget = FrameBudget()
    assert budget.missed()
    assert budget.missed()
    assert not budget.missed()
    assert budget.divisor == LARGEST_DIVISOR
    assert budget.size((100, 20)) == (16, 16)


@given(SIDES, SIDES, st.integers(64 * 64, 10_000_000))
def test_a_cap_keeps_the_shape(width, height, most):
    w, h = capped((width, height), most)
    if width * height <= most:
        assert (w, h) == (width, height)
    elif min(w, h) > 16:
        assert w * h <= most
        assert w / h == pytest.approx(width / height, rel=0.1)


def test_a_cap_takes_the_largest_size_of_that_shape_and_16_pixels_at_least():
    assert capped((1920, 1080), 500_000) == (942, 530)
    assert capped((1000, 4), 1000) == (500, 16)
    assert capped((4, 1000), 1000) == (16, 500)


def test_a_frame_that_missed_its_deadline_gets_one_smaller_try():
    budget = FrameBudget()
    chance = LastChance(budget)
    first = ShaderTimeout("took longer than its limit of 3 s").with_remedy("Raise the limit.")
    assert chance.explained(first) is first
    assert chance.taken(first, 3.0)
    assert (chance.limit_s, budget.divisor) == (1.0, 4)
    second = ShaderTimeout("took longer than its limit of 1 s")
    assert not chance.taken(second, 3.0)
    told = chance.explained(second)
    assert isinstance(told, ShaderTimeout)
    assert "limit of 3 s; a much smaller" in str(told)
    assert told.remedy == "Raise the limit."
    lost = DeviceLost("gone")
    assert chance.explained(lost) is lost
    chance.clear()
    assert chance.limit_s is None
    assert not chance.taken(lost, 3.0)


def test_there_is_no_smaller_try_at_the_smallest_size():
    budget = FrameBudget()
    chance = LastChance(budget)
    late = ShaderTimeout("late")
    assert chance.taken(late, 3.0)
    chance.clear()
    assert chance.taken(late, 3.0)
    assert budget.divisor == LARGEST_DIVISOR
    chance.clear()
    assert not chance.taken(late, 3.0)


def test_another_shader_begins_at_the_full_size_and_with_no_slow_frame():
    budget = FrameBudget(0.5)
    budget.missed()
    budget.spent(0.6)
    budget.reset()
    assert budget.size((800, 600)) == (800, 600)
    assert not budget.spent(0.6), "its first slow frame is let pass"


def test_exactly_the_budget_is_not_over_it():
    budget = FrameBudget(0.5)
    assert not any(budget.spent(0.5) for _ in range(5))
    assert not budget.spent(1.0), "exactly twice the budget is one slow frame"
    assert budget.spent(0.51)


def test_a_finer_size_is_taken_with_half_as_much_again_to_spare():
    for seconds, finer in ((0.083, True), (0.084, False)):  # 4 times the pixels, 1.5 times 0.33 s
        budget = FrameBudget(0.5)
        budget.missed()
        assert budget.spent(seconds) is finer
        assert budget.divisor == (2 if finer else 4)
