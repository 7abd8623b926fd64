"""What the portable bundle starts: shaderlab, or one of its children.

The program stands for the interpreter that children are started with: `-m MODULE` runs a module,
and what `multiprocessing` asks for is its own.
"""

from __future__ import annotations

import multiprocessing
import os
import runpy
import sys
from pathlib import Path


def main() -> int:
    inside = Path(__file__).resolve().parent
    # The libraries in here are for this program.  Others that it starts (git, a user's compilers)
    # get the search path that was there before; a child of ours begins with the same start again.
    before = os.environ.pop("LD_LIBRARY_PATH_ORIG", None)
    os.environ.pop("LD_LIBRARY_PATH", None)
    if before:
        os.environ["LD_LIBRARY_PATH"] = before
    # So a child has to begin anew, or PyInstaller takes the path for set already.
    os.environ["PYINSTALLER_RESET_ENVIRONMENT"] = "1"
    for name in ("lvp", "radeon"):
        _offer_driver(inside / "vulkan" / f"{name}_icd.json", name)
    _offer_fonts(inside / "fonts.conf")
    multiprocessing.freeze_support()
    words = sys.argv[1:]
    if "-m" in words and all(word.startswith("-") for word in words[: words.index("-m")]):
        at = words.index("-m")
        sys.argv = [words[at + 1], *words[at + 2 :]]
        runpy.run_module(words[at + 1], run_name="__main__", alter_sys=True)
        return 0
    from shaderlab.cli import main as shaderlab

    return shaderlab()


def _offer_driver(manifest: Path, name: str) -> None:
    """A bundled driver, where the system has none of its own of that name."""
    folders = ("/etc/vulkan/icd.d", "/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d")
    has_own = any(next(Path(each).glob(f"{name}_icd*"), None) for each in folders)
    chosen = {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"} & os.environ.keys()
    if manifest.is_file() and not has_own and not chosen:
        added = os.environ.get("VK_ADD_DRIVER_FILES")
        known = added.split(os.pathsep) if added else []
        if str(manifest) not in known:
            os.environ["VK_ADD_DRIVER_FILES"] = os.pathsep.join([*known, str(manifest)])


def _offer_fonts(configuration: Path) -> None:
    """Bundled fonts, where the system has none, or does not say where."""
    has_own = Path("/etc/fonts/fonts.conf").is_file() and any(
        Path("/usr/share/fonts").rglob("*.[to]t[fc]")
    )
    if not has_own:
        os.environ.setdefault("FONTCONFIG_FILE", str(configuration))


if __name__ == "__main__":
    raise SystemExit(main())
