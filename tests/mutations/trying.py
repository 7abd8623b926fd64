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
import time
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing import Pipe
from pathlib import Path
from typing import NamedTuple

from coverage import CoverageData

from tests.mutations.changes import SOURCE, UNIT, Mutant, room_of
from tests.mutations.warm import CONNECTION, DATA, NOT_SWAPPED, WATCHED, Attempt, Baseline

ROOT = Path(__file__).resolve().parents[2]


class Tests(NamedTuple):
    """Of a room; folders and files."""

    quick: tuple[str, ...]
    """These run our code in pytest's own process, so what they come past is known."""
    slow: tuple[str, ...] = ()
    """Files of tests that run our code in other processes too, or in a window, tried where no
    quick one notices: those nearest by what they name first, for `_SLOW_S`."""


INTEGRATION = Path("tests/integration")
_ALSO = {
    ".": ("tests/unit/projects", "tests/unit/checks"),
    "spirv": (
        "tests/integration/spirv/test_golden.py",
        "tests/integration/spirv/test_golden_analysis.py",
        "tests/integration/spirv/test_golden_tokens.py",
        "tests/integration/spirv/analysis/test_barriers.py",
        "tests/integration/spirv/analysis/test_dataflow.py",
        "tests/integration/spirv/analysis/test_frequencies.py",
        "tests/integration/spirv/analysis/test_hoisting.py",
        "tests/integration/spirv/analysis/test_influence.py",
        "tests/integration/spirv/analysis/test_trip_counts.py",
        "tests/integration/spirv/analysis/test_uninitialised.py",
        "tests/unit/prediction/forecasts",
    ),
}
"""Quick tests of a package beside its unit tests."""


def _rooms() -> dict[str, Tests]:
    """All: the rooms of a package share its unit tests, then its tests on real drivers."""
    modules = sorted((ROOT / SOURCE).rglob("*.py"))
    found = {}
    for room in dict.fromkeys(room_of(path, ROOT) for path in modules):
        package = package_of(room)
        if package == ".":
            quick = sorted(path.name for path in (ROOT / UNIT).glob("test_*.py"))
            found[room] = Tests((*((UNIT / name).as_posix() for name in quick), *_ALSO[package]))
            continue
        found[room] = Tests(
            ((UNIT / package).as_posix(), *_ALSO.get(package, ())), _on_drivers(package)
        )
    return found


def _on_drivers(package: str) -> tuple[str, ...]:
    """The files of a package's tests on real drivers, and of others that import it."""
    own = ROOT / INTEGRATION / package
    named = f"shaderlab.{package}"
    files = sorted(
        (ROOT / INTEGRATION).rglob("test_*.py"), key=lambda path: own not in path.parents
    )
    return tuple(
        path.relative_to(ROOT).as_posix()
        for path in files
        if own in path.parents or named in path.read_text("utf-8")
    )


def package_of(room: str) -> str:
    return Path(room).parts[0] if room != "." else room


ROOMS = _rooms()
_LEAST_LIMIT_S = 60
_SHARE_OF_LIMIT = 5
"""A run may take so many times as long as without a mutation."""
_SLOW_S, _MOST_FILES = 120, 4
"""So long, and against so many files of slow tests, a survivor of the quick ones is tried."""
_LONGEST_FILE_S = 300
_DEFINITIONS = (ast.ClassDef, ast.FunctionDef)


class Tree:
    """A copy of the working tree, with one process for the tests of each package that was tried."""

    def __init__(
        self, folder: Path, *, quick: bool = True, slow: bool = True, tests: Sequence[str] = ()
    ):
        """With the rooms' `quick` tests, the `slow` ones, or those where these do not notice.

        `tests`: files in the place of the slow ones.
        """
        self.folder = folder
        self._quick, self._slow, self._tests = quick, slow, tuple(tests)
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
        self._packages: dict[tuple[str, ...], _Package] = {}
        self._files = _Files(folder)

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
        quick, slow = ROOMS[mutant.room]
        verdict = "survived"
        try:
            if self._quick:
                package = self._package(package_of(mutant.room), quick)
                _write(path, "".join(lines))
                verdict = package.verdict(path, at + 1, before, "".join(lines))
            if verdict == "survived" and self._slow:
                _write(path, before)
                verdict = self._files.verdict(path, self._tests or slow, "".join(lines))
        finally:
            _write(path, before)
        return verdict

    def _package(self, name: str, tests: tuple[str, ...]) -> _Package:
        if tests not in self._packages:
            self._packages[tests] = _Package(self.folder, name, tests)
        return self._packages[tests]

    def close(self) -> None:
        for package in self._packages.values():
            package.close()


