"""Libraries and programs give the same answers, and each fails in its own safe way."""

from __future__ import annotations

import ctypes
import random
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from shaderlab.errors import CompileFailed, InvalidModule, MissingTool
from shaderlab.frontend import wheels
from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.dialects import shadertoy
from shaderlab.frontend.examples import Example, examples
from shaderlab.frontend.program import Dialect
from shaderlab.frontend.toolchain import choice
from shaderlab.frontend.toolchain.interface import Toolchain
from shaderlab.frontend.toolchain.libraries import Libraries
from shaderlab.frontend.toolchain.programs import Programs
from shaderlab.spirv.fingerprint import fingerprint
from shaderlab.spirv.module import Module

BODY = "void mainImage(out vec4 c, in vec2 f) {\n  c = vec4(f, iTime, 1.0);\n}\n"
INLINING = ("--merge-return", "--inline-entry-points-exhaustive", "--eliminate-dead-functions")


def complete(text: str) -> str:
    return shadertoy.assemble(
        text, Dialect.SHADERTOY_ES310, dict.fromkeys(shadertoy.channels(text), "sampler2D")
    )


def broken(example: Example) -> str:
    """The example as it may stand in the middle of an edit, the same each time."""
    text = example.path.read_text(encoding="utf-8")
    chance = random.Random(example.path.stem)
    for _ in range(2):
        word, other = chance.sample([*re.finditer(r"\b\w+\b", text.partition("\n\n")[2])], 2)
        text = re.sub(rf"\b{word.group()}\b", other.group(), text, count=1)
    cut = chance.randrange(len(text) // 2, len(text))
    return text[:cut] + chance.choice((";", ")", "(", "}", "1", "")) + text[cut + 1 :]


@pytest.mark.parametrize("example", examples()[::4], ids=lambda each: each.path.stem)
def test_code_is_the_same(libraries: Libraries, example: Example) -> None:
    """Whatever the program's version: it may attribute instructions to lines otherwise."""
    source = complete(example.path.read_text(encoding="utf-8"))
    spirv, other = (each.compile(source).spirv for each in (libraries, Programs()))
    assert fingerprint(Module.parse(spirv)) == fingerprint(Module.parse(other))
    assert libraries.disassemble(spirv) == Programs().disassemble(spirv)
    assert libraries.optimize(spirv, INLINING) == Programs().optimize(spirv, INLINING)


@pytest.mark.parametrize("example", examples(), ids=lambda each: each.path.stem)
def test_errors_are_the_same(libraries: Libraries, example: Example) -> None:
    text, found = broken(example), []
    for each in (libraries, Programs()):
        choice.use(each)
        with pytest.raises(CompileFailed) as error:
            compile_text(text, "x", None)
        found.append(error.value.diagnostics)
    assert found[0] == found[1]


def test_what_is_no_module_is_refused(toolchain: Toolchain) -> None:
    spirv = toolchain.compile(complete(BODY)).spirv
    unterminated = spirv[:-8] + 2 * spirv[-4:]
    with pytest.raises(InvalidModule, match=r"^not valid SPIR-V: "):
        toolchain.validate(unterminated)
    with pytest.raises(InvalidModule):
        toolchain.optimize(unterminated, ("-O",))
    for garbage in (b"", b"odd", b"garbage!"):
        with pytest.raises(InvalidModule):
            toolchain.validate(garbage)
        with pytest.raises(InvalidModule):
            toolchain.disassemble(garbage)
        with pytest.raises(InvalidModule):
            toolchain.optimize(garbage, ("-O",))


def test_what_is_deprecated_is_a_warning(toolchain: Toolchain) -> None:
    made = toolchain.compile("#version 450\nvarying vec2 v;\nvoid main() {}\n")
    assert made.log.startswith("WARNING:")
    assert "varying deprecated" in made.log


def test_glslang_itself_includes_no_file(toolchain: Toolchain, tmp_path: Path) -> None:
    """Split over two lines, the directive escapes the front end's own reading of it."""
    (tmp_path / "there.glsl").write_text("float there;\n")
    text = (
        "#version 450\n#extension GL_GOOGLE_include_directive : enable\n"
        f'#inc\\\nlude "{tmp_path}/there.glsl"\nvoid main() {{}}\n'
    )
    made = toolchain.compile(text)
    assert made.spirv == b""
    assert "#include" in made.log


def test_threads_may_compile_at_once(libraries: Libraries) -> None:
    sources = [complete(each.path.read_text(encoding="utf-8")) for each in examples()]

    def work(source: str) -> bytes:
        return libraries.optimize(libraries.compile(source).spirv, ("-O",))

    alone = [work(source) for source in sources]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, sources * 3)) == alone * 3


def test_compiling_keeps_no_memory(libraries: Libraries) -> None:
    sources = [complete(each.path.read_text(encoding="utf-8")) for each in examples()]
    sources += [source.replace("{", "{ oops;", 1) for source in sources]

    def compile_all(times: int) -> None:
        for source in sources * times:
            spirv = libraries.compile(source).spirv
            if spirv:
                libraries.validate(spirv)
                libraries.optimize(spirv, INLINING)

    compile_all(2)
    before = _resident_bytes()
    compile_all(5)
    assert _resident_bytes() - before < 8 << 20  # the modules alone add up to more


def _resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def test_programs_can_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(choice.chosen(), Libraries)
    monkeypatch.setenv(choice.VARIABLE, "programs")
    assert isinstance(choice.chosen(), Programs)


def test_programs_run_where_a_library_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError("too old")

    monkeypatch.setattr(ctypes, "CDLL", refuse)
    with pytest.raises(MissingTool, match="libglslang cannot be loaded: too old"):
        Libraries()
    assert isinstance(choice.chosen(), Programs)


def test_a_library_that_is_not_as_expected_is_missing() -> None:
    with pytest.raises(MissingTool, match="libSPIRV has no spvNothing"):
        wheels.Library("SPIRV").function("spvNothing", None)
    with pytest.raises(MissingTool, match="libnothing is not installed"):
        wheels.Library("nothing")


def test_versions_name_both(toolchain: Toolchain) -> None:
    versions = toolchain.versions()
    assert set(versions) == {"glslang", "SPIRV-Tools"}
    assert all(re.match(r"v?\d", version) for version in versions.values())
    assert not toolchain.missing()


def test_a_repeated_compile_runs_no_program(monkeypatch: pytest.MonkeyPatch) -> None:
    first = compile_text(BODY, "x", None)
    with pytest.raises(CompileFailed):
        compile_text(BODY + "oops", "x", None)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    choice.use(Programs())  # which has only what the next process would find on disk
    for _ in range(2):
        assert compile_text(BODY, "x", None).spirv == first.spirv
        with pytest.raises(CompileFailed):
            compile_text(BODY + "oops", "x", None)


def test_a_crash_of_the_program_is_an_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "bin" / "glslangValidator"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\nkill -SEGV $$\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}:/usr/bin:/bin")
    with pytest.raises(CompileFailed, match=r"glslangValidator crashed on this text \(signal 11\)"):
        compile_text(BODY, "x", None)


def test_without_glslang_the_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("VULKAN_SDK", raising=False)
    with pytest.raises(MissingTool, match="glslang-tools"):
        compile_text(BODY, "x", None)
