"""Texts and files of every dialect through the real glslang."""

import pytest

from shaderlab.errors import CompileFailed
from shaderlab.frontend import tools
from shaderlab.frontend.compiler import compile_text, load_program
from shaderlab.frontend.dialects.family import Attempt
from shaderlab.frontend.examples import examples
from shaderlab.frontend.program import Dialect, Program, Severity
from shaderlab.spirv import source_lines as lines
from shaderlab.spirv.trace import SourceLine

pytestmark = pytest.mark.usefixtures("toolchain")

BODY = """\
float twice(float x) {
    return 2.0 * x;
}
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    fragColor = vec4(twice(fragCoord.x), iTime, 0.0, 1.0);
}
"""


def functions(program):
    """Opcode names by function, without line information."""
    return [
        [i.name for block in function.blocks for i in block if i.name not in ("OpLine", "OpNoLine")]
        for function in program.module.functions
    ]


def source_lines(program):
    """Every source line an instruction inside a block carries."""
    table = lines.instruction_lines(program.module)
    return {
        table.at(instruction.index)
        for function in program.module.functions
        for block in function.blocks
        for instruction in block
    } - {None}


def test_a_body_compiles_under_the_prelude_with_its_own_lines():
    program = compile_text(BODY, "body", None)
    assert program.dialect is Dialect.SHADERTOY_ES310
    assert program.entry_point == "main"
    assert program.diagnostics == ()
    assert program.text == BODY
    assert source_lines(program) == {SourceLine("", n) for n in (2, 4, 5)}


def test_the_output_is_neither_initialised_nor_flipped():
    """main is one call with the output and gl_FragCoord.xy as they are, as the paper measured."""
    program = compile_text("void mainImage(out vec4 c, in vec2 f) { c = f.xyxy; }", "x", None)
    main = functions(program)[0]
    assert main == [
        "OpVariable", "OpVariable", "OpLoad", "OpVectorShuffle", "OpStore", "OpFunctionCall",
        "OpLoad", "OpStore", "OpReturn",
    ]  # fmt: skip


def test_the_uniform_block_has_the_contract_s_layout(toolchain):
    text = """
        void mainImage(out vec4 c, in vec2 f) {
            c = vec4(iResolution.x + iTime + iChannelTime.x + iMouse.x + iDate.x + iSampleRate
                + iChannelResolution[0].x + float(iFrame) + iTimeDelta + iFrameRate);
        }
    """
    assembly = toolchain.disassemble(compile_text(text, "x", None).spirv)
    offsets = [
        int(line.split()[-1])
        for line in assembly.splitlines()
        if "OpMemberDecorate" in line and "Offset" in line
    ]
    assert offsets == [0, 12, 16, 32, 48, 64, 128, 132, 136, 140]
    assert "ArrayStride 16" in assembly


def test_includes_comments_and_line_ends_do_not_move_lines(tmp_path):
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "f.glsl").write_text("\n\nfloat f(float x) {\n  return x + 1.0;\n}\n")
    text = (
        '// a\r\n\r#include "lib/f.glsl"\r\n'
        "void mainImage(out vec4 c, in vec2 p) {\r  c = vec4(f(p.x));\n}"
    )
    program = compile_text(text, "x", tmp_path)
    assert source_lines(program) == {
        SourceLine("", 4),
        SourceLine("", 5),
        SourceLine("lib/f.glsl", 4),
    }
    assert program.includes == (str(tmp_path / "lib" / "f.glsl"),)


def test_debug_lines_do_not_change_the_instructions():
    plain = tools.run(
        ["glslangValidator", "--stdin", "-S", "frag", "--target-env", "vulkan1.2", "--quiet", "-o",
         tools.OUTPUT],
        b"#version 310 es\nprecision highp float; precision highp int;\n"
        b"layout(location = 0) out vec4 outColor;\n"
        b"layout(set = 0, binding = 0) uniform U { vec3 iResolution; float iTime; };\n"
        b"void mainImage(out vec4 fragColor, in vec2 fragCoord);\n"
        b"void main() { mainImage(outColor, gl_FragCoord.xy); }\n" + BODY.encode(),
    )  # fmt: skip
    bare = Program("x", Dialect.GLSL, "", plain.binary, "main")
    assert functions(compile_text(BODY, "x", None)) == functions(bare)


