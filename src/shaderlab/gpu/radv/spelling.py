"""How values of a replayed program are spelled in GLSL."""

from __future__ import annotations

import numpy as np

from shaderlab.gpu.radv.operations import BOOL, FLOAT, HALF, UINT, WIDE

VERSION = "#version 450"
FUNCTIONS = """\
uint mul_high(uint a, uint b) { uint h, l; umulExtended(a, b, h, l); return h; }
int mul_high(int a, int b) { int h, l; imulExtended(a, b, h, l); return h; }
vec4 cube_face(vec3 v) { vec3 a = abs(v);
return a.z >= max(a.x, a.y) ? vec4(-v.y, v.z < 0.0 ? -v.x : v.x, 2.0 * v.z, v.z < 0.0 ? 5.0 : 4.0)
: a.y >= a.x ? vec4(v.y < 0.0 ? -v.z : v.z, v.x, 2.0 * v.y, v.y < 0.0 ? 3.0 : 2.0)
: vec4(-v.y, v.x < 0.0 ? v.z : -v.z, 2.0 * v.x, v.x < 0.0 ? 1.0 : 0.0); }
uvec2 wide_shift(uvec2 a, uint by) {
return by == 0u ? a : by < 32u ? uvec2(a.x >> by | a.y << (32u - by), a.y >> by)
: uvec2(a.y >> (by - 32u), 0u); }
"""
"""What every program starts with, after what is declared around it."""


def name(value: int, component: int) -> str:
    """A component of an SSA value."""
    return f"s{value}_{component}"


def literal(bits: int, letter: str) -> str:
    """Bits as a constant of a type."""
    if letter == HALF:
        single = np.uint16(bits & 0xFFFF).view(np.float16).astype(np.float32)
        return f"uintBitsToFloat({int(single.view(np.uint32)):#x}u)"
    if letter == WIDE:
        return f"uvec2({bits & 0xFFFFFFFF:#x}u, {bits >> 32:#x}u)"
    if letter == BOOL:
        return "true" if bits else "false"
    if letter == FLOAT:
        return f"uintBitsToFloat({bits:#x}u)"
    bits &= 0xFFFFFFFF  # of an address only the lower word is computed
    return f"{bits:#x}u" if letter == UINT else f"int({bits:#x}u)"


def table(start: int, words: tuple[int, ...]) -> str:
    """The declaration of a constant array, by the byte it starts at."""
    values = ", ".join(f"{word:#x}u" for word in words)
    return f"const uint table_{start}[{len(words)}] = uint[]({values});"


def scratch(at: str, component: int) -> str:
    """A word of private memory, from the byte `at` on."""
    return f"scratch[({at} >> 2) + {component}u]"
