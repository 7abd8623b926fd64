"""Change one thing on one line, and see a test fail: which mistakes the tests would not notice.

    python -m tests.mutations --count 100 --seed 1 --log mutations.jsonl [--room campaigns] [--unit]

Mutants are drawn by the seed from the rooms below, in turn, and each is tried in a copy of the tree
against the tests of its room.  A log that exists is continued: what it holds is not tried again.
With `--again`, the survivors in the log are, and none is drawn: the tests may have grown since.
Tests that fail before anything is changed are left out, and named.  Survivors that change nothing a
test could notice are listed in `equivalent_mutants.json` with the reason, and reported apart.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib.util
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from coverage import Coverage, CoverageData

ROOT = Path(__file__).resolve().parent.parent
SOURCE = Path("src/shaderlab")
EQUIVALENT = ROOT / "tests/equivalent_mutants.json"
"""By path: `before`, `after` and `why` of each."""
ROOMS: dict[str, tuple[str, ...]] = {
    "spirv/passes": (
        "tests/unit/spirv/passes",
        "tests/unit/spirv/test_heat.py",
        "tests/integration/spirv/passes",
        "tests/integration/spirv/test_golden.py",
        "tests/integration/spirv/test_device_counts.py",
    ),
    "spirv/analysis": (
        "tests/unit/spirv",
        "tests/unit/prediction/forecasts",
        "tests/integration/spirv/analysis",
    ),
    "prediction/models": ("tests/unit/prediction", "tests/integration/prediction/test_forms.py"),
    "samples": (
        "tests/unit/samples",
        "tests/integration/samples/test_recording.py",
        "tests/integration/samples/test_commands.py",
        "tests/integration/samples/test_side_by_side.py",
    ),
    "campaigns": ("tests/unit/campaigns", "tests/integration/campaigns"),
    "workers/supervisor": ("tests/integration/workers/supervisor",),
    "app/session": ("tests/unit/app/session",),
}
"""By room: the tests that are to notice, the quickest first."""

_SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
_NEIGHBOURS = {"min": "max", "max": "min", "any": "all", "all": "any"}
_COMMUTATIVE = frozenset(("min", "max", "math.hypot", "np.minimum", "np.maximum"))
_LEAST_LIMIT_S = 180
_SHARE_OF_LIMIT = 4
"""A run may take so many times as long as without a mutation."""


class Mutant(NamedTuple):
    room: str
    path: str
    line: int
    kind: str
    before: str
    after: str
    """The line, without its indentation."""


def mutants(room: str, root: Path) -> Iterator[Mutant]:
    """All there are in a room's files."""
    for path in sorted((root / SOURCE / room).rglob("*.py")):
        text = path.read_text("utf-8")
        lines = text.encode().splitlines()
        for node, kind, changed in _changes(ast.parse(text)):
            line = lines[node.lineno - 1]
            inner = ast.unparse(changed)
            if isinstance(changed, ast.expr) and not isinstance(changed, ast.Constant | ast.Name):
                inner = f"({inner})"
            after = line[: node.col_offset] + inner.encode() + line[node.end_col_offset :]
            yield Mutant(
                room,
                str(path.relative_to(root)),
                node.lineno,
                kind,
                line.decode().strip(),
                after.decode().strip(),
            )


