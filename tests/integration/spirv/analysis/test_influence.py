"""Which inputs decide what runs, on compiled GLSL, by source line."""

from __future__ import annotations

import pytest

from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.optimizing import optimized
from shaderlab.spirv.analysis.influence import influence

HEAD = """#version 450
layout(location = 0) out vec4 colour;
layout(location = 0) in vec4 place;
layout(set = 0, binding = 0) uniform Block { int steps; float limit; vec4 tint; float gain; } ubo;
layout(set = 0, binding = 1) uniform Lights { vec4 colours[4]; };
layout(set = 0, binding = 2) uniform sampler2D picture;
layout(push_constant) uniform Push { int mode; float scale; } push;
layout(constant_id = 3) const int QUALITY = 2;
struct Ray { vec3 from; float reach; };
"""
"""Nine lines."""


def decisions(text: str, *, after: bool = False) -> dict[str, list[int]]:
    """By input: the lines it decides; `text` starts at line 10."""
    program = compile_text(HEAD + text, "made-for-the-test", None)
    if after:
        program = optimized(program)
    entry = program.module.fragment_entry_point(program.entry_point)
    found = influence(program.module, entry, program.interface)
    return {name: [at.line for at in each.lines] for name, each in found.decisions.items()}


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("void main() { colour = ubo.tint * ubo.gain * push.scale; }", {}),
        ("void main() {\nfor (int i = 0; i < ubo.steps; i++)\ncolour += ubo.tint; }",
         {"ubo.steps": [11]}),
        ("void main() {\ncolour = colours[ubo.steps];\n}", {"ubo.steps": [11]}),
        ("void main() {\nif (texture(picture, place.xy).a < 0.5) discard;\ncolour = ubo.tint; }",
         {"picture": [11], "place": [11]}),
        ("void main() {\nswitch (push.mode) { case 0: colour = ubo.tint; break;\n"
         "default: discard; }}", {"push.mode": [11]}),
        ("float f(float x, inout float y) {\ny += x; return y; }\nvoid main() {\nfloat y = 1.0;\n"
         "f(ubo.limit, y);\nif (y > 2.0) discard;\ncolour = ubo.tint; }", {"ubo.limit": [15]}),
        ("void main() {\nwhile (colour.x < ubo.limit) {\ncolour.x += ubo.gain;\n"
         "if (colour.x > 3.0) break; } }", {"ubo.limit": [11], "ubo.gain": [11, 13]}),
        ("void main() {\nfloat whole; float part = modf(ubo.gain, whole);\n"
         "if (whole > 2.0) discard;\ncolour = ubo.tint * part; }", {"ubo.gain": [12]}),
    ],
)  # fmt: skip
def test_decisions(text, expected, after):
    found = decisions(text, after=after)
    if after:
        assert found.keys() == expected.keys()
    else:
        assert found == expected


def test_a_specialisation_constant_decides():
    found = decisions("void main() {\nfor (int i = 0; i < QUALITY * 2; i++) colour += ubo.tint; }")
    assert found == {"QUALITY": [11]}


def test_members_of_a_variable_are_told_apart():
    text = (
        "void main() {\nRay ray; ray.from = ubo.tint.xyz; ray.reach = ubo.limit;\n"
        "if (ray.reach > 1.0) discard;\ncolour = vec4(ray.from, 1); }"
    )
    assert decisions(text) == {"ubo.limit": [12]}


def test_a_whole_struct_passed_on_decides_with_all_of_it():
    text = (
        "float reach_of(Ray ray) { return ray.reach; }\n"
        "void main() { Ray ray = Ray(ubo.tint.xyz, ubo.limit);\n"
        "Ray other = ray;\nif (reach_of(other) > 1.0) discard;\ncolour = ubo.tint; }"
    )
    assert decisions(text) == {"ubo.limit": [13], "ubo.tint": [13]}


def test_what_is_never_called_decides_nothing():
    text = "void unused() { if (ubo.limit > 1.0) discard; }\nvoid main() { colour = ubo.tint; }"
    assert decisions(text) == {}
