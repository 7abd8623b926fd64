"""A vertex stage of the user's own in the window: found, shown, edited, counted, kept."""

import tomllib

import pytest

from shaderlab.app.qt import Qt, QtWidgets
from shaderlab.app.widgets.notifications import NotificationBar
from shaderlab.frontend.program import Severity
from shaderlab.projects.project import beside

from .conftest import Driven

VERTEX = """\
#version 450
layout(location = 0) out vec2 uv;
layout(set = 1, binding = 0) uniform Settings { int rounds; };
void main() {
    uv = vec2((gl_VertexIndex << 1) & 2, gl_VertexIndex & 2);
    for (int i = 0; i < rounds; i++)
        uv.x *= 1.0;
    gl_Position = vec4(uv * 2.0 - 1.0, 1.0, 1.0);
}
"""
FRAGMENT = """\
#version 450
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 colour;
void main() {
    colour = vec4(uv.x * 0.0, 1.0, 0.0, 1.0);
}
"""
BOTH = """\
#version 450
#pragma stage vertex
layout(location = 0) in vec4 Position;
layout(location = 0) out vec2 at;
void main() {
    at = Position.xy;
    gl_Position = Position;
}
#pragma stage fragment
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 colour;
void main() {
    colour = vec4(at * 0.0, 1.0, 1.0);
}
"""


@pytest.fixture
def cover(driven: Driven, tmp_path):
    """The fragment shader opened, its vertex shader beside it."""
    fragment, vertex = tmp_path / "cover.frag", tmp_path / "cover.vert"
    fragment.write_text(FRAGMENT)
    vertex.write_text(VERTEX)
    open_file(driven, fragment)
    yield fragment, vertex
    leave(driven)


def open_file(driven: Driven, path) -> None:
    driven.editor.set_unmodified()
    driven.window.documents.new()
    assert driven.window.documents.open(path)
    driven.complete()


def leave(driven: Driven) -> None:
    documents = driven.window.documents
    for buffer in (documents.text.buffer, *(f.buffer for f in [documents.vertex.file] if f)):
        buffer.set_unmodified()
    documents.project.settle()
    documents.new()


def choose(driven: Driven, name: str) -> None:
    menu = driven.window.vertex_menu.menu
    menu.aboutToShow.emit()
    next(each for each in menu.actions() if each.text() == name).trigger()


def count_at(driven: Driven, line: int) -> str:
    note = driven.editor.notes.get(line)
    return note.text if note is not None else ""