def _changes(  # noqa: C901, one case per kind of mutation
    tree: ast.Module,
) -> Iterator[tuple[ast.stmt | ast.expr, str, ast.AST]]:
    """Nodes of one line, and what may stand in their place."""
    for node in _own(tree):
        if not isinstance(node, ast.stmt | ast.expr) or node.lineno != node.end_lineno:
            continue
        if isinstance(node, ast.Compare):
            for at, operator in enumerate(node.ops):
                changed = copy.deepcopy(node)
                changed.ops[at] = _SWAPPED[type(operator)]()
                yield node, "comparison", changed
        elif isinstance(node, ast.BoolOp | ast.BinOp | ast.AugAssign):
            if type(node.op) in _SWAPPED and not _is_text(node):
                changed = copy.deepcopy(node)
                changed.op = _SWAPPED[type(node.op)]()
                yield node, "operator", changed
            if isinstance(node, ast.AugAssign):
                yield node, "removed", ast.Pass()
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield node, "not", node.operand
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
            for step in (-1, 1) if isinstance(node.value, int) else (1.0,):
                yield node, "number", ast.Constant(abs(node.value + step))
        elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
            yield node, "boolean", ast.Constant(not node.value)
        elif isinstance(node, ast.Call):
            of_two = len(node.args) > 1 and ast.unparse(node.func) not in _COMMUTATIVE
            if of_two and not any(isinstance(each, ast.Starred) for each in node.args[:2]):
                changed = copy.deepcopy(node)
                changed.args[:2] = changed.args[1], changed.args[0]
                yield node, "arguments", changed
            if isinstance(node.func, ast.Name) and node.func.id in _NEIGHBOURS:
                changed = copy.deepcopy(node)
                changed.func = ast.Name(_NEIGHBOURS[node.func.id])
                yield node, "function", changed
        elif _can_go(node):
            yield node, "removed", ast.Pass()


def _can_go(node: ast.stmt | ast.expr) -> bool:
    """Whether the statement is an action, and no binding that others need."""
    if isinstance(node, ast.Assign):
        return isinstance(node.targets[0], ast.Attribute | ast.Subscript)
    action = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    return action or isinstance(node, ast.Raise | ast.Break | ast.Continue)


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes whose change could matter: no annotations, messages, logging or assertions."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or _is_for_people(child):
                continue
            yield child
            yield from _own(child)


def _is_for_people(node: ast.AST) -> bool:
    if isinstance(node, ast.Assert | ast.JoinedStr | ast.Import | ast.ImportFrom):
        return True
    if isinstance(node, ast.keyword) and node.arg == "strict":
        return True  # of zip: holds unless something else is wrong
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return True
    if isinstance(node, ast.Expr):
        node = node.value
    return isinstance(node, ast.Call) and ast.unparse(node.func).startswith("log.")


def _is_text(node: ast.AST) -> bool:
    parts = ast.walk(node)
    return any(isinstance(p, ast.Constant) and isinstance(p.value, str | bytes) for p in parts)


def drawn(rooms: list[str], root: Path, seed: int) -> Iterator[Mutant]:
    """Mutants of the rooms in turn; of each, kinds of change equally often, and lines once."""
    dice = random.Random(seed)
    left: dict[str, dict[str, list[Mutant]]] = {}
    for room in rooms:
        kinds: dict[str, list[Mutant]] = {}
        for each in mutants(room, root):
            kinds.setdefault(each.kind, []).append(each)
        for group in kinds.values():
            dice.shuffle(group)
        left[room] = kinds
    seen: set[tuple[str, int]] = set()
    while any(left.values()):
        for room in rooms:
            kinds = left[room]
            while kinds:
                kind = dice.choice(sorted(kinds))
                each = kinds[kind].pop()
                if not kinds[kind]:
                    del kinds[kind]
                if (each.path, each.line) not in seen:
                    seen.add((each.path, each.line))
                    yield each
                    break


