"""Structure, names and completion of unfinished texts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shaderlab.language.builtins import builtins
from shaderlab.language.completion import completions
from shaderlab.language.expression_types import element, swizzled
from shaderlab.language.outline import function_around, outline
from shaderlab.language.references import (
    can_rename,
    definition,
    is_shared,
    references,
    renamed,
    uses_elsewhere,
)
from shaderlab.language.signatures import parameter_range, signature
from shaderlab.language.symbols import Kind, globals_of, members, visible
from shaderlab.language.syntax import Language, Place, Syntax

GLSL = """\
#version 450
#define STEPS 64
#define SQ(x) ((x)*(x))
#ifdef COARSE
const int N = 3;
#else
const int N = 4;
#endif
precision highp float;
layout(set = 0, binding = 1) uniform Params { vec4 tint; float gain[4]; } params;
layout(binding = 2) uniform Globals { mat4 view; };
uniform sampler2D albedo; // größer
in vec2 uv;
struct Ray { vec3 o, d; };
Ray makeRay(in vec2 p, const float t) {
  Ray r; r.o = vec3(0); r.d = normalize(vec3(p, t));
  for (int i = 0; i < STEPS; i++) { float q = float(i); if (q > t) break; }
  return r;
}
void main() {
  Ray ray = makeRay(uv, 1.0);
  float t = SQ(ray.d.x);
  ray.
}
"""
HLSL = """\
cbuffer Scene : register(b0) { float4x4 view; float3 light; };
Texture2D<float4> albedo : register(t0);
SamplerState linearSampler : register(s0);
struct VSOut { float4 pos : SV_Position; float2 uv : TEXCOORD0; };
static const float PI = 3.14;
float3 shade(float3 n, float k) { return saturate(dot(n, light)) * k; }
float4 main(VSOut i) : SV_Target {
  float3 c = albedo.Sample(linearSampler, i.uv).rgb;
  return float4(shade(c, PI), 1);
}
"""
glsl, hlsl = Syntax(GLSL, Language.GLSL), Syntax(HLSL, Language.HLSL)


def place_of(syntax: Syntax, text: str, number: int = 0) -> Place:
    """Place behind an occurrence of a text."""
    at = -1
    for _ in range(number + 1):
        at = syntax.text.index(text, at + 1)
    before = syntax.text[: at + len(text)]
    return Place(before.count("\n") + 1, len(before) - before.rfind("\n"))


def names(syntax: Syntax, place: Place) -> list[str]:
    return [each.name for each in completions(syntax, place)]


def typed(text: str, language: Language = Language.GLSL) -> list[str]:
    """Completions where | stands in the text."""
    before, after = text.split("|")
    syntax = Syntax(before + after, language)
    return names(syntax, place_of(syntax, before))


def test_globals_have_their_kind_and_type():
    kinds = {each.name: (each.kind, each.type) for each in globals_of(glsl)}
    assert "" not in kinds  # `precision` declares nothing
    assert kinds["STEPS"] == (Kind.MACRO, "")
    assert kinds["N"] == (Kind.CONSTANT, "int")
    assert kinds["params"] == (Kind.BLOCK, "Params")
    assert kinds["view"] == (Kind.UNIFORM, "mat4")
    assert kinds["albedo"] == (Kind.UNIFORM, "sampler2D")
    assert kinds["uv"] == (Kind.INPUT, "vec2")
    assert kinds["Ray"] == (Kind.STRUCT, "Ray")
    assert kinds["makeRay"] == (Kind.FUNCTION, "Ray")
    assert [each.name for each in members(glsl, "Params")] == ["tint", "gain"]
    assert [(each.name, each.type) for each in members(glsl, "Ray")] == [
        ("o", "vec3"),
        ("d", "vec3"),
    ]


def test_hlsl_has_the_same():
    kinds = {each.name: (each.kind, each.type) for each in globals_of(hlsl)}
    assert kinds["view"] == (Kind.UNIFORM, "float4x4")
    assert kinds["light"] == (Kind.UNIFORM, "float3")
    assert kinds["albedo"] == (Kind.UNIFORM, "Texture2D<float4>")
    assert kinds["PI"] == (Kind.CONSTANT, "float")
    assert kinds["shade"] == (Kind.FUNCTION, "float3")
    assert typed(HLSL.replace("i.uv)", "i.|)"), Language.HLSL) == ["pos", "uv"]
    assert "SampleLevel" in typed(HLSL.replace(".Sample(", ".Sa|("), Language.HLSL)


def test_a_place_sees_its_scopes_from_within():
    inside = [each.name for each in visible(glsl, place_of(glsl, "if (q > "))]
    assert inside[:5] == ["q", "i", "r", "t", "p"]
    assert "ray" not in inside
    outside = [each.name for each in visible(glsl, place_of(glsl, "  return "))]
    assert "q" not in outside
    assert "i" not in outside


def test_members_and_swizzles_follow_a_dot():
    assert names(glsl, place_of(glsl, "  ray.")) == ["o", "d"]
    assert typed(GLSL.replace("  ray.\n", "  ray.d.|\n"))[:3] == ["x", "xy", "xyz"]
    assert typed(GLSL.replace("  ray.\n", "  makeRay(uv, 1.).o.r|\n")) == ["rg", "rgb"]
    assert typed(GLSL.replace("  ray.\n", "  params.ga|\n")) == ["gain"]
    assert typed(GLSL.replace("  ray.\n", "  params.gain.|\n")) == ["length()"]
    assert typed(GLSL.replace("  ray.\n", "  view[0].xyz.z|\n")) == []
    assert "w" in typed(GLSL.replace("  ray.\n", "  (uv.xyxy * 2.).|\n"))
    assert typed(GLSL.replace("  ray.\n", "  albedo.|\n")) == []


def test_own_names_come_before_built_in_ones():
    found = typed(GLSL.replace("  ray.\n", "  ma|\n"))
    assert found[:2] == ["main", "makeRay"]
    assert "max" in found
    assert "mat4" in found
    assert typed(GLSL.replace("  ray.\n", "  mkR|\n")) == ["makeRay"]


@pytest.mark.parametrize(
    "text", ["// te|", "/* te| */", "#include <te|>", "float a = 1.|;", "12e|"]
)
def test_nothing_completes_in_comments_paths_and_numbers(text):
    assert typed(text) == []


def test_definitions_respect_scopes():
    text = "float a;\nvoid f() { float a = 1.; a; }\nvoid g() { a; }\n"
    syntax = Syntax(text, Language.GLSL)
    inner = definition(syntax, place_of(syntax, "; a"))
    outer = definition(syntax, place_of(syntax, "g() { a"))
    assert inner is not None
    assert outer is not None
    assert (inner.place, outer.place) == (Place(2, 18), Place(1, 7))
    assert references(syntax, Place(1, 7)) == [Place(1, 7), Place(3, 12)]
    assert references(syntax, Place(2, 18)) == [Place(2, 18), Place(2, 26)]
    assert definition(syntax, Place(1, 1)) is None


def test_a_member_is_found_by_its_struct():
    text = "struct A { float v; }; struct B { float v; };\nvoid f(A a, B b) { a.v; b.v; b.v; }\n"
    syntax = Syntax(text, Language.GLSL)
    found = definition(syntax, place_of(syntax, "b.v"))
    assert found is not None
    assert found.place == Place(1, 41)
    assert references(syntax, found.place) == [Place(1, 41), Place(2, 27), Place(2, 32)]


def test_includes_are_looked_at_last():
    included = {"noise.glsl": Syntax("float hash(vec2 p) { return p.x; }", Language.GLSL)}
    syntax = Syntax("void f() { hash(vec2(0)); ha }", Language.GLSL)
    found = definition(syntax, Place(1, 13), included)
    assert found is not None
    assert (found.file, found.place) == ("noise.glsl", Place(1, 7))
    assert "hash" in [each.name for each in completions(syntax, Place(1, 29), included)]
    assert can_rename(syntax, Place(1, 13), "noise").startswith("Only names")


def test_renaming_refuses_what_would_change_the_meaning():
    assert can_rename(glsl, place_of(glsl, "Ray ray"), "beam") == ""
    assert "already means" in can_rename(glsl, place_of(glsl, "Ray ray"), "t")
    assert "built in" in can_rename(glsl, place_of(glsl, "Ray ray"), "sin")
    assert "not a name" in can_rename(glsl, place_of(glsl, "Ray ray"), "2x")


def test_a_name_of_an_included_file_is_renamed_unless_a_file_has_the_new_one():
    text = "float main2() { return hash(1.0); }"
    included = {
        "noise.glsl": Syntax("float hash(float n) { float k = n; return k; }", Language.GLSL)
    }
    other = {"b.frag": Syntax("float c(float q) { return hash(q); }", Language.GLSL)}
    syntax = Syntax(text, Language.GLSL)
    at = place_of(syntax, "float main2() { return ")
    found = definition(syntax, at, included)
    assert found is not None
    assert is_shared(syntax, found)
    assert can_rename(syntax, at, "noise", included, other) == ""
    assert "in noise.glsl" in can_rename(syntax, at, "hash", included, other)
    assert "in b.frag, line 1" in can_rename(syntax, at, "q", included, other)
    assert "in b.frag" in can_rename(syntax, at, "c", included, other)


def test_renamed_replaces_only_what_stands_there():
    assert renamed("a + a\nä a", [Place(1, 5), Place(1, 1), Place(2, 3)], "a", "bc") == (
        "bc + bc\nä bc"
    )
    with pytest.raises(ValueError, match="line 1 has no b"):
        renamed("a", [Place(1, 1)], "b", "c")


def test_the_call_under_way_names_its_parameter():
    syntax = Syntax("float f(vec2 a, float b);\nvoid g() { f(vec2(1, 2), ", Language.GLSL)
    found = signature(syntax, place_of(syntax, "2), "))
    assert found is not None
    assert (found.forms, found.argument) == (("float f(vec2 a, float b)",), 1)
    start, end = parameter_range(found.forms[0], found.argument)
    assert found.forms[0][start:end] == "float b"
    inner = signature(syntax, place_of(syntax, "vec2(1, "))
    assert inner is None  # a constructor takes many forms
    mix = Syntax("void g() { mix(a, b, ", Language.GLSL)
    built_in = signature(mix, Place(1, 22))
    assert built_in is not None
    assert built_in.argument == 2
    assert built_in.forms[0] == "genType mix(genType x, genType y, genType a)"
    assert signature(mix, Place(1, 8)) is None
    assert parameter_range(built_in.forms[0], 3) == (0, 0)


def test_the_outline_is_of_functions_structs_and_uniforms():
    parts = outline(glsl)
    assert [each.symbol.name for each in parts] == [
        "params", "view", "albedo", "Ray", "makeRay", "main",
    ]  # fmt: skip
    around = function_around(parts, place_of(glsl, "for (").line)
    assert around is not None
    assert around.symbol.name == "makeRay"
    assert function_around(parts, 1) is None


@pytest.mark.parametrize("language", Language)
def test_every_built_in_has_a_form_of_its_own_name_and_a_sentence(language):
    table = builtins(language)
    for name, function in (*table.functions.items(), *table.methods.items()):
        assert function.forms, name
        assert all(f" {name}(" in form for form in function.forms), name
        assert function.summary.endswith("."), name
    for variable in table.variables.values():
        assert variable.summary.endswith("."), variable


def test_types_follow_swizzles_and_indices():
    assert swizzled("ivec4", "xy") == "ivec2"
    assert swizzled("float3", "z") == "float"
    assert swizzled("vec2", "z") == ""
    assert swizzled("vec4", "xg") == ""
    assert element("mat4x3") == "vec3"
    assert element("float4x3") == "float3"
    assert element("vec3[2][4]") == "vec3[4]"
    assert element("uvec2") == "uint"


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_an_edited_tree_is_the_tree_of_the_new_text(data):
    syntax = glsl
    text = GLSL
    for _ in range(3):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(start + 20, len(text))))
        by = data.draw(
            st.sampled_from(["", "x", "ü{", "}\n", "float y;", "/*", "*/", "(", "#if 1\n"])
        )
        text = text[:start] + by + text[end:]
        syntax = syntax.edited(text)
        outline(syntax)  # which remembers functions
    anew = Syntax(text, Language.GLSL)
    assert syntax.string(syntax.root) == anew.string(anew.root)
    # What a parser makes of errors depends on what it knew before.
    if not syntax.root.has_error or not anew.root.has_error:
        assert str(syntax.root) == str(anew.root)
        assert outline(syntax) == outline(anew)
        assert globals_of(syntax) == globals_of(anew)


def test_functions_that_an_edit_moves_keep_their_right_places():
    text = "float a() { return 1.0; }\nfloat b(int n) { return 2.0; }\nfloat a() { return 1.0; }\n"
    syntax = Syntax(text, Language.GLSL)
    outline(syntax)
    for edited in (f"\n// ü\n{text}", text, text.replace("b(int", "  bé(int"), f"int x; {text}"):
        syntax = syntax.edited(edited)
        assert outline(syntax) == outline(Syntax(edited, Language.GLSL))


def test_uses_in_another_text_are_those_that_nothing_local_hides():
    text = """float hash(vec2 p) { return p.x; }
