"""Subgroups of another size than the device's: emulated by shared memory.

`size` consecutive invocations of a workgroup are a subgroup.  Its built-in numbers become variables
that are computed where the entry point begins; an operation stores each invocation's value in an
array in shared memory, between two barriers, and computes its result from those of its subgroup.
Nothing is added but straight code within a block, so blocks keep their labels and their counts.

A barrier is defined only where all invocations of a workgroup reach it, and an operation's result
depends on which of a subgroup take part.  So a module is rewritten as a whole or not at all: each
operation must be one that is known here, in control flow that is uniform in the workgroup
(`analysis.workgroup_uniformity`).
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable

from shaderlab.spirv.analysis.dataflow import LITERAL_WORDS, VALUE_WORDS
from shaderlab.spirv.analysis.influence import SUBGROUP_INPUTS, SUBGROUP_RESULTS
from shaderlab.spirv.analysis.workgroup_uniformity import WorkgroupUniformity
from shaderlab.spirv.grammar import (
    ENUMS,
    GLSL_STD_450,
    BuiltIn,
    Decoration,
    Op,
    StorageClass,
    opcodes,
)
from shaderlab.spirv.module import Module
from shaderlab.spirv.passes.compute_counting import compute_entry
from shaderlab.spirv.passes.instrumentation import built_in, extend_interfaces, first_ordinary
from shaderlab.spirv.passes.rewriting import Rewriter, encode
from shaderlab.spirv.warps import LANES

SHARED_BYTES = 32 << 10
"""Shared memory a workgroup may have together with what is added."""

_SCOPE = ENUMS["Scope"]
_SUBGROUP, _WORKGROUP = _SCOPE["Subgroup"], _SCOPE["Workgroup"]
_ORDER = ENUMS["MemorySemantics"]["AcquireRelease"] | ENUMS["MemorySemantics"]["WorkgroupMemory"]
_GROUP_OPERATIONS = ENUMS["GroupOperation"]
_REDUCE, _INCLUSIVE, _EXCLUSIVE, _CLUSTERED = (
    _GROUP_OPERATIONS[name]
    for name in ("Reduce", "InclusiveScan", "ExclusiveScan", "ClusteredReduce")
)
_EXPLICIT_LAYOUT = ENUMS["Capability"]["WorkgroupMemoryExplicitLayoutKHR"]
_SHADER, _BALLOT = (ENUMS["Capability"][name] for name in ("Shader", "GroupNonUniformBallot"))
_OPERATIONS = frozenset(
    ENUMS["Capability"][f"GroupNonUniform{name}"]
    for name in ("Vote", "Arithmetic", "Ballot", "Shuffle", "ShuffleRelative", "Clustered", "Quad")
)
"""Capabilities that only operations need, but for the masks, which need that of ballots."""
_CHAINS = opcodes("AccessChain InBoundsAccessChain")
_GLSL = {name: code for code, name in GLSL_STD_450.items()}
_ALL_BITS = 0xFFFFFFFF

_PURE = opcodes(
    "GroupNonUniformInverseBallot GroupNonUniformBallotBitExtract GroupNonUniformBallotBitCount "
    "GroupNonUniformBallotFindLSB GroupNonUniformBallotFindMSB"
)
"""Functions of a value and the invocation's own number, whoever else takes part."""
_ARITHMETIC: dict[int, tuple[int | str, str]] = {
    Op.GroupNonUniformIAdd: (Op.IAdd, "zero"),
    Op.GroupNonUniformFAdd: (Op.FAdd, "zero"),
    Op.GroupNonUniformIMul: (Op.IMul, "one"),
    Op.GroupNonUniformFMul: (Op.FMul, "one"),
    Op.GroupNonUniformSMin: ("SMin", "highest"),
    Op.GroupNonUniformUMin: ("UMin", "all bits"),
    Op.GroupNonUniformFMin: ("FMin", "highest"),
    Op.GroupNonUniformSMax: ("SMax", "lowest"),
    Op.GroupNonUniformUMax: ("UMax", "zero"),
    Op.GroupNonUniformFMax: ("FMax", "lowest"),
    Op.GroupNonUniformBitwiseAnd: (Op.BitwiseAnd, "all bits"),
    Op.GroupNonUniformBitwiseOr: (Op.BitwiseOr, "zero"),
    Op.GroupNonUniformBitwiseXor: (Op.BitwiseXor, "zero"),
    Op.GroupNonUniformLogicalAnd: (Op.LogicalAnd, "true"),
    Op.GroupNonUniformLogicalOr: (Op.LogicalOr, "false"),
    Op.GroupNonUniformLogicalXor: (Op.LogicalNotEqual, "false"),
}
"""By operation: what joins two values, an instruction or one of GLSL.std.450, and what an exclusive
scan gives the first."""


