"""A SPIR-V module as views over its word stream.

Parsing finds where each instruction starts and which functions and blocks they form, nothing more:
the words stay in one array, and an `Instruction` exists only while it is looked at.  Section
numbers below are those of the SPIR-V specification 1.6.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from shaderlab.errors import InvalidModule
from shaderlab.spirv import grammar
from shaderlab.spirv.grammar import Op
from shaderlab.spirv.word_stream import (
    KNOWN_OPCODES,
    by_opcode,
    check_header,
    definitions,
    instruction_starts,
    result_word,
)

MAX_BYTES = 16 << 20
"""Largest module accepted.  The largest known fragment shaders are below 2 MiB."""

_LONGEST_NAME = 200


_DEBUG_LINES = frozenset((Op.Line, Op.NoLine))
_BEFORE_FIRST_BLOCK = _DEBUG_LINES | {Op.FunctionParameter}
_INSIDE_BLOCK = {
    Op.Function: "starts inside another function",
    Op.Label: "starts a block before the last one ended",
    Op.FunctionEnd: "ends a function inside a block",
}
"""What is wrong with each in front of a block's terminator."""


class EntryPoint(NamedTuple):
    """One OpEntryPoint (§3.42.6)."""

    name: str
    id: int
    """Result id of its OpFunction."""
    execution_model: int
    """`grammar.ExecutionModel`."""
    interface: tuple[int, ...]
    """Ids of the global variables it lists."""
    at: int
    """Index of the OpEntryPoint instruction."""


class Instruction:
    """View of one instruction."""

    __slots__ = ("index", "module")

    def __init__(self, module: Module, index: int):
        self.module = module
        self.index = index

    @property
    def opcode(self) -> int:
        return int(self.module.opcodes[self.index])

    @property
    def name(self) -> str:
        return grammar.name(self.opcode)

    @property
    def words(self) -> tuple[int, ...]:
        """All its words, the first (length and opcode) included."""
        return self.module.instruction_words(self.index)

    @property
    def result(self) -> int:
        """Result id; 0 without one."""
        word = result_word(self.opcode)
        return self.words[word] if word else 0

    @property
    def result_type(self) -> int:
        """Id of the result type; 0 without one."""
        return self.words[1] if result_word(self.opcode) == 2 else 0

    @property
    def operands(self) -> tuple[int, ...]:
        """Words after the result type and result id."""
        return self.words[1 + result_word(self.opcode) :]

    def __repr__(self) -> str:
        return f"<{self.name} {' '.join(map(str, self.words[1:]))}>"


class Block:
    """View of one basic block: its OpLabel, instructions, and terminator."""

    __slots__ = ("first", "function", "label", "last")

    def __init__(self, function: Function, label: int, first: int, last: int):
        self.function = function
        self.label = label
        """Result id of its OpLabel."""
        self.first = first
        """Index of its OpLabel."""
        self.last = last
        """Index of its terminator."""

    @property
    def terminator(self) -> Instruction:
        return Instruction(self.function.module, self.last)

    @property
    def opcodes(self) -> np.ndarray:
        """Opcodes of what it executes: OpLabel and debug instructions excluded (paper §6.1)."""
        module = self.function.module
        inside = slice(self.first + 1, self.last + 1)
        return module.opcodes[inside][module.executable[inside]]

    def __iter__(self) -> Iterator[Instruction]:
        """Its instructions, OpLabel excluded, terminator included."""
        module = self.function.module
        return (Instruction(module, index) for index in range(self.first + 1, self.last + 1))


class Function:
    """View of one function."""

    __slots__ = ("blocks", "first", "id", "last", "module")

    def __init__(self, module: Module, id: int, first: int):
        self.module = module
        self.id = id
        """Result id of its OpFunction."""
        self.first = first
        """Index of its OpFunction."""
        self.last = first
        """Index of its OpFunctionEnd."""
        self.blocks: list[Block] = []
        """In the order of the module; empty for a declaration."""

    @property
    def name(self) -> str:
        """The user's name (`mainImage`), or `%<id>` without debug names.

        glslang appends the mangled parameter types after a parenthesis; they are left out.
        """
        return printable(self.module.names.get(self.id, "").partition("(")[0]) or f"%{self.id}"


