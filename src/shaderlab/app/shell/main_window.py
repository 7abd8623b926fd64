"""The window: makes its parts and connects them to each other and to the session."""

from __future__ import annotations

import logging
from pathlib import Path

from shaderlab.app.documents.kept_versions import KeptVersions
from shaderlab.app.editor.assembly import Assembly
from shaderlab.app.editor.assistant import Assistant
from shaderlab.app.editor.assistant_presenter import AssistantPresenter
from shaderlab.app.editor.completing import Completing
from shaderlab.app.editor.presenter import EditorPresenter
from shaderlab.app.editor.sticky_header import StickyHeader
from shaderlab.app.panels.blocks.presenter import BlocksPresenter
from shaderlab.app.panels.compiled.presenter import CompiledPresenter
from shaderlab.app.panels.flow.presenter import FlowPresenter
from shaderlab.app.panels.frame.presenter import FramePresenter
from shaderlab.app.panels.hot_lines.presenter import HotLinesPresenter
from shaderlab.app.panels.inputs.presenter import InputsPresenter
from shaderlab.app.panels.outline.presenter import OutlinePresenter
from shaderlab.app.panels.pixel.presenter import PixelPresenter
from shaderlab.app.panels.preview.geometry_choice import GeometryChoice
from shaderlab.app.panels.preview.heat_presenter import HeatPresenter
from shaderlab.app.panels.preview.pass_choice import PassChoice
from shaderlab.app.panels.preview.presenter import PreviewPresenter
from shaderlab.app.panels.problems.presenter import ProblemsPresenter
from shaderlab.app.panels.profile.calibrate_presenter import CalibratePresenter
from shaderlab.app.panels.profile.presenter import ProfilePresenter
from shaderlab.app.panels.samples.presenter import SamplesPresenter
from shaderlab.app.panels.studies.explore_presenter import ExplorePresenter
from shaderlab.app.panels.studies.occupancy_presenter import OccupancyPresenter
from shaderlab.app.panels.studies.pairs_presenter import PairsPresenter
from shaderlab.app.panels.studies.scale_presenter import ScalePresenter
from shaderlab.app.panels.studies.sweep_presenter import SweepPresenter
from shaderlab.app.panels.targets.presenter import TargetsPresenter
from shaderlab.app.panels.variants.presenter import VariantsPresenter
from shaderlab.app.qt import QEvent, QtWidgets, Signal
from shaderlab.app.session.session import Session
from shaderlab.app.settings import BUDGET_RANGE_S, Settings, SettingsStore, within
from shaderlab.app.shell import key_bindings
from shaderlab.app.shell.commands.edit import EditCommands
from shaderlab.app.shell.commands.file import FileCommands
from shaderlab.app.shell.commands.help import HelpCommands
from shaderlab.app.shell.commands.names import NameCommands
from shaderlab.app.shell.commands.run import RunCommands
from shaderlab.app.shell.commands.settings import SettingsCommands
from shaderlab.app.shell.commands.table import HEAT_COMMANDS
from shaderlab.app.shell.commands.view import ViewCommands
from shaderlab.app.shell.conditions import conditions
from shaderlab.app.shell.device_choice import DeviceChoice
from shaderlab.app.shell.menus import RecentMenu, fill_menu_bar, fill_toolbar
from shaderlab.app.shell.navigation import Navigation
from shaderlab.app.shell.problem_report import Facts, facts
from shaderlab.app.shell.reading_menu import ReadingMenu
from shaderlab.app.shell.recovery import Recovery
from shaderlab.app.shell.recovery_presenter import RecoveryPresenter
from shaderlab.app.shell.status_bar import StatusBar
from shaderlab.app.shell.vertex_menu import VertexMenu
from shaderlab.app.shell.views import Views
from shaderlab.app.shell.watchdog import Watchdog
from shaderlab.app.widgets import icons
from shaderlab.app.widgets.naming import name_controls
from shaderlab.app.widgets.throttle import Throttle
from shaderlab.spirv.heat import HeatKind

log = logging.getLogger(__name__)

_REFRESH_MS = 20
"""Changes of state within this time are shown together: a frame can come every 16 ms."""


