"""The window's widgets and documents, in their places; what they do is `main_window`'s."""

from __future__ import annotations

from shaderlab.app.documents.documents import Documents
from shaderlab.app.documents.split import SplitView
from shaderlab.app.documents.stage_bar import StageBar
from shaderlab.app.documents.tab_bar import TabBar
from shaderlab.app.editor.cost_strip import CostStrip
from shaderlab.app.editor.find_bar import FindBar
from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.panels.blocks.panel import BlocksPanel
from shaderlab.app.panels.compiled.panel import CompiledPanel
from shaderlab.app.panels.flow.panel import FlowPanel
from shaderlab.app.panels.frame.panel import FramePanel
from shaderlab.app.panels.hot_lines.panel import HotLinesPanel
from shaderlab.app.panels.inputs.panel import InputsPanel
from shaderlab.app.panels.outline.panel import OutlinePanel
from shaderlab.app.panels.pixel.panel import PixelPanel
from shaderlab.app.panels.preview.panel import Preview
from shaderlab.app.panels.problems.panel import Problems
from shaderlab.app.panels.profile.panel import ProfilePanel
from shaderlab.app.panels.samples.panel import SamplesPanel
from shaderlab.app.panels.studies.panel import StudiesPanel
from shaderlab.app.panels.targets.panel import TargetsPanel
from shaderlab.app.panels.variants.panel import VariantsPanel
from shaderlab.app.qt import QtWidgets, QWidget
from shaderlab.app.session.session import Session
from shaderlab.app.settings import Settings
from shaderlab.app.shell.appearance import Appearance
from shaderlab.app.shell.commands.actions import Actions
from shaderlab.app.shell.commands.table import HEAT_COMMANDS
from shaderlab.app.shell.focus_ring import FocusRing
from shaderlab.app.shell.layout import Layout
from shaderlab.app.shell.welcome import Welcome
from shaderlab.app.widgets import theme
from shaderlab.app.widgets.boxes import vertical
from shaderlab.app.widgets.notifications import NotificationBar, NotificationCentre


class Views(QtWidgets.QMainWindow):
    """Editor, panels and bars, made and laid out."""

    def __init__(self, session: Session, settings: Settings):
        super().__init__()
        self.session, self.settings = session, settings
        self.notices = NotificationCentre(self)
        self.actions_ = actions = Actions(self)
        colours = theme.current(settings.theme)
        self.setWindowTitle("shaderlab")
        self.setAcceptDrops(True)
        self.editor = Editor(colours)
        self.cost_strip = CostStrip(self.editor, colours)
        self.find_bar = FindBar(self.editor, colours)
        self.problems = Problems(colours)
        switch, *kinds = (actions[command_id] for command_id in HEAT_COMMANDS)
        self.preview = Preview(colours, actions["run.play"], actions["run.restart"], switch, kinds)
        self.targets_panel = TargetsPanel(
            colours, actions["run.pin"], actions["run.unpin"], settings.target
        )
        self.inputs_panel = InputsPanel(colours)
        self.hot_lines_panel = HotLinesPanel(colours)
        self.blocks_panel = BlocksPanel(colours)
        self.profile_panel = ProfilePanel(
            colours,
            actions["run.profile"],
            actions["run.profile_sizes"],
            actions["run.stop_profile"],
            settings.trials,
            settings.draws,
        )
        self.profile_panel.offer(actions["run.calibrate"])
        self.compiled_panel = CompiledPanel(
            colours, actions["run.pin"], actions["run.copy_command"]
        )
        self.outline_panel = OutlinePanel(colours)
        self.variants_panel = VariantsPanel(colours, actions["run.pin"])
        self.samples_panel = SamplesPanel(
            colours, actions["run.record"], actions["file.export_samples"]
        )
        self.frame_panel = FramePanel(colours)
        self.studies_panel = StudiesPanel(colours)
        self.pixel_panel = PixelPanel(colours)
        self.flow_panel = FlowPanel(colours)
        panels = {
            "targets": self.targets_panel,
            "inputs": self.inputs_panel,
            "hot_lines": self.hot_lines_panel,
            "blocks": self.blocks_panel,
            "device": self.profile_panel,
            "compiled": self.compiled_panel,
            "variants": self.variants_panel,
            "samples": self.samples_panel,
            "pixel": self.pixel_panel,
            "flow": self.flow_panel,
            "outline": self.outline_panel,
            "preview": self.preview,
            "frame": self.frame_panel,
            "studies": self.studies_panel,
        }
        self.documents = Documents(self.editor, self.session, settings, self.notices, self)
        self.stage_bar = StageBar(self.editor, self.documents)
        self.tab_bar = TabBar(self.editor, self.documents)
        self.split_view = SplitView(self.editor, self.documents)
        text_column = (self.tab_bar, self.stage_bar, self.editor, self.find_bar, self.problems)
        self.welcome = Welcome(
            self.session, self.editor, actions["edit.hot_line"],
            lambda: self.layout_.show_tab(self.targets_panel), settings,
        )  # fmt: skip
        column = QWidget()
        vertical(column, self.welcome, *text_column, largest=self.editor)
        self.layout_ = Layout(self, column, panels, settings)
        self.focus_ring = FocusRing(self.editor, self.problems, self.layout_, self)
        self.toolbar = self.addToolBar("Commands")
        notification_bar = NotificationBar(self.notices, colours, self, self.toolbar)
        views = (*text_column[2:], self.cost_strip, *panels.values(), notification_bar)
        self.appearance = Appearance(settings, actions, views, self)
