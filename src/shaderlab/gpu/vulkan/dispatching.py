"""A compute shader with its buffers and images, ready to be dispatched, profiled and traced."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from math import prod
from typing import Any

import numpy as np

from shaderlab.errors import UnsupportedShader
from shaderlab.frontend.program import Program
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.ended import require_known
from shaderlab.gpu.vulkan.memory import DeviceImage
from shaderlab.gpu.vulkan.pipeline import pipeline, shader_module, specialization
from shaderlab.gpu.vulkan.shader_inputs import ShaderInputs, StorageBinding
from shaderlab.gpu.vulkan.submitting import GroupPacer, Groups, pace
from shaderlab.gpu.vulkan.support import supported_stages
from shaderlab.gpu.vulkan.timestamps import Stopwatch
from shaderlab.scene.binding import Binding
from shaderlab.scene.buffer_contents import run_time_arrays
from shaderlab.scene.buffer_filling import filled
from shaderlab.scene.draw import Draw
from shaderlab.scene.geometry import Camera
from shaderlab.scene.inputs import Inputs
from shaderlab.scene.launch import Launch, shown
from shaderlab.spirv.access import accesses
from shaderlab.spirv.reflection import Descriptor, Resource, ResourceKind
from shaderlab.spirv.trace import BoundTexture
from shaderlab.spirv.value_types import size

_COMPUTE = vk.VK_PIPELINE_BIND_POINT_COMPUTE
_BARRIER_ACCESS = vk.VK_ACCESS_MEMORY_READ_BIT | vk.VK_ACCESS_MEMORY_WRITE_BIT

Lengths = Mapping[Descriptor, int]
"""Elements of each storage buffer's array of run-time length."""


class Dispatching:
    """Descriptors, buffers' contents and pipeline of one dispatch.

    It answers as `drawing.Drawing` does where both are profiled.
    """

    has_own_vertices = False

    def __init__(
        self,
        device: Device,
        draw: Draw,
        stack: ExitStack,
        lengths: Lengths,
        *,
        instrumented: bytes | None = None,
        storage: StorageBinding | None = None,
        checked: Program | None = None,
    ):
        """`lengths`: where not given, one element for each invocation.

        `instrumented` takes the place of the program's SPIR-V, `storage` is bound for it; `checked`
        is what it was made of, and what the device must support, if not the draw's program.  Raises
        UnsupportedShader, WrongUse, OutOfDeviceMemory, DeviceLost, and what `require_known` does.
        """
        self._device, self._draw = device, draw
        program = draw.program
        require_known(device, draw, program, bounded=instrumented is not None)
        self.launch = draw.launch
        check_launch(device, self.launch)
        stages = supported_stages(device, checked or program)
        self.contents = contents(draw, lengths)
        """Bytes of each storage buffer before it runs."""
        self._inputs = ShaderInputs(
            device, stages, draw.inputs, draw.extent, stack, storage, contents=self.contents
        )
        start = time.perf_counter()
        self._pipeline = compute_pipeline(
            device,
            instrumented or program.spirv,
            program.entry_point,
            self._inputs.layout,
            draw.launch_constants,
            stack,
            vk.VK_PIPELINE_CREATE_DISPATCH_BASE_KHR if pace(device.info) else 0,
        )
        self.pipeline_s = time.perf_counter() - start
        """Seconds the driver took to compile the shader."""
        self.compile_s = None if device.info.kind == "software" else self.pipeline_s
        """The same; None where the first dispatch compiles."""
        self.begins_anew = _changes_what_it_reads(draw)
        """Whether it writes where it also reads, so that each run must find the buffers filled."""
        self.set_inputs(draw.inputs)
        self.restore()

    @property
    def textures(self) -> Mapping[tuple[int, int], BoundTexture]:
        """What is bound to be sampled or fetched, by descriptor set and binding."""
        return self._inputs.textures

    @property
    def stored_images(self) -> Mapping[Descriptor, tuple[Resource, DeviceImage]]:
        return self._inputs.stored_images

    def buffer(self, at: Descriptor) -> np.ndarray:
        """(nbytes,) uint8 of a storage buffer after the last run; a view."""
        return self._inputs.buffer(at)

    def set_inputs(self, inputs: Inputs, camera: Camera | None = None) -> bool:
        """Values for the next run; whether recorded commands must be recorded anew."""
        around = camera or self._draw.state.geometry.camera
        return self._inputs.set_values(inputs, self._draw.extent, around)

    def restore(self) -> None:
        """Have the storage buffers hold what they held at first."""
        self._inputs.fill()

    def record(
        self,
        commands: Any,
        part: Groups | None = None,
        *,
        keep: bool = False,  # noqa: ARG002
        empty: bool = False,
    ) -> None:
        """Record one dispatch, or some of its workgroups, that waits for the one before; `empty`:
        the wait alone."""
        base, groups = part or ((0, 0, 0), self.launch.groups)
        self._record(commands, base, (0, 0, 0) if empty else groups)

    def _record(
        self, commands: Any, base: tuple[int, int, int], groups: tuple[int, int, int]
    ) -> None:
        if any(groups):
            vk.vkCmdBindPipeline(commands, _COMPUTE, self._pipeline)
            self._inputs.bind(commands, _COMPUTE)
            if any(base):
                vk.vkCmdDispatchBase(commands, *base, *groups)
            else:
                vk.vkCmdDispatch(commands, *groups)
        barrier = vk.VkMemoryBarrier(srcAccessMask=_BARRIER_ACCESS, dstAccessMask=_BARRIER_ACCESS)
        everything = vk.VK_PIPELINE_STAGE_ALL_COMMANDS_BIT
        after = everything | vk.VK_PIPELINE_STAGE_HOST_BIT
        vk.vkCmdPipelineBarrier(commands, everything, after, 0, 1, [barrier], 0, None, 0, None)

    def grow(self, stopwatch: Stopwatch | None = None) -> tuple[float, int]:
        """A first run, on a GPU by growing numbers of workgroups, so that no submission is expected
        to take long; at once where the shader asks how many there are.

        Returns seconds by the device's clock, where `stopwatch` is given, and the number of
        workgroups that were given up.
        """
        seconds, allowed = 0.0, pace(self._device.info)
        groups, total = self.launch.groups, prod(self.launch.groups)
        if allowed is None or "NumWorkgroups" in self._draw.program.interface.builtins:
            ranges: Iterator[Groups] = iter([((0, 0, 0), groups)])
            pacer = None
        else:
            pacer = GroupPacer(allowed)
            ranges = pacer.ranges(groups)
        for base, count in ranges:

            def record(commands: Any, base: Any = base, count: Any = count) -> None:
                if stopwatch is not None:
                    stopwatch.start(commands)
                self._record(commands, base, count)
                if stopwatch is not None:
                    stopwatch.stop(commands)

            start = time.perf_counter()
            self._device.run_once(record)
            if pacer is not None:
                pacer.took(prod(count), time.perf_counter() - start)
            total -= prod(count)
            seconds += stopwatch.seconds() if stopwatch is not None else 0.0
        return seconds, total


