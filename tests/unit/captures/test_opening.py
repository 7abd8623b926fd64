from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from shaderlab import files
from shaderlab.captures import opening, saving
from shaderlab.errors import Abandoned, WrongUse
from shaderlab.projects import captured, reading
from shaderlab.scene.inputs import Input, Source
from tests.unit.captures.builders import SIZE, draw_record


def lines(folder: Path) -> list[dict[str, Any]]:
    """A capture of three draws: one as `draw_record` has it between two that are not replayed."""
    folder.mkdir(exist_ok=True)
    listed = [{"event": n, "name": "vkCmdDraw()", "marker": "", "stage": "fragment"}
              for n in (3, 7, 9)]  # fmt: skip
    others = [{"kind": "draw", "event": n, "pieces": [], "reason": "it has no pixel shader"}
              for n in (3, 9)]  # fmt: skip
    return [
        {"kind": "capture", "api": "Vulkan", "renderdoc": "1.24", "draws": listed},
        others[0],
        draw_record(folder / opening.PACK),
        others[1],
        {"kind": "counters", "values": {"3": [None, None], "7": [0.5, 12]}},
        {"kind": "end"},
    ]


def write(folder: Path, records: list[dict[str, Any]]) -> None:
    text = "".join(json.dumps(record) + "\n" for record in records)
    (folder / opening.LINES).write_text(text)


def test_all_draws_come_with_what_was_counted(tmp_path: Path):
    write(tmp_path, lines(tmp_path))
    frame = opening.saved(tmp_path)
    assert [draw.event for draw in frame.draws] == [3, 7, 9]
    assert [bool(draw.state) for draw in frame.draws] == [False, True, False]
    assert frame.size == SIZE
    assert frame.counters[7] == (0.5, 12)
    assert frame.counters[3] == (None, None)


def test_what_renderdoc_prints_does_not_come_among_the_records(tmp_path: Path):
    (tmp_path / "renderdoc.py").write_text(
        "import os\nGlobalEnvironment = list\n"
        "def InitialiseReplay(*_):\n    os.write(1, b'noise')\n    raise OSError('no')\n"
    )
    script = Path(opening.__file__).with_name("renderdoc_capture.py")
    run = f"import runpy, sys; sys.path[:0] = [{str(tmp_path)!r}]; runpy.run_path({str(script)!r}, "
    command = [sys.executable, "-I", "-c", f"{run}run_name='__main__')", *("t", "1", "1", "f", "p")]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(said.stdout) == {"kind": "error", "message": "OSError: no"}
    assert said.stderr == "noise"


def test_a_folder_that_is_not_complete_is_refused(tmp_path: Path):
    whole = lines(tmp_path)
    write(tmp_path, whole[:-1])
    with pytest.raises(WrongUse, match="not complete"):
        opening.saved(tmp_path)
    write(tmp_path, [*whole[:2], {"kind": "draw", "event": 4, "pieces": []}, whole[-1]])
    with pytest.raises(WrongUse, match="no draw 4"):
        opening.saved(tmp_path)
    write(tmp_path, [*whole[:2], {"kind": "surprise"}, whole[-1]])
    with pytest.raises(WrongUse, match="not valid"):
        opening.saved(tmp_path)


def test_one_draw_by_itself_has_its_own_contents_only(tmp_path: Path):
    source, folder = tmp_path / "source", tmp_path / "one"
    write(source, lines(source))
    with (source / opening.PACK).open("ab") as pack:
        pack.write(bytes(999))
    files.save_all({folder / name: data for name, data in saving.parts(source, 7).items()})
    (draw,) = opening.saved(folder).draws
    (whole,) = (each for each in opening.saved(source).draws if each.state)
    assert draw == whole
    assert draw.shader is not None
    assert draw.shader.module.read() == b"\x03\x02\x23\x07" * 5
    assert (folder / opening.PACK).stat().st_size < (source / opening.PACK).stat().st_size
    with pytest.raises(WrongUse, match="no draw 8"):
        saving.parts(source, 8)


