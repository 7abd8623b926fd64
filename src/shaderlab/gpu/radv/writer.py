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
    CHANGED,
    CHANGES,
    COPIES,
    DERIVATIVES,
    DESCRIPTORS,
    FLOAT,
    HALF,
    OF_BOOLEANS,
    OF_WIDE,
    OPERATIONS,
    TYPES,
    UINT,
    WIDE,
    type_of_half,
)
from shaderlab.gpu.radv.surroundings import LETTERS, Surroundings, write_mask
from shaderlab.gpu.radv.tables import ConstantData
from shaderlab.gpu.radv.textures import Read

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
        around: Surroundings,
        reads: Mapping[int, Read],
    ):
        """`reads`: those of textures, by the value each gives."""
        self._around = around
        self._reads = reads
        self._function = function
        self._data = constants
        self._loaded: dict[int, tuple[int, ...]] = {}
        """Constant arrays it reads, by the byte they start at."""
        self._types: dict[int, str] = {}
        """Type letter by SSA value; a value not here is an address, which nothing computes with."""
        self._descriptors: set[int] = set()
        """Values that are addresses of descriptors, or what those hold."""
        self._constants: dict[int, tuple[int, ...]] = {}
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
        lines = [spell.VERSION, *self._around.declarations, *spell.FUNCTIONS.splitlines()]
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
        letter = self._around.letter(instruction)
        if letter is not None:
            return letter
        if instruction.op in ADDRESSES or self._is_of_descriptor(instruction):
            self._descriptors.add(instruction.result)
            return ""
        if instruction.result in self._reads:
            return self._reads[instruction.result].letter
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
        return FLOAT if instruction.op in DERIVATIVES else UINT

    # -- operands ---------------------------------------------------------------------------

    def _operand(self, source: Source, component: int, letter: str) -> str:
        """Component of a source, as an expression of a type."""
        index = component
        if source.swizzle:
            index = LETTERS.index(source.swizzle[min(component, len(source.swizzle) - 1)])
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
            return [statement, *(f"{n} = {read}.{LETTERS[c]};" for c, n in enumerate(names))]
        return [
            f"{spell.name(instruction.result, c)} = {self._expression(instruction, c, letter)};"
            for c in range(instruction.components)
        ]

    def _expression(self, instruction: Instruction, c: int, letter: str) -> str:
        op, sources = instruction.op, instruction.sources
        own = self._around.expression(instruction, c, self._operand)
        if own is not None:
            return own
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
            return f"cube_face(vec3({direction})).{LETTERS[c]}"
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
        op = instruction.op
        if CHANGED.search(instruction.indices):
            raise UnreadableNir(f"{op} with {instruction.indices} is not replayed")
        if op in DESCRIPTORS and (instruction.result not in self._types or op not in ADDRESSES):
            return []
        made = self._around.statements(instruction, self._operand)
        if made is not None:
            return made
        if op == "store_scratch":
            return self._store_scratch(instruction)
        if op == "store_reg":
            return self._store_register(instruction)
        return [
            f"{spell.name(instruction.result, c)} = {self._loaded_value(instruction, c)};"
            for c in range(instruction.components)
        ]

    def _loaded_value(self, instruction: Instruction, c: int) -> str:
        """Component `c` of what an intrinsic reads, as an expression of its type."""
        op, sources = instruction.op, instruction.sources
        value = self._around.value(instruction, c, self._operand)
        if value is not None:
            return value
        if op in DERIVATIVES:
            return DERIVATIVES[op].format(self._operand(sources[0], c, FLOAT))
        if op in COPIES:
            return self._operand(sources[0], c, self._types[instruction.result])
        if op == "load_scratch":
            return spell.scratch(self._operand(sources[0], 0, UINT), c)
        if op == "load_constant":
            table = self._constant_array(instruction.indices)
            at, last = self._operand(sources[0], 0, UINT), len(self._loaded[table]) - 1
            return f"table_{table}[min(({at} >> 2) + {c}u, {last}u)]"
        raise UnreadableNir(f"{op} is not replayed")

    def _store_register(self, instruction: Instruction) -> list[str]:
        value, register = instruction.sources[:2]
        return [
            f"{spell.name(register.value, c)} = {self._operand(value, c, UINT)};"
            for c in write_mask(instruction.indices)
        ]

    def _store_scratch(self, instruction: Instruction) -> list[str]:
        value, address = instruction.sources[:2]
        at = self._operand(address, 0, UINT)
        return [
            f"{spell.scratch(at, c)} = {self._operand(value, c, UINT)};"
            for c in write_mask(instruction.indices)
        ]

    def _constant_array(self, indices: str) -> int:
        """Where the constant array a load reads starts; its words are then in `_loaded`."""
        match = re.match(r"base=(\d+), range=(\d+)", indices)
        words = self._data.words(int(match[1]), int(match[2])) if match else None
        if match is None or words is None:
            raise UnreadableNir("a constant array is not found in the program")
        self._loaded[int(match[1])] = words
        return int(match[1])