class Tree:
    """A copy of the working tree in which mutants are tried."""

    def __init__(self, folder: Path, tests: str):
        """`tests`: what the paths of the tests used begin with."""
        self.folder = folder
        self._wanted = tests
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
        self._without: dict[str, tuple[list[str], float]] = {}

        self._covering: dict[str, _Covering] = {}

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
        left_out, took_s = self._sound(mutant.room)
        tests = self._tests(mutant.room, path.stem)
        if mutant.room in self._covering:
            tests = self._covering[mutant.room].tests(path, at + 1, tests)
        if not tests:
            return "survived"  # no test comes past
        try:
            _write(path, "".join(lines))
            code, _ = self._run(tests, left_out, _LEAST_LIMIT_S + _SHARE_OF_LIMIT * took_s, "-x")
        finally:
            _write(path, before)
        if code is None:
            return "too long"
        return "killed" if code else "survived"

    def _sound(self, room: str) -> tuple[list[str], float]:
        """Tests of the room that fail as things stand, and the seconds that all take.

        Where all run in pytest's own process, also notes which files of tests come past which line.
        """
        if room not in self._without:
            began = time.monotonic()
            tests, data = self._tests(room), self.folder / f"{room.replace('/', '-')}.coverage"
            quick = all(each.startswith("tests/unit") for each in tests)
            under = ["coverage", "run", f"--data-file={data}", f"--source={SOURCE / room}", "-m"]
            watched = ["-p", "tests.mutations"]
            code, output = self._run(
                tests, [], 1800, *(watched if quick else ()), under=under if quick else []
            )
            if quick:
                self._covering[room] = _Covering(data)
            if code not in (0, 1):
                raise SystemExit(f"the tests of {room} cannot be run:\n{output[-2000:]}")
            failed = re.findall(
                r"^(?:FAILED|ERROR) (tests/\S+\.py::[^\s\[]+)", output, re.MULTILINE
            )
            for name in sorted(set(failed)):
                print(f"left out, as it fails by itself: {name}", flush=True)
            took_s = time.monotonic() - began
            print(f"{room}: its tests take {took_s:.0f} s", flush=True)
            self._without[room] = sorted(set(failed)), took_s
        return self._without[room]

    def _tests(self, room: str, module: str = "") -> list[str]:
        """The module's own tests, then those of the room."""
        there = [each for each in ROOMS[room] if (self.folder / each).exists()]
        own = [path for each in there for path in (self.folder / each).rglob(f"test_{module}*.py")]
        wanted = [each for each in there if each.startswith(self._wanted)]
        return [str(path.relative_to(self.folder)) for path in own if module] + (wanted or there)

    def _run(
        self,
        tests: list[str],
        left_out: list[str],
        limit_s: float,
        *options: str,
        under: Sequence[str] = (),
    ) -> tuple[int | None, str]:
        run_tests = ["pytest", "-q", "--tb=no", "-p", "no:cacheprovider"]
        with subprocess.Popen(
            [sys.executable, "-m", *under, *run_tests, *options]
            + [f"--deselect={each}" for each in left_out]
            + tests,
            cwd=self.folder,
            env=os.environ | {"PYTHONPATH": f"{self.folder / 'src'}{os.pathsep}{self.folder}"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        ) as run:
            try:
                output, _ = run.communicate(timeout=limit_s)
            except subprocess.TimeoutExpired:
                return None, ""
            finally:
                _end(run)
        return run.returncode, output


class _Covering:
    """Which files of tests come past a line."""

    def __init__(self, data: Path):
        self._data = CoverageData(str(data))
        self._data.read()

    def tests(self, path: Path, line: int, all_tests: list[str]) -> list[str]:
        """Those of `all_tests` that may notice a change of the line, the module's own first."""
        lines = _statement(path, line)
        by_line = self._data.contexts_by_lineno(str(path))
        found = {context for each in lines for context in by_line.get(each, ())}
        if "" in found:  # when it was imported
            return all_tests
        own = [t for t in all_tests if t in found]
        slow = [t for t in all_tests if not t.startswith("tests/unit")]
        return own + sorted(found - {*own, *slow}) + slow


def _statement(path: Path, line: int) -> range:
    """The lines of the statement, or of the head of the compound statement, that `line` is of."""
    found = range(line, line + 1)
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno):
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
            if line <= last:
                found = range(node.lineno, last + 1)  # outer statements come first
    return found


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> None:
    """What follows is covered by the file of this test.  Used as a plugin under `coverage`."""
    if current := Coverage.current():
        current.switch_context(item.nodeid.partition("::")[0])


