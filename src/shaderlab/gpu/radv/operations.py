"""NIR's operations and intrinsics, and what they are in GLSL."""

from __future__ import annotations

import re

from shaderlab.gpu.radv.nir import UnreadableNir

FLOAT, INT, UINT, BOOL = "f", "i", "u", "b"
HALF = "h"
"""A number of 16 bits, kept with 32: GLSL has no such type without an extension."""
WIDE = "w"
"""64 bits: the lower and the upper word."""

TYPES = {FLOAT: "float", INT: "int", UINT: "uint", BOOL: "bool", HALF: "float", WIDE: "uvec2"}

CASTS = {
    (FLOAT, UINT): "floatBitsToUint({})",
    (FLOAT, INT): "floatBitsToInt({})",
    (UINT, FLOAT): "uintBitsToFloat({})",
    (INT, FLOAT): "intBitsToFloat({})",
    (INT, UINT): "uint({})",
    (UINT, INT): "int({})",
    (UINT, HALF): "unpackHalf2x16({}).x",
    (HALF, UINT): "packHalf2x16(vec2({}, 0.0))",
}
"""Reinterpretation of bits."""

OPERATIONS: dict[str, tuple[str, str, str]] = {
    # name: (type of the result, types of the operands, expression)
    "fadd": ("f", "ff", "{0} + {1}"),
    "fsub": ("f", "ff", "{0} - {1}"),
    "fmul": ("f", "ff", "{0} * {1}"),
    "fmulz": ("f", "ff", "{0} * {1}"),
    "ffma": ("f", "fff", "{0} * {1} + {2}"),
    "ffmaz": ("f", "fff", "{0} * {1} + {2}"),
    "fdiv": ("f", "ff", "{0} / {1}"),
    "fneg": ("f", "f", "-{0}"),
    "fabs": ("f", "f", "abs({0})"),
    "fsign": ("f", "f", "sign({0})"),
    "fsat": ("f", "f", "clamp({0}, 0.0, 1.0)"),
    "fclamp_pos": ("f", "f", "max({0}, 0.0)"),
    "fsat_signed": ("f", "f", "clamp({0}, -1.0, 1.0)"),
    "fmin": ("f", "ff", "min({0}, {1})"),
    "fmax": ("f", "ff", "max({0}, {1})"),
    "ffloor": ("f", "f", "floor({0})"),
    "fceil": ("f", "f", "ceil({0})"),
    "ftrunc": ("f", "f", "trunc({0})"),
    "ffract": ("f", "f", "fract({0})"),
    "fround_even": ("f", "f", "roundEven({0})"),
    "fsqrt": ("f", "f", "sqrt({0})"),
    "frsq": ("f", "f", "inversesqrt({0})"),
    "frcp": ("f", "f", "1.0 / {0}"),
    "fcsel": ("f", "fff", "{0} != 0.0 ? {1} : {2}"),
    "fcsel_gt": ("f", "fff", "{0} > 0.0 ? {1} : {2}"),
    "fcsel_ge": ("f", "fff", "{0} >= 0.0 ? {1} : {2}"),
    "i32csel_gt": ("u", "iuu", "{0} > 0 ? {1} : {2}"),
    "i32csel_ge": ("u", "iuu", "{0} >= 0 ? {1} : {2}"),
    "bfi": ("u", "uuu", "({1} << max(findLSB({0}), 0)) & {0} | {2} & ~{0}"),
    "flrp": ("f", "fff", "mix({0}, {1}, {2})"),
    "imul_32x16": ("u", "uu", "{0} * uint(bitfieldExtract(int({1}), 0, 16))"),
    "umul_32x16": ("u", "uu", "{0} * ({1} & 0xffffu)"),
    "fpow": ("f", "ff", "pow({0}, {1})"),
    "fexp2": ("f", "f", "exp2({0})"),
    "flog2": ("f", "f", "log2({0})"),
    "fsin_amd": ("f", "f", "sin({0} * 6.2831853071795862)"),
    "fcos_amd": ("f", "f", "cos({0} * 6.2831853071795862)"),
    "fsin": ("f", "f", "sin({0})"),
    "fcos": ("f", "f", "cos({0})"),
    "fddx": ("f", "f", "dFdx({0})"),
    "fddy": ("f", "f", "dFdy({0})"),
    "fddx_fine": ("f", "f", "dFdxFine({0})"),
    "fddy_fine": ("f", "f", "dFdyFine({0})"),
    "fddx_coarse": ("f", "f", "dFdxCoarse({0})"),
    "fddy_coarse": ("f", "f", "dFdyCoarse({0})"),
    "ldexp": ("f", "fi", "ldexp({0}, {1})"),
    "fquantize2f16": ("f", "f", "unpackHalf2x16(packHalf2x16(vec2({0}, 0.0))).x"),
    "flt": ("b", "ff", "{0} < {1}"),
    "fge": ("b", "ff", "{0} >= {1}"),
    "feq": ("b", "ff", "{0} == {1}"),
    "fneu": ("b", "ff", "{0} != {1}"),
    "fltu": ("b", "ff", "!({0} >= {1})"),
    "fgeu": ("b", "ff", "!({0} < {1})"),
    "fequ": ("b", "ff", "!({0} < {1} || {0} > {1})"),
    "fneo": ("b", "ff", "{0} < {1} || {0} > {1}"),
    "ford": ("b", "ff", "!(isnan({0}) || isnan({1}))"),
    "funord": ("b", "ff", "isnan({0}) || isnan({1})"),
    "bitnz": ("b", "uu", "({0} & (1u << ({1} & 31u))) != 0u"),
    "bitz": ("b", "uu", "({0} & (1u << ({1} & 31u))) == 0u"),
    "b2f32": ("f", "b", "{0} ? 1.0 : 0.0"),
    "b2i32": ("i", "b", "{0} ? 1 : 0"),
    "b2b32": ("u", "b", "{0} ? 0xffffffffu : 0u"),
    "f2i32": ("i", "f", "int({0})"),
    "f2u32": ("u", "f", "uint({0})"),
    "i2f32": ("f", "i", "float({0})"),
    "u2f32": ("f", "u", "float({0})"),
    "b2b1": ("b", "u", "{0} != 0u"),
    "i2b1": ("b", "u", "{0} != 0u"),
    "f2b1": ("b", "f", "{0} != 0.0"),
    "iadd3": ("u", "uuu", "{0} + {1} + {2}"),
    "iadd": ("u", "uu", "{0} + {1}"),
    "isub": ("u", "uu", "{0} - {1}"),
    "ineg": ("u", "u", "0u - {0}"),
    "imul": ("u", "uu", "{0} * {1}"),
    "imad": ("u", "uuu", "{0} * {1} + {2}"),
    "imul24": ("u", "uu", "{0} * {1}"),
    "umul24": ("u", "uu", "{0} * {1}"),
    "imul24_relaxed": ("u", "uu", "{0} * {1}"),
    "umul24_relaxed": ("u", "uu", "{0} * {1}"),
    "iabs": ("i", "i", "abs({0})"),
    "isign": ("i", "i", "sign({0})"),
    "imin": ("i", "ii", "min({0}, {1})"),
    "imax": ("i", "ii", "max({0}, {1})"),
    "umin": ("u", "uu", "min({0}, {1})"),
    "umax": ("u", "uu", "max({0}, {1})"),
    "idiv": ("i", "ii", "{0} / {1}"),
    "udiv": ("u", "uu", "{0} / {1}"),
    "umod": ("u", "uu", "{0} % {1}"),
    "irem": ("i", "ii", "{0} - {1} * ({0} / {1})"),
    "imod": (
        "i",
        "ii",
        "{0} - {1} * ({0} / {1}) + (({0} ^ {1}) < 0 && {1} * ({0} / {1}) != {0} ? {1} : 0)",
    ),
    "ilt": ("b", "ii", "{0} < {1}"),
    "ige": ("b", "ii", "{0} >= {1}"),
    "ult": ("b", "uu", "{0} < {1}"),
    "uge": ("b", "uu", "{0} >= {1}"),
    "ieq": ("b", "uu", "{0} == {1}"),
    "ine": ("b", "uu", "{0} != {1}"),
    "iand": ("u", "uu", "{0} & {1}"),
    "ior": ("u", "uu", "{0} | {1}"),
    "ixor": ("u", "uu", "{0} ^ {1}"),
    "inot": ("u", "u", "~{0}"),
    "ishl": ("u", "uu", "{0} << ({1} & 31u)"),
    "ishr": ("i", "iu", "{0} >> ({1} & 31u)"),
    "ushr": ("u", "uu", "{0} >> ({1} & 31u)"),
    "umul_high": ("u", "uu", "mul_high({0}, {1})"),
    "imul_high": ("i", "ii", "mul_high({0}, {1})"),
    "uadd_carry": ("u", "uu", "{0} + {1} < {0} ? 1u : 0u"),
    "usub_borrow": ("u", "uu", "{0} < {1} ? 1u : 0u"),
    "extract_u8": ("u", "uu", "({0} >> (8u * {1})) & 255u"),
    "extract_i8": ("i", "iu", "bitfieldExtract({0}, int(8u * {1}), 8)"),
    "extract_u16": ("u", "uu", "({0} >> (16u * {1})) & 65535u"),
    "extract_i16": ("i", "iu", "bitfieldExtract({0}, int(16u * {1}), 16)"),
    "insert_u8": ("u", "uu", "({0} & 255u) << (8u * {1})"),
    "insert_u16": ("u", "uu", "({0} & 65535u) << (16u * {1})"),
    "ubfe": ("u", "uuu", "bitfieldExtract({0}, int({1} & 31u), int({2} & 31u))"),
    "ibfe": ("i", "iuu", "bitfieldExtract({0}, int({1} & 31u), int({2} & 31u))"),
    "shfr": ("u", "uuu", "wide_shift(uvec2({1}, {0}), {2} & 31u).x"),
    "bfm": ("u", "uu", "((1u << ({0} & 31u)) - 1u) << ({1} & 31u)"),
    "bit_count": ("i", "u", "bitCount({0})"),
    "bitfield_reverse": ("u", "u", "bitfieldReverse({0})"),
    "find_lsb": ("i", "u", "findLSB({0})"),
    "ufind_msb": ("i", "u", "findMSB({0})"),
    "ifind_msb": ("i", "i", "findMSB({0})"),
    "pack_half_2x16_split": ("u", "ff", "packHalf2x16(vec2({0}, {1}))"),
    "pack_half_2x16_rtz_split": ("u", "ff", "packHalf2x16(vec2({0}, {1}))"),
    "pack_32_2x16_split": ("u", "hh", "packHalf2x16(vec2({0}, {1}))"),
    "cube_amd": ("f", "f", ""),
    "f2f16": ("h", "f", "{0}"),
    "f2f16_rtz": ("h", "f", "{0}"),
    "f2f16_rtne": ("h", "f", "{0}"),
    "f2f32": ("f", "h", "{0}"),
    "u2u32": ("u", "u", "{0}"),
    "bitfield_select": ("u", "uuu", "{0} & {1} | ~{0} & {2}"),
    "unpack_64_2x32_split_x": ("u", "w", "{0}.x"),
    "unpack_64_2x32_split_y": ("u", "w", "{0}.y"),
    "unpack_half_2x16_split_x": ("f", "u", "unpackHalf2x16({0}).x"),
    "unpack_half_2x16_split_y": ("f", "u", "unpackHalf2x16({0}).y"),
}

