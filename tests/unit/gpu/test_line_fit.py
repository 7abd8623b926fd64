from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.gpu.line_fit import line_through


@given(
    st.lists(st.integers(1, 10**7), min_size=2, max_size=8, unique=True),
    st.floats(1e-12, 1.0),
    st.floats(0.0, 10.0),
)
def test_times_on_a_line_give_that_line(amounts, slope, intercept):
    line = line_through(amounts, [intercept + slope * n for n in amounts])
    assert line.deviation < 1e-6
    if intercept < 1e6 * slope * min(amounts):  # else the slope drowns in rounding
        assert line.slope_s == pytest.approx(slope, rel=1e-6)


def test_every_amount_counts_alike():
    """An absolute fit would follow the long time and miss the short ones by half."""
    line = line_through([1, 2, 100], [1.0, 2.0, 110.0])
    assert abs((line.intercept_s + line.slope_s) - 1.0) < 0.1
    assert line.deviation == pytest.approx(
        np.max(np.abs((line.intercept_s + line.slope_s * np.array([1, 2, 100])) / [1, 2, 110] - 1))
    )


def test_a_dropped_draw_is_no_line():
    assert line_through([4, 8, 16], [1.0, 1.0, 1.9]).deviation > 0.05


@pytest.mark.parametrize("seconds", [[1.0, 0.0], [1.0, -1.0]])
def test_no_line_through_impossible_times(seconds):
    with pytest.raises(ValueError, match="line"):
        line_through([1, 2], seconds)


def test_no_line_through_one_amount():
    with pytest.raises(ValueError, match="two amounts"):
        line_through([3, 3], [1.0, 2.0])
