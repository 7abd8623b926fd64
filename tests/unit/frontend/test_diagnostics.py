"""glslang's printed messages -> diagnostics."""

import pytest

from shaderlab.frontend import diagnostics, wording
from shaderlab.frontend.includes import Expansion
from shaderlab.frontend.program import Severity

TEXT = """\
void f() {
    int count = 1.0;
    x = missing * missing; // missing
}
"""


def expansion(text=TEXT, **files):
    return Expansion(text, {"document": text, **files}, (), ("the file was not found",))


def parsed(output, text=TEXT):
    found = diagnostics.parse(output, expansion(text))
    return [(d.line, d.column, d.message) for d in found]


def test_columns_are_found_by_the_quoted_token_in_code():
    output = (
        "ERROR: document:2: '=' :  cannot convert from ' const float' to ' temp highp int'\n"
        "ERROR: document:3: 'missing' : undeclared identifier \n"
        "ERROR: document:4: '' :  syntax error, unexpected RIGHT_BRACE, "
        "expecting COMMA or SEMICOLON\n"
    )
    assert parsed(output) == [
        (2, 15, "cannot convert float to int"),
        (3, 9, "'missing' is not declared"),
        (4, 1, "unexpected '}', expected ',' or ';'"),
    ]


def test_columns_glslang_tells_are_taken():
    assert parsed("ERROR: document:3:19: 'missing' : undeclared identifier ")[0][1] == 19


def test_repetitions_summaries_and_consequences_are_dropped():
    output = (
        "stdin\n"
        "ERROR: document:3: 'missing' : undeclared identifier \n"
        "ERROR: document:3: 'missing' : undeclared identifier \n"
        "ERROR: document:3: '=' :  cannot convert from ' temp float' to ' temp int'\n"
        "ERROR: document:3: '' : compilation terminated \n"
        "ERROR: 3 compilation errors.  No code generated.\n\n\n"
        "ERROR: Linking fragment stage: No function definition (body) found: \n"
        "    mainImage(vf4;vf2;\n\n"
        "SPIR-V is not generated for failed compile or link\n"
    )
    assert parsed(output) == [(3, 9, "'missing' is not declared")]


def test_a_reserved_word_is_reported_without_the_end_of_file_it_causes():
    output = (
        "ERROR: document:2: 'half' : Reserved word. \n"
        "ERROR: document:5: '' :  syntax error, unexpected end of file, expecting LEFT_PAREN\n"
    )
    assert parsed(output) == [(2, 5, "'half' is a reserved word")]


def test_the_order_is_the_text_s():
    text = 'int a;\n#line 1 "b"\nint q;\nint r;\n#line 3 "document"\nint c;'
    output = "".join(
        f"ERROR: {place}: 'q' : redefinition \n"
        for place in ("document:3", "b:2", "document:1", "b:1")
    )
    found = diagnostics.parse(
        output, Expansion(text, {"document": "int a;\n\nint c;", "b": "int q;\nint r;"}, (), ())
    )
    assert [(d.file, d.line) for d in found] == [("", 1), ("b", 1), ("b", 2), ("", 3)]


def test_a_file_name_may_hold_colons():
    output = "ERROR: a:3: b:1: 'q' : redefinition \n"
    (found,) = diagnostics.parse(
        output, Expansion("", {"document": "", "a:3: b": "int q;"}, (), ())
    )
    assert (found.file, found.line, found.column) == ("a:3: b", 1, 5)


def test_warnings_keep_their_severity():
    (found,) = diagnostics.parse("WARNING: document:1: '#define' : names are odd", expansion())
    assert found.severity is Severity.WARNING


def test_a_failed_include_says_why_at_its_line():
    (found,) = diagnostics.parse(
        "ERROR: document:2: '#error' : shaderlab_include_fault 0  ",
        expansion('a\n  #include "gone"'),
    )
    assert (found.line, found.column, found.message) == (2, 4, "the file was not found")


def test_a_character_outside_ascii_is_named_once():
    output = "ERROR: document:1: '\ufffd' : unexpected token \n" * 2
    (found,) = diagnostics.parse(output, expansion("/* é */ float ü;"))
    assert found.column == 15
    assert "'ü' (U+00FC)" in found.message


