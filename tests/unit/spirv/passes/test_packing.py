"""Fields do not overlap, hold their limits, and waste little."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.spirv.passes.packing import pack

LIMITS = st.lists(
    st.one_of(st.none(), st.integers(0, 3), st.integers(0, 300), st.integers(0, 0xFFFFFFFF)),
    max_size=70,
)


@given(LIMITS)
def test_every_counter_comes_back(limits):
    fields = pack(limits)
    words = np.zeros(1 + max((field.word for field in fields), default=-1), np.uint32)
    values = [0xFFFFFFFF if limit is None else limit for limit in limits]
    for field, value in zip(fields, values, strict=True):
        words[field.word] += np.uint32(value << field.shift)
    assert [int(field.read(words)) for field in fields] == values


@given(LIMITS)
def test_words_are_at_least_half_full(limits):
    fields = pack(limits)
    words = len({field.word for field in fields})
    assert sum(field.bits for field in fields) >= 32 * (words - 1) / 2


def test_what_runs_at_most_once_takes_one_bit():
    assert {field.word for field in pack([1] * 32)} == {0}
    assert [field.word for field in pack([None, 1, None])] == [0, 2, 1]
