"""Runs what the counting passes put into a module, for one pixel, branching by chance."""

from __future__ import annotations

import contextlib
import random
from collections import defaultdict

from shaderlab.spirv.analysis.cfg import branch_targets
from shaderlab.spirv.grammar import GLSL_STD_450, BuiltIn, Decoration, Op
from shaderlab.spirv.module import Function, Module
from shaderlab.spirv.passes.counter_placement import ENDS_INVOCATION
from tests.unit.spirv.walking import WalkTooLong

Pointer = tuple[int, ...]
"""A variable and the indices into it."""


class Buffer(defaultdict[int, int]):
    """Numbers of a storage buffer by their index, zero at first; sums wrap as theirs do."""

    def __init__(self, header: tuple[int, ...] = (), bits: int = 32):
        super().__init__(int, enumerate(header))
        self._largest = (1 << bits) - 1

    def add(self, index: int, value: int) -> int:
        """The number before, as atomics return it."""
        before = self[index]
        self[index] = before + value & self._largest
        return before


class _Ended(Exception):
    """The invocation ended in the middle."""


class Invocation:
    """One pixel's run of a fragment module, of which only whole numbers are understood."""

    def __init__(self, module: Module, buffer: int, contents: Buffer):
        """`buffer`: the variable whose only member is the array `contents`."""
        self._module, self._buffer, self._contents = module, buffer, contents
        self._values: dict[int, object] = {}
        self._memory: dict[Pointer, object] = {}
        for instruction in module:
            words = instruction.words
            if instruction.opcode == Op.Constant:
                self._values[words[2]] = sum(word << 32 * at for at, word in enumerate(words[3:]))
            elif instruction.opcode == Op.Variable:
                self._values[words[2]] = (words[2],)
                if len(words) > 4:
                    self._memory[words[2],] = self._values[words[4]]

    def run(self, entry: int, pixel: tuple[int, int], rng: random.Random) -> None:
        for instruction in self._module:
            if instruction.words[2:4] == (Decoration.BuiltIn, BuiltIn.FragCoord):
                for axis, place in enumerate(pixel):
                    self._memory[instruction.words[1], axis] = place + 0.5
        self._steps_left = 3000
        with contextlib.suppress(_Ended):
            self._call(self._module.function_by_id[entry], rng)

    def _call(self, function: Function, rng: random.Random) -> None:
        by_label = {block.label: block for block in function.blocks}
        block = function.blocks[0]
        while True:
            self._steps_left -= 1
            if self._steps_left < 0:
                raise WalkTooLong
            for index in range(block.first + 1, block.last + 1):
                words, opcode = (
                    self._module.instruction_words(index),
                    int(self._module.opcodes[index]),
                )
                if opcode == Op.FunctionCall:
                    self._call(self._module.function_by_id[words[3]], rng)
                elif opcode in ENDS_INVOCATION:
                    raise _Ended
                else:
                    self._execute(opcode, words)
            targets = branch_targets(self._module, block.last)
            if not targets:
                return
            block = by_label[rng.choice(targets)]

    def _execute(self, opcode: int, words: tuple[int, ...]) -> None:
        if opcode == Op.Store:
            pointer, value = self._of(words[1:3])
            if pointer[0] == self._buffer:
                self._contents[pointer[2]] = value
            else:
                self._memory[pointer] = value
        elif opcode == Op.Load:
            (pointer,) = self._of(words[3:4])
            in_buffer = pointer[0] == self._buffer
            found = self._contents[pointer[2]] if in_buffer else self._memory[pointer]
            self._values[words[2]] = found
        elif opcode == Op.AtomicIAdd:
            pointer, value = self._of((words[3], words[6]))
            self._values[words[2]] = self._contents.add(pointer[2], value)
        elif opcode == Op.ExtInst:
            assert GLSL_STD_450[words[4]] == "UMax"
            self._values[words[2]] = max(self._of(words[5:]))
        elif opcode in _RESULTS:
            self._values[words[2]] = _RESULTS[opcode](*self._of(words[3:]))

    def _of(self, ids: tuple[int, ...]) -> list:
        return [self._values[id] for id in ids]


_RESULTS = {
    Op.AccessChain: lambda base, *indices: (*base, *indices),
    Op.ConvertFToU: int,
    Op.IAdd: lambda one, other: one + other & 0xFFFFFFFF,
    Op.ISub: lambda one, other: one - other & 0xFFFFFFFF,
    Op.IMul: lambda one, other: one * other & 0xFFFFFFFF,
    Op.BitwiseAnd: lambda one, other: one & other,
    Op.IEqual: lambda one, other: one == other,
    Op.Select: lambda condition, one, other: one if condition else other,
}
