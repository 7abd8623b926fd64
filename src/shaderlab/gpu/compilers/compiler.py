"""A chip that is not there: compiles pipelines and reports what came out; runs nothing."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any, Self

from shaderlab.errors import NoVulkan, UnsupportedShader
from shaderlab.frontend.program import Program
from shaderlab.frontend.stage import Stage
from shaderlab.frontend.stage_linking import reader
from shaderlab.gpu.compilers.compiled import (
    CompiledStats,
    Executable,
    Statistic,
    last,
    mali_statistics,
    nvidia_nir,
    nvidia_statistics,
)
from shaderlab.gpu.compilers.discovery import CompiledTarget
from shaderlab.gpu.compilers.probe import EXTENSION
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.device_textures import SAMPLES
from shaderlab.gpu.vulkan.dispatching import compute_pipeline
from shaderlab.gpu.vulkan.pipeline import Pipeline, PipelineState
from shaderlab.gpu.vulkan.probe import probe
from shaderlab.gpu.vulkan.render_target import target_layout
from shaderlab.gpu.vulkan.set_layouts import element_count, pipeline_layout
from shaderlab.gpu.vulkan.support import supported_stages
from shaderlab.gpu.vulkan.vertex_stage import vertex_stage
from shaderlab.scene.draw import CANONICAL
from shaderlab.spirv.reflection import Interface, ResourceKind

_MOST_TEXT = 16 << 20
"""Bytes of one of the driver's texts."""
_NO_STATISTICS = ("Source hash", "Driver pipeline hash", "Hash")
"""What drivers report beside."""
_STAGES = {
    Stage.FRAGMENT: vk.VK_SHADER_STAGE_FRAGMENT_BIT,
    Stage.VERTEX: vk.VK_SHADER_STAGE_VERTEX_BIT,
    Stage.COMPUTE: vk.VK_SHADER_STAGE_COMPUTE_BIT,
}


def _input_attachments(interface: Interface) -> dict[int, tuple[int, int]]:
    """VkFormat and samples per pixel of what a shader reads at its own pixel, by index."""
    several, colour = SAMPLES, vk.VK_FORMAT_R8G8B8A8_UNORM
    return {
        index: (colour, several if resource.image and resource.image.multisampled else 1)
        for resource in interface.resources
        if resource.kind is ResourceKind.INPUT_ATTACHMENT
        for index in range(resource.attachment, resource.attachment + element_count(resource))
    }


