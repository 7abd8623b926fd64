"""Draws the window of the README: an example, pinned, then changed twice.

xvfb-run -a python tests/screenshot.py [FILE]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from time import monotonic

from shaderlab import locations
from shaderlab.app.settings import Settings, SettingsStore
from shaderlab.app.shell import start
from shaderlab.app.widgets.theme import ThemeChoice
from shaderlab.frontend.examples import examples
from shaderlab.prediction.forms import Form

PICTURE = locations.resources() / "screenshots" / "window.png"
EXAMPLE, LOOP, VERSIONS = "julia", "n < 110", ("n < 80", "n < 90")
SIZE = (1280, 720)
MOMENT_S = 5.6


def main() -> None:
    app = start.application()
    with tempfile.TemporaryDirectory() as folder:
        store = SettingsStore(Path(folder) / "settings.ini")
        settings = Settings(theme=ThemeChoice.DARK, preview_size="640x360")
        window = start.open_window(None, store=store, settings=settings)
        window.resize(*SIZE)
        session, editor = window.session, window.editor

        def settle() -> None:
            """Until the best forecasts of the text are there."""
            end = monotonic() + 120
            while not session.complete or Form.COMPILED not in {f.form for f in session.forecasts}:
                if monotonic() > end:
                    raise SystemExit("not everything is there")
                start.process_events(app)

        settle()
        (example,) = (each for each in examples() if each.path.stem == EXAMPLE)
        window.documents.open_example(example)
        settle()
        session.versions.pin(example.title)
        was = LOOP
        for version in VERSIONS:
            lines = editor.text.split("\n")
            at = next(n for n, line in enumerate(lines) if was in line)
            editor.select_lines(at + 1, at + 1)
            editor.type(lines[at].replace(was, version) + "\n")
            was = version
            settle()
        editor.go_to(1)
        session.on_device.pictures.restart()
        while session.on_device.pictures.playback.time_s < MOMENT_S:
            start.process_events(app)
        session.on_device.toggle_play()
        end = monotonic() + 1
        while monotonic() < end:
            start.process_events(app)
        window.grab().save(sys.argv[1] if len(sys.argv) > 1 else str(PICTURE))
        editor.set_unmodified()
        window.close()


if __name__ == "__main__":
    main()