class _NotEmulated(Exception):
    """The module has something that is not rewritten."""


def uses_subgroups(module: Module) -> bool:
    """Whether a module has operations or built-in numbers of subgroups."""
    if module.indices(*SUBGROUP_RESULTS):
        return True
    decorations = map(module.instruction_words, module.indices(Op.Decorate))
    return any(
        words[2] == Decoration.BuiltIn and words[3] in SUBGROUP_INPUTS for words in decorations
    )


def emulated(
    module: Module, entry_point: str, local: tuple[int, int, int], size: int = LANES
) -> bytes | None:
    """A compute shader with subgroups of `size` invocations, a power of two from 4 to 64.

    `local`: the sides of its workgroup.  None where the module has what is not emulated, or is not
    proved to be in control flow that is uniform in the workgroup.  Raises InvalidModule.
    """
    try:
        return _Emulation(module, entry_point, local, size).build()
    except _NotEmulated:
        return None


class _Emulation:
    def __init__(self, module: Module, entry_point: str, local: tuple[int, int, int], size: int):
        self._module, self._size = module, size
        self._entry = compute_entry(module, entry_point)
        self._total = math.prod(local)
        self._groups = -(-self._total // size)
        self._rewriter = Rewriter(module)
        self._uint = self._rewriter.type(Op.TypeInt, 32, 0)
        self._bool = self._rewriter.type(Op.TypeBool)
        self._flow = WorkgroupUniformity(
            module, self._entry, local, one_subgroup=self._total <= size
        )
        self._index = built_in(
            self._rewriter, self._entry, BuiltIn.LocalInvocationIndex, self._uint
        )
        self._arrays: dict[int, int] = {}
        """Variables in shared memory by type of an element."""
        self._private: dict[int, int] = {}
        """By built-in input: the variable that takes its place."""
        self._words: list[int] = []
        self._lane = self._base = 0
        """Ids of the invocation's number in its subgroup, and of its first one in the workgroup."""

    def build(self) -> bytes:
        module, rewriter = self._module, self._rewriter
        if any(
            module.instruction_words(index)[1] == _EXPLICIT_LAYOUT
            for index in module.indices(Op.Capability)
        ):
            raise _NotEmulated
        inputs = self._inputs()
        for function in self._flow.functions:
            pointers = set[int]()
            for number, block in enumerate(function.blocks):
                together = self._flow.together(function, number)
                for index in range(block.first + 1, block.last + 1):
                    words = module.instruction_words(index)
                    self._number(index, words, inputs, pointers)
                    self._operation(index, words, together=together)
        self._begin(inputs)
        self._undemand(inputs)
        if self._shared_bytes() > SHARED_BYTES:
            raise _NotEmulated
        extend_interfaces(
            rewriter,
            list(self._flow.functions),
            [self._index.variable],
            [*self._arrays.values(), *self._private.values()],
        )
        return rewriter.build()

    def _undemand(self, inputs: dict[int, int]) -> None:
        """Have the module demand nothing of a device that it does not use now.

        Functions that the entry point does not reach keep what they are.
        """
        module = self._module
        reached = [(each.first, each.last) for each in self._flow.functions]
        if any(
            not any(first < index < last for first, last in reached)
            for index in module.indices(*SUBGROUP_RESULTS)
        ):
            return
        masks = {
            number for name, number in ENUMS["BuiltIn"].items() if re.match("Subgroup.*Mask", name)
        }
        for index in module.indices(Op.Capability):
            which = module.instruction_words(index)[1]
            needed = which == _BALLOT and not masks.isdisjoint(inputs.values())
            if which in _OPERATIONS and not needed:
                self._rewriter.replace_word(index, 1, _SHADER)

    # Built-in numbers

    def _inputs(self) -> dict[int, int]:
        """By variable: which number of subgroups it is."""
        module = self._module
        found = {
            words[1]: words[3]
            for words in map(module.instruction_words, module.indices(Op.Decorate))
            if words[2] == Decoration.BuiltIn and words[3] in SUBGROUP_INPUTS
        }
        for variable in found:
            pointer = module.definition(module.definition(variable).words[1])
            kind = pointer.operands[1]
            self._private[variable] = self._rewriter.variable(StorageClass.Private, kind)
        return found

    def _number(
        self, index: int, words: tuple[int, ...], inputs: dict[int, int], pointers: set[int]
    ) -> None:
        """Have an instruction read a variable of the module's instead of a built-in number;
        `pointers`: into such variables, which are added to."""
        opcode = words[0] & 0xFFFF
        if opcode in _CHAINS and words[3] in inputs:
            pointee = self._module.definition(words[1]).operands[1]
            private = self._rewriter.pointer(StorageClass.Private, pointee)
            self._rewriter.replace_word(index, 1, private)
            self._rewriter.replace_word(index, 3, self._private[words[3]])
            pointers.add(words[2])
        elif opcode == Op.Load:
            if words[3] in inputs:
                self._rewriter.replace_word(index, 3, self._private[words[3]])
        elif opcode < len(VALUE_WORDS):
            literals = LITERAL_WORDS.get(opcode, ())
            for word in range(*VALUE_WORDS[opcode].indices(len(words))):
                if word not in literals and (words[word] in inputs or words[word] in pointers):
                    raise _NotEmulated

    def _begin(self, inputs: dict[int, int]) -> None:
        """Compute the numbers where the entry point begins."""
        if not inputs:
            return
        self._start()
        for variable, which in inputs.items():
            kind = self._module.definition(self._module.definition(variable).words[1]).operands[1]
            value = self._value(which)
            own = self._uint
            if self._module.definition(kind).opcode == Op.TypeVector:
                own = self._rewriter.type(Op.TypeVector, self._uint, 4)
            if kind != own:
                value = self._emit(Op.Bitcast, kind, value)
            self._words += encode(Op.Store, self._private[variable], value)
        first = self._module.function_by_id[self._entry.id].blocks[0]
        self._rewriter.insert_before(first_ordinary(self._module, first), self._words)

    def _value(self, which: int) -> int:
        size = self._constant(self._size)
        if which == BuiltIn.SubgroupSize:
            return size
        if which == BuiltIn.NumSubgroups:
            return self._constant(self._groups)
        if which == BuiltIn.SubgroupLocalInvocationId:
            return self._lane
        if which == BuiltIn.SubgroupId:
            return self._emit(Op.UDiv, self._uint, self._base, size)
        vector = self._rewriter.type(Op.TypeVector, self._uint, 4)
        zero = self._constant(0)
        words = [self._mask(which, word) for word in (0, 1)]
        return self._emit(Op.CompositeConstruct, vector, *words, zero, zero)

    def _mask(self, which: int, word: int) -> int:
        """A word of the bits of the invocations equal to, below, above … this one."""
        uint = self._uint
        if 32 * word >= self._size:
            return self._constant(0)
        of = self._emit(Op.ShiftRightLogical, uint, self._lane, self._constant(5))
        place = self._emit(Op.BitwiseAnd, uint, self._lane, self._constant(31))
        here = self._emit(Op.IEqual, self._bool, of, self._constant(word))
        beyond = self._emit(Op.UGreaterThan, self._bool, of, self._constant(word))
        bit = self._emit(Op.ShiftLeftLogical, uint, self._constant(1), place)
        below = self._emit(Op.ISub, uint, bit, self._constant(1))
        rest = self._emit(Op.Select, uint, beyond, self._constant(_ALL_BITS), self._constant(0))
        equal = self._emit(Op.Select, uint, here, bit, self._constant(0))
        below = self._emit(Op.Select, uint, here, below, rest)
        upto = self._emit(Op.BitwiseOr, uint, below, equal)
        if which == BuiltIn.SubgroupEqMask:
            return equal
        if which == BuiltIn.SubgroupLtMask:
            return below
        if which == BuiltIn.SubgroupLeMask:
            return upto
        without = below if which == BuiltIn.SubgroupGeMask else upto
        others = self._emit(Op.Not, uint, without)
        return self._emit(Op.BitwiseAnd, uint, others, self._constant(self._full(word)))

    def _full(self, word: int) -> int:
        """The bits of a subgroup in a word of a ballot."""
        return (1 << min(32, max(0, self._size - 32 * word))) - 1

    # Operations

    def _operation(self, index: int, words: tuple[int, ...], *, together: bool) -> None:
        opcode = words[0] & 0xFFFF
        if opcode in (Op.ControlBarrier, Op.MemoryBarrier):
            self._barrier(index, words, together=together)
            return
        if opcode not in SUBGROUP_RESULTS:
            return
        is_old = opcode in _OLD
        if not is_old and self._literal(words[3]) != _SUBGROUP:
            raise _NotEmulated
        compute = _OLD.get(opcode) or _COMPUTED.get(opcode)
        compute = compute or (_Emulation._joined if opcode in _ARITHMETIC else None)
        if compute is None or not (together or opcode in _PURE):
            raise _NotEmulated
        self._start()
        value = compute(self, opcode, words[1], words[3 if is_old else 4 :])
        self._words += encode(Op.CopyObject, words[1], words[2], value)
        self._rewriter.replace_instruction(index, self._words)

    def _barrier(self, index: int, words: tuple[int, ...], *, together: bool) -> None:
        """Have what is a barrier of a subgroup be one of the workgroup."""
        for word in range(1, len(words) - 1):
            if self._literal(words[word]) == _SUBGROUP:
                if not together and words[0] & 0xFFFF == Op.ControlBarrier:
                    raise _NotEmulated
                self._rewriter.replace_word(index, word, self._constant(_WORKGROUP))

    def _start(self) -> None:
        """Begin the code that takes an instruction's place."""
        self._words = []
        kind = self._index.component
        index = self._emit(Op.Load, kind, self._index.variable)
        self._own = index if kind == self._uint else self._emit(Op.Bitcast, self._uint, index)
        self._lane = self._emit(
            Op.BitwiseAnd, self._uint, self._own, self._constant(self._size - 1)
        )
        self._base = self._emit(Op.ISub, self._uint, self._own, self._lane)

    def _shared(self, type: int, value: int) -> Callable[[int], int]:
        """Give the subgroup a value; what loads that of the invocation of a number in it."""
        rewriter = self._rewriter
        if type not in self._arrays:
            length = rewriter.constant(self._uint, self._groups * self._size)
            array = rewriter.new_type(Op.TypeArray, type, length)
            self._arrays[type] = rewriter.variable(StorageClass.Workgroup, array)
        array = self._arrays[type]
        pointer = rewriter.pointer(StorageClass.Workgroup, type)
        workgroup, order = self._constant(_WORKGROUP), self._constant(_ORDER)
        wait = encode(Op.ControlBarrier, workgroup, workgroup, order)
        self._words += wait
        own = self._emit(Op.AccessChain, pointer, array, self._own)
        self._words += [*encode(Op.Store, own, value), *wait]

        def load(lane: int) -> int:
            at = self._emit(Op.IAdd, self._uint, self._base, lane)
            return self._emit(Op.Load, type, self._emit(Op.AccessChain, pointer, array, at))

        return load

    def _is_there(self, lane: int) -> int | None:
        """Whether a subgroup has the invocation of that number; None where all have."""
        if self._total % self._size == 0:
            return None
        at = self._emit(Op.IAdd, self._uint, self._base, lane)
        return self._emit(Op.ULessThan, self._bool, at, self._constant(self._total))

    def _elect(self, _opcode: int, type: int, _operands: tuple[int, ...]) -> int:
        return self._emit(Op.IEqual, type, self._lane, self._constant(0))

    def _moved(self, opcode: int, type: int, operands: tuple[int, ...]) -> int:
        """The value of another invocation; where there is none, which is undefined, its own."""
        value, *others = operands
        load = self._shared(type, value)
        lane = self._source(opcode, [self._unsigned(each) for each in others])
        known = self._emit(Op.ULessThan, self._bool, lane, self._constant(self._size))
        lane = self._emit(Op.Select, self._uint, known, lane, self._lane)
        there = self._is_there(lane)
        if there is not None:
            lane = self._emit(Op.Select, self._uint, there, lane, self._lane)
        return load(lane)

    def _source(self, opcode: int, others: list[int]) -> int:
        """Number of the invocation whose value is taken."""
        uint, lane = self._uint, self._lane
        if not others:
            return self._constant(0)
        (other, *_) = others
        if opcode == Op.GroupNonUniformShuffleXor:
            return self._emit(Op.BitwiseXor, uint, lane, other)
        if opcode == Op.GroupNonUniformShuffleUp:
            return self._emit(Op.ISub, uint, lane, other)
        if opcode == Op.GroupNonUniformShuffleDown:
            return self._emit(Op.IAdd, uint, lane, other)
        if opcode == Op.GroupNonUniformQuadSwap:
            # 0 along x, 1 along y, 2 along both: the bits of the number that change
            bits = self._emit(Op.IAdd, uint, other, self._constant(1))
            return self._emit(Op.BitwiseXor, uint, lane, bits)
        if opcode == Op.GroupNonUniformQuadBroadcast:
            quad = self._emit(Op.BitwiseAnd, uint, lane, self._constant(_ALL_BITS ^ 3))
            return self._emit(Op.IAdd, uint, quad, other)
        return other

    def _voted(self, opcode: int, type: int, operands: tuple[int, ...]) -> int:
        load = self._shared(type, operands[0])
        is_all = opcode in (Op.GroupNonUniformAll, Op.SubgroupAllKHR)
        join = Op.LogicalAnd if is_all else Op.LogicalOr
        return self._over_all(type, load, lambda a, b: self._emit(join, type, a, b))

    def _all_equal(self, _opcode: int, type: int, operands: tuple[int, ...]) -> int:
        kind = self._type(operands[0])
        load = self._shared(kind, operands[0])
        first = load(self._constant(0))
        scalar, components = self._scalar(kind)
        flags = self._rewriter.type(Op.TypeVector, type, components) if components > 1 else type
        compare = {Op.TypeFloat: Op.FOrdEqual, Op.TypeBool: Op.LogicalEqual}
        equal = compare.get(self._module.definition(scalar).opcode, Op.IEqual)

        def same(lane: int) -> int:
            found = self._emit(equal, flags, load(lane), first)
            return self._emit(Op.All, type, found) if components > 1 else found

        return self._over_all(type, same, lambda a, b: self._emit(Op.LogicalAnd, type, a, b))

    def _over_all(
        self, type: int, load: Callable[[int], int], join: Callable[[int, int], int]
    ) -> int:
        """What all invocations of a subgroup join to."""
        found = load(self._constant(0))
        for number in range(1, self._size):
            lane = self._constant(number)
            joined = join(found, load(lane))
            found = self._chosen(type, self._is_there(lane), joined, found)
        return found

    def _chosen(self, type: int, condition: int | None, one: int, other: int) -> int:
        """One of two values; `condition`: None for always the one."""
        if condition is None:
            return one
        _, components = self._scalar(type)
        if components > 1:
            flags = self._rewriter.type(Op.TypeVector, self._bool, components)
            condition = self._emit(Op.CompositeConstruct, flags, *[condition] * components)
        return self._emit(Op.Select, type, condition, one, other)

    def _joined(self, opcode: int, type: int, operands: tuple[int, ...]) -> int:
        operation, value, *more = operands
        instruction, neutral = _ARITHMETIC[opcode]
        load = self._shared(type, value)

        def join(one: int, other: int) -> int:
            if isinstance(instruction, str):
                glsl = self._rewriter.import_set("GLSL.std.450")
                return self._emit(Op.ExtInst, type, glsl, _GLSL[instruction], one, other)
            return self._emit(instruction, type, one, other)

        if operation == _REDUCE:
            return self._over_all(type, load, join)
        if operation == _CLUSTERED:
            return self._over_cluster(type, load, join, self._literal(more[0]))
        if operation not in (_INCLUSIVE, _EXCLUSIVE):
            raise _NotEmulated
        found = load(self._constant(0))
        reached = Op.UGreaterThanEqual if operation == _INCLUSIVE else Op.UGreaterThan
        for number in range(1, self._size):
            lane = self._constant(number)
            takes = self._emit(reached, self._bool, self._lane, lane)
            found = self._chosen(type, takes, join(found, load(lane)), found)
        if operation == _INCLUSIVE:
            return found
        is_first = self._emit(Op.IEqual, self._bool, self._lane, self._constant(0))
        return self._chosen(type, is_first, self._neutral(type, neutral), found)

    def _over_cluster(
        self,
        type: int,
        load: Callable[[int], int],
        join: Callable[[int, int], int],
        length: int | None,
    ) -> int:
        if not length or length & (length - 1):
            raise _NotEmulated
        length = min(length, self._size)
        start = self._emit(
            Op.BitwiseAnd, self._uint, self._lane, self._constant(_ALL_BITS ^ (length - 1))
        )
        found = load(start)
        for number in range(1, length):
            lane = self._emit(Op.IAdd, self._uint, start, self._constant(number))
            joined = join(found, load(lane))
            found = self._chosen(type, self._is_there(lane), joined, found)
        return found

    # Ballots

    def _ballot(self, _opcode: int, type: int, operands: tuple[int, ...]) -> int:
        self._check_ballot(type)
        load = self._shared(self._bool, operands[0])
        words = [self._constant(0)] * 4
        for number in range(self._size):
            lane = self._constant(number)
            votes, there = load(lane), self._is_there(lane)
            if there is not None:
                votes = self._emit(Op.LogicalAnd, self._bool, votes, there)
            bit = self._constant(1 << number % 32)
            own = self._emit(Op.Select, self._uint, votes, bit, self._constant(0))
            word = number // 32
            words[word] = self._emit(Op.BitwiseOr, self._uint, words[word], own)
        return self._emit(Op.CompositeConstruct, type, *words)

    def _check_ballot(self, type: int) -> None:
        if type != self._rewriter.type(Op.TypeVector, self._uint, 4):
            raise _NotEmulated

    def _word(self, ballot: int, word: int) -> int:
        """A word of a ballot, without bits beyond the subgroup."""
        self._check_ballot(self._type(ballot))
        bits = self._emit(Op.CompositeExtract, self._uint, ballot, word)
        return self._emit(Op.BitwiseAnd, self._uint, bits, self._constant(self._full(word)))

    def _bit(self, ballot: int, number: int) -> int:
        self._check_ballot(self._type(ballot))
        uint = self._uint
        of = self._emit(Op.ShiftRightLogical, uint, number, self._constant(5))
        place = self._emit(Op.BitwiseAnd, uint, number, self._constant(31))
        word = self._emit(Op.VectorExtractDynamic, uint, ballot, of)
        bit = self._emit(Op.ShiftRightLogical, uint, word, place)
        one = self._emit(Op.BitwiseAnd, uint, bit, self._constant(1))
        return self._emit(Op.INotEqual, self._bool, one, self._constant(0))

    def _inverse(self, _opcode: int, _type: int, operands: tuple[int, ...]) -> int:
        return self._bit(operands[0], self._lane)

    def _extracted(self, _opcode: int, _type: int, operands: tuple[int, ...]) -> int:
        return self._bit(operands[0], self._unsigned(operands[1]))

    def _bits(self, _opcode: int, type: int, operands: tuple[int, ...]) -> int:
        operation, ballot = operands
        counted = {
            _INCLUSIVE: BuiltIn.SubgroupLeMask,
            _EXCLUSIVE: BuiltIn.SubgroupLtMask,
        }
        if operation != _REDUCE and operation not in counted:
            raise _NotEmulated
        total = None
        for word in range(-(-self._size // 32)):
            bits = self._word(ballot, word)
            if operation != _REDUCE:
                mask = self._mask(counted[operation], word)
                bits = self._emit(Op.BitwiseAnd, self._uint, bits, mask)
            count = self._emit(Op.BitCount, self._uint, bits)
            total = count if total is None else self._emit(Op.IAdd, self._uint, total, count)
        assert total is not None
        return total if type == self._uint else self._emit(Op.Bitcast, type, total)

    def _found(self, opcode: int, type: int, operands: tuple[int, ...]) -> int:
        lowest = opcode == Op.GroupNonUniformBallotFindLSB
        glsl, uint = self._rewriter.import_set("GLSL.std.450"), self._uint
        search = _GLSL["FindILsb" if lowest else "FindUMsb"]
        words = [self._word(operands[0], word) for word in range(-(-self._size // 32))]
        found = [self._emit(Op.ExtInst, uint, glsl, search, word) for word in words]
        result = found[0]
        if len(found) > 1:
            upper = self._emit(Op.IAdd, uint, found[1], self._constant(32))
            decides = words[0] if lowest else words[1]
            is_set = self._emit(Op.INotEqual, self._bool, decides, self._constant(0))
            pair = (found[0], upper) if lowest else (upper, found[0])
            result = self._emit(Op.Select, uint, is_set, *pair)
        return result if type == uint else self._emit(Op.Bitcast, type, result)

    # Values

    def _emit(self, opcode: int, type: int, *operands: int) -> int:
        id = self._rewriter.new_id()
        self._words += encode(opcode, type, id, *operands)
        return id

    def _constant(self, value: int) -> int:
        return self._rewriter.constant(self._uint, value)

    def _literal(self, id: int) -> int | None:
        """The value of a constant; None where it is none."""
        definition = self._module.definition(id)
        return definition.words[3] if definition.opcode == Op.Constant else None

    def _type(self, id: int) -> int:
        return self._module.definition(id).words[1]

    def _unsigned(self, id: int) -> int:
        return id if self._type(id) == self._uint else self._emit(Op.Bitcast, self._uint, id)

    def _scalar(self, type: int) -> tuple[int, int]:
        """Type of a component, and how many there are."""
        if type == self._bool:
            return type, 1
        definition = self._module.definition(type)
        if definition.opcode == Op.TypeVector:
            return definition.operands[0], definition.operands[1]
        return type, 1

    def _neutral(self, type: int, which: str) -> int:
        """The value that changes no other it is joined with."""
        scalar, components = self._scalar(type)
        value = self._neutral_scalar(scalar, which)
        if components == 1:
            return value
        return self._emit(Op.CompositeConstruct, type, *[value] * components)

    def _neutral_scalar(self, type: int, which: str) -> int:
        zero = self._rewriter.null(type)
        if which in ("zero", "false"):
            return zero
        if which == "true":
            return self._emit(Op.LogicalNot, type, zero)
        kind = self._module.definition(type)
        width = kind.operands[0]
        if kind.opcode == Op.TypeFloat:
            number = {"one": 1.0, "highest": math.inf, "lowest": -math.inf}[which]
            form = {16: "<e", 32: "<f", 64: "<d"}[width]
            bits = int.from_bytes(struct.pack(form, number), "little")
        else:
            top = 1 << (width - 1)
            bits = {"one": 1, "all bits": 2 * top - 1, "highest": top - 1, "lowest": top}[which]
            if kind.operands[1] and width < 32 and bits & top:  # sign-extended (§2.2.1)
                bits |= _ALL_BITS & -top
        if width == 64:
            return self._rewriter.wide_constant(type, bits)
        return self._rewriter.constant(type, bits)

    # Shared memory

    def _shared_bytes(self) -> int:
        """Of a workgroup, the program's own included."""
        module = self._module
        own = sum(
            self._nbytes(module.definition(words[1]).operands[1])
            for words in map(module.instruction_words, module.indices(Op.Variable))
            if words[3] == StorageClass.Workgroup
        )
        added = self._groups * self._size * sum(map(self._nbytes, self._arrays))
        return own + added

    def _nbytes(self, type: int) -> int:
        if type == self._bool:
            return 4
        definition = self._module.definition(type)
        opcode, operands = definition.opcode, definition.operands
        if opcode in (Op.TypeInt, Op.TypeFloat):
            return operands[0] // 8
        if opcode == Op.TypeVector:
            return self._nbytes(operands[0]) * (4 if operands[1] == 3 else operands[1])
        if opcode == Op.TypeMatrix:
            return self._nbytes(operands[0]) * operands[1]
        if opcode == Op.TypeArray:
            length = self._module.definition(operands[1])
            known = length.opcode in (Op.Constant, Op.SpecConstant)
            return self._nbytes(operands[0]) * (length.words[3] if known else 1)
        if opcode == Op.TypeStruct:
            return sum(self._nbytes(each) for each in operands)
        return 4


_Compute = Callable[[_Emulation, int, int, tuple[int, ...]], int]
_COMPUTED: dict[int, _Compute] = {
    Op.GroupNonUniformElect: _Emulation._elect,
    Op.GroupNonUniformAll: _Emulation._voted,
    Op.GroupNonUniformAny: _Emulation._voted,
    Op.GroupNonUniformAllEqual: _Emulation._all_equal,
    Op.GroupNonUniformBroadcast: _Emulation._moved,
    Op.GroupNonUniformBroadcastFirst: _Emulation._moved,
    Op.GroupNonUniformShuffle: _Emulation._moved,
    Op.GroupNonUniformShuffleXor: _Emulation._moved,
    Op.GroupNonUniformShuffleUp: _Emulation._moved,
    Op.GroupNonUniformShuffleDown: _Emulation._moved,
    Op.GroupNonUniformQuadBroadcast: _Emulation._moved,
    Op.GroupNonUniformQuadSwap: _Emulation._moved,
    Op.GroupNonUniformBallot: _Emulation._ballot,
    Op.GroupNonUniformInverseBallot: _Emulation._inverse,
    Op.GroupNonUniformBallotBitExtract: _Emulation._extracted,
    Op.GroupNonUniformBallotBitCount: _Emulation._bits,
    Op.GroupNonUniformBallotFindLSB: _Emulation._found,
    Op.GroupNonUniformBallotFindMSB: _Emulation._found,
}
_OLD: dict[int, _Compute] = {
    Op.SubgroupBallotKHR: _Emulation._ballot,
    Op.SubgroupFirstInvocationKHR: _Emulation._moved,
    Op.SubgroupAllKHR: _Emulation._voted,
    Op.SubgroupAnyKHR: _Emulation._voted,
    Op.SubgroupAllEqualKHR: _Emulation._all_equal,
    Op.SubgroupReadInvocationKHR: _Emulation._moved,
}
"""Of the extensions before SPIR-V 1.3, which name no scope."""
