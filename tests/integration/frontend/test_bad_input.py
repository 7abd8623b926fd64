"""Whatever a user may feed: one line that says what is wrong and where."""

import shutil
import subprocess

import pytest

from shaderlab.errors import CompileFailed, InvalidModule, WrongUse
from shaderlab.frontend.compiler import compile_text, load_program
from shaderlab.frontend.program import Dialect, Severity
from shaderlab.frontend.reading import Reading
from shaderlab.frontend.stage import Stage

pytestmark = pytest.mark.usefixtures("toolchain")

MAIN = "void mainImage(out vec4 c, in vec2 f) {\n"


@pytest.mark.parametrize(
    ("text", "where", "says"),
    [
        ("", (0, 0), "nothing to compile"),
        ("// only a comment\n/* and another", (0, 0), "nothing to compile"),
        ("float f() { return 1.0; }", (0, 0), "missing mainImage"),
        ("void mainImage(out vec4 c) {}", (1, 6), "mainImage has the wrong signature"),
        (
            "\nvec4 mainImage(vec2 f) { return vec4(1); }",
            (2, 6),
            "mainImage has the wrong signature",
        ),
        (
            "struct S { int i; };\nvoid mainImage(out S c, in vec2 f) {}",
            (2, 6),
            "mainImage has the wrong signature",
        ),
        (MAIN + "  c = vec4(oops);\n}", (2, 12), "'oops' is not declared"),
        (
            MAIN + "  float color;\n  c = vec4(colr);\n}",
            (3, 12),
            "'colr' is not declared; did you mean 'color'?",
        ),
        (MAIN + "  c = smothstep(0.,1.,c);\n}", (2, 7), "declared; did you mean 'smoothstep'?"),
        (MAIN + "  c = vec4(itime);\n}", (2, 12), "is not declared; did you mean 'iTime'?"),
        (MAIN + "  float3 a;\n}", (2, 3), "'float3' is not declared; did you mean 'vec3'?"),
        (MAIN + "  c = vec4(sin());\n}", (2, 12), "no function 'sin' takes these arguments"),
        ("void g() { float color; }\n" + MAIN + "c = colr; }", (3, 5), "'colr' is not declared"),
        (MAIN + "  c = vec4(1)\n}", (3, 1), "unexpected '}'"),
        (MAIN + "  c = vec4(1);\n", (2, 3), "unexpected end of the file"),
        (MAIN + "/* never closed", (2, 1), "a comment is never closed"),
        (MAIN + "  é = 1.0;\n}", (2, 3), "the character 'é' (U+00E9)"),
        (MAIN + "  c = 1.0;\n}", (2, 5), "cannot convert float to vec4"),
        ("#if 1\n" + MAIN + "}", (3, 1), "an #if has no #endif"),
        ("#error shaderlab_include_fault 7\n" + MAIN + "}", (1, 1), "#error: shaderlab_include"),
        ("#error stop here\n" + MAIN + "}", (1, 1), "#error: stop here"),
        ("\nuniform float k;\n" + MAIN + "c = k; }", (4, 3), "cannot convert float to vec4"),
        ("#version 999\nvoid main() {}", (0, 0), "version not supported"),
        (
            "float g(float x) { return g(x); }\n" + MAIN + "c = vec4(g(1.0)); }",
            (1, 7),
            "recursion is not allowed in GLSL: 'g' calls itself",
        ),
        ("float g(float x);\n" + MAIN + "c = vec4(g(1.0)); }", (1, 7), "'g' is declared but"),
        ("#version 450\nfloat f;", (0, 0), "missing main"),
        ("#version 450\nvoid main() {\n  oops;\n}", (3, 3), "'oops' is not declared"),
        (MAIN + "a\0b", (2, 2), "NUL byte"),
        ("(" * 100_000, (1, 1), "unexpected '('"),
        (MAIN + "c = vec4(" + "(" * 20_000 + "1.0" + ")" * 20_000 + "); }", (2, 1), "nested too"),
        ("x" * (10 << 20), (0, 0), "the limit is 1,048,576"),
    ],
)
def test_text(text, where, says):
    with pytest.raises(CompileFailed) as error:
        compile_text(text, "x.frag", None)
    first = error.value.diagnostics[0]
    assert first.severity is Severity.ERROR
    assert (first.line, first.column) == where
    assert says in first.message
    assert str(error.value).startswith("x.frag:")
    assert ("did you mean" in first.message) == ("did you mean" in says)
    assert "\n" not in str(error.value)


