"""The whole loop in a real window: type, see, count, predict, profile."""

import pytest

from shaderlab.app.qt import QApplication, QPointF, Qt, QtWidgets
from shaderlab.app.shell.commands.table import COMMANDS
from shaderlab.app.widgets.theme import ThemeChoice
from shaderlab.frontend.program import Severity

from .conftest import CHEAP


def colours(widget) -> int:
    """Different colours in a picture of the widget, every third pixel looked at."""
    image = widget.grab().toImage()
    return len(
        {image.pixel(x, y) for x in range(0, image.width(), 3) for y in range(0, image.height(), 3)}
    )


def test_first_start_shows_everything_alive(driven):
    first = driven.first_start
    assert first.example
    assert first.picture_width == 320
    assert len(first.bars) == len(driven.session.targets) >= 7
    assert first.blocks > 3
    assert max(note.heat for note in first.notes.values()) > 0, "loops are seen at once"


def test_every_pane_paints_something(driven):
    window = driven.window
    driven.open_example("plasma")
    assert colours(driven.editor) > 40
    assert colours(window.preview.picture) > 200
    panels = (window.targets_panel, window.hot_lines_panel, window.blocks_panel)
    for panel in (*panels, window.profile_panel):
        window.layout_.show_tab(panel)
        assert colours(panel) > 25, panel
    window.layout_.show_tab(window.targets_panel)


def test_counts_beside_the_lines_are_those_one_works_out_by_hand(driven):
    driven.show()
    pixels = 1024 * 768
    trace = driven.session.trace
    assert trace.size == (1024, 768)
    by_line = {place.line: count for place, count in trace.line_counts.items()}
    assert by_line[3] == by_line[7] == pixels
    assert by_line[4] == 4 * pixels
    assert by_line[5] == 3 * pixels
    assert driven.editor.notes[5].text == "2.4M"
    assert "3 times per pixel" in driven.editor.notes[5].tip


def test_typing_brings_a_new_picture_counts_and_predictions(driven, qtbot):
    driven.show()
    before, program = driven.session.trace, driven.session.program
    driven.editor.go_to(4, 30)
    column = driven.editor.text.split("\n")[3].index("3;") + 1
    driven.editor.go_to(4, column)
    driven.window.activateWindow()
    qtbot.keyClick(driven.editor.focusProxy(), "1")
    assert "i < 13" in driven.editor.text
    driven.wait(lambda: driven.session.program is not program, "another program")
    driven.complete()
    assert driven.session.trace is not before
    assert driven.session.trace.line_counts[("", 5)] == 13 * 1024 * 768
    latency = driven.session.latency
    assert 0 < latency.compiled < latency.picture < latency.counts < latency.forecasts


def test_an_error_is_marked_and_the_last_picture_stays(driven):
    driven.show()
    program, picture = driven.session.program, driven.window.preview.picture
    driven.editor.go_to(5, 9)
    driven.editor.type("colur += 1.0; ")
    driven.wait(lambda: not driven.session.compiling.compiles, "an error")
    assert 5 in driven.editor.marked_lines
    assert "colur" in driven.editor.marked_lines[5].message
    assert driven.session.program is program
    assert picture.image is not None
    driven.wait(lambda: "last version" in picture.mark.lower(), "the mark on the picture")
    assert driven.editor.notes, "counts of the last good version stay"
    stale = "last version that compiled"
    window = driven.window
    driven.wait(lambda: stale in window.targets_panel.caption, "a stale caption")
    for name in ("hot_lines", "blocks", "targets"):
        panel = driven.front(name)
        assert stale in panel.caption, name
    driven.window.actions_["edit.undo"].trigger()
    driven.wait(lambda: driven.session.compiling.compiles, "a text that compiles")
    driven.complete()
    assert driven.editor.marked_lines == {}
    driven.wait(lambda: picture.mark == "", "no mark")
    driven.wait(lambda: stale not in driven.window.targets_panel.caption, "counts in force")


def test_next_problem_goes_round(driven):
    driven.show()
    driven.edit("float a = b;\n" + "float c = d;\n" + driven.editor.text)
    driven.wait(lambda: len(driven.problems()) >= 2, "two problems")
    next_problem = driven.window.actions_["edit.next_problem"]
    driven.wait(next_problem.isEnabled, "problems to visit")
    lines = {d.line for d in driven.session.compiling.diagnostics if d.severity is Severity.ERROR}
    driven.editor.go_to(driven.editor.line_count)
    visited = set()
    for _ in lines:
        next_problem.trigger()
        visited.add(driven.editor.caret[0])
    assert visited == lines


