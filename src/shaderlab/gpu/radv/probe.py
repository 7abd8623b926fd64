"""`python -m shaderlab.gpu.radv.probe MANIFEST NAME…`: which families this RADV knows, as JSON.

RADV aborts its process on a family name it does not know, and reads the name when an instance is
made.  So each name is tried in a fork of a process that has loaded Vulkan but made no instance
yet: an unknown name costs a fork.  Prints an object: name -> the driver's name and version, or
null where it did not answer in time.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import select
import signal
import sys

from shaderlab.gpu import drivers
from shaderlab.system import expendable

NAME_DEADLINE_S = 10.0
"""How long one name may take; usual is 0.03 s."""
EXTENSION = "VK_KHR_pipeline_executable_properties"


def known(manifest: str, names: list[str]) -> dict[str, str | None]:
    """Driver name and version by each of the names that works; None where it gave no answer.

    Nothing on Windows, which has no RADV and no forks.
    """
    if sys.platform == "win32":
        return {}
    from shaderlab.gpu.vulkan import instance  # noqa: F401 - loaded once, before the forks

    answers = {name: _try_in_fork(manifest, name) for name in names}
    return {name: driver for name, driver in answers.items() if driver != ""}


def _try_in_fork(manifest: str, name: str) -> str | None:
    assert sys.platform != "win32"
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        with contextlib.suppress(BaseException):
            os.close(reader)
            expendable.be_expendable()
            os.write(writer, _driver(manifest, name).encode())
            code = 0
        os._exit(code)
    os.close(writer)
    answer, late = b"", False
    while select.select([reader], [], [], NAME_DEADLINE_S)[0]:
        part = os.read(reader, 4096)
        if not part:
            break
        answer += part
    else:
        late = True
        os.kill(child, signal.SIGKILL)
    os.close(reader)
    os.waitpid(child, 0)
    return None if late else answer.decode("utf-8", "replace")


def _driver(manifest: str, name: str) -> str:
    """The driver behind the family's null device; empty without one that reports statistics."""
    from shaderlab.gpu.vulkan import binding as vk
    from shaderlab.gpu.vulkan.instance import Instance

    drivers.select(manifest, radv_family=name)
    instance = Instance.create()
    for handle in instance.physical_devices():
        device = vk.text(vk.vkGetPhysicalDeviceProperties(handle).deviceName)
        driver = instance.driver_and_uuid(handle)[0]
        extensions = {
            vk.text(e.extensionName)
            for e in vk.enumerate_all("vkEnumerateDeviceExtensionProperties", handle, None)
        }
        if drivers.is_null_hardware(device, driver) and EXTENSION in extensions:
            return driver
    return ""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m shaderlab.gpu.radv.probe", description=__doc__)
    parser.add_argument("manifest")
    parser.add_argument("names", nargs="+")
    options = parser.parse_args(arguments)
    # The driver's complaints about unknown names are expected; the answer keeps its own stdout.
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    json.dump(known(options.manifest, options.names), answer)
    answer.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