def test_a_saved_draw_is_a_project_whose_values_go_over_the_captured_ones(tmp_path: Path):
    source = tmp_path / "source"
    write(source, lines(source))
    frame = opening.saved(source)
    path = captured.save(tmp_path / "one", source, frame.draws[1])
    with path.open("a") as file:
        file.write("[values]\ntint = [1.0, 2.0]\n")
    project = reading.read(path)
    state = frame.draws[1].state
    assert state is not None
    assert project.state.attachments == state.attachments
    assert project.state.geometry == state.geometry
    assert project.state.inputs.bound == state.inputs.bound
    assert project.state.inputs.values["tint"] == Input((1.0, 2.0), Source.PROJECT)
    with pytest.raises(WrongUse, match="no pixel shader"):
        captured.save(tmp_path / "other", source, frame.draws[0])


def test_a_capture_that_another_reads_is_waited_for_and_then_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    capture = tmp_path / "frame.rdc"
    capture.write_bytes(b"RDOC" + bytes(60))
    folder = opening.cache_folder(capture)
    folder.parent.mkdir(parents=True, exist_ok=True)
    stop = threading.Event()
    with opening._alone(folder, stop):  # pyright: ignore[reportPrivateUsage]
        found: list[opening.Event] = []
        other = threading.Thread(target=lambda: found.extend(opening.events(capture)))
        other.start()
        write(folder, lines(folder))
        assert not found
        stop.set()
        with pytest.raises(Abandoned), opening._alone(folder, stop):  # pyright: ignore[reportPrivateUsage]
            pass
    other.join()
    assert len(found) == 5
    assert not list(folder.parent.glob("*.lock"))


def test_a_draw_that_cannot_be_read_leaves_the_others(tmp_path: Path):
    records = lines(tmp_path)
    records[2]["size"] = [0, 4]
    write(tmp_path, records)
    frame = opening.saved(tmp_path)
    assert [draw.event for draw in frame.draws] == [3, 7, 9]
    assert "its state cannot be read: Expected `int` >= 1" in frame.draws[1].reason


@pytest.mark.skipif(os.name == "nt", reason="a POSIX shell stands for RenderDoc's Python")
def test_after_a_crash_of_renderdoc_reading_goes_on_with_the_next_draw(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """A stand-in for RenderDoc's Python that crashes in the second draw and while it counts."""
    listed = [{"event": n, "name": "", "marker": "", "stage": "fragment"} for n in (3, 7, 9)]
    texts = [
        {"kind": "capture", "api": "Vulkan", "renderdoc": "1.24", "draws": listed},
        *({"kind": "draw", "event": n, "pieces": [], "reason": "left out"} for n in (3, 9)),
    ]
    capture, first, later = (json.dumps(each) for each in texts)
    script = tmp_path / "python"
    script.write_text(
        "#!/bin/sh\n"
        f"case $7 in -1) echo '{capture}'; echo '{first}';; 2) echo '{later}';; esac\n"
        "kill -SEGV $$\n"
    )
    script.chmod(0o755)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(opening.finding, "find", lambda: (script, "1.24"))
    path = tmp_path / "a.rdc"
    path.write_bytes(b"RDOC".ljust(64, b"\0"))
    frame = opening.opened(path)
    assert [draw.event for draw in frame.draws] == [3, 7, 9]
    assert frame.draws[1].reason == "RenderDoc crashed by signal 11 while it read this draw"
    assert frame.draws[2].reason == "left out"
    assert not frame.counters


def test_a_shaders_text_comes_with_the_reason_and_a_wrong_one_refuses_its_draw_alone(
    tmp_path: Path,
):
    records = lines(tmp_path)
    pieces = records[2]["pieces"]
    records[2] = {"kind": "draw", "event": 7, "pieces": pieces, "reason": "no", "text": [0]}
    records[3]["text"] = [99999]
    write(tmp_path, records)
    draws = opening.saved(tmp_path).draws
    assert draws[1].text is not None
    assert draws[1].text.nbytes == pieces[0][2]
    assert "names contents" in draws[2].reason
