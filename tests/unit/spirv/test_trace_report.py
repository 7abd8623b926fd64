"""LCOV and annotated text of a trace put together by hand."""

from dataclasses import replace

from shaderlab.spirv.trace import BlockCount, SourceLine, Trace
from shaderlab.spirv.trace_report import annotate, lcov


def block(function, name, label, count, lines):
    at = {SourceLine(file, line): n for file, line, n in lines}
    return BlockCount(
        function=function,
        function_name=name,
        label=label,
        count=count,
        lines=tuple(at),
        opcodes={"OpFAdd": sum(at.values()), "OpReturn": 1},
        line_instructions=at,
    )


TRACE = Trace(
    device="llvmpipe",
    size=(8, 4),
    time_s=1.0,
    frame=1,
    blocks=(
        block(1, "main", 10, 32, []),
        block(2, "mainImage", 20, 32, [("", 3, 4)]),
        block(2, "mainImage", 21, 0, [("", 4, 2)]),
        block(2, "mainImage", 22, 96, [("", 3, 1), ("", 5, 2)]),
        block(3, "noise", 30, 96, [("lib.glsl", 2, 3)]),
        block(4, "noise", 40, 0, [("lib.glsl", 7, 1)]),
    ),
    slowdown=1.0,
)


def test_lcov():
    assert lcov(TRACE, "shader.frag").splitlines() == [
        "TN:",
        "SF:shader.frag",
        "FN:3,mainImage",
        "FNDA:32,mainImage",
        "FNF:1",
        "FNH:1",
        "DA:3,96",
        "DA:4,0",
        "DA:5,96",
        "LF:3",
        "LH:2",
        "end_of_record",
        "TN:",
        "SF:lib.glsl",
        "FN:2,noise",
        "FN:7,noise:7",
        "FNDA:96,noise",
        "FNDA:0,noise:7",
        "FNF:2",
        "FNH:1",
        "DA:2,96",
        "DA:7,0",
        "LF:2",
        "LH:1",
        "end_of_record",
    ]


def test_a_name_ends_no_line_of_lcov():
    name, function = "a\nend_of_record\rSF:b\u2028.frag", "f\nDA:1,1"
    made = lcov(replace(TRACE, blocks=(block(1, function, 1, 1, [("", 1, 1)]),)), name)
    assert made.splitlines() == made.removesuffix("\n").split("\n")
    assert made.splitlines()[1:4] == [
        "SF:a\ufffdend_of_record\ufffdSF:b\ufffd.frag",
        "FN:1,f\ufffdDA:1,1",
        "FNDA:1,f\ufffdDA:1,1",
    ]


def test_line_instructions_count_every_block():
    assert TRACE.line_instructions == {
        SourceLine("", 3): 4 * 32 + 96,
        SourceLine("", 4): 0,
        SourceLine("", 5): 2 * 96,
        SourceLine("lib.glsl", 2): 3 * 96,
        SourceLine("lib.glsl", 7): 0,
    }


def test_annotate():
    text = "// a\r\n\nx = y;\x0c\nz = 0;\nw++;\n"
    total = 32 + 5 * 32 + 4 * 96 + 4 * 96
    assert TRACE.instructions_executed == total
    assert annotate(TRACE, text).splitlines() == [
        "8x4, iTime 1, iFrame 1, on llvmpipe: 960 instructions executed",
        "",
        "runs  instr.  line",
        "              1  // a",
        "              2",
        "  96   23.3%  3  x = y;",
        "   0    0.0%  4  z = 0;",
        "  96   20.0%  5  w++;",
        "",
        "       30.0%  of the instructions come from lib.glsl",
    ]
