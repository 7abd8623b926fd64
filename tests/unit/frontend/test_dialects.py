"""Telling dialects apart, and what is put before the text."""

import pytest

from shaderlab.frontend.dialects import registry, shadertoy, vulkan
from shaderlab.frontend.dialects.family import Text
from shaderlab.frontend.program import Dialect
from shaderlab.frontend.reading import RECOGNISED, Language

BODY = "void mainImage(out vec4 c, in vec2 f) { c = vec4(1.0); }\n"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (BODY, Language.SHADERTOY),
        ("void main() {}", Language.GLSL),
        ("#version 450\nvoid main() {}", Language.GLSL),
        ("#version 450\nMAIN", Language.GLSL),
        ("// void main() {}\n" + BODY, Language.SHADERTOY),
        ("/* void\nmain() {} */" + BODY, Language.SHADERTOY),
        ("#ifdef OTHER\nvoid main() {}\n#endif\n" + BODY, Language.SHADERTOY),
        (BODY + "void main() { mainImage(o, f); }", Language.GLSL),
        ("void domain() {}", Language.SHADERTOY),
        ("float f;", Language.SHADERTOY),
        ("void\nmain (void) {}", Language.GLSL),
    ],
)
def test_language(text, language):
    assert registry.family(Text("x", text, RECOGNISED)).language is language


def test_only_channels_the_code_mentions_are_declared():
    text = "iChannelTime; iChannel1; // iChannel2\niChannel3x; iChannel0"
    assert shadertoy.channels(text) == {0, 1}
    source = shadertoy.assemble(text, Dialect.SHADERTOY_ES310, {0: "sampler2D", 1: "samplerCube"})
    assert "binding = 1) uniform highp sampler2D iChannel0;" in source
    assert "binding = 2) uniform highp samplerCube iChannel1;" in source
    assert "iChannel2;" not in source
    assert "sampler2D" not in shadertoy.assemble(BODY, Dialect.SHADERTOY_ES310)


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
    channels = shadertoy.channels(text)
    guesses = shadertoy.cube_guesses(text, channels)
    assert guesses[0] == likely
    assert channels in guesses


def test_a_body_follows_the_paper_s_prelude_unchanged():
    source = shadertoy.assemble(BODY, Dialect.SHADERTOY_ES310)
    assert source.startswith("#version 310 es\n")
    assert source.endswith(f'#line 1 "document"\n{BODY}\n')


def test_desktop_glsl_calls_the_body_after_it():
    source = shadertoy.assemble(BODY, Dialect.SHADERTOY_450)
    assert source.startswith("#version 450\n")
    body, main = source.split(f'#line 1 "document"\n{BODY}\n')
    assert "mainImage" not in body
    assert main.startswith('#line 1 "prelude"\nvoid main()')


def test_complete_glsl_keeps_its_version_first_and_its_lines():
    source = vulkan.complete("// head\n#version 320 es\nvoid main() {}")
    head, extension, line, *rest = source.split("\n")[1:]
    assert (head, line, rest[0]) == ("#version 320 es", '#line 3 "document"', "void main() {}")
    assert extension.startswith("#extension")


def test_complete_glsl_without_a_version_is_desktop_glsl():
    source = vulkan.complete("void main() {}")
    assert source.startswith("#version 450\n")
    assert source.endswith('#line 1 "document"\nvoid main() {}\n')
