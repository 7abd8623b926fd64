"""The window: its parts, where they lie, and how the session's results reach them."""

from __future__ import annotations

from pathlib import Path

from shaderlab import units
from shaderlab.app import commands, icons, line_notes, preview, theme
from shaderlab.app.blocks_panel import BlocksPanel
from shaderlab.app.commands import Actions, When
from shaderlab.app.documents import Documents
from shaderlab.app.find_bar import FindBar
from shaderlab.app.handlers import Handlers
from shaderlab.app.notifications import NotificationBar, NotificationCentre
from shaderlab.app.problems import Problems
from shaderlab.app.profile_panel import ProfilePanel, device_text, estimate_s
from shaderlab.app.qt import (
    QActionGroup,
    QApplication,
    QByteArray,
    QEvent,
    QSize,
    Qt,
    QTimer,
    QtWidgets,
    QWidget,
    Signal,
)
from shaderlab.app.scintilla import Editor, Mark
from shaderlab.app.session import CANONICAL, Session
from shaderlab.app.settings import Settings, SettingsStore
from shaderlab.app.targets_panel import TargetsPanel
from shaderlab.errors import ShaderlabError, ShaderTimeout
from shaderlab.frontend.program import Diagnostic, Dialect, Severity
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.gpu.discovery import Discovery, choose
from shaderlab.workers.discovery import discover

_DIALECTS = {
    Dialect.SHADERTOY_ES310: "Shadertoy",
    Dialect.SHADERTOY_450: "Shadertoy, as GLSL 4.50",
    Dialect.GLSL: "GLSL",
    Dialect.SPIRV: "SPIR-V",
}
_LATE_S = 0.25
"""A request of the device that takes longer is shown as under way."""


