"""The studies, a tab each."""

from __future__ import annotations

from shaderlab.app.panels.studies.explore_view import ExploreView
from shaderlab.app.panels.studies.occupancy_view import OccupancyView
from shaderlab.app.panels.studies.pairs_view import PairsView
from shaderlab.app.panels.studies.scale_view import ScaleView
from shaderlab.app.panels.studies.sweep_view import SweepView
from shaderlab.app.qt import QtWidgets
from shaderlab.app.widgets.theme import Theme


class StudiesPanel(QtWidgets.QTabWidget):
    """Sweep a number; explore the chips of a family; compare local sizes; scale a picture; judge a
    pair of devices."""

    def __init__(self, theme: Theme):
        super().__init__()
        self.setDocumentMode(True)
        self.tabBar().setExpanding(False)
        self.sweep, self.explore = SweepView(theme), ExploreView(theme)
        self.occupancy = OccupancyView(theme)
        self.scale, self.pairs = ScaleView(theme), PairsView(theme)
        self.addTab(self.sweep, "Sweep")
        self.addTab(self.explore, "Explore chips")
        self.addTab(self.occupancy, "Local sizes")
        self.addTab(self.scale, "Scaling")
        self.addTab(self.pairs, "Pairs")

    def set_theme(self, theme: Theme) -> None:
        for each in (self.sweep, self.explore, self.occupancy, self.scale, self.pairs):
            each.set_theme(theme)
