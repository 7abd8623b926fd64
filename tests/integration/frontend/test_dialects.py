"""One small text of every dialect compiles, and says what it is and what it gives."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from shaderlab.errors import CompileFailed, InvalidModule, WrongUse
from shaderlab.frontend import tools
from shaderlab.frontend.compiler import compile_text, load_program
from shaderlab.frontend.program import Dialect, Given, Program, Severity
from shaderlab.frontend.reading import Language, Reading
from shaderlab.frontend.stage import Stage
from shaderlab.spirv.source_lines import instruction_lines

SANDBOX = """\
#ifdef GL_ES
precision mediump float;
#endif
#extension GL_OES_standard_derivatives : enable
uniform float time;
uniform vec2 resolution;
uniform sampler2D picture;
varying vec2 place;
void main() {
    gl_FragColor = texture2D(picture, place) * time + fwidth(resolution.x);
}
"""
ISF = """\
/*{ "ISFVSN": "2", "INPUTS": [
  {"NAME": "inputImage", "TYPE": "image"},
  {"NAME": "amount", "TYPE": "float", "DEFAULT": 0.25, "MIN": 0, "MAX": 2, "LABEL": "Amount"},
  {"NAME": "tint", "TYPE": "color", "DEFAULT": [1, 0.5, 0, 1]},
  {"NAME": "mode", "TYPE": "long", "VALUES": [0, 2], "LABELS": ["soft", "hard"], "DEFAULT": 2},
  {"NAME": "on", "TYPE": "bool", "DEFAULT": true} ],
  "PASSES": [{"TARGET": "before"}, {}] }*/
