"""Which elements of a storage buffer's run-time array a compute shader reads and writes.

Each access records the smallest and largest index in private variables and is kept inside the
array, so that the module runs whatever it is given; at its end an invocation leaves both in a
buffer by one atomic minimum and maximum (the index analysis of LLMPerf, with bounds).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from shaderlab.spirv.analysis.cfg import reachable_functions
from shaderlab.spirv.grammar import ENUMS, GLSL_STD_450, Op, StorageClass
from shaderlab.spirv.module import EntryPoint, Function, Instruction, Module
from shaderlab.spirv.passes.compute_counting import compute_entry
from shaderlab.spirv.passes.counting import invocation_ends
from shaderlab.spirv.passes.guarding import guard
from shaderlab.spirv.passes.instrumentation import extend_interfaces, storage_buffer
from shaderlab.spirv.passes.rewriting import Rewriter, encode
from shaderlab.spirv.source_lines import instruction_lines
from shaderlab.spirv.trace import SourceLine

_UMIN, _SMIN, _SMAX = (
    next(code for code, name in GLSL_STD_450.items() if name == wanted)
    for wanted in ("UMin", "SMin", "SMax")
)
_DEVICE_SCOPE = ENUMS["Scope"]["Device"]
_RELAXED = ENUMS["MemorySemantics"]["Relaxed"]
_CHAINS = (Op.AccessChain, Op.InBoundsAccessChain)
_MOST_SITES = 256
"""Places in a module that have an extent of their own."""
_LEAST, _MOST = -(1 << 31), (1 << 31) - 1


@dataclass(frozen=True)
class Site:
    """A place in the module where elements are reached."""

    variable: int
    """Id of the buffer's variable."""
    line: SourceLine | None


@dataclass(frozen=True)
class Reach:
    """The indices that one launch used at a site."""

    site: Site
    lowest: int
    highest: int


@dataclass(frozen=True)
class Recording:
    """A module that records its indices, into a buffer of two int32 words for each site.

    The words are to hold 2^31 - 1 and -2^31 before it runs.
    """

    spirv: bytes
    descriptor_set: int
    binding: int
    sites: tuple[Site, ...]

    def start(self) -> np.ndarray:
        """(2 * sites,) int32 to put into the buffer."""
        return np.tile(np.array([_MOST, _LEAST], np.int32), max(1, len(self.sites)))

    def reaches(self, words: np.ndarray) -> tuple[Reach, ...]:
        """Of the sites that ran, from the buffer's int32 words."""
        pairs = words[: 2 * len(self.sites)].reshape(-1, 2).tolist()
        return tuple(
            Reach(site, low, high)
            for site, (low, high) in zip(self.sites, pairs, strict=True)
            if low <= high
        )


def record_indices(
    module: Module,
    entry_point: str,
    arrays: Collection[tuple[int, int]],
    alone: int | None = None,
) -> Recording:
    """Make a compute shader record the indices it uses.

    `arrays`: ids of the buffers' variables, each with the number of the member that has no length.
    `alone`: as `counting.instrument`.  Indices that are not 32 bits wide, or into arrays of
    buffers, are left as they are.  Raises InvalidModule.
    """
    entry = compute_entry(module, entry_point)
    functions = reachable_functions(module, entry)
    if alone is not None:
        module = guard(module, functions, entry.id, alone).module
        functions = [module.function_by_id[each.id] for each in functions]
    found = _sites(module, functions, dict(arrays))[:_MOST_SITES]
    rewriter = Rewriter(module)
    sint = rewriter.type(Op.TypeInt, 32, 1)
    buffer, at = storage_buffer(rewriter, sint)
    private = [
        (
            rewriter.variable(StorageClass.Private, sint, rewriter.constant(sint, _MOST)),
            rewriter.variable(StorageClass.Private, sint, rewriter.constant(sint, 1 << 31)),
        )
        for _ in found
    ]
    for (index, member, place), variables in zip(found, private, strict=True):
        _record(rewriter, index, member, place, variables)
    _add_store(rewriter, entry, functions, buffer, private)
    extend_interfaces(
        rewriter, functions, [], [buffer, *(each for pair in private for each in pair)]
    )
    lines = instruction_lines(module)
    sites = tuple(
        Site(module.instruction_words(index)[3], lines.at(index)) for index, _, _ in found
    )
    return Recording(rewriter.build(), at.set, at.binding, sites)


