"""A frame with a dispatch and draws that read each other, captured in the test run."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from shaderlab.captures import finding, opening, shader_texts
from shaderlab.captures.frame import CapturedFrame
from shaderlab.captures.running import Launch, Run
from shaderlab.errors import MissingTool
from shaderlab.frontend import tools
from shaderlab.gpu import discovery
from shaderlab.studies.axes import Axis
from shaderlab.studies.swept_capture import CapturePlan, sweep_capture
from shaderlab.studies.swept_texts import SweptText
from shaderlab.workers.captured_frames import FrameAnalyser
from shaderlab.workers.captured_texts import editable
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.edited_frame import Analysed, Changed, Edit, EditedFrame, shader_key
from shaderlab.workers.predictor import PredictorWorker
from tests import many_draws

DRAWS = 3


@pytest.fixture(scope="module")
def frame(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CapturedFrame]:
    try:
        finding.find()
    except MissingTool as error:
        pytest.skip(str(error))
    folder = tmp_path_factory.mktemp("many")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        command = (sys.executable, "-m", "tests.many_draws", str(DRAWS))
        root = Path(many_draws.__file__).parents[1]
        yield opening.opened(Run(Launch(command, root, 600.0), folder).capture())


@pytest.fixture(scope="module")
def analyser() -> Iterator[FrameAnalyser]:
    info = discovery.discover().choose("llvmpipe")
    with closing(CompilerWorker()) as compiler, closing(DeviceWorker(info)) as device:
        yield FrameAnalyser(compiler, device)


def test_all_of_it_is_run_again_as_it_was(frame: CapturedFrame, analyser: FrameAnalyser):
    dispatch, *draws = frame.draws
    assert dispatch.is_dispatch
    assert len(draws) == DRAWS + 1
    found = analyser.analyse(dispatch)
    assert not found.reason
    assert found.replayed is not None
    assert found.replayed.difference == 0
    assert found.invocations == 65536 == frame.counters[dispatch.event].invocations
    found = analyser.analyse(draws[-1])
    assert found.replayed is not None
    assert found.replayed.difference == 0
    assert found.vertices == 6


def test_an_edit_reaches_the_draw_that_reads_its_picture(
    frame: CapturedFrame, analyser: FrameAnalyser
):
    _, first, second, third, last = frame.draws
    key, other = shader_key(first), second.shader
    assert key is not None
    assert other is not None
    base = analyser.analyse(first).program
    program = analyser.analyse(second).program
    assert base is not None
    assert program is not None
    said: list[Any] = []
    edited = EditedFrame(analyser, said.append)
    with closing(edited):
        wanted = threading.Event()
        edited.run({key: Edit(base, program)}, iter(frame.draws), lambda: not wanted.is_set())
        assert said[-1] == Changed(frozenset({first.event, last.event}))
        numbers = {each.found.draw.event: each.found for each in said if isinstance(each, Analysed)}
        shown = numbers[last.event]
        assert shown.program is not None
        assert shown.replayed is not None
        # Half of the last picture is the first draw's, which is another one now.
        assert shown.replayed.difference > 0.5
        edited.run({}, iter(frame.draws), lambda: True)
        assert said[-1] == Changed(frozenset())
        assert not edited.draws
    assert third.event not in numbers


@pytest.mark.skipif(
    tools.find(shader_texts.DECOMPILER) is None,
    reason="spirv-cross is not installed: apt-get install spirv-cross",
)
def test_a_sweep_compares_one_draws_pictures_also_where_a_value_changes_nothing(
    frame: CapturedFrame, tmp_path: Path
):
    first = frame.draws[1]
    assert first.shader is not None
    info = discovery.discover().choose("llvmpipe")
    with (
        closing(CompilerWorker()) as compiler,
        closing(DeviceWorker(info)) as device,
        closing(PredictorWorker()) as predictor,
    ):
        predictor.start()
        shader = editable(compiler, first.shader, tmp_path)
        text = shader.path.read_text()
        (output,) = re.findall(r"out vec4 (\w+);", text)
        text = text.replace("void main()", "const float K = 1.0;\nvoid main()").rstrip()
        text = f"{text.removesuffix('}')}    {output} *= K;\n}}\n"
        plan = CapturePlan(
            tuple(frame.draws), first.event, SweptText(text, "first.frag"), shader.base,
            (Axis("K", ("0.5", "0.98", "1.0")),), ("0.5",),
        )  # fmt: skip
        analyser = FrameAnalyser(compiler, device, predictor, ("llvmpipe",))
        found = sweep_capture(plan, analyser, compiler, "llvmpipe")
    half, near, none = (each.difference for each in found.points)
    assert half is not None
    assert near is not None
    assert none is not None, "1.0 leaves the last draw as it was captured"
    assert half.rms == 0
    assert none.rms == pytest.approx(near.rms, rel=0.15)
