"""Scenes of what games use, captured in the test run, each draw equal to RenderDoc's picture."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from shaderlab.captures import finding, opening
from shaderlab.captures.frame import CapturedFrame
from shaderlab.captures.running import Launch, Run
from shaderlab.errors import MissingTool
from shaderlab.gpu import discovery
from shaderlab.workers.captured_frames import FrameAnalyser
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.device import DeviceWorker
from tests import scenes

SCENES = ("samples", "stencil", "indirect", "built_in", "topologies", "places", "subpasses")
REASONS = {
    "4 samples: plain": "multisampled textures with stencil cannot be read",
    "4 samples: blended": "multisampled textures with stencil cannot be read",
    "4 samples: read": "multisampled textures with stencil cannot be read",
    "viewport by index": "its shaders write the viewport (gl_ViewportIndex)",
}
"""Why these are not replayed."""
ALIKE = 0.005
"""Share of pixels that may differ."""
Captured = tuple[CapturedFrame, list[str]]


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Captured]:
    """The frame, and the name of each draw."""
    try:
        finding.find()
    except MissingTool as error:
        pytest.skip(str(error))
    if shutil.which("glslangValidator") is None:
        pytest.skip("glslangValidator is not installed: apt-get install glslang-tools")
    folder = tmp_path_factory.mktemp("scenes")
    names = folder / "names.json"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        command = (sys.executable, "-m", "tests.scenes", str(names), *SCENES)
        root = Path(scenes.__file__).parents[2]
        path = Run(Launch(command, root, 600.0), folder).capture()
        yield opening.opened(path), json.loads(names.read_text(encoding="utf-8"))


def test_every_draw_is_equal_to_renderdocs_picture_or_says_why_not(captured: Captured):
    frame, names = captured
    assert len(frame.draws) == len(names)
    info = discovery.discover().choose("llvmpipe")
    off: list[str] = []
    with closing(CompilerWorker()) as compiler, closing(DeviceWorker(info)) as device:
        analyser = FrameAnalyser(compiler, device)
        for draw, name in zip(frame.draws, names, strict=True):
            found = analyser.analyse(draw)
            assert found.reason == REASONS.get(name, ""), name
            if name.startswith("restarted"):
                assert draw.vertex_reason == "", name
            if found.reason:
                continue
            assert found.replayed is not None
            if found.replayed.difference > ALIKE:
                off.append(f"{name}: {found.replayed.difference:.3f}")
            theirs = frame.counters.get(draw.event)
            if theirs is not None and theirs.invocations:
                assert found.replayed.invocations == pytest.approx(theirs.invocations, rel=0.03)
    assert not off
