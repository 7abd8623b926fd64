"""Panels as docks: arranged by the window's width, moved, closed, remembered; the keyboard's way
into them and back."""

import pytest

from shaderlab.app.qt import QApplication, QPoint, Qt, QtWidgets
from shaderlab.app.session.session import Session
from shaderlab.app.settings import Settings, SettingsStore
from shaderlab.app.shell.arrangements import Room
from shaderlab.app.shell.main_window import MainWindow
from shaderlab.app.shell.panels import PANELS

_KEY, _SHIFT = Qt.Key, Qt.KeyboardModifier.ShiftModifier


class Bare:
    """A window without workers."""

    def __init__(self, qtbot, folder):
        self.qtbot, self.store = qtbot, SettingsStore(folder / "settings.ini")
        self.window = self.make()

    def make(self) -> MainWindow:
        window = MainWindow(Session(), self.store, self.store.load())
        self.qtbot.addWidget(window)
        window.show()
        self.qtbot.waitExposed(window)
        return window

    def resize(self, width: int, height: int) -> None:
        self.window.resize(width, height)
        room = {640: Room.NARROW, 960: Room.HALF}.get(width, Room.WIDE)
        self.qtbot.waitUntil(lambda: self.window.layout_._room is room)
        self.qtbot.wait(30)  # Qt has laid it out

    def again(self) -> None:
        """As after the next start."""
        self.window.remember()
        self.window.hide()
        self.window = self.make()
        self.qtbot.wait(30)

    @property
    def in_front(self) -> set[str]:
        return {name for name, dock in self.window.layout_.docks.items() if dock.in_front}


@pytest.fixture
def bare(qtbot, tmp_path):
    return Bare(qtbot, tmp_path)


@pytest.mark.parametrize("size", [(1280, 720), (960, 1080), (640, 720), (640, 480)])
def test_the_text_has_room_in_every_window(bare, size):
    bare.resize(*size)
    window, text = bare.window, bare.window.editor
    assert window.size().toTuple() == size
    assert text.isVisible()
    columns = text.width() / text.fontMetrics().horizontalAdvance("m")
    assert columns > 50, "with the margins"
    assert text.height() > 6 * text.fontMetrics().lineSpacing()
    assert "preview" in bare.in_front


def test_a_width_gets_its_own_arrangement_back(bare):
    window = bare.window
    bare.resize(1280, 720)
    assert bare.in_front == {"preview", "targets"}
    window.layout_.docks["blocks"].raise_()
    bare.qtbot.waitUntil(lambda: window.layout_._steady is not None)
    bare.qtbot.wait(400)
    width = window.preview.width()
    bare.resize(640, 720)
    assert bare.in_front == {"preview"}
    bare.resize(1280, 720)
    assert bare.in_front == {"preview", "blocks"}
    assert abs(window.preview.width() - width) < 20


def test_panels_keep_their_shares_of_a_column_through_other_windows(bare):
    bare.resize(1280, 720)
    docks = bare.window.layout_.docks

    def share() -> float:
        preview, targets = docks["preview"].height(), docks["targets"].height()
        return preview / (preview + targets)

    bare.qtbot.wait(400)
    before = share()
    for size in ((1900, 1080), (640, 480), (960, 1080), (1280, 720)):
        bare.resize(*size)
        bare.qtbot.wait(400)
    bare.qtbot.waitUntil(lambda: abs(share() - before) < 0.04)


def test_going_to_half_a_screen_and_back_moves_nothing(bare):
    bare.resize(1280, 720)
    preview = bare.window.layout_.docks["preview"]
    bare.qtbot.wait(400)
    before = preview.height()
    for _ in range(4):
        bare.resize(960, 1080)
        bare.qtbot.wait(400)
        bare.resize(1280, 720)
        bare.qtbot.wait(400)
    assert preview.height() == before


def test_a_large_window_has_two_columns_of_panels(bare):
    bare.resize(1280, 720)
    bare.window.resize(2400, 1000)
    docks = bare.window.layout_.docks
    bare.qtbot.waitUntil(lambda: bare.in_front == {"preview", "inputs", "targets", "hot_lines"})

    def columns() -> bool:
        left, right = docks["preview"].geometry(), docks["targets"].geometry()
        return (
            right.left() > left.right()
            and docks["inputs"].geometry().left() == left.left()
            and docks["hot_lines"].geometry().left() == right.left()
            and abs(left.width() - right.width()) < 10
        )

    bare.qtbot.waitUntil(columns)


def test_places_are_remembered_and_reset(bare):
    bare.resize(1280, 720)
    docks = bare.window.layout_.docks
    docks["samples"].close()
    docks["inputs"].setFloating(True)
    docks["inputs"].move(500, 300)  # as by a drag
    docks["hot_lines"].raise_()
    bare.qtbot.wait(30)
    assert docks["inputs"].pos() == QPoint(500, 300)
    bare.again()
    docks = bare.window.layout_.docks
    assert docks["samples"].isHidden()
    assert docks["inputs"].isFloating()
    assert docks["hot_lines"].in_front
    assert not docks["targets"].in_front
    bare.window.actions_["view.reset_layout"].trigger()
    bare.qtbot.wait(30)
    assert not docks["samples"].isHidden()
    assert not docks["inputs"].isFloating()
    assert bare.in_front == {"preview", "targets"}


def test_a_damaged_or_foreign_arrangement_is_not_taken(bare):
    bare.resize(1280, 720)
    bare.window.settings.docks_wide = b"\x00\x01 not an arrangement"
    bare.window.layout_._take_stored()
    bare.qtbot.wait(30)
    assert bare.in_front == {"preview", "targets"}


