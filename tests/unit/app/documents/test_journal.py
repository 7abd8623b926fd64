import json
import subprocess
import sys
import threading
from pathlib import Path
from time import monotonic

import pytest
from PIL import Image

from shaderlab.app.documents import journal
from shaderlab.app.documents.document import MOST_BYTES, Document
from shaderlab.app.documents.journal import Draft, Journal
from shaderlab.app.storage import crash_log
from shaderlab.app.storage.background_writer import BackgroundWriter
from shaderlab.app.storage.run_folder import MOST_KEPT, RunFolder
from shaderlab.projects.project import Project
from shaderlab.projects.reading import stamp
from shaderlab.scene.draw import DrawState
from shaderlab.scene.geometry import Body, Camera, Geometry
from shaderlab.scene.inputs import Input, Inputs, Source
from shaderlab.scene.textures import Filter, ImageFile, Texture

SAFE_AFTER_S = 0.5
"""What was typed longer ago outlives the process."""

DOCUMENT = Document(
    "a.frag", Path("/x/a.frag"), "\r\n", "utf-16-le", byte_order_mark=True, digest="00ff"
)


@pytest.fixture
def writer(qapp):
    made = BackgroundWriter()
    yield made
    made.close()


def test_a_draft_survives_a_round_trip(tmp_path):
    wood = tmp_path / "wood.png"
    Image.new("RGB", (2, 3)).save(wood)
    texture = Texture(ImageFile(wood, stamp(wood), size=(2, 3)), Filter.NEAREST)
    inputs = Inputs(
        values={"glow": Input((0.5,), Source.SET)},
        textures={"wood": Input(texture, Source.SET)},
    )
    state = DrawState(inputs, Geometry(Body.TORUS, Camera(0.1, 0.2, 3.0, 0.7)))
    project = Project(
        Path("/x/a.frag"), language="glsl", state=state, vertex=Path("/elsewhere/a.vert")
    )
    full = Draft(DOCUMENT, "void", 2.0, project, (Document("a.vert"), "vertex text"))
    path = tmp_path / "j"
    path.write_bytes(journal.encode(full))
    assert journal.read(path) == full
    wood.unlink()
    found = journal.read(path)
    assert (found.text, found.project) == ("void", None)
    assert "wood.png" in found.problem
    for document in (DOCUMENT, Document("untitled"), Document("Plasma", example="plasma")):
        draft = Draft(document, "void\n\u00e9\U0001f600\ud800", 12.5)
        path = tmp_path / "j"
        path.write_bytes(journal.encode(draft))
        assert journal.read(path) == draft


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"newline": "x"},
        {"encoding": "rot13"},
        {"encoding": "none"},
        {"text": 3},
        {"at": "late"},
        {"name": None},
        {"vertex": {"name": 1}},
    ],
)
def test_what_is_not_a_journal_is_no_draft(tmp_path, change):
    data = json.loads(journal.encode(Draft(DOCUMENT, "t", 1.0)))
    path = tmp_path / "j"
    path.write_text(json.dumps(data | change))
    assert journal.read(path) is None


@pytest.mark.parametrize("content", [b"", b"\xff", b"[]", b"{}", b" " * (8 * MOST_BYTES + 1)])
def test_a_damaged_journal_is_no_draft(tmp_path, content):
    path = tmp_path / "j"
    path.write_bytes(content)
    assert journal.read(path) is None
    assert journal.read(tmp_path / "none") is None


def test_an_edit_is_on_disk_within_two_seconds_and_typing_on_does_not_put_it_off(
    tmp_path, writer, qtbot
):
    path, text = tmp_path / "j", ["0"]
    kept = Journal(path, writer, lambda: Draft(DOCUMENT, text[0]))
    for number in range(14):  # more than a delay of typing
        text[0] = str(number)
        kept.edited()
        qtbot.wait(100)
    assert path.exists(), "the first edits"
    assert int(journal.read(path).text) >= 5
    qtbot.waitUntil(lambda: journal.read(path).text == "13", timeout=2000)


