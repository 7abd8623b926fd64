"""Opening and saving: what a file held is what it holds again, and no fault loses the text."""

from pathlib import Path
from threading import Event
from time import sleep

import pytest

from shaderlab.app.documents import document
from shaderlab.app.qt import QTimer, QtWidgets
from shaderlab.errors import WrongUse
from shaderlab.frontend import compiler
from shaderlab.frontend.program import Dialect

from .conftest import CHEAP, PATIENCE_S


@pytest.fixture
def saved(tmp_path) -> Path:
    path = tmp_path / "cheap.frag"
    path.write_text(CHEAP)
    return path


def last_notice(driven) -> str:
    return driven.window.notices.notices[-1].text


def open_file(driven, path: Path) -> bool:
    driven.editor.set_unmodified()
    return driven.window.documents.open(path)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_saving_keeps_the_style_of_line_ends(driven, tmp_path, newline):
    path = tmp_path / "style.frag"
    path.write_bytes(CHEAP.replace("\n", newline).encode())
    assert open_file(driven, path)
    driven.editor.go_to(1)
    driven.editor.type("// é\n")
    assert driven.editor.modified
    driven.window.actions_["file.save"].trigger()
    assert path.read_bytes() == ("// é\n" + CHEAP).replace("\n", newline).encode()
    assert not driven.editor.modified
    driven.complete()


def test_save_as_takes_the_new_name(driven, saved, monkeypatch):
    open_file(driven, saved)
    other = saved.with_name("other.frag")
    monkeypatch.setattr(QtWidgets.QFileDialog, "getSaveFileName", lambda *_args: (str(other), ""))
    driven.window.actions_["file.save_as"].trigger()
    assert other.read_text() == CHEAP
    assert driven.window.documents.document.path == other
    assert driven.window.windowTitle().startswith("other.frag")
    assert driven.window.settings.recent[:2] == [str(other), str(saved)]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"void main() {}\n\xff\xff", "line 2 is not valid UTF-8"),
        (bytes(range(256)), "not valid UTF-8"),
        (b"abc\0", "binary"),
    ],
)
def test_what_cannot_be_opened_leaves_the_editor_alone(driven, saved, tmp_path, data, message):
    open_file(driven, saved)
    driven.editor.type("// mine\n")
    bad = tmp_path / "bad.frag"
    bad.write_bytes(data)
    assert not driven.window.documents.open(bad)
    assert message in last_notice(driven)
    assert "\n" not in last_notice(driven)
    assert driven.editor.text.startswith("// mine\n")
    assert driven.window.documents.document.path == saved


def test_unsaved_changes_are_asked_about(driven, saved, monkeypatch, tmp_path):
    open_file(driven, saved)
    driven.editor.type("// mine\n")
    buttons = QtWidgets.QMessageBox.StandardButton
    answers = iter([buttons.Cancel, buttons.Save])
    monkeypatch.setattr(QtWidgets.QMessageBox, "question", lambda *_args: next(answers))
    other = tmp_path / "other.frag"
    other.write_text(CHEAP)
    assert not driven.window.documents.open(other)
    assert driven.editor.text.startswith("// mine\n")
    assert driven.window.documents.open(other)
    assert saved.read_text().startswith("// mine\n")


def test_change_on_disk_is_read_when_nothing_would_be_lost(driven, saved):
    open_file(driven, saved)
    driven.complete()
    saved.write_text(CHEAP.replace("< 3", "< 5"))
    driven.wait(lambda: "< 5" in driven.editor.text, "the change on disk")
    driven.complete()
    assert driven.session.trace.line_counts[("", 5)] == 5 * 1024 * 768


def test_change_on_disk_is_offered_when_something_would_be_lost(driven, saved):
    open_file(driven, saved)
    driven.editor.type("// mine\n")
    saved.write_text(CHEAP.replace("< 3", "< 5"))
    driven.wait(lambda: "changed on disk" in last_notice(driven), "a notice")
    assert driven.editor.text.startswith("// mine\n")
    driven.editor.set_unmodified()


def test_include_beside_the_file_is_found_and_watched(driven, tmp_path):
    (tmp_path / "tone.glsl").write_text("vec3 tone() { return vec3(0.5); }\n")
    path = tmp_path / "main.frag"
    path.write_text(
        '#include "tone.glsl"\n'
        "void mainImage(out vec4 fragColor, in vec2 fragCoord)\n"
        "{\n    fragColor = vec4(tone(), 1.0);\n}\n"
    )
    assert open_file(driven, path)
    driven.complete()
    program = driven.session.program
    (tmp_path / "tone.glsl").write_text("vec3 tone() { return vec3(iTime); }\n")
    driven.wait(lambda: driven.session.program.digest != program.digest, "the include's change")
    (tmp_path / "tone.glsl").write_text("vec3 tone() { return oops; }\n")
    driven.wait(lambda: not driven.session.compiling.compiles, "an error in the include")
    assert driven.session.compiling.diagnostics[0].file == "tone.glsl"