void main() {
    vec4 old = IMG_NORM_PIXEL(before, isf_FragNormCoord);
    vec4 now = IMG_PIXEL(inputImage, gl_FragCoord.xy) + IMG_THIS_PIXEL(inputImage);
    gl_FragColor = mix(old, now * tint, on && mode == 2 ? amount : sin(TIME) / IMG_SIZE(before).x);
}
"""
LIBRETRO = """\
#version 450
#pragma name Halves
#pragma parameter GAIN "Gain of it" 1.5 0.0 3.0 0.1
layout(push_constant) uniform Push { vec4 SourceSize; float GAIN; } params;
layout(set = 0, binding = 0) uniform UBO { mat4 MVP; } global;
#pragma stage vertex
layout(location = 0) in vec4 Position;
layout(location = 0) out vec2 vTexCoord;
void main() { gl_Position = global.MVP * Position; vTexCoord = Position.xy; }
#pragma stage fragment
layout(location = 0) in vec2 vTexCoord;
layout(location = 0) out vec4 FragColor;
layout(set = 0, binding = 2) uniform sampler2D Source;
void main() { FragColor = params.GAIN * texture(Source, vTexCoord * params.SourceSize.zw); }
"""
TRANSITION = """\
uniform float softness; // = 0.25
uniform ivec2 tiles /* = ivec2(4) */;
vec4 transition(vec2 uv) {
    return mix(getFromColor(uv), getToColor(uv * ratio), progress * softness * float(tiles.x));
}
"""
LOVE = """\
extern number gain;
vec4 effect(vec4 color, Image tex, vec2 texture_coords, vec2 screen_coords) {
    return Texel(tex, texture_coords) * color * gain * (screen_coords.y / love_ScreenSize.y);
}
"""
GODOT = """\
shader_type spatial;
render_mode blend_mix, cull_disabled;
render_mode specular_schlick_ggx;
group_uniforms Look.Colours;
uniform vec4 tint : source_color = vec4(1.0, 0.5, 0.0, 1.0);
uniform float wear : hint_range(0.0, 2.0, 0.1) = 0.5; // of the paint
uniform int mode : hint_enum("Soft", "Hard:4") = 4;
uniform sampler2D SCREEN_TEXTURE : hint_screen_texture, filter_linear_mipmap;
global uniform vec3 wind;
instance uniform bool is_wet = true;
varying vec3 world_place;
varying flat int part;
varying float kept;
const float LEVELS[] = { 0.25, 0.5 };
void vertex() {
    world_place = (MODEL_MATRIX * vec4(VERTEX, 1.0)).xyz;
    part = INSTANCE_ID;
    if (part > 3) { VERTEX.y += sin(TIME); }
}
float grain(vec2 UV, float sample) { return fract(sin(dot(UV, vec2(12.0, 78.0))) * sample); }
void fragment() {
    kept = grain(SCREEN_UV, LEVELS[part & 1]);
    ALBEDO = mix(texture(SCREEN_TEXTURE, SCREEN_UV).rgb, tint.rgb, kept * wear) + wind * COLOR.rgb;
    ROUGHNESS = is_wet ? 0.1 : 0.8 + 0.001 * PI * world_place.x;
    NORMAL_MAP = vec3(0.5, 0.6, 1.0);
    RIM = kept;
    ALPHA = tint.a;
    ALPHA_SCISSOR_THRESHOLD = 0.2;
}
void light() { DIFFUSE_LIGHT += vec3(dot(NORMAL, LIGHT)); }
"""
HLSL = """\
cbuffer Settings : register(b0) { float4 tint; float gain; };
Texture2D albedo : register(t0);
SamplerState linearly : register(s0);
struct Passed { float4 position : SV_Position; float2 uv : TEXCOORD0; };
Passed VSMain(float4 position : POSITION, float2 uv : TEXCOORD0) {
    Passed made; made.position = position; made.uv = uv; return made;
}
float4 PSMain(Passed input) : SV_Target {
    return albedo.Sample(linearly, input.uv) * tint * gain;
}
"""
OWN_BUILTINS = """\
#version 300 es
uniform vec3 iResolution;
uniform float iTime;
uniform sampler2D iChannel0;
uniform float speed;
void mainImage(out vec4 c, in vec2 f) {
    c = texture(iChannel0, f / iResolution.xy) * iTime * speed;
}
"""


def names(program: Program) -> set[str]:
    """Of all inputs: resources, and members of blocks."""
    found = set()
    for resource in program.interface.resources:
        found.add(resource.name)
        found |= {member.name for member in resource.block.members} if resource.block else set()
    return found


@pytest.mark.parametrize(
    ("name", "text", "dialect", "inputs"),
    [
        ("a.frag", SANDBOX, Dialect.OPENGL, {"time", "resolution", "picture"}),
        ("a.fs", ISF, Dialect.ISF, {"inputImage", "before", "amount", "tint", "TIME"}),
        ("a.slang", LIBRETRO, Dialect.LIBRETRO, {"Source"}),
        ("a.glsl", TRANSITION, Dialect.GL_TRANSITION, {"from", "to", "progress", "softness"}),
        ("a.glsl", LOVE, Dialect.LOVE, {"MainTex", "gain", "love_ScreenSize"}),
        ("a.gdshader", GODOT, Dialect.GODOT, {"tint", "wear", "SCREEN_TEXTURE", "wind"}),
        ("a.hlsl", HLSL, Dialect.HLSL, {"tint", "gain", "albedo", "linearly"}),
        ("a.txt", HLSL, Dialect.HLSL, {"tint", "gain", "albedo", "linearly"}),
        ("a.frag", OWN_BUILTINS, Dialect.SHADERTOY_ES310, {"iTime", "iChannel0", "speed"}),
    ],
)
@pytest.mark.usefixtures("toolchain")
def test_a_text_of_each_dialect(name, text, dialect, inputs):
    program = compile_text(text, name, None)
    assert program.dialect is dialect
    assert inputs <= names(program)
    assert program.stage is Stage.FRAGMENT


def test_what_each_dialect_gives():
    isf = compile_text(ISF, "a.fs", None).given
    assert isf["amount"] == Given(0.25, 0.0, 2.0, label="Amount")
    assert isf["tint"].value == (1.0, 0.5, 0.0, 1.0)
    assert isf["mode"] == Given(2, choices=(("soft", 0), ("hard", 2)))
    assert isf["on"].value is True
    libretro = compile_text(LIBRETRO, "a.slang", None).given
    assert libretro == {"GAIN": Given(1.5, 0.0, 3.0, 0.1, "Gain of it")}
    transition = compile_text(TRANSITION, "a.glsl", None).given
    assert (transition["softness"].value, transition["tiles"].value) == (0.25, (4, 4))
    godot = compile_text(GODOT, "a.gdshader", None).given
    assert godot["tint"].value == (1.0, 0.5, 0.0, 1.0)
    assert godot["wear"] == Given(0.5, 0.0, 2.0, 0.1)
    assert godot["mode"] == Given(4, choices=(("Soft", 0), ("Hard", 4)))
    assert godot["is_wet"].value is True
    assert godot["SCREEN_TEXTURE"].filter == "mipmap"
    canvas = (
        "shader_type canvas_item; uniform sampler2D a; uniform sampler2D b : filter_nearest;"
        "void fragment() { COLOR = texture(a, UV) + texture(b, UV); }"
    )
    given = compile_text(canvas, "a.gdshader", None).given
    assert (given["a"].filter, given["b"].filter) == ("linear", "nearest")


def test_what_runs_for_each_pixel_of_a_godot_shader_and_what_does_not():
    program = compile_text(GODOT, "a.gdshader", None)
    (note,) = program.diagnostics
    assert (note.severity, note.line) == (Severity.NOTE, 1)
    assert "Only fragment()" in note.message
    assert note.message.endswith("lighting, vertex() and light() are not included")
    assert program.left_out == note.message, "forecasts repeat it"
    varyings = {varying.name for varying in program.interface.varyings}
    assert {"world_place", "part", "view_normal", "view_tangent"} <= varyings
    assert "kept" not in varyings, "fragment() writes it for light()"
    assert {output.location for output in program.interface.outputs} == {0, 1}, "RIM is kept alive"
    table, written = instruction_lines(program.module), GODOT.split("\n")
    at = map(table.at, range(len(program.module.opcodes)))
    shown = "\n".join({written[line.line - 1] for line in at if line is not None})
    assert "return fract" in shown
    assert "ROUGHNESS = is_wet" in shown
    assert "INSTANCE_ID" not in shown
    assert "DIFFUSE_LIGHT" not in shown


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("shader_type particles;\nvoid start() {}", "type particles run only in Godot"),
        ("shader_type spatial;\nvoid vertex() {}", "there is no fragment()"),
        ("void fragment() {}", "shader_type canvas_item;"),
        ("shader_type sky;\nvoid sky() {\n    COLOR = EYEDIRS;\n}", "a.gdshader:3"),
        (
            "shader_type spatial;\nuniform float a : hint_range(0,\nvoid fragment() {}",
            "a.gdshader:2",
        ),
    ],
)
def test_a_godot_shader_that_cannot_be_drawn_says_why(text, says):
    with pytest.raises(CompileFailed, match=re.escape(says)):
        compile_text(text, "a.gdshader", None)


def test_a_godot_project_is_the_folder_of_res(tmp_path):
    (tmp_path / "project.godot").touch()
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "wave.gdshaderinc").write_text(
        "uniform float wave : hint_range(0, 1) = 0.25;\n"
    )
    (tmp_path / "sea").mkdir()
    shader = tmp_path / "sea" / "sea.gdshader"
    text = """shader_type canvas_item;
        #include "res://shared/wave.gdshaderinc"
        void fragment() { COLOR = vec4(UV * wave, 0.0, 1.0); }"""
    shader.write_text(text)
    program = load_program(shader)
    assert program.given["wave"].value == 0.25
    assert [Path(each).name for each in program.includes] == ["wave.gdshaderinc"]
    (tmp_path / "shared" / "wave.gdshaderinc").write_text('#include "tide.gdshaderinc"\n')
    (tmp_path / "shared" / "tide.gdshaderinc").write_text(
        "uniform float wave : hint_range(0, 1) = 0.5;\n"
    )
    assert load_program(shader).given["wave"].value == 0.5, "found beside the file that asks for it"
    shader.write_text(text.replace("res://shared", "../shared"))
    assert load_program(shader).given["wave"].value == 0.5
    shader.write_text(text.replace("res://", "res://../"))
    with pytest.raises(CompileFailed, match="not in an include folder"):
        load_program(shader)


def test_pictures_that_an_isf_header_names():
    text = """/*{"CATEGORIES": [], "PERSISTENT_BUFFERS": ["kept"],
    "IMPORTED": {"map": {"PATH": "a.png"}}, "INPUTS": [{"NAME": "at", "TYPE": "point2D"}]}*/
    void main() { gl_FragColor = texture2D(kept, at) + IMG_THIS_PIXEL(map); }"""
    assert {"kept", "map", "at"} <= names(compile_text(text, "a.fs", None))


def test_values_beside_the_file(tmp_path):
    text = (
        "#version 300 es\nprecision highp float;\nuniform vec2 at;\nuniform int n;\nout vec4 c;\n"
    )
    (tmp_path / "a.frag").write_text(text + "void main() { c = vec4(at, float(n), 1.0); }")
    (tmp_path / "a.json").write_text(
        '{"at": {"func": "glUniform2f", "args": [8, 9.5]}, "n": {"func": "glUniform1i",'
        ' "args": [3]}, "t": {"func": "sampler2D", "texture": "DEFAULT"}, "x": 3}'
    )
    program = load_program(tmp_path / "a.frag")
    assert program.given == {"at": Given((8.0, 9.5)), "n": Given(3)}
    (tmp_path / "a.json").write_text("[" * 100_000)
    assert load_program(tmp_path / "a.frag").given == {}


@pytest.mark.parametrize(
    ("name", "text"), [("a.slang", LIBRETRO), ("a.hlsl", HLSL), ("a.frag", SANDBOX)]
)
def test_lines_are_those_of_the_text(name, text):
    module = compile_text(text, name, None).module
    lines = instruction_lines(module)
    shown = {lines.at(n) for n in range(len(module.opcodes))} - {None}
    marks = ("Sample(", "texture(", "texture2D(")
    wanted = {n for n, line in enumerate(text.split("\n"), 1) if any(m in line for m in marks)}
    assert wanted & {line.line for line in shown}
    assert {line.file for line in shown} == {""}


@pytest.mark.parametrize(
    ("name", "text", "wrong", "line"),
    [
        ("a.frag", SANDBOX, "place) * wrong", 10),
        ("a.fs", ISF, "IMG_NORM_PIXEL(before, wrong", 9),
        ("a.slang", LIBRETRO, "FragColor = wrong", 14),
        ("a.glsl", TRANSITION, "progress * wrong", 4),
        ("a.hlsl", HLSL, "tint * wrong", 9),
    ],
)
@pytest.mark.usefixtures("toolchain")
def test_errors_stand_at_the_text_s_own_lines(name, text, wrong, line):
    kept = wrong.removesuffix("wrong")
    at = text.index(kept) + len(kept)
    broken = text[:at] + "wrong * " + text[at:]
    with pytest.raises(CompileFailed) as error:
        compile_text(broken, name, None)
    first = error.value.diagnostics[0]
    assert (first.line, "'wrong'" in first.message) == (line, True)
    assert broken.split("\n")[line - 1][first.column - 1 :].startswith("wrong")


def test_other_stages(tmp_path):
    vertex = "#version 450\nlayout(location = 0) out vec2 uv;\nvoid main() { uv = vec2(1.0);"
    vertex += " gl_Position = vec4(float(gl_VertexIndex)); }\n"
    with pytest.raises(CompileFailed, match="--stage vert"):
        compile_text(vertex, "a.vert", None)
    with pytest.raises(CompileFailed) as error:
        compile_text(vertex, "a.glsl", None)
    assert any("--stage vert" in d.message for d in error.value.diagnostics)
    first = error.value.diagnostics[0]
    assert first.message.startswith("this looks like a vertex shader"), "the cause comes first"
    program = compile_text(vertex, "a.vert", None, Reading(stage=Stage.VERTEX))
    assert [output.name for output in program.interface.outputs][:1] == ["uv"]
    assert program.stage is Stage.VERTEX
    assert (
        compile_text(LIBRETRO, "a.slang", None, Reading(stage=Stage.VERTEX)).stage is Stage.VERTEX
    )
    hlsl = compile_text(HLSL, "a.hlsl", None, Reading(stage=Stage.VERTEX))
    assert hlsl.entry_point == "VSMain"
    path = tmp_path / "a.spv"
    path.write_bytes(program.spirv)
    with pytest.raises(InvalidModule, match="--stage vert"):
        load_program(path)
    assert load_program(path, Reading(stage=Stage.VERTEX)).stage is Stage.VERTEX


def test_the_entry_point_is_found_or_asked_for():
    text = HLSL + "float4 Other() : SV_Target { return 1; }\n"
    assert compile_text(text, "a.hlsl", None).entry_point == "PSMain"
    assert compile_text(text, "a.hlsl", None, Reading(entry="Other")).entry_point == "Other"
    compute = "[numthreads(8, 8, 1)] void Fill(uint3 at : SV_DispatchThreadID) {}\n"
    filling = compile_text(compute, "a.hlsl", None)
    assert (filling.stage, filling.entry_point) == (Stage.COMPUTE, "Fill")
    assert compile_text(compute + text, "a.hlsl", None).stage is Stage.FRAGMENT
    ray = '[shader("closesthit")] void main(inout P payload, in A at) {}\n'
    with pytest.raises(CompileFailed, match=r"\(only main \(closesthit\)\)"):
        compile_text(ray, "a.hlsl", None)
    with pytest.raises(WrongUse, match="--entry"):
        compile_text(SANDBOX, "a.frag", None, Reading(entry="other"))


def test_read_only_buffers_of_hlsl_have_bindings_of_their_own():
    text = (
        "RWStructuredBuffer<float> made : register(u0);\n"
        "StructuredBuffer<float> given : register(t0);\n"
        "[numthreads(64, 1, 1)] void CSMain(uint3 at : SV_DispatchThreadID)"
        " { made[at.x] = given[at.x]; }\n"
    )
    program = compile_text(text, "a.hlsl", None)
    bindings = {each.name: each.descriptor.binding for each in program.interface.resources}
    assert bindings == {"given": 32, "made": 96}
    assert program.interface.workgroup.size == (64, 1, 1)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.comp", "void main() {}"),
        ("a.glsl", "#version 450\nlayout(local_size_x = 8) in;\nvoid main() {}"),
        ("a.comp.glsl", "#version 430\nlayout(local_size_x = 8) in;\nvoid main() {}"),
    ],
)
def test_a_compute_shader_is_recognised(name, text):
    assert compile_text(text, name, None).stage is Stage.COMPUTE


def test_an_error_in_a_compute_shader_names_the_stage():
    with pytest.raises(CompileFailed) as caught:
        compile_text("void main() { x; }", "a.comp", None)
    assert "read as a compute shader" in [each.message for each in caught.value.diagnostics]


def test_macros_and_folders_of_includes(tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "colour.glsl").write_text('#include "part.glsl"\n')
    (tmp_path / "lib" / "part.glsl").write_text("vec3 colour() { return vec3(STRENGTH); }\n")
    text = "#include <colour.glsl>\nvoid main() { gl_FragColor = vec4(colour(), 1.0); }\n"
    path = tmp_path / "own" / "a.frag"
    path.write_text(text)
    reading = Reading(defines=(("STRENGTH", "0.5"),), search=(tmp_path / "lib",))
    program = load_program(path, reading)
    assert [Path(each).name for each in program.includes] == ["colour.glsl", "part.glsl"]
    with pytest.raises(CompileFailed, match=r'"colour\.glsl" was not found'):
        load_program(path)
    with pytest.raises(CompileFailed, match=r"\.\./lib/part\.glsl:1:\d+: 'STRENGTH'"):
        load_program(path, Reading(search=(tmp_path / "lib",)))


@pytest.mark.parametrize(
    ("name", "text", "reader"),
    [
        ("a.gdshaderinc", "float half_of(float x) { return x / 2.0; }", "Godot"),
        ("a.metal", "fragment float4 f() { return 1; }", "xcrun metal"),
        ("a.shader", 'Shader "x" {\nSubShader {\nPass {\nCGPROGRAM\nENDCG\n}\n}\n}', "Unity"),
        ("a.frag", "#include <common>\nvoid main() { gl_FragColor = vec4(1.0); }", "three.js"),
        ("a.osl", "shader s() {}", "oslc"),
        ("a.json", '{"ver": "0.1", "renderpass": []}', "shaderlab import"),
        ("a.frag", "void mainImage(const in vec4 i, const in vec2 uv, out vec4 o) {}", "three.js"),
        ("a.rchit", "#version 460\nvoid main() {}", "closest-hit"),
    ],
)
def test_what_cannot_be_read_names_what_would(name, text, reader):
    with pytest.raises(CompileFailed, match=reader) as error:
        compile_text(text, name, None)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("program", "name", "text"),
    [
        ("slangc", "a.slang", '[shader("fragment")] float4 f() : SV_Target { return 1; }'),
        ("naga", "a.wgsl", "@fragment fn f() -> @location(0) vec4<f32> { return vec4<f32>(); }"),
    ],
)
def test_compilers_of_others_are_named_where_they_are_missing(program, name, text):
    if tools.find(program):
        assert compile_text(text, name, None).entry_point == "f"
        return
    with pytest.raises(CompileFailed, match=program):
        compile_text(text, name, None)


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("sampler2D s : register(s0);\nfloat4 main(float2 at : TEXCOORD0) : COLOR "
         "{ return tex2D(s, at); }", "main"),
        ("texture t;\nsampler s = sampler_state { Texture = <t>; };\nfloat4 ps(float2 at : "
         "TEXCOORD0) : COLOR0 { return tex2D(s, at); }\ntechnique T { pass P { PixelShader = "
         "compile ps_2_0 ps(); } }", "ps"),
        ('[shader("pixel")] float4 thing(float4 p : SV_Position) : SV_Target { return ddx(p); }',
         "thing"),
        ("float4 main(float4 p : SV_Position) : SV_Target { return select(p > 1.0, p, -p); }",
         "main"),
        ("float4 PixelThing(float4 p) { return p; }", "PixelThing"),
        ("struct Made { float4 a : SV_Target0; float d : SV_Depth; };\nMade ps() { Made made; "
         "made.a = 1.0; made.d = 0.5; return made; }", "ps"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("toolchain")
def test_hlsl_of_every_age(text, entry):
    program = compile_text(text, "a.hlsl", None)
    assert (program.entry_point, program.diagnostics) == (entry, ())


def test_hlsl_s_registers_get_bindings_of_their_own():
    resources = compile_text(HLSL, "a.hlsl", None).interface.resources
    assert {r.name: r.descriptor.binding for r in resources} == {
        "Settings": 0,
        "albedo": 32,
        "linearly": 64,
    }


@pytest.mark.parametrize("language", [Language.ESSL, Language.GLSL])
def test_the_language_can_be_said(language):
    text = "#version 450\nlayout(location = 0) out vec4 c;\nvoid main() { c = vec4(1.0); }\n"
    dialect = compile_text(text, "a.frag", None, Reading(language)).dialect
    assert dialect is (Dialect.OPENGL if language is Language.ESSL else Dialect.GLSL)


def test_desktop_opengl_of_every_age():
    old = "#version 120\nuniform sampler2D texture;\nvarying vec4 v;\nvoid main() {\n"
    old += "gl_FragData[1] = texture2D(texture, v.xy) * gl_Color + gl_TexCoord[0]; }\n"
    program = compile_text(old, "a.frag", None)
    assert {v.name for v in program.interface.varyings} >= {"v", "shaderlab_Color"}
    kodelife = "#version 150\nuniform float time;\nuniform vec2 resolution;\n"
    kodelife += "in VertexData { vec4 v_position; vec2 v_texcoord; } inData;\nout vec4 fragColor;\n"
    kodelife += "void main() { fragColor = vec4(inData.v_texcoord, time, resolution.x); }\n"
    assert compile_text(kodelife, "a.glsl", None).dialect is Dialect.OPENGL
    both = (
        "#if defined(VERTEX)\nvoid main() { gl_Position = vec4(1.0); }\n#elif defined(FRAGMENT)\n"
    )
    both += "uniform vec4 c;\nvoid main() { gl_FragColor = c; }\n#endif\n"
    assert names(compile_text(both, "a.glsl", None)) >= {"c"}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return colr * 2.0;", ["'colr' is not declared"]),
        ("return lenght(1);", ["'lenght' is not declared; did you mean 'length'?"]),
        ("return mix(0, 1, 1);", ["'mix' is not declared; did you mean 'lerp'?"]),
        ("float a = 1.0 return a;", ["';' is missing here or before"]),
    ],
)
def test_an_error_in_hlsl_is_told_once_and_by_its_cause(body, said):
    with pytest.raises(CompileFailed) as error:
        compile_text(f"float4 main() : SV_Target {{ {body} }}\n", "a.hlsl", None)
    found = error.value.diagnostics
    assert [d.message for d in found if d.severity is Severity.ERROR] == said