def test_what_may_rest_is_not_written_again_before_its_rest_is_over(tmp_path, writer, qtbot):
    path, other = tmp_path / "j", tmp_path / "other"
    writer.write(path, b"1", rest_s=30.0)
    qtbot.waitUntil(path.exists)
    writer.write(path, b"2", rest_s=30.0)
    writer.write(other, b"at once")
    qtbot.waitUntil(other.exists)
    assert path.read_bytes() == b"1"
    assert writer.flush()
    assert path.read_bytes() == b"2"


TYPING = """\
import os, sys, time
from pathlib import Path
from shaderlab.app.documents.document import Document
from shaderlab.app.documents.journal import Draft, Journal
from shaderlab.app.qt import QtCore
from shaderlab.app.storage.background_writer import BackgroundWriter
if sys.argv[2] == "stuck":
    os.fsync = lambda _: time.sleep(60)
app = QtCore.QCoreApplication([])
typed = 0
kept = Journal(Path(sys.argv[1]), BackgroundWriter(), lambda: Draft(Document("a"), str(typed)))
def type_one():
    global typed
    typed += 1
    print(typed, time.monotonic(), flush=True)
    kept.edited()
timer = QtCore.QTimer()
timer.timeout.connect(type_one)
timer.start(20)
app.exec()
"""
"""Types a number every 20 ms; `stuck` has a disk that takes a minute over each file."""


@pytest.mark.parametrize("disk", ["well", "stuck"])
def test_what_was_typed_half_a_second_before_a_kill_is_kept(tmp_path, disk):
    path, typed_at, lags = tmp_path / "j", {}, []

    def look(line: str) -> None:
        """Note how old the oldest keystroke is that a kill just now would lose."""
        number, at = line.split()
        typed_at[int(number)] = float(at)
        now, kept = monotonic(), journal.read(path)
        last = int(kept.text) if kept is not None else 0
        lags.append(now - typed_at.get(last + 1, now))

    run = [sys.executable, "-c", TYPING, str(path), disk]
    with subprocess.Popen(run, stdout=subprocess.PIPE, text=True) as window:
        for _ in range(75):
            look(window.stdout.readline())
        window.kill()
        for line in window.stdout.read().splitlines():
            look(line)
    assert len(lags) >= 75
    assert max(lags) < SAFE_AFTER_S


def test_the_interface_neither_encodes_nor_writes(tmp_path, writer, monkeypatch):
    encode, threads = journal.encode, []

    def noted(draft):
        threads.append(threading.current_thread())
        return encode(draft)

    monkeypatch.setattr(journal, "encode", noted)
    kept = Journal(tmp_path / "j", writer, lambda: Draft(DOCUMENT, "t"))
    kept.write_now()
    assert writer.flush()
    kept.close()
    assert threads
    assert threading.main_thread() not in threads


def test_the_newer_copy_counts_and_a_damaged_one_does_not(tmp_path):
    path, quick = tmp_path / "j", tmp_path / "j.quick"
    path.write_bytes(journal.encode(Draft(DOCUMENT, "older", 1.0)))
    quick.write_bytes(journal.encode(Draft(DOCUMENT, "newer", 2.0)))
    assert journal.read(path).text == "newer"
    path.write_bytes(journal.encode(Draft(DOCUMENT, "newest", 3.0)))
    assert journal.read(path).text == "newest"
    path.write_bytes(b"{")
    assert journal.read(path).text == "newer"


def test_both_copies_go_when_the_text_is_saved(tmp_path, writer):
    kept = Journal(tmp_path / "j", writer, lambda: Draft(DOCUMENT, "t"))
    kept.write_now()
    assert writer.flush()
    kept.clear()
    assert writer.flush()
    kept.close()
    assert list(tmp_path.iterdir()) == []


def test_it_is_cleared_when_nothing_is_unsaved(tmp_path, writer):
    path = tmp_path / "j"
    unsaved = [Draft(DOCUMENT, "t")]
    kept = Journal(path, writer, lambda: unsaved[0])
    kept.write_now()
    assert writer.flush()
    assert path.exists()
    unsaved[0] = None
    kept.write_now()
    assert writer.flush()
    assert not path.exists()
    kept.clear()
    assert writer.flush()