class _Files:
    """Files of slow tests, each run in a process of its own."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._seconds: dict[str, float] = {}
        """How long each took before anything was changed; inf where it failed by itself."""

    def verdict(self, path: Path, files: tuple[str, ...], after: str) -> str:
        """Of the change of a file that is not changed yet."""
        before, left_s = path.read_text("utf-8"), float(_SLOW_S)
        nearest = sorted(files, key=lambda file: self._distance(path, file))
        for file in nearest[:_MOST_FILES]:
            if file not in self._seconds:
                began = time.monotonic()
                passed = _run(self._folder, [file], _LONGEST_FILE_S) == 0
                self._seconds[file] = time.monotonic() - began if passed else float("inf")
            if (took_s := self._seconds[file]) > left_s:
                continue
            left_s -= took_s
            _write(path, after)
            code = _run(self._folder, [file], _LEAST_LIMIT_S + _SHARE_OF_LIMIT * took_s)
            _write(path, before)
            if code != 0:
                return "too long" if code is None else "killed"
        return "survived"

    def _distance(self, path: Path, file: str) -> int:
        """Less for a file of tests that names the module or what it defines, or is named alike."""
        text = (self._folder / file).read_text("utf-8")
        tree = ast.parse(path.read_text("utf-8"))
        names = [each.name for each in tree.body if isinstance(each, _DEFINITIONS)]
        module = ".".join(path.relative_to(self._folder / "src").with_suffix("").parts)
        words = {*path.stem.split("_"), path.parent.name}
        alike = len(words.intersection(Path(file).stem.split("_")))
        return -(3 * (module in text) + 2 * alike + sum(name in text for name in names))


class _Package:
    """The tests of a package, collected in a process of their own, and what each comes past."""

    def __init__(self, folder: Path, name: str, tests: tuple[str, ...]):
        self._folder = folder
        data, self._output = (Path(tempfile.mkdtemp(dir=folder)) / each for each in ("data", "txt"))
        self._connection, theirs = Pipe()
        with theirs:
            told = {CONNECTION: str(theirs.fileno()), DATA: str(data)}
            watched = str(folder / SOURCE / name)
            plugin = ("-p", "tests.mutations.warm")
            self._process = _start(
                folder, self._output, *plugin, *tests, **told, **{WATCHED: watched}
            )
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
        if imported:  # by whatever comes past anything of the module
            past = set().union(*by_line.values())
        tests = self._chosen(path, past)
        if not tests:
            return "survived"  # no test comes past
        limit_s = _LEAST_LIMIT_S + _SHARE_OF_LIMIT * sum(self._seconds[test] for test in tests)
        code: int | None = NOT_SWAPPED
        if not imported:
            self._connection.send(Attempt(str(path), before, after, tests, limit_s))
            code = self._connection.recv()
        if code == NOT_SWAPPED:
            code = self._afresh(tests, limit_s)
        if code is None:
            return "too long"
        return "killed" if code else "survived"

    def _chosen(self, path: Path, past: set[str]) -> list[str]:
        """The tests that come past, nearest by name and quickest first; then those of their files.

        What a file's tests share is counted for the first, so any of them may notice.
        """
        own_file = f"/test_{path.stem}.py"  # which may run it in another process
        files = {
            _file(test) for test in [*past, *self._seconds] if test in past or own_file in test
        }
        own = (UNIT / path.parent.relative_to(self._folder / SOURCE)).as_posix()
        words = {*path.stem.split("_"), path.parent.name}

        def rank(test: str) -> tuple[bool, int, float]:
            file = _file(test)
            kin = len(words.intersection(Path(file).stem.split("_")))
            kin += f"test_{path.stem}." in file
            kin += 2 * file.startswith(f"{own}/")
            return test not in past, -kin, self._seconds[test]

        return sorted((each for each in self._seconds if _file(each) in files), key=rank)

    def _afresh(self, tests: list[str], limit_s: float) -> int | None:
        """In a new process, as the change is of what importing leaves."""
        return _run(self._folder, tests, limit_s)

    def close(self) -> None:
        self._connection.close()
        _end(self._process)


def _start(
    folder: Path, output: Path, *arguments: str, **environment: str
) -> subprocess.Popen[bytes]:
    """The tests in a process of its own, in a group of its own."""
    paths = f"{folder / 'src'}{os.pathsep}{folder}"
    inherited = [int(environment[CONNECTION])] if CONNECTION in environment else []
    command = [sys.executable, "-m", "pytest", "-q", "--tb=no", "-p", "no:cacheprovider"]
    with output.open("wb") as written:
        return subprocess.Popen(
            [*command, "--hypothesis-profile=ci", *arguments],
            cwd=folder,
            env={**os.environ, **environment, "PYTHONPATH": paths},
            pass_fds=inherited,
            stdout=written,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _run(folder: Path, tests: list[str], limit_s: float) -> int | None:
    """The exit status of these tests up to the first failure; None where they take longer."""
    with tempfile.TemporaryDirectory() as kept:
        chosen = Path(kept) / "chosen"
        chosen.write_text("\n".join(tests), "utf-8")
        process = _start(folder, Path(kept) / "txt", "-x", f"@{chosen}")
        try:
            return process.wait(limit_s)
        except subprocess.TimeoutExpired:
            return None
        finally:
            _end(process)


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
