"""Reads of uninitialised values: where drivers, and so their times, may differ.

A load counts when its block ran and no store of the same variable can come before its first
execution.  Writing any part of a variable counts as writing it, and of several paths one that
writes is enough, so what is reported is undefined for certain unless a loop skips it in its first
round.  Functions are followed into calls with what their arguments and globals hold there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field

from shaderlab.spirv.grammar import Op, StorageClass
from shaderlab.spirv.module import Block, Function, Module

_CHAINS = frozenset((Op.AccessChain, Op.InBoundsAccessChain, Op.CopyObject))
_WRITES = frozenset((Op.Store, Op.CopyMemory))
_FOLLOWED = _CHAINS | _WRITES | {Op.Load, Op.FunctionCall, Op.LoopMerge}
_UNSET = frozenset((StorageClass.Function, StorageClass.Private, StorageClass.Output))
_RETURNS = frozenset((Op.Return, Op.ReturnValue))
_MOST_CALLS = 400
"""Functions followed with different arguments; beyond, what was found so far stands."""


def uninitialised_reads(
    module: Module, entry_point: str, executed: Collection[tuple[int, int]]
) -> tuple[int, ...]:
    """Indices of the loads that read uninitialised values, ascending.

    `executed`: function and label ids of the blocks that ran.
    """
    walk = _Walk(module, frozenset(executed))
    for entry in module.entry_points:
        if entry.name == entry_point and entry.id in walk.functions:
            walk.follow(entry.id, frozenset())
    return tuple(sorted(walk.found))


@dataclass
class _Walk:
    module: Module
    executed: frozenset[tuple[int, int]]
    found: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        module = self.module
        self.functions: dict[int, Function] = {each.id: each for each in module.functions}
        self._after: dict[tuple[int, frozenset[int]], frozenset[int]] = {}
        self._base: dict[int, int] = {}
        self._unset: set[int] = set()
        self._global: set[int] = set()
        for index in module.indices(Op.Variable):
            words = module.instruction_words(index)
            if words[3] in _UNSET and len(words) == 4:
                self._unset.add(words[2])
                if words[3] != StorageClass.Function:
                    self._global.add(words[2])
        self._parameters: dict[int, list[int]] = {}
        for function in module.functions:
            first = function.blocks[0].first if function.blocks else function.last
            self._parameters[function.id] = [
                module.instruction_words(index)[2]
                for index in range(function.first + 1, first)
                if module.opcodes[index] == Op.FunctionParameter
            ]

    def follow(self, id: int, written: frozenset[int]) -> frozenset[int]:
        """What of parameters and globals is written when the function returns.

        `written`: what is when it starts.
        """
        key = id, written
        if key not in self._after:
            if len(self._after) >= _MOST_CALLS:
                return written
            self._after[key] = written  # recursion, which SPIR-V forbids here, must not hang us
            self._after[key] = self._through(self.functions[id], written)
        return self._after[key]

    def _through(self, function: Function, written: frozenset[int]) -> frozenset[int]:
        """`follow`, of a function not yet followed with these arguments."""
        parameters = self._parameters[function.id]
        unset = self._unset.union(parameters)
        number = {block.label: place for place, block in enumerate(function.blocks)}
        merge_of: dict[int, int] = {}
        before: dict[int, set[int]] = defaultdict(set, {0: set(written)})
        after: set[int] = set()
        for place, block in enumerate(function.blocks):
            if (function.id, block.label) not in self.executed:
                continue
            state = before[place]
            merge = self._execute(block, unset, state)
            if merge is not None:
                merge_of[place] = number[merge]
            words = self.module.instruction_words(block.last)
            if words[0] & 0xFFFF in _RETURNS:
                after |= state
            for to in (number[label] for label in words[1:] if label in number):
                # What a round of a loop wrote is there after the loop, not in its first round.
                before[merge_of.get(to, to) if to <= place else to] |= state
        return frozenset(after & self._global.union(parameters))

    def _execute(self, block: Block, unset: set[int], state: set[int]) -> int | None:
        """Add what a block writes to `state`.  Returns the label a loop's header merges at."""
        merge = None
        words_of = self.module.instruction_words
        for index in range(block.first + 1, block.last + 1):
            words = words_of(index)
            opcode = words[0] & 0xFFFF
            if opcode not in _FOLLOWED:
                continue
            if opcode == Op.Load:
                base = self._of(words[3])
                if base in unset and base not in state:
                    self.found.add(index)
            elif opcode in _WRITES:
                state.add(self._of(words[1]))
            elif opcode in _CHAINS:
                self._base[words[2]] = self._of(words[3])
            elif opcode == Op.FunctionCall:
                self._call(words, unset, state)
            else:
                merge = words[1]
        return merge

    def _call(self, words: tuple[int, ...], unset: set[int], state: set[int]) -> None:
        callee, arguments = words[3], [self._of(each) for each in words[4:]]
        if callee not in self.functions:
            return
        parameters = self._parameters[callee]
        holds = {
            parameter
            for parameter, argument in zip(parameters, arguments, strict=False)
            if argument in state or argument not in unset
        }
        after = self.follow(callee, frozenset(holds | (state & self._global)))
        state |= after & self._global
        state.update(
            argument
            for parameter, argument in zip(parameters, arguments, strict=False)
            if parameter in after
        )

    def _of(self, pointer: int) -> int:
        return self._base.get(pointer, pointer)
