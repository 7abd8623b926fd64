from __future__ import annotations

import pytest

from shaderlab.prediction.units import human_time


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0 s"),
        (4.1419e-3, "4.14 ms"),
        (-1.64e-5, "-16.4 µs"),
        (9.996e-4, "1 ms"),
        (9.99e-4, "999 µs"),
        (1.0, "1 s"),
        (123.4, "123 s"),
        (3.2e-9, "3.2 ns"),
        (5e-13, "0.0005 ns"),
    ],
)
def test_three_digits_and_the_unit_that_fits(seconds, text):
    assert human_time(seconds) == text