def _sites(
    module: Module, functions: list[Function], arrays: dict[int, int]
) -> list[tuple[int, int, int]]:
    """Index of the access chain, number of the member, and the word with the array's index."""
    found = []
    for function in functions:
        for index in range(function.first, function.last):
            if int(module.opcodes[index]) not in _CHAINS:
                continue
            words = module.instruction_words(index)
            member = arrays.get(words[3])
            if member is None or len(words) < 6:
                continue
            chosen = module.definition(words[4])
            is_member = chosen.opcode == Op.Constant and chosen.operands[0] == member
            if is_member and _is_whole(module, words[5]):
                found.append((index, member, 5))
    return found


def _is_whole(module: Module, id: int) -> bool:
    """Whether an id is a 32-bit integer."""
    kind = _type_of(module, id)
    return kind is not None and kind.opcode == Op.TypeInt and kind.operands[0] == 32


def _type_of(module: Module, id: int) -> Instruction | None:
    words = module.definition(id).words
    return module.definition(words[1]) if len(words) > 2 else None


def _record(
    rewriter: Rewriter, index: int, member: int, place: int, variables: tuple[int, int]
) -> None:
    module = rewriter.module
    words = module.instruction_words(index)
    uint, sint = rewriter.type(Op.TypeInt, 32, 0), rewriter.type(Op.TypeInt, 32, 1)
    glsl = rewriter.import_set("GLSL.std.450")
    code: list[int] = []

    def emit(opcode: int, type: int, *operands: int) -> int:
        id = rewriter.new_id()
        code.extend(encode(opcode, type, id, *operands))
        return id

    used = words[place]
    own = module.definition(used).words[1]
    signed = used if own == sint else emit(Op.Bitcast, sint, used)
    for variable, choose in zip(variables, (_SMIN, _SMAX), strict=True):
        before = emit(Op.Load, sint, variable)
        code.extend(
            encode(Op.Store, variable, emit(Op.ExtInst, sint, glsl, choose, before, signed))
        )
    length = emit(Op.ArrayLength, uint, words[3], member)
    last = emit(Op.ISub, uint, length, rewriter.constant(uint, 1))
    unsigned = used if own == uint else emit(Op.Bitcast, uint, used)
    kept = emit(Op.ExtInst, uint, glsl, _UMIN, unsigned, last)
    rewriter.insert_before(index, code)
    rewriter.replace_word(index, place, kept)


def _add_store(
    rewriter: Rewriter,
    entry: EntryPoint,
    functions: list[Function],
    buffer: int,
    private: list[tuple[int, int]],
) -> None:
    """Add the function that leaves all minima and maxima, and call it where an invocation ends."""
    uint, sint = rewriter.type(Op.TypeInt, 32, 0), rewriter.type(Op.TypeInt, 32, 1)
    void = rewriter.type(Op.TypeVoid)
    store = rewriter.new_id()
    pointer = rewriter.pointer(StorageClass.StorageBuffer, sint)
    code = [
        *encode(Op.Function, void, store, 0, rewriter.type(Op.TypeFunction, void)),
        *encode(Op.Label, rewriter.new_id()),
    ]
    scope, order = rewriter.constant(uint, _DEVICE_SCOPE), rewriter.constant(uint, _RELAXED)
    zero = rewriter.constant(uint, 0)
    for number, pair in enumerate(private):
        for side, (variable, opcode) in enumerate(
            zip(pair, (Op.AtomicSMin, Op.AtomicSMax), strict=True)
        ):
            at, value = rewriter.new_id(), rewriter.new_id()
            word = rewriter.constant(uint, 2 * number + side)
            code += encode(Op.AccessChain, pointer, at, buffer, zero, word)
            code += encode(Op.Load, sint, value, variable)
            code += encode(opcode, sint, rewriter.new_id(), at, scope, order, value)
    code += [*encode(Op.Return), *encode(Op.FunctionEnd)]
    rewriter.append_function(code)
    for index in invocation_ends(rewriter.module, entry, functions):
        rewriter.insert_before(index, encode(Op.FunctionCall, void, rewriter.new_id(), store))