def test_spirv_is_shown_as_assembly_with_counts(driven, tmp_path):
    path = tmp_path / "cheap.spv"
    path.write_bytes(compiler.compile_text(CHEAP, "cheap", None).spirv)
    assert open_file(driven, path)
    driven.complete()
    driven.wait(lambda: "OpLabel" in driven.editor.text, "the assembly")
    assert driven.session.program.dialect is Dialect.SPIRV
    assert driven.editor.read_only
    assert not driven.window.actions_["file.save"].isEnabled()
    driven.wait(lambda: driven.editor.notes, "counts beside the assembly")
    panel = driven.front("blocks")
    panel.choose(0)
    label = panel.model.rows[0].label
    first = driven.editor.linked_lines[0]
    assert f"%{label} = OpLabel" in driven.editor.text.split("\n")[first - 1]


def test_a_hot_line_of_spirv_shows_the_blocks_that_came_from_it(driven, tmp_path):
    path = tmp_path / "loop.spv"
    path.write_bytes(compiler.compile_text(CHEAP.replace("i < 3", "i < 3000"), "loop", None).spirv)
    assert open_file(driven, path)
    driven.complete()
    driven.wait(lambda: "OpLabel" in driven.editor.text, "the assembly")
    panel = driven.front("hot_lines")
    driven.wait(lambda: panel.rows, "hot lines")
    assert "lines of the original source" in panel.caption
    hottest = panel.rows[0]
    panel.line_chosen.emit(hottest.file, hottest.line, "")
    text = driven.editor.text.split("\n")
    shown = "\n".join(text[line - 1] for line in driven.editor.linked_lines)
    assert "OpFAdd" in shown or "OpIAdd" in shown
    assert len(driven.editor.linked_lines) < len(text) / 2


def test_spirv_that_is_damaged_is_one_clear_problem(driven, tmp_path):
    path = tmp_path / "bad.spv"
    path.write_bytes(b"\x03\x02\x23\x07" + b"\xff" * 40)
    open_file(driven, path)
    driven.wait(lambda: not driven.session.compiling.compiles, "an error")
    (problem,) = driven.problems()
    assert "\n" not in problem
    driven.show()


def test_pasting_what_cannot_be_shown_is_refused_and_the_rest_is_not(driven, saved):
    open_file(driven, saved)
    clipboard = QtWidgets.QApplication.clipboard()
    clipboard.setText("// one line\n// another\n")
    driven.editor.paste()
    assert driven.editor.text.startswith("// one line\n// another\n")
    before = driven.editor.text
    clipboard.setText("x" * 1_000_000)
    driven.editor.paste()
    assert driven.editor.text == before
    assert "Not pasted: line 1 has 1,000,000 characters" in last_notice(driven)
    clipboard.setText("// é\n" * 700_000)
    driven.editor.paste()
    assert driven.editor.text == before
    assert "Not pasted: 4,200,000 bytes are more than a shader's 4,000,000" in last_notice(driven)


def test_a_slow_disk_does_not_stop_the_window(driven, saved, monkeypatch):
    open_file(driven, saved)
    driven.editor.type("// slow\n")
    write, disk, closed, ran_meanwhile = document.write, Event(), [], []

    def tick():
        closed.append(driven.window.close())
        if len(closed) == 5:
            disk.set()

    def slow(*arguments):
        ran_meanwhile.append(disk.wait(PATIENCE_S))
        return write(*arguments)

    timer = QTimer(interval=20)
    timer.timeout.connect(tick)
    monkeypatch.setattr(document, "write", slow)
    timer.start()
    assert driven.window.documents.save()
    timer.stop()
    assert ran_meanwhile == [True], "timers ran while the disk was waited for"
    assert not any(closed), "what is being written is not closed over"
    assert driven.window.isVisible()
    assert saved.read_text() == "// slow\n" + CHEAP
    assert not driven.editor.modified


def test_a_disk_that_fails_slowly_loses_nothing(driven, saved, monkeypatch):
    open_file(driven, saved)
    driven.editor.type("// kept\n")

    def failing(*_arguments):
        sleep(0.1)
        raise WrongUse("cannot write cheap.frag: the disk is gone")

    monkeypatch.setattr(document, "write", failing)
    assert not driven.window.documents.save()
    assert "the disk is gone" in last_notice(driven)
    assert driven.editor.modified
    assert driven.editor.text.startswith("// kept")
    assert not driven.window.documents.waiting