OF_WIDE = {"ushr": ("w", "wu", "wide_shift({0}, {1} & 63u)")}
"""Operations of 64 bits: Mesa 25 looks small tables up by shifting them."""

OPERATIONS |= {  # booleans as 32-bit numbers, as back ends other than AMD's want them
    f"{name}32": ("u", types, f"{form} ? 0xffffffffu : 0u")
    for name, (letter, types, form) in OPERATIONS.items()
    if letter == "b" and len(types) == 2
}

OF_BOOLEANS = {
    "iand": "{0} && {1}",
    "ior": "{0} || {1}",
    "ixor": "{0} != {1}",
    "ieq": "{0} == {1}",
    "ine": "{0} != {1}",
    "inot": "!{0}",
}

COORDINATES = {
    "load_frag_coord": "gl_FragCoord.{}",
    "load_pixel_coord": "uint(gl_FragCoord.{})",
    "is_helper_invocation": "gl_HelperInvocation",
    "load_front_face": "gl_FrontFacing",
}
"""What is given to a pixel."""
COPIES = frozenset(("load_reg", "as_uniform"))
DERIVATIVES = {
    f"dd{axis}{kind}": f"dFd{axis}{kind.title().replace('_', '')}({{}})"
    for axis in "xy"
    for kind in ("", "_fine", "_coarse")
}
"""Intrinsics since Mesa 25."""
ADDRESSES = frozenset(("load_scalar_arg_amd", "load_smem_amd"))
"""Where descriptors lie and what they hold: a replayed program has others."""
CHANGES = frozenset(("iand", "vec4", "vec8"))
"""A descriptor changed by these still is one."""
DESCRIPTORS = frozenset(
    (*ADDRESSES, "resource_intel", "bindless_resource_ir3", "copy_fs_outputs_nv", "decl_reg")
)
"""They load where the descriptors lie, or declare or end what needs none of it."""
UNIFORMS = frozenset(("load_ubo", "load_ubo_uniform_block_intel", "ldc_nv", "ldcx_nv"))
"""They read the uniform block, by where it lies and the byte in it."""
CENTRE = "load_sample_pos_or_center"
"""What Intel's programs add to the whole numbers that are their coordinates."""
CHANGED = re.compile(r"legacy_f\w+=1|num_array_elems=[1-9]")
DISCARDS = frozenset(("discard", "terminate", "demote"))
CONDITIONAL_DISCARDS = frozenset(f"{name}_if" for name in DISCARDS)


def type_of_half(op: str) -> str:
    """Of an operation that gives 16 bits: numbers of half precision, or two whole ones of a word.

    Raises UnreadableNir."""
    if op == "unpack_32_2x16":
        return UINT
    if op in ("mov", "phi", "bcsel", "b32csel", "undefined", "vec2", "vec3", "vec4"):
        return HALF
    if OPERATIONS.get(op, ("",))[0] in (FLOAT, HALF):
        return HALF
    raise UnreadableNir(f"16-bit {op} is not replayed")


def is_packed(op: str, indices: str) -> bool:
    """Whether an export's numbers are halves, two in a word (AC_EXP_FLAG_COMPRESSED)."""
    flags = re.search(r"\bflags=(\d+)", indices)
    return op == "export_amd" and flags is not None and bool(int(flags[1]) & 1)
