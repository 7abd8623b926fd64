"""Reads of uninitialised values, in compiled shaders whose executed blocks are named by hand."""

from __future__ import annotations

import pytest

from shaderlab.frontend.compiler import compile_text
from shaderlab.spirv.analysis.uninitialised import uninitialised_reads
from shaderlab.spirv.source_lines import instruction_lines

PRELUDE = 0
"""Where the prelude reads the colour to put it out."""
HEAD = "void mainImage(out vec4 fragColor, in vec2 fragCoord)\n{\n"


def lines(text: str, skip: set[str] = frozenset()) -> list[int]:
    """Lines with such reads where every block ran, but those on whose line a word of `skip` is."""
    program = compile_text(text, "made-for-the-test", None)
    module = program.module
    at = instruction_lines(module)
    rows = text.splitlines()
    ran = set()
    for function in module.functions:
        for block in function.blocks:
            places = {at.at(i) for i in range(block.first, block.last + 1)} - {None}
            words = {word for place in places for word in skip if word in rows[place.line - 1]}
            if not words:
                ran.add((function.id, block.label))
    places = map(at.at, uninitialised_reads(module, program.entry_point, ran))
    return sorted({PRELUDE if place is None else place.line for place in places})


def body(*statements: str) -> str:
    """A shader whose statements start on line 3."""
    return HEAD + "\n".join(statements) + "\n}\n"


@pytest.mark.parametrize(
    "statements",
    [
        ("vec3 a = vec3(1.0);", "fragColor = vec4(a, 1.0);"),
        ("float a;", "if (fragCoord.x > 1.0) a = 1.0;", "fragColor = vec4(a);"),
        ("float a;", "for (int i = 0; i < 3; i++) a = float(i);", "fragColor = vec4(a);"),
        ("vec3 a;", "a.x = 1.0;", "fragColor = vec4(a, 1.0);"),
        ("fragColor = vec4(1.0);", "fragColor.x += 1.0;"),
        ("fragColor.x = 1.0;",),
    ],
)
def test_what_some_path_wrote_first_is_no_finding(statements):
    assert lines(body(*statements)) == []


def test_a_variable_nothing_wrote():
    assert lines(body("float a;", "fragColor = vec4(a);")) == [4]


def test_a_sum_that_never_started_is_found_in_its_loop():
    text = body("float a;", "for (int i = 0; i < 3; i++)", "a += float(i);", "fragColor = vec4(a);")
    assert lines(text) == [5]


def test_the_output_is_handed_in_unwritten():
    assert lines(body("fragColor -= fragColor;")) == [3]


def test_globals_hold_nothing_until_written():
    declared = "float g;\nvoid set() { g = 1.0; }\n"
    assert lines(declared + body("fragColor = vec4(g);")) == [5]
    assert lines(declared + body("set();", "fragColor = vec4(g);")) == []
    assert lines("float g = 2.0;\n" + body("fragColor = vec4(g);")) == []


def test_arguments_are_followed_into_functions_and_back():
    add = "void add(inout float x) { x += 1.0; }\n"
    write = "void put(out float x) { x = 1.0; }\n"
    assert lines(add + body("float a;", "add(a);", "fragColor = vec4(a);"))[0] == 5
    assert lines(write + body("float a;", "put(a);", "fragColor = vec4(a);")) == []
    assert lines(add + body("float a = 0.0;", "add(a);", "fragColor = vec4(a);")) == []


def test_a_function_is_judged_by_each_call():
    text = "float twice(inout float x) { return 2.0 * x; }\n" + body(
        "float a = 1.0;", "float b;", "fragColor = vec4(twice(a) + twice(b));"
    )
    assert lines(text) != []


def test_blocks_that_did_not_run_neither_read_nor_write():
    text = body("float a;", "if (fragCoord.x < 0.0)", "fragColor = vec4(a);  // never")
    assert lines(text) == [5]
    assert lines(text, skip={"never"}) == [PRELUDE]
    text = body("float a;", "if (fragCoord.x < 0.0)", "a = 1.0;  // never", "fragColor = vec4(a);")
    assert lines(text) == []
    assert lines(text, skip={"never"}) == [6]
