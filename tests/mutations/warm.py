"""Tries changes of functions in one process that has collected the tests already.

A plugin of pytest in the place of its loop: every change is tried in a fork, whose functions get
the changed code before the tests run.  What else a change touches, a constant, a class, a default,
was made use of while modules were imported, and takes a process of its own.
"""

from __future__ import annotations

import gc
import inspect
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from types import CodeType, FunctionType
from typing import NamedTuple

import pytest
from coverage import Coverage

CONNECTION, WATCHED, DATA = "MUTATIONS_CONNECTION", "MUTATIONS_WATCHED", "MUTATIONS_DATA"
"""What this process is told: a file descriptor, the folder to watch, where to note coverage."""
_OPTIMIZED = inspect.CO_OPTIMIZED
"""Set for functions, not for modules and classes."""
PASSED, FAILED, NOT_SWAPPED = 0, 1, 77


class Baseline(NamedTuple):
    """How the tests do before anything is changed."""

    seconds: dict[str, float]
    """By test."""
    failed: frozenset[str]


class Attempt(NamedTuple):
    path: str
    before: str
    after: str
    """Texts of the file."""
    tests: list[str]
    limit_s: float


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests() -> None:
    _coverage.start()


_coverage = Coverage(data_file=os.environ.get(DATA), source=[os.environ.get(WATCHED, ".")])


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool:
    connection = Connection(int(os.environ[CONNECTION]))
    if session.testsfailed:
        raise session.Failed("tests cannot be collected")
    items = {item.nodeid: item for item in session.items}
    functions = [each for each in gc.get_objects() if type(each) is FunctionType]
    gc.freeze()  # what forks share stays shared
    if _in_fork(lambda: connection.send(_baseline(session)) or PASSED, None) != PASSED:
        raise session.Failed("tests do not come to an end")
    _coverage.stop()
    while (attempt := connection.recv()) is not None:
        chosen = [items[name] for name in attempt.tests]
        connection.send(
            _in_fork(partial(_tried, session, attempt, chosen, functions), attempt.limit_s)
        )
    return True


def _in_fork(work: Callable[[], int], limit_s: float | None) -> int | None:
    """What it returns; None where it takes longer.  Processes that it started end with it."""
    child = os.fork()
    if child == 0:
        code = FAILED
        try:
            os.setsid()
            code = work()
        finally:
            os._exit(code)
    end = time.monotonic() + limit_s if limit_s is not None else float("inf")
    try:
        while time.monotonic() < end:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.01)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def _baseline(session: pytest.Session) -> Baseline:
    """Run all; what each comes past is noted under its name."""
    seconds, failed = {}, set()
    for item, following in _in_turn(session.items):
        began, before = time.monotonic(), session.testsfailed
        _coverage.switch_context(item.nodeid)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        seconds[item.nodeid] = time.monotonic() - began
        if session.testsfailed > before:
            failed.add(item.nodeid)
    _coverage.stop()
    _coverage.save()
    return Baseline(seconds, frozenset(failed))


def _tried(
    session: pytest.Session,
    attempt: Attempt,
    chosen: list[pytest.Item],
    functions: list[FunctionType],
) -> int:
    if not _swap(attempt, functions):
        return NOT_SWAPPED
    for item, following in _in_turn(chosen):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.testsfailed:
            return FAILED
    return PASSED


def _in_turn(items: list[pytest.Item]) -> Iterator[tuple[pytest.Item, pytest.Item | None]]:
    """Each with the one after, until which fixtures are kept."""
    yield from zip(items, [*items[1:], None], strict=True)


def _swap(attempt: Attempt, functions: list[FunctionType]) -> bool:
    """Whether all that changed are functions, which now run what they were changed to."""
    before = compile(attempt.before, attempt.path, "exec")
    after = compile(attempt.after, attempt.path, "exec")
    changed: dict[CodeType, CodeType] = {}
    if not _only_functions(before, after, changed):
        return False
    try:
        for each in functions:
            if each.__code__.co_filename == attempt.path:
                each.__code__ = changed.get(each.__code__, each.__code__)
    except ValueError:  # it now needs other variables of the function around it
        return False
    return True


def _only_functions(before: CodeType, after: CodeType, changed: dict[CodeType, CodeType]) -> bool:
    """Whether two modules or classes differ only in the functions that they define."""
    if _outside(before) != _outside(after):
        return False
    for one, other in zip(_inside(before), _inside(after), strict=True):
        if not one.co_flags & _OPTIMIZED:
            if not _only_functions(one, other, changed):
                return False
        elif one.co_name.startswith("<") and one.co_name != "<lambda>":
            if one != other:
                return False  # a comprehension, which ran when it was imported
        else:
            _note(one, other, changed)
    return True


def _note(before: CodeType, after: CodeType, changed: dict[CodeType, CodeType]) -> None:
    """With the functions within, of which some may be in use already."""
    if before != after:
        changed[before] = after
        for one, other in zip(_inside(before), _inside(after), strict=False):
            _note(one, other, changed)


def _outside(code: CodeType) -> tuple[object, ...]:
    constants = [None if isinstance(each, CodeType) else repr(each) for each in code.co_consts]
    return code.co_code, code.co_names, constants


def _inside(code: CodeType) -> list[CodeType]:
    return [each for each in code.co_consts if isinstance(each, CodeType)]
