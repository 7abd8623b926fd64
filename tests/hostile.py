"""Shaders that never end, by every construct: what a device has to survive."""

from __future__ import annotations

from collections.abc import Iterator

from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.program import Program
from shaderlab.frontend.reading import Reading
from shaderlab.frontend.stage import Stage
from shaderlab.scene.draw import Draw, DrawState
from shaderlab.scene.launch import LaunchChoice

SIZE = (64, 48)
_HEADS = (
    "while (i < 4) ",
    "while (s < 9.0) ",
    "for (;;) ",
    "for (int k = 0; k < 4; k += 0) ",
    "do ",
)
_NOT_A_NUMBER = "while (!(sqrt(s - p.x - 1.0) > 2.0)) "
_BODIES = {
    "nothing": "{ }",
    "adds": "{ s += 0.0; }",
    "breaks in vain": "{ s += 0.0; if (s > 99.0) break; }",
    "continues": "{ if (p.x < 9999.0) continue; i++; s += 9.0; k++; }",
    "inner loop": "{ for (int j = 0; j < 3; j++) s += 0.0; }",
    "inner endless": "{ int j = 0; while (j < 3) s += 0.0; }",
    "switch": "{ switch (i) { case 0: s += 0.0; break; default: i = 0; } }",
    "returns in vain": "{ s += 0.0; if (s > 99.0) return s; }",
    "some pixels": "{ if (int(p.x) % 8 != 3) { i = 9; s = 99.0; k = 9; break; } }",
}
_USES = {
    "": "c = vec4(f(p));",
    "after discard": "if (p.x < 8.0) discard; c = vec4(f(p));",
    "in a branch": "c = vec4(0.0); if (mod(p.x, 7.0) < 4.0) c = vec4(f(p));",
    "in a loop": "float t = 0.0; for (int n = 0; n < 3; n++) t += f(p + float(n)); c = vec4(t);",
    "in a switch": "switch (int(p.y) % 3) { case 0: c = vec4(f(p)); break;"
    " case 1: c = vec4(1.0); break; default: c = vec4(f(p.yx)); }",
    "before a derivative": "float t = f(p); c = vec4(dFdx(t), fwidth(p.x), 0.0, 1.0);",
    "twice": "c = vec4(f(p), f(p + 1.0), 0.0, 1.0);",
    "as a condition": "c = f(p) > 1.0 ? vec4(1.0) : vec4(f(p + 2.0));",
}
_STAGES = {
    Stage.COMPUTE: "layout(local_size_x = 8, local_size_y = 8) in;\n"
    "layout(set = 0, binding = 0) buffer Result { float result[]; };\n"
    "void main() { vec2 p = vec2(gl_GlobalInvocationID.xy) + 0.5;\n"
    "result[gl_GlobalInvocationID.y * 64u + gl_GlobalInvocationID.x] = f(p); }\n",
    Stage.VERTEX: "void main() { vec2 p = vec2(gl_VertexIndex, 3.0) + 0.5;\n"
    "gl_Position = vec4(p + f(p), 0.5, 1.0); }\n",
}
BARRIER = """\
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };
shared uint part[64];
void main() {
    uint me = gl_LocalInvocationID.x;
    part[me] = 0u;
    for (int i = 0; i < 2; i += 0) {
        for (uint j = 0u; j < me / 32u * 1000u; j++)
            part[me] += j;
        barrier();
    }
    result[gl_GlobalInvocationID.x] = part[me];
}
"""


def functions() -> dict[str, str]:
    """`float f(vec2 p)` whose loop, in its second line, is not left; by what the loop does."""
    found = {}
    for head in (*_HEADS, _NOT_A_NUMBER):
        for name, body in _BODIES.items():
            tail = " while (i < 4);" if head == "do " else ""
            found[f"{head}{name}"] = (
                "float f(vec2 p) { int i = 0, k = 0; float s = 0.0;\n"
                f"{head.replace('int k = 0', '')}{body}{tail}\n"
                "return s; }\n"
            )
    return found


def shadertoys(uses: int = len(_USES)) -> dict[str, str]:
    """Texts of Shadertoys, by what they do, with the first ways to use the function."""
    return {
        f"{name} {use}".strip(): f"{text}void mainImage(out vec4 c, in vec2 p) {{ {line} }}\n"
        for use, line in list(_USES.items())[:uses]
        for name, text in functions().items()
    }


def draws() -> Iterator[tuple[str, Draw]]:
    """All of them, small: fragment, vertex and compute shaders."""
    state = DrawState.of(SIZE)
    for name, text in shadertoys().items():
        yield name, state.draw(compile_text(text, name, None))
    white = compile_text("void mainImage(out vec4 c, in vec2 p) { c = vec4(1.0); }", "white", None)
    launched = DrawState(launch=LaunchChoice(groups=(8, 6, 1)))
    for name, text in functions().items():
        for stage, rest in _STAGES.items():
            whole = f"#version 450\n{text}{rest}"
            program = compile_text(whole, name, None, Reading(stage=stage))
            if stage is Stage.COMPUTE:
                yield f"{name} in compute", launched.draw(program)
            else:
                yield f"{name} in the vertex stage", Draw(white, state, program)
    yield "barriers", barriers()


def barriers() -> Draw:
    program: Program = compile_text(BARRIER, "barrier.comp", None)
    return Draw(program, DrawState(launch=LaunchChoice(groups=(1, 1, 1))))
