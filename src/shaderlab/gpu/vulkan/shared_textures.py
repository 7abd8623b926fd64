"""Textures that draws share: uploaded once, with their mip levels, not at each edit of a shader."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import ExitStack

from shaderlab.gpu.vulkan.memory import DeviceImage

_MOST_TEXELS = 4 << 20
"""Of those that no draw uses."""


class SharedTextures:
    """Images that shaders only read, the last used ones also while no draw does.

    A companion of a device.
    """

    def __init__(self, most_texels: int = _MOST_TEXELS):
        self._most = most_texels
        self._kept: dict[Hashable, tuple[DeviceImage, ExitStack]] = {}
        self._users: dict[Hashable, int] = {}

    def image(
        self, key: Hashable, make: Callable[[ExitStack], DeviceImage], stack: ExitStack
    ) -> DeviceImage:
        """The one of this key, made if there is none; it stays at least until `stack` unwinds."""
        if key not in self._kept:
            with ExitStack() as own:
                made = make(own)
                self._kept[key] = made, own.pop_all()
        self._kept[key] = self._kept.pop(key)
        self._users[key] = self._users.get(key, 0) + 1
        stack.callback(self._release, key)
        return self._kept[key][0]

    def _release(self, key: Hashable) -> None:
        self._users[key] -= 1
        if not self._users[key]:
            del self._users[key]
        unused = [old for old in self._kept if old not in self._users]
        held = sum(self._kept[old][0].texels for old in unused)
        for old in unused:
            if held <= self._most:
                return
            image, own = self._kept.pop(old)
            held -= image.texels
            own.close()

    def close(self) -> None:
        for _, own in self._kept.values():
            own.close()
        self._kept.clear()
