"""Edit to dimmed numbers: how long figures of the former text stand as if they were the new one's.

    xvfb-run -a python tests/benchmarks/outdated_numbers.py [--rounds N] [--example NAME]...

A real window with real workers.  Each round types one character into an example whose numbers are
complete, and waits until the veil over the table of targets is painted and the count margin is
dim.  Printed are milliseconds from the editor's signal: by the wall clock, and of processor time
of the interface's thread, which others do not lengthen; the median and the slowest round.
The goal is 50 ms; ends with 1 where a round took more of its own time.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
import tempfile
from pathlib import Path
from time import monotonic, perf_counter, thread_time

from shaderlab.app.qt import QEvent, QObject
from shaderlab.app.settings import Settings, SettingsStore
from shaderlab.app.shell import start
from shaderlab.frontend.examples import examples

GOAL_MS = 50.0


class Watch(QObject):
    """Notes when the veil was first painted since it was reset."""

    def __init__(self, window):
        super().__init__()
        self._veil, self._editor = window.targets_panel.table.veil, window.editor
        self._veil.installEventFilter(self)
        self.reset()
        window.editor.text_edited.connect(self._on_edited)

    def reset(self) -> None:
        self.edited = self.veiled = self.margin = None

    def _on_edited(self) -> None:
        if self.edited is None:
            self.edited = _now()

    def look(self) -> None:
        if self.margin is None and self._editor.stale:
            self.margin = _now()

    def eventFilter(self, watched, event) -> bool:
        if event.type() == QEvent.Type.Paint and self.veiled is None:
            self.veiled = _now()
        return False

    @property
    def took_ms(self) -> tuple[float, ...] | None:
        """Wall and own milliseconds to the painted table, and to the dimmed margin."""
        self.look()
        if self.edited is None or self.veiled is None or self.margin is None:
            return None
        ends = (*self.veiled, *self.margin)
        return tuple((end - begin) * 1e3 for end, begin in zip(ends, 2 * self.edited, strict=True))


def _now() -> tuple[float, float]:
    return perf_counter(), thread_time()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--example", action="append")
    arguments = parser.parse_args()
    app = start.application()
    slowest = 0.0
    with tempfile.TemporaryDirectory() as folder:
        store = SettingsStore(Path(folder) / "settings.ini")
        window = start.open_window(None, store=store, settings=Settings())
        _wait(app, lambda: window.session.complete)
        window.layout_.show_tab(window.targets_panel)
        watch = Watch(window)
        print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
        heads = ("table", "slowest", "own", "slowest", "margin", "slowest", "own", "slowest")
        print(f"{'ms':16}" + "".join(f"{each:>9}" for each in heads))
        for example in examples():
            if arguments.example and example.path.stem not in arguments.example:
                continue
            rows = _measure(app, window, watch, example, arguments.rounds)
            columns = list(zip(*rows, strict=True))
            figures = [f(column) for column in columns for f in (statistics.median, max)]
            slowest = max(slowest, figures[3], figures[7])
            print(f"{example.path.stem:16}" + "".join(f"{each:9.1f}" for each in figures))
        window.editor.set_unmodified()
        window.close()
    return int(slowest > GOAL_MS)


def _measure(app, window, watch, example, rounds: int) -> list[tuple[float, ...]]:
    editor = window.editor
    editor.set_unmodified()
    window.documents.open_example(example)
    _wait(app, lambda: window.session.complete)
    last = editor.text.rstrip().count("\n") + 1
    seed = "    fragColor.rgb += 1e-9 * 1.0"
    editor.go_to(last)
    editor.type(f"{seed};\n")
    rows = []
    for number in range(rounds):
        _wait(app, lambda: window.session.complete and not editor.stale)
        watch.reset()
        editor.go_to(last, len(seed) + number + 1)
        editor.type(str(number % 9 + 1))
        _wait(app, lambda: watch.took_ms is not None)
        rows.append(watch.took_ms)
    return rows


def _wait(app, ready, limit_s: float = 120) -> None:
    end = monotonic() + limit_s
    while not ready():
        if monotonic() > end:
            raise SystemExit("no answer in time")
        start.process_events(app)


if __name__ == "__main__":
    sys.exit(main())
