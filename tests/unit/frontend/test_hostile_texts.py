"""What is asked of a text before it is compiled ends, and raises nothing, whatever it is."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shaderlab.frontend.dialects import entry_points, registry, unreadable
from shaderlab.frontend.dialects.family import Text
from shaderlab.frontend.reading import Language, Reading

_PIECES = (
    "void main() {", "}", "(", ")", "{", "uniform ", "float x;", "sampler2D t", "#version 450\n",
    "#pragma stage fragment\n", '#pragma parameter A "x" 1 2 nan 1e999\n', "/*{", '"INPUTS":', "[",
    "]}*/", "mainImage", "iTime", "varying ", "gl_FragData[7]", "texture2D", "// = vec2(1, inf)\n",
    "technique", "sampler_state {", ": SV_Target", "[shader(", '"pixel"', "struct S ", "out ",
    "layout(", "vec4 transition(vec2 uv)", "uniform vec2 d /* = vec2(3) */;", "@fragment fn", "<",
    "shader_type spatial;", "render_mode ", " : hint_range(0, ", "void fragment() {", "global ",
    "a.b", "a[b.", "varying flat int a;", "void vertex() {", "NORMAL = ", "const float a[",
    "#if FRAGMENT\n", "#extension GL_X : require\n", "\n", "\\\n", "numthreads(", "float4 f(", ";",
)  # fmt: skip
NAMES = ("a.frag", "a.hlsl", "a.slang", "a.fs", "a.wgsl", "a", "a.vert.glsl", "a.gdshader")


@settings(max_examples=150)
@given(
    st.lists(st.one_of(st.sampled_from(_PIECES), st.text(max_size=8)), max_size=30),
    st.sampled_from(NAMES),
    st.sampled_from([None, *Language]),
)
def test_any_text_is_of_some_family(pieces, name, language):
    asked_about(Text(name, "".join(pieces), Reading(language), b'{"a": 1}'))


@pytest.mark.parametrize("piece", [*_PIECES, "a<", "a ", "a b(", "technique a ", "/*{}*/", "[ "])
def test_long_repetitions_end(piece):
    asked_about(Text("a.hlsl", piece * 4000, Reading()))
    asked_about(Text("a.frag", piece * 4000, Reading()))
    begun = f"shader_type spatial;\nvoid fragment() {{ {piece * 4000} }}"
    asked_about(Text("a.gdshader", begun, Reading()))


def asked_about(text: Text) -> None:
    """All that happens to a text up to its first compile."""
    unreadable.reason(text, lambda _: False)
    family = registry.family(text)
    next(iter(family.attempts(text)), None)
    for value in family.given(text).values():
        hash(value)
    family.left_out(text)
    family.hint(text)
    entry_points.functions(text)


def test_a_godot_shader_without_light_is_known_by_its_render_mode():
    def drawn(mode: str) -> str:
        body = "void fragment() { ALBEDO = vec3(1.0); EMISSION = vec3(0.5); }"
        text = Text("a.gdshader", f"shader_type spatial;\n{mode}\n{body}", Reading())
        return next(iter(registry.family(text).attempts(text))).source

    assert drawn("render_mode cull_disabled, unshaded;") != drawn("")
    assert drawn("render_mode cull_disabled;") == drawn("render_mode blend_add;") == drawn("")
