"""Which inputs decide what runs, on compiled GLSL, by source line."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import pytest

from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.optimizing import optimized
from shaderlab.scene.defaults import assumptions, deciding_defaults
from shaderlab.scene.draw import Draw, DrawState
from shaderlab.scene.inputs import Input, Inputs, Source
from shaderlab.scene.textures import BLACK
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


LIGHTS = """struct Light { vec4 tint; float reach; };
layout(set = 1, binding = 0) uniform Scene { Light lights[4]; float weights[8]; };
layout(set = 1, binding = 1) uniform sampler2D pictures[3];
"""
"""Three lines, so that `main` stands on line 13."""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if (lights[2].reach > 1.0) discard;",
         {"lights[0].reach": False, "lights[2].reach": True, "lights[2].tint": False}),
        ("if (lights[int(place.x)].reach > 1.0) discard;",
         {"lights[0].reach": True, "lights[3].reach": True, "lights[0].tint": False}),
        ("Light one = lights[1]; if (one.reach > 1.0) discard;",
         {"lights[1].reach": True, "lights[0].reach": False}),
        ("Light all[4] = lights; if (all[1].reach > 1.0) discard;", {"lights[0].reach": True}),
        ("if (weights[5] > 1.0) discard;", {"weights": (5,), "lights[0].reach": False}),
        ("if (texture(pictures[1], place.xy).x + weights[0] > 1.0) discard;",
         {"pictures": (1,), "weights": (0,)}),
        ("if (texture(pictures[int(place.x)], place.xy).x > 1.0) discard;", {"pictures": ()}),
        ("if (texture(pictures[2], place.xy).x > texture(pictures[0], place.xy).x) discard;",
         {"pictures": (0, 2), "pictures[0]": True, "pictures[1]": False}),
    ],
)  # fmt: skip
def test_elements_of_arrays_are_told_apart(body, expected):
    text = f"{HEAD}{LIGHTS}void main() {{\n{body}\ncolour = ubo.tint; }}"
    program = compile_text(text, "made-for-the-test", None)
    found = influence(program.module, program.entry(), program.interface)
    for name, wanted in expected.items():
        decision = found.of(name)
        if isinstance(wanted, bool):
            assert (decision is not None) == wanted, name
        else:
            assert decision is not None
            assert decision.elements == wanted
            assert [at.line for at in decision.lines] == [14]


def test_a_texture_given_to_an_element_settles_it_alone():
    text = (
        f"{HEAD}{LIGHTS}void main() {{ if (texture(pictures[0], place.xy).x"
        " > texture(pictures[2], place.xy).x) discard; colour = ubo.tint; }"
    )
    draw = Draw(compile_text(text, "made-for-the-test", None))
    (left,) = deciding_defaults(draw)
    assert "'pictures[0, 2]', guessed as " in left.sentence

    def given(*numbers: int) -> tuple[str, ...]:
        chosen = {f"pictures[{n}]": Input(BLACK, Source.SET) for n in numbers}
        inputs = Inputs(textures=MappingProxyType(chosen))
        return assumptions(replace(draw, state=DrawState(inputs)))

    assert "'pictures[0]', guessed as " in given(2)[0]
    assert given(0, 2) == ()


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


SCENE = "layout(set = 0, binding = 5) uniform Scene { Ray ray; } scene;\n"
REACH = "float reach_of(Ray ray) { return ray.reach; }\n"


def test_a_struct_of_a_block_that_is_passed_on_decides_with_all_of_it():
    text = (
        f"{SCENE}{REACH}void main() {{\nif (reach_of(scene.ray) > 1.0) discard;\n"
        "colour = ubo.tint; }"
    )
    assert decisions(text) == {"scene.ray.from": [13], "scene.ray.reach": [13]}


def test_a_struct_whose_members_were_stored_one_by_one_decides_with_each():
    text = (
        f"{REACH}void main() {{ Ray ray;\nray.from = ubo.tint.xyz; ray.reach = ubo.limit;\n"
        "if (reach_of(ray) > 1.0) discard;\ncolour = ubo.tint; }"
    )
    assert decisions(text) == {"ubo.limit": [13], "ubo.tint": [13]}


def test_a_block_between_the_stages_has_members_of_its_own():
    text = (
        "layout(location = 1) in Surface { vec2 at; float gloss; } surface;\nvoid main() {\n"
        "if (surface.gloss < 0.5) discard;\ncolour = place; }"
    )
    assert decisions(text) == {"surface.gloss": [12]}
