"""Which inputs decide what runs: on which a branch, a switch, a loop's end or an index depends.

Forwards from what is read of each input, through local variables, calls and phis.  Members of
blocks are distinguished, and elements of arrays where the index is constant; of a local variable
its members are (one level), whatever the order of its stores; a function's calls are not
distinguished.  So an input that decides is never missed, and one may be reported that does not.
An input that is 0 decides as well what it divides, normalises or looks up.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from shaderlab.spirv.analysis.cfg import calls_by_function
from shaderlab.spirv.analysis.dataflow import LITERAL_WORDS, VALUE_WORDS
from shaderlab.spirv.analysis.origins import INDEX, Origins, Place
from shaderlab.spirv.grammar import (
    ENUMS,
    GLSL_STD_450,
    INSTRUCTIONS,
    RESULT_WORD_OF,
    Decoration,
    Op,
    opcodes,
)
from shaderlab.spirv.module import EntryPoint, Function, Module
from shaderlab.spirv.reflection import Interface
from shaderlab.spirv.source_lines import instruction_lines
from shaderlab.spirv.trace import SourceLine
from shaderlab.spirv.value_types import Array, Struct


class Effect(StrEnum):
    """What depends on an input, the strongest first."""

    LOOP = "loop"
    BRANCH = "branch"
    RESULT = "result"
    """An index, or what is divided, normalised or looked up: what runs does not depend on it."""


Effects = Mapping[SourceLine | None, Effect]
"""The strongest at each line, ascending; that of code without a line at None."""


def _effects(found: Iterable[tuple[SourceLine | None, Effect]]) -> Effects:
    """The strongest at each line."""
    weakest_first = sorted(found, key=lambda each: [*Effect].index(each[1]), reverse=True)
    strongest = dict(weakest_first)
    return {at: strongest[at] for at in sorted(strongest, key=lambda at: (at is None, at or ()))}


class Decision(NamedTuple):
    """What one input decides."""

    name: str
    """As `scene.binding` names it: `lights[2].colour`, or `lights[].colour` of all elements."""
    effects: Effects
    elements: tuple[int, ...] = ()
    """Of an array that is one input: those that decide, ascending; empty where all may."""

    @property
    def lines(self) -> tuple[SourceLine, ...]:
        """Where, ascending; empty where the module does not say."""
        return tuple(at for at in self.effects if at is not None)


@dataclass(frozen=True)
class Influence:
    """The inputs that decide something."""

    decisions: Mapping[str, Decision]
    scales: Mapping[str, Decision] = field(default_factory=dict)
    """What they divide, normalise or look up: where one is 0, that is no number, or one texel."""

    subgroup: tuple[SourceLine, ...] | None = None
    """Lines that the size of subgroups decides, ascending; None where it decides none."""

    def of(self, name: str, *, is_zero: bool = False) -> Decision | None:
        """What the input of that name decides, an array of one name with all it decides; None
        where nothing.  `is_zero`: its value, which then decides what it scales, too."""
        asked = _indices(name)
        known = [self._by_plain_name, *([self._scales_by_plain_name] if is_zero else ())]
        found = [
            (each, _indices(each.name))
            for by_name in known
            for each in by_name.get(INDEX.sub("", name), ())
            if all(
                a in ("", b) or b == "" for a, b in zip(_indices(each.name), asked, strict=False)
            )
        ]
        if not found:
            return None
        effects = _effects(item for each, _ in found for item in each.effects.items())
        within = {own[len(asked)] if len(own) > len(asked) else "" for _, own in found}
        elements = () if "" in within else sorted(map(int, within))
        return Decision(name, effects, tuple(elements))

    @cached_property
    def _by_plain_name(self) -> Mapping[str, list[Decision]]:
        return _by_plain_name(self.decisions)

    @cached_property
    def _scales_by_plain_name(self) -> Mapping[str, list[Decision]]:
        return _by_plain_name(self.scales)


def _by_plain_name(decisions: Mapping[str, Decision]) -> Mapping[str, list[Decision]]:
    found: dict[str, list[Decision]] = {}
    for name, each in decisions.items():
        found.setdefault(INDEX.sub("", name), []).append(each)
    return found


def _indices(name: str) -> list[str]:
    """Between the brackets of a name: numbers, or nothing."""
    return INDEX.findall(name)


def influence(module: Module, entry: EntryPoint, interface: Interface) -> Influence:
    """What each input of an entry point decides.  Raises InvalidModule."""
    flow = _Flow(module, Origins(module, entry, interface))
    for function in _reached(module, entry):
        flow.add(function)
    lines = instruction_lines(module)
    merges = {module.instruction_words(index)[1] for index in module.indices(Op.LoopMerge)}

    def decisions(found: Mapping[str, set[int]]) -> dict[str, Decision]:
        made = {}
        for name, at in found.items():
            made[name] = Decision(
                name,
                _effects(
                    (lines.at(index) or lines.at(index - 1), _effect(module, index, merges))
                    for index in at
                ),
            )
        return made

    decided, scaled = flow.decided()
    found = decisions(decided)
    of_subgroups = found.pop(_SUBGROUP, None)
    scales = decisions(scaled)
    scales.pop(_SUBGROUP, None)
    return Influence(found, scales, of_subgroups.lines if of_subgroups else None)


def _effect(module: Module, index: int, merges: Set[int]) -> Effect:
    """`merges`: blocks that loops are left to."""
    if module.opcodes[index] not in _BRANCHES:
        return Effect.RESULT
    is_end = not merges.isdisjoint(module.instruction_words(index)[2:])
    return Effect.LOOP if is_end else Effect.BRANCH


_CHAINS = opcodes("AccessChain InBoundsAccessChain PtrAccessChain")
_DYNAMIC = opcodes("VectorExtractDynamic VectorInsertDynamic")
_DIVISIONS = opcodes("FDiv SDiv UDiv FMod FRem SMod SRem UMod")
_SAMPLES = frozenset(
    kind.opcode for kind in INSTRUCTIONS.values() if kind.name.startswith("OpImageSample")
)
_NORMALIZE = next(code for code, name in GLSL_STD_450.items() if name == "Normalize")
_SUBGROUP = "\0subgroup"
"""Stands for the size of subgroups among the names of inputs."""
SUBGROUP_INPUTS = frozenset(
    ENUMS["BuiltIn"][name]
    for name in ("SubgroupSize", "NumSubgroups", "SubgroupId", "SubgroupLocalInvocationId",
                 "SubgroupEqMask", "SubgroupGeMask", "SubgroupGtMask", "SubgroupLeMask",
                 "SubgroupLtMask")
)  # fmt: skip
"""Built-in numbers that follow from the size of subgroups."""
SUBGROUP_RESULTS = frozenset(
    kind.opcode
    for kind in INSTRUCTIONS.values()
    if kind.name.startswith(("OpGroup", "OpSubgroup")) and kind.opcode in RESULT_WORD_OF
) - opcodes("GroupDecorate GroupMemberDecorate")
"""Operations whose results do."""
_BRANCHES = opcodes("BranchConditional Switch")
_PASSED_BY = opcodes("Line NoLine Branch Return Kill Unreachable SelectionMerge LoopMerge")
_EVERYTHING = slice(1, None)
_Local = tuple[int, int | None]
"""A variable and, where it is one of its members, which."""


class _Flow:
    """Slots that hold values, and from which to which these flow.

    A value's slot is its id.  A variable has three kinds of slot: `_whole` for stores that may hit
    all of it, `_member` for those to one member, `_any` for what either may have left.
    """

    def __init__(self, module: Module, origins: Origins):
        self._module = module
        self._origins = origins
        self._bound = len(module.definitions)
        self._ahead: dict[int, list[int]] = defaultdict(list)
        self._seeds: dict[int, int] = defaultdict(int)
        self._seeds.update(origins.constants)
        self._places: dict[int, Place] = dict(origins.variables)
        """By pointer, or value loaded from one."""
        self._locals: dict[int, _Local] = {}
        """Of pointers into other variables."""
        self._indices: dict[int, tuple[int, ...]] = {}
        """Of pointers: the indices that are not constant."""
        self._members: dict[_Local, int] = {}
        self._decisions: list[tuple[int, int]] = []
        """Slots on which something is decided, and the instruction that does."""
        self._scales: list[tuple[int, int]] = []
        """The same of divisors, of vectors that are normalised, and of places in textures."""
        self._constants: dict[int, int] = {}
        for index in module.indices(Op.Constant):
            words = module.instruction_words(index)
            self._constants[words[2]] = words[3]
        for index in module.indices(Op.SpecConstantOp, Op.SpecConstantComposite):
            words = module.instruction_words(index)
            for use in words[4 if words[0] & 0xFFFF == Op.SpecConstantOp else 3 :]:
                self._ahead[use].append(words[2])
        self._subgroup = origins.bit(_SUBGROUP)
        for index in module.indices(Op.Decorate):
            words = module.instruction_words(index)
            if words[2] == Decoration.BuiltIn and words[3] in SUBGROUP_INPUTS:
                self._seeds[self._any(words[1])] |= self._subgroup
        self._parameters = {
            function.id: [
                module.instruction_words(index)[2]
                for index in range(
                    function.first + 1,
                    function.blocks[0].first if function.blocks else function.last,
                )
                if module.opcodes[index] == Op.FunctionParameter
            ]
            for function in module.functions
        }

    def add(self, function: Function) -> None:
        """Add the flows of one function."""
        codes, words_of = self._module.opcodes, self._module.instruction_words
        for block in function.blocks:
            first, last = block.first + 1, block.last + 1
            for index, opcode in enumerate(codes[first:last].tolist(), first):
                if opcode in _PASSED_BY:
                    continue
                words = words_of(index)
                handle = self._HANDLERS.get(opcode)
                if handle is not None:
                    handle(self, index, words)
                elif opcode == Op.ReturnValue:
                    self._ahead[words[1]].append(self._returned(function.id))
                else:
                    self._generic(index, opcode, words)

    def decided(self) -> tuple[dict[str, set[int]], dict[str, set[int]]]:
        """By input: the instructions that it decides, and those that it scales."""
        reached = dict(self._seeds)
        ahead, pending, waiting = self._ahead, deque(reached), set(reached)
        while pending:
            slot = pending.popleft()
            waiting.discard(slot)
            bits = reached[slot]
            for after in ahead.get(slot, ()):
                known = reached.get(after, 0)
                if bits | known != known:
                    reached[after] = bits | known
                    if after not in waiting:
                        waiting.add(after)
                        pending.append(after)
        return self._at(self._decisions, reached), self._at(self._scales, reached)

    def _at(
        self, places: Sequence[tuple[int, int]], reached: Mapping[int, int]
    ) -> dict[str, set[int]]:
        found: dict[str, set[int]] = defaultdict(set)
        for slot, index in places:
            bits = reached.get(slot, 0)
            while bits:
                lowest = bits & -bits
                found[self._origins.names[lowest.bit_length() - 1]].add(index)
                bits ^= lowest
        return dict(found)

    # Slots of memory and of functions.

    def _whole(self, variable: int) -> int:
        return self._bound + variable

    def _any(self, variable: int) -> int:
        return 2 * self._bound + variable

    def _returned(self, function: int) -> int:
        return 3 * self._bound + function

    def _member(self, local: _Local) -> int:
        slot = self._members.get(local)
        if slot is None:
            slot = self._members[local] = 4 * self._bound + len(self._members)
            self._ahead[slot].append(self._any(local[0]))
            self._ahead[self._whole(local[0])].append(slot)
        return slot

    def _local(self, pointer: int) -> _Local:
        return self._locals.get(pointer, (pointer, None))

    def _stored_to(self, pointer: int) -> int:
        """Slot that a store through a pointer changes."""
        variable, member = self._local(pointer)
        if member is not None:
            return self._member((variable, member))
        whole, of_any = self._whole(variable), self._any(variable)
        if of_any not in self._ahead[whole]:
            self._ahead[whole].append(of_any)
        return whole

    def _read_from(self, pointer: int) -> int:
        """Slot that a load through a pointer reads."""
        variable, member = self._local(pointer)
        return self._any(variable) if member is None else self._member((variable, member))

    # Instructions.

    def _chain(self, index: int, words: tuple[int, ...]) -> None:
        _, _, result, base, *steps = words
        if words[0] & 0xFFFF == Op.PtrAccessChain:
            steps = steps[1:]
        dynamic = [step for step in steps if step not in self._constants]
        self._decisions += ((step, index) for step in dynamic)
        if dynamic or base in self._indices:
            self._indices[result] = (*dynamic, *self._indices.get(base, ()))
        place = self._places.get(base)
        if place is not None:
            for step in steps:
                place = self._origins.member(place, self._constants.get(step))
            self._places[result] = place
            return
        variable, member = self._local(base)
        if member is None and base == variable and steps:
            member = self._constants.get(steps[0])
        self._locals[result] = variable, member

    def _load(self, _: int, words: tuple[int, ...]) -> None:
        result, pointer = words[2:4]
        for step in self._indices.get(pointer, ()):
            self._ahead[step].append(result)
        place = self._places.get(pointer)
        if place is None:
            self._ahead[self._read_from(pointer)].append(result)
            return
        self._seeds[result] |= self._origins.mask(place)
        if isinstance(place.kind, Struct | Array):
            self._places[result] = place

    def _extract(self, _: int, words: tuple[int, ...]) -> None:
        result, composite, *steps = words[2:]
        place = self._places.get(composite)
        if place is None:
            self._ahead[composite].append(result)
            return
        for step in steps:
            place = self._origins.member(place, step)
        self._seeds[result] |= self._origins.mask(place)
        if isinstance(place.kind, Struct | Array):
            self._places[result] = place

    def _store(self, _: int, words: tuple[int, ...]) -> None:
        pointer, value = words[1:3]
        if pointer in self._places:
            return  # a storage buffer; what it holds is an input whoever wrote it
        slot = self._stored_to(pointer)
        self._ahead[value].append(slot)
        for step in self._indices.get(pointer, ()):
            self._ahead[step].append(slot)

    def _copy_memory(self, _: int, words: tuple[int, ...]) -> None:
        target, source = words[1:3]
        if target in self._places:
            return
        slot = self._stored_to(target)
        place = self._places.get(source)
        if place is None:
            self._ahead[self._read_from(source)].append(slot)
        else:
            self._seeds[slot] |= self._origins.mask(place)

    def _variable(self, _: int, words: tuple[int, ...]) -> None:
        if len(words) > 4:
            self._ahead[words[4]].append(self._stored_to(words[2]))

    def _copy(self, _: int, words: tuple[int, ...]) -> None:
        result, source = words[2:4]
        self._ahead[source].append(result)
        if source in self._places:
            self._places[result] = self._places[source]
        if source in self._locals:
            self._locals[result] = self._locals[source]
        if source in self._indices:
            self._indices[result] = self._indices[source]

    def _call(self, _: int, words: tuple[int, ...]) -> None:
        result, callee, *arguments = words[2:]
        self._ahead[self._returned(callee)].append(result)
        for parameter, argument in zip(self._parameters.get(callee, ()), arguments, strict=False):
            self._ahead[argument].append(parameter)
            held = self._stored_to(parameter)
            place = self._places.get(argument)
            if place is not None:
                self._seeds[held] |= self._origins.mask(place)
                self._seeds[parameter] |= self._origins.mask(place)
                continue
            self._ahead[self._read_from(argument)].append(held)
            self._ahead[self._any(parameter)].append(self._stored_to(argument))

    def _branch(self, index: int, words: tuple[int, ...]) -> None:
        self._decisions.append((words[1], index))

    def _generic(self, index: int, opcode: int, words: tuple[int, ...]) -> None:
        word = RESULT_WORD_OF.get(opcode)
        if not word:
            return
        result = words[word]
        if opcode in SUBGROUP_RESULTS:
            self._seeds[result] |= self._subgroup
        uses = words[VALUE_WORDS[opcode] if opcode < len(VALUE_WORDS) else _EVERYTHING]
        literals = LITERAL_WORDS.get(opcode)
        if literals:
            first = len(words) - len(uses)
            uses = tuple(use for n, use in enumerate(uses, first) if n not in literals)
        for use in uses:
            self._ahead[use].append(result)
            place = self._places.get(use)
            if place is not None:
                self._seeds[result] |= self._origins.mask(place)
            elif use in self._locals:
                # An instruction of an extended set may write what it is pointed to: modf, frexp.
                self._ahead[self._read_from(use)].append(result)
                self._ahead[result].append(self._stored_to(use))
        if opcode in _DIVISIONS or opcode in _SAMPLES:
            self._scales.append((words[4], index))
        if opcode == Op.ExtInst:
            if words[4] == _NORMALIZE and words[3] in self._module.glsl_sets:
                self._scales.append((words[5], index))
            self._written(result, uses)
        elif opcode in _DYNAMIC:
            self._decisions.append((uses[-1], index))

    def _written(self, result: int, uses: tuple[int, ...]) -> None:
        """What an instruction of an extended set writes through a pointer to a variable."""
        for use in uses:
            if use < self._bound and self._module.definitions[use] >= 0:
                at = int(self._module.definitions[use])
                if self._module.opcodes[at] == Op.Variable and use not in self._places:
                    slot = self._stored_to(use)
                    self._ahead[self._read_from(use)].append(result)
                    for other in uses:
                        self._ahead[other].append(slot)

    _HANDLERS: ClassVar[Mapping[int, Callable[[Any, int, tuple[int, ...]], None]]] = {
        **dict.fromkeys(_CHAINS, _chain),
        **dict.fromkeys(_BRANCHES, _branch),
        Op.Load: _load,
        Op.Store: _store,
        Op.CompositeExtract: _extract,
        Op.CopyMemory: _copy_memory,
        Op.Variable: _variable,
        Op.CopyObject: _copy,
        Op.FunctionCall: _call,
    }


def _reached(module: Module, entry: EntryPoint) -> list[Function]:
    """The entry point's function and all it calls, in the order of the module."""
    calls = calls_by_function(module)
    seen, pending = {entry.id}, [entry.id]
    while pending:
        for callee, _ in calls.get(pending.pop(), ()):
            if callee not in seen:
                seen.add(callee)
                pending.append(callee)
    return [function for function in module.functions if function.id in seen]