def test_a_body_that_needs_desktop_glsl_says_so():
    text = "void mainImage(out vec4 c, in vec2 f) {\n  double d = 1.0lf;\n  c = vec4(float(d));\n}"
    program = compile_text(text, "x", None)
    assert program.dialect is Dialect.SHADERTOY_450
    (note,) = program.diagnostics
    assert note.severity is Severity.NOTE
    assert note.line == 2
    assert "'double' is a reserved word" in note.message


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("precision mediump float;\n" + BODY, 5),
        (BODY.replace("out vec4", "inout vec4"), 4),
    ],
)
def test_a_body_that_contradicts_the_paper_s_declaration_is_called_after_it(text, line):
    program = compile_text(text, "x", None)
    assert program.dialect is Dialect.SHADERTOY_450
    (note,) = program.diagnostics
    assert (note.line, note.column) == (line, 6)
    assert "mainImage" in note.message


@pytest.mark.parametrize(
    ("version", "dialect"),
    [
        ("#version 450\n", Dialect.GLSL),
        ("#version 320 es\nprecision highp float;\n", Dialect.OPENGL),
        ("", Dialect.GLSL),
    ],
)
def test_complete_glsl(version, dialect):
    text = version + "layout(location = 0) out vec4 o;\nvoid main() {\n  o = vec4(1.0);\n}\n"
    program = compile_text(text, "x", None)
    assert program.dialect is dialect
    assert source_lines(program) == {SourceLine("", text[: text.index("o = ")].count("\n") + 1)}


@pytest.mark.parametrize(
    ("lookup", "shape"),
    [
        ("texture(iChannel2, f)", "2D"),
        ("texture(iChannel2, vec3(f, 1.0))", "Cube"),
        ("textureLod(iChannel2, direction, 0.0)", "Cube"),
    ],
)
def test_channels_take_the_shape_the_body_asks_for(toolchain, lookup, shape):
    text = f"void mainImage(out vec4 c, in vec2 f) {{ vec3 direction = f.xyx; c = {lookup}; }}"
    program = compile_text(text, "x", None)
    assembly = toolchain.disassemble(program.spirv)
    assert f"OpTypeImage %float {shape} 0 0 0 1 Unknown" in assembly
    assert "OpDecorate %iChannel2 Binding 3" in assembly
    assert program.dialect is Dialect.SHADERTOY_ES310


def test_both_shapes_in_one_body_even_through_a_function(toolchain):
    text = """
        vec4 sky(samplerCube s) { return texture(s, vec3(1.0)); }
        void mainImage(out vec4 c, in vec2 f) { c = sky(iChannel0) + texture(iChannel1, f); }
    """
    assembly = toolchain.disassemble(compile_text(text, "x", None).spirv)
    assert " Cube " in assembly
    assert " 2D " in assembly


def test_warnings_of_a_compile_that_succeeds_are_kept():
    program = compile_text("#define a__b 1\n" + BODY, "x", None)
    (warning,) = program.diagnostics
    assert (warning.severity, warning.line) == (Severity.WARNING, 1)
    assert source_lines(program) == {SourceLine("", n) for n in (3, 5, 6)}


def test_editing_a_comment_changes_nothing_downstream():
    first = compile_text(BODY.replace("{\n", "{ // one\n"), "x", None)
    second = compile_text(BODY.replace("{\n", "{ // twenty-two å\n"), "x", None)
    assert first.text != second.text
    assert first.digest == second.digest


def test_the_user_s_own_line_directives_do_not_hide_lines():
    text = "#line 500\n" + BODY + '#line 7 "elsewhere"\nfloat f() { return 1.0; }\n'
    assert source_lines(compile_text(text, "x", None)) == {SourceLine("", n) for n in (3, 5, 6)}
    with pytest.raises(CompileFailed) as error:
        compile_text(text + "float g() { return oops; }", "x", None)
    assert error.value.diagnostics[0].line == 10


