"""A vendor's chip that is not there: compiles pipelines and reports what came out; runs nothing."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

from shaderlab.errors import NoVulkan, UnsupportedShader
from shaderlab.frontend.program import Program
from shaderlab.gpu.compilers.compiled import (
    Executable,
    Statistic,
    VendorStats,
    last_assembly,
    last_ir,
    mali_statistics,
    nvidia_statistics,
)
from shaderlab.gpu.compilers.discovery import VendorTarget
from shaderlab.gpu.compilers.probe import EXTENSION
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.pipeline import Pipeline, PipelineState
from shaderlab.gpu.vulkan.probe import probe
from shaderlab.gpu.vulkan.render_target import target_layout
from shaderlab.gpu.vulkan.shader_inputs import pipeline_layout
from shaderlab.gpu.vulkan.support import supported_stages
from shaderlab.gpu.vulkan.vertex_stage import vertex_stage
from shaderlab.scene.draw import CANONICAL
from shaderlab.spirv.reflection import ResourceKind

_MOST_TEXT = 16 << 20
"""Bytes of one of the driver's texts."""
_NO_STATISTICS = ("Source hash",)
"""What drivers report beside: ANV the digest of the source."""


class VendorCompiler:
    """Compiles programs for one family.  A context manager; used from one thread.

    The process was started with `target.environment`, and has called `drivers.select(target.icd)`
    before Vulkan was loaded.
    """

    def __init__(self, target: VendorTarget):
        """Raises NoVulkan if the driver does not offer the chip."""
        self.target = target
        with _stderr():  # what the stand-in does not know, which does not matter
            self._device = self._open()

    def _open(self) -> Device:
        found = probe(self.target.icd)
        if not found:
            family = self.target.family
            raise NoVulkan(f"{family.vendor.driver} offers no device for {family.slug}")
        feature = vk.VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR(
            pipelineExecutableInfo=1
        )
        device = Device.open(found[0], (EXTENSION,), feature)
        # Mesa reads all versions (spirv_to_nir.c), also where its driver offers no Vulkan that goes
        # with them, as PanVK.
        device.spirv_version = (1, 6)
        return device

    def compile(self, program: Program) -> VendorStats:
        """What the compiler makes of the fragment shader.  Raises UnsupportedShader."""
        stages = supported_stages(self._device, program)
        interface = stages[0].interface
        with ExitStack() as stack, _stderr() as printed:
            target = target_layout(
                self._device,
                CANONICAL.attachments,
                interface.outputs,
                with_depth="FragDepth" in interface.builtins,
                inputs={
                    resource.attachment: vk.VK_FORMAT_R8G8B8A8_UNORM
                    for resource in interface.resources
                    if resource.kind is ResourceKind.INPUT_ATTACHMENT
                },
            )
            made = vertex_stage(self._device, interface, CANONICAL.geometry)
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
                vk.VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR
                | vk.VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR,
            )
            worked = time.process_time() - worked
            executables = self._executables(pipeline.handle, printed)
        return VendorStats(
            target=self.target.family.slug,
            name=self.target.family.name,
            vendor=self.target.family.vendor,
            driver=self.target.driver,
            executables=executables,
            compile_s=pipeline.creation_s,
            processor_s=worked,
        )

    def close(self) -> None:
        self._device.close()

    def __enter__(self) -> VendorCompiler:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _executables(self, pipeline: Any, printed: Callable[[], str]) -> tuple[Executable, ...]:
        """The fragment stage's."""
        found = vk.enumerate_device_command(
            self._device.handle,
            "vkGetPipelineExecutablePropertiesKHR",
            self._device.handle,
            vk.VkPipelineInfoKHR(pipeline=pipeline),
        )
        family = self.target.family
        more = mali_statistics(printed()) if family.vendor.slug == "mali" else ()
        executables = []
        for index, properties in enumerate(found):
            if not properties.stages & vk.VK_SHADER_STAGE_FRAGMENT_BIT:
                continue
            query = vk.VkPipelineExecutableInfoKHR(pipeline=pipeline, executableIndex=index)
            texts = self._representations(query)
            made = Executable(
                vk.text(properties.name),
                properties.subgroupSize,
                (*self._statistics(query), *more),
                last_assembly(texts),
                last_ir(texts),
            )
            if family.vendor.slug == "nvidia":
                warps = nvidia_statistics(made.value("Number of GPRs"), family.architecture)
                made = replace(made, statistics=(*made.statistics, *warps))
            executables.append(made)
        if not executables:
            raise UnsupportedShader(
                f"{family.vendor.driver} made no fragment shader of this program"
            )
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


def _value(statistic: Any) -> float:
    formats = {
        vk.VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR: "b32",
        vk.VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR: "i64",
        vk.VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR: "u64",
        vk.VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_FLOAT64_KHR: "f64",
    }
    return float(getattr(statistic.value, formats[statistic.format]))


@contextmanager
def _stderr() -> Iterator[Callable[[], str]]:
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
