"""What a pixel's arguments hold, which later Mesas print by number in place of a name.

Since Mesa 24 RADV lowers what the hardware hands to a pixel (its position, which side it sees)
before the text is printed:

    Mesa 22   vec4 32 div ssa_0 = intrinsic load_frag_coord () ()
    Mesa 25   div 32   %313 = @load_vector_arg_amd (base=12, arg_upper_bound_u32_amd=0)

`base` counts all arguments: scalars first (rings, one for each descriptor set that is read, the
primitives' mask, before RDNA 3 also where scratch memory lies), then vectors in a fixed order
(declare_shader_args and declare_ps_input_vgprs in radv_shader_args.c).

NVK's programs load them as attributes, by the byte each has in NVIDIA's shader headers
(nak_private.h): `div 32 %9 = @ipa_nv (%2 (0x0), %3 (0x0)) (base=112, flags=…)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from shaderlab.gpu.radv.nir import Instruction, UnreadableNir
from shaderlab.gpu.radv.operations import FLOAT, UINT

VECTOR, SCALAR = "load_vector_arg_amd", "load_scalar_arg_amd"

FROM_RDNA_3 = ("RDNA 3", "RDNA 3.5", "RDNA 4")
"""Architectures that know themselves where scratch memory lies, and hand a compute shader its three
local ids in one word, 10 bits each."""
_POSITION = 8
"""Vector arguments before it: barycentric coordinates of all kinds, and of a line's texture."""
_EXPRESSIONS = {
    **{_POSITION + n: (FLOAT, f"gl_FragCoord.{axis}") for n, axis in enumerate("xyzw")},
    _POSITION + 4: (FLOAT, "gl_FrontFacing ? 1.0 : -1.0"),
    _POSITION + 7: (UINT, "uint(gl_FragCoord.x) | uint(gl_FragCoord.y) << 16"),
}
"""By number among the vector arguments: its type, and what it is in GLSL."""
_ATTRIBUTE = "ipa_nv"
_ATTRIBUTES = {
    **{0x70 + 4 * n: (FLOAT, f"gl_FragCoord.{axis}") for n, axis in enumerate("xyzw")},
    0x3FC: (UINT, "gl_FrontFacing ? 0xffffffffu : 0u"),
}
"""By NVIDIA's address: likewise."""
_BASE = re.compile(r"\bbase=(\d+)")


def expressions(
    instructions: Iterable[Instruction], architecture: str
) -> dict[int, tuple[str, str]]:
    """By the SSA value that an argument is loaded into: its type, and what it is in GLSL.

    `architecture`: of the family the program was compiled for.  Raises UnreadableNir for arguments
    that nothing is known to stand for.
    """
    loads = [each for each in instructions if each.op in (VECTOR, SCALAR, _ATTRIBUTE)]
    bases = {each.result: number_of(each) for each in loads}
    # The rings are argument 0, which no program here reads; sets follow, and are read if there.
    sets = max((bases[each.result] for each in loads if each.op == SCALAR), default=0)
    scalars = 1 + sets + 1 + (architecture not in FROM_RDNA_3)
    found = {}
    for each in loads:
        base = bases[each.result]
        if each.op == VECTOR:
            expression = _EXPRESSIONS.get(base - scalars)
        elif each.op == _ATTRIBUTE:
            expression = _ATTRIBUTES.get(base)
        else:
            continue
        if expression is None or each.components != 1:
            raise UnreadableNir(f"{each.op} with {each.indices} is not replayed")
        found[each.result] = expression
    return found


def number_of(instruction: Instruction) -> int:
    """Of the argument that is loaded.  Raises UnreadableNir."""
    match = _BASE.search(instruction.indices)
    if match is None:
        raise UnreadableNir(f"{instruction.op} without a number is not replayed")
    return int(match[1])
