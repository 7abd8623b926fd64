"""Whoever uses a screen reader, or no mouse: every control has a name and can be reached."""

import pytest

from shaderlab.app.qt import Qt, QtWidgets
from shaderlab.app.session.session import Session
from shaderlab.app.settings import SettingsStore
from shaderlab.app.shell.examples_dialog import ExamplesDialog
from shaderlab.app.shell.main_window import MainWindow
from shaderlab.app.shell.manual import Manual
from shaderlab.app.shell.settings_dialog import SettingsDialog
from shaderlab.app.widgets.naming import CONTROLS, spoken_name
from shaderlab.app.widgets.theme import DARK
from shaderlab.frontend.examples import examples

_OF_QT = ("qt_", "QtPrivate")
"""Beginnings of the names of what Qt makes inside its own controls."""


def nameless(window) -> list[str]:
    """Places of the controls that a screen reader has no name for."""
    found = []
    for widget in window.findChildren(QtWidgets.QWidget):
        if not isinstance(widget, CONTROLS) or spoken_name(widget):
            continue
        above = []
        while widget is not None:
            above.append(widget)
            widget = widget.parentWidget()
        own, *rest = above
        if isinstance(own, QtWidgets.QPushButton) and not own.isVisible():
            continue  # it gets its text when it is shown
        inside = any(isinstance(each, CONTROLS) for each in rest)
        parts = (QtWidgets.QScrollBar, QtWidgets.QHeaderView)
        if not inside and not isinstance(own, parts) and not own.objectName().startswith(_OF_QT):
            found.append(" < ".join(type(each).__name__ for each in above[:5]) + own.objectName())
    return found


@pytest.fixture
def window(qtbot, tmp_path):
    store = SettingsStore(tmp_path / "s.ini")
    made = MainWindow(Session(), store, store.load())
    qtbot.addWidget(made)
    made.resize(1280, 720)
    made.show()
    qtbot.waitExposed(made)
    return made


def test_every_control_of_the_window_has_a_name(window):
    for panel in window.layout_.panels.values():
        window.layout_.show_tab(panel)
    assert nameless(window) == []


@pytest.mark.parametrize(
    "make",
    [
        lambda window: SettingsDialog(window.settings, DARK, window),
        lambda window: ExamplesDialog(examples(), window),
        Manual,
    ],
)
def test_every_control_of_the_dialogs_has_a_name(window, qtbot, make):
    dialog = make(window)
    qtbot.addWidget(dialog)
    dialog.show()
    assert nameless(dialog) == []


def test_every_panel_takes_the_keyboard(window, qtbot):
    with qtbot.waitActive(window):
        window.activateWindow()
    for name, dock in window.layout_.docks.items():
        window.layout_.enter(name)
        qtbot.waitUntil(lambda dock=dock: dock.has_focus)
        qtbot.keyClick(QtWidgets.QApplication.focusWidget(), Qt.Key.Key_Escape)
        assert window.editor.focusProxy().hasFocus() or window.editor.hasFocus(), name
