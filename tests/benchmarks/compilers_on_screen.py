"""From the last keystroke until all vendors' figures are of the new text, in the window.

    xvfb-run -a python -m tests.benchmarks.compilers_on_screen [--rounds N] [--example NAME]...
        [--family SLUG]...

A real window with its *GPU compilers* panel in front and one chip of each vendor that is built (or
those named).  Each round types one character that changes the program and waits.  Printed are
medians over the rounds: seconds until picture and forecasts (what the panel waits for), until
every family's statistics, and until their counted costs; the load before and after.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
from pathlib import Path
from time import monotonic, time_ns

from shaderlab.app.settings import Settings, SettingsStore
from shaderlab.app.shell import start
from shaderlab.frontend.examples import examples
from tests.benchmarks.vendor_compilers import PREFERRED

PATIENCE_S = 120.0


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--example", action="append")
    parser.add_argument("--family", action="append")
    options = parser.parse_args()
    app = start.application()
    print(f"load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        store = SettingsStore(Path(folder) / "settings.ini")
        chosen = list(options.family or PREFERRED)
        window = start.open_window(None, store=store, settings=Settings(compiled_families=chosen))
        session = window.session
        _wait(app, lambda: session.complete)
        window.show()
        window.actions_["view.compiled"].trigger()
        _wait(app, lambda: bool(session.compiled.on_screen))
        print(", ".join(family.slug for family in session.compiled.on_screen))
        print(f"{'seconds':16}{'forecasts':>10}{'figures':>10}{'counts':>10}")
        rows = [
            _measure(app, window, example, options.rounds)
            for example in examples()
            if not options.example or example.path.stem in options.example
        ]
        _row("median", [statistics.median(column) for column in zip(*rows, strict=True)])
        print(f"load {os.getloadavg()[0]:.1f}")
        window.editor.set_unmodified()
        window.close()


def _measure(app, window, example, rounds: int) -> list[float]:
    session, editor = window.session, window.editor
    editor.set_unmodified()
    window.documents.open_example(example)
    _wait(app, lambda: _counted(session))
    last = editor.text.rstrip().count("\n") + 1
    seed = f"    fragColor.rgb += 1e-9 * 1.{time_ns() // 1000 % 9000 + 1000}"
    editor.go_to(last)
    editor.type(f"{seed};\n")
    _wait(app, lambda: _counted(session))
    rows = []
    for number in range(rounds):
        editor.go_to(last, len(seed) + number + 1)
        began = monotonic()
        editor.type(str(number % 9 + 1))
        digest = session.program.digest
        _wait(app, lambda digest=digest: session.program.digest != digest)
        _wait(app, lambda: session.latency.forecasts is not None)
        forecasts = monotonic() - began
        _wait(app, lambda: _compiled(session))
        figures = monotonic() - began
        _wait(app, lambda: _counted(session))
        rows.append([forecasts, figures, monotonic() - began])
    medians = [statistics.median(column) for column in zip(*rows, strict=True)]
    _row(example.path.stem, medians)
    return medians


def _compiled(session) -> bool:
    """Whether what is shown is of the present text, of every family."""
    made, program = session.compiled.current, session.program
    if made is None or program is None or made.program.digest != program.digest:
        return False
    return not made.lacks([family.slug for family in session.compiled.on_screen])


def _counted(session) -> bool:
    jobs = session.compiled
    if not _compiled(session) or jobs.busy:
        return False
    current = jobs.current
    asked = [family.slug for family in jobs.on_screen if family.slug in current.stats]
    return current.cost_problem is not None or all(slug in current.costs for slug in asked)


def _row(name: str, values: list[float]) -> None:
    print(f"{name:16}" + "".join(f"{v:10.2f}" for v in values), flush=True)


def _wait(app, ready) -> None:
    end = monotonic() + PATIENCE_S
    while not ready():
        if monotonic() > end:
            raise SystemExit("no answer in time")
        start.process_events(app)


if __name__ == "__main__":
    main()
