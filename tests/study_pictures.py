"""Draws the pictures of the manual's page on studies, each of a study just made.

xvfb-run -a python tests/study_pictures.py [FOLDER]
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import monotonic

from shaderlab import locations
from shaderlab.app.qt import QtWidgets, QWidget
from shaderlab.app.settings import Settings, SettingsStore
from shaderlab.app.shell import start
from shaderlab.app.widgets.theme import ThemeChoice
from shaderlab.frontend.examples import examples

FOLDER = locations.resources() / "screenshots"
EXAMPLE, SWEPT, VALUES, TARGET = "interference", "SOURCES", "1,3,5,9,15", "rtx3060"
BUDGET_MS = 0.3
SIZE = (1500, 1250)
DATA_SET = locations.models() / "datasets" / "swiftshader-512x384-second.parquet"
_LONGEST_S = 240
_SETTLED_S = 1.0


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    app = start.application()
    with tempfile.TemporaryDirectory() as settings:
        store = SettingsStore(Path(settings) / "settings.ini")
        chosen = Settings(theme=ThemeChoice.LIGHT, preview_size="640x360")
        window = start.open_window(None, store=store, settings=chosen)
        window.resize(*SIZE)
        session, studies = window.session, window.studies_panel

        def wait(condition: Callable[[], object], what: str) -> None:
            end = monotonic() + _LONGEST_S
            while not condition():
                if monotonic() > end:
                    raise SystemExit(f"no {what}")
                start.process_events(app)

        def keep(name: str, widget: QWidget) -> None:
            end = monotonic() + _SETTLED_S
            wait(lambda: monotonic() > end, "rest")
            widget.grab().save(str(folder / f"study-{name}.png"))

        wait(lambda: session.complete, "window")
        (example,) = (each for each in examples() if each.path.stem == EXAMPLE)
        window.documents.open_example(example)
        wait(lambda: session.complete, "forecasts")
        window.actions_["view.studies"].trigger()

        sweep = studies.sweep
        studies.setCurrentWidget(sweep)
        wait(lambda: sweep.names.findData(SWEPT) >= 0, "constant")
        sweep.names.setCurrentIndex(sweep.names.findData(SWEPT))
        sweep.values.setText(VALUES)
        choose(sweep.targets, TARGET)
        sweep.start.click()
        wait(lambda: sweep.model.rows, "sweep")
        keep("sweep", sweep)

        explore = studies.explore
        studies.setCurrentWidget(explore)
        explore.budget.setValue(BUDGET_MS)
        explore.start.click()
        wait(lambda: explore.model.rows, "chips")
        keep("explore", explore)

        scale = studies.scale
        studies.setCurrentWidget(scale)
        choose(scale.targets, TARGET)
        scale.start.click()
        wait(lambda: scale.sizes.rows, "sizes")
        keep("scaling", scale)

        studies.setCurrentWidget(studies.pairs)
        wait(lambda: studies.pairs.model.rows, "pairs")
        keep("pairs", studies.pairs)

        window.actions_["view.samples"].trigger()
        statistics = window.samples_panel.statistics
        window.samples_panel.tabs.setCurrentWidget(statistics)
        statistics.wanted.emit(DATA_SET)
        wait(lambda: statistics.text.text(), "statistics")
        keep("statistics", statistics)
        window.editor.set_unmodified()
        window.close()


def choose(box: QtWidgets.QComboBox, slug: str) -> None:
    box.setCurrentIndex(box.findData(slug))


if __name__ == "__main__":
    main()
