"""The optimised program as GLSL, so that it can be run and its blocks counted.

Each block of the NIR becomes one line of text, so that a traced block's line says which it is. Each
value becomes scalars declared at the top: an SSA value may be used outside the braces it is defined
in.  Phis are variables their predecessors write.  What the program reads is what shaderlab's
pipelines give it: the uniform block at set 0, binding 0, and gl_FragCoord.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from shaderlab.gpu.radv.nir import (
    Block,
    Function,
    If,
    Instruction,
    Loop,
    Node,
    Source,
    UnreadableNir,
    parse,
)
from shaderlab.gpu.radv.tables import ConstantData
from shaderlab.spirv.reflection import Descriptor, Interface, ResourceKind
from shaderlab.spirv.value_types import size

_LETTERS = "xyzwefghijklmnop"

_FLOAT, _INT, _UINT, _BOOL = "f", "i", "u", "b"

_TYPES = {_FLOAT: "float", _INT: "int", _UINT: "uint", _BOOL: "bool"}

_CASTS = {
    (_FLOAT, _UINT): "floatBitsToUint({})",
    (_FLOAT, _INT): "floatBitsToInt({})",
    (_UINT, _FLOAT): "uintBitsToFloat({})",
    (_INT, _FLOAT): "intBitsToFloat({})",
    (_INT, _UINT): "uint({})",
    (_UINT, _INT): "int({})",
}
"""Reinterpretation of 32 bits."""

_OPERATIONS: dict[str, tuple[str, str, str]] = {
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
    "iadd": ("u", "uu", "{0} + {1}"),
    "isub": ("u", "uu", "{0} - {1}"),
    "ineg": ("u", "u", "0u - {0}"),
    "imul": ("u", "uu", "{0} * {1}"),
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
    "bfm": ("u", "uu", "((1u << ({0} & 31u)) - 1u) << ({1} & 31u)"),
    "bit_count": ("i", "u", "bitCount({0})"),
    "bitfield_reverse": ("u", "u", "bitfieldReverse({0})"),
    "find_lsb": ("i", "u", "findLSB({0})"),
    "ufind_msb": ("i", "u", "findMSB({0})"),
    "ifind_msb": ("i", "i", "findMSB({0})"),
    "pack_half_2x16_split": ("u", "ff", "packHalf2x16(vec2({0}, {1}))"),
    "unpack_half_2x16_split_x": ("f", "u", "unpackHalf2x16({0}).x"),
    "unpack_half_2x16_split_y": ("f", "u", "unpackHalf2x16({0}).y"),
}

_OF_BOOLEANS = {
    "iand": "{0} && {1}",
    "ior": "{0} || {1}",
    "ixor": "{0} != {1}",
    "ieq": "{0} == {1}",
    "ine": "{0} != {1}",
    "inot": "!{0}",
}

_COORDINATES = {
    "load_frag_coord": "gl_FragCoord.{}",
    "load_pixel_coord": "uint(gl_FragCoord.{})",
}
_FLAGS = {"is_helper_invocation": "gl_HelperInvocation", "load_front_face": "gl_FrontFacing"}
_DESCRIPTORS = frozenset(("load_scalar_arg_amd", "load_smem_amd", "load_vector_arg_amd"))
"""They load where the descriptors lie."""
_DISCARDS = frozenset(("discard", "terminate", "demote"))
_CONDITIONAL_DISCARDS = frozenset(f"{name}_if" for name in _DISCARDS)

_HEADER = """\
#version 450
layout(set = 0, binding = 0, std140) uniform Block {{ uvec4 block[{vectors}]; }};
layout(location = 0) out vec4 colour;
uint word(uint byte) {{ uint at = min(byte >> 2, {last}u); return block[at >> 2][at & 3u]; }}
uint mul_high(uint a, uint b) {{ uint h, l; umulExtended(a, b, h, l); return h; }}
int mul_high(int a, int b) {{ int h, l; imulExtended(a, b, h, l); return h; }}
"""

SHADERTOY_BYTES = 144
"""Of the block that bodies for Shadertoy have."""
_MAX_SCRATCH_BYTES = 1 << 16


@dataclass(frozen=True)
class Replay:
    """An optimised program that can be traced."""

    text: str
    """Complete GLSL."""
    block_lines: dict[int, int]
    """NIR block number -> the line of the text that is it."""
    function: Function


def block_bytes(interface: Interface) -> int:
    """Bytes of the uniform block that a program which is replayed reads.

    Raises UnreadableNir where it may read another: the text does not say which one is meant.
    """
    blocks = [each for each in interface.resources if each.kind is ResourceKind.UNIFORM_BLOCK]
    for block in blocks:
        if block.descriptor != Descriptor(0, 0) or block.count != 1:
            at = block.descriptor
            raise UnreadableNir(f"the block at set {at.set}, binding {at.binding} is not replayed")
    return max((size(block.type) for block in blocks), default=16)


def replay(
    nir: str, constants: ConstantData | None = None, block_bytes: int = SHADERTOY_BYTES
) -> Replay:
    """The GLSL of a program in NIR text, and its constant arrays.

    `block_bytes`: of its uniform block.  Raises UnreadableNir for what cannot be replayed.
    """
    function = parse(nir)
    try:
        return _Writer(function, constants or ConstantData(), block_bytes).write()
    except (LookupError, ValueError):  # operands that do not fit: some other Mesa's text
        raise UnreadableNir("the optimised program is not in a text form known here") from None


class _Writer:
    def __init__(self, function: Function, constants: ConstantData, block_bytes: int):
        self._vectors = max(1, -(-block_bytes // 16))
        self._function = function
        self._data = constants
        self._loaded: dict[int, tuple[int, ...]] = {}
        """Constant arrays it reads, by the byte they start at."""
        self._types: dict[int, str] = {}
        """Type letter by SSA value; a value not here is an address, which nothing computes with."""
        self._constants: dict[int, tuple[int, ...]] = {}
        self._copies: dict[int, list[tuple[Instruction, Source]]] = {}
        """By block: the phis it feeds, and with what."""
        self._block_lines: dict[int, int] = {}
        if function.scratch_bytes > _MAX_SCRATCH_BYTES:
            raise UnreadableNir(f"{function.scratch_bytes} bytes of private memory are too many")

    def write(self) -> Replay:
        declarations: list[str] = []
        for block in self._function.blocks():
            for instruction in block.instructions:
                self._declare(instruction, declarations)
                if instruction.op == "phi":
                    for source, before in zip(instruction.sources, instruction.blocks, strict=True):
                        self._copies.setdefault(before, []).append((instruction, source))
        header = _HEADER.format(vectors=self._vectors, last=4 * self._vectors - 1)
        lines: list[str] = header.splitlines()
        first = len(lines)
        words = max(1, (self._function.scratch_bytes + 3) // 4)
        lines.append(f"uint empty, scratch[{words}];")
        lines.append("")
        lines.append("void main() {")
        lines.append(" ".join(declarations))
        self._lines = lines
        self._nodes(self._function.body)
        lines.append("}")
        lines[first + 1] = " ".join(_table(at, table) for at, table in self._loaded.items())
        return Replay("\n".join(lines) + "\n", self._block_lines, self._function)

    # -- declarations -----------------------------------------------------------------------

    def _declare(self, instruction: Instruction, declarations: list[str]) -> None:
        if instruction.result < 0:
            return
        if instruction.op == "load_const" and instruction.bits in (1, 32):
            self._constants[instruction.result] = instruction.constants
            return
        letter = self._type_of(instruction)
        if not letter:
            return
        self._types[instruction.result] = letter
        names = [_name(instruction.result, c) for c in range(instruction.components)]
        declarations.append(f"{_TYPES[letter]} {', '.join(names)};")

    def _type_of(self, instruction: Instruction) -> str:
        if instruction.bits == 1:
            return _BOOL
        if instruction.op == "load_pixel_coord":  # 16 bits, and nothing but converted from
            return _UINT
        if instruction.bits != 32:
            if instruction.op in ("pack_64_2x32_split", "load_const", "undefined"):
                return ""  # an address
            raise UnreadableNir(f"{instruction.bits}-bit {instruction.op} is not replayed")
        if instruction.op in _OPERATIONS:
            return _OPERATIONS[instruction.op][0]
        if instruction.op == "load_frag_coord":
            return _FLOAT
        return _UINT

    # -- operands ---------------------------------------------------------------------------

    def _operand(self, source: Source, component: int, letter: str) -> str:
        """Component of a source, as an expression of a type."""
        index = component
        if source.swizzle:
            index = _LETTERS.index(source.swizzle[min(component, len(source.swizzle) - 1)])
        if source.value in self._constants:
            return _literal(self._constants[source.value][index], letter)
        own = self._types.get(source.value)
        if own is None:
            raise UnreadableNir("an address is computed with")
        name = _name(source.value, index)
        if own == letter:
            return name
        if _BOOL in (own, letter):
            raise UnreadableNir("a boolean is used as a number")
        return _CASTS[own, letter].format(name)

    def _is_boolean(self, sources: tuple[Source, ...]) -> bool:
        """Whether an operation that exists for both is one of booleans: constants can be either."""
        return any(self._types.get(source.value) == _BOOL for source in sources)

    # -- statements -------------------------------------------------------------------------

    def _nodes(self, nodes: list[Node]) -> None:
        for node in nodes:
            if isinstance(node, Block):
                self._block(node)
            elif isinstance(node, If):
                self._lines.append(f"if ({self._operand(node.condition, 0, _BOOL)}) {{")
                self._nodes(node.then)
                self._lines.append("} else {")
                self._nodes(node.otherwise)
                self._lines.append("}")
            else:
                self._loop(node)

    def _loop(self, loop: Loop) -> None:
        self._lines.append("for (;;) {")
        self._nodes(loop.body)
        self._lines.append("}")

    def _block(self, block: Block) -> None:
        statements: list[str] = []
        for instruction in block.instructions:
            statements += self._statements(instruction)
        copies = self._copies.get(block.number, [])
        written = {phi.result for phi, _ in copies}
        swapped = any(source.value in written for _, source in copies)
        late: list[str] = []
        for phi, source in copies:
            letter = self._types[phi.result]
            for c in range(phi.components):
                value = self._operand(source, c, letter)
                if swapped:
                    held = f"h{phi.result}_{c}"
                    statements.append(f"{_TYPES[letter]} {held} = {value};")
                    value = held
                late.append(f"{_name(phi.result, c)} = {value};")
        statements += late
        if not statements and block.successors:
            statements.append("empty = 0u")  # without an instruction, no line and no count
        if block.jump:
            statements.append(f"{block.jump};")
        self._lines.append("; ".join(["", *(s.rstrip(";") for s in statements)]) + ";")
        self._block_lines[block.number] = len(self._lines)

    def _statements(self, instruction: Instruction) -> list[str]:
        if instruction.op in ("load_const", "phi"):
            return []
        if instruction.intrinsic:
            return self._intrinsic(instruction)
        if instruction.result not in self._types:
            return []
        letter = self._types[instruction.result]
        return [
            f"{_name(instruction.result, c)} = {self._expression(instruction, c, letter)};"
            for c in range(instruction.components)
        ]

    def _expression(self, instruction: Instruction, c: int, letter: str) -> str:
        op, sources = instruction.op, instruction.sources
        if op == "undefined":
            return _literal(0, letter)
        if op in ("vec2", "vec3", "vec4", "vec5", "vec8", "vec16"):
            return self._operand(sources[c], 0, letter)
        if op == "mov":
            return self._operand(sources[0], c, letter)
        if op == "bcsel":
            condition = self._operand(sources[0], c, _BOOL)
            yes, no = (self._operand(s, c, letter) for s in sources[1:])
            return f"{condition} ? {yes} : {no}"
        if op in _OF_BOOLEANS and self._is_boolean(sources):
            operands = [self._operand(s, c, _BOOL) for s in sources]
            return _OF_BOOLEANS[op].format(*operands)
        if op not in _OPERATIONS:
            raise UnreadableNir(f"{op} is not replayed")
        _, types, form = _OPERATIONS[op]
        operands = [
            self._operand(source, c, kind) for source, kind in zip(sources, types, strict=True)
        ]
        return form.format(*operands)

    def _intrinsic(self, instruction: Instruction) -> list[str]:
        op, sources = instruction.op, instruction.sources
        names = [_name(instruction.result, c) for c in range(instruction.components)]
        if op in _DESCRIPTORS:
            return []
        if op in _COORDINATES:
            return [f"{n} = {_COORDINATES[op].format(_LETTERS[c])};" for c, n in enumerate(names)]
        if op in _FLAGS:
            return [f"{names[0]} = {_FLAGS[op]};"]
        if op == "load_ubo":
            at = self._operand(sources[1], 0, _UINT)
            return [f"{n} = word({at} + {4 * c}u);" for c, n in enumerate(names)]
        if op == "load_constant":
            return self._load_constant(instruction, names)
        if op == "load_scratch":
            at = self._operand(sources[0], 0, _UINT)
            return [f"{n} = {_scratch(at, c)};" for c, n in enumerate(names)]
        if op == "store_scratch":
            return self._store_scratch(instruction)
        if op in _DISCARDS:
            return ["discard;"]
        if op in _CONDITIONAL_DISCARDS:
            return [f"if ({self._operand(sources[0], 0, _BOOL)}) discard;"]
        if op in ("store_output", "export_amd"):
            return self._output(instruction)
        raise UnreadableNir(f"{op} is not replayed")

    def _load_constant(self, instruction: Instruction, names: list[str]) -> list[str]:
        table = self._constant_array(instruction.indices)
        at = self._operand(instruction.sources[0], 0, _UINT)
        last = len(self._loaded[table]) - 1
        return [
            f"{n} = table_{table}[min(({at} >> 2) + {c}u, {last}u)];" for c, n in enumerate(names)
        ]

    def _store_scratch(self, instruction: Instruction) -> list[str]:
        value, address = instruction.sources[:2]
        at = self._operand(address, 0, _UINT)
        mask = _write_mask(instruction.indices)
        return [
            f"{_scratch(at, c)} = {self._operand(value, c, _UINT)};"
            for c in range(4)
            if _LETTERS[c] in mask
        ]

    def _constant_array(self, indices: str) -> int:
        """Where the constant array a load reads starts; its words are then in `_loaded`."""
        match = re.match(r"base=(\d+), range=(\d+)", indices)
        words = self._data.words(int(match[1]), int(match[2])) if match else None
        if match is None or words is None:
            raise UnreadableNir("a constant array is not found in the program")
        self._loaded[int(match[1])] = words
        return int(match[1])

    def _output(self, instruction: Instruction) -> list[str]:
        """The colour at location 0, which the driver packs to half precision for RGBA8.

        Mesa 22 stores it as FRAG_RESULT_DATA0 (4); later ones export it to target 0.
        """
        mask = _write_mask(instruction.indices)
        first = "base=0," if instruction.op == "export_amd" else "base=4,"
        if first not in instruction.indices:
            return []
        value = instruction.sources[0]
        if mask == "xy":
            low, high = (self._operand(value, c, _UINT) for c in (0, 1))
            return [f"colour = vec4(unpackHalf2x16({low}), unpackHalf2x16({high}));"]
        return [
            f"colour.{_LETTERS[c]} = {self._operand(value, c, _FLOAT)};"
            for c in range(4)
            if _LETTERS[c] in mask
        ]


def _name(value: int, component: int) -> str:
    return f"s{value}_{component}"


def _literal(bits: int, letter: str) -> str:
    if letter == _BOOL:
        return "true" if bits else "false"
    if letter == _FLOAT:
        return f"uintBitsToFloat({bits:#x}u)"
    return f"{bits:#x}u" if letter == _UINT else f"int({bits:#x}u)"


def _table(start: int, words: tuple[int, ...]) -> str:
    values = ", ".join(f"{word:#x}u" for word in words)
    return f"const uint table_{start}[{len(words)}] = uint[]({values});"


def _scratch(at: str, component: int) -> str:
    return f"scratch[({at} >> 2) + {component}u]"


def _write_mask(indices: str) -> str:
    _, _, rest = indices.partition("wrmask=")
    letters = ""
    for letter in rest:
        if letter not in _LETTERS:
            break
        letters += letter
    return letters
