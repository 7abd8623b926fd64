"""What of a compute shader runs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.errors import WrongUse
from shaderlab.scene.launch import Launch, local_constants, shown
from shaderlab.scene.launch_meanings import launch_meaning
from shaderlab.scene.meanings import Surroundings
from shaderlab.scene.size_rules import rule_of
from shaderlab.scene.uniforms import Uniforms
from shaderlab.spirv.value_types import Component, Numeric
from shaderlab.spirv.workgroup import Workgroup

AROUND = Surroundings(Uniforms(), (1024, 8))


def test_a_launch_in_numbers():
    launch = Launch((4, 2, 1), (8, 8, 1))
    assert (launch.invocations, launch.per_group, launch.global_size) == (512, 64, (32, 16, 1))
    assert (shown((8, 1, 1)), shown((8, 1, 2)), shown((1, 1, 1))) == (
        "8",
        "8 \u00d7 1 \u00d7 2",
        "1",
    )


def test_only_sides_that_a_constant_gives_can_be_chosen():
    own = Workgroup((64, 2, 1), (7, None, None))
    assert own.specialised({7: 32}) == (32, 2, 1)
    assert local_constants(own, (32, 2, 1), "a.comp") == {7: 32}
    with pytest.raises(WrongUse, match="local_size_y_id"):
        local_constants(own, (32, 4, 1), "a.comp")


@pytest.mark.parametrize(
    ("name", "expected"),
    [("n", 1024), ("P.numPoints", 1024), ("element_count", 1024), ("k", 4), ("stride", 4)],
)
def test_whole_numbers_bound_the_work_or_are_small(name, expected):
    means = launch_meaning(name, Numeric(Component.UINT))
    assert means is not None
    assert means.value(AROUND) == (expected,)
    assert not means.is_certain


@given(st.integers(0, 50), st.integers(-50, 50), st.integers(1, 30), st.integers(1, 30))
def test_a_line_is_found_and_a_bend_is_not(slope, start, first, step):
    sizes = [first, first + step, first + 3 * step]
    points = [(g, 0, slope * g + start) for g in sizes]
    rule = rule_of(points)
    assert rule is not None
    assert rule.elements(1000) == slope * 1000 + start
    assert rule_of([*points[:2], (sizes[2], 0, points[2][2] + 1)]) is None
