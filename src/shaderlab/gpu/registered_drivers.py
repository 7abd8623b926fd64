"""Vulkan drivers that Windows' registry lists, as the Vulkan loader finds them.

"LoaderDriverInterface.md", driver discovery on Windows: graphics drivers name their manifests in
the key of their display adapter or software component; what was installed by hand is listed below
`SOFTWARE\\Khronos\\Vulkan\\Drivers`, where 0 means in use.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

_CLASSES = "SYSTEM\\CurrentControlSet\\Control\\Class"
_ADAPTERS = "{4d36e968-e325-11ce-bfc1-08002be10318}"
_COMPONENTS = "{5c4c3332-344d-483c-8739-259e934c9cc8}"
_LISTED = "SOFTWARE\\Khronos\\Vulkan\\Drivers"
_NAME = "VulkanDriverName" if sys.maxsize > 2**32 else "VulkanDriverNameWow"
_MOST = 64


class Registry(Protocol):
    """What is read of the registry; keys below HKEY_LOCAL_MACHINE, the user's own as `users`."""

    def values(self, key: str, *, users: bool = False) -> Iterator[tuple[str, object]]:
        """Names and data; nothing where there is no such key."""
        ...

    def subkeys(self, key: str) -> Iterator[str]: ...


def manifests(registry: Registry | None = None) -> Iterator[Path]:
    """In the loader's order; none on other systems."""
    source = registry or _own()
    if source is None:
        return
    for kind in (_ADAPTERS, _COMPONENTS):
        for number, name in enumerate(source.subkeys(f"{_CLASSES}\\{kind}")):
            if number >= _MOST:
                break
            named = dict(source.values(f"{_CLASSES}\\{kind}\\{name}")).get(_NAME)
            paths = named if isinstance(named, list) else [named]  # REG_MULTI_SZ or REG_SZ
            yield from (Path(path) for path in paths if isinstance(path, str) and path)
    for users in (False, True):
        for path, disabled in source.values(_LISTED, users=users):
            if disabled == 0:
                yield Path(path)


if sys.platform == "win32":
    import winreg

    class _Own:
        def values(self, key: str, *, users: bool = False) -> Iterator[tuple[str, object]]:
            root = winreg.HKEY_CURRENT_USER if users else winreg.HKEY_LOCAL_MACHINE
            try:
                with winreg.OpenKey(root, key) as opened:
                    for number in range(winreg.QueryInfoKey(opened)[1]):
                        name, data, _ = winreg.EnumValue(opened, number)
                        yield name, data
            except OSError:
                return

        def subkeys(self, key: str) -> Iterator[str]:
            try:
                with winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, key) as opened:
                    for number in range(winreg.QueryInfoKey(opened)[0]):
                        yield winreg.EnumKey(opened, number)
            except OSError:
                return

    def _own() -> Registry | None:
        return _Own()

else:

    def _own() -> Registry | None:
        return None
