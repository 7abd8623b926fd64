"""`python -m shaderlab.gpu.vulkan.probe MANIFEST`: the devices behind one driver, as JSON.

Runs as its own process, because drivers crash and hang.  Prints a list of objects with the fields
of `DeviceInfo`; slugs are not yet distinct.  A driver without a device prints `[]`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict
from typing import Any

from shaderlab.errors import NoVulkan
from shaderlab.gpu import drivers, naming
from shaderlab.gpu.device_info import DeviceInfo, DeviceKind
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.instance import Instance, has_timestamps, version_text


def probe(manifest: str) -> list[DeviceInfo]:
    """The manifest's devices that can draw.  Chooses the driver for this whole process."""
    try:
        instance = Instance.create()
    except NoVulkan:
        return []  # a driver without its hardware
    with instance:
        found = []
        for index, handle in enumerate(instance.physical_devices()):
            families = vk.enumerate_all("vkGetPhysicalDeviceQueueFamilyProperties", handle)
            graphics = [f for f in families if f.queueFlags & vk.VK_QUEUE_GRAPHICS_BIT]
            if graphics:
                found.append(_describe(instance, handle, manifest, index, graphics[0]))
        return found


def _describe(
    instance: Instance, handle: Any, manifest: str, index: int, family: Any
) -> DeviceInfo:
    properties = vk.vkGetPhysicalDeviceProperties(handle)
    name = vk.text(properties.deviceName)
    driver, uuid = instance.driver_and_uuid(handle)
    kinds: dict[int, DeviceKind] = {
        vk.VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: "discrete",
        vk.VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: "integrated",
        vk.VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: "virtual",
        vk.VK_PHYSICAL_DEVICE_TYPE_CPU: "software",
    }
    return DeviceInfo(
        slug=naming.slug(name),
        name=name,
        kind=kinds.get(properties.deviceType, "other"),
        driver=driver,
        api_version=version_text(properties.apiVersion),
        vendor_id=properties.vendorID,
        device_id=properties.deviceID,
        uuid=uuid,
        manifest=manifest,
        index=index,
        timestamps=has_timestamps(family.timestampValidBits, properties.limits.timestampPeriod),
        null_hardware=drivers.is_null_hardware(name, driver),
        memory_bytes=_device_memory(handle),
    )


def _device_memory(handle: Any) -> int:
    memory = vk.vkGetPhysicalDeviceMemoryProperties(handle)
    heaps = [memory.memoryHeaps[number] for number in range(memory.memoryHeapCount)]
    local = [heap.size for heap in heaps if heap.flags & vk.VK_MEMORY_HEAP_DEVICE_LOCAL_BIT]
    return max(local, default=0)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m shaderlab.gpu.vulkan.probe", description=__doc__
    )
    parser.add_argument("manifest")
    parser.add_argument("--radv-family", help="chip for RADV to emulate, e.g. gfx1100")
    options = parser.parse_args(arguments)
    # Drivers may print to stdout; the answer goes to a separate one.
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    drivers.select(options.manifest, radv_family=options.radv_family)
    json.dump([asdict(info) for info in probe(options.manifest)], answer)
    answer.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
