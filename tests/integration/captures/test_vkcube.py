"""A frame of vkcube, captured in the test run, where RenderDoc is installed."""

from __future__ import annotations

import json
import shutil
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import psutil
import pytest

from shaderlab.captures import finding, opening
from shaderlab.captures.running import Launch, Run
from shaderlab.cli import main
from shaderlab.errors import Abandoned, ShaderlabError, WrongUse
from shaderlab.gpu import discovery
from shaderlab.system import scratch
from shaderlab.workers.captured_frames import FrameAnalyser
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.device import DeviceWorker
from tests.damaged_captures import outcomes

MUTANTS = 10
"""In the suite; `python -m tests.benchmarks.capture_fuzz` tries as many as wanted."""


@pytest.fixture(autouse=True, scope="module")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


def test_the_cube_is_replayed_as_it_was_and_counted(cube: Path):
    frame = opening.opened(cube)
    (draw,) = frame.draws
    assert not draw.reason
    info = discovery.discover().choose("llvmpipe")
    with closing(CompilerWorker()) as compiler, closing(DeviceWorker(info)) as device:
        found = FrameAnalyser(compiler, device).analyse(draw)
    assert not found.reason
    assert found.replayed is not None
    assert found.replayed.difference <= 0.005
    theirs = frame.counters[draw.event]
    assert theirs.invocations == pytest.approx(found.replayed.invocations, rel=0.03)
    assert found.trace is not None
    assert found.trace.pixels is not None
    # Two faces of the cube at least, each pixel once: hidden ones are not counted.
    assert found.invocations is not None
    assert found.trace.pixels <= found.invocations <= theirs.invocations
    assert not found.vertex_reason
    assert found.vertices == 36


@pytest.mark.parametrize("crashes", [1, 2])
def test_renderdoc_that_crashes_while_it_connects_is_started_again(
    tmp_path: Path, cube: Path, cube_display: str, monkeypatch: pytest.MonkeyPatch, crashes: int
):
    """`cube`: where there is one, RenderDoc works."""
    monkeypatch.setenv("DISPLAY", cube_display)
    killed: set[int] = set()
    done = threading.Event()

    def kill() -> None:
        while len(killed) < crashes and not done.is_set():
            for each in psutil.Process().children():
                with suppress(psutil.Error):
                    if each.pid not in killed and "renderdoc_capture" in " ".join(each.cmdline()):
                        killed.add(each.pid)
                        each.send_signal(signal.SIGSEGV)

    killer = threading.Thread(target=kill)
    killer.start()
    run = Run(Launch(("vkcube",), tmp_path, None, 20), tmp_path)
    try:
        if crashes == 1:
            assert opening.opened(run.capture()).draws
        else:
            with pytest.raises(ShaderlabError, match="RenderDoc crashed by signal 11"):
                run.capture()
    finally:
        done.set()
        killer.join()
    assert len(killed) == crashes


def test_a_second_opening_needs_no_renderdoc(cube: Path, monkeypatch: pytest.MonkeyPatch):
    first = opening.opened(cube)
    monkeypatch.setattr(finding, "find", lambda: pytest.fail("RenderDoc was asked again"))
    assert opening.opened(cube) == first


def test_the_terminal_lists_the_draw_and_saves_it(
    cube: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    event = opening.opened(cube).draws[0].event
    saved = tmp_path / "saved"
    arguments = ["capture", str(cube), "--draw", str(event), "--save", str(saved), "--json",
                 "--device", "llvmpipe", "--target", "rtx3060"]  # fmt: skip
    assert main(arguments) == 0
    printed = capsys.readouterr()
    found = json.loads(printed.out)
    assert found["frame"] == {"draws": 1, "replayed": 1, "size": found["draws"][0]["size"]}
    (draw,) = found["draws"]
    assert draw["event"] == event
    assert draw["picture_difference"] <= 0.005
    assert draw["reason"] is None
    assert [each["target"] for each in found["targets"]] == ["rtx3060"]
    assert "1 of 1 draws" in printed.err
    project = found["saved"]
    assert main(["trace", project, "--json", "--device", "llvmpipe"]) == 0
    counted = json.loads(capsys.readouterr().out)
    assert counted["blocks"][0]["count"] == draw["invocations"]
    assert main(["check", str(cube), "--budget", "rtx3060=1s", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ok"] is True


def test_without_a_cache_it_is_read_all_the_same(
    cube: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert len(opening.opened(cube).draws) == 1
    assert opening.cache_folder(cube).parent == scratch.of_this_process()


def test_opening_can_be_stopped_and_leaves_no_child(cube: Path):
    stop = threading.Event()
    shutil.rmtree(opening.cache_folder(cube), ignore_errors=True)
    found = opening.events(cube, stop=stop)
    next(found)
    stop.set()
    with pytest.raises(Abandoned):
        list(found)
    assert not [each for each in psutil.Process().children() if "renderdoc" in each.name()]
    with pytest.raises(WrongUse):
        list(opening.records(opening.cache_folder(cube)))


@pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux tells what a program's children took"
)
def test_a_damaged_capture_is_refused_or_read_within_bounds(cube: Path, tmp_path: Path):
    for number, kind, found in outcomes(cube, range(MUTANTS), tmp_path):
        assert found.said, (number, kind)
        assert not found.said.startswith("FAILED"), (number, kind, found)
        assert found.peak_bytes < 500 << 20, (number, kind, found)


@pytest.mark.parametrize("data", [b"", b"RDO", b"RIFFsomething else"])
def test_a_file_that_is_no_capture(tmp_path: Path, data: bytes):
    path = tmp_path / "other.rdc"
    path.write_bytes(data)
    with pytest.raises(WrongUse, match="not a RenderDoc capture"):
        opening.opened(path)


def test_a_program_that_gives_no_frame(tmp_path: Path, cube: Path):
    assert cube
    with pytest.raises(ShaderlabError, match="no frame of true"):
        Run(Launch(("true",), tmp_path, 1.0), tmp_path).capture(60)
