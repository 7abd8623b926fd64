"""Captured shaders as files to edit, by the real compiler."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from shaderlab.captures import shader_texts
from shaderlab.captures.frame import CapturedShader
from shaderlab.captures.shader_texts import Origin, ShaderText
from shaderlab.errors import InvalidModule
from shaderlab.frontend import tools
from shaderlab.locations import resources
from shaderlab.workers import captured_texts
from shaderlab.workers.captured_texts import editable
from shaderlab.workers.compiler import CompilerWorker
from tests.unit.captures.builders import contents

WRITES = "#version 450\nlayout(location = 0) out vec4 c;\nvoid main() { c = vec4(1.0); }\n"


@pytest.fixture(scope="module")
def compiler() -> Iterator[CompilerWorker]:
    with closing(CompilerWorker()) as made:
        yield made


@pytest.fixture
def shader(tmp_path: Path) -> CapturedShader:
    spirv = (resources() / "gpu" / "constant.frag.spv").read_bytes()
    return CapturedShader(contents(tmp_path / "pack", spirv), "main")


def offer(monkeypatch: pytest.MonkeyPatch, *found: str) -> None:
    made = [ShaderText(text, ".frag", Origin.SOURCE) for text in found]
    monkeypatch.setattr(captured_texts, "texts", lambda *_: iter(made))


def test_without_any_text_the_module_itself_is_the_file(
    compiler: CompilerWorker,
    shader: CapturedShader,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(tools, "find", lambda _name: None)
    found = editable(compiler, shader, tmp_path / "frame")
    assert (found.path.suffix, found.origin) == (".spv", Origin.ASSEMBLY)
    assert found.path.read_bytes() == shader.module.read() == found.base.spirv


def test_the_first_text_that_fits_is_taken_and_what_the_user_wrote_stays(
    compiler: CompilerWorker,
    shader: CapturedShader,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    other_output = WRITES.replace("location = 0", "location = 3")
    reads_more = WRITES.replace("void", "layout(set = 2, binding = 7) uniform B { vec4 b; };\nvoid")
    reads_more = reads_more.replace("vec4(1.0)", "b")
    offer(monkeypatch, "no shader", other_output, reads_more, WRITES)
    found = editable(compiler, shader, tmp_path / "frame")
    assert found.path.read_text() == WRITES
    assert found.origin is Origin.SOURCE
    edited = WRITES.replace("1.0", "0.5")
    found.path.write_text(edited)
    again = editable(compiler, shader, tmp_path / "frame")
    assert again.path.read_text() == edited
    assert again.base.digest == found.base.digest


def test_a_module_that_is_none_is_refused(compiler: CompilerWorker, tmp_path: Path):
    broken = CapturedShader(contents(tmp_path / "pack", b"\x03\x02\x23\x07" * 9), "main")
    with pytest.raises(InvalidModule):
        editable(compiler, broken, tmp_path / "frame")


@pytest.mark.skipif(
    tools.find(shader_texts.DECOMPILER) is None,
    reason="spirv-cross is not installed: apt-get install spirv-cross",
)
def test_a_decompiled_text_compiles(
    compiler: CompilerWorker, shader: CapturedShader, tmp_path: Path
):
    found = editable(compiler, shader, tmp_path / "frame")
    assert found.origin is Origin.DECOMPILED
    assert found.base.spirv != shader.module.read()
