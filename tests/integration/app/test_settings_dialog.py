"""Settings by real clicks and keys: font, tab, colours, keys, limits; the examples' pictures."""

import pytest

from shaderlab.app.qt import QApplication, QKeySequence, Qt, QtWidgets
from shaderlab.app.session.bridge import Bridge
from shaderlab.app.session.program_capture import ProgramCapture
from shaderlab.app.session.session import Session
from shaderlab.app.settings import SettingsStore
from shaderlab.app.shell.capture_dialog import CaptureDialog
from shaderlab.app.shell.examples_dialog import PICTURE, ExamplesDialog
from shaderlab.app.shell.main_window import MainWindow
from shaderlab.app.shell.settings_dialog import SettingsDialog
from shaderlab.app.widgets.theme import ThemeChoice
from shaderlab.frontend.examples import examples

_KEY, _CONTROL, _ALT = Qt.Key, Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier


@pytest.fixture
def window(qtbot, tmp_path):
    store = SettingsStore(tmp_path / "s.ini")
    made = MainWindow(Session(), store, store.load())
    qtbot.addWidget(made)
    made.show()
    with qtbot.waitActive(made):
        made.activateWindow()
    return made


def opened(window, qtbot, command_id: str) -> SettingsDialog:
    window.actions_[command_id].trigger()
    (dialog,) = window.findChildren(SettingsDialog)
    qtbot.waitUntil(dialog.isVisible)
    return dialog


def ok(dialog, qtbot) -> None:
    buttons = dialog.findChild(QtWidgets.QDialogButtonBox)
    button = buttons.button(QtWidgets.QDialogButtonBox.StandardButton.Ok)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_font_tab_and_colours_are_taken_and_kept(window, qtbot):
    dialog = opened(window, qtbot, "file.settings")
    before = window.editor.line_height
    dialog.text.points.setValue(20)
    dialog.text.tab.setValue(2)
    dialog.text.theme.setCurrentIndex(2)
    ok(dialog, qtbot)
    assert window.editor.line_height > before
    assert window.appearance.theme.dark
    assert window.settings.theme is ThemeChoice.DARK
    window.editor.set_text("")
    window.editor.setFocus()
    qtbot.keyClick(window.editor.focusProxy(), _KEY.Key_Tab)
    assert window.editor.text == "  "
    window.remember()
    assert window.store.load().font_points == 20
    window.editor.set_unmodified()


def test_a_key_is_found_given_to_another_command_and_used(window, qtbot):
    dialog = opened(window, qtbot, "help.shortcuts")
    keys = dialog.keys
    qtbot.keyClicks(keys.line, "toggle comment")
    seen = [item.text(0) for item in keys._items().values() if not item.isHidden()]
    assert seen == ["Edit: Toggle comment"]
    keys.choose("edit.comment")
    keys.keys.setFocus()
    qtbot.keyClick(keys.keys, _KEY.Key_G, _CONTROL)
    qtbot.waitUntil(lambda: "Go to line" in keys.warning.text())  # who has these keys now
    qtbot.mouseClick(keys.assign, Qt.MouseButton.LeftButton)
    assert keys.keys_text("edit.comment").startswith("Ctrl+G")
    assert keys.keys_text("edit.go_to_line") == ""
    ok(dialog, qtbot)
    assert window.actions_["edit.go_to_line"].shortcut().isEmpty()
    assert "Ctrl+G" in window.actions_["edit.comment"].toolTip()
    window.editor.set_text("a;")
    window.editor.setFocus()
    with qtbot.waitActive(window):
        window.activateWindow()
    qtbot.keyClick(window.editor.focusProxy(), _KEY.Key_G, _CONTROL)
    assert window.editor.text == "// a;"
    window.editor.set_unmodified()