class FamilyCompiler:
    """Compiles programs for one family.  A context manager; used from one thread.

    The process was started with `target.environment`, and has called `drivers.select` before Vulkan
    was loaded.  What differs for one vendor's driver overrides `_open`, `_creation` and `_own`.
    """

    def __init__(self, target: CompiledTarget):
        """Raises NoVulkan if the driver does not offer the chip."""
        self.target = target
        found = [info for info in probe(target.icd) if self._is_chip(info)]
        if not found:
            family = target.family
            raise NoVulkan(f"{family.vendor.driver} offers no device for {family.slug}")
        with stderr_kept():  # what the stand-in does not know, and what the driver's own cost
            self._device = self._open(found[0])

    def compile(
        self,
        program: Program,
        vertex: Program | None = None,
        constants: Mapping[int, bytes] | None = None,
    ) -> CompiledStats:
        """What the compiler makes of a fragment shader and of the vertex shader that is given, or
        of a vertex shader alone: then all its outputs are read.

        `constants`: of a compute shader, bytes of its specialisation constants by `SpecId`.
        Raises UnsupportedShader.
        """
        if program.stage is Stage.COMPUTE:
            return self._compile_dispatched(program, constants or {})
        wanted = (program.stage,) if vertex is None else (program.stage, vertex.stage)
        if program.stage is Stage.VERTEX:
            program, vertex = reader(program), program
        stages = supported_stages(self._device, program, vertex)
        interface = stages[0].interface
        with ExitStack() as stack, stderr_kept() as printed:
            target = target_layout(
                self._device,
                CANONICAL.attachments,
                interface.outputs,
                with_depth="FragDepth" in interface.builtins,
                inputs=_input_attachments(interface),
            )
            before = stages[1].interface if vertex else None
            made = vertex_stage(self._device, interface, CANONICAL.geometry, vertex, before)
            layout = pipeline_layout(self._device, stages, stack)
            render_pass = target.render_pass(self._device, stack)
            worked = time.process_time()
            pipeline = Pipeline(
                self._device,
                program.spirv,
                program.entry_point,
                made,
                layout,
                target,
                render_pass,
                PipelineState(CANONICAL.size),
                stack,
                *self._creation(),
            )
            worked = time.process_time() - worked
            executables = self._executables(pipeline.handle, wanted, printed())
        return self._stats(executables, pipeline.creation_s, worked)

    def _compile_dispatched(
        self, program: Program, constants: Mapping[int, bytes]
    ) -> CompiledStats:
        """Of a compute shader.  Raises UnsupportedShader."""
        stages = supported_stages(self._device, program)
        flags, _ = self._creation()
        # A library is a part of a graphics pipeline.
        flags &= ~vk.VK_PIPELINE_CREATE_LIBRARY_BIT_KHR
        with ExitStack() as stack, stderr_kept() as printed:
            layout = pipeline_layout(self._device, stages, stack)
            start, worked = time.perf_counter(), time.process_time()
            handle = compute_pipeline(
                self._device, program.spirv, program.entry_point, layout, constants, stack, flags
            )
            seconds, worked = time.perf_counter() - start, time.process_time() - worked
            executables = self._executables(handle, (program.stage,), printed())
        return self._stats(executables, seconds, worked)

    def _stats(
        self, executables: tuple[Executable, ...], compile_s: float, processor_s: float
    ) -> CompiledStats:
        family = self.target.family
        return CompiledStats(
            target=family.slug,
            name=family.name,
            vendor=family.vendor,
            driver=self.target.driver,
            executables=executables,
            compile_s=compile_s,
            processor_s=processor_s,
        )

    def close(self) -> None:
        self._device.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- what differs between drivers -------------------------------------------------------

    def _is_chip(self, info: DeviceInfo) -> bool:
        return not info.null_hardware

    def _open(self, info: DeviceInfo) -> Device:
        device = opened(info)
        # Mesa reads all versions (spirv_to_nir.c), also where its driver offers no Vulkan that goes
        # with them, as PanVK.
        device.spirv_version = (1, 6)
        return device

    def _creation(self) -> tuple[int, vk.Struct | None]:
        """VkPipelineCreateFlags, and what to chain to the create info."""
        return (
            vk.VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR
            | vk.VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR
        ), None

    def _own(self, made: Executable, printed: str) -> Executable:
        """With what the driver does not report through Vulkan; `printed`: what it wrote."""
        family, more = self.target.family, ()
        if family.vendor.slug == "mali":
            more = mali_statistics(printed, made.stage)
        elif family.vendor.slug == "nvidia":
            more = nvidia_statistics(made.value("Number of GPRs"), family.architecture)
            made = replace(made, ir=nvidia_nir(printed, made.stage))
        return replace(made, statistics=(*made.statistics, *more))

    # -- what the driver reports ------------------------------------------------------------

    def _executables(
        self, pipeline: Any, wanted: tuple[Stage, ...], printed: str
    ) -> tuple[Executable, ...]:
        """Of these stages, in their order."""
        found = vk.enumerate_device_command(
            self._device.handle,
            "vkGetPipelineExecutablePropertiesKHR",
            self._device.handle,
            vk.VkPipelineInfoKHR(pipeline=pipeline),
        )
        executables = []
        for stage in wanted:
            for index, properties in enumerate(found):
                if not properties.stages & _STAGES[stage]:
                    continue
                query = vk.VkPipelineExecutableInfoKHR(pipeline=pipeline, executableIndex=index)
                texts = self._representations(query)
                made = Executable(
                    vk.text(properties.name),
                    properties.subgroupSize,
                    self._statistics(query),
                    last(texts, "assembly"),
                    last(texts, "nir"),
                    stage=stage,
                )
                executables.append(self._own(made, printed))
        if not any(each.stage is wanted[0] for each in executables):
            driver = self.target.family.vendor.driver
            raise UnsupportedShader(f"{driver} made no {wanted[0].shown} shader of this program")
        return tuple(executables)

    def _statistics(self, query: vk.Struct) -> tuple[Statistic, ...]:
        found = vk.enumerate_device_command(
            self._device.handle,
            "vkGetPipelineExecutableStatisticsKHR",
            self._device.handle,
            query,
        )
        return tuple(
            Statistic(vk.text(each.name), _value(each), vk.text(each.description))
            for each in found
            if vk.text(each.name) not in _NO_STATISTICS
        )

    def _representations(self, query: vk.Struct) -> list[tuple[str, str]]:
        """The driver's texts with its names for them.  The second call needs the sizes first."""
        command = vk.device_command(
            self._device.handle, "vkGetPipelineExecutableInternalRepresentationsKHR"
        )
        count = vk.ffi.new("uint32_t *")
        command(self._device.handle, query, count, None)
        items = vk.ffi.new("VkPipelineExecutableInternalRepresentationKHR[]", count[0])
        for item in items:
            item.sType = vk.VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR
        command(self._device.handle, query, count, items)
        rooms = []
        for item in items:
            item.dataSize = min(item.dataSize, _MOST_TEXT)
            rooms.append(vk.ffi.new("char[]", item.dataSize + 1))
            item.pData = rooms[-1]
        command(self._device.handle, query, count, items)
        return [
            (vk.text(item.name), vk.text(room))
            for item, room in zip(items, rooms, strict=True)
            if item.isText
        ]


def opened(info: DeviceInfo) -> Device:
    """The device, with what reports statistics."""
    feature = vk.VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR(pipelineExecutableInfo=1)
    return Device.open(info, (EXTENSION,), feature)


def _value(statistic: Any) -> float:
    formats = {
        vk.VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR: "b32",
        vk.VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR: "i64",
        vk.VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR: "u64",
        vk.VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_FLOAT64_KHR: "f64",
    }
    return float(getattr(statistic.value, formats[statistic.format]))


@contextmanager
def stderr_kept() -> Iterator[Callable[[], str]]:
    """Keep what the driver writes to stderr meanwhile; yields a function that reads it."""
    with tempfile.TemporaryFile() as file:
        kept = os.dup(2)
        os.dup2(file.fileno(), 2)

        def read() -> str:
            file.seek(0)
            return file.read(_MOST_TEXT).decode("utf-8", "replace")

        try:
            yield read
        finally:
            os.dup2(kept, 2)
            os.close(kept)