def test_the_end_of_the_text_is_where_its_last_code_stands():
    text = "void f() {\n  a();\n\n// done\n"
    output = "ERROR: document:5: '' :  syntax error, unexpected end of file\n"
    ((line, column, message),) = parsed(output, text)
    assert (line, column) == (2, 3)
    assert message.startswith("unexpected end of the file")


@pytest.mark.parametrize(
    ("message", "text", "line", "says"),
    [
        (
            "No function definition (body) found: \n    mainImage(vf4;vf2;",
            "float f;",
            0,
            "missing mainImage: write void mainImage(",
        ),
        (
            "No function definition (body) found: \n    mainImage(vf4;vf2;",
            "\nvec4 mainImage(vec2 p)",
            2,
            "mainImage has the wrong signature: write",
        ),
        ("No function definition (body) found: \n    g(f1;", "\nfloat g(float x);", 2, "'g' is"),
        ("Recursion detected:\n    f(f1; calling f(f1;", "\n\nfloat f(float", 3, "calls itself"),
        ("Recursion detected:\n    f(f1; calling g(f1;", "float f(float", 1, "calls 'g', which"),
        ("Missing entry point: Each stage requires one entry point", "", 0, "missing main"),
        ("something new", "", 0, "something new"),
    ],
)
def test_link_errors_say_what_to_do(message, text, line, says):
    ((at, _, words),) = parsed(f"ERROR: Linking fragment stage: {message}\n", text)
    assert at == line
    assert says in words


def test_a_body_that_runs_on_into_what_follows_it_lacks_its_end():
    output = "ERROR: prelude:1: '' :  syntax error, unexpected LEFT_PAREN, expecting SEMICOLON\n"
    assert parsed(output, "void f() {\n  a();\n\n") == [
        (2, 3, "unexpected end of the file: a bracket or a semicolon is missing")
    ]


def test_errors_in_the_prelude_belong_to_the_whole_document():
    assert parsed("ERROR: prelude:9: 'x' : redefinition ") == [(0, 0, "'x' is already defined")]


def test_a_flood_is_bounded():
    text = "\n".join(f"x{n};" for n in range(1000))
    output = "".join(
        f"ERROR: document:{n + 1}: 'x{n}' : undeclared identifier\n" for n in range(1000)
    )
    assert len(parsed(output, text)) == diagnostics.MAX_DIAGNOSTICS


@pytest.mark.parametrize(
    ("described", "name"),
    [
        (" temp highp 3-component vector of float", "vec3"),
        (" const 2-component vector of int", "ivec2"),
        (" uniform lowp 4-component vector of bool", "bvec4"),
        (" temp highp 2X2 matrix of float", "mat2"),
        (" temp 3X4 matrix of float", "mat3x4"),
        (" const 3-element array of float", "float[3]"),
        (" temp 2-element array of highp 2-component vector of float", "vec2[2]"),
        (" const uint", "uint"),
    ],
)
def test_types_are_named_as_in_glsl(described, name):
    assert wording.type_name(described) == name


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (
            "'' :  syntax error, unexpected IDENTIFIER, expecting LEFT_PAREN or IDENTIFIER",
            "unexpected identifier, expected '(' or an identifier",
        ),
        ("'f' : no matching overloaded function found ", "no function 'f' takes these arguments"),
        (
            "'+' :  wrong operand types: no operation '+' exists that takes a left-hand operand of "
            "type ' const int' and a right operand of type ' const float' "
            "(or there is no acceptable conversion)",
            "no operation '+' between int and float",
        ),
        (
            "'!' :  wrong operand type no operation '!' exists that takes an operand of type  "
            "const float (or there is no acceptable conversion)",
            "no operation '!' on float",
        ),
        ("'assign' :  l-value required \"k\" (can't modify a const)", "cannot assign to k"),
        ("'#' : invalid directive: foo", "unknown directive #foo"),
        (
            "'preprocessor evaluation' : undefined macro in expression not allowed in es profile N",
            "macro 'N' is not defined",
        ),
        ("'comment' : End of input in comment ", "a comment is never closed"),
        ("'thing' : some words of a newer compiler", "'thing': some words of a newer compiler"),
    ],
)
def test_messages_read_like_sentences(message, words):
    assert wording.readable(message) == words
