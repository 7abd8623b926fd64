"""Pipelines that the draws of a captured frame share: what a driver compiles is compiled once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import ExitStack

from shaderlab.gpu.vulkan.pipeline import Pipeline

_MOST = 64


class SharedPipelines:
    """The last pipelines used, by what they were made of.  A companion of a device.

    A pipeline may be bound with another layout and render pass than it was made for where those
    are alike (Vulkan specification, "Pipeline Layout Compatibility", "Render Pass Compatibility").
    """

    def __init__(self) -> None:
        self._kept: dict[Hashable, tuple[Pipeline, ExitStack]] = {}
        self._users: dict[Hashable, int] = {}

    def pipeline(
        self, key: Hashable, make: Callable[[ExitStack], Pipeline], stack: ExitStack
    ) -> tuple[Pipeline, bool]:
        """One that stays at least until `stack` unwinds, and whether it was made now."""
        is_new = key not in self._kept
        if is_new:
            with ExitStack() as own:
                made = make(own)
                self._kept[key] = made, own.pop_all()
        self._kept[key] = self._kept.pop(key)
        self._users[key] = self._users.get(key, 0) + 1
        stack.callback(self._release, key)
        return self._kept[key][0], is_new

    def _release(self, key: Hashable) -> None:
        self._users[key] -= 1
        for old in list(self._kept)[:-_MOST]:
            if not self._users.get(old):
                self._kept.pop(old)[1].close()

    def close(self) -> None:
        for _, own in self._kept.values():
            own.close()
        self._kept.clear()