def test_hiding_all_panels_and_bringing_them_back(bare):
    bare.resize(1280, 720)
    window, seen = bare.window, []
    window.layout_.preview_seen.connect(seen.append)
    window.layout_.docks["blocks"].raise_()
    bare.qtbot.waitUntil(lambda: bare.in_front == {"preview", "blocks"})
    window.actions_["view.side"].trigger()
    bare.qtbot.waitUntil(lambda: not bare.in_front)
    bare.qtbot.waitUntil(lambda: seen[-1:] == [False])
    bare.again()
    window = bare.window
    assert not bare.in_front
    window.actions_["view.side"].trigger()
    bare.qtbot.waitUntil(lambda: bare.in_front == {"preview", "blocks"})
    for dock in window.layout_.docks.values():
        dock.close()
    bare.qtbot.waitUntil(lambda: not window.actions_["view.side"].isChecked())
    window.layout_.show_tab(window.targets_panel)
    bare.qtbot.waitUntil(lambda: "targets" in bare.in_front)


def test_nothing_moves_when_a_panel_needs_more_room(bare):
    bare.resize(1280, 720)
    window = bare.window
    before = window.editor.width(), window.preview.size()
    window.targets_panel.setMinimumSize(900, 700)
    bare.qtbot.wait(30)
    assert (window.editor.width(), window.preview.size()) == before


def test_panels_keep_their_share_of_a_larger_window(bare):
    bare.resize(1280, 720)
    share = bare.window.layout_.docks["preview"].width() / 1280
    bare.resize(1900, 1000)
    dock = bare.window.layout_.docks["preview"]
    bare.qtbot.waitUntil(lambda: abs(dock.width() / 1900 - share) < 0.02)


def test_only_a_panel_without_a_tab_has_a_title_bar(bare):
    bare.resize(1280, 720)
    docks = bare.window.layout_.docks
    bare.qtbot.waitUntil(lambda: docks["targets"].titleBarWidget() is not None)
    assert docks["preview"].titleBarWidget() is None
    docks["targets"].setFloating(True)
    bare.qtbot.waitUntil(lambda: docks["targets"].titleBarWidget() is None)


def test_the_keyboard_goes_round_the_window(bare):
    bare.resize(1280, 720)
    window, qtbot = bare.window, bare.qtbot
    window.editor.set_text("void main() {}\n")
    with qtbot.waitActive(window):
        window.activateWindow()
    window.editor.setFocus()

    def press(key, modifier=Qt.KeyboardModifier.NoModifier) -> str:
        qtbot.keyClick(QApplication.focusWidget(), key, modifier)
        docks = window.layout_.docks.items()
        return next((name for name, dock in docks if dock.has_focus), "text")

    assert press(_KEY.Key_F6) == "preview"
    assert press(_KEY.Key_F6) == "targets"
    assert press(_KEY.Key_F6) == "text"
    assert press(_KEY.Key_F6, _SHIFT) == "targets"
    numbered = [panel for panel in PANELS if panel.shortcut.startswith("Alt+")]
    assert len(numbered) >= 8
    for panel in numbered:
        key = getattr(_KEY, f"Key_{panel.shortcut[-1]}")
        assert press(key, Qt.KeyboardModifier.AltModifier) == panel.name
        assert press(_KEY.Key_Return) == panel.name, "Return stays in the panel"
        assert window.editor.text == "void main() {}\n"
        assert press(_KEY.Key_Escape) == "text"


def test_a_tab_leads_into_its_panel_and_its_menu_closes_it(bare):
    bare.resize(1280, 720)
    window, qtbot = bare.window, bare.qtbot
    with qtbot.waitActive(window):
        window.activateWindow()
    bars = [b for b in window.findChildren(QtWidgets.QTabBar) if b.accessibleName() == "Panels"]
    (bar,) = [bar for bar in bars if bar.isVisible()]
    tab = [bar.tabText(n) for n in range(bar.count())].index("Basic blocks")
    qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.tabRect(tab).center())
    qtbot.waitUntil(lambda: window.layout_.docks["blocks"].has_focus)
    bar.customContextMenuRequested.emit(QPoint(bar.tabRect(tab).center()))
    menu = QApplication.activePopupWidget()
    menu.actions()[0].trigger()
    menu.close()
    assert window.layout_.docks["blocks"].isHidden()


def test_the_first_window_fits_its_screen(qtbot, tmp_path):
    settings = Settings()
    window = MainWindow(Session(), SettingsStore(tmp_path / "s.ini"), settings)
    qtbot.addWidget(window)
    screen = window.screen().availableGeometry()
    window.resize(screen.width() * 3, screen.height() * 3)
    settings.geometry = bytes(window.saveGeometry().data())
    window.layout_.restore()
    assert window.width() <= screen.width()
    assert window.height() <= screen.height()


def test_a_maximised_window_keeps_its_splitters_through_a_restart(bare, qtbot):
    window = bare.window
    bare.resize(1900, 1080)
    qtbot.wait(400)
    window.resizeDocks([window.layout_.docks["preview"]], [900], Qt.Orientation.Horizontal)
    qtbot.wait(400)
    before = window.editor.width()
    # Xvfb has no window manager: what one does is done by hand.
    maximised = QtWidgets.QWidget()
    qtbot.addWidget(maximised)
    maximised.resize(1280, 720)
    maximised.setWindowState(Qt.WindowState.WindowMaximized)
    window.remember()
    window.hide()
    window.settings.geometry = bytes(maximised.saveGeometry().data())
    bare.store.save(window.settings)
    again = bare.make()
    qtbot.wait(30)
    bare.window = again
    bare.resize(1900, 1080)
    qtbot.wait(400)
    assert abs(again.editor.width() - before) < 20
