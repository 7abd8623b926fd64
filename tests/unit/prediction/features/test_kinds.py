"""Names of kinds, and counting by those that are known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.prediction.features.kinds import (
    OTHER,
    coarser,
    nearest,
    operation_table,
    priced_kinds,
)

names = st.builds(
    lambda level, name, more: ":".join([level, name, *more]),
    st.sampled_from(("varying", "constant")),
    st.sampled_from(("OpFMul", "Sin")),
    st.lists(st.sampled_from(("constant", "unrolled", "part")), max_size=3),
)


def test_coarser_kinds_come_nearest_first():
    assert list(coarser("constant:OpLoad:part:looped")) == [
        "constant:OpLoad:part",
        "constant:OpLoad",
    ]
    assert not list(coarser("varying:Sin"))
    assert not list(coarser(OTHER))


def test_a_kind_stands_for_itself_else_for_the_nearest_that_is_known():
    known = {"varying:OpFMul", "varying:OpFMul:constant"}
    assert nearest("varying:OpFMul:constant", known) == "varying:OpFMul:constant"
    assert nearest("varying:OpFMul:constant:looped", known) == "varying:OpFMul:constant"
    assert nearest("varying:OpFMul:reciprocal", known) == "varying:OpFMul"
    assert nearest("uniform:OpFMul", known) is None


def test_what_is_not_known_counts_as_the_rest_or_not_at_all():
    row = {"varying:Sin": 3.0, "varying:Sin:odd": 2.0, "varying:Cos": 5.0}
    np.testing.assert_array_equal(operation_table([row], ["varying:Sin", OTHER]), [[5.0, 5.0]])
    np.testing.assert_array_equal(operation_table([row], ["varying:Sin"]), [[5.0]])


def test_rare_kinds_are_priced_as_the_coarser_kind_and_rare_ones_of_those_as_the_rest():
    sines = [{"varying:Sin:part": 1.0}, {"varying:Sin:looped": 1.0}, {"varying:Sin": 2.0}]
    others = [{"varying:Cos": 1.0}, {"constant:Cos": 1.0}, {"uniform:Tan": 1.0, "varying:Tan": 0.0}]
    assert priced_kinds([*sines, *others], 3) == (OTHER, "varying:Sin")
    assert priced_kinds([*sines, *others[:2]], 3) == ("varying:Sin",)


@given(
    st.lists(st.dictionaries(names, st.floats(0, 1e9), max_size=6), max_size=4),
    st.sets(names, max_size=5),
)
def test_every_operation_counts_once(rows, known):
    counted = operation_table(rows, [*sorted(known), OTHER])
    assert counted.shape == (len(rows), len(known) + 1)
    assert counted.sum(axis=1) == pytest.approx([sum(row.values()) for row in rows])
