"""Local sizes that are compared, and what a compute unit holds of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.errors import UnsupportedShader, WrongUse
from shaderlab.frontend.compiler import compile_text
from shaderlab.gpu.compilers.compiled import CompiledStats, Executable, Statistic
from shaderlab.gpu.compilers.families import named
from shaderlab.scene.draw import Draw
from shaderlab.studies.occupancy import held, local_sizes, occupancy, of_local, slots

BODY = """\
layout(binding = 0) buffer B { float b[]; };
void main() { b[gl_LocalInvocationIndex] = 1.0; }"""


def kernel(layout: str) -> Draw:
    return Draw(compile_text(f"#version 450\nlayout({layout}) in;\n{BODY}", "a.comp", None))


def test_open_sides_are_doubled_by_turns():
    one = kernel("local_size_x = 64, local_size_x_id = 0")
    assert local_sizes(one, (32, 128, 48)) == (((32, 1, 1), (128, 1, 1), (48, 1, 1)), "")
    both = "local_size_x = 8, local_size_y = 8, local_size_x_id = 0, local_size_y_id = 1"
    sizes, _ = local_sizes(kernel(both), (32, 64, 100))
    assert sizes == ((8, 4, 1), (8, 8, 1))
    fixed = kernel("local_size_x = 16")
    sizes, note = local_sizes(fixed)
    assert sizes == ((16, 1, 1),)
    assert "fixes the local size at 16" in note


def test_a_fragment_shader_has_none():
    program = compile_text("void main() { gl_FragColor = vec4(1.0); }", "a.frag", None)
    with pytest.raises(WrongUse, match="not a compute shader"):
        local_sizes(Draw(program))


def test_another_local_size_covers_as_many_invocations():
    draw = kernel("local_size_x = 64, local_size_x_id = 0")
    other = of_local(draw, (256, 1, 1))
    assert other.launch.invocations == draw.launch.invocations
    assert other.launch_constants[0] == (256).to_bytes(4, "little")


def test_slots_are_those_of_the_architecture():
    found = {name: slots(named(name)[0]) for name in ("polaris10", "vega10", "navi10", "navi23")}
    assert found == {"polaris10": 8, "vega10": 10, "navi10": 20, "navi23": 16}


@given(st.integers(1, 32), st.integers(0, 1 << 16), st.integers(1, 20), st.sampled_from((2, 4)))
def test_a_unit_never_holds_more_than_it_has(subgroups, shared, room, simds):
    found = held(subgroups, shared, room, simds)
    assert found <= room
    groups = found * simds / subgroups
    assert groups == int(groups)
    assert groups * shared <= 1 << 16
    assert shared == 0 or held(subgroups, 0, room, simds) >= found
    assert subgroups == 1 or groups <= 16


def test_shared_memory_limits_what_is_resident():
    assert held(1, 4096, 16, 2) == 8
    assert held(16, 1 << 16, 16, 2) == 8
    assert held(16, 0, 16, 2) == 16


def test_barriers_limit_workgroups_of_more_than_one_wave():
    assert held(2, 0, 10, 4) == 8, (
        "GCN 5: 16 workgroups of two waves, not the 20 there are slots for"
    )
    assert held(2, 0, 20, 2) == 16, "RDNA: 16 of 20"
    assert held(1, 0, 20, 2) == 20, "one wave needs no barrier"
    assert held(4, 0, 10, 4) == 10, "ten workgroups have barriers enough"


def test_a_workgroup_that_does_not_fit_as_a_whole_leaves_slots_empty():
    assert held(3, 0, 8, 4) == 7.5, "ten workgroups of three waves in 32 slots"
    assert held(16, 0, 4, 2) == 0, "16 waves have no room on a unit with room for eight"


def test_a_refused_size_does_not_end_the_others():
    draw = kernel("local_size_x = 64, local_size_x_id = 0")
    family = named("navi23")[0]

    def ask(constants):
        side = int.from_bytes(constants[0], "little")
        if side > 64:
            raise UnsupportedShader("too large")
        statistics = (Statistic("Subgroups per SIMD", 32), Statistic("LDS size", 64 * side))
        return CompiledStats(
            "navi23", "", family.vendor, "", (Executable("", 64, statistics),), 0.0, 0.0
        )

    sizes, note = local_sizes(draw, (32, 64, 128))
    found = occupancy(draw, family, sizes, note, ask)
    assert [(row.local[0], row.resident, row.idle) for row in found.rows] == [
        (32, 16.0, 0.5),
        (64, 8.0, 0.0),
    ]
    assert dict(found.problems) == {"128": "too large"}
    assert found.best is not None
    assert found.best.local == (32, 1, 1)
