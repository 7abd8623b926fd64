"""Counting blocks with atomics, as the paper does: the reference for the default pass.

One atomic addition to a storage buffer per block execution.  Slow (a hot loop makes all invocations
wait for one word), but each count is independent: nothing is derived, nothing stored at the end,
and the pixel plays no part.  For devices without 64-bit atomics every counter is spread over shards
of two 32-bit words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from shaderlab.errors import InvalidModule
from shaderlab.spirv import reflection
from shaderlab.spirv.analysis.cfg import reachable_functions
from shaderlab.spirv.grammar import ENUMS, ExecutionModel, Op, StorageClass
from shaderlab.spirv.module import Block, EntryPoint, Function, Module, printable
from shaderlab.spirv.passes.counting import invocation_ends, relaxed
from shaderlab.spirv.passes.guarding import ROUNDS, guard, unguarded
from shaderlab.spirv.passes.instrumentation import (
    extend_interfaces,
    first_ordinary,
    frag_coord,
    storage_buffer,
    tests_early,
)
from shaderlab.spirv.passes.places import Body
from shaderlab.spirv.passes.rewriting import Rewriter, encode
from shaderlab.spirv.reflection import Descriptor
from shaderlab.spirv.trace import BlockId

SHARDS = 64
"""Shards of a 32-bit counter; neighbouring pixels use different ones."""

_CAPABILITY = ENUMS["Capability"]
_DEVICE_SCOPE = ENUMS["Scope"]["Device"]
_RELAXED = ENUMS["MemorySemantics"]["Relaxed"]


@dataclass(frozen=True)
class AtomicInstrumented:
    """A module that counts with atomics into a zeroed storage buffer of `words` uint32 words."""

    spirv: bytes
    descriptor_set: int
    binding: int
    words: int
    """uint32 words of the whole buffer."""
    blocks: tuple[BlockId, ...]
    """Blocks of all functions reachable from the entry point, in the order of the module."""
    loops: tuple[BlockId, ...] = ()
    """Headers of guarded loops.  Where there are any, the last two words are 0, or the largest
    number of a loop, from 1, that an invocation wanted more rounds of than there were."""

    ending: frozenset[BlockId] = frozenset()
    """Those of them that end by their constants, however late."""

    def cut(self, raw: np.ndarray) -> dict[BlockId, int]:
        """The loop that was left before its end, by header, with the one invocation that is known
        of it, from the buffer."""
        number = int(raw[-2]) if self.loops else 0
        return {self.loops[number - 1]: 1} if number else {}

    def block_counts(self, raw: np.ndarray) -> np.ndarray:
        """Executions of each block, (blocks,) int64, from the buffer, (words,) uint32."""
        counters = raw[: len(raw) - 2] if self.loops else raw
        low_and_high = counters.reshape(len(self.blocks), -1, 2).sum(axis=1, dtype=np.int64)
        return low_and_high[:, 0] + (low_and_high[:, 1] << 32)


def instrument_atomic(
    module: Module,
    entry_point: str,
    *,
    bits: int = 64,
    vertex: bool = False,
    alone: int | None = None,
    rounds: int = ROUNDS,
    early: bool = False,
    taken: Iterable[Descriptor] = (),
) -> AtomicInstrumented:
    """Make a module count its blocks by atomic additions.

    `bits`: 64 needs the features shaderInt64 and shaderBufferInt64Atomics, 32 needs neither.
    `vertex`: the entry point is of the vertex stage; `alone`: as `counting.instrument` has it, by
    default all loops; `rounds`: as `guarding.guard`; `early`: have depth tested before a fragment
    shader runs; `taken`: descriptors of the draw's other stage.
    Raises InvalidModule if there is no such entry point.
    """
    if bits not in (32, 64):
        raise ValueError(f"counters of {bits} bits")
    entry = _entry(module, entry_point, vertex)
    functions = reachable_functions(module, entry)
    guarded = (
        unguarded(module) if alone is None else guard(module, functions, entry.id, alone, rounds)
    )
    if guarded.loops:
        module = guarded.module
        functions = [module.function_by_id[each.id] for each in functions]
    blocks = [block for function in functions for block in function.blocks]
    rewriter = Rewriter(module)
    if bits == 64:
        rewriter.capability(_CAPABILITY["Int64"])
        rewriter.capability(_CAPABILITY["Int64Atomics"])
        element = rewriter.type(Op.TypeInt, 64, 0)
        buffer, at = storage_buffer(rewriter, element, 8, taken)
        inputs, globals = [], [buffer]
        shard = 0
    else:
        element = rewriter.type(Op.TypeInt, 32, 0)
        buffer, at = storage_buffer(rewriter, element, taken=taken)
        shard = rewriter.variable(StorageClass.Private, element, rewriter.constant(element, 0))
        inputs, globals = [], [buffer, shard]
        if not vertex:
            position = frag_coord(rewriter, entry)
            inputs.append(position)
            _choose_shard(rewriter, entry, position, shard)
    for number, block in enumerate(blocks):
        if bits == 64:
            _add_64(rewriter, block, buffer, element, number)
        else:
            _add_32(rewriter, block, buffer, element, number, shard)
    if early:
        tests_early(rewriter, entry)
    counters = 2 * len(blocks) * (1 if bits == 64 else SHARDS)
    if guarded.loops:
        at_cut = len(blocks) if bits == 64 else counters
        _keep_cut(rewriter, entry, functions, guarded.cut, buffer, element, at_cut)
    extend_interfaces(rewriter, functions, inputs, globals)
    return AtomicInstrumented(
        spirv=rewriter.build(),
        descriptor_set=at.set,
        binding=at.binding,
        words=counters + 2 * bool(guarded.loops),
        blocks=tuple(BlockId(block.function.id, block.label) for block in blocks),
        loops=guarded.loops,
        ending=guarded.ending,
    )


def _keep_cut(
    rewriter: Rewriter,
    entry: EntryPoint,
    functions: Sequence[Function],
    cut: int,
    buffer: int,
    element: int,
    place: int,
) -> None:
    """Where an invocation ends, keep the number of the loop that wanted more rounds, if any."""
    uint = rewriter.type(Op.TypeInt, 32, 0)
    pointer = rewriter.pointer(StorageClass.StorageBuffer, element)
    for index in invocation_ends(rewriter.module, entry, list(functions)):
        body = Body(rewriter, buffer)
        value = body.emit(Op.Load, uint, cut)
        if element != uint:
            value = body.emit(Op.UConvert, element, value)
        zero, number = body.constant(0), body.constant(place)
        at = body.emit(Op.AccessChain, pointer, buffer, zero, number)
        body.emit(Op.AtomicUMax, element, at, *relaxed(body), value)
        rewriter.insert_before(index, body.words)


def _entry(module: Module, name: str, vertex: bool) -> EntryPoint:
    if not vertex:
        return module.fragment_entry_point(name)
    found = reflection.entry_point(module, name, ExecutionModel.Vertex)
    if found is None:
        raise InvalidModule(f'the module has no vertex entry point "{printable(name)}"')
    return found


def _add_64(rewriter: Rewriter, block: Block, buffer: int, ulong: int, number: int) -> None:
    uint = rewriter.type(Op.TypeInt, 32, 0)
    at = rewriter.new_id()
    rewriter.insert_before(
        first_ordinary(rewriter.module, block),
        [
            *encode(
                Op.AccessChain,
                rewriter.pointer(StorageClass.StorageBuffer, ulong),
                at,
                buffer,
                rewriter.constant(uint, 0),
                rewriter.constant(uint, number),
            ),
            *encode(
                Op.AtomicIAdd,
                ulong,
                rewriter.new_id(),
                at,
                rewriter.constant(uint, _DEVICE_SCOPE),
                rewriter.constant(uint, _RELAXED),
                rewriter.wide_constant(ulong, 1),
            ),
        ],
    )


def _add_32(
    rewriter: Rewriter, block: Block, buffer: int, uint: int, number: int, shard: int
) -> None:
    """Add 1 to the low word of the invocation's shard, and its carry to the high word."""
    words: list[int] = []

    def emit(opcode: int, type: int, *operands: int) -> int:
        id = rewriter.new_id()
        words.extend(encode(opcode, type, id, *operands))
        return id

    def constant(value: int) -> int:
        return rewriter.constant(uint, value)

    pointer = rewriter.pointer(StorageClass.StorageBuffer, uint)
    how = (constant(_DEVICE_SCOPE), constant(_RELAXED))
    first = constant(2 * SHARDS * number)
    low = emit(Op.IAdd, uint, first, emit(Op.Load, uint, shard))
    high = emit(Op.IAdd, uint, low, constant(1))
    at_low = emit(Op.AccessChain, pointer, buffer, constant(0), low)
    before = emit(Op.AtomicIAdd, uint, at_low, *how, constant(1))
    full = emit(Op.IEqual, rewriter.type(Op.TypeBool), before, constant(0xFFFFFFFF))
    carry = emit(Op.Select, uint, full, constant(1), constant(0))
    at_high = emit(Op.AccessChain, pointer, buffer, constant(0), high)
    emit(Op.AtomicIAdd, uint, at_high, *how, carry)
    rewriter.insert_before(first_ordinary(rewriter.module, block), words)


