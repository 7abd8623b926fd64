"""One device of a cluster's node, as an actor: what Ray runs there.

Ray itself is not imported here.  `Host` measures with the same stations as the process pool.
"""

from __future__ import annotations

import os
import platform
import threading
from dataclasses import replace

from shaderlab.campaigns.corpus import Shader
from shaderlab.campaigns.station import Options, Station
from shaderlab.campaigns.turns import Turns
from shaderlab.errors import DeviceStuck, ShaderlabError
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.gpu.discovery import discover
from shaderlab.samples.sample import Sample

GPU, SOFTWARE = "shaderlab-gpu:", "shaderlab-software:"
"""What a node's resources for devices begin with; the device's slug follows."""
PROCESSOR = "shaderlab-processor"
"""A node's resource for its processor, which software devices take turns with."""


def resources(devices: list[DeviceInfo]) -> dict[str, float]:
    """What a node with these devices offers, as `ray start --resources` takes it."""
    usable = [each for each in devices if each.timestamps and not each.null_hardware]
    software = {f"{SOFTWARE}{each.slug}": 1.0 for each in usable if each.kind == "software"}
    gpus = {f"{GPU}{each.slug}": 1.0 for each in usable if each.kind != "software"}
    return {**gpus, **software, **({PROCESSOR: 1.0} if software else {})}


class Host:
    """Measures on one device of its node, several shaders at once, each of which is timed alone."""

    def __init__(self, slug: str, options: Options, stations: int):
        """Raises UnknownDevice where the node has no device of that name."""
        self._info = discover().choose(slug)
        self._turns = Turns()
        self._free = [Station(self._info, options, self._turns) for _ in range(stations)]
        self._lock = threading.Lock()

    def info(self) -> DeviceInfo:
        return self._info

    def pid(self) -> int:
        return os.getpid()

    def sample(self, shader: Shader) -> Sample | ShaderlabError:
        """The shader's sample, or why there is none: an error is returned, as Ray would wrap one
        that is raised."""
        with self._lock:
            station = self._free.pop()
        try:
            return station.sample(shader)
        except DeviceStuck as error:
            return type(error)(f"{platform.node()}: {error}").with_remedy(error.remedy)
        except ShaderlabError as error:
            return error
        finally:
            with self._lock:
                self._free.append(station)

    def close(self) -> None:
        """End the children.  What is under way fails."""
        with self._lock:
            stations, self._free = self._free, []
        for each in stations:
            each.close()


def of_model(info: DeviceInfo) -> DeviceInfo:
    """The device without what identifies one of several of a model: any of them may measure."""
    return replace(info, uuid="", index=0, manifest="")
