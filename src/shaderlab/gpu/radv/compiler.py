"""A null device of one AMD family: compiles pipelines and reports what came out; runs nothing."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from shaderlab.errors import NoVulkan, UnsupportedShader
from shaderlab.frontend.program import Program
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.gpu.radv import perfinfo
from shaderlab.gpu.radv.compiled import CompiledStats, driver_statistics
from shaderlab.gpu.radv.discovery import CompiledTarget
from shaderlab.gpu.radv.families import Family
from shaderlab.gpu.radv.probe import EXTENSION
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

_WITHOUT_BACKENDS = ("navi24", "rembrandt")
"""Families whose null device has no render backends: Mesa before 23.1 divides by their number when
it writes a pipeline's registers.  A complete pipeline made as a library (which these versions
offer on request only) is compiled alike, but has no registers written."""
_FIRST_SOUND_VERSION = (23 << 22) | (1 << 12)
_LIBRARIES = ("VK_KHR_pipeline_library", "VK_EXT_graphics_pipeline_library")


def environment(family: Family, cache: Path) -> None:
    """Ask RADV for its costs, and for what the family needs; before the process loads Vulkan.

    `cache`: the family's own folder for what RADV keeps of its internal shaders.  It keeps one
    file, for whichever family wrote it last; recompiling takes 0.2 s.
    """
    name, value = perfinfo.ENVIRONMENT
    os.environ[name] = value
    if family.slug in _WITHOUT_BACKENDS:
        os.environ["RADV_PERFTEST"] = "gpl"
    os.environ["XDG_CACHE_HOME"] = str(cache)


class FamilyCompiler:
    """Compiles programs for one family.  A context manager; used from one thread.

    The process has called `drivers.select(target.manifest, radv_family=target.spelling)`, and
    `environment(…)`, before Vulkan was loaded.
    """

    def __init__(self, target: CompiledTarget):
        """Raises NoVulkan if RADV does not offer its null device."""
        self.target = target
        null = [info for info in probe(target.manifest) if info.null_hardware]
        if not null:
            raise NoVulkan(f"RADV offers no null device for {target.family.slug}")
        with _stderr():  # the driver's own shaders' costs
            kept = Path(os.environ.get("XDG_CACHE_HOME", ""))
            if kept.is_dir() and not any(kept.glob("radv_builtin_shaders*")):
                _open(null[0]).close()  # closing is what writes them
            self._device = _open(null[0])
        physical = self._device.physical
        version = vk.vkGetPhysicalDeviceProperties(physical).driverVersion
        offered = {
            vk.text(e.extensionName)
            for e in vk.enumerate_all("vkEnumerateDeviceExtensionProperties", physical, None)
        }
        self._as_library = (
            target.family.slug in _WITHOUT_BACKENDS
            and version < _FIRST_SOUND_VERSION
            and offered.issuperset(_LIBRARIES)
        )

    def compile(self, program: Program) -> CompiledStats:
        """What the compiler makes of the fragment shader.  Raises UnsupportedShader."""
        stages = supported_stages(self._device, program)
        interface = stages[0].interface
        with ExitStack() as stack, _stderr() as output:
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
            pipeline = Pipeline(
                self._device,
                program.spirv,
                program.entry_point,
                vertex_stage(self._device, interface, CANONICAL.geometry),
                pipeline_layout(self._device, stages, stack),
                target,
                target.render_pass(self._device, stack),
                PipelineState(CANONICAL.size),
                stack,
                *self._creation(),
            )
            index, subgroup_size = self._fragment_executable(pipeline.handle)
            query = vk.VkPipelineExecutableInfoKHR(pipeline=pipeline.handle, executableIndex=index)
            texts = self._representations(query)
            return CompiledStats(
                target=self.target.family.slug,
                name=self.target.family.name,
                driver=self.target.driver,
                subgroup_size=subgroup_size,
                **self._statistics(query),
                compile_s=pipeline.creation_s,
                isa=_starting(texts, "Assembly"),
                costs=perfinfo.fragment_text(output()),
                nir=_starting(texts, "NIR"),
            )

    def close(self) -> None:
        self._device.close()

    def __enter__(self) -> FamilyCompiler:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _creation(self) -> tuple[int, vk.Struct | None]:
        """VkPipelineCreateFlags, and what to chain to the create info."""
        flags = (
            vk.VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR
            | vk.VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR
        )
        if not self._as_library:
            return flags, None
        whole = (
            vk.VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT
            | vk.VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT
            | vk.VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT
            | vk.VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT
        )
        return (
            flags | vk.VK_PIPELINE_CREATE_LIBRARY_BIT_KHR,
            vk.VkGraphicsPipelineLibraryCreateInfoEXT(flags=whole),
        )

    def _fragment_executable(self, pipeline: Any) -> tuple[int, int]:
        """Index of the fragment stage's executable, and its subgroup size."""
        found = vk.enumerate_device_command(
            self._device.handle,
            "vkGetPipelineExecutablePropertiesKHR",
            self._device.handle,
            vk.VkPipelineInfoKHR(pipeline=pipeline),
        )
        for index, executable in enumerate(found):
            if executable.stages & vk.VK_SHADER_STAGE_FRAGMENT_BIT:
                return index, executable.subgroupSize
        raise UnsupportedShader("RADV made no fragment shader of this program")

    def _statistics(self, query: vk.Struct) -> dict[str, int | None]:
        found = vk.enumerate_device_command(
            self._device.handle,
            "vkGetPipelineExecutableStatisticsKHR",
            self._device.handle,
            query,
        )
        return driver_statistics({vk.text(one.name): _value(one) for one in found})

    def _representations(self, query: vk.Struct) -> dict[str, str]:
        """Texts by the driver's names for them.  The second call of each needs the sizes first."""
        command = vk.device_command(
            self._device.handle, "vkGetPipelineExecutableInternalRepresentationsKHR"
        )
        count = vk.ffi.new("uint32_t *")
        command(self._device.handle, query, count, None)
        items = vk.ffi.new("VkPipelineExecutableInternalRepresentationKHR[]", count[0])
        for item in items:
            item.sType = vk.VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR
        command(self._device.handle, query, count, items)
        memory = [vk.ffi.new("char[]", item.dataSize + 1) for item in items]
        for item, room in zip(items, memory, strict=True):
            item.pData = room
        command(self._device.handle, query, count, items)
        return {
            vk.text(item.name): vk.text(room)
            for item, room in zip(items, memory, strict=True)
            if item.isText
        }


def _open(info: DeviceInfo) -> Device:
    feature = vk.VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR(pipelineExecutableInfo=1)
    return Device.open(info, (EXTENSION,), feature)


def _value(statistic: Any) -> int:
    formats = {
        vk.VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR: "b32",
        vk.VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR: "i64",
        vk.VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR: "u64",
        vk.VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_FLOAT64_KHR: "f64",
    }
    return int(getattr(statistic.value, formats[statistic.format]))


def _starting(texts: dict[str, str], start: str) -> str:
    return next((text for name, text in texts.items() if name.startswith(start)), "")


@contextmanager
def _stderr() -> Iterator[Any]:
    """Keep what the driver writes to stderr meanwhile; yields a function that reads it."""
    with tempfile.TemporaryFile() as file:
        kept = os.dup(2)
        os.dup2(file.fileno(), 2)

        def read() -> str:
            file.seek(0)
            return file.read().decode("utf-8", "replace")

        try:
            yield read
        finally:
            os.dup2(kept, 2)
            os.close(kept)
