"""Counting how often every basic block of a fragment shader runs, per pixel.

Every counted block increments its field of a private 32-bit variable; each invocation stores all
of them once, before the entry function returns or the invocation ends otherwise.  No atomics and no
64-bit integers are needed, and counts per pixel cost nothing extra.  The host sums to 64 bits.

Where no driver ends loops, the counting program is the first of a shader that runs, with all loops
bounded (`guarding`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from shaderlab.errors import CounterOverflow
from shaderlab.spirv.analysis.cfg import reachable_functions
from shaderlab.spirv.grammar import ENUMS, GLSL_STD_450, Op, StorageClass
from shaderlab.spirv.module import Block, EntryPoint, Function, Module
from shaderlab.spirv.passes.counter_placement import (
    ENDS_INVOCATION,
    Derivation,
    count_everything,
    count_least,
)
from shaderlab.spirv.passes.guarding import Guarded, guard, unguarded
from shaderlab.spirv.passes.instrumentation import (
    extend_interfaces,
    first_ordinary,
    frag_coord,
    storage_buffer,
    tests_early,
)
from shaderlab.spirv.passes.packing import Field, pack
from shaderlab.spirv.passes.places import Body, Places
from shaderlab.spirv.passes.rewriting import Rewriter, encode
from shaderlab.spirv.reflection import Descriptor
from shaderlab.spirv.trace import BlockId
from shaderlab.spirv.warps import GROUP_HEIGHT, GROUP_WIDTH, LANES

HEADER_WORDS = 4
"""uint32 words before the counters: origin x, origin y, tile width, tile height, in pixels; where
loops are bounded, one more: the rounds that each invocation may go (`guarding`)."""

SATURATED = 0xFFFFFFFF
"""Where a counter stops: it then stands for this many executions or more."""

_UMAX = next(code for code, name in GLSL_STD_450.items() if name == "UMax")

_DEVICE_SCOPE = ENUMS["Scope"]["Device"]
_RELAXED = ENUMS["MemorySemantics"]["Relaxed"]

_WORKING_BYTES = 8 << 20
"""Memory for counts per pixel of all blocks at a time."""


@dataclass(frozen=True)
class Instrumented:
    """A module that counts.

    The host binds a storage buffer of `header_words + counters * width * height` uint32 words,
    zeroed but for the header, at (`descriptor_set`, `binding`), and draws the tile the header
    describes, with a scissor around it.  Word `c` of pixel (x, y) of the tile lies at
    `header_words + (c * height + y) * width + x`; y = 0 is the row of smallest gl_FragCoord.y.
    Pixels whose invocation never ended keep zeros.
    """

    spirv: bytes
    descriptor_set: int
    binding: int
    header_words: int
    counters: int
    """Stored words per pixel; each holds a counter, or several that stay small."""
    blocks: tuple[BlockId, ...]
    """Blocks of all functions reachable from the entry point, in the order of the module."""
    block_instructions: tuple[int, ...]
    """By block: instructions it executes, terminator included, OpLabel and debug lines not."""
    derivation: Derivation
    """How the blocks' counts follow from those of some."""
    fields: tuple[Field, ...]
    """Where those lie, in the order of `derivation.counted`."""
    loops: tuple[BlockId, ...]
    """Headers of the guarded loops.  Where there are any, the last word of a pixel is 0, or the
    number of the loop, from 1, that wanted more rounds than there were."""
    ending: frozenset[BlockId]
    """Those of them that end by their constants, however late."""
    unguarded: tuple[BlockId, ...]
    """Headers of loops that cannot be bounded."""

    def cut(self, raw: np.ndarray) -> dict[BlockId, int]:
        """Loops that were left before their end, by header: invocations of `raw`, as below.

        Where draws add to what is there, the number of pixels.
        """
        if not self.loops:
            return {}
        numbers = np.bincount(raw[-1].reshape(-1).astype(np.int64), minlength=len(self.loops) + 1)
        return {loop: int(n) for loop, n in zip(self.loops, numbers[1:], strict=False) if n}

    def block_counts(self, raw: np.ndarray) -> np.ndarray:
        """Executions of each block, (blocks,) int64, from raw counters (counters, h, w) uint32.

        `raw` may be one tile: the counts of tiles add up.  Raises CounterOverflow if a block ran
        2^32 - 1 times or more in one invocation.
        """
        self.check_overflow(raw)
        flat = raw.reshape(self.counters, -1)
        sums = [int(field.read(flat).sum(dtype=np.int64)) for field in self.fields]
        return self.derivation.totals(sums)

    def check_overflow(self, raw: np.ndarray) -> None:
        """Raise CounterOverflow if a counter of `raw`, as above, went as far as it goes."""
        flat = raw.reshape(self.counters, -1)
        for slot, limit, field in zip(
            self.derivation.counted, self.derivation.limits, self.fields, strict=True
        ):
            if limit is None and int(flat[field.word].max(initial=0)) == SATURATED:
                block = self.blocks[slot]
                raise CounterOverflow(
                    f"block %{block.label} ran {SATURATED:,} times or more in one pixel, "
                    "which is the limit of its counter"
                )

    def heat(self, raw: np.ndarray, weights: Sequence[int] | None = None) -> np.ndarray:
        """Executed instructions per pixel, (h, w) uint32, from raw (counters, h, w) uint32.

        `weights`: one whole number per block instead of its instructions.  Sums beyond 32 bits read
        as 2^32 - 1.
        """
        per_block = self.block_instructions if weights is None else weights
        per_counter = self.derivation.counter_weights(per_block)
        peaks = self._peaks(raw)
        reach = sum(abs(weight) * peak for weight, peak in zip(per_counter, peaks, strict=True))
        # Sums of uint32 are exact modulo 2^32, whatever the sign of the weights.
        dtype = np.uint32 if reach < 1 << 32 else np.int64
        total = np.zeros(raw.shape[1:], dtype)
        for weight, field in zip(per_counter, self.fields, strict=True):
            if weight:
                total += field.read(raw) * np.array(weight, np.int64).astype(dtype)
        return np.clip(total, 0, 0xFFFFFFFF).astype(np.uint32)

    def pixels(self, raw: np.ndarray, entry: int) -> int:
        """Pixels of `raw`, as above, with an invocation; `entry`: id of the entry function."""
        first = next(n for n, block in enumerate(self.blocks) if block.function == entry)
        weights = [int(number == first) for number in range(len(self.blocks))]
        return int(np.count_nonzero(self.heat(raw, weights)))

    def lane_groups(self, raw: np.ndarray) -> np.ndarray:
        """Trips of the longest lane summed over groups of 8x4 pixels, (blocks,) int64.

        `raw`: counters (counters, h, w) uint32 of a tile whose origin is a multiple of 8x4; groups
        cut by its right or upper edge count as groups.  A GPU that runs 32 lanes in step spends
        this many executions, each 32 lanes wide, on a block.
        """
        distinct, where = self._distinct
        result = np.zeros(len(distinct), np.int64)
        for _, longest in self._longest_lanes(raw):
            result += longest.sum(axis=1, dtype=np.int64)
        return result[where]

    def lanes_busy(self, raw: np.ndarray) -> np.ndarray:
        """Part of its lanes' time in which a group of 8x4 pixels works, in (0, 1].

        (ceil(h / 4), ceil(w / 8)) float32 from `raw` as `lane_groups` takes it: instructions its
        pixels execute over those of as many lanes that all stay as long as the longest in every
        block.  Groups cut by an edge have fewer lanes; nan where none executed anything.
        """
        rows, columns = raw.shape[1:]
        width, height = GROUP_WIDTH, GROUP_HEIGHT
        across, down = -(-columns // width), -(-rows // height)
        weights = np.bincount(self._distinct[1], self.block_instructions)
        held = np.zeros(down * across)
        for start, longest in self._longest_lanes(raw):
            held[start : start + longest.shape[1]] = weights @ longest
        executed = _by_lane(self.heat(raw)[np.newaxis])[0].sum(axis=0, dtype=np.float64)
        lanes = np.outer(_cut(rows, height), _cut(columns, width)).reshape(-1)
        with np.errstate(invalid="ignore"):
            busy = executed / (held * lanes)
        return busy.reshape(down, across).astype(np.float32)

    def _peaks(self, raw: np.ndarray) -> list[int]:
        """By counter: what no pixel of `raw` exceeds."""
        return [
            int(raw[field.word].max(initial=0)) if limit is None else limit
            for limit, field in zip(self.derivation.limits, self.fields, strict=True)
        ]

    @cached_property
    def _distinct(self) -> tuple[np.ndarray, np.ndarray]:
        """Slots that differ from one another, and which of them each block equals."""
        originals = np.array(self.derivation.originals[: len(self.blocks)], np.int64)
        return np.unique(originals, return_inverse=True)

    def _longest_lanes(self, raw: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
        """Trips of the longest lane, (distinct, some groups), after the first such group's index.

        Groups are in rows from the lower left; a bounded number comes at a time.
        """
        lanes = _by_lane(raw)
        dtype = np.uint32 if self.derivation.reach(self._peaks(raw)) < 1 << 32 else np.int64
        slots = self.derivation.slots
        distinct = self._distinct[0].tolist()
        chunk = max(1, _WORKING_BYTES // (slots * LANES * dtype().itemsize))
        for start in range(0, lanes.shape[2], chunk):
            part = lanes[:, :, start : start + chunk]
            values = np.empty((slots, *part.shape[1:]), dtype)
            for slot, field in zip(self.derivation.counted, self.fields, strict=True):
                values[slot] = field.read(part)
            self.derivation.fill(values)
            yield start, np.stack([values[slot].max(axis=0) for slot in distinct])


def _cut(length: int, group: int) -> np.ndarray:
    """Pixels of each group along a side of `length` pixels."""
    starts = np.arange(0, length, group)
    return np.minimum(length - starts, group)


def _by_lane(raw: np.ndarray) -> np.ndarray:
    """Raw counters (counters, h, w) as (counters, 32 lanes, groups), short groups filled with 0."""
    width, height = GROUP_WIDTH, GROUP_HEIGHT
    counters, rows, columns = raw.shape
    filled = raw
    if rows % height or columns % width:
        filled = np.pad(raw, ((0, 0), (0, -rows % height), (0, -columns % width)))
    split = filled.reshape(counters, filled.shape[1] // height, height, -1, width)
    return split.transpose(0, 2, 4, 1, 3).reshape(counters, height * width, -1)


def instrument(
    module: Module,
    entry_point: str,
    *,
    every_block: bool = False,
    adding: bool = False,
    early: bool = False,
    alone: int | None = None,
    taken: Iterable[Descriptor] = (),
) -> Instrumented:
    """Make a module count its blocks.

    `every_block`: give each block a counter instead of deriving those that follow from conservation
    of flow.  `adding`: add to what the buffer holds, by atomics, for draws in which a pixel may be
    shaded several times; counters then hold sums modulo 2^32.  `early`: have depth tested before
    the shader runs (`may_test_early`).  `alone`: which loops get no budget
    (`guard`); by default none gets one, and an endless one never ends.  `taken`: descriptors of the
    draw's other stage.

    Raises InvalidModule if there is no such fragment entry point.
    """
    entry = module.fragment_entry_point(entry_point)
    functions = reachable_functions(module, entry)
    places = _Pixels(entry)
    return instrument_at(
        module, functions, places, every_block=every_block, adding=adding, early=early,
        alone=alone, taken=taken,
    )  # fmt: skip


def instrument_at(
    module: Module,
    functions: list[Function],
    places: Places,
    *,
    every_block: bool = False,
    adding: bool = False,
    early: bool = False,
    alone: int | None = None,
    taken: Iterable[Descriptor] = (),
    described: Module | None = None,
) -> Instrumented:
    """The same of any stage: `places` says where an invocation stores its counters; `described`,
    which module's instructions its blocks are said to execute, if not this one's."""
    guarded = (
        unguarded(module) if alone is None else guard(module, functions, places.entry.id, alone)
    )
    original, module = module, guarded.module
    original = described or original
    blocks_described = [
        block for function in functions for block in original.function_by_id[function.id].blocks
    ]
    if guarded.loops:
        functions = [module.function_by_id[each.id] for each in functions]
    derivation = (count_everything if every_block else count_least)(module, functions)
    blocks = [block for function in functions for block in function.blocks]
    own_limits = derivation.limits
    if adding:  # sums over invocations have no limit
        derivation = replace(derivation, limits=(None,) * len(own_limits))
    fields = pack(derivation.limits)
    rewriter = Rewriter(module)
    uint = rewriter.type(Op.TypeInt, 32, 0)
    zero = rewriter.constant(uint, 0)
    words = [
        rewriter.variable(StorageClass.Private, uint, zero)
        for _ in range(1 + max((field.word for field in fields), default=-1))
    ]
    for slot, limit, field in zip(derivation.counted, own_limits, fields, strict=True):
        _count(rewriter, blocks[slot], words[field.word], 1 << field.shift, limit is None)
    if early:
        tests_early(rewriter, places.entry)
    buffer, at = storage_buffer(rewriter, uint, taken=taken)
    places.words = places.header_words + bool(guarded.loops)
    inputs = places.declare(rewriter)
    _set_budgets(rewriter, places, buffer, guarded)
    _add_store(rewriter, places, functions, words, buffer, adding, guarded.cut)
    extend_interfaces(rewriter, functions, inputs, [buffer, *words])
    return Instrumented(
        spirv=rewriter.build(),
        descriptor_set=at.set,
        binding=at.binding,
        header_words=places.words,
        counters=len(words) + bool(guarded.loops),
        blocks=tuple(BlockId(block.function.id, block.label) for block in blocks),
        block_instructions=_block_instructions(original, blocks_described),
        derivation=derivation,
        fields=fields,
        loops=guarded.loops,
        ending=guarded.ending,
        unguarded=guarded.unguarded,
    )


class _Pixels(Places):
    """The places of a tile's pixels."""

    header_words = HEADER_WORDS

    def declare(self, rewriter: Rewriter) -> list[int]:
        self._position = frag_coord(rewriter, self.entry)
        return [self._position]

    def place(self, rewriter: Rewriter, body: Body) -> tuple[int, int]:
        float32, uint = rewriter.type(Op.TypeFloat, 32), body.uint
        pointer = rewriter.pointer(StorageClass.Input, float32)

        def pixel(axis: int) -> int:
            at = body.emit(Op.AccessChain, pointer, self._position, body.constant(axis))
            whole = body.emit(Op.ConvertFToU, uint, body.emit(Op.Load, float32, at))
            return body.emit(Op.ISub, uint, whole, body.header(axis))

        width = body.header(2)
        plane = body.emit(Op.IMul, uint, width, body.header(3))
        row = body.emit(Op.IMul, uint, pixel(1), width)
        within = body.emit(Op.IAdd, uint, row, pixel(0))
        return body.emit(Op.IAdd, uint, within, body.constant(self.words)), plane


def _block_instructions(module: Module, blocks: list[Block]) -> tuple[int, ...]:
    before = np.concatenate([[0], np.cumsum(module.executable)])
    firsts = np.array([block.first for block in blocks])
    lasts = np.array([block.last for block in blocks])
    return tuple((before[lasts + 1] - before[firsts]).tolist())


def _count(rewriter: Rewriter, block: Block, variable: int, unit: int, may_wrap: bool) -> None:
    """Add `unit` to a private variable whenever `block` runs.

    A counter that might wrap stops at its largest value instead: max(n, n + 1), modulo 2^32.
    """
    uint = rewriter.type(Op.TypeInt, 32, 0)
    before, after = rewriter.new_id(), rewriter.new_id()
    words = [
        *encode(Op.Load, uint, before, variable),
        *encode(Op.IAdd, uint, after, before, rewriter.constant(uint, unit)),
    ]
    if may_wrap:
        glsl = rewriter.import_set("GLSL.std.450")
        after, wrapped = rewriter.new_id(), after
        words += encode(Op.ExtInst, uint, after, glsl, _UMAX, before, wrapped)
    words += encode(Op.Store, variable, after)
    rewriter.insert_before(first_ordinary(rewriter.module, block), words)


def _set_budgets(rewriter: Rewriter, places: Places, buffer: int, guarded: Guarded) -> None:
    """At the start of the entry function, take the rounds from the header."""
    if not guarded.loops:
        return
    body = Body(rewriter, buffer)
    int32 = rewriter.type(Op.TypeInt, 32, 1)
    rounds = body.emit(Op.Bitcast, int32, body.header(places.header_words))
    for budget, shift in guarded.left:
        own = body.emit(Op.ShiftRightLogical, int32, rounds, body.constant(shift))
        body.words += encode(Op.Store, budget, own)
    sign = body.emit(Op.ShiftRightLogical, int32, rounds, body.constant(31))
    body.words += encode(Op.Store, guarded.none, sign)
    entry = rewriter.module.function_by_id[places.entry.id].blocks[0]
    rewriter.insert_before(first_ordinary(rewriter.module, entry), body.words)


def _add_store(
    rewriter: Rewriter,
    places: Places,
    functions: list[Function],
    variables: list[int],
    buffer: int,
    adding: bool,
    cut: int,
) -> None:
    """Add the function that stores all variables, and call it wherever an invocation ends."""
    void = rewriter.type(Op.TypeVoid)
    store_type = rewriter.type(Op.TypeFunction, void)
    store = rewriter.new_id()
    body = Body(rewriter, buffer)
    uint = body.uint
    body.words += [
        *encode(Op.Function, void, store, 0, store_type),
        *encode(Op.Label, rewriter.new_id()),
    ]
    place, plane = places.place(rewriter, body)
    for number, variable in enumerate(variables):
        if number:
            place = body.emit(Op.IAdd, uint, place, plane)
        at = body.word(place)
        value = body.emit(Op.Load, uint, variable)
        if adding:
            body.emit(Op.AtomicIAdd, uint, at, *relaxed(body), value)
        else:
            body.words += encode(Op.Store, at, value)
    if cut:
        at = body.word(body.emit(Op.IAdd, uint, place, plane) if variables else place)
        loop = body.emit(Op.Load, uint, cut)
        if adding:
            body.emit(Op.AtomicUMax, uint, at, *relaxed(body), loop)
        else:
            body.words += encode(Op.Store, at, loop)
    body.words += [*encode(Op.Return), *encode(Op.FunctionEnd)]
    rewriter.append_function(body.words)

    for index in invocation_ends(rewriter.module, places.entry, functions):
        rewriter.insert_before(index, encode(Op.FunctionCall, void, rewriter.new_id(), store))


def relaxed(body: Body) -> tuple[int, int]:
    """Scope and semantics of an atomic addition that orders nothing."""
    return body.constant(_DEVICE_SCOPE), body.constant(_RELAXED)


def invocation_ends(module: Module, entry: EntryPoint, functions: list[Function]) -> list[int]:
    """Indices of the instructions before which an invocation must store, in order."""
    found = []
    for function in functions:
        opcodes = module.opcodes[function.first : function.last]
        ending = np.isin(opcodes, tuple(ENDS_INVOCATION))
        if function.id == entry.id:
            ending |= opcodes == Op.Return
        found += (np.flatnonzero(ending) + function.first).tolist()
    return found
