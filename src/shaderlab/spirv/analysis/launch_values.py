"""Integers of a compute shader that follow from its launch and its push constants, without a run.

Evaluated for some warps of the dispatch at once: a value is an array over their invocations.  What
comes from a buffer, or changes in a loop, is unknown.
"""

from __future__ import annotations

import math
import struct
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import cached_property

import numpy as np

from shaderlab.spirv.analysis.dispatch import Dispatch, Sides
from shaderlab.spirv.grammar import (
    GLSL_STD_450,
    BuiltIn,
    Decoration,
    Op,
    StorageClass,
    opcodes,
)
from shaderlab.spirv.module import Module

_DEEPEST = 64
"""Nesting of expressions."""
_CHAINS = opcodes("AccessChain InBoundsAccessChain")
_WHOLE = opcodes("Load Store Variable Line NoLine Label Function")
_WORD = 1 << 32

Values = np.ndarray
"""(invocations,) int64, or bool."""


class LaunchValues:
    """Values of a module's ids in a dispatch of its compute shader."""

    def __init__(self, module: Module, dispatch: Dispatch):
        self.module, self._dispatch = module, dispatch
        self.warps = dispatch.looked_at
        flat = self.warps.ravel()
        self.lanes = flat >= 0
        """(invocations,) whether there is one."""
        group, local = np.divmod(np.maximum(flat, 0), math.prod(dispatch.local))
        groups, size = dispatch.groups, dispatch.local
        own, at = _axes(local, size), _axes(group, groups)
        self._built_in = {
            int(BuiltIn.LocalInvocationId): own,
            int(BuiltIn.WorkgroupId): at,
            int(BuiltIn.GlobalInvocationId): [
                g * s + o for g, s, o in zip(at, size, own, strict=True)
            ],
            int(BuiltIn.NumWorkgroups): [self._all(each) for each in groups],
            int(BuiltIn.WorkgroupSize): [self._all(each) for each in size],
            int(BuiltIn.LocalInvocationIndex): [local],
        }
        self._decorated: dict[int, int] = {}
        self._spec: dict[int, int] = {}
        for words in map(module.instruction_words, module.indices(Op.Decorate)):
            if words[2] == Decoration.BuiltIn:
                self._decorated[words[1]] = words[3]
            elif words[2] == Decoration.SpecId:
                self._spec[words[1]] = words[3]
        self._known: dict[int, Values | None] = {}

    def of(self, id: int, depth: int = 0) -> Values | None:
        """(invocations,) values of an id; None where they do not follow from the launch."""
        if id not in self._known:
            self._known[id] = None  # an expression made of itself has none
            self._known[id] = self._found(id, depth) if depth < _DEEPEST else None
        return self._known[id]

    @cached_property
    def stores(self) -> Mapping[int, list[tuple[int, int]]]:
        """By variable: index and value of everything that may be stored to it, whole."""
        module, found = self.module, defaultdict[int, list[tuple[int, int]]](list)
        for index in module.indices(Op.Store):
            words = module.instruction_words(index)
            found[words[1]].append((index, words[2]))
        for index in module.indices(Op.Variable):
            words = module.instruction_words(index)
            if len(words) > 4:
                found[words[2]].append((index, words[4]))
        return found

    @cached_property
    def shared(self) -> frozenset[int]:
        """Variables that more than whole loads and stores reach: parts of them, calls.

        Every word of such an instruction counts as an id, which is conservative.
        """
        module = self.module
        variables = {module.instruction_words(n)[2] for n in module.indices(Op.Variable)}
        return frozenset(
            word
            for function in module.functions
            for index in range(function.first, function.last)
            if int(module.opcodes[index]) not in _WHOLE
            for word in module.instruction_words(index)[1:]
            if word in variables
        )

    def _all(self, value: int) -> Values:
        return np.full(self.warps.size, value, np.int64)

    def _found(self, id: int, depth: int) -> Values | None:
        if not 0 < id < self.module.bound or self.module.definitions[id] < 0:
            return None
        words = self.module.definition(id).words
        opcode = words[0] & 0xFFFF
        if opcode in (Op.Constant, Op.SpecConstant):
            return self._constant(id, words)
        if opcode == Op.Load:
            return self._loaded(words[3], depth)
        if opcode == Op.CompositeExtract and len(words) == 5:
            return self._component(words[3], words[4], depth)
        if opcode == Op.ExtInst and len(words) == 7 and words[4] in _CHOICES:
            chosen, is_signed = _CHOICES[words[4]]
            return self._applied((chosen, is_signed), words[5:], depth)
        if opcode == Op.SpecConstantOp:
            return self._applied(OPERATIONS.get(words[3]), words[4:], depth)
        return self._applied(OPERATIONS.get(opcode), words[3:], depth)

    def _applied(
        self, operation: _Operation | None, operands: tuple[int, ...], depth: int
    ) -> Values | None:
        if operation is None:
            return None
        compute, is_signed = operation
        values = [self.of(each, depth + 1) for each in operands]
        known = [each for each in values if each is not None]
        if len(known) < len(values):
            return None
        if is_signed:
            known = [as_signed(each) for each in known]
        result = compute(*known)
        return result if result.dtype == bool else result % _WORD

    def _constant(self, id: int, words: tuple[int, ...]) -> Values | None:
        given = self._dispatch.constants.get(self._spec.get(id, -1))
        if len(words) != 4 or self.module.definition(words[1]).opcode != Op.TypeInt:
            return None
        return self._all(struct.unpack("<I", given[:4].ljust(4, b"\0"))[0] if given else words[3])

    def _loaded(self, pointer: int, depth: int) -> Values | None:
        definition = self.module.definition(pointer)
        if definition.opcode in _CHAINS:
            base, *steps = definition.operands
            if base in self._decorated and len(steps) == 1:
                return self._axis(base, self._number(steps[0]))
            return self._pushed(base, steps)
        if self._decorated.get(pointer) == BuiltIn.LocalInvocationIndex:
            return self._axis(pointer, 0)
        stored = self.stores.get(pointer, ())
        if len(stored) != 1 or pointer in self.shared:
            return None
        return self.of(stored[0][1], depth + 1)

    def _component(self, composite: int, step: int, depth: int) -> Values | None:
        if composite in self._decorated:  # the constant of the local size
            return self._axis(composite, step)
        definition = self.module.definition(composite)
        if definition.opcode == Op.Load:
            return self._axis(definition.words[3], step)
        if definition.opcode in (Op.CompositeConstruct, Op.ConstantComposite):
            return self.of(definition.words[3 + step], depth + 1)
        return None

    def _axis(self, variable: int, step: int | None) -> Values | None:
        axes = self._built_in.get(self._decorated.get(variable, -1))
        return axes[step] if axes and step is not None and step < len(axes) else None

    def _number(self, id: int) -> int | None:
        """Of a constant that chooses a member."""
        definition = self.module.definition(id)
        return definition.words[3] if definition.opcode == Op.Constant else None

    def _pushed(self, base: int, steps: list[int]) -> Values | None:
        """A 32-bit integer among the push constants' own members."""
        member = self._number(steps[0]) if len(steps) == 1 else None
        place = None if member is None else self._members.get((base, member))
        push = self._dispatch.push
        if place is None or place + 4 > len(push):
            return None
        return self._all(struct.unpack_from("<I", push, place)[0])

    @cached_property
    def _members(self) -> Mapping[tuple[int, int], int]:
        """By variable of the push constants and member: offset in bytes of 32-bit integers."""
        module, offsets = self.module, dict[tuple[int, int], int]()
        for words in map(module.instruction_words, module.indices(Op.MemberDecorate)):
            if words[3] == Decoration.Offset:
                offsets[words[1], words[2]] = words[4]
        found = {}
        for index in module.indices(Op.Variable):
            variable = module.instruction_words(index)
            if variable[3] != StorageClass.PushConstant:
                continue
            struct_type = module.definition(module.definition(variable[1]).operands[1])
            for member, kind in enumerate(struct_type.operands):
                if module.definition(kind).opcode == Op.TypeInt:
                    found[variable[2], member] = offsets.get((struct_type.result, member), 0)
        return found


