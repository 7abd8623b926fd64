"""`DeviceInfo`: a Vulkan device as plain data, for processes that never load Vulkan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

DeviceKind = Literal["discrete", "integrated", "virtual", "software", "other"]


@dataclass(frozen=True)
class DeviceInfo:
    """One physical device behind one driver manifest."""

    slug: str
    """Short name used on the command line and in data: `llvmpipe`, `rtx3060`, …"""
    name: str
    """VkPhysicalDeviceProperties.deviceName."""
    kind: DeviceKind
    driver: str
    """Driver name and version, human-readable."""
    api_version: str
    vendor_id: int
    device_id: int
    uuid: str
    """deviceUUID, hex."""
    manifest: str
    """Path of the driver manifest (ICD JSON) the device's worker must select."""
    index: int
    """Index among that manifest's devices."""
    timestamps: bool
    """Whether its graphics queue can write timestamps, i.e. whether it can profile."""
    null_hardware: bool = False
    """A driver without a chip behind it (RADV's null winsys): compiles, runs nothing."""
    memory_bytes: int = 0
    """Size of its largest device-local heap; 0 where not asked."""
