"""A Vulkan instance, and what can be asked of physical devices before one is opened."""

from __future__ import annotations

import math
import os
from typing import Any

from shaderlab.errors import ShaderlabError
from shaderlab.gpu.vulkan import binding as vk

VALIDATION_VARIABLE = "SHADERLAB_VULKAN_VALIDATION"
"""Set to 1 to load the Khronos validation layer where there is one; it writes to stdout."""

_VALIDATION_LAYER = "VK_LAYER_KHRONOS_validation"
VERSION_1_0, VERSION_1_1, VERSION_1_2, VERSION_1_3 = ((1 << 22) | (n << 12) for n in range(4))


def version_text(version: int) -> str:
    """`1.3.230` for a packed Vulkan version."""
    return f"{version >> 22 & 0x7F}.{version >> 12 & 0x3FF}.{version & 0xFFF}"


def has_timestamps(valid_bits: int, period_ns: float) -> bool:
    """Whether a queue's timestamps measure anything (null devices have an infinite period)."""
    return valid_bits > 0 and math.isfinite(period_ns) and period_ns > 0


class Instance:
    """Owns a VkInstance; a context manager."""

    def __init__(self, handle: Any, api_version: int):
        self.handle = handle
        self.api_version = api_version
        """Packed version the instance was made for: the loader's own, 1.3 at most."""

    @classmethod
    def create(cls) -> Instance:
        """Raises NoVulkan if the selected drivers offer no device."""
        try:
            loader = vk.ffi.new("uint32_t *")
            vk.vkEnumerateInstanceVersion(loader)
            offered = loader[0]
        except AttributeError:  # a Vulkan 1.0 loader
            offered = VERSION_1_0
        version = min(offered, VERSION_1_3)
        wanted = [_VALIDATION_LAYER] if os.environ.get(VALIDATION_VARIABLE) == "1" else []
        layers = [layer for layer in wanted if layer in _layers()]
        application = vk.VkApplicationInfo(pApplicationName="shaderlab", apiVersion=version)
        info = vk.VkInstanceCreateInfo(pApplicationInfo=application, ppEnabledLayerNames=layers)
        return cls(vk.vkCreateInstance(info, None), version)

    def physical_devices(self) -> list[Any]:
        return vk.enumerate_all("vkEnumeratePhysicalDevices", self.handle)

    def device_version(self, physical: Any) -> int:
        """Packed version usable on a device: the device's, the instance's at most."""
        return min(vk.vkGetPhysicalDeviceProperties(physical).apiVersion, self.api_version)

    def driver_and_uuid(self, physical: Any) -> tuple[str, str]:
        """Driver name and version, human-readable; deviceUUID in hex, empty before Vulkan 1.1."""
        properties = vk.vkGetPhysicalDeviceProperties(physical)
        version = self.device_version(physical)
        if version < VERSION_1_1:
            return f"driver {version_text(properties.driverVersion)}", ""
        ids = vk.VkPhysicalDeviceIDProperties()
        driver = vk.VkPhysicalDeviceDriverProperties()
        extensions = {
            vk.text(e.extensionName)
            for e in vk.enumerate_all("vkEnumerateDeviceExtensionProperties", physical, None)
        }
        named = version >= VERSION_1_2 or "VK_KHR_driver_properties" in extensions
        if named:
            ids.pointer.pNext = driver.pointer
        vk.vkGetPhysicalDeviceProperties2(physical, vk.VkPhysicalDeviceProperties2(pNext=ids))
        uuid = bytes(vk.ffi.buffer(ids.pointer.deviceUUID)).hex()
        text = f"driver {version_text(properties.driverVersion)}"
        if named:
            words = (vk.text(driver.pointer.driverName), vk.text(driver.pointer.driverInfo))
            text = " ".join(filter(None, words)) or text
        return text, uuid

    def spirv_version(self, physical: Any) -> tuple[int, int]:
        """Newest SPIR-V the device takes (Vulkan specification, "Environments for SPIR-V")."""
        version = self.device_version(physical)
        if version >= VERSION_1_3:
            return 1, 6
        if version >= VERSION_1_2:
            return 1, 5
        return (1, 3) if version >= VERSION_1_1 else (1, 0)

    def close(self) -> None:
        if self.handle is not None:
            vk.vkDestroyInstance(self.handle, None)
            self.handle = None

    def __enter__(self) -> Instance:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _layers() -> set[str]:
    """Names of the layers the loader can find."""
    try:
        found = vk.enumerate_all("vkEnumerateInstanceLayerProperties")
    except ShaderlabError:
        return set()
    return {vk.text(layer.layerName) for layer in found}
