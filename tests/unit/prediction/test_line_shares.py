from __future__ import annotations

import pickle

from hypothesis import given
from hypothesis import strategies as st

from shaderlab.prediction.line_shares import LineShare, LineShares

PARTS = st.lists(
    st.tuples(
        st.sampled_from(["", "noise.glsl", "lib/f.glsl"]),
        st.integers(1, 2**31 - 1),
        st.floats(0, 1),
    ),
    max_size=40,
)


@given(PARTS, st.slices(40))
def test_they_are_the_parts_they_were_made_of(parts, some):
    shares = LineShares(parts)
    whole = [LineShare(*part) for part in parts]
    assert list(shares) == whole
    assert len(shares) == len(whole)
    assert [shares[i] for i in range(-len(parts), len(parts))] == whole + whole
    assert shares[some] == tuple(whole[some])
    assert shares.total == min(sum(part[2] for part in parts), 1.0)


@given(PARTS, PARTS)
def test_equal_ones_are_equal_wherever_they_were_sent(parts, others):
    shares = LineShares(parts)
    sent = pickle.loads(pickle.dumps(shares))
    assert sent == shares
    assert hash(sent) == hash(shares)
    assert (LineShares(others) == shares) == (others == parts)


def test_thousands_of_lines_are_sent_as_columns():
    shares = LineShares(("", line, 1e-4) for line in range(1, 9001))
    assert len(pickle.dumps(shares)) < 9000 * 17


@given(PARTS, st.floats(0.0, 2.0))
def test_scaled_ones_are_over_the_same_lines(parts, factor):
    found = LineShares(parts).scaled(factor)
    assert [each.share for each in found] == ([p[2] * factor for p in parts] if factor else [])
    assert not factor or [each.line for each in found] == [p[1] for p in parts]
    assert pickle.loads(pickle.dumps(found)) == found