def test_all_errors_of_a_text_are_told_at_once_in_its_order():
    text = MAIN + "  a = 1.0;\n  int n = 1.5;\n  c = vec4(b);\n}"
    with pytest.raises(CompileFailed) as error:
        compile_text(text, "x", None)
    assert [(d.line, d.message) for d in error.value.diagnostics] == [
        (2, "'a' is not declared"),
        (3, "cannot convert float to int"),
        (4, "'b' is not declared"),
    ]
    assert str(error.value) == "x:2:3: 'a' is not declared (and 2 more)"


def test_errors_in_an_include_name_its_file_and_line(tmp_path):
    (tmp_path / "lib.glsl").write_text("float f() {\n  return oops;\n}\n")
    with pytest.raises(CompileFailed) as error:
        compile_text('\n#include "lib.glsl"\n' + MAIN + "}", "x", tmp_path)
    (found,) = error.value.diagnostics
    assert (found.file, found.line, found.column) == ("lib.glsl", 2, 10)
    assert str(error.value).startswith("lib.glsl:2:10:")


def test_a_missing_include_or_a_cycle_is_an_error_at_its_own_line(tmp_path):
    (tmp_path / "a").write_text('\n#include "b"')
    (tmp_path / "b").write_text('#include "a"')
    with pytest.raises(CompileFailed) as error:
        compile_text('#include "gone"\n#include "a"\n' + MAIN + "}", "x", tmp_path)
    gone, cycle = error.value.diagnostics
    assert (gone.file, gone.line, gone.message) == ("", 1, '"gone" was not found')
    assert (cycle.file, cycle.line) == ("b", 1)
    assert cycle.message == 'include cycle: "a" -> "b" -> "a"'


def test_includes_the_preprocessor_does_not_reach_do_not_fail(tmp_path):
    (tmp_path / "guarded").write_text(
        '#ifndef G\n#define G\n#include "guarded"\n#include "once"\n'
        "float g() { return 1.0; }\n#endif"
    )
    (tmp_path / "once").write_text("#pragma once\nfloat once() { return 2.0; }")
    text = (
        '#if 0\n#include "gone"\n#endif\n#include "guarded"\n#include "guarded"\n#include "once"\n'
        + MAIN
        + "c = vec4(g() + once()); }"
    )
    assert compile_text(text, "x", tmp_path).dialect is Dialect.SHADERTOY_ES310


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "nothing to compile"),
        (b"\x7fELF\x02\x01\x01" + bytes(90) + b"\xff" * 9, "binary file"),
        (MAIN.encode() + b"   \xff", "2:4: byte"),
        (b"x" * (2 << 20), "the limit is 1,048,576"),
    ],
)
def test_files_that_are_not_text(tmp_path, data, says):
    path = tmp_path / "bad.frag"
    path.write_bytes(data)
    with pytest.raises(CompileFailed) as error:
        load_program(path)
    assert says in str(error.value)
    assert str(error.value).startswith("bad.frag:")


def test_files_in_other_encodings_are_read(tmp_path):
    path = tmp_path / "utf16.frag"
    path.write_text("// Grüße\n" + MAIN + "c = vec4(1.0); }", encoding="utf-16")
    assert load_program(path).dialect is Dialect.SHADERTOY_ES310


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(WrongUse, match="No such file"):
        load_program(tmp_path / "gone.frag")
    with pytest.raises(WrongUse, match="it is a folder"):
        load_program(tmp_path)
    with pytest.raises(WrongUse, match="not a plain file"):
        load_program("/dev/zero")