def test_a_shader_that_never_compiled_says_what_to_do(driven):
    driven.editor.set_unmodified()
    driven.window.documents.new()
    driven.session.open_text("this is no shader", "broken", None)
    driven.wait(lambda: not driven.session.compiling.compiles, "an error")
    driven.wait(lambda: "does not compile" in driven.window.preview.empty.text, "a hint")
    assert not driven.window.preview.has_picture
    assert "Fix" in driven.window.targets_panel.empty.text
    for name in ("hot_lines", "blocks", "targets"):
        assert "Fix" in driven.front(name).empty.text


@pytest.mark.parametrize("text", ["", "\n\n", "float f() { return 1.0; }\n"])
def test_nothing_to_draw_is_one_clear_problem(driven, text):
    driven.editor.set_unmodified()
    driven.window.documents.new()
    driven.session.open_text(text, "empty", None)
    driven.wait(lambda: not driven.session.compiling.compiles, "an error")
    assert len(driven.problems()) == 1
    assert "\n" not in driven.problems()[0]


def test_choosing_a_block_shows_its_lines_and_the_other_way_round(driven):
    driven.show()
    panel = driven.front("blocks")
    rows = panel.model.rows
    body = next(i for i, row in enumerate(rows) if row.lines == (5,))
    panel.choose(body)
    assert driven.editor.linked_lines == [5]
    for line in (7, 5):
        driven.editor.go_to(line)
        touching = {row.label for row in rows if line in row.lines}
        driven.wait(lambda t=touching: panel.chosen_labels == t != set(), "the line's blocks")
        assert driven.editor.linked_lines == []


def test_blocks_can_be_sorted_by_count(driven):
    driven.show()
    panel = driven.front("blocks")
    header = panel.table.horizontalHeader()
    column = 3
    panel.table.sortByColumn(column, header.sortIndicatorOrder().DescendingOrder)
    shown = [row.count for row in panel.model.rows]
    assert shown == sorted(shown, reverse=True)
    assert len(set(shown)) > 1


def test_details_of_a_target_tell_where_the_number_comes_from(driven):
    driven.show()
    panel = driven.window.targets_panel
    panel.choose("rtx3060")
    (forecast,) = (f for f in driven.session.forecasts if f.target == "rtx3060")
    assert "RTX 3060" in panel.details
    assert "Validated: mean error" in panel.details
    assert forecast.basis.split(".")[0] in panel.details.replace("&#x27;", "'")
    hottest = forecast.lines[0]
    assert "predicted for RTX 3060" in driven.editor.notes[hottest.line].tip
    panel.choose("uhd630")
    assert "predicted for UHD Graphics 630" in driven.editor.notes[hottest.line].tip


def test_profile_of_this_device(driven):
    driven.show()
    window, device = driven.window, driven.session.on_device
    driven.wait(window.actions_["run.profile"].isEnabled, "the command")
    window.actions_["run.profile"].trigger()
    assert device.profiles.running
    driven.wait(lambda: not device.profiles.running, "the profile")
    assert device.profiles.error is None
    assert device.profiles.measurement.time_s > 0
    assert device.profiles.measurement.size == (1024, 768)
    assert window.layout_.is_in_front(window.profile_panel)
    assert colours(window.profile_panel) > 30
    window.layout_.show_tab(window.targets_panel)


def test_stopping_a_profile_leaves_everything_working(driven):
    driven.show()
    window, device = driven.window, driven.session.on_device
    device.profiles.ask(200, 1000)  # long enough to be stopped
    driven.wait(lambda: device.task == "profile", "the profile's start")
    driven.wait(window.actions_["run.stop_profile"].isEnabled, "a way to stop")
    window.actions_["run.stop_profile"].trigger()
    assert not device.profiles.running
    driven.complete()
    assert device.profiles.measurement is None
    window.layout_.show_tab(window.targets_panel)