def test_return_in_the_search_leads_to_the_new_keys_and_closes_nothing(window, qtbot):
    dialog = opened(window, qtbot, "help.shortcuts")
    keys = dialog.keys
    qtbot.keyClicks(keys.line, "find")
    first = keys.chosen
    qtbot.keyClick(keys.line, _KEY.Key_Down)
    assert keys.chosen not in ("", first)
    assert "find" in keys.table.currentItem().text(0).lower()
    qtbot.keyClick(keys.line, _KEY.Key_Return)
    assert dialog.isVisible()
    assert dialog.focusWidget() is keys.keys
    chosen = keys.chosen
    qtbot.keyClick(keys.keys, _KEY.Key_F9, _CONTROL | _ALT)
    qtbot.waitUntil(keys.assign.isEnabled)
    qtbot.mouseClick(keys.assign, Qt.MouseButton.LeftButton)
    qtbot.keyClick(dialog.focusWidget(), _KEY.Key_Space)  # not on “Remove keys”
    assert keys.bindings[chosen][0] == "Ctrl+Alt+F9"
    dialog.reject()


def test_labels_stand_at_the_middle_of_their_fields(window, qtbot):
    dialog = opened(window, qtbot, "file.settings")
    form = dialog.text.layout()
    assert isinstance(form, QtWidgets.QFormLayout)
    for field in (dialog.text.family, dialog.text.points, dialog.text.tab, dialog.text.theme):
        label = form.labelForField(field)
        assert abs(label.geometry().center().y() - field.geometry().center().y()) <= 1
    dialog.reject()


def test_presets_and_defaults(window, qtbot):
    dialog = opened(window, qtbot, "help.shortcuts")
    keys = dialog.keys
    row = keys.preset.findText("VS Code")
    keys.preset.setCurrentIndex(row)
    keys.preset.activated.emit(row)
    assert keys.bindings["run.compile"] == ("Ctrl+Shift+B",)
    keys.choose("run.compile")
    qtbot.mouseClick(keys.restore, Qt.MouseButton.LeftButton)
    assert keys.bindings["run.compile"] == ("Ctrl+Return",)
    ok(dialog, qtbot)
    assert window.actions_["view.side"].shortcut() == QKeySequence("Ctrl+J")


def test_every_limit_says_what_happens_beyond_it(window, qtbot):
    dialog = opened(window, qtbot, "run.limits")
    boxes = dialog.limits.findChildren(QtWidgets.QAbstractSpinBox)
    assert len(boxes) >= 8
    assert all(box.accessibleDescription() for box in boxes)
    dialog.reject()


def test_every_mnemonic_leads_to_a_field_and_return_starts_the_program(window, qtbot):
    window.actions_["run.capture"].trigger()
    dialog = next(each for each in window.findChildren(QtWidgets.QDialog) if each.isVisible())
    marked = [each for each in dialog.findChildren(QtWidgets.QLabel) if "&" in each.text()]
    assert len(marked) == 3
    assert all(each.buddy() in dialog.findChildren(QtWidgets.QLineEdit) for each in marked)
    qtbot.keyClick(dialog.folder, _KEY.Key_Return)
    assert dialog.said.text(), "the start was tried, and says that no program is given"
    dialog.reject()


def test_a_dialog_that_was_closed_hears_of_no_later_capture(window, qtbot):
    capture = ProgramCapture(Bridge(window), window)
    closed = CaptureDialog(capture, None, window)
    closed.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    closed.open()
    with qtbot.waitSignal(closed.destroyed):
        qtbot.mouseClick(closed.cancel, Qt.MouseButton.LeftButton)
    again = CaptureDialog(capture, None, window)
    again.open()
    with qtbot.captureExceptions() as raised:
        capture.captured.emit(None)
    assert not raised
    assert not again.isVisible()
    capture.close()


def test_an_example_is_chosen_by_its_picture(window, qtbot):
    window.actions_["file.examples"].trigger()
    (dialog,) = window.findChildren(ExamplesDialog)
    qtbot.waitUntil(dialog.isVisible)
    assert dialog.list.count() == len(examples())
    for number in range(dialog.list.count()):
        image = dialog.list.item(number).icon().pixmap(PICTURE).toImage()
        colours = {image.pixel(x, y) for x in range(0, 192, 8) for y in range(0, 108, 8)}
        assert len(colours) > 1, dialog.list.item(number).text()
    qtbot.keyClicks(dialog.line, "julia")
    assert dialog.list.count() == 1
    qtbot.keyClick(dialog.line, _KEY.Key_Return)
    assert window.documents.document.example == "julia"
    assert QApplication.activeModalWidget() is None
