"""Recording what one pixel's variables hold on a line, each time it runs.

Every load and store of a named variable that the line is the source of calls a function which, in
the chosen pixel's invocation alone, appends the value to a storage buffer.  What is drawn, and in
what order the invocation runs, stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from shaderlab.spirv.analysis.access_paths import AccessPaths
from shaderlab.spirv.analysis.cfg import reachable_functions
from shaderlab.spirv.grammar import ENUMS, Op, StorageClass
from shaderlab.spirv.module import Block, EntryPoint, Instruction, Module
from shaderlab.spirv.passes.instrumentation import (
    extend_interfaces,
    first_ordinary,
    frag_coord,
    storage_buffer,
    tests_early,
)
from shaderlab.spirv.passes.rewriting import Rewriter, encode
from shaderlab.spirv.reflection import Descriptor
from shaderlab.spirv.source_lines import instruction_lines
from shaderlab.spirv.trace import SourceLine
from shaderlab.spirv.type_reading import Types
from shaderlab.spirv.value_types import Component, Numeric

HEADER_WORDS = 4
"""uint32 words before the records: pixel x, pixel y, words recorded, words there is room for."""
_X, _Y, _USED, _ROOM = range(HEADER_WORDS)
_DEVICE_SCOPE = ENUMS["Scope"]["Device"]
_RELAXED = ENUMS["MemorySemantics"]["Relaxed"]
_KEPT_BITS = 32
_COMPONENTS = (Component.FLOAT, Component.INT, Component.UINT, Component.BOOL)


class Access(StrEnum):
    """What the line does with a value."""

    READ = "read"
    WRITTEN = "written"
    RETURNED = "returned"


@dataclass(frozen=True)
class Site:
    """A place in the program whose values are recorded."""

    name: str
    """As the source writes it: `p`, `ray.at.x`, `weights[n]`; empty for what is returned."""
    type: Numeric
    access: Access
    block: int
    """Label of its block."""

    @property
    def words(self) -> int:
        """uint32 words of one value."""
        return self.type.count


Value = tuple[float | int | bool, ...]
"""The components of a scalar, vector or matrix (column by column)."""


@dataclass(frozen=True)
class Event:
    """One value, as it was at one moment."""

    site: int
    value: Value


@dataclass(frozen=True)
class Recording:
    """A module that records.

    The host binds a storage buffer of uint32 words at (`descriptor_set`, `binding`): the header,
    with the pixel whose gl_FragCoord is half a pixel more, 0, and how many words follow it.
    """

    spirv: bytes
    descriptor_set: int
    binding: int
    sites: tuple[Site, ...]

    def events(self, raw: np.ndarray) -> tuple[tuple[Event, ...], bool]:
        """What was recorded, in order, from the buffer's words (n,) uint32; and whether more
        happened than there was room for."""
        found: list[Event] = []
        used, room = int(raw[_USED]), min(int(raw[_ROOM]), len(raw) - HEADER_WORDS)
        at = HEADER_WORDS
        while at < HEADER_WORDS + min(used, room):
            number = int(raw[at]) - 1
            if not 0 <= number < len(self.sites):
                break
            site = self.sites[number]
            end = at + 1 + site.words
            if end > HEADER_WORDS + room:
                break
            found.append(Event(number, _decoded(raw[at + 1 : end], site.type.component)))
            at = end
        return tuple(found), used > room


def record(
    module: Module,
    entry_point: str,
    line: SourceLine | None,
    *,
    early: bool,
    taken: Iterable[Descriptor] = (),
) -> Recording:
    """Make a module record the values of a line's variables in one pixel; None for all lines.

    `early`: have depth tested before the shader runs; `taken`: descriptors of the draw's other
    stage.  Raises InvalidModule if there is no such fragment entry point.
    """
    entry = module.fragment_entry_point(entry_point)
    functions = reachable_functions(module, entry)
    lines = instruction_lines(module)
    sites = _Sites(module)
    found: list[tuple[Site, int, int]] = []
    for function in functions:
        for block in function.blocks:
            ours = [
                each
                for each in block
                if lines.at(each.index) is not None and line in (None, lines.at(each.index))
            ]
            found += sites.of_block(block, ours)
    rewriter = Rewriter(module)
    uint = rewriter.type(Op.TypeInt, 32, 0)
    buffer, at = storage_buffer(rewriter, uint, taken=taken)
    chosen = rewriter.variable(StorageClass.Private, uint, rewriter.constant(uint, 0))
    position = frag_coord(rewriter, entry)
    _choose(rewriter, entry, position, buffer, chosen)
    append = _Append(rewriter, buffer, chosen)
    for number, (site, index, value) in enumerate(found):
        append.insert(index, number + 1, site.type, value)
    if early:
        tests_early(rewriter, entry)
    extend_interfaces(rewriter, functions, [position], [buffer, chosen])
    return Recording(rewriter.build(), at.set, at.binding, tuple(site for site, *_ in found))


class _Sites:
    """Finds what can be recorded."""

    def __init__(self, module: Module):
        self._module, self._types, self._paths = module, Types(module), AccessPaths(module)

    def of_block(
        self, block: Block, instructions: list[Instruction]
    ) -> list[tuple[Site, int, int]]:
        """Sites, each with the index of the instruction it stands before and the value's id.

        A variable that is read several times with no write between has one site.
        """
        found: list[tuple[Site, int, int]] = []
        read: dict[str, int] = {}
        """Names read and not written since, with the variable they are of."""
        for each in instructions:
            if each.opcode == Op.FunctionCall:  # which may write anything
                read.clear()
            if each.opcode == Op.Load:
                pointer, value, access, at = each.operands[0], each.result, Access.READ, 1
            elif each.opcode == Op.Store:
                pointer, value, access, at = each.operands[0], each.operands[1], Access.WRITTEN, 1
            elif each.opcode == Op.ReturnValue:
                pointer, value, access, at = 0, each.operands[0], Access.RETURNED, 0
            else:
                continue
            name = self._paths.of(pointer) if pointer else ""
            root = self._paths.root(pointer) if pointer else 0
            if access is Access.WRITTEN:
                read = {each: of for each, of in read.items() if of != root}
            kind = self._kind(value)
            if kind is None or (pointer and not name) or (access is Access.READ and name in read):
                continue
            if access is Access.READ:
                read[name] = root
            found.append((Site(name, kind, access, block.label), each.index + at, value))
        return found

    def _kind(self, value: int) -> Numeric | None:
        """Type of a value that can be kept; None of any other."""
        kind = self._types.read(self._module.definition(value).result_type)
        if not isinstance(kind, Numeric) or kind.bits != _KEPT_BITS:
            return None
        return kind if kind.component in _COMPONENTS else None


class _Append:
    """Functions that append a value of so many words, made as they are needed."""

    def __init__(self, rewriter: Rewriter, buffer: int, chosen: int):
        self._rewriter, self._buffer, self._chosen = rewriter, buffer, chosen
        self._uint = rewriter.type(Op.TypeInt, 32, 0)
        self._made: dict[int, int] = {}

    def insert(self, index: int, number: int, kind: Numeric, value: int) -> None:
        """Before instruction `index`, record a value under a site's number."""
        rewriter, uint = self._rewriter, self._uint
        words: list[int] = []
        bits = [self._bits(words, kind, each) for each in self._components(words, kind, value)]
        void = rewriter.type(Op.TypeVoid)
        call = (self._function(len(bits)), rewriter.constant(uint, number), *bits)
        words += encode(Op.FunctionCall, void, rewriter.new_id(), *call)
        rewriter.insert_before(index, words)

    def _components(self, words: list[int], kind: Numeric, value: int) -> list[int]:
        """Ids of the components of a value."""
        if kind.count == 1:
            return [value]
        scalar = self._scalar(kind.component)
        places: list[tuple[int, ...]] = [(row,) for row in range(kind.rows)]
        if kind.columns > 1:
            places = [(column, row) for column in range(kind.columns) for row in range(kind.rows)]
        found = []
        for place in places:
            found.append(self._rewriter.new_id())
            words += encode(Op.CompositeExtract, scalar, found[-1], value, *place)
        return found

    def _bits(self, words: list[int], kind: Numeric, value: int) -> int:
        """Id of a component's bits as an unsigned number."""
        rewriter, uint = self._rewriter, self._uint
        if kind.component is Component.UINT:
            return value
        result = rewriter.new_id()
        if kind.component is Component.BOOL:
            one, zero = rewriter.constant(uint, 1), rewriter.constant(uint, 0)
            words += encode(Op.Select, uint, result, value, one, zero)
        else:
            words += encode(Op.Bitcast, uint, result, value)
        return result

    def _scalar(self, component: Component) -> int:
        rewriter = self._rewriter
        if component is Component.BOOL:
            return rewriter.type(Op.TypeBool)
        if component is Component.FLOAT:
            return rewriter.type(Op.TypeFloat, 32)
        return rewriter.type(Op.TypeInt, 32, int(component is Component.INT))

    def _function(self, count: int) -> int:
        """Id of the function that appends a site's number and `count` words.

        Room is taken by an atomic addition: where triangles overlap, several invocations have the
        same pixel.
        """
        if count in self._made:
            return self._made[count]
        rewriter, uint = self._rewriter, self._uint
        void, boolean = rewriter.type(Op.TypeVoid), rewriter.type(Op.TypeBool)
        kind = rewriter.type(Op.TypeFunction, void, *[uint] * (count + 1))
        pointer = rewriter.pointer(StorageClass.StorageBuffer, uint)
        self._made[count] = function = rewriter.new_id()
        parameters = [rewriter.new_id() for _ in range(count + 1)]
        body = encode(Op.Function, void, function, 0, kind)
        for each in parameters:
            body += encode(Op.FunctionParameter, uint, each)
        take, store, full, done = (rewriter.new_id() for _ in range(4))

        def emit(opcode: int, type: int, *operands: int) -> int:
            id = rewriter.new_id()
            body.extend(encode(opcode, type, id, *operands))
            return id

        def constant(value: int) -> int:
            return rewriter.constant(uint, value)

        def word(place: int) -> int:
            return emit(Op.AccessChain, pointer, self._buffer, constant(0), place)

        body += encode(Op.Label, rewriter.new_id())
        chosen = emit(Op.INotEqual, boolean, emit(Op.Load, uint, self._chosen), constant(0))
        body += encode(Op.SelectionMerge, done, 0)
        body += encode(Op.BranchConditional, chosen, take, done)
        body += encode(Op.Label, take)
        size = constant(count + 1)
        how = (constant(_DEVICE_SCOPE), constant(_RELAXED))
        start = emit(Op.AtomicIAdd, uint, word(constant(_USED)), *how, size)
        end = emit(Op.IAdd, uint, start, size)
        fits = emit(Op.ULessThanEqual, boolean, end, emit(Op.Load, uint, word(constant(_ROOM))))
        body += encode(Op.SelectionMerge, full, 0)
        body += encode(Op.BranchConditional, fits, store, full)
        body += encode(Op.Label, store)
        first = emit(Op.IAdd, uint, start, constant(HEADER_WORDS))
        for number, each in enumerate(parameters):
            place = emit(Op.IAdd, uint, first, constant(number))
            body += encode(Op.Store, word(place), each)
        body += encode(Op.Branch, full)
        body += encode(Op.Label, full)
        body += encode(Op.Branch, done)
        body += encode(Op.Label, done)
        body += [*encode(Op.Return), *encode(Op.FunctionEnd)]
        rewriter.append_function(body)
        return function


