"""Draws the pictures of the manual's page on studies, each of a study just made.

xvfb-run -a python tests/study_pictures.py [FOLDER] [--dark] [--only NAME...]
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import monotonic

from shaderlab import locations
from shaderlab.app.qt import QtWidgets, QWidget
from shaderlab.app.settings import Settings, SettingsStore
from shaderlab.app.shell import start
from shaderlab.app.shell.main_window import MainWindow
from shaderlab.app.widgets.theme import ThemeChoice
from shaderlab.frontend.examples import examples

FOLDER = locations.resources() / "screenshots"
EXAMPLE, SWEPT, VALUES, TARGET = "interference", "SOURCES", "1,3,5,9,15", "rtx3060"
BUDGET_MS = 0.3
SIZE = (1500, 1250)
KERNEL = """\
#version 450
layout(local_size_x_id = 0) in;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) writeonly buffer B { float b[]; };
shared float tile[4096];
void main()
{
    uint i = gl_GlobalInvocationID.x, own = gl_LocalInvocationID.x;
    tile[own] = a[i];
    barrier();
    b[i] = tile[own] + tile[own ^ 1u];
}
"""
"""Sixteen KiB of shared memory hold few small workgroups."""
DATA_SET = locations.models() / "datasets" / "swiftshader-512x384-second.parquet"
_LONGEST_S = 240
_SETTLED_S = 1.0


class Pictures:
    """One window and its studies."""

    def __init__(self, app: QtWidgets.QApplication, window: MainWindow, folder: Path, own: Path):
        self._app, self._window = app, window
        self._folder, self._own = folder, own
        self._studies = window.studies_panel

    def wait(self, condition: Callable[[], object], what: str) -> None:
        end = monotonic() + _LONGEST_S
        while not condition():
            if monotonic() > end:
                raise SystemExit(f"no {what}")
            start.process_events(self._app)

    def open(self, path: Path) -> None:
        session = self._window.session
        self._window.documents.open(path)
        self.wait(lambda: session.program and session.program.name == path.name, path.name)
        self._window.actions_["view.studies"].trigger()

    def _keep(self, name: str, widget: QWidget) -> None:
        end = monotonic() + _SETTLED_S
        self.wait(lambda: monotonic() > end, "rest")
        widget.grab().save(str(self._folder / f"study-{name}.png"))

    def sweep(self) -> None:
        panel = self._studies.sweep
        self._studies.setCurrentWidget(panel)
        self.wait(lambda: panel.names.findData(SWEPT) >= 0, "constant")
        panel.names.setCurrentIndex(panel.names.findData(SWEPT))
        panel.values.setText(VALUES)
        choose(panel.targets, TARGET)
        panel.start.click()
        self.wait(lambda: panel.model.rows, "sweep")
        self._keep("sweep", panel)

    def explore(self) -> None:
        panel = self._studies.explore
        self._studies.setCurrentWidget(panel)
        panel.budget.setValue(BUDGET_MS)
        choose(panel.families, "navi23")
        panel.start.click()
        self.wait(lambda: panel.model.rows, "chips")
        self._keep("explore", panel)

    def scaling(self) -> None:
        panel = self._studies.scale
        self._studies.setCurrentWidget(panel)
        choose(panel.targets, TARGET)
        panel.start.click()
        self.wait(lambda: panel.sizes.rows, "sizes")
        self._keep("scaling", panel)

    def pairs(self) -> None:
        panel = self._studies.pairs
        self._studies.setCurrentWidget(panel)
        self.wait(lambda: panel.model.rows, "pairs")
        self._keep("pairs", panel)

    def statistics(self) -> None:
        self._window.actions_["view.samples"].trigger()
        panel = self._window.samples_panel.statistics
        self._window.samples_panel.tabs.setCurrentWidget(panel)
        panel.wanted.emit(DATA_SET)
        self.wait(lambda: panel.text.text(), "statistics")
        self._keep("statistics", panel)

    def local_sizes(self) -> None:
        kernel = self._own / "neighbours.comp"
        kernel.write_text(KERNEL)
        self.open(kernel)
        panel = self._studies.occupancy
        self._studies.setCurrentWidget(panel)
        self.wait(lambda: panel.families.count(), "AMD chips")
        panel.start.click()
        self.wait(lambda: panel.model.rows, "local sizes")
        self._keep("local-sizes", panel)


STUDIES = {
    "sweep": Pictures.sweep,
    "explore": Pictures.explore,
    "scaling": Pictures.scaling,
    "pairs": Pictures.pairs,
    "statistics": Pictures.statistics,
    "local-sizes": Pictures.local_sizes,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--only", nargs="*", choices=STUDIES, default=list(STUDIES))
    options = parser.parse_args()
    app = start.application()
    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder)
        theme = ThemeChoice.DARK if options.dark else ThemeChoice.LIGHT
        chosen = Settings(theme=theme, preview_size="640x360")
        window = start.open_window(None, store=SettingsStore(own / "settings.ini"), settings=chosen)
        window.resize(*SIZE)
        pictures = Pictures(app, window, options.folder, own)
        pictures.wait(lambda: window.session.complete, "window")
        (example,) = (each for each in examples() if each.path.stem == EXAMPLE)
        pictures.open(example.path)
        for name in options.only:
            STUDIES[name](pictures)
        window.editor.set_unmodified()
        window.close()


def choose(box: QtWidgets.QComboBox, slug: str) -> None:
    box.setCurrentIndex(box.findData(slug))


if __name__ == "__main__":
    main()