def _end(run: subprocess.Popen[str]) -> None:
    """With all it started: a mutant may leave processes behind."""
    try:
        os.killpg(run.pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def judged_equivalent() -> dict[tuple[str, str, str], str]:
    """By path, line before and line after: why no test can notice.  Line numbers move."""
    listed = json.loads(EQUIVALENT.read_text("utf-8"))
    return {
        (path, each["before"], each["after"]): each["why"]
        for path, found in listed.items()
        for each in found
    }


def read_log(path: Path | None) -> dict[Mutant, str]:
    """The latest verdict on each mutant."""
    if path is None or not path.exists():
        return {}
    verdicts = {}
    for line in path.read_text("utf-8").splitlines():
        *fields, verdict = json.loads(line)
        verdicts[Mutant(*fields)] = verdict
    return verdicts


def _write(path: Path, text: str) -> None:
    """And nothing of what was compiled of it before: that goes by its size and second."""
    path.write_text(text, "utf-8")
    Path(importlib.util.cache_from_source(str(path))).unlink(missing_ok=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=100, help="mutants, those in the log included")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--room", action="append", choices=sorted(ROOMS), help="all by default")
    parser.add_argument(
        "--unit", action="store_true", help="the room's unit tests and the module's own: quicker"
    )
    parser.add_argument("--log", type=Path, help="continued where it exists")
    parser.add_argument(
        "--again",
        action="store_true",
        help="the log's mutants, survivors tried again, instead of drawing",
    )
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # with what the tests started
    rooms = arguments.room or list(ROOMS)
    verdicts = read_log(arguments.log)
    wanted: list[Mutant] = []
    with tempfile.TemporaryDirectory(prefix="mutations-") as folder:
        tree = Tree(Path(folder), "tests/unit" if arguments.unit else "tests")
        again = [mutant for mutant in verdicts if mutant.room in rooms] if arguments.again else None
        for mutant in again or drawn(rooms, tree.folder, arguments.seed):
            if len(wanted) == arguments.count:
                break
            wanted.append(mutant)
            if mutant not in verdicts or (again and verdicts[mutant] == "survived"):
                verdicts[mutant] = tree.verdict(mutant)
                if arguments.log:
                    with arguments.log.open("a", encoding="utf-8") as log:
                        log.write(json.dumps([*mutant, verdicts[mutant]]) + "\n")
            print(f"{verdicts[mutant]:8}  {mutant.path}:{mutant.line}  {mutant.after}", flush=True)
    _report(rooms, {mutant: verdicts[mutant] for mutant in wanted})


def _report(rooms: list[str], verdicts: dict[Mutant, str]) -> None:
    reasons = judged_equivalent()
    for mutant, verdict in verdicts.items():
        if verdict == "survived" and mutant[1:2] + mutant[4:] in reasons:
            verdicts[mutant] = "equivalent"
    columns = ("killed", "too long", "gone", "survived", "equivalent")
    print(f"\n{'room':20} {'mutants':>10}" + "".join(f" {each:>10}" for each in columns))
    for room in (*rooms, "all"):
        counts = Counter(v for m, v in verdicts.items() if room in (m.room, "all"))
        total = counts.total()
        noticed = counts["killed"] + counts["too long"]
        numbers = "".join(f" {counts[each]:10}" for each in columns)
        share = f"{noticed / total:6.0%}" if total else ""
        print(f"{room:20} {total:10}{numbers} {share}")
    for mutant, verdict in verdicts.items():
        if verdict in ("survived", "equivalent"):
            why = reasons.get(mutant[1:2] + mutant[4:], "")
            print(f"\n{mutant.path}:{mutant.line} ({mutant.kind}) {why}")
            print(f"- {mutant.before}\n+ {mutant.after}")


if __name__ == "__main__":
    main()
