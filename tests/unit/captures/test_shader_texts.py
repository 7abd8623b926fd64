from __future__ import annotations

import pytest

from shaderlab.captures import shader_texts
from shaderlab.captures.shader_texts import Origin, decompiled, source_text, texts
from shaderlab.frontend import tools
from shaderlab.locations import resources
from shaderlab.spirv.grammar import Op
from shaderlab.spirv.module import Module

GLSL, HLSL = 2, 5


def string(text: str) -> list[int]:
    data = text.encode() + b"\0"
    data += b"\0" * (-len(data) % 4)
    return [int.from_bytes(data[n : n + 4], "little") for n in range(0, len(data), 4)]


def instruction(opcode: int, *operands: int) -> list[int]:
    return [(len(operands) + 1) << 16 | opcode, *operands]


def module(*instructions: list[int]) -> Module:
    words = [0x07230203, 0x00010300, 0, 50, 0, *(word for each in instructions for word in each)]
    return Module.parse(b"".join(word.to_bytes(4, "little") for word in words))


def source(language: int, text: str, *more: str) -> Module:
    file = instruction(Op.String, 1, *string("a.frag"))
    first = instruction(Op.Source, language, 450, 1, *string(text))
    rest = [instruction(Op.SourceContinued, *string(each)) for each in more]
    return module(file, first, *rest)


def test_the_source_text_of_a_module_is_found_whole():
    found = source_text(source(GLSL, "void main()", " { }\n"), "main")
    assert found is not None
    assert (found.text, found.suffix, found.origin) == ("void main() { }\n", ".frag", Origin.SOURCE)


def test_hlsl_is_found_by_its_entry_point():
    found = source_text(source(HLSL, "float4 shade() : SV_Target { return 1; }"), "shade")
    assert found is not None
    assert found.suffix == ".hlsl"
    assert source_text(source(HLSL, "float4 other() : SV_Target { return 1; }"), "shade") is None


def test_what_glslang_puts_before_the_text_is_left_out():
    text = "// OpModuleProcessed client vulkan100\n#line 1\n#version 450\nvoid main() {}\n"
    found = source_text(source(GLSL, text), "main")
    assert found is not None
    assert found.text == "#version 450\nvoid main() {}\n"


def test_text_in_debug_information_is_found():
    found = source_text(
        module(
            instruction(Op.ExtInstImport, 1, *string("NonSemantic.Shader.DebugInfo.100")),
            instruction(Op.String, 2, *string("a.frag")),
            instruction(Op.String, 3, *string("void main() ")),
            instruction(Op.String, 4, *string("{ }")),
            instruction(Op.Source, GLSL, 450),
            instruction(Op.ExtInst, 9, 10, 1, 35, 2, 3),
            instruction(Op.ExtInst, 9, 11, 1, 102, 4),
        ),
        "main",
    )
    assert found is not None
    assert found.text == "void main() { }"


@pytest.mark.parametrize("language", [0, 3, 11])
def test_other_languages_are_not_offered(language: int):
    assert source_text(source(language, "void main() {}"), "main") is None


def test_without_a_decompiler_there_is_no_text(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tools, "find", lambda _name: None)
    spirv = (resources() / "gpu" / "loops.frag.spv").read_bytes()
    assert list(texts(Module.parse(spirv), "main")) == []


@pytest.mark.skipif(tools.find(shader_texts.DECOMPILER) is None, reason="spirv-cross is missing")
def test_a_module_is_decompiled_and_garbage_is_refused():
    spirv = (resources() / "gpu" / "loops.frag.spv").read_bytes()
    found = decompiled(spirv, "main")
    assert found is not None
    assert "void main()" in found.text
    assert found.origin is Origin.DECOMPILED
    assert decompiled(spirv, "no_such_entry") is None
    assert decompiled(spirv[:40] + b"\xff" * 60, "main") is None
