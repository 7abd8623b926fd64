"""Writes an optimised program as GLSL: each value as scalars, each block as one line.

Values are declared at the top: an SSA value may be used outside the braces it is defined in.  Phis
are variables their predecessors write.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from shaderlab.gpu.radv import spelling as spell
from shaderlab.gpu.radv.nir import (
    Block,
    Function,
    If,
    Instruction,
    Loop,
    Node,
    Source,
    UnreadableNir,
)
from shaderlab.gpu.radv.operations import (
    ADDRESSES,
    BOOL,
    CASTS,
    CENTRE,
    CHANGED,
    CHANGES,
    CONDITIONAL_DISCARDS,
    COORDINATES,
    COPIES,
    DERIVATIVES,
    DESCRIPTORS,
    DISCARDS,
    FLOAT,
    HALF,
    OF_BOOLEANS,
    OF_WIDE,
    OPERATIONS,
    TYPES,
    UINT,
    UNIFORMS,
    WIDE,
    is_packed,
    type_of_half,
)
from shaderlab.gpu.radv.tables import ConstantData
from shaderlab.gpu.radv.textures import Read

_LETTERS = "xyzwefghijklmnop"

_MAX_SCRATCH_BYTES = 1 << 16


def instructions(function: Function) -> Iterator[Instruction]:
    """All of them, in the order of the text."""
    return (each for block in function.blocks() for each in block.instructions)


class Writer:
    """Writes one function."""

    def __init__(
        self,
        function: Function,
        constants: ConstantData,
        block_bytes: int,
        given: Mapping[int, tuple[str, str]],
        reads: Mapping[int, Read],
    ):
        """`given`: what arguments of the program hold (`arguments.expressions`); `reads`: those of
        textures, by the value each gives."""
        self._given = given
        self._reads = reads
        self._vectors = max(1, -(-block_bytes // 16))
        self._function = function
        self._data = constants
        self._loaded: dict[int, tuple[int, ...]] = {}
        """Constant arrays it reads, by the byte they start at."""
        self._types: dict[int, str] = {}
        """Type letter by SSA value; a value not here is an address, which nothing computes with."""
        self._descriptors: set[int] = set()
        """Values that are addresses of descriptors, or what those hold."""
        self._constants: dict[int, tuple[int, ...]] = {}
        self._corners = any(each.op == CENTRE for each in instructions(function))
        """Whether coordinates are of the pixels' corners."""
        self._copies: dict[int, list[tuple[Instruction, Source]]] = {}
        """By block: the phis it feeds, and with what."""
        self._block_lines: dict[int, int] = {}
        if function.scratch_bytes > _MAX_SCRATCH_BYTES:
            raise UnreadableNir(f"{function.scratch_bytes} bytes of private memory are too many")

    def write(self) -> tuple[str, dict[int, int]]:
        """Complete GLSL, and by NIR block number the line of the text that is it."""
        declarations: list[str] = []
        for block in self._function.blocks():
            for instruction in block.instructions:
                self._declare(instruction, declarations)
                if instruction.op == "phi":
                    for source, before in zip(instruction.sources, instruction.blocks, strict=True):
                        self._copies.setdefault(before, []).append((instruction, source))
        header = spell.HEADER.format(vectors=self._vectors, last=4 * self._vectors - 1)
        lines: list[str] = header.splitlines()
        lines += dict.fromkeys(line for each in self._reads.values() for line in each.declarations)
        first = len(lines)
        words = max(1, (self._function.scratch_bytes + 3) // 4)
        lines.append(f"uint empty, scratch[{words}];")
        lines.append("")
        lines.append("void main() {")
        lines.append(" ".join(declarations))
        self._lines = lines
        self._nodes(self._function.body)
        lines.append("}")
        lines[first + 1] = " ".join(spell.table(at, table) for at, table in self._loaded.items())
        return "\n".join(lines) + "\n", self._block_lines

    # -- declarations -----------------------------------------------------------------------

    def _declare(self, instruction: Instruction, declarations: list[str]) -> None:
        if instruction.result < 0:
            return
        if instruction.op == "load_const":
            self._constants[instruction.result] = instruction.constants
            return
        letter = self._type_of(instruction)
        if not letter:
            return
        self._types[instruction.result] = letter
        names = [spell.name(instruction.result, c) for c in range(instruction.components)]
        declarations.append(f"{TYPES[letter]} {', '.join(names)};")

    def _is_of_descriptor(self, instruction: Instruction) -> bool:
        """Whether it changes bits of a descriptor, as gathers want of their sampler's."""
        return instruction.op in CHANGES and any(
            each.value in self._descriptors for each in instruction.sources
        )

    def _type_of(self, instruction: Instruction) -> str:
        if instruction.bits == 1:
            return BOOL
        if instruction.op in ADDRESSES or self._is_of_descriptor(instruction):
            self._descriptors.add(instruction.result)
            return ""
        if instruction.result in self._reads:
            return self._reads[instruction.result].letter
        if instruction.result in self._given:
            return self._given[instruction.result][0]
        if instruction.op == "load_pixel_coord":  # 16 bits, and nothing but converted from
            return UINT
        if instruction.bits == 16:
            return type_of_half(instruction.op)
        if instruction.bits != 32:
            if instruction.op in ("pack_64_2x32_split", "undefined"):
                return ""  # an address
            if instruction.bits == 64 and instruction.op in OF_WIDE:
                return WIDE
            raise UnreadableNir(f"{instruction.bits}-bit {instruction.op} is not replayed")
        if instruction.op in OPERATIONS:
            return OPERATIONS[instruction.op][0]
        if instruction.op in ("load_frag_coord", CENTRE, *DERIVATIVES):
            return FLOAT
        return UINT

    # -- operands ---------------------------------------------------------------------------

    def _operand(self, source: Source, component: int, letter: str) -> str:
        """Component of a source, as an expression of a type."""
        index = component
        if source.swizzle:
            index = _LETTERS.index(source.swizzle[min(component, len(source.swizzle) - 1)])
        if source.value in self._constants:
            return spell.literal(self._constants[source.value][index], letter)
        own = self._types.get(source.value)
        if own is None:
            what = "a texture's size" if source.value in self._descriptors else "an address"
            raise UnreadableNir(f"{what} in a computation is not replayed")
        name = spell.name(source.value, index)
        if own == letter:
            return name
        if letter == BOOL:
            return f"({name} != {spell.literal(0, own)})"
        if own == BOOL:
            raise UnreadableNir("a boolean is used as a number")
        return CASTS[own, letter].format(name)

    def _is_boolean(self, sources: tuple[Source, ...]) -> bool:
        """Whether an operation that exists for both is one of booleans: constants can be either."""
        return any(self._types.get(source.value) == BOOL for source in sources)

    # -- statements -------------------------------------------------------------------------

    def _nodes(self, nodes: list[Node]) -> None:
        for node in nodes:
            if isinstance(node, Block):
                self._block(node)
            elif isinstance(node, If):
                self._lines.append(f"if ({self._operand(node.condition, 0, BOOL)}) {{")
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
                    statements.append(f"{TYPES[letter]} {held} = {value};")
                    value = held
                late.append(f"{spell.name(phi.result, c)} = {value};")
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
        if instruction.roles:
            read = f"t{instruction.result}"
            statement = self._reads[instruction.result].statement(read, self._operand)
            names = [spell.name(instruction.result, c) for c in range(instruction.components)]
            return [statement, *(f"{n} = {read}.{_LETTERS[c]};" for c, n in enumerate(names))]
        return [
            f"{spell.name(instruction.result, c)} = {self._expression(instruction, c, letter)};"
            for c in range(instruction.components)
        ]

    def _expression(self, instruction: Instruction, c: int, letter: str) -> str:
        op, sources = instruction.op, instruction.sources
        if op == "undefined":
            return spell.literal(0, letter)
        if op in ("vec2", "vec3", "vec4", "vec5", "vec8", "vec16"):
            return self._operand(sources[c], 0, letter)
        if op == "mov":
            return self._operand(sources[0], c, letter)
        if op == "unpack_32_2x16":
            return f"({self._operand(sources[0], 0, UINT)} >> {16 * c}u) & 0xffffu"
        if op == "cube_amd":
            direction = ", ".join(self._operand(sources[0], n, FLOAT) for n in range(3))
            return f"cube_face(vec3({direction})).{_LETTERS[c]}"
        if op in ("bcsel", "b32csel"):
            condition = self._operand(sources[0], c, BOOL)
            yes, no = (self._operand(s, c, letter) for s in sources[1:])
            return f"{condition} ? {yes} : {no}"
        if op in OF_BOOLEANS and self._is_boolean(sources):
            operands = [self._operand(s, c, BOOL) for s in sources]
            return OF_BOOLEANS[op].format(*operands)
        if op not in OPERATIONS:
            raise UnreadableNir(f"{op} is not replayed")
        _, types, form = OPERATIONS[op] if letter != WIDE else OF_WIDE[op]
        if instruction.bits == 16 and not op.startswith("f2f16"):
            types = types.replace(FLOAT, HALF)
        operands = [
            self._operand(source, c, kind) for source, kind in zip(sources, types, strict=True)
        ]
        return form.format(*operands)

    def _intrinsic(self, instruction: Instruction) -> list[str]:
        op, sources = instruction.op, instruction.sources
        if CHANGED.search(instruction.indices):
            raise UnreadableNir(f"{op} with {instruction.indices} is not replayed")
        if op in DESCRIPTORS:
            return []
        if op in DISCARDS:
            return ["discard;"]
        if op in CONDITIONAL_DISCARDS:
            return [f"if ({self._operand(sources[0], 0, BOOL)}) discard;"]
        if op == "store_scratch":
            return self._store_scratch(instruction)
        if op == "store_reg":
            return self._store_register(instruction)
        if op in ("store_output", "export_amd"):
            return self._output(instruction)
        if op == "fs_out_nv":
            return self._component(instruction)
        return [
            f"{spell.name(instruction.result, c)} = {self._loaded_value(instruction, c)};"
            for c in range(instruction.components)
        ]

    def _loaded_value(self, instruction: Instruction, c: int) -> str:
        """Component `c` of what an intrinsic reads, as an expression of its type."""
        op, sources = instruction.op, instruction.sources
        if instruction.result in self._given:
            return self._given[instruction.result][1]
        if op == CENTRE:
            return "0.5"
        if op == "load_frag_coord" and self._corners and c < 2:
            return f"floor(gl_FragCoord.{_LETTERS[c]})"
        if op in COORDINATES:
            return COORDINATES[op].format(_LETTERS[c])
        if op in DERIVATIVES:
            return DERIVATIVES[op].format(self._operand(sources[0], c, FLOAT))
        if op in COPIES:
            return self._operand(sources[0], c, self._types[instruction.result])
        if op in UNIFORMS:
            return f"word({self._operand(sources[1], 0, UINT)} + {4 * c}u)"
        if op == "load_scratch":
            return spell.scratch(self._operand(sources[0], 0, UINT), c)
        if op == "load_constant":
            table = self._constant_array(instruction.indices)
            at, last = self._operand(sources[0], 0, UINT), len(self._loaded[table]) - 1
            return f"table_{table}[min(({at} >> 2) + {c}u, {last}u)]"
        raise UnreadableNir(f"{op} is not replayed")

    def _store_register(self, instruction: Instruction) -> list[str]:
        value, register = instruction.sources[:2]
        mask = _write_mask(instruction.indices)
        return [
            f"{spell.name(register.value, c)} = {self._operand(value, c, UINT)};"
            for c in range(len(_LETTERS))
            if _LETTERS[c] in mask
        ]

    def _store_scratch(self, instruction: Instruction) -> list[str]:
        value, address = instruction.sources[:2]
        at = self._operand(address, 0, UINT)
        mask = _write_mask(instruction.indices)
        return [
            f"{spell.scratch(at, c)} = {self._operand(value, c, UINT)};"
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

        Mesa 22 stores it as FRAG_RESULT_DATA0 (4); later ones export it to target 0, before RDNA 3
        with a flag for halves.
        """
        mask = _write_mask(instruction.indices)
        first = "base=0," if instruction.op == "export_amd" else "base=4,"
        location = re.search(r"location=FRAG_RESULT_(\w+)", instruction.indices)
        if (location[1] != "DATA0") if location else (first not in instruction.indices):
            return []
        value = instruction.sources[0]
        if mask == "xy" or is_packed(instruction.op, instruction.indices):
            low, high = (self._operand(value, c, UINT) for c in (0, 1))
            return [f"colour = vec4(unpackHalf2x16({low}), unpackHalf2x16({high}));"]
        return [
            f"colour.{_LETTERS[c]} = {self._operand(value, c, FLOAT)};"
            for c in range(4)
            if _LETTERS[c] in mask
        ]

    def _component(self, instruction: Instruction) -> list[str]:
        """The same of NVK, which stores one component at a time, by the byte it has."""
        found = re.search(r"base=(\d+)", instruction.indices)
        component = int(found[1]) // 4 if found else 0
        if component >= 4:
            return []
        return [
            f"colour.{_LETTERS[component]} = {self._operand(instruction.sources[0], 0, FLOAT)};"
        ]


def _write_mask(indices: str) -> str:
    _, _, rest = indices.partition("wrmask=")
    letters = ""
    for letter in rest:
        if letter not in _LETTERS:
            break
        letters += letter
    return letters
