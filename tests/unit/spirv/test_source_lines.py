"""Source lines of instructions and blocks."""

from shaderlab.spirv.grammar import Op
from shaderlab.spirv.module import Module
from shaderlab.spirv.passes.rewriting import encode, encode_string
from shaderlab.spirv.source_lines import (
    DOCUMENT,
    PRELUDE,
    block_line_instructions,
    block_lines,
    instruction_lines,
)
from shaderlab.spirv.trace import SourceLine
from tests.unit.spirv.test_module import words_of

FILE, OTHER, THIRD = 10, 11, 12


def module_with(names, *body, source=None):
    strings = [encode(Op.String, FILE + n, *encode_string(name)) for n, name in enumerate(names)]
    if source is not None:
        strings.append(encode(Op.Source, 2, 450, source))
    return Module.parse(
        words_of(
            *strings,
            encode(Op.TypeVoid, 1),
            encode(Op.TypeFunction, 2, 1),
            encode(Op.Function, 1, 3, 0, 2),
            *(encode(*instruction) for instruction in body),
            encode(Op.FunctionEnd),
        )
    )


def lines_of(module):
    return block_lines(module, module.functions[0].blocks)


BODY = [
    [Op.Label, 100],
    [Op.Nop],
    [Op.Line, FILE, 7, 1],
    [Op.Nop],
    [Op.Line, FILE, 5, 1],
    [Op.Nop],
    [Op.Nop],
    [Op.Line, OTHER, 3, 1],
    [Op.Nop],
    [Op.NoLine],
    [Op.Nop],
    [Op.Line, FILE, 9, 1],
    [Op.Branch, 101],
    [Op.Label, 101],
    [Op.Nop],
    [Op.Line, THIRD, 2, 1],
    [Op.Return],
]


def test_the_document_its_includes_and_the_prelude():
    module = module_with([DOCUMENT, PRELUDE, "noise.glsl"], *BODY)
    # What follows a terminator has no line before the next OpLine, and line 3 is the prelude's.
    assert lines_of(module) == [
        (SourceLine("", 5), SourceLine("", 7), SourceLine("", 9)),
        (SourceLine("noise.glsl", 2),),
    ]
    (first, second) = block_line_instructions(module, module.functions[0].blocks)
    assert first == {SourceLine("", 5): 2, SourceLine("", 7): 1, SourceLine("", 9): 1}
    assert second == {SourceLine("noise.glsl", 2): 1}


def test_elsewhere_the_first_file_is_the_document():
    module = module_with(["a.frag", "b.glsl", "c.glsl"], *BODY)
    assert lines_of(module) == [
        (SourceLine("", 5), SourceLine("", 7), SourceLine("", 9), SourceLine("b.glsl", 3)),
        (SourceLine("c.glsl", 2),),
    ]


def test_strings_that_name_no_file_are_not_the_document():
    body = [instruction for instruction in BODY if instruction[:2] != [Op.Line, FILE]]
    module = module_with(["a message", "b.glsl", "c.glsl"], *body)
    assert lines_of(module) == [(SourceLine("", 3),), (SourceLine("c.glsl", 2),)]


def test_a_source_file_without_code_is_still_the_document():
    body = [instruction for instruction in BODY if instruction[:2] != [Op.Line, FILE]]
    module = module_with(["a.frag", "b.glsl", "c.glsl"], *body, source=FILE)
    assert lines_of(module)[0] == (SourceLine("b.glsl", 3),)


def test_lines_of_single_instructions():
    module = module_with([DOCUMENT, PRELUDE, "noise.glsl"], *BODY)
    lines = instruction_lines(module)
    by_index = [lines.at(index) for index in range(len(module)) if module.opcodes[index] == Op.Nop]
    five = SourceLine("", 5)
    assert by_index == [None, SourceLine("", 7), five, five, None, None, None]


def test_without_lines():
    module = module_with([], [Op.Label, 100], [Op.Return])
    assert lines_of(module) == [()]


def test_nonsemantic_debug_lines():
    debug, source, uint, five, six = 20, 21, 22, 23, 24

    def line(result, number):
        return [Op.ExtInst, 1, result, debug, 103, source, number, number, five, five]

    module = Module.parse(
        words_of(
            encode(Op.ExtInstImport, debug, *encode_string("NonSemantic.Shader.DebugInfo.100")),
            encode(Op.String, FILE, *encode_string("a.frag")),
            encode(Op.TypeVoid, 1),
            encode(Op.TypeFunction, 2, 1),
            encode(Op.TypeInt, uint, 32, 0),
            encode(Op.Constant, uint, five, 5),
            encode(Op.Constant, uint, six, 6),
            encode(Op.ExtInst, 1, source, debug, 35, FILE),
            encode(Op.Function, 1, 3, 0, 2),
            encode(Op.Label, 100),
            encode(*line(30, five)),
            encode(Op.Nop),
            encode(Op.Nop),
            encode(Op.ExtInst, 1, 31, debug, 104),
            encode(Op.Nop),
            encode(*line(32, six)),
            # A line that names no constant says nothing.
            encode(*line(33, FILE)),
            encode(Op.Return),
            encode(Op.FunctionEnd),
        )
    )
    (found,) = block_line_instructions(module, module.functions[0].blocks)
    assert found == {SourceLine("", 5): 2, SourceLine("", 6): 1}
