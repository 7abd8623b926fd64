"""How many elements the buffers of a compute shader need, found by what it reads and writes.

LLMPerf's index analysis: a copy of the shader that keeps every index inside its array and records
it runs at two sizes; where the largest index grows with the launch by a line, that is the size
rule.  Indices out of buffers follow no line: then what the launch itself reaches decides.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import replace

import numpy as np

from shaderlab.errors import UnsupportedShader
from shaderlab.frontend.program import Program
from shaderlab.gpu.outputs import BufferNeed
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.dispatching import Dispatching, Lengths, contents
from shaderlab.gpu.vulkan.loop_limit import ends_loops
from shaderlab.gpu.vulkan.memory import HostBuffer
from shaderlab.gpu.vulkan.shader_inputs import StorageBinding
from shaderlab.gpu.vulkan.subgroups import counted_program
from shaderlab.scene.buffer_contents import RunTimeArray, run_time_arrays
from shaderlab.scene.buffer_filling import fillings
from shaderlab.scene.draw import Draw
from shaderlab.scene.size_rules import SizeRule, rule_of
from shaderlab.spirv.analysis.kernel_uses import KernelUses
from shaderlab.spirv.grammar import Op
from shaderlab.spirv.module import printable
from shaderlab.spirv.passes.guarding import LONG
from shaderlab.spirv.passes.index_recording import Reach, record_indices
from shaderlab.spirv.reflection import Descriptor, Resource, ResourceKind

_ROUNDS = 4
"""Times that buffers are made larger: what is read may hold the next index."""
_TRIAL_GROUPS = (2, 5, 11)
"""Workgroups along x of the launches that a rule is fitted to; the third one checks it."""
_REMEDY = "Give it values that stay inside, or name a longer buffer (--elements NAME=N)."


class BufferSizes:
    """Sizes of the launches asked about last.  A companion of a device."""

    _KEPT = 16

    def __init__(self, device: Device):
        self._device = device
        self._kept: dict[object, tuple[BufferNeed, ...]] = {}

    def of(self, draw: Draw) -> tuple[BufferNeed, ...]:
        """Of a dispatch.

        Raises UnsupportedShader where it reaches outside its buffers whatever their size, and what
        running it raises.
        """
        if draw.program.binds_as is not None:  # its variables are not those of its interface
            draw = draw.of_program(draw.program.binds_as)
        key = draw.pipeline_key
        if key not in self._kept:
            self._kept[key] = _found(self._device, draw)
            while len(self._kept) > self._KEPT:
                self._kept.pop(next(iter(self._kept)))
        return self._kept[key]

    def lengths(self, draw: Draw) -> Lengths:
        return {each.descriptor: each.elements for each in self.of(draw)}

    def close(self) -> None:
        self._kept.clear()


def buffer_sizes(device: Device) -> BufferSizes:
    """The device's."""
    return device.companion(BufferSizes, lambda: BufferSizes(device))


def needs(device: Device, draw: Draw) -> tuple[BufferNeed, ...]:
    """Of a dispatch, with the rules that launches of other sizes show.  Raises as both do."""
    found = buffer_sizes(device).of(draw)
    if not found:
        return found
    by_name = rules(device, draw)
    return tuple(
        replace(each, rule=rule.text if (rule := by_name.get(each.name)) else "") for each in found
    )


def rules(device: Device, draw: Draw) -> dict[str, SizeRule | None]:
    """By buffer: elements as a function of the invocations along x; None where no line fits.

    Every launch runs in the copy that keeps indices inside.  Raises as `BufferSizes.of`.
    """
    seen: dict[str, list[tuple[int, int, int]]] = {}
    for groups in _TRIAL_GROUPS:
        _, y, z = draw.launch.groups
        chosen = replace(draw.state.launch, groups=(groups, y, z), local=draw.launch.local)
        launched = replace(draw, state=replace(draw.state, launch=chosen))
        arrays = _analysed(launched)
        invocations = launched.launch.invocations
        lengths = {each.resource.descriptor: invocations for each in arrays}
        reaches = _settled(device, launched, arrays, lengths, frozenset(lengths))
        for array, low, high in _ends(arrays, reaches):
            width = launched.launch.global_size[0]
            seen.setdefault(array.name, []).append((width, low, high + 1))
    return {name: rule_of(points) for name, points in seen.items()}


def _analysed(draw: Draw) -> tuple[RunTimeArray, ...]:
    return tuple(
        each for each in run_time_arrays(draw.program.interface) if each.resource.count == 1
    )


def _found(device: Device, draw: Draw) -> tuple[BufferNeed, ...]:
    arrays = _analysed(draw)
    if not arrays:
        return ()
    chosen, invocations = draw.state.launch.lengths, draw.launch.invocations
    bound = draw.inputs.bound.resources if draw.inputs.bound else {}
    lengths = {
        array.resource.descriptor: chosen.get(array.name, invocations)
        for array in arrays
        if array.resource.descriptor not in bound
    }
    grows = {each.resource.descriptor for each in arrays if each.name not in chosen} & set(lengths)
    reaches = _settled(device, draw, arrays, lengths, grows)
    _check(draw, arrays, reaches, lengths)
    if not draw.program.module.indices(Op.ArrayLength):  # else fewer elements may mean less work
        needed = {array.resource.descriptor: high + 1 for array, _, high in _ends(arrays, reaches)}
        lengths |= {at: max(1, needed.get(at, 1)) for at in grows}
    return tuple(
        BufferNeed(
            array.name,
            array.resource.descriptor,
            lengths[array.resource.descriptor],
            array.stride,
            _why(draw.program, array, is_chosen=array.name in chosen),
            _access(draw.program.kernel_uses, array.resource.descriptor),
            _holds(draw.program.kernel_uses, array.resource),
        )
        for array in arrays
        if array.resource.descriptor in lengths
    )


