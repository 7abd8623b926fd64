"""What Windows' registry lists, with a registry of plain data."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from shaderlab.gpu.registered_drivers import manifests

CLASS = "SYSTEM\\CurrentControlSet\\Control\\Class"
ADAPTERS = f"{CLASS}\\{{4d36e968-e325-11ce-bfc1-08002be10318}}"
COMPONENTS = f"{CLASS}\\{{5c4c3332-344d-483c-8739-259e934c9cc8}}"
LISTED = "SOFTWARE\\Khronos\\Vulkan\\Drivers"


class Fake:
    def __init__(self, machine: dict[str, dict[str, object]], user: dict[str, object]):
        self._machine, self._user = machine, user

    def values(self, key: str, *, users: bool = False) -> Iterator[tuple[str, object]]:
        found = (self._user if key == LISTED else {}) if users else self._machine.get(key, {})
        return iter(found.items())

    def subkeys(self, key: str) -> Iterator[str]:
        below = (each.removeprefix(f"{key}\\") for each in self._machine if each.startswith(key))
        return iter(below)


def test_adapters_then_components_then_what_is_listed_and_in_use() -> None:
    registry = Fake(
        {
            f"{COMPONENTS}\\0001": {"VulkanDriverName": ["c:/b.json", "", 3]},
            f"{ADAPTERS}\\0000": {"DriverDesc": "GPU", "VulkanDriverName": "c:/a.json"},
            f"{ADAPTERS}\\0001": {"DriverDesc": "no Vulkan"},
            f"{ADAPTERS}\\0002": {"VulkanDriverName": 7},
            LISTED: {"c:/listed.json": 0, "c:/off.json": 1},
        },
        {"c:/users.json": 0},
    )
    assert list(manifests(registry)) == [
        Path(f"c:/{n}.json") for n in ("a", "b", "listed", "users")
    ]


def test_a_registry_without_vulkan_lists_nothing() -> None:
    assert list(manifests(Fake({}, {}))) == []