def _choose_shard(rewriter: Rewriter, entry: EntryPoint, position: int, shard: int) -> None:
    """At the start of the entry function, set `shard` to twice the number of the pixel's shard."""
    module = rewriter.module
    uint = rewriter.type(Op.TypeInt, 32, 0)
    float32 = rewriter.type(Op.TypeFloat, 32)
    pointer = rewriter.pointer(StorageClass.Input, float32)
    words: list[int] = []

    def emit(opcode: int, type: int, *operands: int) -> int:
        id = rewriter.new_id()
        words.extend(encode(opcode, type, id, *operands))
        return id

    def constant(value: int) -> int:
        return rewriter.constant(uint, value)

    def pixel(axis: int) -> int:
        at = emit(Op.AccessChain, pointer, position, constant(axis))
        return emit(Op.ConvertFToU, uint, emit(Op.Load, float32, at))

    across = emit(Op.IMul, uint, pixel(1), constant(8))
    mixed = emit(Op.IAdd, uint, across, pixel(0))
    kept = emit(Op.BitwiseAnd, uint, mixed, constant(SHARDS - 1))
    words += encode(Op.Store, shard, emit(Op.IMul, uint, kept, constant(2)))
    entry_block = module.function_by_id[entry.id].blocks[0]
    rewriter.insert_before(first_ordinary(module, entry_block), words)
