"""What comes out of the compiler's child."""

from __future__ import annotations

from contextlib import closing

import pytest

from shaderlab.errors import DeviceLost, OutOfMemory, ShaderlabError, ShaderTimeout
from shaderlab.spirv.fingerprint import fingerprint
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.supervisor.limits import Limits

TEXT = "void mainImage(out vec4 fragColor, vec2 fragCoord) { fragColor = vec4(fragCoord.x); }\n"


@pytest.fixture(scope="module")
def compiler():
    with closing(CompilerWorker()) as worker:
        yield worker


def test_programs_tell_who_they_are_without_being_parsed(compiler):
    written = compiler.compile(TEXT, "flat", None).result()
    for program in (written, compiler.optimize(written).result()):
        known = set(vars(program))
        assert {"digest", "fingerprint"} <= known
        assert "module" not in known
        assert program.fingerprint == fingerprint(program.module)


def test_a_comment_does_not_change_who_it_is(compiler):
    one = compiler.compile(TEXT, "flat", None).result()
    other = compiler.compile("// of no account\n" + TEXT, "flat", None).result()
    assert one.digest != other.digest
    assert one.fingerprint == other.fingerprint


BODY = "void mainImage(out vec4 c, in vec2 f) {{ float x = f.x; {} c = vec4(x); }}\n"


def doubling(innermost: str) -> str:
    """A macro that expands to 2 ** 40 of `innermost`."""
    macros = [f"#define m0 {innermost}\n"]
    macros += [f"#define m{n + 1} m{n} m{n}\n" for n in range(40)]
    return "".join(macros) + BODY.format("m40")


@pytest.mark.parametrize(
    ("text", "limits", "error"),
    [
        (doubling(""), Limits(compile=1.0), ShaderTimeout),
        (doubling("x += f.x;"), Limits(compile=60.0, memory_bytes=300 << 20), OutOfMemory),
        (BODY.format("x = " + "x + " * 200_000 + "x;"), Limits(), DeviceLost),
    ],
    ids=["endless", "too large", "too deep for the stack"],
)
def test_a_text_that_is_too_much_ends_the_child_and_the_next_compiles(
    text: str, limits: Limits, error: type[ShaderlabError]
) -> None:
    with closing(CompilerWorker(limits)) as worker:
        failed = worker.compile(text, "monster", None).exception()
        assert isinstance(failed, error)
        assert str(failed).startswith("compiling monster")
        assert "macros" in failed.remedy
        assert worker.replacements == 1
        assert worker.compile(TEXT, "flat", None).result().spirv


def test_functions_are_inlined_in_the_child(compiler):
    calls = TEXT.replace("fragCoord.x)", "f(fragCoord.x))")
    written = compiler.compile("float f(float x) { return 2.0 * x; }\n" + calls, "f", None).result()
    assert len(written.module.functions) == 3
    assert len(compiler.inline(written).result().module.functions) == 1
