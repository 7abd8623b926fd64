"""Writes what `compilers.sh` built into the folder's manifest: versions, hashes, licences.

`compilers_manifest.py FOLDER --mesa VERSION SHA256 --libdrm VERSION SHA256 --llvm VERSION
--licences MESA LIBDRM [--built VENDOR LIBRARY SHIM]... [--missing VENDOR=WHY]...`

Run by the system's Python, so nothing but its standard library.  Drivers an earlier run built from
the same sources stay listed while their files are unchanged.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import platform
import shutil
from pathlib import Path
from typing import Any

FORMAT = 1
LICENCES = {"mesa": "docs/license.rst", "libdrm": "xf86drm.h"}
"""The file of each source that states its licence."""


def main() -> None:
    options = _options()
    folder: Path = options.folder
    sources = [
        {"name": name, "version": version, "sha256": digest}
        for name, (version, digest) in (("mesa", options.mesa), ("libdrm", options.libdrm))
    ]
    drivers = _kept(folder, sources)
    for vendor, library, shim in options.built:
        drivers[vendor] = {"library": _file(folder, library)}
        if shim:
            drivers[vendor]["shim"] = _file(folder, shim)
    missing = dict(entry.partition("=")[::2] for entry in options.missing)
    manifest = {
        "format": FORMAT,
        "sources": sources,
        "llvm": options.llvm,
        "system": _system(),
        "glibc": platform.libc_ver()[1],
        "drivers": drivers,
        "missing": {v: why for v, why in missing.items() if v not in drivers},
        "licences": _licences(folder, options.licences),
    }
    partial = folder / ".manifest.json"
    partial.write_text(json.dumps(manifest, indent=1) + "\n", "utf-8")
    partial.replace(folder / "manifest.json")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--mesa", nargs=2, required=True)
    parser.add_argument("--libdrm", nargs=2, required=True)
    parser.add_argument("--llvm", required=True)
    parser.add_argument("--licences", nargs=2, type=Path, required=True)
    parser.add_argument("--built", nargs=3, action="append", default=[])
    parser.add_argument("--missing", action="append", default=[])
    return parser.parse_args()


def _file(folder: Path, name: str) -> dict[str, Any]:
    data = (folder / name).read_bytes()
    return {"name": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def _kept(folder: Path, sources: list[dict[str, str]]) -> dict[str, Any]:
    """Drivers of the manifest that is there, where they are of these sources and unchanged."""
    try:
        manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
        if manifest["format"] != FORMAT or manifest["sources"] != sources:
            return {}
        return {
            vendor: files
            for vendor, files in manifest["drivers"].items()
            if all(_file(folder, Path(f["name"]).name) == f for f in files.values())
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _system() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return platform.system()


def _licences(folder: Path, sources: tuple[Path, Path]) -> dict[str, str]:
    """Copies the licences into the folder; the file by source."""
    (folder / "licences").mkdir(exist_ok=True)
    found = {}
    for (name, stated), source in zip(LICENCES.items(), sources, strict=True):
        path = f"licences/{name}{Path(stated).suffix}"
        shutil.copyfile(source / stated, folder / path)
        found[name] = path
    texts = sources[0] / "licenses"
    if texts.is_dir():
        shutil.copytree(texts, folder / "licences" / "texts", dirs_exist_ok=True)
    return found


if __name__ == "__main__":
    main()