def _axes(number: np.ndarray, sides: Sides) -> list[np.ndarray]:
    x, y, _ = sides
    return [number % x, number // x % y, number // (x * y)]


def as_signed(values: Values) -> Values:
    if values.dtype == bool:
        return values
    return np.where(values >= _WORD // 2, values - _WORD, values)


def _divided(a: Values, b: Values) -> Values:
    """Towards zero; by zero the result is undefined, and here 0."""
    whole = np.abs(a) // np.maximum(np.abs(b), 1) * np.sign(a) * np.sign(b)
    return whole.astype(np.int64)


def _rest(a: Values, b: Values) -> Values:
    return np.where(b == 0, 0, a - b * _divided(a, b))


def _left(a: Values, b: Values) -> Values:
    return a << np.minimum(b, 31)


def _right(a: Values, b: Values) -> Values:
    return a >> np.minimum(b, 31)


_Operation = tuple[Callable[..., Values], bool]
"""What it computes, and whether its operands are read as signed."""
_EXTREMES: dict[str, _Operation] = {
    "UMin": (np.minimum, False),
    "UMax": (np.maximum, False),
    "SMin": (np.minimum, True),
    "SMax": (np.maximum, True),
}
_CHOICES = {code: _EXTREMES[name] for code, name in GLSL_STD_450.items() if name in _EXTREMES}
OPERATIONS: dict[int, _Operation] = {
    int(Op.IAdd): (np.add, False),
    int(Op.ISub): (np.subtract, False),
    int(Op.IMul): (np.multiply, True),
    int(Op.UDiv): (_divided, False),
    int(Op.SDiv): (_divided, True),
    int(Op.UMod): (_rest, False),
    int(Op.SRem): (_rest, True),
    int(Op.ShiftLeftLogical): (_left, False),
    int(Op.ShiftRightLogical): (_right, False),
    int(Op.ShiftRightArithmetic): (_right, True),
    int(Op.BitwiseAnd): (np.bitwise_and, False),
    int(Op.BitwiseOr): (np.bitwise_or, False),
    int(Op.BitwiseXor): (np.bitwise_xor, False),
    int(Op.Bitcast): (np.positive, False),
    int(Op.CopyObject): (np.copy, False),
    int(Op.IEqual): (np.equal, False),
    int(Op.INotEqual): (np.not_equal, False),
    int(Op.ULessThan): (np.less, False),
    int(Op.ULessThanEqual): (np.less_equal, False),
    int(Op.UGreaterThan): (np.greater, False),
    int(Op.UGreaterThanEqual): (np.greater_equal, False),
    int(Op.SLessThan): (np.less, True),
    int(Op.SLessThanEqual): (np.less_equal, True),
    int(Op.SGreaterThan): (np.greater, True),
    int(Op.SGreaterThanEqual): (np.greater_equal, True),
    int(Op.LogicalAnd): (np.logical_and, False),
    int(Op.LogicalOr): (np.logical_or, False),
    int(Op.LogicalNot): (np.logical_not, False),
    int(Op.Select): (np.where, False),
}
