"""What leaves the machine, told before it does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shaderlab.errors import WrongUse
from shaderlab.samples import schema
from shaderlab.samples.recording import identified
from shaderlab.samples.review import NOTHING, SourceReview, review, without, without_sources
from shaderlab.samples.sample import Sample
from shaderlab.samples.schema import Kind
from shaderlab.samples.validation import check
from tests.unit.samples.builders import sample


def shared(name: str, text: str) -> Sample:
    made = sample(name)
    return replace(made, program=replace(made.program, text=text, license="MIT"))


def paths(record: type, place: str = "") -> list[str]:
    found = []
    for column in schema.columns(record):
        path = f"{place}.{column.name}" if place else column.name
        found.append(path)
        if column.record is not None:
            into = f"{path}[]" if column.kind is Kind.LIST else path
            found += paths(column.record, into)
    return found


def test_every_field_of_the_schema_has_its_line():
    found = review([sample("a")])
    assert [field.path for field in found.fields] == paths(Sample)
    assert all(field.holds and field.meaning for field in found.fields)


def test_values_are_told():
    one = sample("a")
    other = replace(sample("b"), device=replace(one.device, clocks="unlocked (auto)"))
    found = review([one, other])
    told = {field.path: field.holds for field in found.fields}
    assert told["device.name"] == one.device.name
    assert told["device.clocks"] == f"unlocked (auto); {NOTHING} in 1"
    assert told["inputs.width"] == "64"
    assert told["timing.trials_s"] == "3 numbers each, 0.01 to 0.011"
    assert told["timing.rejected"] == "empty"
    assert told["program.collection"] == "made-up"
    assert told["program.opcodes"].startswith("3 names with a number each: OpFMul, OpLoad, OpRet")
    assert told["program.text"] == told["program.license"] == NOTHING
    assert told["trace.blocks"] == "4 records"
    assert (found.samples, found.programs, found.devices) == (2, 2, {one.device.name: 2})
    assert found.sources == ()


def test_many_different_texts_are_counted():
    found = review([sample(f"shader-{n}") for n in range(5)])
    told = {field.path: field.holds for field in found.fields}
    assert told["program.id"] == "5 different, such as shader-0"


def test_sources_are_shown_in_full_and_once():
    text = "void mainImage(out vec4 c, in vec2 p) { c = vec4(1.0); }\n" * 100
    one, again = shared("a", text), replace(shared("a", text), date="2026-02-01")
    found = review([one, again, sample("b")])
    assert found.sources == (SourceReview(one.program.digest, "MIT", text),)
    told = {field.path: field.holds for field in found.fields}
    assert told["program.text"] == f"2 texts, {2 * len(text):,} characters; {NOTHING} in 1"


def test_left_out_sources_are_gone_and_the_sample_is_the_same():
    with_text = shared("a", "secret")
    plain = without_sources(with_text)
    assert plain.id == with_text.id
    check(plain)
    assert "secret" not in repr(review([plain]))
    assert "secret" not in repr(schema.to_row(plain))


def test_nothing_to_review():
    assert {field.holds for field in review([]).fields} == {NOTHING}


def test_a_value_of_120_characters_is_whole_and_a_longer_one_ends_in_an_ellipsis():
    one = sample("a")
    for length, shown in ((120, "x" * 120), (121, "x" * 120 + "\u2026")):
        named = replace(one, device=replace(one.device, clocks="x" * length))
        told = {field.path: field.holds for field in review([named]).fields}
        assert told["device.clocks"] == shown


def test_a_field_that_its_owner_refuses_is_nowhere():
    made = sample("a")
    made = identified(
        replace(made, schema=4, timing=replace(made.timing, compile_s=0.1),
                device=replace(made.device, clocks="1 GHz"))
    )  # fmt: skip
    for field in ("device.clocks", "timing.compile_s"):
        (without_it,) = without([made], field)
        check(without_it)
        held = {each.path: each.holds for each in review([without_it]).fields}
        assert held[field] == NOTHING
        assert without_it.id != made.id
    for needed in (
        "device.name",
        "date",
        "program.id",
        "nothing",
        "device.nothing",
        "trace.device",
    ):
        with pytest.raises(WrongUse, match=rf"^{needed} cannot be left out: "):
            without([made], needed)
