"""`python -m shaderlab.gpu.compilers.probe ICD LIBRARY`: whether a vendor's driver offers a chip.

The process was started with the stand-in preloaded and the chip named in its environment.  Prints
an object: `driver` and `device`, or `problem`.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import sys

from shaderlab.errors import ShaderlabError
from shaderlab.gpu import drivers
from shaderlab.system import expendable

EXTENSION = "VK_KHR_pipeline_executable_properties"


def ask(icd: str, library: str) -> dict[str, str]:
    """Chooses the driver for this whole process."""
    family = os.environ.get("RADV_FORCE_FAMILY")
    drivers.select(icd, radv_family=family)
    try:
        ctypes.CDLL(library)  # the Vulkan loader does not say why a driver does not load
    except OSError as error:
        return {"problem": f"does not load on this system ({error})"}
    from shaderlab.gpu.vulkan import binding as vk
    from shaderlab.gpu.vulkan.instance import Instance

    try:
        with Instance.create() as instance:
            for handle in instance.physical_devices():
                offered = {
                    vk.text(e.extensionName)
                    for e in vk.enumerate_all("vkEnumerateDeviceExtensionProperties", handle, None)
                }
                if EXTENSION in offered:
                    device = vk.text(vk.vkGetPhysicalDeviceProperties(handle).deviceName)
                    return {"driver": instance.driver_and_uuid(handle)[0], "device": device}
    except ShaderlabError as error:
        return {"problem": str(error)}
    return {"problem": "the driver offers no such chip"}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m shaderlab.gpu.compilers.probe", description=__doc__
    )
    parser.add_argument("icd")
    parser.add_argument("library")
    options = parser.parse_args(arguments)
    expendable.be_expendable()
    # Drivers may print to stdout; the answer goes to a separate one.
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    json.dump(ask(options.icd, options.library), answer)
    answer.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
