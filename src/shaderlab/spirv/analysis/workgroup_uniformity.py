"""Which blocks of a compute shader all invocations of a workgroup reach together.

Forwards from what differs between them: their numbers, atomic operations, what one of them alone
has stored in its variables.  One verdict per value and per variable, whatever its component; where
unsure it says that they differ.

What memory holds at one place is the same for all that read it together: an invocation that could
write it in between, and a reader without a barrier before it, would be a data race (Vulkan memory
model).  So a value read from one place, in control flow that all take, differs for none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from shaderlab.spirv.analysis.cfg import FlowGraph, reachable_functions
from shaderlab.spirv.analysis.dataflow import LITERAL_WORDS, VALUE_WORDS
from shaderlab.spirv.grammar import (
    ENUMS,
    INSTRUCTIONS,
    RESULT_WORD,
    BuiltIn,
    Decoration,
    Op,
    StorageClass,
    opcodes,
)
from shaderlab.spirv.module import EntryPoint, Function, Module

_OF_GROUP = frozenset(
    ENUMS["BuiltIn"][name]
    for name in ("WorkgroupId", "NumWorkgroups", "WorkgroupSize", "SubgroupSize", "NumSubgroups",
                 "DeviceIndex", "ViewIndex")
)  # fmt: skip
"""The same for all invocations of a workgroup."""
_BY_AXIS = frozenset((BuiltIn.GlobalInvocationId, BuiltIn.LocalInvocationId))
_CHAINS = opcodes("AccessChain InBoundsAccessChain")
_CARRIED = opcodes(
    "GroupNonUniformBroadcast GroupNonUniformBroadcastFirst GroupNonUniformShuffle "
    "GroupNonUniformShuffleXor GroupNonUniformShuffleUp GroupNonUniformShuffleDown "
    "GroupNonUniformAll GroupNonUniformAny GroupNonUniformQuadBroadcast "
    "GroupNonUniformQuadSwap SubgroupFirstInvocationKHR SubgroupReadInvocationKHR "
    "SubgroupAllKHR SubgroupAnyKHR GroupNonUniformBallotBitExtract "
    "GroupNonUniformBallotFindLSB GroupNonUniformBallotFindMSB"
)
"""Operations of subgroups that give what all give, where all give the same."""
_ONE_FOR_ALL = opcodes(
    "GroupNonUniformAll GroupNonUniformAny GroupNonUniformAllEqual GroupNonUniformBroadcastFirst "
    "GroupNonUniformBroadcast GroupNonUniformBallot SubgroupBallotKHR SubgroupAllKHR "
    "SubgroupAnyKHR SubgroupAllEqualKHR SubgroupFirstInvocationKHR SubgroupReadInvocationKHR"
)
"""Those that give all invocations of a subgroup the same."""
_REDUCE = ENUMS["GroupOperation"]["Reduce"]
_OWN_MEMORY = (StorageClass.Function, StorageClass.Private)
_VOLATILE = ENUMS["MemoryAccess"]["Volatile"]
_DIFFERENT = frozenset(
    code
    for code, kind in INSTRUCTIONS.items()
    if kind.name.startswith(("OpAtomic", "OpGroup", "OpSubgroup", "OpReadClock", "OpRayQuery"))
)
_DECISIONS = opcodes("BranchConditional Switch")


class WorkgroupUniformity:
    """Verdicts on the functions an entry point reaches."""

    def __init__(
        self,
        module: Module,
        entry: EntryPoint,
        local: tuple[int, int, int],
        *,
        one_subgroup: bool = False,
    ):
        """`local`: the workgroup's sides; `one_subgroup`: whether a subgroup holds all of it.
        Raises InvalidModule."""
        self._module, self._local, self._one = module, local, one_subgroup
        self.functions = reachable_functions(module, entry)
        self._graphs = {each.id: FlowGraph(each) for each in self.functions}
        self._differing: set[int] = set()
        """Ids of values, and of variables and parameters whose contents, differ."""
        self._apart: set[tuple[int, int]] = set()
        """Function and number of blocks that not all reach together."""
        self._called_apart: set[int] = set()
        self._returned: set[int] = set()
        """Functions that do not return the same to all."""
        self._storage: dict[int, int] = {}
        self._built_in: dict[int, int] = {}
        for words in map(module.instruction_words, module.indices(Op.Variable)):
            self._storage[words[2]] = words[3]
        for words in map(module.instruction_words, module.indices(Op.Decorate)):
            if words[2] == Decoration.BuiltIn:
                self._built_in[words[1]] = words[3]
        self._parameters = {each.id: list(_parameters(module, each)) for each in self.functions}
        self._given = defaultdict[int, set[int]](set)
        """By parameter that is a pointer, and the other way: what may be the same memory."""
        self._changed = True
        while self._changed:
            self._changed = False
            for function in self.functions:
                self._sweep(function)

    def together(self, function: Function, block: int) -> bool:
        """Whether all invocations of a workgroup reach a block of a function by the same way."""
        return (function.id, block) not in self._apart

    def _sweep(self, function: Function) -> None:
        graph = self._graphs[function.id]
        if function.id in self._called_apart:
            for block in range(len(graph)):
                self._part(function, block)
        for block, deciders in enumerate(graph.deciders):
            if any(self._decides_apart(function, each) for each in deciders):
                self._part(function, block)
        for number, block in enumerate(function.blocks):
            apart = not self.together(function, number)
            for index in range(block.first + 1, block.last + 1):
                self._follow(function, graph, number, index, apart=apart)

    def _part(self, function: Function, block: int) -> None:
        if self.together(function, block):
            self._apart.add((function.id, block))
            self._changed = True

    def _decides_apart(self, function: Function, block: int) -> bool:
        if not self.together(function, block):
            return True
        words = function.blocks[block].terminator.words
        return words[0] & 0xFFFF in _DECISIONS and words[1] in self._differing

    def _differ(self, id: int) -> None:
        if id not in self._differing:
            self._differing.add(id)
            self._changed = True

    def _follow(
        self, function: Function, graph: FlowGraph, number: int, index: int, *, apart: bool
    ) -> None:
        words = self._module.instruction_words(index)
        opcode = words[0] & 0xFFFF
        if opcode in (Op.Store, Op.CopyMemory, Op.CopyMemorySized):
            source = words[2] if opcode == Op.Store else self._root(words[2])
            if apart or not self._differing.isdisjoint((source, *words[1:3])):
                self._spoil(words[1])
            return
        if opcode == Op.ReturnValue and (apart or words[1] in self._differing):
            if function.id not in self._returned:
                self._returned.add(function.id)
                self._changed = True
            return
        if opcode == Op.FunctionCall:
            self._call(words, apart=apart)
            return
        result = RESULT_WORD[opcode] if opcode < len(RESULT_WORD) else 2
        if not result or opcode == Op.Variable or words[result] in self._differing:
            return
        uses = list(_uses(words, opcode))
        if opcode == Op.ExtInst and (apart or any(use in self._differing for use in uses)):
            for use in uses:  # some store a second result, as `modf` does
                if self._root(use) in self._storage:
                    self._spoil(use)
        if apart or self._gives_different(function, graph, number, words, uses):
            self._differ(words[result])

    def _gives_different(
        self,
        function: Function,
        graph: FlowGraph,
        number: int,
        words: tuple[int, ...],
        uses: list[int],
    ) -> bool:
        opcode = words[0] & 0xFFFF
        if opcode == Op.Load:
            return self._loads_different(words)
        if opcode == Op.CompositeExtract:
            axis = self._axis(words[3], words[4:])
            if axis is not None:
                return self._local[axis] > 1
        if opcode in _CHAINS and self._built_in.get(words[3]) in _BY_AXIS:
            step = self._constant(words[4]) if len(words) == 5 else None
            return (self._local[step] if step in (0, 1, 2) else max(self._local)) > 1
        if opcode == Op.Phi:
            before = graph.predecessors[number]
            if any(self._decides_apart(function, each) for each in before):
                return True
        differs = any(use in self._differing for use in uses)
        if opcode in _CARRIED and not differs:
            return False
        if self._one and self._is_one_for_all(words):
            return False
        return differs or opcode in _DIFFERENT or opcode >= len(VALUE_WORDS)

    def _is_one_for_all(self, words: tuple[int, ...]) -> bool:
        opcode = words[0] & 0xFFFF
        kind = INSTRUCTIONS.get(opcode)
        if opcode in _ONE_FOR_ALL:
            return True
        grouped = kind is not None and "GroupOperation" in kind.operands
        return grouped and len(words) > 4 and words[4] == _REDUCE

    def _loads_different(self, words: tuple[int, ...]) -> bool:
        pointer = words[3]
        if pointer in self._differing or (len(words) > 4 and words[4] & _VOLATILE):
            return True
        root = self._root(pointer)
        if self._storage.get(root) != StorageClass.Input:
            return root in self._differing
        which = self._built_in.get(root)
        if which in _OF_GROUP or (self._one and which == BuiltIn.SubgroupId):
            return False
        if which in _BY_AXIS:
            return pointer == root and max(self._local) > 1  # a chain had its own verdict
        return self._local != (1, 1, 1)

    def _axis(self, composite: int, steps: tuple[int, ...]) -> int | None:
        """Along which axis a component of a loaded number lies."""
        definition = self._module.definition(composite)
        if definition.opcode != Op.Load or len(steps) != 1 or steps[0] > 2:
            return None
        which = self._built_in.get(definition.words[3])
        return steps[0] if which in _BY_AXIS else None

    def _call(self, words: tuple[int, ...], *, apart: bool) -> None:
        callee = words[3]
        if apart and callee not in self._called_apart:
            self._called_apart.add(callee)
            self._changed = True
        for argument, parameter in zip(words[4:], self._parameters.get(callee, ()), strict=False):
            if argument in self._differing:
                self._differ(parameter)
            root = self._root(argument)
            if self._storage.get(root) == StorageClass.Input:
                self._differ(parameter)
            elif root in self._storage or root in self._given:
                if root not in self._given[parameter]:
                    self._given[parameter].add(root)
                    self._given[root].add(parameter)
                    self._changed = True
                if root in self._differing or parameter in self._differing:
                    self._spoil(root)
        if apart or callee in self._returned:
            self._differ(words[2])

    def _spoil(self, pointer: int) -> None:
        """Have the contents of an invocation's own variable differ."""
        pending, seen = [self._root(pointer)], set[int]()
        while pending:
            root = pending.pop()
            if root in seen:
                continue
            seen.add(root)
            if self._storage.get(root, StorageClass.Function) in _OWN_MEMORY:
                self._differ(root)
            pending += self._given.get(root, ())

    def _root(self, pointer: int) -> int:
        """The variable or parameter a pointer leads into."""
        while True:
            definition = self._module.definition(pointer)
            if definition.opcode in _CHAINS or definition.opcode == Op.CopyObject:
                pointer = definition.words[3]
            else:
                return pointer

    def _constant(self, id: int) -> int | None:
        definition = self._module.definition(id)
        return definition.words[3] if definition.opcode == Op.Constant else None


def _parameters(module: Module, function: Function) -> Iterator[int]:
    end = function.blocks[0].first if function.blocks else function.last
    for index in range(function.first + 1, end):
        if module.opcodes[index] == Op.FunctionParameter:
            yield module.instruction_words(index)[2]


def _uses(words: tuple[int, ...], opcode: int) -> Iterator[int]:
    """Ids of the values an instruction reads."""
    if opcode >= len(VALUE_WORDS):
        return
    literals = LITERAL_WORDS.get(opcode, ())
    for word in range(*VALUE_WORDS[opcode].indices(len(words))):
        if word not in literals:
            yield words[word]
