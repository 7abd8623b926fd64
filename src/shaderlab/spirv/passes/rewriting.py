"""Making a new module out of an old one: new ids, declarations without duplicates, insertions.

A `Rewriter` never touches the old module; it collects edits and `build` applies them in one sweep
over the word array, so the cost is linear in the size of the module and of the edits.
"""

from __future__ import annotations

from functools import cached_property
from itertools import chain

import numpy as np

from shaderlab.errors import InvalidModule
from shaderlab.spirv import grammar
from shaderlab.spirv.grammar import Op
from shaderlab.spirv.module import Module

_PREAMBLE = frozenset(
    kind.opcode
    for kind in grammar.INSTRUCTIONS.values()
    if kind.name.startswith(("OpSource", "OpDecorat", "OpMemberDecorat", "OpGroup"))
    and "NonUniform" not in kind.name
) | grammar.opcodes(
    "Nop Capability Extension ExtInstImport MemoryModel EntryPoint ExecutionMode ExecutionModeId "
    "String Name MemberName ModuleProcessed"
)
"""What stands before the first type (§2.4)."""

_TYPES = frozenset(
    kind.opcode for kind in grammar.INSTRUCTIONS.values() if kind.name.startswith("OpType")
)
_AT_END, _BEFORE = 0, 1


def encode(opcode: int, *operands: int) -> list[int]:
    """The words of one instruction."""
    return [(len(operands) + 1) << 16 | opcode, *operands]


def encode_string(text: str) -> list[int]:
    """The words of a literal string, terminated and padded (§2.2.1)."""
    data = text.encode() + b"\0"
    data += b"\0" * (-len(data) % 4)
    return np.frombuffer(data, "<u4").tolist()