class MainWindow(Views):
    """Views of one `Session`, and the commands that drive it."""

    complete = Signal()
    """Picture, counts and forecasts of the present text are on screen."""

    def __init__(
        self,
        session: Session,
        store: SettingsStore,
        settings: Settings,
        recovery: Recovery | None = None,
        watchdog: Watchdog | None = None,
    ):
        """`recovery` keeps unsaved text; `watchdog` has figures for a problem's report."""
        super().__init__(session, settings)
        self.store, self._recovery, self._watchdog = store, recovery, watchdog
        self._refresh = Throttle(_REFRESH_MS, self)
        self._make_presenters()
        self._bind_commands()
        fill_menu_bar(
            self,
            self.actions_,
            {
                "recent": RecentMenu(settings, self.documents.open, self),
                "devices": self.device_choice.menu,
                "geometry": self.geometry_choice.menu,
                "reading": self.reading_menu.menu,
                "vertex": self.vertex_menu.menu,
            },
        )
        fill_toolbar(self.toolbar, self.actions_)
        self._connect_session()
        self._connect_views()
        name_controls(self)
        self._restore()
        self.apply_settings()
        if self.recovery_presenter is not None:
            self.recovery_presenter.say_what_was_left()

    # -- parts ------------------------------------------------------------------------------

    def _make_presenters(self) -> None:
        session, settings, refresh, actions = (
            self.session, self.settings, self._refresh, self.actions_
        )  # fmt: skip
        editor, documents, notices = self.editor, self.documents, self.notices
        self.assembly = Assembly(session, editor)
        self.assistant = Assistant(editor)
        self.completing = Completing(editor, self.assistant)
        self.sticky_header = StickyHeader(editor, self.assistant)
        AssistantPresenter(session, editor, self.assistant)
        self.editor_presenter = EditorPresenter(
            session, editor, self.cost_strip, self.assembly, self.assistant, refresh
        )
        self.device_choice = DeviceChoice(session, settings, notices, self)
        self.reading_menu = ReadingMenu(session, self)
        self.vertex_menu = VertexMenu(session, documents, self)
        StatusBar(self.statusBar(), session, editor, self.reading_menu, self.device_choice, refresh)
        ProblemsPresenter(session, self.problems, refresh)
        self.preview_presenter = PreviewPresenter(session, self.preview, settings, refresh)
        self.pass_choice = PassChoice(session, self.preview, settings)
        self.geometry_choice = GeometryChoice(session, self.preview, notices, self)
        self.blocks = BlocksPresenter(
            session, self.blocks_panel, editor, self.assembly, refresh,
            lambda: self.heat.shows_blocks,
        )  # fmt: skip
        switch, *kinds = (actions[command_id] for command_id in HEAT_COMMANDS)
        self.heat = HeatPresenter(
            session, self.preview, settings, switch, dict(zip(HeatKind, kinds, strict=True)),
            lambda: self.blocks.chosen_labels,
        )  # fmt: skip
        self.targets = TargetsPresenter(session, self.targets_panel, settings, refresh)
        self.inputs = InputsPresenter(session, self.inputs_panel, notices, refresh)
        self.hot_lines = HotLinesPresenter(
            session, self.hot_lines_panel, editor, self.assembly, refresh
        )
        self.flow = FlowPresenter(session, self.flow_panel, editor, self.assembly, refresh)
        self.pixel = PixelPresenter(session, self.pixel_panel, editor)
        self.profile = ProfilePresenter(
            session, self.profile_panel, settings, actions["run.profile"], refresh
        )
        self.calibrating = CalibratePresenter(
            session, settings, lambda: self.layout_.preview_is_seen, notices, self
        )
        self.compiled = CompiledPresenter(
            session, self.compiled_panel, settings, editor, documents, notices
        )
        self.samples = SamplesPresenter(
            session, self.samples_panel, settings, documents, notices, actions["run.record"]
        )
        FramePresenter(session, self.frame_panel, settings, documents, notices)
        studies = self.studies_panel
        SweepPresenter(
            session, studies.sweep, settings, refresh, lambda: self.layout_.preview_is_seen
        )
        ExplorePresenter(session, studies.explore, refresh)
        OccupancyPresenter(session, studies.occupancy, refresh)
        ScalePresenter(
            session, studies.scale, settings, refresh, lambda: self.layout_.preview_is_seen
        )
        PairsPresenter(session, studies.pairs, refresh)
        self.outline = OutlinePresenter(session, self.outline_panel, editor, self.assistant)
        self.variants = VariantsPresenter(
            session, self.variants_panel, documents, notices, self.appearance.theme, refresh
        )
        self.navigation = Navigation(session, editor, self.assembly, documents, self.hot_lines)
        if self._recovery is not None:
            KeptVersions(
                self._recovery.versions, self._recovery.writer, session.versions, documents,
                session.bridge, self,
            )  # fmt: skip
        self.recovery_presenter = (
            RecoveryPresenter(self._recovery, editor, documents, notices, self)
            if self._recovery is not None
            else None
        )

    def _bind_commands(self) -> None:
        session, settings, notices, editor, documents = (
            self.session, self.settings, self.notices, self.editor, self.documents
        )  # fmt: skip
        recovery = self.recovery_presenter
        recover = recovery.choose if recovery is not None else lambda: None
        help_commands = HelpCommands(
            self, session, self.actions_, notices, self._facts, self.welcome
        )
        for group in (
            FileCommands(
                self, session, settings, notices, editor, documents, self.preview,
                self.samples, recover,
            ),
            EditCommands(self, editor, self.find_bar, self.navigation, documents, notices),
            NameCommands(
                self, editor, self.assistant, self.completing, self.documents, session, notices
            ),
            ViewCommands(
                self, settings, notices, editor, self.problems, self.layout_, self.focus_ring,
                self.stage_bar, self.split_view, self.heat, self.appearance, self.preview,
            ),
            RunCommands(
                self, session, settings, documents, self.profile, self.calibrating, self.compiled,
                self.samples, self.variants, self.reading_menu, self.device_choice,
            ),
            SettingsCommands(self, settings, self.appearance, self.apply_settings),
            help_commands,
        ):  # fmt: skip
            self.actions_.bind(group.calls)
        if recovery is not None:
            recovery.details_wanted.connect(help_commands.copy_diagnostics)

    def _connect_session(self) -> None:
        """What of the session concerns the window as a whole."""
        session, soon = self.session, self._refresh.soon
        for changed in (
            session.state_changed, session.diagnostics_changed, session.program_changed,
            session.trace_changed, session.forecasts_changed, session.untraced.changed,
            session.measurement_changed, session.samples.changed, session.device_changed,
        ):  # fmt: skip
            changed.connect(soon)
        self._refresh.passed.connect(self._on_refresh)
        session.compiled.changed.connect(self._enable_commands)
        session.samples.changed.connect(self._enable_commands)
        session.program_changed.connect(self._watch_read)
        session.passes.changed.connect(self._watch_read)
        session.model_refused.connect(
            lambda why: self.notices.say("warning", f"A model file was not loaded: {why}")
        )
        session.failed.connect(lambda error: self.notices.say("error", str(error)))

    def _connect_views(self) -> None:
        """What one view says to another."""
        editor, actions = self.editor, self.actions_
        editor.text_edited.connect(
            lambda: self.documents.edited(later=self.settings.compile_on_save)
        )
        editor.text_edited.connect(self._refresh.soon)
        editor.modified_changed.connect(lambda _: self._show_title())
        editor.files_dropped.connect(self._on_dropped)
        editor.refused.connect(lambda reason: self.notices.say("warning", reason))
        self.documents.changed.connect(self._show_title)
        self.documents.changed.connect(self._refresh.now)
        self.device_choice.looked.connect(self.preview_presenter.set_no_device)
        self.device_choice.looked.connect(
            lambda error: self.compiled.set_no_device(error is not None)
        )
        self.device_choice.looked.connect(self._refresh.soon)
        self.preview_presenter.device_wanted.connect(self.device_choice.look)
        self.appearance.changed.connect(self._refresh.now)
        self.appearance.changed.connect(lambda: self.variants.set_theme(self.appearance.theme))
        self.layout_.side_shown.connect(actions["view.side"].setChecked)
        self.layout_.preview_seen.connect(self.session.on_device.pictures.set_visible)
        self.problems.chosen.connect(self.navigation.to_problem)
        self.problems.opened.connect(actions["view.problems"].setChecked)
        self.blocks_panel.lines_chosen.connect(self.navigation.link)
        self.blocks_panel.choice_changed.connect(self.heat.on_blocks_chosen)
        self.compiled_panel.lines_chosen.connect(self.navigation.link)
        for name in ("blocks", "compiled", "hot_lines"):
            self.layout_.docks[name].visibilityChanged.connect(self._unlink)
        self.flow.lines_chosen.connect(self.navigation.link)
        self.preview.picture.picked.connect(self.pixel.pick)
        self.preview.picture.picked.connect(lambda *_: self.layout_.show_tab(self.pixel_panel))
        self.pixel.marked.connect(self.preview.picture.set_marked)
        self.hot_lines_panel.line_chosen.connect(self.navigation.to_line)
        self.hot_lines_panel.target_chosen.connect(self.targets_panel.choose)
        self.frame_panel.target_chosen.connect(self.targets_panel.choose)
        self.session.capture.opened.connect(lambda: self.layout_.show_tab(self.frame_panel))
        self.targets.chosen_changed.connect(self.editor_presenter.show_forecast)
        self.targets.chosen_changed.connect(self.hot_lines.show_forecast)
        self.targets.chosen_changed.connect(self.variants.show_forecast)
        self.targets.chosen_changed.connect(self.outline.show_forecast)
        self.profile.started.connect(lambda: self.layout_.show_tab(self.profile_panel))

    # -- what is remembered -----------------------------------------------------------------

    def _restore(self) -> None:
        settings, editor = self.settings, self.editor
        self.layout_.restore()
        editor.set_zoom(settings.zoom)
        editor.set_wrap(settings.wrap_lines)
        editor.show_counts(settings.show_counts)
        editor.show_shares(settings.show_shares)
        for command_id, checked in {
            "view.counts": settings.show_counts,
            "view.shares": settings.show_shares,
            "view.wrap": settings.wrap_lines,
            "run.compile_on_save": settings.compile_on_save,
            "run.start_paused": settings.start_paused,
            "file.tabs": settings.open_in_tabs,
        }.items():
            self.actions_[command_id].setChecked(checked)

    def remember(self) -> None:
        """Write settings and layout."""
        self.layout_.remember()
        self.split_view.remember(self.settings)
        self.settings.zoom = self.editor.zoom
        if not self.store.save(self.settings):
            log.warning("%s cannot be written: settings are lost", self.store.path)

    def apply_settings(self) -> None:
        """Have the window and the session follow the settings."""
        settings, editor = self.settings, self.editor
        editor.set_font(settings.font_family, settings.font_points)
        editor.set_tab_width(settings.tab_width)
        self.actions_.set_keys(key_bindings.decoded(settings.keys))
        editor.release_keys(self.actions_.key_sequences())
        self.appearance.apply()
        self.apply_limits()

    def apply_limits(self) -> None:
        """Hold the session to the limits in the settings."""
        self.session.set_limits(self.settings.limits)
        budget_s = within(self.settings.frame_budget_s, BUDGET_RANGE_S)
        self.session.on_device.pictures.budget.budget_s = budget_s
        self.preview_presenter.fit()

    # -- what follows from the state --------------------------------------------------------

    def _on_refresh(self) -> None:
        self._enable_commands()
        icon = "pause" if self.session.on_device.pictures.playback.playing else "play"
        made = icons.icon(icon, self.appearance.theme)
        play = self.actions_["run.play"]
        if play.icon().cacheKey() != made.cacheKey():  # Qt keeps something of each it is given
            play.setIcon(made)
        if self.session.complete:
            self.complete.emit()

    def _enable_commands(self) -> None:
        self.actions_.enable(conditions(self.session, self.editor, self.documents, self.samples))

    def _watch_read(self) -> None:
        if self.session.program is not None:
            self.documents.watch_read()

    def _unlink(self, seen: bool) -> None:
        """The lines of what was chosen in a panel are tinted as long as the choice can be seen."""
        if not seen:
            self.editor.link_lines(())

    def _show_title(self) -> None:
        name = self.documents.document.name
        self.setWindowTitle(f"{name}[*] \u2013 shaderlab")
        self.setWindowModified(self.documents.modified)

    def _on_dropped(self, names: list[str]) -> None:
        if names:
            self.documents.open(Path(names[0]))

    def _facts(self) -> Facts:
        watchdog, recovery = self._watchdog, self._recovery
        return facts(
            self.session,
            self.device_choice.devices,
            self.notices.notices,
            self.settings.limits,
            blocks=tuple(watchdog.blocks) if watchdog is not None else (),
            crash=recovery.last_crash if recovery is not None else "",
        )

    # -- events -----------------------------------------------------------------------------

    def createPopupMenu(self) -> QtWidgets.QMenu:
        return self.layout_.toggles(self)

    def dragEnterEvent(self, event) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event) -> None:
        event.acceptProposedAction()
        self._on_dropped([url.toLocalFile() for url in event.mimeData().urls()])

    def changeEvent(self, event) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.WindowStateChange:
            self.actions_["view.full_screen"].setChecked(self.isFullScreen())

    def closeEvent(self, event) -> None:
        if self.documents.waiting or not self.documents.may_close():
            event.ignore()
            return
        self.remember()
        self.session.close()
        super().closeEvent(event)