def _choose(rewriter: Rewriter, entry: EntryPoint, position: int, buffer: int, chosen: int) -> None:
    """At the start of the entry function, set `chosen` to 1 where the pixel is the header's."""
    module = rewriter.module
    uint, float32 = rewriter.type(Op.TypeInt, 32, 0), rewriter.type(Op.TypeFloat, 32)
    boolean = rewriter.type(Op.TypeBool)
    axis_pointer = rewriter.pointer(StorageClass.Input, float32)
    word_pointer = rewriter.pointer(StorageClass.StorageBuffer, uint)
    words: list[int] = []

    def emit(opcode: int, type: int, *operands: int) -> int:
        id = rewriter.new_id()
        words.extend(encode(opcode, type, id, *operands))
        return id

    def is_equal(axis: int) -> int:
        number = rewriter.constant(uint, axis)
        at = emit(Op.AccessChain, axis_pointer, position, number)
        pixel = emit(Op.ConvertFToU, uint, emit(Op.Load, float32, at))
        zero = rewriter.constant(uint, 0)
        header = emit(Op.AccessChain, word_pointer, buffer, zero, number)
        return emit(Op.IEqual, boolean, pixel, emit(Op.Load, uint, header))

    both = emit(Op.LogicalAnd, boolean, is_equal(_X), is_equal(_Y))
    one, zero = rewriter.constant(uint, 1), rewriter.constant(uint, 0)
    words += encode(Op.Store, chosen, emit(Op.Select, uint, both, one, zero))
    first = module.function_by_id[entry.id].blocks[0]
    rewriter.insert_before(first_ordinary(module, first), words)


def _decoded(words: np.ndarray, component: Component) -> Value:
    if component is Component.FLOAT:
        return tuple(words.view(np.float32).tolist())
    if component is Component.INT:
        return tuple(words.view(np.int32).tolist())
    if component is Component.BOOL:
        return tuple(bool(word) for word in words)
    return tuple(words.tolist())


def steps(sites: Sequence[Site], events: Sequence[Event]) -> tuple[tuple[Event, ...], ...]:
    """The events of each run of the line: a run ends where a site comes that is not after the
    last one's place in the program."""
    found: list[list[Event]] = []
    last = len(sites)
    for event in events:
        if event.site <= last:
            found.append([])
        found[-1].append(event)
        last = event.site
    return tuple(map(tuple, found))
