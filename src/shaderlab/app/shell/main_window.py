"""The window: its parts, where they lie, and how the session's results reach them."""

from __future__ import annotations

import logging
from pathlib import Path

from shaderlab.app.documents.documents import Documents
from shaderlab.app.editor.find_bar import FindBar
from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.panels.blocks.blocks_panel import BlocksPanel
from shaderlab.app.panels.compiled.compiled_control import AmdControl
from shaderlab.app.panels.compiled.compiled_panel import AmdPanel
from shaderlab.app.panels.hot_lines.hot_lines_panel import HotLinesPanel
from shaderlab.app.panels.preview import preview
from shaderlab.app.panels.preview.heat_control import HeatControl
from shaderlab.app.panels.problems.problems import Problems
from shaderlab.app.panels.profile.calibrate_control import CalibrateControl
from shaderlab.app.panels.profile.profile_panel import ProfilePanel
from shaderlab.app.panels.samples.sample_control import SampleControl
from shaderlab.app.panels.samples.samples_panel import SamplesPanel
from shaderlab.app.panels.targets.targets_panel import TargetsPanel
from shaderlab.app.qt import (
    QActionGroup,
    QApplication,
    QByteArray,
    QEvent,
    QSize,
    Qt,
    QtWidgets,
    QWidget,
)
from shaderlab.app.session.frame_budget import capped
from shaderlab.app.session.session import Session
from shaderlab.app.settings import BUDGET_RANGE_S, PIXELS_RANGE, Settings, SettingsStore, within
from shaderlab.app.shell import commands
from shaderlab.app.shell.commands import Actions
from shaderlab.app.shell.device_choice import DeviceChoice
from shaderlab.app.shell.handlers import Handlers
from shaderlab.app.shell.recovery import Recovery
from shaderlab.app.shell.results import Results
from shaderlab.app.shell.watchdog import Watchdog
from shaderlab.app.widgets import theme
from shaderlab.app.widgets.notifications import NotificationBar, NotificationCentre
from shaderlab.frontend.program import Diagnostic

log = logging.getLogger(__name__)


