"""Last keystroke to new picture, and to counts and all predictions, on the bundled examples.

    xvfb-run -a python -m tests.benchmarks.keystroke [--rounds N] [--example NAME]... [--paused]
    xvfb-run -a python -m tests.benchmarks.keystroke --against CHECKOUT [--rounds N] ...

A real window with real workers.  Each round types one character that changes the program, as a
hand would, and waits for picture, counts and predictions.  Printed is the lower quartile over the
rounds of each example, which a busy machine changes least, and the median over all examples, in
milliseconds.  By the wall clock: picture, counts, forecasts; of them compile (request to program),
pipeline, draw (request less pipeline), trace and predict; `ours` is what pipeline and draw leave of
the picture, and `all ours` what these and trace leave of the forecasts.  Of processor time until
the forecasts: the window's own thread until the picture (`shown`) and in all, and each child.

`--against` measures another checkout with a `.venv` of its own beside this one, each in a window of
its own, in turns: one round here, one there, the other paused.  Printed are the lower quartiles of
both and, for each column, the median over the examples of what is longer here (negative: shorter).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import clock_gettime, monotonic, thread_time, time_ns
from typing import Any

HERE = Path(__file__).parents[2]
WALL = (
    "picture", "counts", "forecasts", "compile_s", "pipeline_s", "draw_s", "trace_s", "predict_s",
)  # fmt: skip
CHILDREN = ("compiler", "first", "device", "predictor")
COLUMNS = (
    *(name.removesuffix("_s") for name in WALL), "ours", "all ours", "shown", "window",
    *CHILDREN,
)  # fmt: skip
_EVENTS = 10
_REST_S = 0.15
"""Before each round: what the last one left to do is done."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--example", action="append")
    parser.add_argument("--paused", action="store_true", help="no frames of the preview meanwhile")
    parser.add_argument("--against", type=Path, help="root of another checkout")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        _serve(arguments.paused)
        return
    roots = [HERE, *([arguments.against.resolve()] if arguments.against else [])]
    windows = [_Window(root, arguments.paused) for root in roots]
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(f"{'ms':20}" + "".join(f"{name:>10}" for name in COLUMNS), flush=True)
    by_example = [
        _measured(windows, name, arguments.rounds)
        for name in windows[0].examples
        if not arguments.example or name in arguments.example
    ]
    for number, window in enumerate(windows):
        _row(f"median{window.mark}", _medians([each[number] for each in by_example]))
        window.close()
    if arguments.against:
        _row("median longer here", _medians([_longer(*each) for each in by_example]), "+")


def _measured(windows: Sequence[_Window], name: str, rounds: int) -> list[list[float]]:
    """Lower quartiles of each window's columns."""
    rows: list[list[list[float]]] = [[] for _ in windows]
    for window in windows:
        window.ask("open", name)
    for number in range(rounds):
        order = list(zip(windows, rows, strict=True))
        for window, into in order[:: -1 if number % 2 else 1]:
            into.append(window.ask("type", number))
    quartiles = [[_lower(column) for column in zip(*each, strict=True)] for each in rows]
    for window, values in zip(windows, quartiles, strict=True):
        _row(f"{name}{window.mark}", values)
    return quartiles


def _lower(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 4]


def _medians(rows: Sequence[Sequence[float]]) -> list[float]:
    return [statistics.median(column) for column in zip(*rows, strict=True)]


def _longer(here: Sequence[float], there: Sequence[float]) -> list[float]:
    return [a - b for a, b in zip(here, there, strict=True)]


def _row(name: str, values: Sequence[float], sign: str = "") -> None:
    print(f"{name:20}" + "".join(f"{v:{sign}10.1f}" for v in values), flush=True)