def test_the_newest_wish_for_a_file_wins_and_faults_are_told(tmp_path, writer, qtbot):
    for number in range(200):
        writer.write(tmp_path / "a", str(number).encode())
    assert writer.flush()
    assert (tmp_path / "a").read_bytes() == b"199"
    with qtbot.waitSignal(writer.failed) as told:
        writer.write(tmp_path / "no" / "where", b"")
    assert told.args == [str(tmp_path / "no" / "where"), "No such file or directory"]


def test_only_folders_of_dead_runs_are_left_over(tmp_path):
    mine = RunFolder.begin(tmp_path)
    hold = (
        "import sys; from pathlib import Path\n"
        "from shaderlab.app.storage.run_folder import RunFolder\n"
        "folder = RunFolder.begin(Path(sys.argv[1])); folder.journal.write_text('x')\n"
        "print(folder.path, flush=True); sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        path = Path(other.stdout.readline().strip())
        assert RunFolder.leftovers(tmp_path) == []
        other.kill()
    (left,) = RunFolder.leftovers(tmp_path)
    assert left.path == path
    assert RunFolder.leftovers(tmp_path) == [], "one process claims it"
    left.release()
    (again,) = RunFolder.leftovers(tmp_path)
    again.remove()
    assert not path.exists()
    mine.remove()
    assert list(tmp_path.iterdir()) == []


def test_folders_left_over_are_bounded(tmp_path):
    for number in range(MOST_KEPT + 3):
        folder = tmp_path / f"20260101-0000{number:02}-x"
        folder.mkdir()
        (folder / "lock").touch()
    left = RunFolder.leftovers(tmp_path)
    assert len(left) == MOST_KEPT == len(list(tmp_path.iterdir()))
    assert left[0].path.name.startswith(f"20260101-0000{MOST_KEPT + 2}")


def test_a_crash_leaves_its_traceback_and_a_quiet_run_nothing(tmp_path):
    path = tmp_path / "faults"
    program = (
        "import sys, faulthandler; from pathlib import Path\n"
        "from shaderlab.app.storage.crash_log import CrashLog\n"
        "log = CrashLog(Path(sys.argv[1])); log.begin()\n"
        "if sys.argv[2] == 'crash': faulthandler._sigsegv()\n"
        "if sys.argv[2] == 'fault':\n"
        "    try: 1 / 0\n"
        "    except Exception: log.fault(*sys.exc_info())\n"
    )
    run = [sys.executable, "-c", program, str(path)]
    subprocess.run([*run, "quiet"], check=True)
    assert crash_log.read(path) == ""
    subprocess.run([*run, "fault"], check=True)
    assert "ZeroDivisionError" in crash_log.read(path)
    path.unlink()
    assert subprocess.run([*run, "crash"], check=False).returncode == -11
    assert "Segmentation fault" in crash_log.read(path)
    assert crash_log.read(tmp_path / "none") == ""


def test_a_file_written_again_and_again_rests_between_and_is_never_left_behind(tmp_path, writer):
    path, made = tmp_path / "j", []

    def content(number):
        made.append(number)
        return str(number).encode()

    for number in range(50):
        writer.write(path, lambda number=number: content(number), rest_s=3600.0)
    writer.write(tmp_path / "other", b"x")  # needs not wait behind it
    assert writer.flush()
    assert path.read_bytes() == b"49"
    assert made[-1] == 49
    assert len(made) <= 2, "the first, and the newest of the rest"
    assert (tmp_path / "other").read_bytes() == b"x"


def test_content_that_cannot_be_made_does_not_end_the_writer(tmp_path, writer):
    writer.write(tmp_path / "a", lambda: 1 / 0)
    writer.write(tmp_path / "b", b"b")
    assert writer.flush()
    assert [p.name for p in tmp_path.iterdir()] == ["b"]
