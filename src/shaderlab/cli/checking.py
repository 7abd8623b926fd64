"""`check`: shaders compared with budgets and with an earlier version, for build servers."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from shaderlab import files
from shaderlab.checks import base_tree, budgets, choosing, comparing, junit, markdown, sarif
from shaderlab.checks.base_tree import BaseTree
from shaderlab.checks.budgets import Budgets, Rule
from shaderlab.checks.gathering import checked, failed
from shaderlab.checks.outcome import CheckedFile, Outcome, read_baseline
from shaderlab.cli import capturing, options, terminal
from shaderlab.cli.command import Answer, Command
from shaderlab.cli.devices import answering, load_frame
from shaderlab.cli.texts import checks as texts
from shaderlab.engine import questions
from shaderlab.engine.crew import Engine
from shaderlab.engine.questions import Asked
from shaderlab.errors import DeviceStuck, ShaderlabError, StartFailed, WrongUse
from shaderlab.projects.project import SUFFIX

_AT_ONCE = 2
"""Files: one is counted while another is predicted."""
_NOTE_S = 5.0
"""Between notes of progress."""


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "words", nargs="*", metavar="PATH",
        help="shaders, projects, captures, folders, and patterns such as 'shaders/**/*.frag'",
    )  # fmt: skip
    options.add_source(parser)
    group = parser.add_argument_group("what they may cost")
    group.add_argument(
        "--budget", type=options.budget, action="append", default=[], metavar="TARGET=TIME"
    )
    group.add_argument("--budgets", type=Path, metavar="F.toml", help="a file with budgets")
    group.add_argument(
        "--max-increase", type=options.increase, metavar="10%",
        help="fail if a time grew by more than this since the base",
    )  # fmt: skip
    group = parser.add_argument_group("what they are compared with")
    base = group.add_mutually_exclusive_group()
    base.add_argument("--base", metavar="REF", help="a git revision: main, HEAD~1, a tag")
    base.add_argument(
        "--baseline", type=Path, metavar="F.json", help="the --json output of an earlier run"
    )
    group = parser.add_argument_group("reports")
    for name, what in (("markdown", "for people"), ("sarif", "for code hosts"),
                       ("junit", "for build servers")):  # fmt: skip
        group.add_argument(f"--{name}", type=Path, metavar="FILE", help=what)


def check(arguments: argparse.Namespace) -> Answer:
    outcome = _outcome(arguments)
    reports = (
        (arguments.markdown, lambda: markdown.report(outcome).encode()),
        (arguments.sarif, lambda: sarif.report(outcome)),
        (arguments.junit, lambda: junit.report(outcome)),
    )
    files.save_all({path: report() for path, report in reports if path is not None})
    return Answer(msgspec.to_builtins(outcome), texts.text(outcome), 0 if outcome.ok else 1)


def _outcome(arguments: argparse.Namespace) -> Outcome:
    for path in (arguments.markdown, arguments.sarif, arguments.junit):
        if path is not None:
            files.check_target(path)
    limits = _budgets(arguments)
    words, folder = (arguments.words, None) if arguments.words else (limits.files, limits.folder)
    if not words:
        raise WrongUse("name shaders or folders, or give a budgets file with a files list")
    paths = choosing.chosen(words, limits.excludes, folder)
    if len(paths) > 1 and (arguments.project or arguments.vertex):
        raise WrongUse("--project and --vertex are for one shader")
    baseline = read_baseline(arguments.baseline) if arguments.baseline else None
    with answering(arguments) as engine:
        if engine.not_kept:
            terminal.note(f"counts are not kept: {engine.not_kept}")
        checker = _Checker(engine)
        checker.require_targets(limits)
        also = arguments.target or ()
        limited = [(path, limits.limits(path, also)) for path in paths]
        paths, wanted = [p for p, its in limited if its], [its for _, its in limited if its]
        if not paths:
            if arguments.budgets is None:
                raise WrongUse("no targets are named: give --budget, --budgets or --target")
            return Outcome(True, (), ())  # as where a hook names a file that nothing is said of
        # Alone and without reports, a shader that cannot be read or compiled is the answer itself.
        lone = len(paths) == 1 and not (
            arguments.budgets or arguments.base or arguments.baseline
            or arguments.markdown or arguments.sarif or arguments.junit
        )  # fmt: skip
        jobs = [(path, list(targets)) for path, targets in zip(paths, wanted, strict=True)]
        now = checker.all_of(jobs, arguments, lone)
        base, named = _of_base(checker, jobs, arguments, baseline)
    checks = tuple(
        each
        for file, targets in zip(now, wanted, strict=True)
        for each in comparing.checks_of(
            file, targets, base.get(file.file), compared=bool(named), bands=checker.bands
        )
    )
    ok = all(each.ok for each in checks) and not any(each.error for each in now)
    return Outcome(ok, checks, tuple(now), named)


def _budgets(arguments: argparse.Namespace) -> Budgets:
    """The file's rules, then the command line's, which hold for every file."""
    found = budgets.read(arguments.budgets) if arguments.budgets else Budgets()
    given = tuple((each.target, each.seconds) for each in arguments.budget)
    if not given and arguments.max_increase is None:
        return found
    if arguments.max_increase is not None and not (arguments.base or arguments.baseline):
        raise WrongUse("--max-increase needs --base or --baseline")
    return replace(found, rules=(*found.rules, Rule(None, given, arguments.max_increase)))


_Jobs = Sequence[tuple[Path, list[str]]]
"""Paths, each with its targets."""


def _of_base(
    checker: _Checker, jobs: _Jobs, arguments: argparse.Namespace, baseline: Outcome | None
) -> tuple[dict[str, CheckedFile], str]:
    """What the base's files take, by the path they have now; and what the base is called."""
    if baseline is not None:
        return {each.file: each for each in baseline.files}, str(arguments.baseline)
    if arguments.base is None:
        return {}, ""
    paths = [path for path, _ in jobs]
    with base_tree.written(arguments.base, paths, arguments.search) as tree:
        there = [(path, tree.path(path), targets) for path, targets in jobs]
        known = [(path, at, targets) for path, at, targets in there if at and at.is_file()]
        found = checker.all_of([(at, targets) for _, at, targets in known],
                               _at_base(arguments, tree), lone=False)  # fmt: skip
    return {shown(p): replaced for (p, _, _), replaced in zip(known, found, strict=True)}, (
        tree.revision
    )