float a() { return hash(vec2(1.0)); }
float b(float hash) { return hash; }
float c(S s) { float x = s.hash; { float hash = 1.0; x += hash; } return x + hash(vec2(x)); }
"""
    found = uses_elsewhere(Syntax(text, Language.GLSL), "hash")
    assert [at.line for at in found] == [1, 2, 4]
    assert text.split("\n")[3][found[-1].column - 1 :].startswith("hash(vec2(x))")
    assert uses_elsewhere(Syntax(text, Language.GLSL), "nothing") == []


@given(st.integers(0, len(GLSL)), st.sampled_from(["", ".", "(", "r", "{", "\n#"]))
@settings(max_examples=50, deadline=None)
def test_any_unfinished_text_is_answered(end, last):
    for language in Language:
        text = GLSL[:end] + last
        syntax = Syntax(text, language)
        place = place_of(syntax, text) if text else Place(1, 1)
        assert len(completions(syntax, place)) >= 0
        signature(syntax, place)
        definition(syntax, place)
        references(syntax, place)
        outline(syntax)


@given(st.text(alphabet="aä\n€😀 ", max_size=40), st.integers(0, 40))
def test_places_and_bytes_are_inverse(text, at):
    at = min(at, len(text))
    syntax = Syntax(text, Language.GLSL)
    before = text[:at]
    place = Place(before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1)
    assert syntax.offset(place) == len(before.encode())