def contents(draw: Draw, lengths: Lengths) -> dict[Descriptor, np.ndarray]:
    """Bytes of each storage buffer of a dispatch before it runs.

    Raises UnsupportedShader for one that is too large.
    """
    binding = Binding.of(draw.program)
    given = binding.blocks(draw.inputs, draw.extent, draw.state.geometry.camera)
    bound = draw.inputs.bound.resources if draw.inputs.bound else {}
    arrays = {each.resource.descriptor: each for each in run_time_arrays(draw.program.interface)}
    invocations, uses = draw.launch.invocations, draw.program.kernel_uses
    found = {}
    for resource in draw.program.interface.resources:
        at, block = resource.descriptor, resource.block
        if resource.kind is not ResourceKind.STORAGE_BUFFER or block is None or at in found:
            continue
        start = given[at]
        if at in bound:
            found[at] = np.frombuffer(start, np.uint8)
            continue
        array = arrays.get(at)
        nbytes = size(block)
        if array is not None:
            nbytes = array.nbytes(lengths.get(at, invocations))
        found[at] = filled(resource, nbytes, invocations, start, uses)
        binding.write_given(at, found[at], draw.inputs)
    return found


def check_launch(device: Device, launch: Launch) -> None:
    """Raise UnsupportedShader for a launch beyond the device's limits."""
    limits, name = device.limits, device.info.name
    most = limits.maxComputeWorkGroupInvocations
    sides = tuple(limits.maxComputeWorkGroupSize[n] for n in range(3))
    groups = tuple(limits.maxComputeWorkGroupCount[n] for n in range(3))
    if launch.per_group > most or any(
        own > largest for own, largest in zip(launch.local, sides, strict=True)
    ):
        raise UnsupportedShader(
            f"a workgroup of {shown(launch.local)} has {launch.per_group:,} invocations, but"
            f" {name} takes {most:,}, and at most {sides[0]:,}, {sides[1]:,} and {sides[2]:,}"
            " along x, y and z"
        )
    if any(own > largest for own, largest in zip(launch.groups, groups, strict=True)):
        raise UnsupportedShader(
            f"{shown(launch.groups)} groups are launched, but {name} takes"
            f" {groups[0]:,}, {groups[1]:,} and {groups[2]:,} along x, y and z"
        )


def _changes_what_it_reads(draw: Draw) -> bool:
    """Whether it has a storage buffer that it may read and write."""
    read, written = accesses(draw.program.module)
    return any(
        each.kind is ResourceKind.STORAGE_BUFFER and each.variable in read & written
        for each in draw.program.interface.resources
    )


def compute_pipeline(
    device: Device,
    spirv: bytes,
    entry_point: str,
    layout: Any,
    constants: Mapping[int, bytes],
    stack: ExitStack,
    flags: int = 0,
) -> Any:
    """VkPipeline.  `flags`: VkPipelineCreateFlags.  Raises UnsupportedShader, DeviceLost,
    OutOfDeviceMemory."""
    with ExitStack() as modules:
        stage = vk.VkPipelineShaderStageCreateInfo(
            stage=vk.VK_SHADER_STAGE_COMPUTE_BIT,
            module=shader_module(device, spirv, modules),
            pName=entry_point,
            pSpecializationInfo=specialization(constants),
        )
        info = vk.VkComputePipelineCreateInfo(flags=flags, stage=stage, layout=layout)
        return pipeline(device, vk.vkCreateComputePipelines, info, stack)
