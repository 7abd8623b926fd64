"""A copy of the tree in which changes are tried against the tests of their room."""

from __future__ import annotations

import ast
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from multiprocessing import Pipe
from pathlib import Path
from typing import NamedTuple

from coverage import CoverageData

from tests.mutations.changes import SOURCE, UNIT, Mutant, room_of
from tests.mutations.warm import CONNECTION, DATA, NOT_SWAPPED, WATCHED, Attempt, Baseline

ROOT = Path(__file__).resolve().parents[2]


class Tests(NamedTuple):
    """Of a room; folders and files, those likeliest to notice first."""

    quick: tuple[str, ...]
    """These run our code in pytest's own process, so what they come past is known."""
    slow: tuple[str, ...] = ()
    """Tried where no quick one notices."""
    elsewhere: bool = True
    """The slow ones run our code in other processes too, so any of them may come past."""


_NAMED = {
    "spirv/passes": Tests(
        (
            "tests/unit/spirv/passes",
            "tests/unit/spirv/test_heat.py",
            "tests/integration/spirv/test_golden.py",
        ),
        (
            "tests/integration/spirv/passes",
            "tests/integration/spirv/test_device_counts.py",
            "tests/integration/gpu/vulkan/test_pixel_values.py",
            "tests/integration/gpu/compute/test_buffer_sizes.py",
        ),
    ),
    "spirv/analysis": Tests(
        (
            "tests/unit/spirv",
            "tests/integration/spirv/test_golden_analysis.py",
            "tests/integration/spirv/analysis/test_barriers.py",
            "tests/integration/spirv/analysis/test_dataflow.py",
            "tests/integration/spirv/analysis/test_frequencies.py",
            "tests/integration/spirv/analysis/test_hoisting.py",
            "tests/integration/spirv/analysis/test_influence.py",
            "tests/integration/spirv/analysis/test_trip_counts.py",
            "tests/integration/spirv/analysis/test_uninitialised.py",
            "tests/unit/prediction/forecasts",
        ),
        ("tests/integration/spirv/analysis",),
    ),
    "prediction/models": Tests(
        ("tests/unit/prediction",), ("tests/integration/prediction/test_forms.py",)
    ),
    "samples": Tests(
        ("tests/unit/samples",),
        (
            "tests/integration/samples/test_recording.py",
            "tests/integration/samples/test_commands.py",
            "tests/integration/samples/test_side_by_side.py",
        ),
    ),
    "campaigns": Tests(("tests/unit/campaigns",), ("tests/integration/campaigns",)),
    "workers/supervisor": Tests(
        ("tests/unit/workers/supervisor",), ("tests/integration/workers/supervisor",)
    ),
    "app/session": Tests(
        ("tests/unit/app/session",),
        (
            "tests/integration/app/test_targets_view.py",
            "tests/integration/app/test_variants.py",
            "tests/integration/app/test_pixel.py",
            "tests/integration/app/test_passes.py",
            "tests/integration/app/test_preview_controls.py",
            "tests/integration/app/test_vertex.py",
        ),
        elsewhere=False,
    ),
}
"""Rooms whose modules are noticed by other tests than those of their own folder."""
INTEGRATION = Path("tests/integration")


def _rooms() -> dict[str, Tests]:
    """All: by default with the unit tests of their folder, then with those on real drivers."""
    modules = sorted((ROOT / SOURCE).rglob("*.py"))
    found = {}
    for room in dict.fromkeys(room_of(path, ROOT) for path in modules):
        around = (Path(room), *Path(room).parents)
        slow = next(s for each in around if (ROOT / (s := INTEGRATION / each)).is_dir())
        if room in _NAMED:
            found[room] = _NAMED[room]
        elif room == ".":
            found[room] = Tests(
                tuple(f"tests/unit/test_{m}.py" for m in ("files", "stats", "units"))
            )
        else:
            found[room] = Tests(((UNIT / room).as_posix(),), (slow.as_posix(),))
    return found


ROOMS = _rooms()
_LEAST_LIMIT_S = 60
_SHARE_OF_LIMIT = 5
"""A run may take so many times as long as without a mutation."""


class Tree:
    """A copy of the working tree, with one process for each room that was tried."""

    def __init__(self, folder: Path, *, quick: bool = True, slow: bool = True):
        """With the rooms' `quick` tests, the `slow` ones, or those where these do not notice."""
        self.folder = folder
        self._quick, self._slow = quick, slow
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for name in filter(None, listed.split("\0")):
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name)
        self._rooms: dict[tuple[str, tuple[str, ...]], _Room] = {}

    def verdict(self, mutant: Mutant) -> str:
        """`killed`, `too long`, `survived`, or `gone` where the line is there no more."""
        path = self.folder / mutant.path
        before = path.read_text("utf-8") if path.exists() else ""
        lines = before.splitlines(keepends=True)
        there = [at for at, line in enumerate(lines) if line.strip() == mutant.before]
        if not there:
            return "gone"
        at = min(there, key=lambda at: abs(at + 1 - mutant.line))
        lines[at] = lines[at].replace(mutant.before, mutant.after)
        quick, slow, elsewhere = ROOMS[mutant.room]
        verdict = "survived"
        for tests in filter(None, (self._quick and quick, self._slow and slow)):
            room = self._room(mutant.room, tests, elsewhere and tests is slow)
            try:
                _write(path, "".join(lines))
                verdict = room.verdict(path, at + 1, before, "".join(lines))
            finally:
                _write(path, before)
            if verdict != "survived":
                break
        return verdict

    def _room(self, name: str, tests: tuple[str, ...], elsewhere: bool) -> _Room:
        if (name, tests) not in self._rooms:
            self._rooms[name, tests] = _Room(self.folder, name, tests, elsewhere)
        return self._rooms[name, tests]

    def close(self) -> None:
        for room in self._rooms.values():
            room.close()


