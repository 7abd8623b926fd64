"""Texts of former versions compiled again: for their pictures and statistics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from shaderlab.app.qt import QObject
from shaderlab.app.session.compile_jobs import CompileJobs
from shaderlab.app.session.jobs import Job, JobRunner, Tools
from shaderlab.app.session.suspects import Task
from shaderlab.app.session.versions import Version, Versions
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.program import Program
from shaderlab.workers.compiler import CompilerWorker


class VersionPrograms(QObject):
    """Compiles a version as the document is compiled now: same folder, same reading."""

    def __init__(self, tools: Tools, compiling: CompileJobs, versions: Versions, parent: QObject):
        super().__init__(parent)
        self._runner, self._compiling, self._versions = JobRunner(tools, self), compiling, versions
        self._worker: CompilerWorker | None = None
        self._failed: set[int] = set()

    def start(self, worker: CompilerWorker) -> None:
        self._worker = worker

    def clear(self) -> None:
        """Another document."""
        self._runner.leave_document()
        self._failed.clear()

    def compile(self, version: Version) -> None:
        """Have a variant's program known soon, unless its text no longer compiles."""
        if version.number in self._failed or self._runner.busy:
            return
        self.ask(version, lambda _program: None, lambda _error: None)

    def ask(
        self,
        version: Version,
        done: Callable[[Program], object],
        failed: Callable[[ShaderlabError], object],
    ) -> None:
        """Call `done` with the version's program, or `failed` with why it does not compile."""
        source, worker = self._compiling.source, self._worker
        if version.program is not None:
            done(version.program)
            return
        if worker is None or source is None or not version.text:
            return
        wanted = replace(source, text=version.text)

        def compiled(program: Program) -> None:
            self._versions.know_program(version.number, program)
            done(program)

        def refused(error: ShaderlabError) -> None:
            self._failed.add(version.number)
            failed(error)

        self._runner.run(
            Job(Task.COMPILE, wanted, of=wanted),
            lambda: worker.compile(wanted.text, wanted.name, wanted.folder, wanted.reading),
            compiled,
            refused,
        )