class Rewriter:
    """Edits of one module.  Types, constants and imports asked for are reused where they exist."""

    def __init__(self, module: Module):
        self.module = module
        self._next_id = module.bound
        self._insertions: list[tuple[int, int, list[int]]] = []
        self._patches: dict[int, int] = {}
        self._capabilities: list[int] = []
        self._extensions: list[int] = []
        self._imports: list[int] = []
        self._decorations: list[int] = []
        self._globals: list[int] = []
        self._functions: list[int] = []

    def new_id(self) -> int:
        """An id nothing uses.  Raises InvalidModule when the universal limit (§2.17) is reached."""
        if self._next_id >= grammar.MAX_ID_BOUND:
            raise InvalidModule("the module has no free ids for the counters")
        self._next_id += 1
        return self._next_id - 1

    # Insertions

    def insert_before(self, index: int, words: list[int]) -> None:
        """Put instructions before instruction `index`, after those put there earlier."""
        self._insertions.append((int(self.module.starts[index]), _BEFORE, words))

    def replace_word(self, index: int, word: int, value: int) -> None:
        """Change one word of instruction `index`, not its first."""
        self._patches[int(self.module.starts[index]) + word] = value

    def replace_instruction(self, index: int, words: list[int]) -> None:
        """Put another instruction, which is no shorter, in the place of instruction `index`."""
        start = int(self.module.starts[index])
        length = int(self.module.starts[index + 1]) - start
        if len(words) < length:
            raise ValueError(f"{len(words)} words in place of {length}")
        self._patches.update(enumerate(words[:length], start))
        if words[length:]:
            self._insertions.append((start + length, _AT_END, words[length:]))

    def append_operands(self, index: int, operands: list[int]) -> None:
        """Lengthen instruction `index`."""
        if not operands:
            return
        start = int(self.module.starts[index])
        head = self._patches.get(start, int(self.module.words[start])) + (len(operands) << 16)
        if head >> 32:
            raise InvalidModule(f"instruction at word {start} would exceed 65,535 words")
        self._patches[start] = head
        self._insertions.append((int(self.module.starts[index + 1]), _AT_END, operands))

    def append_function(self, words: list[int]) -> None:
        """Put a function after all others."""
        self._functions += words

    # Declarations

    @cached_property
    def _first_function(self) -> int:
        module = self.module
        return module.functions[0].first if module.functions else len(module)

    @cached_property
    def _first_declaration(self) -> int:
        """Index of the first instruction after the annotations."""
        for index, opcode in enumerate(self.module.opcodes[: self._first_function].tolist()):
            if opcode not in _PREAMBLE:
                return index
        return self._first_function

    @cached_property
    def _declared(self) -> dict[tuple[int, ...], int]:
        """(opcode, operands without the result) -> id, for types and 32-bit constants."""
        module = self.module
        opcodes = module.opcodes[: self._first_function].tolist()
        declared: dict[tuple[int, ...], int] = {}
        for index in range(self._first_declaration, self._first_function):
            opcode = opcodes[index]
            if opcode in _TYPES:
                words = module.instruction_words(index)
                declared.setdefault((opcode, *words[2:]), words[1])
            elif opcode == Op.Constant:
                words = module.instruction_words(index)
                if len(words) == 4:
                    declared.setdefault((opcode, words[1], words[3]), words[2])
        return declared

    def type(self, opcode: int, *operands: int) -> int:
        """Id of an undecorated type: scalar, vector, pointer, function, void."""
        key = (opcode, *operands)
        if key not in self._declared:
            self._declared[key] = self.new_id()
            self._globals += encode(opcode, self._declared[key], *operands)
        return self._declared[key]

    def new_type(self, opcode: int, *operands: int) -> int:
        """Id of a fresh type, for arrays and structures that will carry decorations."""
        id = self.new_id()
        self._globals += encode(opcode, id, *operands)
        return id

    def pointer(self, storage_class: int, pointee: int) -> int:
        return self.type(Op.TypePointer, storage_class, pointee)

    def constant(self, type: int, value: int) -> int:
        """Id of a 32-bit constant given by its bits."""
        key = (Op.Constant, type, value)
        if key not in self._declared:
            self._declared[key] = self.new_id()
            self._globals += encode(Op.Constant, type, self._declared[key], value)
        return self._declared[key]

    def wide_constant(self, type: int, value: int) -> int:
        """Id of a 64-bit constant given by its bits."""
        key = (Op.Constant, type, value & 0xFFFFFFFF, value >> 32)
        if key not in self._declared:
            self._declared[key] = self.new_id()
            self._globals += encode(Op.Constant, type, self._declared[key], *key[2:])
        return self._declared[key]

    def null(self, type: int) -> int:
        """Id of the null constant of a type."""
        key = (Op.ConstantNull, type)
        if key not in self._declared:
            self._declared[key] = self.new_id()
            self._globals += encode(Op.ConstantNull, type, self._declared[key])
        return self._declared[key]

    def variable(self, storage_class: int, pointee: int, initializer: int | None = None) -> int:
        """Id of a new module-scope variable."""
        pointer = self.pointer(storage_class, pointee)
        id = self.new_id()
        tail = () if initializer is None else (initializer,)
        self._globals += encode(Op.Variable, pointer, id, storage_class, *tail)
        return id

    def decorate(self, id: int, decoration: int, *operands: int) -> None:
        self._decorations += encode(Op.Decorate, id, decoration, *operands)

    def decorate_member(self, id: int, member: int, decoration: int, *operands: int) -> None:
        self._decorations += encode(Op.MemberDecorate, id, member, decoration, *operands)

    @cached_property
    def _imported(self) -> dict[str, int]:
        module = self.module
        return {
            module.string(index, 2): int(module.words[module.starts[index] + 1])
            for index in module.indices(Op.ExtInstImport)
        }

    def capability(self, capability: int) -> None:
        """Declare a capability the module may lack."""
        module = self.module
        present = (
            int(module.words[module.starts[index] + 1]) for index in module.indices(Op.Capability)
        )
        words = encode(Op.Capability, capability)
        if capability not in present and words[1] not in self._capabilities[1::2]:
            self._capabilities += words

    def extension(self, name: str) -> None:
        """Declare an extension the module may lack."""
        module = self.module
        if all(module.string(index, 1) != name for index in module.indices(Op.Extension)):
            self._extensions += encode(Op.Extension, *encode_string(name))

    def import_set(self, name: str) -> int:
        """Id of an extended instruction set."""
        if name not in self._imported:
            self._imported[name] = self.new_id()
            self._imports += encode(Op.ExtInstImport, self._imported[name], *encode_string(name))
        return self._imported[name]

    # Result

    def build(self) -> bytes:
        """The new module, little-endian."""
        module = self.module
        memory_model = module.indices(Op.MemoryModel)
        if not memory_model:
            raise InvalidModule("the module has no OpMemoryModel")
        after_capabilities = (module.indices(Op.Capability) or [-1])[-1] + 1
        imports = module.indices(Op.ExtInstImport, Op.MemoryModel)
        edits = [
            *self._insertions,
            *(
                (int(module.starts[index]), _BEFORE, words)
                for index, words in (
                    (after_capabilities, self._capabilities),
                    (imports[0], self._extensions),
                    (memory_model[0], self._imports),
                    (self._first_declaration, self._decorations),
                    (self._first_function, self._globals),
                    (len(module), self._functions),
                )
                if words
            ),
        ]
        edits.sort(key=lambda edit: edit[:2])
        words = module.words.copy()
        words[3] = self._next_id
        for offset, value in self._patches.items():
            words[offset] = value
        lengths = [len(inserted_words) for _, _, inserted_words in edits]
        places = np.repeat(np.array([offset for offset, _, _ in edits], np.int64), lengths)
        inserted = chain.from_iterable(words for _, _, words in edits)
        values = np.fromiter(inserted, np.uint32, sum(lengths))
        return np.insert(words, places, values).astype("<u4").tobytes()
