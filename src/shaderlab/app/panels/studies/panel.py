"""The studies, a tab each."""

from __future__ import annotations

from shaderlab.app.panels.studies.explore_view import ExploreView
from shaderlab.app.panels.studies.sweep_view import SweepView
from shaderlab.app.qt import QtWidgets
from shaderlab.app.widgets.theme import Theme


class StudiesPanel(QtWidgets.QTabWidget):
    """Sweep a number; explore the chips of a family."""

    def __init__(self, theme: Theme):
        super().__init__()
        self.setDocumentMode(True)
        self.tabBar().setExpanding(False)
        self.sweep, self.explore = SweepView(theme), ExploreView(theme)
        self.addTab(self.sweep, "Sweep")
        self.addTab(self.explore, "Explore chips")

    def set_theme(self, theme: Theme) -> None:
        self.sweep.set_theme(theme)
        self.explore.set_theme(theme)
