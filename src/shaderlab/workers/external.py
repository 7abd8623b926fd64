"""Vendors' analysers in the background: one program at a time, in a thread of low priority."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shaderlab.errors import ShaderlabError
from shaderlab.frontend import analysers
from shaderlab.frontend.analysers import ExternalReport
from shaderlab.system import priority

if TYPE_CHECKING:
    from shaderlab.frontend.program import Program


@dataclass(frozen=True)
class ExternalReports:
    """What those said that are there."""

    reports: tuple[ExternalReport, ...] = ()
    problems: tuple[str, ...] = ()
    """Sentences: a tool that failed, a configured path that is no program."""


class Analysers:
    """Runs `malioc` and `rga` where they are.  Its futures do not fail."""

    def __init__(self) -> None:
        self._closed = threading.Event()
        self._pool = ThreadPoolExecutor(1, "external analysers", initializer=priority.lower_thread)

    def analyse(
        self,
        program: Program,
        families: Iterable[str],
        configured: Mapping[str, str],
        core: str = "",
    ) -> Future[ExternalReports]:
        """`families`: RADV's names, for rga; `configured`: paths by tool, empty for PATH."""
        return self._pool.submit(
            analyse, program, tuple(families), dict(configured), core, self._closed
        )

    def close(self) -> None:
        """The tool at work is ended, too: the process would wait for it before it exits."""
        self._closed.set()
        self._pool.shutdown(wait=False, cancel_futures=True)


def analyse(
    program: Program,
    families: Iterable[str],
    configured: Mapping[str, str],
    core: str = "",
    stop: threading.Event | None = None,
) -> ExternalReports:
    """Run those that are there, one after another, until `stop` is set; `core`: GPU for malioc."""
    reports: list[ExternalReport] = []
    problems: list[str] = []
    for name in analysers.NAMES:
        try:
            path = analysers.found({name: configured.get(name, "")}, (name,)).get(name)
            if path is None:
                continue
            if name == "malioc":
                reports += analysers.malioc(program, path, core, stop)
            else:
                reports += analysers.rga(program, path, families, stop)
        except ShaderlabError as error:
            problems.append(str(error))
    return ExternalReports(tuple(reports), tuple(problems))