class _Window:
    """A window of one checkout, in a process of that checkout's Python."""

    def __init__(self, root: Path, paused: bool):
        self.mark = "" if root == HERE else " there"
        python = root / ".venv" / "bin" / "python"
        command = [str(python) if python.exists() else sys.executable, __file__, "--serve"]
        # With this file's folder alone on its path, shaderlab is the one installed there.
        self._process = subprocess.Popen(
            command + ["--paused"] * paused,
            cwd=root,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.examples: list[str] = self._answer()

    def ask(self, *request: object) -> Any:
        assert self._process.stdin is not None
        print(json.dumps(request), file=self._process.stdin, flush=True)
        return self._answer()

    def close(self) -> None:
        self._process.communicate()

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("a window ended without an answer")
        return json.loads(line)


def _serve(paused: bool) -> None:
    """Answer requests from the standard input, one a line, until it is closed."""
    from shaderlab.app.settings import Settings, SettingsStore
    from shaderlab.app.shell import start
    from shaderlab.frontend.examples import examples

    app = start.application()
    with tempfile.TemporaryDirectory() as folder:
        store = SettingsStore(Path(folder) / "settings.ini")
        window = start.open_window(None, store=store, settings=Settings())
        typist = _Typist(lambda: start.process_events(app), window, paused)
        known = {example.path.stem: example for example in examples()}
        print(json.dumps(list(known)), flush=True)
        for line in sys.stdin:
            what, argument = json.loads(line)
            answer = typist.open(known[argument]) if what == "open" else typist.type(argument)
            print(json.dumps(answer), flush=True)
        window.editor.set_unmodified()
        window.close()


class _Typist:
    """Types into a window that plays only meanwhile."""

    def __init__(self, process_events, window, paused: bool):
        self._process_events, self._window, self._paused = process_events, window, paused
        self._session, self._editor = window.session, window.editor
        self._wait(lambda: self._session.complete)
        self._play(False)

    def open(self, example) -> None:
        self._editor.set_unmodified()
        self._window.documents.open_example(example)
        self._wait(lambda: self._session.complete)
        # A literal that grows by a digit per round: no cache, ours or the driver's, has seen it.
        self._last = self._editor.text.rstrip().count("\n") + 1
        self._seed = f"    fragColor.rgb += 1e-9 * 1.{time_ns() // 1000 % 9000 + 1000}"
        self._editor.go_to(self._last)
        self._editor.type(f"{self._seed};\n")
        self._wait(lambda: self._session.complete)
        self._play(False)

    def type(self, number: int) -> list[float]:
        """One round; its columns."""
        session = self._session
        with self._playing():
            self._rest()
            self._editor.go_to(self._last, len(self._seed) + number + 1)
            for _ in range(_EVENTS):  # the caret of a hand that types is painted already
                self._process_events()
            children, own = self._children(), thread_time()
            self._editor.type(str(number % 9 + 1))
            self._wait(lambda: session.latency.picture is not None)
            shown = thread_time() - own
            self._wait(lambda: session.latency.forecasts is not None)
            window = thread_time() - own
            # A child that was replaced meanwhile began at none.
            spent = [now - children.get(pid, 0.0) for pid, now in self._children().items()]
            latency = session.latency
            self._wait(lambda: session.complete)
        wall = [getattr(latency, part) for part in WALL]
        drawn = latency.pipeline_s + latency.draw_s
        ours = (latency.picture - drawn, latency.forecasts - drawn - latency.trace_s)
        return [seconds * 1e3 for seconds in (*wall, *ours, shown, window, *spent)]

    def _children(self) -> dict[int, float]:
        """Processor seconds of each so far, by process id, in the order of `CHILDREN`."""
        session = self._session
        # Of checkouts to compare with: it was the forecasts' own in former ones.
        predictor = getattr(session._crew, "predictor", None) or session.forecasting._worker
        workers = (
            session._compiler,
            session.on_device.first.worker,
            session.on_device.worker,
            predictor,
        )
        pids = [worker.pid if worker is not None else None for worker in workers]
        return {pid or -n: _spent(pid) if pid else 0.0 for n, pid in enumerate(pids)}

    @contextmanager
    def _playing(self) -> Iterator[None]:
        self._play(not self._paused)
        yield
        self._play(False)

    def _play(self, on: bool) -> None:
        if self._session.on_device.pictures.playback.playing is not on:
            self._session.on_device.toggle_play()

    def _rest(self) -> None:
        end = monotonic() + _REST_S
        while monotonic() < end:
            self._process_events()

    def _wait(self, ready, limit_s: float = 120.0) -> None:
        end = monotonic() + limit_s
        while not ready():
            if monotonic() > end:
                raise SystemExit("no answer in time")
            self._process_events()


def _spent(pid: int) -> float:
    """Processor seconds of a process, threads that ended included (Linux: clock_getcpuclockid)."""
    return clock_gettime(~pid << 3 | 2)


if __name__ == "__main__":
    main()