def _settled(
    device: Device,
    draw: Draw,
    arrays: Sequence[RunTimeArray],
    lengths: dict[Descriptor, int],
    grows: Collection[Descriptor],
) -> tuple[Reach, ...]:
    """What a launch reaches once the arrays that may grow have room for it; changes `lengths`."""
    reaches: tuple[Reach, ...] = ()
    for _ in range(_ROUNDS):
        reaches = _run(device, draw, arrays, lengths)
        needed = {array.resource.descriptor: high + 1 for array, _, high in _ends(arrays, reaches)}
        grown = {at: max(lengths[at], needed.get(at, 0)) for at in grows}
        if all(lengths[at] == elements for at, elements in grown.items()):
            break
        lengths |= grown
    return reaches


def _why(program: Program, array: RunTimeArray, *, is_chosen: bool) -> str:
    """Who chose a length; if an index is read from a buffer, that default contents decide it."""
    if is_chosen:
        return "chosen"
    uses = program.kernel_uses
    buffers = {
        each.descriptor: each
        for each in program.interface.resources
        if each.kind is ResourceKind.STORAGE_BUFFER
    }
    givers = sorted(
        _named(buffers[at], path)
        for (at, path), use in uses.by_value.items()
        if at is not None and at in buffers and array.resource.descriptor in use.reaches
    )
    reached = "as many as this launch reaches"
    if not givers:
        return reached
    return f"{reached}; indices depend on {', '.join(givers)}, which has default contents"


def _named(resource: Resource, path: str) -> str:
    """A value of a buffer as its user writes it."""
    own, dot, rest = path.partition(".")
    return printable((own if resource.is_anonymous else resource.name) + dot + rest)


def _access(uses: KernelUses, at: Descriptor) -> str:
    if at in uses.written:
        return "in and out" if at in uses.read else "out"
    return "in" if at in uses.read else "unused"


def _holds(uses: KernelUses, resource: Resource) -> str:
    """What it is filled with before the run, as far as not with plain random numbers."""
    found = fillings(resource, uses)
    return "; ".join(
        f"{printable(path)}: {what}" if "." in path else what for path, what in found.items()
    )


def _run(
    device: Device, draw: Draw, arrays: Iterable[RunTimeArray], lengths: Lengths
) -> tuple[Reach, ...]:
    """The indices of one launch that is kept inside its buffers."""
    program = counted_program(device, draw).program
    recording = record_indices(
        program.module,
        program.entry_point,
        [(each.resource.variable, each.number) for each in arrays],
        None if ends_loops(device) else LONG,
    )
    if not recording.sites:
        return ()
    with ExitStack() as stack:
        start = recording.start()
        usage = vk.VK_BUFFER_USAGE_STORAGE_BUFFER_BIT
        buffer = HostBuffer(device, start.nbytes, usage, stack)
        words = buffer.bytes.view(np.int32)
        words[:] = start
        buffer.flush()
        storage = StorageBinding(recording.descriptor_set, recording.binding, buffer)
        dispatching = Dispatching(
            device,
            draw,
            stack,
            lengths,
            instrumented=recording.spirv,
            storage=storage,
            checked=program,
        )
        _, left = dispatching.grow()
        if left:
            raise UnsupportedShader(
                "finding its buffers' sizes took too long and stopped with"
                f" {left:,} workgroups left to run"
            )
        buffer.invalidate()
        return recording.reaches(words.copy())


def _ends(
    arrays: Iterable[RunTimeArray], reaches: Iterable[Reach]
) -> list[tuple[RunTimeArray, int, int]]:
    """Lowest and highest index of each array that was reached."""
    found = []
    for array in arrays:
        own = [each for each in reaches if each.site.variable == array.resource.variable]
        if own:
            low = min(each.lowest for each in own)
            found.append((array, low, max(each.highest for each in own)))
    return found


def _check(
    draw: Draw, arrays: Iterable[RunTimeArray], reaches: Iterable[Reach], lengths: Lengths
) -> None:
    by_variable = {each.resource.variable: each for each in arrays}
    sizes = contents(draw, lengths)
    for reach in reaches:
        array = by_variable[reach.site.variable]
        elements = array.elements(len(sizes[array.resource.descriptor]))
        if reach.lowest >= 0 and reach.highest < elements:
            continue
        index = reach.lowest if reach.lowest < 0 else reach.highest
        line = reach.site.line
        where = f"line {line.line}" + (f" of {line.file}" if line.file else "") if line else "it"
        raise UnsupportedShader(
            f"{where} reaches {printable(array.name)}[{index:,}], which has {elements:,} elements"
            " (from 0); a GPU would read or write other memory there"
        ).with_remedy(_REMEDY)