def test_pause_step_and_restart(driven):
    driven.show()
    actions, device = driven.window.actions_, driven.session.on_device
    assert device.pictures.playback.playing
    actions["run.play"].trigger()
    assert not device.pictures.playback.playing
    driven.wait(lambda: device.task == "", "the last frame")
    before = device.pictures.frame.draw.inputs.uniforms.time_s
    actions["run.step"].trigger()
    driven.wait(
        lambda: device.pictures.frame.draw.inputs.uniforms.time_s > before, "one more frame"
    )
    assert device.pictures.frame.draw.inputs.uniforms.time_s == pytest.approx(before + 1 / 60)
    actions["run.restart"].trigger()
    driven.wait(
        lambda: device.pictures.frame.draw.inputs.uniforms.time_s == 0.0, "the first frame again"
    )
    driven.edit(driven.editor.text.replace("0.5", "0.25"))
    driven.complete()
    assert not device.pictures.playback.playing, "an edit leaves the preview paused"
    actions["run.play"].trigger()
    driven.wait(lambda: device.pictures.frame.draw.inputs.uniforms.time_s > 0.0, "time to go on")


def test_resolution_of_the_preview(driven):
    driven.show()
    preview, settings = driven.window.preview, driven.window.settings
    preview.size_chosen.emit("512x384")
    driven.wait(lambda: preview.picture.image.width() == 512, "the new size")
    assert settings.preview_size == "512x384"
    preview.size_chosen.emit("320x180")
    driven.wait(lambda: preview.picture.image.width() == 320, "the former size")


def test_software_driver_is_named(driven):
    assert driven.session.device.kind == "software"
    assert driven.window.device_choice.badge.isVisible()
    assert "software" in driven.window.device_choice.badge.text()
    assert driven.window.device_choice.button.text() == driven.session.device.name


@pytest.mark.parametrize("choice", list(ThemeChoice))
def test_themes(driven, choice):
    driven.window.appearance.choose(choice)
    window = driven.window
    base = QApplication.palette().color(QApplication.palette().ColorRole.Base)
    assert (base.lightnessF() < 0.5) == window.appearance.theme.dark
    image = driven.editor.grab().toImage()
    paper = image.pixelColor(image.width() - 40, image.height() - 40)
    assert paper.name() == window.appearance.theme.base
    checked = [c.id for c in COMMANDS if c.checkable and window.actions_[c.id].isChecked()]
    assert f"view.theme_{choice.value}" in checked


def test_default_layout_fits_1280_by_720(driven):
    window = driven.window
    window.resize(1280, 720)
    window.layout_.reset()
    driven.wait(lambda: window.size().toTuple() == (1280, 720), "the default size")
    assert window.minimumSizeHint().width() <= 1280
    assert window.minimumSizeHint().height() <= 720
    for name, panel in window.layout_.panels.items():
        window.layout_.show_tab(panel)
        # A text that just grew gets its room with the next events.
        driven.wait(lambda: clipped(window) == [], f"room in {name}")
    window.layout_.show_tab(window.targets_panel)


def clipped(window) -> list[str]:
    """Texts of visible labels and buttons that have less room than they need."""
    kinds = (QtWidgets.QLabel, QtWidgets.QPushButton, QtWidgets.QToolButton)
    found = []
    for kind in kinds:
        for widget in window.findChildren(kind):
            if not widget.isVisible() or not widget.text():
                continue
            if isinstance(widget.parentWidget().parentWidget(), QtWidgets.QScrollArea):
                continue
            inside = widget.parentWidget().rect().contains(widget.geometry())
            wraps = isinstance(widget, QtWidgets.QLabel) and widget.wordWrap()
            need = widget.minimumSizeHint() if wraps else widget.sizeHint()
            if not inside or widget.width() < need.width() or widget.height() < need.height():
                found.append(f"{widget.text()}: {widget.size().toTuple()} < {need.toTuple()}")
    return found


def test_every_command_without_a_dialog_can_be_run(driven):
    """Whatever is enabled does not fail, in an order that leaves the window as it was."""
    asks = {
        "file.open",
        "file.open_capture",
        "file.save",
        "file.save_as",
        "file.save_picture",
        "file.quit",
    }
    asks |= {"edit.go_to_line", "edit.rename", "run.vertex", "help.about", "view.full_screen"}
    driven.show()
    window = driven.window
    for command in COMMANDS:
        if command.id in asks or not window.actions_[command.id].isEnabled():
            continue
        window.actions_[command.id].trigger()
        if popup := QApplication.activePopupWidget():
            popup.close()
        for dialog in window.findChildren(QtWidgets.QDialog):
            dialog.close()
        if command.checkable and not command.id.startswith("view.theme"):
            window.actions_[command.id].trigger()
    assert window.preview.full_screen is not None
    window.preview.full_screen.close()
    window.find_bar.close_bar()
    window.welcome.end()
    window.appearance.choose(ThemeChoice.SYSTEM)
    assert not [n for n in window.notices.notices if "Internal error" in n.text]
    driven.show()


