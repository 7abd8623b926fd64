"""A device that answers nothing while a file exists: a Vulkan layer of ours before its driver."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

_SOURCE = Path(__file__).parent / "stuck_layer" / "layer.c"
_NAME = "VK_LAYER_SHADERLAB_stuck"


class StuckDevice:
    """Every device of this process's children, and of what they start.  A test's own."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch):
        """Skips the test where the layer cannot be built."""
        self._file = folder / "stuck"
        library = folder / "libstuck_layer.so"
        _build(library)
        manifest = {
            "file_format_version": "1.2.0",
            "layer": {
                "name": _NAME,
                "type": "GLOBAL",
                "library_path": str(library),
                "api_version": "1.3.0",
                "implementation_version": "1",
                "description": "Fences that are never signalled",
            },
        }
        (folder / "stuck_layer.json").write_text(json.dumps(manifest))
        patch.setenv("VK_LAYER_PATH", str(folder))
        patch.setenv("VK_INSTANCE_LAYERS", _NAME)
        patch.setenv("SHADERLAB_STUCK_WHILE", str(self._file))

    def hang(self) -> None:
        """Nothing is answered from now on."""
        self._file.touch()

    def free(self) -> None:
        """Everything is again."""
        self._file.unlink(missing_ok=True)


def _build(library: Path) -> None:
    compiler = shutil.which("gcc")
    if compiler is None or os.name != "posix":
        pytest.skip("gcc is not installed")
    command = [compiler, "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", str(library)]
    done = subprocess.run([*command, str(_SOURCE)], capture_output=True, text=True, timeout=60)
    if "vulkan/" in done.stderr and "No such file" in done.stderr:
        pytest.skip("Vulkan's headers are not installed")
    assert done.returncode == 0, done.stderr
