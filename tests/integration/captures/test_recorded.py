"""Draws of OpenGL: their GLSL is compiled, and the draw says what became of it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pytest

from shaderlab.captures import finding, opening
from shaderlab.captures.frame import CapturedDraw
from shaderlab.captures.running import Launch, Run
from shaderlab.errors import MissingTool, ShaderlabError
from shaderlab.workers.captured_frames import FrameAnalyser
from shaderlab.workers.compiler import CompilerWorker
from tests.unit.captures.builders import contents

GLSL = """#version 330
uniform float time;
in vec2 uv;
out vec4 o;
void main() { o = vec4(uv, sin(time), 1.0); }
"""


@pytest.fixture(scope="module")
def analyser() -> Iterator[FrameAnalyser]:
    with closing(CompilerWorker()) as compiler:
        yield FrameAnalyser(compiler, cast(Any, None))


def recorded(folder: Path, text: str) -> CapturedDraw:
    why = "draws of OpenGL are not replayed; its pixel shader is GLSL"
    return CapturedDraw(
        3, "glDrawArrays", reason=why, text=contents(folder / "text", text.encode())
    )


def test_glsl_with_loose_uniforms_compiles(tmp_path: Path, analyser: FrameAnalyser):
    found = analyser.analyse(recorded(tmp_path, GLSL))
    assert found.reason.endswith("its pixel shader is GLSL, which compiles here")


def test_glsl_that_is_refused_says_why(tmp_path: Path, analyser: FrameAnalyser):
    found = analyser.analyse(recorded(tmp_path, GLSL.replace("uv,", "nobody,")))
    assert "which does not compile here: " in found.reason
    assert "nobody" in found.reason


@pytest.fixture
def gears(cube_display: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs of OpenGL can be captured."""
    try:
        finding.find()
    except MissingTool as error:
        pytest.skip(str(error))
    if shutil.which("es2gears_x11") is None or shutil.which("glxgears") is None:
        pytest.skip("es2gears_x11 or glxgears is not installed: apt-get install mesa-utils")
    monkeypatch.setenv("DISPLAY", cube_display)


@pytest.mark.usefixtures("gears")
def test_a_program_in_use_since_before_the_frame_is_known(tmp_path: Path, analyser: FrameAnalyser):
    """es2gears calls glUseProgram once, long before the frame that is captured."""
    frame = opening.opened(Run(Launch(("es2gears_x11",), tmp_path, 2.0, 40), tmp_path).capture())
    assert len(frame.draws) == 3
    for draw in frame.draws:
        assert analyser.analyse(draw).reason.endswith(
            "its pixel shader is GLSL, which compiles here"
        )


@pytest.mark.usefixtures("gears")
@pytest.mark.parametrize(("delay_s", "frame"), [(0.5, None), (None, 20)])
def test_an_api_that_renderdoc_does_not_capture_is_named(
    tmp_path: Path, delay_s: float | None, frame: int | None
):
    """glxgears draws by glBegin, which RenderDoc has never supported."""
    run = Run(Launch(("glxgears",), tmp_path, delay_s, frame), tmp_path)
    with pytest.raises(ShaderlabError, match=r"cannot capture its OpenGL: .*: .*glBegin"):
        run.capture()
