"""A campaign's stations on the nodes of a Ray cluster, in place of the process pool.

A node offers a resource for each device model (`cluster_host.resources`).  The campaign has an
actor on every such device and gives it shaders, each with the device to measure on; the campaign's
own process keeps the store, so that what a lost node held is measured again elsewhere and nothing
else is.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import Any

from shaderlab import files
from shaderlab.campaigns.cluster_host import GPU, PROCESSOR, SOFTWARE, Host, of_model, resources
from shaderlab.campaigns.corpus import Shader
from shaderlab.campaigns.ray_connection import LOCAL, connect
from shaderlab.campaigns.station import Options
from shaderlab.errors import (
    Abandoned,
    DeviceLost,
    DeviceStuck,
    NodeStuck,
    NoVulkan,
    ShaderlabError,
    StuckDuring,
    WrongUse,
)
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.gpu.discovery import discover
from shaderlab.samples.sample import Sample

log = logging.getLogger(__name__)

_MOST_LOSSES = 5
"""Nodes lost during one shader, after which that is held against it."""
_POLL_S = 0.5
_AGAIN_S = 2.0
"""Seconds until another actor is started in place of one that did not come up."""
_MOST_BYTES = 4 << 20
_START_S = 300.0
"""Seconds to wait for a node with the device."""


class Cluster:
    """A connection to Ray.  A context manager; one per process."""

    def __init__(self, address: str, **more: Any):
        """`address`: as `ray.init` takes it; `local` starts Ray here, with this machine's devices.
        Raises MissingTool without Ray, WrongUse where none answers."""
        if address == LOCAL:
            more["resources"] = resources(list(discover().devices))
        self._ray, self.dashboard = connect(address, **more)
        self._devices: list[_Devices] = []

    def devices(self) -> dict[str, int]:
        """How many of each device model the cluster offers, by slug."""
        return {slug: count for slug, (_, count) in self._offered().items()}

    def _offered(self) -> dict[str, tuple[str, int]]:
        """Resource and number of each device model, by slug."""
        return {
            name.removeprefix(kind): (name, int(count))
            for name, count in sorted(self._ray.cluster_resources().items())
            for kind in (GPU, SOFTWARE)
            if name.startswith(kind) and count >= 1
        }

    def stations(
        self, slug: str, options: Options, jobs: int
    ) -> tuple[DeviceInfo, Callable[[int], list[ClusterStation]]]:
        """The model of a device, and what makes stations on all of that model there are.

        Raises WrongUse where the cluster has none, or none comes up.
        """
        resource, count = self._offered().get(slug, ("", 0))
        if not count:
            known = ", ".join(self.devices()) or "none"
            raise WrongUse(f"the cluster offers no device {slug}; it offers: {known}")
        devices = _Devices(self._ray, slug, resource, options, jobs)
        self._devices.append(devices)
        return devices.model(), lambda wanted: [ClusterStation(devices) for _ in range(wanted)]

    def close(self) -> None:
        for each in self._devices:
            each.close()
        self._ray.shutdown()

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class ClusterStation:
    """One shader at a time on any device of a model, as `station.Station` on one of this machine.

    Errors are those of `Station`, NodeStuck for what was in flight when its node's device got
    stuck, and DeviceLost for a shader during which node after node is lost.
    """

    def __init__(self, devices: _Devices):
        self._devices = devices
        self._closed = threading.Event()

    def sample(self, shader: Shader) -> Sample:
        losses = 0
        while losses < _MOST_LOSSES:
            found = self._devices.ask(portable(shader), self._closed)
            if isinstance(found, StuckDuring):
                raise NodeStuck(str(found)).with_remedy(found.remedy)
            if isinstance(found, DeviceStuck):
                continue  # it was not sent; another node takes it
            if isinstance(found, ShaderlabError):
                raise found
            if found is not None:
                return found
            losses += 1
        raise DeviceLost(f"{_MOST_LOSSES} nodes were lost during {shader.name}")

    def close(self) -> None:
        self._closed.set()


class _Devices:
    """All devices of one model in the cluster: an actor on each, which serves several shaders.

    A thread starts an actor for every device that the cluster offers, also for those of nodes that
    come later.  A shader takes any actor that is free, so one of a lost node waits for none in
    particular.
    """

    def __init__(self, ray: ModuleType, slug: str, resource: str, options: Options, jobs: int):
        self._ray, self._slug, self._resource, self._jobs = ray, slug, resource, jobs
        self._options = ray.put(options)
        self._changed = threading.Condition()
        self._free: list[Any] = []
        """Actors, each as often as it could serve another shader."""
        self._live: list[Any] = []
        self._left_out: list[Any] = []
        """Of devices that are not like the first, and of stuck ones; each keeps its device, unused.
        """
        self._stuck: list[DeviceStuck] = []
        self._starting: dict[Any, Any] = {}
        """Actors by what they answer once they are up."""
        self._model: DeviceInfo | None = None
        self._why = ""
        """Why the last actor did not come up."""
        self._closed = threading.Event()
        self._keeper = threading.Thread(target=self._keep, name=f"{slug} of the cluster")
        self._keeper.start()

    def model(self) -> DeviceInfo:
        """What all devices have in common.  Raises WrongUse where none comes up."""
        with self._changed:
            self._changed.wait_for(lambda: self._model is not None, _START_S)
            if self._model is None:
                raise WrongUse(f"no node measures on {self._slug}: {self._why or 'none started'}")
            return self._model

    def ask(self, shader: Shader, closed: threading.Event) -> Sample | ShaderlabError | None:
        """What became of a shader; None where the node was lost.

        A device that is stuck serves no other.  Raises Abandoned once closed, NoVulkan where no
        device is left for long, DeviceStuck where all are stuck.
        """
        actor = self._take(closed)
        try:
            answer = actor.sample.remote(shader)
            while not self._ray.wait([answer], timeout=_POLL_S)[0]:
                if closed.is_set():
                    raise Abandoned("measuring was stopped")
            found = self._ray.get(answer)
        except self._ray.exceptions.RayError as error:
            log.warning("a node was lost during %s: %s", shader.name, type(error).__name__)
            self._lose(actor)
            return None
        if isinstance(found, DeviceStuck):
            self._leave_out(actor, found)
            return found
        with self._changed:
            if actor in self._live:
                self._free.append(actor)
                self._changed.notify()
        return found

    def close(self) -> None:
        """Give the devices back to the cluster."""
        self._closed.set()
        self._keeper.join()
        for actor in (*self._live, *self._left_out, *self._starting.values()):
            self._ray.kill(actor)

    def _take(self, closed: threading.Event) -> Any:
        end = time.monotonic() + _START_S
        with self._changed:
            while not self._free:
                self._changed.wait(_POLL_S)
                if closed.is_set():
                    raise Abandoned("measuring was stopped")
                if self._stuck and not (self._live or self._starting):
                    words = "; ".join(map(str, self._stuck))
                    raise DeviceStuck(words).with_remedy(self._stuck[0].remedy)
                if self._live:
                    end = time.monotonic() + _START_S
                elif time.monotonic() > end:
                    raise NoVulkan(
                        f"no node of the cluster has served {self._slug} for {_START_S:.0f} s"
                    )
            return self._free.pop(0)

    def _lose(self, actor: Any) -> None:
        with self._changed:
            if actor in self._live:
                self._live.remove(actor)
            self._free = [each for each in self._free if each is not actor]

    def _leave_out(self, actor: Any, error: DeviceStuck) -> None:
        with self._changed:
            if actor in self._live:
                log.warning("left out from now on: %s", error)
                self._live.remove(actor)
                self._left_out.append(actor)
                self._stuck.append(error)
            self._free = [each for each in self._free if each is not actor]

    def _keep(self) -> None:
        """Have an actor on every device, until closed."""
        while not self._closed.wait(_POLL_S):
            try:
                offered = int(self._ray.cluster_resources().get(self._resource, 0))
                have = len(self._live) + len(self._left_out) + len(self._starting)
                for _ in range(offered - have):
                    actor = self._start()
                    self._starting[actor.info.remote()] = actor
                if self._starting:
                    ready, _ = self._ray.wait(list(self._starting), timeout=_POLL_S)
                    for answer in ready:
                        self._came_up(self._starting.pop(answer), answer)
            except self._ray.exceptions.RayError as error:
                log.warning("the cluster does not answer: %s", error)

    def _start(self) -> Any:
        claimed = {self._resource: 1.0}
        if self._resource.startswith(SOFTWARE):
            claimed[PROCESSOR] = 1.0
        remote = self._ray.remote(Host).options(
            resources=claimed, num_cpus=0, max_concurrency=self._jobs + 2, max_restarts=0
        )
        return remote.remote(self._slug, self._options, self._jobs)

    def _came_up(self, actor: Any, answer: Any) -> None:
        try:
            model = of_model(self._ray.get(answer))
        except self._ray.exceptions.RayError as error:
            self._why = str(error).strip()[-200:]
            self._closed.wait(_AGAIN_S)
            return
        with self._changed:
            self._model = self._model or model
            if model != self._model:
                self._why = f"{model.name} with {model.driver} differs from the first node's"
                log.warning("%s is left out: %s", self._slug, self._why)
                self._left_out.append(actor)
                return
            self._live.append(actor)
            self._free.extend([actor] * self._jobs)
            self._changed.notify_all()


def portable(shader: Shader) -> Shader:
    """A shader as another machine can compile it: of a file its text, unless it includes others or
    is SPIR-V, which need the same path on every node."""
    if shader.path is None or shader.path.suffix == ".spv":
        return shader
    text = files.read_bytes(shader.path, _MOST_BYTES).decode("utf-8", "replace")
    return shader if "#include" in text else replace(shader, text=text, path=None)
