"""Telling dialects apart, and what is put before the text."""

import pytest

from shaderlab.frontend import dialects
from shaderlab.frontend.program import Dialect

BODY = "void mainImage(out vec4 c, in vec2 f) { c = vec4(1.0); }\n"


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        (BODY, Dialect.SHADERTOY_ES310),
        ("void main() {}", Dialect.GLSL),
        ("#version 450\nvoid main() {}", Dialect.GLSL),
        ("#version 450\nMAIN", Dialect.GLSL),
        ("// void main() {}\n" + BODY, Dialect.SHADERTOY_ES310),
        ("/* void\nmain() {} */" + BODY, Dialect.SHADERTOY_ES310),
        ("#ifdef OTHER\nvoid main() {}\n#endif\n" + BODY, Dialect.SHADERTOY_ES310),
        (BODY + "void main() { mainImage(o, f); }", Dialect.GLSL),
        ("void domain() {}", Dialect.SHADERTOY_ES310),
        ("float f;", Dialect.SHADERTOY_ES310),
        ("void\nmain (void) {}", Dialect.GLSL),
    ],
)
def test_dialect(text, dialect):
    assert dialects.detect(text) is dialect


def test_only_channels_the_code_mentions_are_declared():
    text = "iChannelTime; iChannel1; // iChannel2\niChannel3x; iChannel0"
    assert dialects.channels(text) == {0, 1}
    source = dialects.assemble(text, Dialect.SHADERTOY_ES310, frozenset({0, 1}), frozenset({1}))
    assert "binding = 1) uniform highp sampler2D iChannel0;" in source
    assert "binding = 2) uniform highp samplerCube iChannel1;" in source
    assert "iChannel2;" not in source
    assert "sampler2D" not in dialects.assemble(BODY, Dialect.SHADERTOY_ES310)


@pytest.mark.parametrize(
    ("text", "likely"),
    [
        ("texture(iChannel1, p.xyz);", {1}),
        ("vec3 d; texture(iChannel1, d);", {1}),
        ("textureLod(iChannel1, reflect(a, b), 0.0);", {1}),
        ("texture(iChannel1, uv); texture(iChannel0, vec3(1.0));", {0}),
        ("texture(iChannel1, uv.xy); fetch(iChannel0);", {0, 1}),
    ],
)
def test_the_first_guess_at_cube_maps(text, likely):
    channels = dialects.channels(text)
    guesses = dialects.cube_guesses(text, channels)
    assert guesses[0] == likely
    assert channels in guesses


def test_a_body_follows_the_paper_s_prelude_unchanged():
    source = dialects.assemble(BODY, Dialect.SHADERTOY_ES310)
    assert source.startswith("#version 310 es\n")
    assert source.endswith(f'#line 1 "document"\n{BODY}\n')


def test_desktop_glsl_calls_the_body_after_it():
    source = dialects.assemble(BODY, Dialect.SHADERTOY_450)
    assert source.startswith("#version 450\n")
    body, main = source.split(f'#line 1 "document"\n{BODY}\n')
    assert "mainImage" not in body
    assert main.startswith('#line 1 "prelude"\nvoid main()')


def test_complete_glsl_keeps_its_version_first_and_its_lines():
    source = dialects.assemble("// head\n#version 320 es\nvoid main() {}", Dialect.GLSL)
    head, extension, line, *rest = source.split("\n")[1:]
    assert (head, line, rest[0]) == ("#version 320 es", '#line 3 "document"', "void main() {}")
    assert extension.startswith("#extension")


def test_complete_glsl_without_a_version_is_desktop_glsl():
    source = dialects.assemble("void main() {}", Dialect.GLSL)
    assert source.startswith("#version 450\n")
    assert source.endswith('#line 1 "document"\nvoid main() {}\n')