class Module:
    """One SPIR-V module.  Immutable: passes make new words (`rewriting.Rewriter`)."""

    def __init__(self, words: np.ndarray):
        """`words`: (n,) uint32 in the machine's order.  Raises InvalidModule."""
        self.words = words
        self.words.flags.writeable = False
        check_header(words)
        self.starts, self.opcodes = instruction_starts(words)
        self.definitions = definitions(words, self.starts, self.opcodes)
        """(bound,) int32: index of the instruction that defines each id, -1 for none."""
        self.functions: tuple[Function, ...] = tuple(_functions(self))
        self.function_by_id = {function.id: function for function in self.functions}

    @classmethod
    def parse(cls, data: bytes) -> Module:
        """Parse a binary module.

        A module in the other byte order (§2.3: the magic number shows it) is turned around, so
        `to_bytes` is then its little-endian form; otherwise `to_bytes` gives back `data` exactly.

        Raises InvalidModule for anything whose instructions, ids, functions and blocks do not hold
        together; whether it is valid for Vulkan is for spirv-val to say.
        """
        if len(data) > MAX_BYTES:
            raise InvalidModule(
                f"SPIR-V module of {len(data):,} bytes; more than {MAX_BYTES:,} are not accepted"
            )
        if len(data) < 4 * grammar.HEADER_WORDS:
            raise InvalidModule(f"not SPIR-V: {len(data)} bytes are less than the header's 20")
        magic = int.from_bytes(data[:4], "little")
        swapped = int.from_bytes(data[:4], "big")
        if grammar.MAGIC not in (magic, swapped):
            raise InvalidModule(
                f"not SPIR-V: the file starts with 0x{magic:08x} instead of 0x{grammar.MAGIC:08x}"
            )
        if len(data) % 4:
            raise InvalidModule(f"SPIR-V of {len(data)} bytes is cut off inside a word")
        order = "<u4" if magic == grammar.MAGIC else ">u4"
        return cls(np.frombuffer(data, order).astype(np.uint32))

    def to_bytes(self) -> bytes:
        """Little-endian words."""
        return self.words.astype("<u4").tobytes()

    @property
    def version(self) -> tuple[int, int]:
        """SPIR-V version, e.g. (1, 5)."""
        word = int(self.words[1])
        return word >> 16 & 0xFF, word >> 8 & 0xFF

    @property
    def bound(self) -> int:
        """All ids are below it."""
        return int(self.words[3])

    def __len__(self) -> int:
        """Number of instructions."""
        return len(self.opcodes)

    def __iter__(self) -> Iterator[Instruction]:
        return (Instruction(self, index) for index in range(len(self)))

    def instruction_words(self, index: int) -> tuple[int, ...]:
        return self._split[index]

    @cached_property
    def _split(self) -> list[tuple[int, ...]]:
        """The words by instruction: callers that read one read most, and several times."""
        words, starts = tuple(self.words.tolist()), self.starts.tolist()
        return [words[start:end] for start, end in pairwise(starts)]

    def indices(self, *opcodes: int) -> list[int]:
        """Indices of all instructions with one of the opcodes, in order."""
        found = self.opcodes == opcodes[0]
        for opcode in opcodes[1:]:
            found |= self.opcodes == opcode
        return np.flatnonzero(found).tolist()

    def definition(self, id: int) -> Instruction:
        """The instruction that defines `id`.  Raises InvalidModule if none does."""
        index = int(self.definitions[id]) if 0 < id < len(self.definitions) else -1
        if index < 0:
            raise InvalidModule(f"id %{id} is used but nothing defines it")
        return Instruction(self, index)

    def string(self, index: int, word: int) -> str:
        """The literal string at word `word` of instruction `index` (§2.2.1)."""
        return self._string_and_end(index, word)[0]

    def _string_and_end(self, index: int, word: int) -> tuple[str, int]:
        start, stop = int(self.starts[index]) + word, int(self.starts[index + 1])
        text = self.words[start:stop].astype("<u4").tobytes()
        length = text.find(b"\0")
        if length < 0:
            raise InvalidModule(
                f"{Instruction(self, index).name} at word {self.starts[index]}: "
                "its string is not terminated"
            )
        return text[:length].decode("utf-8", "replace"), word + length // 4 + 1

    @cached_property
    def executable(self) -> np.ndarray:
        """(instructions,) bool: whether it is more than a label or debug information.

        OpLine, OpNoLine and the NonSemantic extended sets say things about a program; the modules
        of published instruction counts were compiled without them.
        """
        result = ~np.isin(self.opcodes, (Op.Label, *_DEBUG_LINES))
        for index in self.indices(Op.ExtInstImport):
            if self.string(index, 2).startswith("NonSemantic."):
                calls = np.flatnonzero(self.opcodes == Op.ExtInst)
                sets = self.words[self.starts[calls] + 3]
                result[calls[sets == self.words[self.starts[index] + 1]]] = False
        result.flags.writeable = False
        return result

    @cached_property
    def names(self) -> dict[int, str]:
        """Debug names (OpName) by id."""
        return {
            int(self.words[self.starts[index] + 1]): self.string(index, 2)
            for index in self.indices(Op.Name)
        }

    @cached_property
    def entry_points(self) -> tuple[EntryPoint, ...]:
        found = []
        for index in self.indices(Op.EntryPoint):
            name, end = self._string_and_end(index, 3)
            words = self.instruction_words(index)
            if words[2] not in self.function_by_id:
                raise InvalidModule(
                    f'entry point "{printable(name)}" names %{words[2]}, which is not a function'
                )
            found.append(EntryPoint(name, words[2], words[1], tuple(words[end:]), index))
        return tuple(found)

    @cached_property
    def glsl_sets(self) -> frozenset[int]:
        """Ids by which it imports GLSL.std.450."""
        return frozenset(
            self.instruction_words(index)[1]
            for index in self.indices(Op.ExtInstImport)
            if self.string(index, 2) == "GLSL.std.450"
        )

    def fragment_entry_point(self, name: str) -> EntryPoint:
        """The fragment entry point of that name.  Raises InvalidModule if there is none."""
        for entry in self.entry_points:
            if entry.name == name and entry.execution_model == grammar.ExecutionModel.Fragment:
                return entry
        raise InvalidModule(f'the module has no fragment entry point "{printable(name)}"')

    def run_entry_point(self, name: str) -> EntryPoint:
        """The fragment entry point of that name, else the compute one.  Raises InvalidModule."""
        models = grammar.ExecutionModel.Fragment, grammar.ExecutionModel.GLCompute
        for model in models:
            for entry in self.entry_points:
                if entry.name == name and entry.execution_model == model:
                    return entry
        raise InvalidModule(f'the module has no fragment entry point "{printable(name)}"')


