"""Vulkan drivers by their manifests (ICD JSON), found and selected without loading Vulkan.

The places are those of the Vulkan loader ("LoaderDriverInterface.md", driver discovery), and the
folders in which browsers keep SwiftShader.  The Vulkan loader reads its choice of drivers from the
environment when an instance is made, so a choice is for a whole process.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from shaderlab import files
from shaderlab.errors import WrongUse
from shaderlab.gpu import registered_drivers

_MANIFEST_BYTES = 1 << 20
_BROWSER_FOLDERS = (
    "/usr/lib/chromium",
    "/usr/lib64/chromium-browser",
    "/usr/lib/chromium-browser",
    "/snap/chromium/current/usr/lib/chromium-browser",
    "/opt/google/chrome",
    "/opt/google/chrome-beta",
    "/opt/google/chrome-unstable",
    "/opt/chromium.org/chromium",
    "/opt/microsoft/msedge",
    "/opt/brave.com/brave",
    "/opt/vivaldi",
)
_HOMEBREW = ("/opt/homebrew/etc", "/opt/homebrew/share")
"""Where macOS has MoltenVK that the Vulkan SDK did not put below /usr/local."""
_SWIFTSHADER = "vk_swiftshader_icd.json"

_ARCHITECTURES = {
    "x86_64", "amd64", "i386", "i486", "i586", "i686", "aarch64", "arm64", "armhf", "armv7l",
    "armv7hl", "ppc64le", "powerpc64le", "riscv64", "s390x", "loongarch64",
}  # fmt: skip
_SAME_ARCHITECTURE = {"x86_64": {"x86_64", "amd64"}, "aarch64": {"aarch64", "arm64"}}


def manifests(environment: Mapping[str, str] | None = None) -> tuple[Path, ...]:
    """Manifests of drivers this process could load, in the loader's order.

    A user's `VK_DRIVER_FILES` (or the older `VK_ICD_FILENAMES`) replaces the places searched and
    `VK_ADD_DRIVER_FILES` precedes them, as the loader has it.  Manifests of another architecture,
    unreadable ones, and second names of the same library are left out.
    """
    env = os.environ if environment is None else environment
    found: dict[str, Path] = {}
    for manifest in _candidates(env):
        library = _library(manifest)
        if library is None or _foreign_name(manifest) or _foreign_library(library):
            continue
        found.setdefault(os.path.realpath(library) if "/" in library else library, manifest)
    return tuple(found.values())


def can_compile_quickly(slug: str) -> bool:
    """Whether `compile_quickly` does something for the device of this slug."""
    return slug.startswith("llvmpipe")


def compile_quickly() -> None:
    """Have llvmpipe optimise its code less, so that a pipeline takes half the time and its draws up
    to twice; before this process loads the driver.  Nothing is to be timed there."""
    os.environ["GALLIVM_PERF"] = "nopt"  # Mesa, gallivm/lp_bld_init.c


def select(manifest: str | os.PathLike[str], *, radv_family: str | None = None) -> None:
    """Make this driver the only one this process can load; before its first Vulkan instance.

    `radv_family` makes RADV offer a chip that is not there (null hardware), which compiles but
    runs nothing; RADV aborts the process on a name it does not know.  Without it an inherited
    `RADV_FORCE_FAMILY` is dropped, as it hides real AMD devices.  Implicit layers (overlays,
    device selectors) are off unless the user set the loader's own filters: they reorder devices
    and disturb timings.
    """
    environment = os.environ
    environment["VK_DRIVER_FILES"] = environment["VK_ICD_FILENAMES"] = os.fspath(manifest)
    environment.pop("VK_ADD_DRIVER_FILES", None)
    if radv_family is None:
        environment.pop("RADV_FORCE_FAMILY", None)
    else:
        environment["RADV_FORCE_FAMILY"] = radv_family
    environment["NODEVICE_SELECT"] = "1"  # Mesa's device selector, also on loaders before 1.3.234
    environment.setdefault("VK_LOADER_LAYERS_DISABLE", "~implicit~")


def is_null_hardware(
    device: str, driver: str, environment: Mapping[str, str] | None = None
) -> bool:
    """Whether RADV's device of this name (VkPhysicalDeviceProperties) has no chip behind it.

    Mesa up to 25 calls it `Null hardware (RADV NAVI23)`, later ones `AMD Unknown (RADV NAVI23)`
    (ac_null_device.c), as they may a chip newer than themselves.  But asked for a family by
    `RADV_FORCE_FAMILY`, RADV offers nothing else (radv_instance.c).
    """
    env = os.environ if environment is None else environment
    if "null hardware" in device.lower():
        return True
    return driver.lower().startswith("radv") and "RADV_FORCE_FAMILY" in env


def _candidates(env: Mapping[str, str]) -> Iterator[Path]:
    chosen = env.get("VK_DRIVER_FILES") or env.get("VK_ICD_FILENAMES")
    if chosen:
        yield from _listed(chosen)
        return
    yield from _listed(env.get("VK_ADD_DRIVER_FILES", ""))
    yield from registered_drivers.manifests()
    for folder in _search_folders(env):
        yield from _in_folder(folder / "vulkan" / "icd.d")
    for folder in _BROWSER_FOLDERS:
        manifest = Path(folder, _SWIFTSHADER)
        if manifest.is_file():
            yield manifest
            return  # every browser brings the same renderer


def _listed(value: str) -> Iterator[Path]:
    """A path list of manifests and folders of manifests."""
    for entry in filter(None, value.split(os.pathsep)):
        path = Path(entry)
        if path.is_dir():
            yield from _in_folder(path)
        elif path.is_file():
            yield path


def _search_folders(env: Mapping[str, str]) -> Iterator[Path]:
    home = env.get("HOME", "")

    def listed(variable: str, default: str) -> list[str]:
        return (env.get(variable) or default).split(os.pathsep)

    folders = [
        env.get("XDG_CONFIG_HOME") or (home and f"{home}/.config"),
        *listed("XDG_CONFIG_DIRS", "/etc/xdg"),
        "/etc",
        env.get("XDG_DATA_HOME") or (home and f"{home}/.local/share"),
        *listed("XDG_DATA_DIRS", "/usr/local/share:/usr/share"),
    ]
    if sys.platform == "darwin":
        folders += _HOMEBREW
    return (Path(folder) for folder in dict.fromkeys(folders) if folder)


def _in_folder(folder: Path) -> list[Path]:
    try:
        return sorted(folder.glob("*.json"))
    except OSError:
        return []


def _library(manifest: Path) -> str | None:
    """Path or bare name of the driver's library; None for no manifest of this word size."""
    try:
        icd = json.loads(files.read_bytes(manifest, _MANIFEST_BYTES))["ICD"]
        library = icd["library_path"]
        bits = str(icd.get("library_arch", ""))
    except (WrongUse, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    if not isinstance(library, str) or bits not in ("", "64" if sys.maxsize > 2**32 else "32"):
        return None
    if sys.platform == "win32":
        library = library.replace("\\", "/")
    if "/" in library and not Path(library).is_absolute():
        return str(manifest.resolve().parent / library)
    return library


def _foreign_name(manifest: Path) -> bool:
    """Whether the file name (`radeon_icd.i686.json`) is that of another architecture."""
    machine = platform.machine()
    tokens = set(manifest.name.lower().split("."))
    return bool(tokens & _ARCHITECTURES - _SAME_ARCHITECTURE.get(machine, {machine}))


def _foreign_library(library: str) -> bool:
    """Whether the library's file is missing or its ELF class or machine is not this process's."""
    if "/" not in library:
        return False  # the dynamic linker will find it or not
    ours = _elf_kind("/proc/self/exe")
    return ours is not None and _elf_kind(library) != ours


def _elf_kind(path: str) -> tuple[int, bytes] | None:
    try:
        with Path(path).open("rb") as file:
            header = file.read(20)
    except OSError:
        return None
    if len(header) < 20 or header[:4] != b"\x7fELF":
        return None
    return header[4], header[18:20]
