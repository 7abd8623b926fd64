# ruff: noqa: E501
"""Two hundred shaders that mean harm, written for this: what people type by accident, and worse.

Each says which ends are right for it.  A software driver may end a loop that has no end (llvmpipe
leaves any after 65,535 rounds) or delete one without effect, so several ends can be right; a dead
window, a picture of an earlier shader passed off as this one, or silence never are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Flag, auto


class End(Flag):
    """How a hostile shader may end."""

    REFUSED = auto()
    """It does not compile, or the device does not take it: an error that says so."""
    STOPPED = auto()
    """It went over a limit or took its worker down: stopped, named, remembered."""
    PICTURE = auto()
    """It is drawn."""


ANY = End.REFUSED | End.STOPPED | End.PICTURE
RUNS = End.STOPPED | End.PICTURE


@dataclass(frozen=True)
class Hostile:
    name: str
    text: str
    ends: End


def good(number: int) -> str:
    """A harmless shader, no two alike: what the window must show again afterwards."""
    return body(f"fragColor = vec4({number % 256}.0 / 255.0, 0.25, 0.75, 1.0);", f"// {number}")


def body(code: str, before: str = "") -> str:
    return f"{before}\nvoid mainImage(out vec4 fragColor, in vec2 fragCoord)\n{{\n{code}\n}}\n"


def all_of(salt: int = 0) -> list[Hostile]:
    """As `each`, at once."""
    made = list(each(salt))
    assert len({shader.name for shader in made}) == len(made)
    return made


def each(salt: int = 0) -> Iterator[Hostile]:
    """All 200, made one by one: together they are 54 MiB of text, which would hide what the
    window's memory grows by.  Another `salt` gives the same with other constants, unknown to any
    quarantine."""
    for family in _FAMILIES:
        yield from family(salt)


def _loops(salt: int) -> Iterator[Hostile]:
    start = f"float x = fragCoord.x + {salt}.5; int i = {salt}; vec2 p = fragCoord;"
    show = "fragColor = vec4(x, p, float(i));"
    keep = "x = sin(x) * 2.0;"
    forms = {
        "while_true": f"while (true) {{ {keep} }}",
        "for_ever": f"for (;;) {{ {keep} }}",
        "do_while": f"do {{ {keep} }} while (true);",
        "never_larger": f"while (x < 1e30) {{ {keep} }}",
        "no_step": f"for (i = 0; i < 10;) {{ {keep} }}",
        "wrong_way": f"for (i = 9; i < 10; i--) {{ {keep} if (i < -1000000) i = 0; }}",
        "step_lost_in_rounding": f"for (float f = 1e9; f < 2e9; f += 1.0) {{ {keep} }}",
        "step_zero": f"for (float f = 0.0; f < 1.0; f += 0.0 * x) {{ {keep} }}",
        "nan_bound": f"float n = sqrt(-1.0 - x * x); while (!(x > n)) {{ {keep} }}",
        "continue_before_step": f"i = 0; while (i < 10) {{ {keep} if (x < 9.0) continue; i++; }}",
        "break_never": f"for (;;) {{ {keep} if (x > 5.0) break; }}",
        "return_never": f"for (;;) {{ {keep} if (x > 5.0) return; }}",
        "discard_never": f"for (;;) {{ {keep} if (x > 5.0) discard; }}",
        "nested": f"for (;;) for (;;) {{ {keep} }}",
        "nested_inner_ends": f"for (;;) for (int j = 0; j < 9; j++) {{ {keep} }}",
        "five_deep": f"for (;;) for (;;) for (;;) for (;;) for (;;) {{ {keep} }}",
        "some_pixels": f"while (fragCoord.x > 100.0 && x < 9.0) {{ {keep} }}",
        "one_pixel": f"while (fragCoord == vec2(0.5) && x < 9.0) {{ {keep} }}",
        "every_other_pixel": f"while (mod(fragCoord.x, 2.0) > 1.0 && x < 9.0) {{ {keep} }}",
        "switch_inside": f"for (;;) {{ switch (i) {{ case 0: i = 1; break; default: i = 0; }} {keep} }}",
        "ternary_inside": "for (;;) x = x > 1.0 ? x * 0.5 : x * 2.0 + 0.1;",
        "array_walk": f"float a[8]; for (i = 0; ; i = (i + 1) & 7) {{ a[i] = x; {keep} x += a[7 - i]; }}",
        "collatz": "int n = int(fragCoord.x) * 2 + 3; while (n != 0) { n = n % 2 == 0 ? n / 2 : 3 * n + 1; } x = float(n);",
        "hash_search": "uint h = uint(fragCoord.x); while (h != 0u) { h = h * 1664525u + 1013904223u | 1u; } x = float(h);",
        "march_nowhere": "float t = 0.0; while (t < 1.0) { t += min(0.0, sin(t)); p += t; }",
        "newton": "while (abs(x * x + 1.0) > 0.001) { x = x - (x * x + 1.0) / (2.0 * x); }",
        "vector_condition": "while (all(lessThan(p, vec2(1e9)))) { p = sin(p); }",
        "and_chain": f"while (x < 9.0 && p.x < 1e9 || i == {salt}) {{ {keep} }}",
        "comma": "for (i = 0, x = 0.0; x < 9.0; i++, x = sin(x)) { }",
        "empty_body": "while (x < 1e30) ;",
        "without_effect": "for (;;) { }",
        "uniform_condition": f"while (iResolution.x > 1.0) {{ {keep} }}",
        "after_first_time": f"while (iTime >= 0.0) {{ {keep} }}",
        "before_frame": f"while (iFrame < 1000000) {{ {keep} }}",
        "long_1e9": f"for (i = 0; i < 1000000000; i++) {{ {keep} }}",
        "long_nested": f"for (int a = 0; a < 9999; a++) for (int b = 0; b < 9999; b++) {{ {keep} }}",
        "long_four_deep": (
            "for (int a = 0; a < 300; a++) for (int b = 0; b < 300; b++) "
            f"for (int c = 0; c < 300; c++) for (int d = 0; d < 300; d++) {{ {keep} }}"
        ),
        "long_uint": f"for (uint u = 0u; u < 4294967295u; u++) {{ {keep} }}",
        "long_texture": "for (;;) { p = texture(iChannel0, p).xy + fract(p * 1.7); }",
        "dfdx_inside": "for (;;) { x = dFdx(x) + sin(x); }",
    }  # fmt: skip
    for name, code in forms.items():
        yield Hostile(f"loop_{name}", body(f"{start} {code} {show}"), RUNS)
    helper = "float spin(float x) { while (x < 1e30) { x = sin(x); } return x; }"
    call = f"fragColor = vec4(spin(fragCoord.x + {salt}.0));"
    yield Hostile("loop_in_function", body(call, helper), RUNS)
    macro = "#define FOREVER for (;;)\n#define BEGIN {\n#define END }"
    code = f"float x = {salt}.0 + fragCoord.x; FOREVER BEGIN x = sin(x); END fragColor = vec4(x);"
    yield Hostile("loop_in_macros", body(code, macro), RUNS)
    full = (
        "#version 450\nlayout(location = 0) out vec4 c;\n"
        f"void main() {{ float x = gl_FragCoord.x + {salt}.0; for (;;) x = cos(x); c = vec4(x); }}\n"
    )
    yield Hostile("loop_in_glsl_main", full, RUNS)
    chain = "\n".join(
        f"float f{n}(float x) {{ for (int i = 0; i < 40; i++) x = f{n - 1}(x + 0.1); return x; }}"
        for n in range(1, 9)
    )
    code = f"fragColor = vec4(f8(fragCoord.x + {salt}.0));"
    yield Hostile("loop_tower", body(code, "float f0(float x) { return sin(x); }\n" + chain), RUNS)


def _macros(salt: int) -> Iterator[Hostile]:
    for levels, doubled in ((16, 2), (22, 2), (28, 2), (60, 2), (12, 10), (9, 100)):
        lines = [f"#define M0 + sin(fragCoord.x * {salt}.5)"]
        lines += [f"#define M{n} {' '.join([f'M{n - 1}'] * doubled)}" for n in range(1, levels + 1)]
        code = f"fragColor = vec4(0.0 M{levels});"
        yield Hostile(f"macro_{doubled}_to_{levels}", body(code, "\n".join(lines)), ANY)
    yield Hostile(
        "macro_of_itself", body("fragColor = vec4(A);", "#define A B\n#define B A"), End.REFUSED
    )
    arguments = "#define D(x) (x) + (x)\n"
    call = "D(" * 24 + f"fragCoord.x + {salt}.0" + ")" * 24
    yield Hostile("macro_nested_calls", body(f"fragColor = vec4({call});", arguments), ANY)
    yield Hostile("macro_unclosed", body("fragColor = vec4(A(1;", "#define A(x) x"), End.REFUSED)
    many = "\n".join(f"#define N{n} {n + salt}" for n in range(20_000))
    yield Hostile("macro_twenty_thousand", body("fragColor = vec4(N19999);", many), ANY)


def _large(salt: int) -> Iterator[Hostile]:
    ten = 10_000_000
    yield Hostile(
        "ten_megabytes_of_comment", body("fragColor = vec4(1);", "//" + "x" * ten), End.REFUSED
    )
    yield Hostile("ten_megabytes_of_spaces", body("fragColor = vec4(1);", " " * ten), End.REFUSED)
    yield Hostile("ten_megabytes_of_lines", body("fragColor = vec4(1);", "\n" * ten), End.REFUSED)
    statements = "fragColor += vec4(0.1);\n" * (ten // 24)
    yield Hostile("ten_megabytes_of_statements", body(statements), End.REFUSED)
    yield Hostile("ten_megabytes_of_digits", body(f"fragColor = vec4(0.{'1' * ten});"), End.REFUSED)
    half = 500_000
    yield Hostile(
        "long_comment", body(f"fragColor = vec4({salt});", "/*" + "x" * half + "*/"), End.PICTURE
    )
    statements = f"fragColor += vec4(sin(fragCoord.x + {salt}.0));\n" * 12_000
    yield Hostile("twelve_thousand_statements", body(statements), ANY)
    sum_of = " + ".join(["sin(fragCoord.x)"] * 20_000)
    yield Hostile("one_expression", body(f"fragColor = vec4({sum_of} + {salt}.0);"), ANY)
    functions = "\n".join(f"float f{n}(float x) {{ return x + {n}.0; }}" for n in range(8000))
    yield Hostile("eight_thousand_functions", body("fragColor = vec4(f7999(1.0));", functions), ANY)
    cases = "\n".join(f"case {n}: x += {n}.0; break;" for n in range(8000))
    code = f"float x = {salt}.0; switch (int(fragCoord.x)) {{ {cases} }} fragColor = vec4(x);"
    yield Hostile("eight_thousand_cases", body(code), ANY)
    variables = "\n".join(f"vec4 v{n} = sin(fragCoord.xyxy + {n}.0);" for n in range(4000))
    sums = "\n".join(f"fragColor += v{n} * v{3999 - n};" for n in range(4000))
    yield Hostile(
        "four_thousand_live_vectors", body(f"fragColor = vec4({salt});{variables}{sums}"), ANY
    )
    yield Hostile("long_digits", body(f"fragColor = vec4(0.{'3' * 100_000});"), ANY)
    yield Hostile("long_exponent", body("fragColor = vec4(1e999999999);"), ANY)
    yield Hostile("long_integer", body("fragColor = vec4(99999999999999999999);"), ANY)


def _deep(salt: int) -> Iterator[Hostile]:
    for depth in (300, 3000, 30_000, 200_000):
        inner = f"fragCoord.x + {salt}.0"
        yield Hostile(
            f"parentheses_{depth}",
            body(f"fragColor = vec4({'(' * depth}{inner}{')' * depth});"),
            ANY,
        )
    for depth in (300, 3000, 30_000):
        yield Hostile(
            f"braces_{depth}", body("{" * depth + "fragColor = vec4(1.0);" + "}" * depth), ANY
        )
        code = f"if (fragCoord.x > {salt}.0) " * depth + "fragColor = vec4(1.0);"
        yield Hostile(f"ifs_{depth}", body(code), ANY)
        yield Hostile(f"minus_{depth}", body(f"fragColor = vec4({'- ' * depth}fragCoord.x);"), ANY)
        yield Hostile(
            f"calls_in_calls_{depth}",
            body(f"fragColor = vec4({'sin(' * depth}1.0{')' * depth});"),
            ANY,
        )
    for depth in (200, 2000):
        code = "x > 0.5 ? sin(x) : " * depth + "x"
        yield Hostile(
            f"ternaries_{depth}", body(f"float x = fragCoord.x; fragColor = vec4({code});"), ANY
        )
        code = "if (x > 0.5) { x = sin(x); } else " * depth + "{ }"
        yield Hostile(
            f"elses_{depth}", body(f"float x = fragCoord.x; {code} fragColor = vec4(x);"), ANY
        )
        structs = "struct S0 { float a; };\n" + "\n".join(
            f"struct S{n} {{ S{n - 1} s; }};" for n in range(1, depth)
        )
        yield Hostile(
            f"structs_{depth}", body(f"S{depth - 1} s; fragColor = vec4(1);", structs), ANY
        )
    for depth in (20, 100, 400):
        loops = "".join(f"for (int i{n} = 0; i{n} < 2; i{n}++) " for n in range(depth))
        code = f"float x = {salt}.0; {loops} x = sin(x + fragCoord.x); fragColor = vec4(x);"
        yield Hostile(f"loops_in_loops_{depth}", body(code), ANY)
    dimensions = "[2]" * 40
    yield Hostile("forty_dimensions", body(f"float a{dimensions}; fragColor = vec4(1);"), ANY)
    chain = "float f0(float x) { return x; }\n" + "\n".join(
        f"float f{n}(float x) {{ return f{n - 1}(x) + f{n - 1}(x + 1.0); }}" for n in range(1, 40)
    )
    code = f"fragColor = vec4(f39(fragCoord.x + {salt}.0));"
    yield Hostile("calls_doubling", body(code, chain), ANY)
    ifs = "#if 1\n" * 5000
    yield Hostile("open_ifs", ifs + body("fragColor = vec4(1.0);"), ANY)
    yield Hostile("closed_ifs", ifs + body("fragColor = vec4(1.0);") + "#endif\n" * 5000, ANY)


def _arrays(salt: int) -> Iterator[Hostile]:
    index = f"int(fragCoord.x) + {salt}"
    for size in (1 << 12, 1 << 16, 1 << 20, 1 << 24, 1 << 28, (1 << 31) - 1, 1 << 31, 1 << 40):
        code = f"float a[{size}]; a[({index}) % 97] = 1.0; fragColor = vec4(a[({index}) % 89]);"
        yield Hostile(f"array_{size}", body(code), ANY)
    for size in (1 << 12, 1 << 20, 1 << 24):
        code = (
            f"mat4 a[{size}]; a[({index}) % 97][1] = vec4(1.0); fragColor = a[({index}) % 89][1];"
        )
        yield Hostile(f"array_of_matrices_{size}", body(code), ANY)
        code = f"fragColor = vec4(g[({index}) % {size}]);"
        yield Hostile(f"array_global_{size}", body(code, f"float g[{size}];"), ANY)
    values = ", ".join(f"{n}.5" for n in range(20_000))
    code = f"const float a[] = float[]({values}); fragColor = vec4(a[({index}) % 20000]);"
    yield Hostile("array_constant", body(code), ANY)
    for name, length in enumerate(("0", "-1", "x", "1.5", "1/0", f"{salt}-{salt}")):
        yield Hostile(f"array_length_{name}", body(f"float a[{length}]; fragColor = vec4(1);"), ANY)
    passing = "float f(float a[65536], int i) { a[i & 65535] += 1.0; return a[(i * 7) & 65535]; }"
    code = f"float a[65536]; a[3] = 1.0; fragColor = vec4(f(a, {index}) + f(a, 1));"
    yield Hostile("array_by_value", body(code, passing), ANY)


def _undefined(salt: int) -> Iterator[Hostile]:
    zero = f"int z = int(fragCoord.x * 0.0); int n = {salt + 1};"
    codes = {
        "divide_int": f"{zero} fragColor = vec4(float(n / z));",
        "divide_uint": f"{zero} fragColor = vec4(float(uint(n) / uint(z)));",
        "modulo": f"{zero} fragColor = vec4(float(n % z));",
        "divide_least": f"{zero} int m = -2147483647 - 1 + z; fragColor = vec4(float(m / (z - 1)));",
        "modulo_least": f"{zero} int m = -2147483647 - 1 + z; fragColor = vec4(float(m % (z - 1)));",
        "divide_constants": "fragColor = vec4(float(1 / 0));",
        "divide_vectors": f"{zero} fragColor = vec4(ivec4(n) / ivec4(z, 1, z, 1));",
        "divide_float": f"fragColor = vec4({salt + 1}.0 / (fragCoord.x * 0.0));",
        "shift_far": f"{zero} fragColor = vec4(float(n << (z + 99)) + float(n >> (z - 5)));",
        "convert_huge": "fragColor = vec4(float(int(fragCoord.x * 1e38)), float(uint(-1e30)), 0, 1);",
        "nan_everywhere": "float x = sqrt(-1.0 - fragCoord.x); fragColor = vec4(x, log(-x), asin(9.0), 0.0 / 0.0);",
        "nan_storm": (
            "float x = sqrt(-fragCoord.x); for (int i = 0; i < 500; i++) "
            "x = pow(x, x) / (x - x) + atan(x, x) + mod(x, 0.0) + smoothstep(1.0, 1.0, x);"
            "fragColor = vec4(x);"
        ),
        "denormals": "float x = 1e-38; for (int i = 0; i < 500; i++) x *= 0.99; fragColor = vec4(x * 1e38);",
        "infinity": "float x = 1e38; for (int i = 0; i < 99; i++) x *= x; fragColor = vec4(x - x, x, -x, 1);",
        "read_past_end": f"float a[4]; a[0] = 1.0; fragColor = vec4(a[int(fragCoord.x) + 4 + {salt}]);",
        "read_before_start": "float a[4]; a[0] = 1.0; fragColor = vec4(a[-1 - int(fragCoord.x)]);",
        "read_far": "float a[4]; a[0] = 1.0; fragColor = vec4(a[int(fragCoord.x) * 100000000]);",
        "write_past_end": "float a[4]; a[int(fragCoord.x) + 4] = 1.0; fragColor = vec4(a[0]);",
        "write_far": "float a[4]; a[int(fragCoord.x) * 100000000 - 1] = 1.0; fragColor = vec4(a[0]);",
        "write_sweep": "float a[4]; for (int i = -9999; i < 9999; i++) a[i] = float(i); fragColor = vec4(a[0]);",
        "constant_index": "float a[4]; fragColor = vec4(a[4]);",
        "vector_index": "vec4 v = vec4(1.0); v[int(fragCoord.x) + 3] = 2.0; fragColor = v;",
        "matrix_index": "mat4 m = mat4(1.0); m[int(fragCoord.x)][int(fragCoord.y)] = 2.0; fragColor = m[1];",
        "matrix_inverse": "fragColor = inverse(mat4(0.0 * fragCoord.x)) * vec4(1.0);",
        "uninitialised": "vec4 v; float f; int i; if (v.x > f) fragColor[i] = f; fragColor += v;",
        "uninitialised_loop": "int n; for (int i = 0; i < n; i++) fragColor += 0.1;",
        "texel_far": "fragColor = texelFetch(iChannel0, ivec2(fragCoord * 1e9), 99);",
        "texture_nan": "fragColor = textureLod(iChannel0, vec2(0.0 / 0.0), 1e38);",
        "normalize_zero": "fragColor = vec4(normalize(fragCoord * 0.0), refract(vec2(0), vec2(0), 0.0));",
        "discard_all": "discard; fragColor = vec4(1.0);",
        "nothing_written": "",
    }  # fmt: skip
    for name, code in codes.items():
        yield Hostile(f"undefined_{name}", body(f"{code} // {salt}"), ANY)


def _refused(salt: int) -> Iterator[Hostile]:
    texts = {
        "recursion": body("fragColor = vec4(f(1.0));", "float f(float x) { return f(x) + 1.0; }"),
        "mutual_recursion": body(
            "fragColor = vec4(f(1.0));",
            "float g(float x);\nfloat f(float x) { return g(x); }\nfloat g(float x) { return f(x); }",
        ),
        "main_calls_itself": body("mainImage(fragColor, fragCoord);"),
        "include_device": '#include "/dev/zero"\n' + body("fragColor = vec4(1);"),
        "include_terminal": '#include "/dev/tty"\n' + body("fragColor = vec4(1);"),
        "include_secrets": '#include "/etc/passwd"\n' + body("fragColor = vec4(1);"),
        "include_upwards": '#include "../../../../etc/passwd"\n' + body("fragColor = vec4(1);"),
        "include_angles": "#include </etc/passwd>\n" + body("fragColor = vec4(1);"),
        "include_nothing": '#include ""\n' + body("fragColor = vec4(1);"),
        "include_folder": '#include "."\n' + body("fragColor = vec4(1);"),
        "include_long": f'#include "{"x" * 100_000}"\n' + body("fragColor = vec4(1);"),
        "nul": body("fragColor = vec4(1);\0"),
        "escape": body("fragColor = vec4(1);\x1b[2J"),
        "emoji": body("float \U0001f4a5 = 1.0; fragColor = vec4(\U0001f4a5);"),
        "right_to_left": body("fragColor = vec4(\u202e1.0\u202c);"),
        "zero_width": body("fragC\u200bolor = vec4(1.0);"),
        "comment_without_end": body("fragColor = vec4(1); /* "),
        "string_without_end": body('fragColor = vec4("1);'),
        "only_braces": "}" * 1000,
        "only_open_braces": "{" * 1000,
        "only_hashes": "#" * 10_000,
        "noise": "".join(chr(33 + (n * n * 7919 + salt) % 93) for n in range(20_000)),
        "empty": "",
        "spaces": " \n\t" * 1000,
        "error_directive": "#error stop here\n" + body("fragColor = vec4(1);"),
        "version_of_the_future": "#version 9999\n" + body("fragColor = vec4(1);"),
        "line_of_the_end": body("fragColor = vec4(nothing);", "#line 2147483647"),
        "no_main": f"float f() {{ return {salt}.0; }}",
        "write_uniform": body("iTime = 1.0; fragColor = vec4(1);"),
    }
    for name, text in texts.items():
        yield Hostile(f"refused_{name}", text, End.REFUSED)


def _names(salt: int) -> Iterator[Hostile]:
    for length in (1000, 1024, 1025, 5000, 100_000, 900_000):
        name = "x" * length
        code = f"float {name} = {salt}.5; fragColor = vec4({name[:400_000]});"
        yield Hostile(f"name_{length}", body(code), ANY)
    names = "".join(f"float {'n' * 200}{n} = {n}.0;\n" for n in range(2000))
    yield Hostile("names_many", body(names + "fragColor = vec4(1);"), ANY)


def _resources(salt: int) -> Iterator[Hostile]:
    def glsl(declarations: str, code: str) -> str:
        return (
            f"#version 450\n{declarations}\nlayout(location = 0) out vec4 c;\n"
            f"void main() {{ c = vec4({salt}.0); {code} }}\n"
        )

    index = "int(gl_FragCoord.x)"
    buffer = "layout(set = 0, binding = 7) buffer B { float b[]; };"
    texts = {
        "storage_buffer": glsl(buffer, f"b[{index} * 1000000] = 1.0; c.x = b[{index}];"),
        "storage_endless": glsl(buffer, "for (int i = 0; ; i++) b[i] = float(i);"),
        "image": glsl(
            "layout(set = 0, binding = 7, rgba8) uniform image2D i;",
            "imageStore(i, ivec2(gl_FragCoord.xy) * 100000, c);",
        ),
        "binding_far": glsl("layout(set = 0, binding = 999999) uniform sampler2D s;", "c = texture(s, c.xy);"),
        "set_far": glsl("layout(set = 31, binding = 0) uniform U { vec4 u; };", "c = u;"),
        "sampler_array": glsl(
            "layout(set = 0, binding = 1) uniform sampler2D s[4096];", f"c = texture(s[{index}], c.xy);"
        ),
        "block_huge": glsl("layout(set = 0, binding = 9) uniform U { vec4 u[65536]; };", f"c = u[{index}];"),
        "push_constants": glsl("layout(push_constant) uniform P { vec4 p[8]; };", f"c = p[{index}];"),
        "subpass": glsl(
            "layout(input_attachment_index = 0, set = 0, binding = 0) uniform subpassInput s;",
            "c = subpassLoad(s);",
        ),
        "many_outputs": glsl("layout(location = 31) out vec4 d;", "d = c;"),
        "inputs": glsl("layout(location = 17) in vec4 v;", "c = v;"),
        "depth": glsl("", "gl_FragDepth = 0.0 / 0.0;"),
        "sample_mask": glsl("", "gl_SampleMask[0] = 0; c.x = float(gl_SampleID);"),
        "double": glsl("", "double d = 1.0; for (int i = 0; i < 99; i++) d = sqrt(d + c.x); c.x = float(d);"),
        "int64": glsl(
            "#extension GL_ARB_gpu_shader_int64 : require", "int64_t i = 1l << 40; c.x = float(i / 3l);"
        ),
        "own_block_zero": glsl("layout(set = 0, binding = 0) uniform U { mat4 m[1000]; };", f"c = m[{index}][0];"),
        "compute": "#version 450\nlayout(local_size_x = 1) in;\nvoid main() { }\n",
        "ray_query": glsl("#extension GL_EXT_ray_query : require", "rayQueryEXT q;"),
    }  # fmt: skip
    for name, text in texts.items():
        yield Hostile(f"resource_{name}", text, ANY)


_FAMILIES = (
    _loops, _macros, _large, _deep, _arrays, _undefined, _refused, _names, _resources,
)  # fmt: skip