class _Room:
    """The tests of a room, collected in a process of their own, and what each comes past."""

    def __init__(self, folder: Path, name: str, tests: tuple[str, ...], elsewhere: bool):
        self._folder, self._elsewhere = folder, elsewhere
        # Of each room two: what the slow tests come past is not what the quick ones do.
        data, self._output = (Path(tempfile.mkdtemp(dir=folder)) / each for each in ("data", "txt"))
        self._connection, theirs = Pipe()
        with theirs:
            told = {CONNECTION: str(theirs.fileno()), DATA: str(data)}
            watched = str(folder / SOURCE / name)
            plugin = ("-p", "tests.mutations.warm")
            self._process = self._start(*plugin, *tests, **told, **{WATCHED: watched})
        try:
            baseline: Baseline = self._connection.recv()
        except EOFError:
            output = self._output.read_text("utf-8", "replace")[-2000:]
            raise SystemExit(f"the tests of {name} cannot be run:\n{output}") from None
        self._failed = sorted(baseline.failed)
        for each in self._failed:
            print(f"left out, as it fails by itself: {each}", flush=True)
        self._seconds = {
            test: took_s for test, took_s in baseline.seconds.items() if test not in baseline.failed
        }
        self._coverage = CoverageData(str(data))
        self._coverage.read()
        print(f"{name}: its tests take {sum(self._seconds.values()):.0f} s", flush=True)

    def verdict(self, path: Path, line: int, before: str, after: str) -> str:
        by_line = self._coverage.contexts_by_lineno(str(path))
        past = {context for each in _statement(before, line) for context in by_line.get(each, ())}
        imported = "" in past
        tests = list(self._seconds) if imported else self._chosen(path.stem, past)
        if not tests:
            return "survived"  # no test comes past
        limit_s = _LEAST_LIMIT_S + _SHARE_OF_LIMIT * sum(self._seconds[test] for test in tests)
        code: int | None = NOT_SWAPPED
        if not imported:
            self._connection.send(Attempt(str(path), before, after, tests, limit_s))
            code = self._connection.recv()
        if code == NOT_SWAPPED:
            code = self._afresh(path.stem, past, limit_s)
        if code is None:
            return "too long"
        return "killed" if code else "survived"

    def _chosen(self, module: str, past: set[str]) -> list[str]:
        """The tests that come past, the module's own and the quickest first; then their files'.

        What a file's tests share is counted for the first; what goes on in other processes is not
        known.
        """
        files = {_file(test) for test in past}

        def rank(test: str) -> tuple[bool, bool, float]:
            own = f"test_{module}" in _file(test)
            return test not in past, not own, self._seconds[test]

        wanted = [test for test in self._seconds if self._elsewhere or _file(test) in files]
        return sorted(wanted, key=rank)

    def _afresh(self, module: str, past: set[str], limit_s: float) -> int | None:
        """In a new process, as the change is of what importing leaves."""
        coming_past = {_file(test) for test in past}

        def rank(file: str) -> tuple[bool, bool]:
            return module not in file, file not in coming_past

        files = sorted(dict.fromkeys(map(_file, self._seconds)), key=rank)
        process = self._start("-x", *(f"--deselect={each}" for each in self._failed), *files)
        try:
            return process.wait(limit_s)
        except subprocess.TimeoutExpired:
            return None
        finally:
            _end(process)

    def _start(self, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
        paths = f"{self._folder / 'src'}{os.pathsep}{self._folder}"
        inherited = [int(environment[CONNECTION])] if CONNECTION in environment else []
        command = [sys.executable, "-m", "pytest", "-q", "--tb=no", "-p", "no:cacheprovider"]
        with self._output.open("wb") as output:
            return subprocess.Popen(
                [*command, "--hypothesis-profile=ci", *arguments],
                cwd=self._folder,
                env={**os.environ, **environment, "PYTHONPATH": paths},
                pass_fds=inherited,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def close(self) -> None:
        self._connection.close()
        _end(self._process)


def _file(test: str) -> str:
    return test.partition("::")[0]


def _statement(text: str, line: int) -> range:
    """The lines of the statement, or of the head of the compound statement, that `line` is of."""
    found = range(line, line + 1)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno):
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
            if line <= last:
                found = range(node.lineno, last + 1)  # outer statements come first
    return found


def _end(process: subprocess.Popen[bytes]) -> None:
    """With all it started: a mutant may leave processes behind."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _write(path: Path, text: str) -> None:
    """And nothing of what was compiled of it before: that goes by its size and second."""
    path.write_text(text, "utf-8")
    Path(importlib.util.cache_from_source(str(path))).unlink(missing_ok=True)