def test_every_example_is_a_plain_shadertoy_body_without_remarks(toolchain):
    for example in examples():
        program = load_program(example.path)
        assert program.dialect is Dialect.SHADERTOY_ES310
        assert program.diagnostics == ()
        toolchain.validate(program.spirv)


@pytest.mark.parametrize("kind", ["sampler2D", "samplerCube", "sampler3D"])
def test_a_body_may_say_what_a_channel_is(kind: str) -> None:
    coordinate = "p" if kind == "sampler2D" else "vec3(p, 0.0)"
    text = (
        f"uniform {kind} iChannel1;\n"
        f"void mainImage(out vec4 c, in vec2 p) {{ c = texture(iChannel1, {coordinate}); }}\n"
    )
    program = compile_text(text, "x", None)
    (channel,) = [each for each in program.interface.resources if each.image is not None]
    assert channel.descriptor == (0, 2)
    assert channel.image is not None
    assert f"sampler{channel.image.glsl}" == kind


def test_the_pass_of_a_cube_map_is_drawn_by_face() -> None:
    text = (
        "void mainCubemap(out vec4 c, in vec2 p, in vec3 origin, in vec3 direction) {\n"
        "    c = vec4(0.5 + 0.5 * direction, 1.0);\n}\n"
    )
    program = compile_text(text, "x", None)
    assert program.dialect is Dialect.SHADERTOY_ES310
    names = [
        member.name
        for resource in program.interface.resources
        for member in (resource.block.members if resource.block else ())
    ]
    assert "iCubeFace" in names


def test_names_that_newer_versions_keep_for_themselves_stay_names() -> None:
    text = (
        "vec4 read(sampler2D buffer, vec2 at) { return texture(buffer, at); }\n"
        "void mainImage(out vec4 c, in vec2 p) { c = read(iChannel0, p); }\n"
    )
    program = compile_text(text, "x", None)
    assert program.dialect is Dialect.SHADERTOY_ES310
    (note,) = program.diagnostics
    assert note.severity is Severity.NOTE
    assert note.line == 1
    assert "newer keywords" in note.message


GAIN = """#version 450
uniform float gain = 0.5 * 1.5;  // {remark}
out vec4 colour;
void main() {{ colour = vec4(gain * {factor}); }}
"""


def test_initial_values_are_read_anew_where_the_text_before_them_changed(monkeypatch):
    compiled: list[str] = []
    whole = Attempt.compiled
    monkeypatch.setattr(
        Attempt, "compiled", lambda self: compiled.append(self.source) or whole(self)
    )

    def value(text: str) -> float:
        compiled.clear()
        return compile_text(text, "gain.frag", None).given["gain"].value

    first = GAIN.format(remark="; {}", factor="1.0")
    value(first)
    assert value(first.replace("1.0", "2.0")) == 0.75
    assert len(compiled) == 1
    assert value(first.replace("1.5", "2.5")) == 1.25
    assert value(first.replace("gain =", "gain /* {;} */ =")) == 0.75


def test_a_texture_that_no_function_reads_shares_no_place():
    """glslang gives it the first place; its number may occur in a function as a line's."""

    def compiled(lines: int):
        head = "uniform float gain;\nuniform sampler2D used;\nuniform sampler2D unread;\n"
        body = "void main() { gl_FragColor = texture2D(used, vec2(0.5)) * gain; }\n"
        return compile_text(head + "\n" * lines + body, "case.frag", None)

    (number,) = (id for id, name in compiled(0).module.names.items() if name == "unread")
    program = compiled(number - 4)  # so that `main` stands in the line of that number
    found = program.interface.resources
    assert sorted(each.name for each in found) == ["gl_DefaultUniformBlock", "used"]
    assert len({each.descriptor for each in found}) == len(found)
