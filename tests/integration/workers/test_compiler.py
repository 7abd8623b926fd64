"""What comes out of the compiler's child."""

from __future__ import annotations

from contextlib import closing

import pytest

from shaderlab.spirv.fingerprint import fingerprint
from shaderlab.workers.compiler import CompilerWorker

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
