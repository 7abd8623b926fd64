"""The bundle's program stands for Python, as children ask for it, and for shaderlab."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

MAIN = Path(__file__).parents[3] / "packaging/bundle/main.py"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the bundle is for Linux")


def run(*words: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, MAIN, *words], capture_output=True, text=True, timeout=60, check=True,
        env={**os.environ, **environment},
    )  # fmt: skip
    return done.stdout


def test_it_is_shaderlab() -> None:
    assert run("--version").startswith("shaderlab ")


def test_it_runs_the_modules_that_children_are() -> None:
    module = "shaderlab.gpu.vulkan.probe"
    with pytest.raises(subprocess.CalledProcessError) as refused:
        run("-E", "-m", module, "/nowhere.json")
    assert "usage: shaderlab" not in refused.value.stderr
    assert run("-m", "json.tool", "--help").startswith("usage: ")


def test_others_get_the_library_path_that_was_there_before() -> None:
    script = (
        "import os, runpy, shaderlab.cli\n"
        "shaderlab.cli.main = lambda: print(os.environ.get('LD_LIBRARY_PATH'))\n"
        f"runpy.run_path({str(MAIN)!r})['main']()\n"
    )
    for before, after in (({}, "None"), ({"LD_LIBRARY_PATH_ORIG": "/theirs"}, "/theirs")):
        done = subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True, text=True, timeout=60, check=True,
            env={**os.environ, "LD_LIBRARY_PATH": "/in/the/bundle", **before},
        )  # fmt: skip
        assert done.stdout.strip() == after
