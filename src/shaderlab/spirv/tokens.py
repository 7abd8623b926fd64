"""A SPIR-V module as the token sequence of ShaderPerFormer (paper §6.2, and its released code).

One vocabulary of 40,000: literal characters, special tokens, opcodes and result ids.  An
instruction is its opcode's token, then one token per id and one per character of each literal, in
the order of its words.  Numbers are decimal text, floats with six decimals (0.5 is `0.500000`),
enumerants and masks are numbers.

The sequence is BOS; all types, constants and global variables; the blocks of the entry function,
OpLabel included; those of the other functions.  OpFunction, its parameters and end, names,
decorations, imports and capabilities have no tokens.  The paper describes reachable functions in
call order; the released code emits every function, those other than the entry in the order of a
hash table, which is replaced by the module's order here.

The published modules were compiled without debug information.  Where there is some, it is left out
and the ids are those the module has without it: glslang numbers ids as it goes, and an OpString
takes one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from shaderlab.errors import InvalidModule, UnsupportedShader
from shaderlab.spirv import grammar
from shaderlab.spirv.grammar import Op
from shaderlab.spirv.module import Function, Module

CHARACTERS = 256
"""Token of the character 0; 256 characters follow."""
PAD, BOS, EOS, MASK, SEP, UNK, CLS = range(1000, 1007)
OPCODES = 2000
"""Token of the opcode 0."""
IDS = 20000
"""Token of the id 0, which no module has."""
VOCABULARY = 40000

_MOST_IDS = VOCABULARY - IDS
_GLOBALS = ("OpType", "OpConstant", "OpSpecConstant", "OpVariable", "OpUndef")
_ONE_ID = frozenset({"IdResultType", "IdResult", "IdRef", "IdScope", "IdMemorySemantics"})
_MASKS = frozenset({"ImageOperands", "LoopControl", "MemoryAccess", "SelectionControl"})
_PAIRS = {"PairIdRefIdRef": "IdRef", "PairIdRefLiteralInteger": "LiteralInteger"}
"""Kinds of two operands, the first an id: the second's kind."""
_SILENT = (
    "OpCapability", "OpDecorat", "OpEntryPoint", "OpExecutionMode", "OpExtInstImport",
    "OpExtension", "OpFunctionEnd", "OpFunctionParameter", "OpGroup", "OpLine", "OpMember",
    "OpMemoryModel", "OpModuleProcessed", "OpName", "OpNoLine", "OpSource", "OpString",
)  # fmt: skip
"""How opcodes begin that have no tokens, OpFunction apart."""
_MEAN = {
    "OpAccessChain": 5.1, "OpCompositeConstruct": 5.8, "OpCompositeExtract": 5.0,
    "OpConstant": 9.5, "OpConstantComposite": 5.8, "OpExtInst": 7.6, "OpFunctionCall": 5.6,
    "OpPhi": 7.0, "OpSwitch": 9.0, "OpTypeFloat": 4.0, "OpTypeFunction": 4.2, "OpTypeInt": 5.0,
    "OpTypeStruct": 11.7, "OpVectorShuffle": 7.3,
}  # fmt: skip
"""Tokens of instructions that differ in length: means over the examples and the calibration
shaders, which the tests count again."""
_FLOATS = {16: np.float16, 32: np.float32, 64: np.float64}
_INTEGERS = (8, 16, 32, 64)


@dataclass(frozen=True)
class Tokens:
    """The sequence of one module, (n,) with BOS first."""

    ids: np.ndarray
    """(n,) int32: tokens."""
    labels: np.ndarray
    """(n,) int64: for the opcode token of an instruction in a block, the result id of the block's
    OpLabel; 0 for every other token."""

    def __len__(self) -> int:
        return len(self.ids)


def tokenize(module: Module, entry_point: str = "main") -> Tokens:
    """Tokens of a fragment shader's module.

    Raises `UnsupportedShader` for what the vocabulary cannot say (ids from 20,000 up, opcodes
    newer than the grammar) and `InvalidModule` where there is no such entry point or an operand is
    not what the grammar says.
    """
    writer = _Writer(module)
    entry = module.run_entry_point(entry_point).id
    first = min((function.first for function in module.functions), default=len(module))
    for index in range(first):
        if grammar.name(int(module.opcodes[index])).startswith(_GLOBALS):
            writer.instruction(index, 0)
    others = (function for function in module.functions if function.id != entry)
    for function in (module.function_by_id[entry], *others):
        writer.function(function)
    return Tokens(np.array(writer.ids, np.int32), np.array(writer.labels, np.int64))


def estimated(opcodes: Mapping[str, int]) -> float:
    """About how many tokens a module has with so many instructions of each opcode, by name.

    For samples, which hold these counts and no module: within 1.1 % in the median of 394
    shaders, and 21 % at most (`python -m tests.benchmarks.token_percentiles`).
    """
    return 1 + sum(count * _length(name) for name, count in opcodes.items())


@cache
def _length(name: str) -> float:
    if name == "OpFunction" or name.startswith(_SILENT):
        return 0.0
    kind = grammar.INSTRUCTIONS.get(getattr(grammar.Op, name.removeprefix("Op"), -1))
    operands = kind.operands if kind else ()
    return _MEAN.get(name, 1.0 + sum(each[-1] not in "?*" for each in operands))