class MainWindow(Handlers, QtWidgets.QMainWindow):
    """Views of one `Session`, and the commands that drive it."""

    def __init__(self, session: Session, store: SettingsStore, settings: Settings):
        super().__init__()
        self.session, self.store, self.settings = session, store, settings
        self.theme = theme.current(settings.theme)
        self.notices = NotificationCentre(self)
        self.recovery: Recovery | None = None
        """Set by `Recovery.attach`."""
        self.watchdog: Watchdog | None = None
        self.actions_ = Actions(self)
        self._build()
        self._build_menus()
        self.results = Results(self)
        self.heat = HeatControl(self)
        self.device_choice = DeviceChoice(self)
        self.amd = AmdControl(self)
        self.samples = SampleControl(self)
        self.calibrating = CalibrateControl(self)
        self.apply_limits()
        self._connect()
        self._restore()
        self.apply_theme()
        self.editor.release_keys(self.actions_.key_sequences())

    # -- parts ------------------------------------------------------------------------------

    def _build(self) -> None:
        self.setWindowTitle("shaderlab")
        self.setAcceptDrops(True)
        self.editor = Editor(self.theme)
        self.find_bar = FindBar(self.editor, self.theme)
        self.problems = Problems(self.theme)
        left = QWidget()
        column = QtWidgets.QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.editor, 1)
        column.addWidget(self.find_bar)
        column.addWidget(self.problems)

        actions = self.actions_
        switch, *kinds = (actions[command_id] for command_id in commands.HEAT_COMMANDS)
        self.preview = preview.Preview(
            self.theme, actions["run.play"], actions["run.restart"], switch, kinds
        )
        self.targets_panel = TargetsPanel(
            self.theme, actions["run.pin"], actions["run.unpin"], self.settings.target
        )
        self.hot_lines_panel = HotLinesPanel(self.theme)
        self.blocks_panel = BlocksPanel(self.theme)
        self.profile_panel = ProfilePanel(
            self.theme,
            actions["run.profile"],
            actions["run.profile_sizes"],
            actions["run.stop_profile"],
            self.settings.trials,
            self.settings.draws,
        )
        self.profile_panel.offer(actions["run.calibrate"])
        self.amd_panel = AmdPanel(self.theme, actions["run.pin"], actions["run.copy_command"])
        self.samples_panel = SamplesPanel(
            self.theme, actions["run.record"], actions["file.export_samples"]
        )
        self.tabs = QtWidgets.QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setExpanding(False)
        self.tabs.addTab(self.targets_panel, "Predicted times")
        self.tabs.addTab(self.hot_lines_panel, "Hot lines")
        self.tabs.addTab(self.blocks_panel, "Basic blocks")
        self.tabs.addTab(self.profile_panel, "This device")
        self.tabs.addTab(self.amd_panel, "AMD compiler")
        self.tabs.addTab(self.samples_panel, "Samples")
        self.side = QtWidgets.QSplitter(Qt.Orientation.Vertical)
        self.side.addWidget(self.preview)
        self.side.addWidget(self.tabs)
        self.split = QtWidgets.QSplitter(Qt.Orientation.Horizontal)
        self.split.addWidget(left)
        self.split.addWidget(self.side)
        for splitter in (self.side, self.split):
            splitter.setHandleWidth(1)
            splitter.setChildrenCollapsible(False)
        self.setCentralWidget(self.split)
        self.toolbar = self.addToolBar("Commands")
        self.notification_bar = NotificationBar(self.notices, self.theme, self, self.toolbar)
        self.documents = Documents(self.editor, self.session, self.settings, self.notices, self)

        self._place = QtWidgets.QLabel()
        self.dialect_label = QtWidgets.QLabel()
        self.latency_label = QtWidgets.QLabel()
        self.latency_label.setToolTip(
            "From the last change of the text to picture, counts, predictions"
        )
        self.device_menu = QtWidgets.QMenu("&Device", self)
        self.device_label = QtWidgets.QToolButton()
        self.device_label.setText("Looking for devices…")
        self.device_label.setPopupMode(QtWidgets.QToolButton.ToolButtonPopupMode.InstantPopup)
        self.device_label.setMenu(self.device_menu)
        self.badge = QtWidgets.QLabel("software driver (CPU)")
        self.badge.setProperty("role", "badge")
        self.badge.setToolTip(
            "No GPU driver is in use: pictures, counts and profiles come from the CPU. "
            "Counts and predictions are the same as on a GPU; times of this device are not."
        )
        self.badge.hide()
        bar = self.statusBar()
        bar.setSizeGripEnabled(False)
        for label in (self._place, self.dialect_label, self.latency_label):
            bar.addWidget(label)
        bar.addPermanentWidget(self.badge)
        bar.addPermanentWidget(self.device_label)

    def _build_menus(self) -> None:
        actions = self.actions_
        self._recent_menu = QtWidgets.QMenu("Open &recent", self)
        self._recent_menu.aboutToShow.connect(self._fill_recent)
        theme_menu = QtWidgets.QMenu("Colou&rs", self)
        group = QActionGroup(self)
        for command_id in commands.THEME_COMMANDS:
            theme_menu.addAction(group.addAction(actions[command_id]))
        heat_menu = QtWidgets.QMenu("&Heat map", self)
        switch, *kinds = (actions[command_id] for command_id in commands.HEAT_COMMANDS)
        heat_menu.addAction(switch)
        heat_menu.addSeparator()
        group = QActionGroup(self)
        for kind in kinds:
            heat_menu.addAction(group.addAction(kind))
        menus = {
            "recent": self._recent_menu,
            "theme": theme_menu,
            "heat": heat_menu,
            "devices": self.device_menu,
        }
        for title, entries in commands.MENUS:
            menu = self.menuBar().addMenu(title)
            for entry in entries:
                if entry == commands.SEPARATOR:
                    menu.addSeparator()
                elif entry in menus:
                    menu.addMenu(menus[entry])
                else:
                    menu.addAction(actions[entry])
        self.toolbar.setObjectName("toolbar")
        self.toolbar.setMovable(False)
        self.toolbar.setIconSize(QSize(20, 20))
        self.toolbar.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        for entry in commands.TOOLBAR:
            if entry == commands.SEPARATOR:
                self.toolbar.addSeparator()
            else:
                self.toolbar.addAction(actions[entry])
            if entry in commands.TEXT_BESIDE_ICON:
                button = self.toolbar.widgetForAction(actions[entry])
                button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        for command in actions.commands:
            if actions[command.id] not in self.actions():
                self.addAction(actions[command.id])

    def _connect(self) -> None:
        editor = self.editor
        editor.text_edited.connect(self._on_edited)
        editor.cursor_moved.connect(self._on_cursor)
        editor.modified_changed.connect(lambda _: self._show_title())
        editor.files_dropped.connect(self._on_dropped)
        editor.refused.connect(lambda reason: self.notices.say("warning", reason))
        self.documents.changed.connect(self._on_document)
        self.problems.chosen.connect(self.jump_to)
        self.problems.opened.connect(self.actions_["view.problems"].setChecked)
        self.preview.size_chosen.connect(self._choose_size)
        self.preview.pane_resized.connect(self.fit_preview)
        picture, mouse = self.preview.picture, self.session.on_device.mouse
        picture.pressed.connect(mouse.press)
        picture.dragged.connect(mouse.drag)
        picture.released.connect(mouse.release)
        self.blocks_panel.lines_chosen.connect(editor.link_lines)
        self.hot_lines_panel.line_chosen.connect(self.go_to_line)
        self.profile_panel.plan_changed.connect(self._on_plan)
        hints = QApplication.styleHints()
        hints.colorSchemeChanged.connect(lambda _: self.apply_theme())

    # -- layout -----------------------------------------------------------------------------

    def default_layout(self) -> None:
        """Editor at the left; preview over the panels at the right."""
        self.resize(1280, 720)
        self.side.show()
        self.actions_["view.side"].setChecked(True)
        self.session.on_device.set_visible(True)
        self.split.setSizes([660, 620])
        self.side.setSizes([330, 290])
        self.split.setStretchFactor(0, 1)
        self.split.setStretchFactor(1, 1)

    def _restore(self) -> None:
        settings = self.settings
        self.default_layout()
        if settings.geometry:
            self.restoreGeometry(QByteArray(settings.geometry))
        for splitter, state in (
            (self.split, settings.main_split),
            (self.side, settings.side_split),
        ):
            if state:
                splitter.restoreState(QByteArray(state))
                splitter.setHandleWidth(1)
        self.tabs.setCurrentIndex(settings.side_tab)
        self.editor.set_zoom(settings.zoom)
        self.editor.set_wrap(settings.wrap_lines)
        self.editor.show_counts(settings.show_counts)
        self.editor.show_shares(settings.show_shares)
        self.side.setVisible(settings.side_visible)
        self.session.on_device.set_visible(settings.side_visible)
        for command_id, checked in {
            "view.side": settings.side_visible,
            "view.counts": settings.show_counts,
            "view.shares": settings.show_shares,
            "view.wrap": settings.wrap_lines,
            "run.compile_on_save": settings.compile_on_save,
            "run.start_paused": settings.start_paused,
        }.items():
            self.actions_[command_id].setChecked(checked)

    def remember(self) -> None:
        """Write settings and layout."""
        settings = self.settings
        settings.geometry = bytes(self.saveGeometry().data())
        settings.main_split = bytes(self.split.saveState().data())
        settings.side_split = bytes(self.side.saveState().data())
        settings.side_tab = self.tabs.currentIndex()
        settings.zoom = self.editor.zoom
        if not self.store.save(settings):
            log.warning("%s cannot be written: settings are lost", self.store.path)

    def show_tab(self, panel: QWidget) -> None:
        if not self.side.isVisible():
            self.actions_["view.side"].trigger()
        self.tabs.setCurrentWidget(panel)

    # -- the document -----------------------------------------------------------------------

    def _on_document(self) -> None:
        self._show_title()
        self.results.refresh()

    def _show_title(self) -> None:
        name = self.documents.document.name
        self.setWindowTitle(f"{name}[*] \u2013 shaderlab")
        self.setWindowModified(self.editor.modified)

    def _on_edited(self) -> None:
        if not self.settings.compile_on_save:
            self.session.edit(self.editor.text)

    def _on_cursor(self, line: int, column: int) -> None:
        self._place.setText(f"Line {line}, column {column}")
        if self.editor.linked_lines and line not in self.editor.linked_lines:
            self.editor.link_lines(())
        self.blocks_panel.follow_line(line)
        if not self.documents.document.spirv:  # whose lines are those of the assembly
            self.hot_lines_panel.follow_line(line)

    def _on_dropped(self, names: list[str]) -> None:
        if names:
            self.documents.open(Path(names[0]))

    def _fill_recent(self) -> None:
        self._recent_menu.clear()
        for name in self.settings.recent:
            path = Path(name)
            entry = self._recent_menu.addAction(
                f"{path.name}  \u2013  {path.parent}".replace("&", "&&")
            )
            entry.triggered.connect(lambda _=False, path=path: self.documents.open(path))
        if not self.settings.recent:
            self._recent_menu.addAction("Nothing opened yet").setEnabled(False)

    def jump_to(self, diagnostic: Diagnostic) -> None:
        """Bring a problem's place into view, opening the included file where it lies there."""
        if self._open_included(diagnostic.file):
            if diagnostic.line:
                self.editor.go_to(diagnostic.line, max(diagnostic.column, 1))
            self.editor.setFocus()

    def go_to_line(self, file: str, line: int) -> None:
        """Put the caret on a line of the document, or of a file it includes, and tint it.

        Of a SPIR-V file the blocks are shown that came from the line.
        """
        if self.documents.document.spirv:
            self.editor.link_lines(self.results.assembly_of(file, line))
        elif self._open_included(file):
            self.editor.go_to(line)
            self.editor.link_lines((line,))

    def _open_included(self, file: str) -> bool:
        """Whether the file is the document now; an empty name is the document's own."""
        folder = self.documents.document.folder
        return not file or folder is None or self.documents.open(folder / file)

    # -- choices in the panes ---------------------------------------------------------------

    def _on_plan(self, trials: int, draws: int) -> None:
        self.settings.trials, self.settings.draws = trials, draws
        self.results.show_estimate()

    def _choose_size(self, choice: str) -> None:
        self.settings.preview_size = choice
        self.fit_preview()

    def fit_preview(self) -> None:
        """Ask for pictures of the chosen resolution, which may follow the pane's size."""
        info = self.session.device
        software = info is not None and info.kind == "software"
        choice = self.settings.preview_size
        size = preview.pixels_for(choice, self.preview.pane_pixels(), software)
        size = capped(size, within(self.settings.most_pixels, PIXELS_RANGE))
        self.preview.show_size(choice, size)
        self.session.on_device.set_size(size)

    def apply_limits(self) -> None:
        """Hold the session to the limits in the settings."""
        self.session.set_limits(self.settings.limits)
        budget_s = within(self.settings.frame_budget_s, BUDGET_RANGE_S)
        self.session.on_device.budget.budget_s = budget_s
        self.fit_preview()

    # -- events -----------------------------------------------------------------------------

    def dragEnterEvent(self, event) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event) -> None:
        event.acceptProposedAction()
        self._on_dropped([url.toLocalFile() for url in event.mimeData().urls()])

    def changeEvent(self, event) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.WindowStateChange:
            self.session.on_device.set_visible(
                not self.isMinimized() and self.settings.side_visible
            )
            self.actions_["view.full_screen"].setChecked(self.isFullScreen())

    def closeEvent(self, event) -> None:
        if self.documents.waiting or not self.documents.may_leave():
            event.ignore()
            return
        self.remember()
        self.session.close()
        super().closeEvent(event)
