"""A frame of vkcube, captured once in the test run, where RenderDoc is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from shaderlab.captures import finding
from shaderlab.captures.running import Launch, Run
from shaderlab.errors import MissingTool


@pytest.fixture(scope="session")
def cube_display() -> Iterator[str]:
    """A screen of 24 bits a pixel: pytest-xvfb's has 16, which lavapipe does not present to."""
    if shutil.which("Xvfb") is None:
        pytest.skip("Xvfb is not installed: apt-get install xvfb")
    theirs, ours = os.pipe()
    command = ("Xvfb", "-displayfd", str(ours), "-screen", "0", "640x480x24")
    with subprocess.Popen(command, pass_fds=(ours,), stderr=subprocess.DEVNULL) as server:
        os.close(ours)
        with os.fdopen(theirs) as answer:
            yield f":{answer.readline().strip()}"
        server.terminate()


@pytest.fixture(scope="session")
def cube(tmp_path_factory: pytest.TempPathFactory, cube_display: str) -> Path:
    """A capture of one frame."""
    try:
        finding.find()
    except MissingTool as error:
        pytest.skip(str(error))
    if shutil.which("vkcube") is None:
        pytest.skip("vkcube is not installed: apt-get install vulkan-tools")
    folder = tmp_path_factory.mktemp("cube")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DISPLAY", cube_display)
        return Run(Launch(("vkcube",), folder, None, 20), folder).capture()
