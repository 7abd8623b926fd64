"""Bounds of loops against loops carried out in 32-bit arithmetic."""

import operator
import struct
from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.spirv.analysis.trip_counts import _trips

COMPARE = {
    (1, False): operator.lt,
    (1, True): operator.le,
    (-1, False): operator.gt,
    (-1, True): operator.ge,
}
NEAR = st.one_of(
    st.integers(-40, 40),
    st.integers((1 << 31) - 40, (1 << 31) - 1),
    st.integers(-(1 << 31), -(1 << 31) + 40),
)


def wrapped(kind, value):
    value &= 0xFFFFFFFF
    return value - (1 << 32) if kind == "signed" and value >> 31 else value


def carried_out(kind, compare, start, limit, step, most=300):
    """Times the loop goes on; None if it is still going after `most`."""
    value = wrapped(kind, start)
    for trips in range(most):
        if not compare(value, wrapped(kind, limit)):
            return trips
        value = wrapped(kind, value + step)
    return None


@given(
    st.sampled_from(("signed", "unsigned")),
    st.sampled_from(sorted(COMPARE)),
    NEAR,
    NEAR,
    st.integers(0, 9),
    st.sampled_from((1, -1)),
)
def test_integers(kind, comparison, start, limit, step, sign):
    bits = [value & 0xFFFFFFFF for value in (start, limit, step)]
    bound = _trips(kind, *comparison, bits[0], bits[1], sign, bits[2])
    trips = carried_out(kind, COMPARE[comparison], start, limit, sign * step)
    if bound == inf:
        return
    if trips is None:
        assert bound >= 300
    else:
        assert bound == trips
    # What is not known can only make the bound larger.
    assert _trips(kind, *comparison, None, bits[1], sign, bits[2]) >= bound
    assert _trips(kind, *comparison, bits[0], None, sign, bits[2]) >= bound


FLOATS = st.floats(-100, 100, width=32)


@given(st.sampled_from(sorted(COMPARE)), FLOATS, FLOATS, st.floats(2**-5, 50, width=32))
def test_floats(comparison, start, limit, step):
    step *= comparison[0]
    bits = [struct.unpack("<I", struct.pack("<f", value))[0] for value in (start, limit, step)]
    bound = _trips("float", *comparison, *bits[:2], 1, bits[2])
    value, trips = np.float32(start), 0
    while COMPARE[comparison](value, np.float32(limit)) and trips < 10_000:
        value = value + np.float32(step)
        trips += 1
    assert trips <= bound


@pytest.mark.parametrize(
    ("start", "limit", "step"),
    [
        (0.0, 1.0, 0.0), (0.0, 1.0, -0.1), (0.0, inf, 1.0), (-inf, 0.0, 1.0), (0.0, 1.0, 1e-38),
        (nan, 1.0, 1.0), (0.0, nan, 1.0), (0.0, 1.0, nan), (0.0, 1.0, inf),
    ],
)  # fmt: skip
def test_floats_that_may_never_arrive(start, limit, step):
    bits = [struct.unpack("<I", struct.pack("<f", value))[0] for value in (start, limit, step)]
    assert _trips("float", 1, False, *bits[:2], 1, bits[2]) == inf