def printable(name: str) -> str:
    """A name out of a module, fit for one line of a message."""
    kept = name if len(name) <= _LONGEST_NAME else name[:_LONGEST_NAME] + "…"
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in kept)


def _functions(module: Module) -> Iterator[Function]:
    """Functions with their blocks.  Raises InvalidModule where §2.4's layout is broken."""
    opcodes, starts, words = module.opcodes, module.starts, module.words
    known = np.where(opcodes < KNOWN_OPCODES, opcodes, 0)
    at = np.flatnonzero(by_opcode().is_structural[known])
    ids = words[np.minimum(starts[at] + 1, len(words) - 1)].tolist()
    marks = zip(at.tolist(), opcodes[at].tolist(), ids, strict=True)
    last = None
    for index, opcode, _ in marks:
        if opcode != Op.Function:
            raise _misplaced(module, index, "is outside any function")
        if last is not None:
            _check_between(module, last, index, _DEBUG_LINES, "is outside any function")
        function = Function(module, int(words[starts[index] + 2]), index)
        last = function.last = _read_blocks(function, marks)
        yield function
    if last is not None:
        _check_between(module, last, len(opcodes), _DEBUG_LINES, "is outside any function")


def _read_blocks(function: Function, marks: Iterator[tuple[int, int, int]]) -> int:
    """Add a function's blocks; index of its OpFunctionEnd.

    `marks`: index, opcode and first operand of each structural instruction behind its OpFunction.
    """
    module, allowed = function.module, _BEFORE_FIRST_BLOCK
    previous = function.first
    for index, opcode, label in marks:
        if opcode == Op.Function:
            raise _misplaced(module, index, _INSIDE_BLOCK[opcode])
        if opcode not in _INSIDE_BLOCK:
            raise _misplaced(module, index, "is outside any block")
        _check_between(module, previous, index, allowed, "is outside any block")
        if opcode == Op.FunctionEnd:
            return index
        previous, end, _ = next(marks, (index, None, 0))
        if end is None:
            break
        if end in _INSIDE_BLOCK:
            raise _misplaced(module, previous, _INSIDE_BLOCK[end])
        function.blocks.append(Block(function, label, index, previous))
        allowed = _DEBUG_LINES
    raise _misplaced(module, function.first, "has no OpFunctionEnd")


def _check_between(
    module: Module, before: int, end: int, allowed: frozenset[int], problem: str
) -> None:
    """That only instructions `allowed` lie between two; raises InvalidModule with the problem."""
    for index in range(before + 1, end):
        if int(module.opcodes[index]) not in allowed:
            raise _misplaced(module, index, problem)


def _misplaced(module: Module, index: int, problem: str) -> InvalidModule:
    name = grammar.name(int(module.opcodes[index]))
    return InvalidModule(f"{name} at word {module.starts[index]} {problem}")
