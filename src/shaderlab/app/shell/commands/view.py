"""Commands about what is on screen and how it looks."""

from __future__ import annotations

from shaderlab.app.documents.split import SplitView
from shaderlab.app.documents.stage_bar import StageBar
from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.panels.preview.heat_presenter import HeatPresenter
from shaderlab.app.panels.preview.panel import Preview
from shaderlab.app.panels.problems.panel import Problems
from shaderlab.app.qt import Qt, QWidget
from shaderlab.app.settings import ZOOM_RANGE, Settings, within
from shaderlab.app.shell.appearance import Appearance
from shaderlab.app.shell.commands.actions import Calls
from shaderlab.app.shell.focus_ring import FocusRing
from shaderlab.app.shell.layout import Layout
from shaderlab.app.shell.text_table import show_table
from shaderlab.app.widgets.notifications import NotificationCentre
from shaderlab.app.widgets.theme import ThemeChoice
from shaderlab.spirv.heat import HeatKind


class ViewCommands:
    """See the module."""

    def __init__(
        self,
        window: QWidget,
        settings: Settings,
        notices: NotificationCentre,
        editor: Editor,
        problems: Problems,
        layout: Layout,
        ring: FocusRing,
        stages: StageBar,
        split: SplitView,
        heat: HeatPresenter,
        appearance: Appearance,
        preview: Preview,
    ):
        self._window, self._settings, self._notices = window, settings, notices
        self._editor = editor
        self.calls: Calls = {
            **{f"view.{name}": lambda name=name: layout.enter(name) for name in layout.panels},
            "view.next_part": ring.next,
            "view.previous_part": ring.previous,
            "view.close_panel": layout.close_focused,
            "view.side": layout.show_side,
            "view.problems": problems.open,
            "view.counts": self._counts,
            "view.shares": self._shares,
            "view.heat": heat.show,
            "view.heat_instructions": lambda _on: heat.choose(HeatKind.INSTRUCTIONS),
            "view.heat_lanes": lambda _on: heat.choose(HeatKind.LANES),
            "view.heat_blocks": lambda _on: heat.choose(HeatKind.BLOCKS),
            "view.stage": stages.switch,
            "view.split": split.beside,
            "view.split_down": split.below,
            "view.other_view": editor.next_pane,
            "view.close_split": editor.close_split,
            "view.wrap": self._wrap,
            "view.zoom_in": lambda: self._zoom(editor.zoom + 1),
            "view.zoom_out": lambda: self._zoom(editor.zoom - 1),
            "view.zoom_reset": lambda: self._zoom(0),
            "view.theme_system": lambda _on: appearance.choose(ThemeChoice.SYSTEM),
            "view.theme_light": lambda _on: appearance.choose(ThemeChoice.LIGHT),
            "view.theme_dark": lambda _on: appearance.choose(ThemeChoice.DARK),
            "view.preview_full_screen": preview.toggle_full_screen,
            "view.full_screen": self._full_screen,
            "view.reset_layout": layout.reset,
            "view.notifications": self._messages,
        }

    def _counts(self, shown: bool) -> None:
        self._settings.show_counts = shown
        self._editor.show_counts(shown)

    def _shares(self, shown: bool) -> None:
        self._settings.show_shares = shown
        self._editor.show_shares(shown)

    def _wrap(self, wrap: bool) -> None:
        self._settings.wrap_lines = wrap
        self._editor.set_wrap(wrap)

    def _zoom(self, points: int) -> None:
        self._editor.set_zoom(round(within(points, ZOOM_RANGE)))

    def _full_screen(self, full: bool) -> None:
        window, state = self._window, Qt.WindowState.WindowFullScreen
        window.setWindowState(
            window.windowState() | state if full else window.windowState() & ~state
        )

    def _messages(self) -> None:
        texts = [
            f"{n.text}  (\u00d7{n.times})" if n.times > 1 else n.text
            for n in self._notices.notices[::-1]
        ]
        rows = [(text, "") for text in texts] or [("None yet", "")]
        show_table("Messages", rows, self._window)