def _at_base(arguments: argparse.Namespace, tree: BaseTree) -> argparse.Namespace:
    """The same options, with the paths of the user's repository replaced by the base's."""

    def moved(path: Path) -> Path:
        at = tree.path(path)
        return at if at is not None and at.exists() else path

    changed: dict[str, Any] = {name: moved(path) for name in ("project", "vertex")
               if (path := getattr(arguments, name)) is not None}  # fmt: skip
    changed["search"] = [moved(path) for path in arguments.search]
    return argparse.Namespace(**{**vars(arguments), **changed})


def shown(path: Path) -> str:
    """From where the command runs, with `/`; as it was given where it lies elsewhere."""
    with suppress(ValueError):  # another drive
        relative = Path(os.path.relpath(path))
        if ".." not in relative.parts:
            return relative.as_posix()
    return path.as_posix()


class _Checker:
    """One file after the other through one engine."""

    def __init__(self, engine: Engine):
        self._engine = engine
        engine.answer(questions.device)  # without one nothing is checked
        installed = engine.answer(questions.targets)
        self._known = {each.target for each in installed}
        self.bands = {(t.target, m): band for t in installed for m, band in t.changes.items()}

    def require_targets(self, limits: Budgets) -> None:
        limits.require_targets(self._known)

    def all_of(self, jobs: _Jobs, arguments: argparse.Namespace, lone: bool) -> list[CheckedFile]:
        """In the order of the jobs; an error is its file's, unless it is `lone`."""
        note = _Progress(len(jobs))
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            asked = [pool.submit(self._one, *job, arguments, lone, note) for job in jobs]
            try:
                return [each.result() for each in asked]
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _one(
        self,
        path: Path,
        targets: list[str],
        arguments: argparse.Namespace,
        lone: bool,
        note: Callable[[], None],
    ) -> CheckedFile:
        own = argparse.Namespace(**{**vars(arguments), "file": path, "opened": None})
        try:
            if path.suffix == capturing.SUFFIX:
                return checked(shown(path), None, capturing.frame_on(own, targets))
            frame = load_frame(own, self._engine)
            found = self._engine.answer(questions.whole, frame, Asked(tuple(targets)))
            return checked(shown(path), frame, found)
        except (StartFailed, DeviceStuck):
            raise
        except ShaderlabError as error:
            if lone:
                raise
            return failed(shown(path), error)
        finally:
            note()


class _Progress:
    """Notes on stderr, of runs that take a while."""

    def __init__(self, total: int):
        self._total, self._done, self._noted = total, 0, time.monotonic()

    def __call__(self) -> None:
        self._done += 1
        if time.monotonic() - self._noted > _NOTE_S and self._done < self._total:
            self._noted = time.monotonic()
            terminal.note(f"{self._done} of {self._total} files")


COMMANDS = (
    Command(
        "check",
        f"Fail if shaders or projects ({SUFFIX}) are over budget, or slower than a base.",
        check,
        (options.INPUTS, options.FRAME, options.DEVICE, options.TARGET, options.CACHE),
        _options,
    ),
)
