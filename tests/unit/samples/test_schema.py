"""Rows, and the derivations of the schema."""

from __future__ import annotations

import copy
import json
import re
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shaderlab.errors import InvalidSample
from shaderlab.samples import schema, validation
from shaderlab.samples.recording import identified
from shaderlab.samples.sample import Sample
from tests.unit.samples.builders import compiled, launched, sample, with_textures

ROW = schema.to_row(sample())


def test_a_row_and_its_json_give_the_sample_back() -> None:
    assert schema.from_row(ROW) == sample()
    assert schema.from_row(json.loads(json.dumps(ROW))) == sample()


def test_rows_without_textures_are_as_the_first_version_had_them() -> None:
    assert ROW["schema"] == 1
    assert "textures" not in ROW
    assert sample().id == "0a4861037149892ec78d0e3c4d0f06b404ede2b4b39708ad6a12d2f6993660df"


def test_textures_are_part_of_a_row_and_of_its_id() -> None:
    row = schema.to_row(with_textures())
    assert row["textures"][0]["filter"] == "mipmap"
    assert schema.from_row(json.loads(json.dumps(row))) == with_textures()
    assert with_textures().id != sample("textured").id


def test_a_launch_is_part_of_a_row_and_of_its_id() -> None:
    row = schema.to_row(launched())
    assert row["schema"] == 3
    assert row["launch"]["buffers"][0]["elements"] == 3072
    assert schema.from_row(json.loads(json.dumps(row))) == launched()
    assert launched().id != sample("launched").id


def test_a_compile_time_is_part_of_a_row_and_leaves_rows_without_one_as_they_are() -> None:
    row = schema.to_row(compiled())
    assert (row["schema"], row["timing"]["compile_s"]) == (4, 0.18)
    assert schema.from_row(json.loads(json.dumps(row))) == compiled()
    validation.check(compiled())
    assert "compile_s" not in ROW["timing"]
    with pytest.raises(InvalidSample, match="of version 4"):
        validation.check(identified(replace(compiled(), schema=3)))


def test_every_field_is_in_every_derivation() -> None:
    documented = schema.documentation()
    described = schema.json_schema()
    names = [field.name for field in fields(Sample)]
    assert list(described["properties"]) == names == schema.arrow_schema().names
    for name in names:
        assert f"| `{name}` |" in documented
    assert "| `trace.blocks[].operations` |" in documented


def test_the_json_schema_says_what_from_row_demands() -> None:
    timing = schema.json_schema()["properties"]["timing"]
    assert timing["properties"]["clock"]["enum"] == ["device", "cpu"]
    assert "time_s" in timing["required"]
    assert "floor_s" not in timing["required"]
    digest = schema.json_schema()["properties"]["program"]["properties"]["digest"]
    assert re.match(digest["pattern"], "0" * 64)
    assert not re.match(digest["pattern"], "0" * 65)


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        (("schema",), 5, "schema: 5 is above 4"),
        (("id",), "abc", "id: 'abc' does not look like"),
        (("program",), None, "program: is missing"),
        (("program", "words"), 4.5, "program.words: 4.5 is not of type integer"),
        (("program", "words"), True, "program.words: True is not of type integer"),
        (("program", "words"), 10**400, "program.words: 1000"),
        (("program", "dialect"), "metal", "program.dialect: 'metal' is not one of"),
        (("program", "dialect"), [], "program.dialect: list is not one of"),
        (
            ("program", "opcodes"),
            {"rm -rf": 1},
            "program.opcodes: 'rm -rf' is not a valid name here",
        ),
        (("program", "opcodes"), {"OpLoad": 0}, "program.opcodes: 0 is below 1"),
        (("program", "opcodes"), [("OpLoad", 1), ("OpLoad", 2)], "occurs twice"),
        (("program", "opcodes"), [("OpLoad", 1), 7], "is not a map"),
        (("program", "opcodes"), [("OpLoad", 1), ("OpStore", 1, 1)], "is not a map"),
        (("program", "opcodes"), "OpLoad", "is not a map"),
        (("program", "text"), "\ud800", "program.text: is not encodable"),
        (("inputs", "time_s"), float("nan"), "inputs.time_s: nan is not finite"),
        (("inputs", "width"), "64", "inputs.width: '64' is not of type integer"),
        (("inputs", "mouse"), [0.0] * 5, "inputs.mouse: 5 long"),
        (("timing", "trials_s"), "fast", "timing.trials_s: 'fast' is not a list"),
        (("timing", "trials_s"), [1.0, None], "timing.trials_s[1]"),
        (("trace", "blocks"), [{"count": 1}], "trace.blocks[0].operations: is missing"),
        (("device", "user"), "me", "device.user: no such field"),
    ],
)
def test_a_row_that_breaks_a_rule_is_refused_by_name(
    path: tuple[str, ...], value: Any, reason: str
) -> None:
    row = copy.deepcopy(ROW)
    inside = row
    for name in path[:-1]:
        inside = inside[name]
    inside[path[-1]] = value
    with pytest.raises(InvalidSample, match=re.escape(reason)):
        schema.from_row(row)


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.just("Op" + "x" * 5000),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=8,
)


def _places(row: Any, place: tuple = ()) -> list[tuple]:
    found = [place] if place else []
    children = (
        row.items() if isinstance(row, dict) else enumerate(row) if isinstance(row, list) else ()
    )
    for key, value in children:
        found += _places(value, (*place, key))
    return found


def _read(row: Any) -> Sample | InvalidSample:
    try:
        return schema.from_row(row)
    except InvalidSample as refused:
        return refused


PLACES = _places(ROW)


@given(place=st.sampled_from(PLACES), value=ANYTHING)
@example(place=("device",), value={"\n": None})
@example(place=("device",), value={"\x1b[2K\r0 rows refused": None})
@example(place=("device",), value={"\u202e": None})
@example(place=("device",), value={"\ud800": None})
def test_whatever_stands_in_a_field_the_row_is_read_or_refused(place: tuple, value: Any) -> None:
    row = copy.deepcopy(ROW)
    inside = row
    for key in place[:-1]:
        inside = inside[key]
    inside[place[-1]] = value
    answer = _read(row)
    if isinstance(answer, InvalidSample):
        assert str(answer).isprintable()
        assert len(str(answer)) < 300
    else:
        assert schema.from_row(schema.to_row(answer)) == answer


@given(ANYTHING)
def test_whatever_a_row_is_it_is_refused(value: Any) -> None:
    with pytest.raises(InvalidSample):
        schema.from_row(value)


def test_of_several_unknown_fields_the_first_by_name_is_told() -> None:
    with pytest.raises(InvalidSample, match=r"^aside: no such field in schema"):
        schema.from_row(ROW | {"zebra": 1, "aside": 1})