class _Writer:
    def __init__(self, module: Module):
        self.ids: list[int] = [BOS]
        self.labels: list[int] = [0]
        self._module = module
        strings = np.zeros(module.bound + 1, np.int64)
        strings[[module.instruction_words(index)[1] for index in module.indices(Op.String)]] = 1
        # How many OpString took an id before each id.
        self._shift = np.cumsum(strings).tolist()

    def function(self, function: Function) -> None:
        executable = self._module.executable
        for block in function.blocks:
            self.instruction(block.first, block.label)
            for index in range(block.first + 1, block.last + 1):
                if executable[index]:
                    self.instruction(index, block.label)

    def instruction(self, index: int, label: int) -> None:
        opcode, *words = self._module.instruction_words(index)
        opcode &= 0xFFFF
        kind = grammar.INSTRUCTIONS.get(opcode)
        if kind is None:
            raise UnsupportedShader(f"{grammar.name(opcode)} is newer than the SPIR-V grammar")
        before = len(self.ids)
        self.ids.append(OPCODES + opcode)
        self._operands(kind.operands, iter(words), words)
        self.labels.append(label)
        self.labels.extend([0] * (len(self.ids) - before - 1))

    def _operands(self, kinds: tuple[str, ...], rest: Iterator[int], words: list[int]) -> None:
        """Tokens of the operands `rest` of those kinds; `words` are all of the instruction's."""
        for kind in kinds:
            name = kind.rstrip("?*")
            if not kind.endswith("*"):
                word = next(rest, None)
                if word is not None:  # what may be missing comes last
                    self._operand(name, word, rest, words)
            else:
                for word in rest:
                    self._operand(name, word, rest, words)

    def _operand(self, kind: str, word: int, rest: Iterator[int], words: list[int]) -> None:
        if kind in _ONE_ID:
            self._id(word)
        elif kind == "LiteralString":
            self._string(word, rest)
        elif kind == "LiteralContextDependentNumber":
            self._number(word, rest, words[0])
        elif kind == "PairLiteralIntegerIdRef":  # OpSwitch: as wide as its selector
            selector = self._module.definition(words[0])
            self._number(word, rest, selector.result_type)
            self._operands(("IdRef",), rest, words)
        elif kind in _PAIRS:
            self._id(word)
            self._operands((_PAIRS[kind],), rest, words)
        elif kind == "LiteralSpecConstantOpInteger":
            self._text(str(word))
            inner = grammar.INSTRUCTIONS.get(word)
            if inner is None or word == Op.SpecConstantOp:
                raise InvalidModule(f"OpSpecConstantOp of {grammar.name(word)}")
            self._operands(inner.operands[2:], rest, words)
        else:
            self._number_with_parameters(kind, word, rest, words)

    def _number_with_parameters(
        self, kind: str, word: int, rest: Iterator[int], words: list[int]
    ) -> None:
        """A literal integer, an enumerant, a mask, and the operands that its value asks for."""
        self._text(str(word))
        parameters = grammar.ENUM_PARAMETERS.get(kind, {})
        if kind in _MASKS:
            for bit in sorted(parameters):
                if word & bit:
                    self._operands(parameters[bit], rest, words)
        elif word in parameters:
            self._operands(parameters[word], rest, words)

    def _id(self, id: int) -> None:
        number = id - self._shift[id] if id < len(self._shift) else id
        if number >= _MOST_IDS:
            raise UnsupportedShader(f"id %{number}: the vocabulary ends at {_MOST_IDS - 1:,}")
        self.ids.append(IDS + number)

    def _text(self, text: str) -> None:
        self.ids.extend(CHARACTERS + byte for byte in text.encode())

    def _string(self, word: int, rest: Iterator[int]) -> None:
        while True:
            data = word.to_bytes(4, "little")
            end = data.find(b"\0")
            self.ids.extend(CHARACTERS + byte for byte in (data if end < 0 else data[:end]))
            if end >= 0:
                return
            word = next(rest, 0)

    def _number(self, word: int, rest: Iterator[int], type: int) -> None:
        """A literal of a numerical type; its low word comes first (SPIR-V §2.2.1)."""
        definition = self._module.definition(type)
        if definition.opcode not in (Op.TypeInt, Op.TypeFloat):
            raise InvalidModule(f"%{type} is the type of a number, but is {definition.name}")
        width, *sign = definition.operands
        floating = definition.opcode == Op.TypeFloat
        if width not in (_FLOATS if floating else _INTEGERS):
            raise UnsupportedShader(f"{definition.name} of {width} bits")
        if width == 64:
            word |= next(rest, 0) << 32
        if floating:
            bits = np.array(word & (1 << width) - 1, f"u{width // 8}")
            with np.errstate(over="ignore"):
                # The released code casts 64-bit floats too; std::to_string writes six decimals.
                self._text(f"{float(np.float32(bits.view(_FLOATS[width]))):f}")
        else:
            # Narrow literals are sign-extended to a word (§2.2.1), wide ones fill two.
            bits = max(width, 32)
            negative = bool(sign and sign[0]) and bool(word >> bits - 1 & 1)
            self._text(str(word - (1 << bits) if negative else word))
