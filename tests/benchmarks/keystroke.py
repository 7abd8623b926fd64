"""Last keystroke to new picture, and to counts and all predictions, on the bundled examples.

    xvfb-run -a python tests/benchmarks/keystroke.py [--rounds N] [--example NAME]... [--paused]

A real window with real workers.  Each round types one character that changes the program, as a
hand would, and waits for picture, counts and predictions.  Printed are medians over the rounds of
each example, and the median over all examples, in milliseconds, with the parts:
compile (request to program), pipeline, draw (request less pipeline), trace, predict.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import tempfile
from pathlib import Path
from time import monotonic, time_ns

from shaderlab.app.settings import Settings, SettingsStore
from shaderlab.app.shell import start
from shaderlab.frontend.examples import examples

PARTS = (
    "picture", "counts", "forecasts", "compile_s", "pipeline_s", "draw_s", "trace_s", "predict_s",
)  # fmt: skip


_EVENTS = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--example", action="append")
    parser.add_argument("--paused", action="store_true", help="no frames of the preview meanwhile")
    arguments = parser.parse_args()
    app = start.application()
    with tempfile.TemporaryDirectory() as folder:
        store = SettingsStore(Path(folder) / "settings.ini")
        window = start.open_window(None, store=store, settings=Settings())
        _wait(app, lambda: window.session.complete, 60)
        print(f"{platform.machine()}, {os.cpu_count()} cores, {window.session.device.name}")
        print(f"{'ms':16}" + "".join(f"{p.removesuffix('_s'):>10}" for p in PARTS))
        medians = [
            _measure(app, window, example, arguments)
            for example in examples()
            if not arguments.example or example.path.stem in arguments.example
        ]
        _row("median", [statistics.median(column) for column in zip(*medians, strict=True)])
        window.editor.set_unmodified()
        window.close()


def _measure(app, window, example, arguments) -> list[float]:
    session, editor = window.session, window.editor
    editor.set_unmodified()
    window.documents.open_example(example)
    _wait(app, lambda: session.complete, 120)
    if arguments.paused and session.on_device.pictures.playback.playing:
        session.on_device.toggle_play()
    # A literal that grows by a digit per round: no cache, ours or the driver's, has seen it.
    last = editor.text.rstrip().count("\n") + 1
    seed = f"    fragColor.rgb += 1e-9 * 1.{time_ns() // 1000 % 9000 + 1000}"
    editor.go_to(last)
    editor.type(f"{seed};\n")
    _wait(app, lambda: session.complete, 120)
    rows = []
    for number in range(arguments.rounds):
        editor.go_to(last, len(seed) + number + 1)
        for _ in range(_EVENTS):  # the caret of a hand that types is there, and painted, already
            start.process_events(app)
        editor.type(str(number % 9 + 1))
        _wait(app, lambda: session.latency.forecasts is not None, 120)
        rows.append([getattr(session.latency, part) * 1e3 for part in PARTS])
    medians = [statistics.median(column) for column in zip(*rows, strict=True)]
    _row(example.path.stem, medians)
    return medians


def _row(name: str, values: list[float]) -> None:
    print(f"{name:16}" + "".join(f"{v:10.0f}" for v in values), flush=True)


def _wait(app, ready, limit_s: float) -> None:
    end = monotonic() + limit_s
    while not ready():
        if monotonic() > end:
            raise SystemExit("no answer in time")
        start.process_events(app)


if __name__ == "__main__":
    main()
