"""Which compilers are here: the folder `packaging/compilers.sh` writes, and its manifest.

The manifest is read as untrusted.  File names do not come from it but from the table of vendors,
so nothing outside the folder is ever loaded because of what it says.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from shaderlab import files, locations
from shaderlab.errors import ShaderlabError, WrongUse
from shaderlab.gpu.compilers.vendors import VENDORS, Vendor

BUILD = "shaderlab compilers build"
"""The command that makes the folder."""
MANIFEST = "manifest.json"

_FORMAT = 1
_MANIFEST_BYTES = 1 << 20
_ICD_BYTES = 1 << 16
_FILE_BYTES = 512 << 20
_TEXT = 200
"""Characters of a text out of the manifest that are shown."""


class InvalidFolder(ShaderlabError):
    """A folder of compilers that cannot be used."""


@dataclass(frozen=True)
class File:
    """A library in the folder, as the manifest has it."""

    path: Path
    size: int
    """Bytes."""
    sha256: str

    @property
    def problem(self) -> str:
        """Why the file is not the one that was built; empty where its size is right.

        `damage` compares the contents too, which takes 20 ms for a driver.
        """
        try:
            size = self.path.stat().st_size
        except OSError:
            return f"{self.path.name} is missing"
        if size != self.size:
            return f"{self.path.name} has {size:,} bytes, not {self.size:,}"
        return ""

    @property
    def damage(self) -> str:
        """Why the contents are not those that were built; empty where they are."""
        if self.problem:
            return self.problem
        try:
            digest = hashlib.sha256(files.read_bytes(self.path, _FILE_BYTES)).hexdigest()
        except WrongUse as error:
            return str(error)
        return "" if digest == self.sha256 else f"{self.path.name} is not as it was built"


@dataclass(frozen=True)
class Driver:
    """One vendor's driver in a folder."""

    vendor: Vendor
    folder: Path
    library: File
    shim: File | None

    @property
    def icd(self) -> Path:
        return self.folder / self.vendor.icd

    @cached_property
    def problem(self) -> str:
        """Why it cannot be used, in a sentence; empty where it can."""
        for file in filter(None, (self.library, self.shim)):
            if file.problem:
                return f"{self.vendor.driver}: {file.problem}"
        try:
            loaded = json.loads(files.read_bytes(self.icd, _ICD_BYTES))["ICD"]["library_path"]
        except (ShaderlabError, ValueError, KeyError, TypeError, RecursionError):
            return f"{self.vendor.driver}: {self.icd.name} cannot be read"
        if loaded != f"./{self.vendor.library}":
            return f"{self.vendor.driver}: {self.icd.name} names another library"
        return ""

    @property
    def damage(self) -> str:
        """As `problem`, with the contents of the files compared."""
        for file in filter(None, (self.library, self.shim)):
            if damage := file.damage:
                return f"{self.vendor.driver}: {damage}"
        return self.problem


@dataclass(frozen=True)
class Compilers:
    """A folder of compilers."""

    folder: Path
    mesa: str
    """Version."""
    system: str
    """Where they were built; drivers do not load on systems that are older."""
    drivers: tuple[Driver, ...]
    """In the order of the vendors."""
    missing: Mapping[str, str] = field(default_factory=dict)
    """Why a vendor's driver was not built, by the vendor's slug."""

    @property
    def size(self) -> int:
        """Bytes of all libraries."""
        return sum(
            file.size for d in self.drivers for file in (d.library, d.shim) if file is not None
        )

    def driver(self, vendor: Vendor) -> Driver | None:
        return next((d for d in self.drivers if d.vendor is vendor), None)


def find() -> Compilers | None:
    """The user's own compilers, else those that came with shaderlab; None where there are none.

    Raises InvalidFolder for a folder that cannot be read.
    """
    for folder in locations.compilers():
        if not (folder / MANIFEST).exists():
            continue
        if set(str(folder.resolve())) & set(":;"):
            raise InvalidFolder(
                f"compilers in {folder} cannot be used: the dynamic linker takes no folder "
                "with a colon or semicolon in its name"
            )
        return read(folder)
    return None


def read(folder: Path) -> Compilers:
    """Raises InvalidFolder."""
    path = folder / MANIFEST
    try:
        manifest = json.loads(files.read_bytes(path, _MANIFEST_BYTES))
        if not isinstance(manifest, dict) or manifest.get("format") != _FORMAT:
            raise InvalidFolder(
                f"{path} is of a format this version of shaderlab does not read; "
                f"build the compilers again with: {BUILD}"
            )
        mesa = next(s for s in manifest["sources"] if s["name"] == "mesa")["version"]
        return Compilers(
            folder.resolve(),
            _text(mesa),
            _text(manifest["system"]),
            tuple(_drivers(folder.resolve(), manifest["drivers"])),
            {v: _text(why) for v, why in manifest.get("missing", {}).items() if v in VENDORS},
        )
    except WrongUse as error:
        raise InvalidFolder(str(error)) from None
    except (ValueError, KeyError, TypeError, AttributeError, StopIteration, RecursionError):
        raise InvalidFolder(
            f"{path} cannot be read; build the compilers again with: {BUILD}"
        ) from None


def _drivers(folder: Path, entries: Mapping[str, Any]) -> list[Driver]:
    found = []
    for slug, vendor in VENDORS.items():
        entry = entries.get(slug)
        if entry is None:
            continue
        library = _file(folder, vendor.library, entry["library"])
        shim = _file(folder, vendor.shim, entry["shim"]) if vendor.shim else None
        found.append(Driver(vendor, folder, library, shim))
    return found


def _file(folder: Path, name: str, entry: Mapping[str, Any]) -> File:
    if entry["name"] != name:
        raise ValueError(name)
    size, digest = entry["bytes"], entry["sha256"]
    if not isinstance(size, int) or not 0 < size <= _FILE_BYTES or not isinstance(digest, str):
        raise ValueError(name)
    return File(folder / name, size, digest)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return "".join(c if c.isprintable() else " " for c in value[:_TEXT])
