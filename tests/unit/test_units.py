from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab import units


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.00414, "4.14 ms"),
        (1.64e-5, "16.4 µs"),
        (2.0, "2.00 s"),
        (0.9999, "1.00 s"),
        (250e-9, "250 ns"),
        (0.0, "0 s"),
        (123.4, "123 s"),
        (math.nan, "n/a"),
    ],
)
def test_seconds(value: float, text: str) -> None:
    assert units.seconds(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (999, "999"), (786432, "786 k"), (24137957376, "24.1 G"), (1.5, "1.50")],
)
def test_count(value: float, text: str) -> None:
    assert units.count(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.41, "41 %"),
        (0.073, "7.3 %"),
        (0.0102, "1.0 %"),
        (0.0025, "0.25 %"),
        (0.0996, "10 %"),
        (0.0, "0 %"),
    ],
)
def test_percent(value: float, text: str) -> None:
    assert units.percent(value) == text


@given(st.floats(1e-9, 1e4))
def test_seconds_round_to_three_digits(value: float) -> None:
    number, unit = units.seconds(value).split()
    back = float(number) * {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}[unit]
    assert math.isclose(back, value, rel_tol=0.0051)


@given(st.integers(0, 10**15))
def test_counts_round_to_three_digits(value: int) -> None:
    number, unit = re.fullmatch(r"([\d.]+) ?([kMGT]?)", units.count(value)).groups()
    back = float(number) * {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}[unit]
    assert math.isclose(back, value, rel_tol=0.0051)


def test_changes_carry_their_sign_and_leave_out_noise():
    assert units.change(1.12, 1.0) == "+12 %"
    assert units.change(0.5, 1.0) == "\u221250 %"
    assert units.change(1.0005, 1.0) == ""


def test_thousands_are_grouped() -> None:
    assert units.grouped(999) == "999"
    assert units.grouped(1234567.4) == "1,234,567"
