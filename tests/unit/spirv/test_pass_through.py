"""The vertex shader that hands on varyings: valid, and with the interface asked for."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.spirv.grammar import ExecutionModel
from shaderlab.spirv.module import Module
from shaderlab.spirv.pass_through import ENTRY_POINT, pass_through
from shaderlab.spirv.reflection import entry_point, reflect
from shaderlab.spirv.value_types import Component, Numeric
from shaderlab.spirv.varyings import Varying

KINDS = st.sampled_from([Component.FLOAT, Component.INT, Component.UINT])


@st.composite
def varyings(draw) -> tuple[Varying, ...]:
    found = []
    for location in draw(st.lists(st.integers(0, 14), unique=True, max_size=9)):
        kind, first = draw(KINDS), 0
        while first < 4 and draw(st.booleans()):
            rows = draw(st.integers(1, 4 - first))
            place = location, Numeric(kind, rows=rows), first
            read = draw(st.booleans())
            found.append(Varying(f"v{len(found)}", *place, is_read=read))
            first += rows
    return tuple(found)


@given(varyings())
def test_every_varying_is_written_with_its_type_and_place(asked: tuple[Varying, ...]) -> None:
    made = pass_through(asked)
    module = Module.parse(made.spirv)
    entry = entry_point(module, ENTRY_POINT, ExecutionModel.Vertex)
    assert entry is not None
    interface = reflect(module, entry)
    assert made.locations == tuple(sorted({each.location for each in asked if each.is_read}))
    assert [each.location for each in interface.varyings] == list(range(len(made.locations) + 1))
    assert all(each.type.rows == 4 for each in interface.varyings)
    assert {each.location for each in interface.outputs} == {each.location for each in asked}
    assert "Position" in interface.builtins


@pytest.mark.skipif(shutil.which("spirv-val") is None, reason="spirv-val is not installed")
def test_the_validator_accepts_it(tmp_path: Path) -> None:
    asked = (
        Varying("uv", 2, Numeric(Component.FLOAT, rows=2)),
        Varying("more", 2, Numeric(Component.FLOAT), 3),
        Varying("whole", 5, Numeric(Component.INT, rows=3)),
        Varying("natural", 7, Numeric(Component.UINT, rows=4)),
        Varying("bits", 7, Numeric(Component.INT), 1),
    )
    wide = (
        Varying("exact", 9, Numeric(Component.FLOAT, 64, 3)),
        Varying("first", 11, Numeric(Component.UINT, 64)),
        Varying("second", 11, Numeric(Component.INT, 64), 2),
        Varying("unread", 12, Numeric(Component.FLOAT, 64), is_read=False),
    )
    half = (
        Varying("rough", 1, Numeric(Component.FLOAT, 16, 3)),
        Varying("short", 4, Numeric(Component.INT, 16)),
    )
    path = tmp_path / "pass.spv"
    for kinds in ((), asked[:4], asked[:1], (*asked[:4], *wide), half):
        path.write_bytes(pass_through(kinds).spirv)
        subprocess.run(["spirv-val", "--target-env", "vulkan1.0", path], check=True)