class MainWindow(Handlers, QtWidgets.QMainWindow):
    """Views of one `Session`, and the commands that drive it."""

    results_complete = Signal()
    """Picture, counts and forecasts of the present text are on screen."""

    def __init__(self, session: Session, store: SettingsStore, settings: Settings):
        super().__init__()
        self.session, self.store, self.settings = session, store, settings
        self.theme = theme.current(settings.theme)
        self.devices: tuple[DeviceInfo, ...] = ()
        self.notices = NotificationCentre(self)
        self.actions_ = Actions(self)
        self._problem_text = ""
        self._assembly: dict[int, tuple[int, ...]] = {}
        """Lines of each block while SPIR-V is shown as assembly."""
        self._build()
        self._build_menus()
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
        self.preview = preview.Preview(self.theme, actions["run.play"], actions["run.restart"])
        self.targets_panel = TargetsPanel(self.theme)
        self.blocks_panel = BlocksPanel(self.theme)
        self.profile_panel = ProfilePanel(
            self.theme,
            actions["run.profile"],
            actions["run.stop_profile"],
            self.settings.trials,
            self.settings.draws,
        )
        self.tabs = QtWidgets.QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setExpanding(False)
        self.tabs.addTab(self.targets_panel, "Predicted times")
        self.tabs.addTab(self.blocks_panel, "Basic blocks")
        self.tabs.addTab(self.profile_panel, "This device")
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
        self.notification_bar = NotificationBar(self.notices, self.theme, self)
        self.documents = Documents(
            self.editor, self.session, self.settings, self.notices, self.notification_bar, self
        )

        self._place = QtWidgets.QLabel()
        self._dialect = QtWidgets.QLabel()
        self._latency = QtWidgets.QLabel()
        self._latency.setToolTip("From the last change of the text to picture, counts, predictions")
        self._device_name = QtWidgets.QLabel("Looking for devices…")
        self._badge = QtWidgets.QLabel("software driver (CPU)")
        self._badge.setProperty("role", "badge")
        self._badge.setToolTip(
            "No GPU driver is in use: pictures, counts and profiles come from the CPU. "
            "Counts and predictions are the same as on a GPU; times of this device are not."
        )
        self._badge.hide()
        bar = self.statusBar()
        bar.setSizeGripEnabled(False)
        for label in (self._place, self._dialect, self._latency):
            bar.addWidget(label)
        bar.addPermanentWidget(self._badge)
        bar.addPermanentWidget(self._device_name)

    def _build_menus(self) -> None:
        actions = self.actions_
        self._recent_menu = QtWidgets.QMenu("Open &recent", self)
        self._recent_menu.aboutToShow.connect(self._fill_recent)
        self._device_menu = QtWidgets.QMenu("&Device", self)
        theme_menu = QtWidgets.QMenu("Colou&rs", self)
        group = QActionGroup(self)
        for command_id in commands.THEME_COMMANDS:
            theme_menu.addAction(group.addAction(actions[command_id]))
        menus = {"recent": self._recent_menu, "theme": theme_menu, "devices": self._device_menu}
        for title, entries in commands.MENUS:
            menu = self.menuBar().addMenu(title)
            for entry in entries:
                if entry == commands.SEPARATOR:
                    menu.addSeparator()
                elif entry in menus:
                    menu.addMenu(menus[entry])
                else:
                    menu.addAction(actions[entry])
        self.toolbar = self.addToolBar("Commands")
        self.toolbar.setObjectName("toolbar")
        self.toolbar.setMovable(False)
        self.toolbar.setIconSize(QSize(20, 20))
        self.toolbar.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        for entry in commands.TOOLBAR:
            if entry == commands.SEPARATOR:
                self.toolbar.addSeparator()
            else:
                self.toolbar.addAction(actions[entry])
        for command in actions.commands:
            if actions[command.id] not in self.actions():
                self.addAction(actions[command.id])

    def _connect(self) -> None:
        session, editor = self.session, self.editor
        self._refresh_soon = QTimer(self, singleShot=True, interval=0)
        self._refresh_soon.timeout.connect(self.refresh)
        self._watch_late = QTimer(self, interval=100)
        self._watch_late.timeout.connect(self._mark_late)
        self._watch_late.start()
        session.state_changed.connect(self._refresh_soon.start)
        session.diagnostics_changed.connect(self._show_diagnostics)
        session.program_changed.connect(self._on_program)
        session.disassembled.connect(self._on_disassembled)
        session.frame_arrived.connect(self._on_frame)
        session.trace_changed.connect(self._on_trace)
        session.forecasts_changed.connect(self._on_forecasts)
        session.measurement_changed.connect(self._on_measurement)
        session.device_changed.connect(self._on_device)
        session.failed.connect(lambda error: self.notices.say("error", str(error)))
        editor.text_edited.connect(self._on_edited)
        editor.cursor_moved.connect(self._on_cursor)
        editor.modified_changed.connect(lambda _: self._show_title())
        editor.files_dropped.connect(self._on_dropped)
        self.documents.changed.connect(self._on_document)
        self.problems.chosen.connect(self.jump_to)
        self.problems.opened.connect(self.actions_["view.problems"].setChecked)
        self.preview.size_chosen.connect(self._choose_size)
        self.preview.pane_resized.connect(self._fit_preview)
        self.blocks_panel.lines_chosen.connect(self._on_block_chosen)
        self.profile_panel.plan_changed.connect(self._on_plan)
        hints = QApplication.styleHints()
        hints.colorSchemeChanged.connect(lambda _: self.apply_theme())

    # -- layout -----------------------------------------------------------------------------

    def default_layout(self) -> None:
        """Editor at the left; preview over the panels at the right."""
        self.resize(1280, 720)
        self.side.show()
        self.actions_["view.side"].setChecked(True)
        self.session.set_visible(True)
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
        self.side.setVisible(settings.side_visible)
        self.session.set_visible(settings.side_visible)
        for command_id, checked in {
            "view.side": settings.side_visible,
            "view.counts": settings.show_counts,
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
        self.store.save(settings)

    def show_tab(self, panel: QWidget) -> None:
        if not self.side.isVisible():
            self.actions_["view.side"].trigger()
        self.tabs.setCurrentWidget(panel)

    # -- devices ----------------------------------------------------------------------------

    def find_devices(self) -> None:
        """Look for devices, then use the remembered one, or the best."""
        self._device_name.setText("Looking for devices…")
        self.session.bridge.watch(discover(), self._on_discovered, self._no_device)

    def _on_discovered(self, found: Discovery) -> None:
        self.devices = tuple(d for d in found.devices if not d.null_hardware)
        for problem in found.problems:
            self.notices.say("warning", problem)
        try:
            info = choose(found.devices, None)
            known = {d.slug: d for d in self.devices}
            info = known.get(self.settings.device, info)
        except ShaderlabError as error:
            self._no_device(error)
            return
        self._fill_devices(info)
        if info != self.session.device:
            self.session.use_device(info)
        else:
            self._on_device()

    def _no_device(self, error: ShaderlabError) -> None:
        self._device_name.setText("No Vulkan device")
        self._badge.hide()
        self.notices.say("error", str(error))
        self.preview.empty.say(
            "device",
            "No Vulkan device",
            f"{error}. The text is still compiled and checked.",
            "Look again",
            self.find_devices,
            role="warning",
        )

    def _fill_devices(self, chosen: DeviceInfo) -> None:
        self._device_menu.clear()
        group = QActionGroup(self._device_menu)
        for info in self.devices:
            name = f"{info.name} (software driver)" if info.kind == "software" else info.name
            entry = group.addAction(name.replace("&", "&&"))
            entry.setCheckable(True)
            entry.setChecked(info == chosen)
            entry.triggered.connect(lambda _=False, info=info: self._choose_device(info))
            self._device_menu.addAction(entry)

    def _choose_device(self, info: DeviceInfo) -> None:
        self.settings.device = info.slug
        if info != self.session.device:
            self.session.use_device(info)

    def _on_device(self) -> None:
        info = self.session.device
        self._device_name.setText(info.name)
        self._device_name.setToolTip(f"{info.driver}, Vulkan {info.api_version}")
        self._badge.setVisible(info.kind == "software")
        self._fit_preview()
        self.profile_panel.show_device(device_text(info))
        self.refresh()

    # -- the document -----------------------------------------------------------------------

    def _on_document(self) -> None:
        self._assembly = {}
        self._show_title()
        self.refresh()

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
        if diagnostic.file:
            folder = self.documents.document.folder
            if folder is not None and not self.documents.open(folder / diagnostic.file):
                return
        if diagnostic.line:
            self.editor.go_to(diagnostic.line, max(diagnostic.column, 1))
        self.editor.setFocus()

    # -- results ----------------------------------------------------------------------------

    def _show_diagnostics(self) -> None:
        self.editor.set_marks(
            Mark(d.line, d.column, d.severity is Severity.ERROR, d.message)
            for d in self.session.diagnostics
            if d.line and not d.file and not self.documents.document.spirv
        )
        self.refresh()

    def _on_program(self) -> None:
        program = self.session.program
        if program is not None:
            self.documents.watch_includes(program.includes)
        self.refresh()

    def _on_disassembled(self, text: str) -> None:
        self.editor.set_text(text, editable=False)
        self._assembly = line_notes.lines_by_label(text)
        self._on_trace()

    def _on_frame(self) -> None:
        frame = self.session.frame
        if frame is None:
            self.preview.show_empty()
        else:
            self.preview.show_picture(frame.pixels)
            self.preview.picture.set_mark("")
        self._show_rates()

    def _on_trace(self) -> None:
        trace, panel = self.session.trace, self.blocks_panel
        if trace is None:
            self.editor.set_notes({})
            panel.show_empty()
        else:
            if self._assembly:
                counts = {
                    self._assembly[block.label][0]: block.count
                    for block in trace.blocks
                    if block.label in self._assembly
                }
            else:
                counts = line_notes.document_counts(trace)
            width, height = trace.size
            self.editor.set_notes(line_notes.notes_of(counts, width * height))
            panel.show_trace(trace, self._assembly, self._run_text(trace.size, trace.time_s))
            panel.follow_line(self.editor.cursor[0])
        self.refresh()

    @staticmethod
    def _run_text(size: tuple[int, int], time_s: float) -> str:
        return f"One frame of {size[0]} \u00d7 {size[1]} pixels at time {time_s:g} s"

    def _on_forecasts(self) -> None:
        session = self.session
        if session.forecasts and session.trace is not None:
            caption = self._run_text(session.trace.size, session.trace.time_s)
            self.targets_panel.show_forecasts(session.forecasts, session.targets, caption)
        else:
            self.targets_panel.show_empty()
        self.refresh()

    def _on_measurement(self) -> None:
        session, panel = self.session, self.profile_panel
        measurement = session.measurement
        if measurement is None:
            panel.show_empty()
        else:
            width, height = measurement.size
            changed = (
                session.program is None or session.measured_program.digest != session.program.digest
            )
            panel.show_measurement(
                measurement,
                f"{measurement.device_name} · {width} \u00d7 {height} · "
                f"{len(measurement.trials_s)} trials of {measurement.draws} draws"
                + (" · before the latest change" if changed else ""),
            )
        self.refresh()

    def _on_block_chosen(self, lines: tuple[int, ...]) -> None:
        self.editor.link_lines(lines)

    def _on_plan(self, trials: int, draws: int) -> None:
        self.settings.trials, self.settings.draws = trials, draws
        self._show_estimate()

    # -- the preview ------------------------------------------------------------------------

    def _choose_size(self, choice: str) -> None:
        self.settings.preview_size = choice
        self._fit_preview()

    def _fit_preview(self) -> None:
        info = self.session.device
        software = info is not None and info.kind == "software"
        choice = self.settings.preview_size
        size = preview.pixels_for(choice, self.preview.pane_pixels(), software)
        self.preview.show_size(choice, size)
        self.session.set_preview_size(size)

    def _show_rates(self) -> None:
        session = self.session
        playing = session.playback.playing
        frame = session.frame
        self.preview.show_time(frame.uniforms.time_s if frame else 0.0)
        rate = session.frame_rate.value if playing else None
        self.preview.show_rates(rate, frame.gpu_s if frame else None)
        self._show_estimate()

    def _show_estimate(self) -> None:
        frame = self.session.frame
        if frame is not None:
            plan = self.profile_panel.plan
            self.profile_panel.show_estimate(estimate_s(frame.gpu_s, frame.uniforms.size, *plan))

    def _mark_late(self) -> None:
        session = self.session
        late = session.busy_s > _LATE_S
        texts = {"render": "Rendering…", "trace": "Counting…", "profile": "Profiling…"}
        mark = texts.get(session.device_task, "") if late else ""
        if session.render_error is not None:
            mark = f"Paused: {session.render_error}"
        elif not session.compiles and session.frame is not None:
            mark = "Last picture that compiled"
        self.preview.picture.set_mark(mark)

    # -- everything that follows from the state ---------------------------------------------

    def refresh(self) -> None:
        """Put every label, badge, hint and enabled state in line with the session."""
        session = self.session
        playing = session.playback.playing
        self.actions_["run.play"].setIcon(icons.icon("pause" if playing else "play", self.theme))
        info = session.device
        self.actions_.enable(
            {
                When.DOCUMENT_IS_TEXT: not self.documents.document.spirv,
                When.HAS_PROGRAM: session.program is not None,
                When.HAS_PROBLEMS: bool(session.diagnostics),
                When.CAN_PROFILE: (
                    info is not None
                    and info.timestamps
                    and session.program is not None
                    and not session.profiling
                ),
                When.PROFILING: session.profiling,
                When.HAS_PICTURE: session.frame is not None,
            }
        )
        program = session.program
        self._dialect.setText(_DIALECTS[program.dialect] if program is not None else "")
        if program is None and session.compiles:
            self.problems.show_state((), "Compiling…", working=True)
        else:
            words = f"{len(program.spirv) // 4:,}".replace(",", "\u202f") if program else ""
            self.problems.show_state(session.diagnostics, f"Compiles to {words} words of SPIR-V")
        self.profile_panel.set_running(session.profiling)
        self._show_latency()
        self._say_what_is_missing()
        self._show_rates()
        if session.counts_are_current and session.forecasts and session.drawn_current:
            self.results_complete.emit()

    def _show_latency(self) -> None:
        timing = self.session.latency
        parts = [
            (name, value)
            for name, value in (
                ("picture", timing.picture),
                ("counts", timing.counts),
                ("predictions", timing.forecasts),
            )
            if value is not None
        ]
        self._latency.setText("  ".join(f"{n} {units.seconds(v)}" for n, v in parts))

    def _say_what_is_missing(self) -> None:
        session = self.session
        broken = session.program is None and not session.compiles
        fix = "Fix the problems listed under the text: the picture comes by itself."
        if session.frame is None:
            empty = self.preview.empty
            if broken:
                empty.say("error", "This shader does not compile yet", fix, role="error")
            elif session.render_error is not None:
                hint = "Change the shader, or try again."
                title = str(session.render_error)
                empty.say("warning", title, hint, "Try again", session.toggle_play, "warning")
            elif session.device is not None:
                empty.say("play", "Rendering the first picture…")
            elif self.devices or not self.notices.notices:
                empty.say("device", "Looking for a Vulkan device…")
        if session.trace is None:
            title, hint, role = "Counting…", "", "dim"
            if broken:
                title, hint, role = "No counts yet", fix, "error"
            elif session.trace_error is not None:
                error = session.trace_error
                title, hint, role = str(error), _advice(error), "warning"
            elif session.render_error is not None:
                title, hint, role = "No counts", str(session.render_error), "warning"
            elif session.device is None:
                title, hint = (
                    "No counts yet",
                    "Counting needs a Vulkan device; a software one will do.",
                )
            self.blocks_panel.empty.say("blocks", title, hint, role=role)
            waiting = title == "Counting…"
            self.targets_panel.empty.say(
                "targets",
                "Predicting…" if waiting else "No predictions yet",
                "" if waiting else hint or "Predictions rest on the counts, and there are none.",
                role=role,
            )
        elif not session.forecasts:
            error = session.forecast_error
            title = str(error) if error else "Predicting…"
            self.targets_panel.empty.say("targets", title, role="warning" if error else "dim")
        if session.measurement is None:
            self._say_how_to_profile()

    def _say_how_to_profile(self) -> None:
        session, empty = self.session, self.profile_panel.empty
        if session.measurement_error is not None:
            error = session.measurement_error
            empty.say("warning", str(error), _advice(error), role="warning")
        elif session.profiling:
            empty.say("profile", "Profiling…", "The preview stands still meanwhile.")
        elif session.device is not None and not session.device.timestamps:
            empty.say("device", "This device has no timestamps", "Choose another in the Run menu.")
        else:
            key = self.actions_["run.profile"].shortcut().toString()
            empty.say(
                "profile",
                "Not profiled yet",
                f"Profile (or {key}) times the shader at {CANONICAL.size[0]} \u00d7 "
                f"{CANONICAL.size[1]} with the device's own clock.",
            )

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
            self.session.set_visible(not self.isMinimized() and self.settings.side_visible)
            self.actions_["view.full_screen"].setChecked(self.isFullScreen())

    def closeEvent(self, event) -> None:
        if not self.documents.may_leave():
            event.ignore()
            return
        self.remember()
        self.session.close()
        super().closeEvent(event)


def _advice(error: ShaderlabError) -> str:
    if isinstance(error, ShaderTimeout):
        return "Make the shader cheaper, or look at it on a faster device."
    return ""
