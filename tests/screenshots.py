"""Draws the window in both themes and in several sizes, each panel, and the dialogs.

xvfb-run -a -s "-screen 0 3840x2160x24" python tests/screenshots.py FOLDER

The scale is Qt's: QT_SCALE_FACTOR=2.5 for 250 %.  Called by packaging/screenshots.sh.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from time import monotonic

from shaderlab.app.qt import QApplication, QtWidgets
from shaderlab.app.settings import Settings, SettingsStore
from shaderlab.app.shell import start
from shaderlab.app.shell.main_window import MainWindow
from shaderlab.app.shell.panels import PANELS
from shaderlab.app.widgets.theme import ThemeChoice
from shaderlab.frontend.examples import examples
from shaderlab.prediction.forms import Form

EXAMPLE = "julia"
SIZES = {
    "window": (1280, 720),
    "half": (960, 1080),
    "narrow": (640, 720),
    "full": (1920, 1080),
    "large": (3840, 2160),
}
DIALOGS = {
    "settings": "file.settings",
    "keys": "help.shortcuts",
    "limits": "run.limits",
    "examples": "file.examples",
    "manual": "help.manual",
}
THEMES = (ThemeChoice.LIGHT, ThemeChoice.DARK)
_PATIENCE_S = 120


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    scale = round(float(os.environ.get("QT_SCALE_FACTOR", "1")) * 100)
    app = start.application()
    with tempfile.TemporaryDirectory() as state:
        store = SettingsStore(Path(state) / "settings.ini")
        window = start.open_window(None, store=store, settings=Settings(preview_size="640x360"))
        _wait(app, lambda: window.session.complete)
        (example,) = (each for each in examples() if each.path.stem == EXAMPLE)
        window.documents.open_example(example)
        _wait(app, lambda: window.session.complete)
        best = Form.COMPILED
        _wait(app, lambda: best in {each.form for each in window.session.forecasts})
        _idle(app, 1)
        room = window.screen().availableGeometry()
        for theme in THEMES:
            window.appearance.choose(theme)
            for name, (width, height) in SIZES.items():
                if width <= room.width() and height <= room.height():
                    window.resize(width, height)
                    _idle(app, 1.5)
                    window.grab().save(str(folder / f"{name}-{theme}-{scale}.png"))
            window.resize(*SIZES["window"])
            _idle(app, 1)
            for panel in PANELS:
                window.layout_.enter(panel.name)
                _wait(app, lambda name=panel.name: _is_filled(window, name))
                _idle(app, 0.5)
                dock = window.layout_.docks[panel.name]
                dock.grab().save(str(folder / f"panel-{panel.name}-{theme}-{scale}.png"))
            window.layout_.enter("targets")
            for name, command in DIALOGS.items():
                _draw_dialog(app, window, command, folder / f"{name}-{theme}-{scale}.png")
        window.editor.set_unmodified()
        window.close()


def _is_filled(window: MainWindow, panel: str) -> bool:
    """Whether what a panel asks for once it is seen is there."""
    session = window.session
    if panel == "compiled":
        return session.compiled.current is not None
    return panel != "flow" or bool(session.flow.flows)


def _draw_dialog(app: QApplication, window: MainWindow, command: str, picture: Path) -> None:
    window.actions_[command].trigger()
    _idle(app, 0.4)
    dialog = next(d for d in window.findChildren(QtWidgets.QDialog) if d.isVisible())
    dialog.grab().save(str(picture))
    dialog.close()
    _idle(app, 0.2)


def _wait(app: QApplication, ready) -> None:
    end = monotonic() + _PATIENCE_S
    while not ready():
        if monotonic() > end:
            raise SystemExit("not everything is there")
        start.process_events(app)


def _idle(app: QApplication, seconds: float) -> None:
    end = monotonic() + seconds
    while monotonic() < end:
        start.process_events(app)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