def middle(driven: Driven) -> tuple[int, int, int]:
    image = driven.window.preview.picture.image
    colour = image.pixelColor(image.width() // 2, image.height() // 2)
    return colour.red(), colour.green(), colour.blue()


def press(driven: Driven, qtbot, key, modifier=Qt.KeyboardModifier.NoModifier) -> None:
    window = driven.window
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.keyClick(window, key, modifier)


def test_the_neighbour_is_found_and_used_with_a_click(driven, cover, qtbot):
    bar = driven.window.findChild(NotificationBar)
    driven.wait(lambda: "cover.vert may be its vertex stage" in bar.text, "the offer")
    assert not driven.session.vertex.is_own, "nothing changes by itself"
    button = next(b for b in bar.findChildren(QtWidgets.QPushButton) if b.text() == "Use it")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    driven.complete()
    assert driven.session.on_device.counts.draw.vertex.name == "cover.vert"
    assert driven.window.stage_bar.isVisible()
    assert any("in 3 invocations" in w for w in driven.session.forecasts[0].warnings)


def test_its_text_is_shown_with_counts_of_its_own_and_both_keep_their_edits(driven, cover, qtbot):
    choose(driven, "cover.vert")
    driven.complete()
    driven.wait(lambda: count_at(driven, 5) == "786k", "a count for each pixel")
    press(driven, qtbot, Qt.Key.Key_F7)
    assert driven.editor.text == VERTEX
    driven.wait(lambda: count_at(driven, 5) == "3", "a count for each vertex")
    assert "once per vertex" in driven.editor.notes[5].tip
    driven.edit(VERTEX.replace("uv * 2.0", "uv * 0.5"))
    driven.complete()
    assert middle(driven) != (0, 255, 0), "a smaller triangle"
    assert driven.window.stage_bar.tabText(1) == "cover.vert \u2022"
    tabs = driven.window.stage_bar
    qtbot.mouseClick(tabs, Qt.MouseButton.LeftButton, pos=tabs.tabRect(0).center())
    assert driven.editor.text == FRAGMENT
    driven.edit(FRAGMENT.replace("1.0, 0.0, 1.0)", "0.0, 1.0, 1.0)"))
    qtbot.mouseClick(tabs, Qt.MouseButton.LeftButton, pos=tabs.tabRect(1).center())
    driven.window.actions_["edit.undo"].trigger()
    assert driven.editor.text == VERTEX
    driven.complete()
    driven.wait(lambda: middle(driven) == (0, 0, 255), "both edits")


def test_its_errors_lead_to_their_line_and_the_last_picture_stays(driven, cover, qtbot):
    choose(driven, "cover.vert")
    driven.complete()
    driven.window.stage_bar.switch()
    driven.edit(VERTEX.replace("vec4(uv * 2.0", "vec4(nothing * 2.0"))
    driven.wait(lambda: driven.session.vertex.diagnostics, "the error")
    diagnostics = driven.session.vertex.diagnostics
    (found,) = {(d.file, d.line) for d in diagnostics if d.severity is Severity.ERROR}
    assert found == ("cover.vert", 8)
    assert 8 in driven.editor.marked_lines
    assert driven.session.on_device.pictures.error is None
    driven.window.stage_bar.switch()
    assert driven.editor.marked_lines == {}
    driven.window.navigation.to_problem(driven.session.diagnostics[0])
    assert (driven.editor.text.count("nothing"), driven.editor.caret[0]) == (1, 8)
    driven.edit(VERTEX)
    driven.complete()
    assert driven.session.vertex.diagnostics == ()


def test_its_inputs_are_in_the_pane_and_mark_its_line(driven, cover):
    choose(driven, "cover.vert")
    driven.window.layout_.show_tab(driven.window.inputs_panel)
    panel = driven.window.inputs_panel
    driven.wait(lambda: "rounds" in panel.views, "the vertex stage's input")
    sentence = "The loop in line cover.vert:6 depends on 'rounds', guessed as 0"
    driven.wait(lambda: panel.views["rounds"].row.decides == sentence, "the mark")
    driven.session.drawing.set_value("rounds", (4.0,))
    driven.complete()
    driven.window.stage_bar.switch()
    driven.wait(lambda: count_at(driven, 7) == "12", "four rounds of three vertices")


def test_it_is_saved_with_its_project_and_comes_back(driven, cover, qtbot):
    fragment, vertex = cover
    choose(driven, "cover.vert")
    assert driven.window.documents.project.is_modified
    driven.window.stage_bar.switch()
    changed = VERTEX.replace("1.0;", "2.0;")
    driven.edit(changed)
    press(driven, qtbot, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    assert vertex.read_text() == changed
    assert tomllib.loads(beside(fragment).read_text())["vertex"] == "cover.vert"
    assert not driven.window.documents.modified
    open_file(driven, fragment)
    assert driven.session.on_device.counts.draw.vertex.name == "cover.vert"
    assert not driven.window.documents.project.is_modified
    assert driven.editor.text == FRAGMENT
    vertex.write_text(VERTEX)
    driven.wait(lambda: driven.window.documents.vertex.file.buffer.text == VERTEX, "the reload")
    choose(driven, "From the geometry")
    driven.complete()
    assert driven.session.on_device.counts.draw.vertex is None
    assert not driven.window.stage_bar.isVisible()
    driven.window.documents.save()
    assert not beside(fragment).exists() or "vertex" not in beside(fragment).read_text()


@pytest.fixture
def both(driven: Driven, tmp_path):
    path = tmp_path / "both.slang"
    path.write_text(BOTH)
    open_file(driven, path)
    yield path
    leave(driven)


def test_both_stages_of_one_text_are_counted_in_one_margin(driven, both):
    assert count_at(driven, 6) == ""
    choose(driven, "In this text")
    driven.complete()
    driven.wait(lambda: count_at(driven, 6) == "4", "the corners of a full screen")
    assert count_at(driven, 13) == "786k"
    assert not driven.window.stage_bar.isVisible()
    driven.edit(BOTH.replace("at = Position", "at = Nothing"))
    driven.wait(lambda: driven.session.vertex.diagnostics, "the vertex stage's error")
    assert 6 in driven.editor.marked_lines
    driven.window.documents.save()
    assert tomllib.loads(beside(both).read_text())["vertex"] == "both.slang"


def test_a_vertex_shader_opened_by_itself_leads_to_its_fragment_shader(driven, cover):
    _, vertex = cover
    driven.window.documents.open(vertex)
    action = driven.window.notices.notices[-1].action
    assert action.label == "Open cover.frag"
    action.call()
    driven.complete()
    assert driven.session.on_device.counts.draw.vertex.name == "cover.vert"