def test_shortcuts_reach_the_window_while_one_types(driven, qtbot):
    driven.show()
    window, keys, control = driven.window, Qt.Key, Qt.KeyboardModifier.ControlModifier
    with qtbot.waitActive(window):  # shortcuts are for the active window alone
        window.activateWindow()
    driven.editor.setFocus()
    typed_into = driven.editor.focusProxy()
    driven.editor.go_to(7)
    qtbot.keyClick(typed_into, keys.Key_Slash, control)
    assert driven.editor.text.split("\n")[6] == "    // fragColor = vec4(colour, 1.0);"
    driven.wait(window.actions_["edit.undo"].isEnabled, "something to undo")
    qtbot.keyClick(typed_into, keys.Key_Z, control)
    assert driven.editor.text == CHEAP
    qtbot.keyClick(typed_into, keys.Key_F, control)
    assert window.find_bar.isVisible()
    qtbot.keyClicks(window.find_bar.pattern, "colour")
    assert driven.editor.selected_text == "colour"
    qtbot.keyClick(window.find_bar.pattern, keys.Key_Escape)
    assert not window.find_bar.isVisible()
    playing = driven.session.on_device.pictures.playback.playing
    qtbot.keyClick(typed_into, keys.Key_F5)
    assert driven.session.on_device.pictures.playback.playing is not playing
    qtbot.keyClick(typed_into, keys.Key_F5)


def test_replacing_everywhere_is_one_step_to_undo(driven):
    driven.show()
    bar = driven.window.find_bar
    driven.window.actions_["edit.replace"].trigger()
    bar.pattern.setText("colour")
    bar.replacement.setText("shade")
    bar.replace_all()
    assert driven.editor.text == CHEAP.replace("colour", "shade")
    driven.complete()
    driven.window.actions_["edit.undo"].trigger()
    assert driven.editor.text == CHEAP
    bar.close_bar()


def test_palette_runs_the_command_one_typed(driven, qtbot):
    driven.show()
    driven.window.actions_["help.commands"].trigger()
    palette = QApplication.activePopupWidget()
    qtbot.keyClicks(palette.line, "basic blocks")
    qtbot.keyClick(palette.line, Qt.Key.Key_Return)
    assert driven.window.layout_.is_in_front(driven.window.blocks_panel)
    driven.window.layout_.show_tab(driven.window.targets_panel)


def test_dropped_file_is_opened(driven, tmp_path):
    driven.show()
    path = tmp_path / "dropped.frag"
    path.write_text(CHEAP)
    driven.editor.files_dropped.emit([str(path)])
    assert driven.window.documents.document.path == path
    driven.complete()


MOUSE = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    fragColor = vec4(iMouse.xy / iResolution.xy, iMouse.z > 0.0 ? 1.0 : 0.0, 1.0);
}
"""


def test_the_mouse_over_the_picture_reaches_the_shader(driven, qtbot):
    driven.show(MOUSE)
    driven.session.on_device.pictures.playback.pause()
    picture = driven.window.preview.picture
    place = picture.picture_rect()
    at = QPointF(place.left() + place.width() * 0.25, place.bottom() - place.height() * 0.75)

    def colour() -> tuple[int, int, int]:
        return driven.session.on_device.pictures.frame.pixels[0, 0, :3].tolist()

    qtbot.mousePress(picture, Qt.MouseButton.LeftButton, pos=at.toPoint())
    driven.wait(lambda: colour()[2] == 255, "a frame with the button held")
    assert colour()[:2] == pytest.approx([64, 191], abs=2)
    qtbot.mouseRelease(picture, Qt.MouseButton.LeftButton, pos=at.toPoint())
    driven.wait(lambda: colour()[2] == 0, "a frame after the release")
    assert colour()[:2] == pytest.approx([64, 191], abs=2)
    driven.session.on_device.pictures.playback.play()
