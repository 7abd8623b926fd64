"""RADV's null device of one AMD family, and what that needs beside other vendors' compilers."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from shaderlab.gpu.compilers.compiled import Executable
from shaderlab.gpu.compilers.compiler import FamilyCompiler, opened
from shaderlab.gpu.compilers.families import Family
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.gpu.radv import perfinfo
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.device import Device

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


class RadvCompiler(FamilyCompiler):
    """The process has called `environment` before Vulkan was loaded."""

    def _is_chip(self, info: DeviceInfo) -> bool:
        return info.null_hardware

    def _open(self, info: DeviceInfo) -> Device:
        kept = Path(os.environ.get("XDG_CACHE_HOME", ""))
        if kept.is_dir() and not any(kept.glob("radv_builtin_shaders*")):
            opened(info).close()  # closing is what writes them
        return opened(info)

    def _creation(self) -> tuple[int, vk.Struct | None]:
        flags, _ = super()._creation()
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

    @property
    def _as_library(self) -> bool:
        if self.target.family.slug not in _WITHOUT_BACKENDS:
            return False
        physical = self._device.physical
        version = vk.vkGetPhysicalDeviceProperties(physical).driverVersion
        offered = {
            vk.text(e.extensionName)
            for e in vk.enumerate_all("vkEnumerateDeviceExtensionProperties", physical, None)
        }
        return version < _FIRST_SOUND_VERSION and offered.issuperset(_LIBRARIES)

    def _own(self, made: Executable, printed: str) -> Executable:
        return replace(made, costs=perfinfo.stage_text(printed, made.stage))