def assembled(tmp_path, source):
    path = tmp_path / "module.spv"
    subprocess.run(
        ["spirv-as", "--target-env", "vulkan1.2", "-o", path, "-"],
        input=source.encode(),
        check=True,
    )
    return path


MODULE = """
    OpCapability Shader
    OpMemoryModel Logical GLSL450
    {entries}
    %void = OpTypeVoid
    %type = OpTypeFunction %void
    {functions}
"""
FUNCTION = "%{0} = OpFunction %void None %type\n %{0}_l = OpLabel\n OpReturn\n OpFunctionEnd\n"
FRAGMENT = 'OpEntryPoint Fragment %{0} "{0}"\n'
COMPUTE = 'OpEntryPoint GLCompute %{0} "{0}"\n'


@pytest.mark.skipif(shutil.which("spirv-as") is None, reason="spirv-as assembles the inputs")
class TestSpirv:
    def module(self, tmp_path, entries):
        models = "".join(
            (FRAGMENT if kind == "f" else COMPUTE).format(name) for kind, name in entries
        )
        models += "".join(f"OpExecutionMode %{n} OriginUpperLeft\n" for k, n in entries if k == "f")
        models += "".join(f"OpExecutionMode %{n} LocalSize 1 1 1\n" for k, n in entries if k == "c")
        functions = "".join(FUNCTION.format(name) for _, name in entries)
        return assembled(tmp_path, MODULE.format(entries=models, functions=functions))

    def test_the_first_fragment_entry_point_counts(self, tmp_path):
        path = self.module(tmp_path, [("c", "work"), ("f", "one"), ("f", "two")])
        program = load_program(path)
        assert (program.dialect, program.entry_point) == (Dialect.SPIRV, "one")
        assert program.spirv == path.read_bytes()
        assert program.text == ""

    def test_spirv_of_vulkan_1_3_is_taken(self, tmp_path):
        path = self.module(tmp_path, [("f", "main")])
        words = path.read_bytes()
        path.write_bytes(words[:4] + (0x00010600).to_bytes(4, "little") + words[8:])
        assert load_program(path).module.version == (1, 6)

    def test_big_endian_words_are_swapped(self, tmp_path):
        path = self.module(tmp_path, [("f", "main")])
        words = path.read_bytes()
        path.write_bytes(b"".join(words[i : i + 4][::-1] for i in range(0, len(words), 4)))
        assert load_program(path).spirv == words

    def test_another_kind_of_shader_is_named(self, tmp_path):
        path = self.module(tmp_path, [("c", "work")])
        with pytest.raises(InvalidModule, match=r"module\.spv: not a vertex shader .*compute"):
            load_program(path, Reading(stage=Stage.VERTEX))
        assert load_program(path).stage is Stage.COMPUTE

    def test_what_does_not_validate_is_refused_in_the_validator_s_words(self, tmp_path):
        path = self.module(tmp_path, [("f", "main")])
        words = bytearray(path.read_bytes())
        words[12] = 200  # a bound that says nothing is wrong yet
        words[-8:-4] = words[-4:]  # a function that ends without a terminator
        path.write_bytes(words)
        with pytest.raises(InvalidModule, match=r"module\.spv: not valid SPIR-V: "):
            load_program(path)

    def test_truncation_anywhere_is_an_error(self, tmp_path):
        path = self.module(tmp_path, [("f", "main")])
        words = path.read_bytes()
        for length in (4, 7, 16, 20, 24, len(words) // 2, len(words) - 4, len(words) - 1):
            path.write_bytes(words[:length])
            with pytest.raises(InvalidModule, match=r"module\.spv: "):
                load_program(path)


def test_assembly_of_a_program_has_the_user_s_names(toolchain):
    program = compile_text(
        "float wave() { return 1.0; }\n" + MAIN + "c = vec4(wave()); }", "x", None
    )
    assert "%wave_" in toolchain.disassemble(program.spirv)
