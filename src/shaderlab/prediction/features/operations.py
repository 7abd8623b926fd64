"""What an instruction is to a price: which operation on how many components, and what eases it.

What makes it cheaper or more expensive follows from its operands alone: a constant that goes into
the instruction's encoding or saves a division, a clamp that is a free modifier of the instruction
before, a comparison that only decides a branch, memory at an address known only at run time.
"""

from __future__ import annotations

import struct
from functools import cached_property

from shaderlab.spirv.grammar import GLSL_STD_450, INSTRUCTIONS, RESULT_WORD_OF, Op, opcodes
from shaderlab.spirv.module import Module

_MADE_OF_COLUMNS = frozenset((Op.MatrixTimesVector, Op.VectorTimesMatrix, Op.MatrixTimesMatrix))
_REDUCTIONS = frozenset(("Length", "Distance"))
_AGGREGATE = 4
"""Components an array or structure counts for when it is copied whole."""

_CHAINS = frozenset((Op.AccessChain, Op.InBoundsAccessChain))
_CONSTANTS = opcodes(
    "ConstantTrue ConstantFalse Constant ConstantComposite ConstantNull SpecConstantTrue "
    "SpecConstantFalse SpecConstant SpecConstantComposite"
)
_EASED_BY_EITHER = opcodes(
    "FMul VectorTimesScalar FAdd FSub IMul IAdd ShiftLeftLogical ShiftRightLogical"
)
_DIVISIONS = frozenset((Op.FDiv, Op.UDiv, Op.SDiv, Op.UMod, Op.SMod, Op.SRem, Op.FMod, Op.FRem))
_TYPED = frozenset(code for code, word in RESULT_WORD_OF.items() if word == 2)
_COMPARISONS = frozenset(range(Op.IEqual, Op.FUnordGreaterThanEqual + 1))
_EXTREMES = frozenset(("FMax", "FMin", "NMax", "NMin"))
_CLAMPS = frozenset(("FClamp", "NClamp"))
_STEPS = frozenset(("SmoothStep", "Step"))


class Operations:
    """Describes the instructions of one module."""

    def __init__(self, module: Module):
        self._module = module
        self._definitions: list[int] = module.definitions.tolist()
        self._components: dict[int, int] = {}
        self._constants: dict[int, float | None] = {}
        """Value in all components by id of a constant; None where they differ or it is no float."""
        for index, opcode in enumerate(module.opcodes.tolist()):
            if opcode == Op.Function:
                break
            if Op.TypeVoid <= opcode <= Op.TypePointer:
                words = module.instruction_words(index)
                self._components[words[1]] = self._count(opcode, words)
            elif opcode in _CONSTANTS:
                words = module.instruction_words(index)
                self._constants[words[2]] = self._value(opcode, words)
        for index in module.indices(Op.CompositeConstruct):
            # `max(a, 0.0)`: the front end makes a vector of the constant where it is used.
            words = module.instruction_words(index)
            if all(part in self._constants for part in words[3:]):
                self._constants[words[2]] = self._value(Op.ConstantComposite, words)

    def describe(self, index: int) -> tuple[str, int]:
        """Name, such as `OpFMul:constant` or `Sin`, and components of the instruction there."""
        words = self._module.instruction_words(index)
        opcode = words[0] & 0xFFFF
        if opcode not in INSTRUCTIONS:
            return f"Op{opcode}", 1
        typed = opcode in _TYPED
        components = self._components.get(words[1], 1) if typed else 1
        if opcode == Op.ExtInst:
            name = GLSL_STD_450.get(words[4], f"{words[4]}")
            if name in _REDUCTIONS:
                components = self._components_of(words[5])
            return name + self._function_ease(name, words[5:]), components
        name = INSTRUCTIONS[opcode].name
        if opcode in (Op.Load, Op.Store):
            pointer = words[3] if opcode == Op.Load else words[1]
            part = ":part" if self._definition(pointer)[0] & 0xFFFF == Op.AccessChain else ""
            return name + part + self._index(pointer), self._components_of(pointer)
        if opcode in _CHAINS:
            return name + self._index(words[2]), components
        if opcode == Op.Dot:
            components = self._components_of(words[3])
        elif opcode in _MADE_OF_COLUMNS:
            components = max(self._components_of(words[3]), self._components_of(words[4]))
        return name + self._ease(opcode, words), components

    def _count(self, opcode: int, words: tuple[int, ...]) -> int:
        if opcode in (Op.TypeVector, Op.TypeMatrix):
            return self._components.get(words[2], 1) * words[3]
        if opcode in (Op.TypeArray, Op.TypeStruct):
            return _AGGREGATE
        if opcode == Op.TypePointer:
            return self._components.get(words[3], 1)
        return 1

    def _value(self, opcode: int, words: tuple[int, ...]) -> float | None:
        if opcode == Op.Constant and len(words) == 4:
            type = self._module.definition(words[1])
            if type.opcode == Op.TypeFloat:
                return struct.unpack("<f", struct.pack("<I", words[3]))[0]
        if opcode == Op.ConstantComposite:
            values = {self._constants.get(part) for part in words[3:]}
            return values.pop() if len(values) == 1 else None
        return None

    def _components_of(self, id: int) -> int:
        """Components of a value, or of what a pointer points to."""
        words = self._definition(id)
        return self._components.get(words[1], 1) if words[0] & 0xFFFF in _TYPED else 1

    def _definition(self, id: int) -> tuple[int, ...]:
        """Words of the instruction that defines it."""
        return self._module.instruction_words(self._definitions[id])

    def _index(self, pointer: int) -> str:
        return ":indexed" if pointer in self._indexed else ""

    @cached_property
    def _indexed(self) -> frozenset[int]:
        """Ids of pointers made with an index that is no constant."""
        module = self._module
        found: set[int] = set()
        for index in sorted(each for opcode in _CHAINS for each in module.indices(opcode)):
            words = module.instruction_words(index)
            if words[3] in found or any(each not in self._constants for each in words[4:]):
                found.add(words[2])
        return frozenset(found)

    def _ease(self, opcode: int, words: tuple[int, ...]) -> str:
        constants = self._constants
        if opcode in _EASED_BY_EITHER:
            return ":constant" if words[3] in constants or words[4] in constants else ""
        if opcode in _DIVISIONS:
            if words[4] in constants:
                return ":constant"
            return ":reciprocal" if constants.get(words[3]) == 1.0 else ""
        if opcode in _COMPARISONS:
            return ":jump" if words[2] in self._conditions else ""
        return ""

    def _function_ease(self, name: str, arguments: tuple[int, ...]) -> str:
        constants = self._constants
        if name in _CLAMPS:
            ends = [constants.get(each) for each in arguments[1:3]]
            return ":saturate" if ends == [0.0, 1.0] else ""
        if name == "Pow" and arguments[1] in constants:
            return ":square" if constants[arguments[1]] == 2.0 else ":constant"
        if name in _STEPS:
            return ":constant" if arguments[0] in constants else ""
        if name in _EXTREMES or name == "FMix":
            return ":constant" if any(each in constants for each in arguments[:2]) else ""
        return ""

    @cached_property
    def _conditions(self) -> frozenset[int]:
        """Ids that jumps test."""
        jumps = self._module.indices(Op.BranchConditional)
        return frozenset(self._module.instruction_words(index)[1] for index in jumps)
