"""`DevicePlace`: the device in use, the program it works on, and the requests sent to it."""

from __future__ import annotations

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.draw_settings import DrawSettings, Variant
from shaderlab.app.session.jobs import Job, JobRunner, Tools
from shaderlab.app.session.suspects import Task
from shaderlab.frontend.program import Program
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.workers.device import DeviceWorker

PATIENCE_S = 0.6
"""A request for a program that was changed meanwhile is given up after so long."""
NOTHING: Variant = ("", 0)


class DevicePlace(QObject):
    """What pictures, counts and profiles share: they take turns on one device."""

    wanted = Signal()
    """Something new is wanted of the device."""
    interrupted = Signal()
    """The preview stood still for another request: no time passed for it."""
    state_changed = Signal()

    def __init__(self, tools: Tools, settings: DrawSettings, parent: QObject):
        super().__init__(parent)
        self.runner, self.clock, self.settings = JobRunner(tools, self), tools.clock, settings
        self.worker: DeviceWorker | None = None
        self.program: Program | None = None
        """The current program; None before a document's first."""

    @property
    def info(self) -> DeviceInfo | None:
        return self.worker.info if self.worker is not None else None

    @property
    def variant(self) -> Variant:
        """The current program as it is to be drawn now."""
        return (self.program.digest if self.program is not None else "", self.settings.version)

    def is_wanted(self, program: Program) -> bool:
        """Whether it is the current one."""
        return self.program is not None and self.program.digest == program.digest

    def job(self, task: Task, program: Program, *, first: bool = False) -> Job:
        """A job that is useless once `program` is not the current one; counts, also once values
        were changed."""
        place = self.worker.info.slug if self.worker is not None else ""
        of = self.variant if task is Task.TRACE else program.digest
        suspect = self.settings.suspect(program)
        return Job(task, suspect, place, PATIENCE_S, of, first=first)

    def ask(self) -> None:
        """Have the device do what is wanted next, as soon as it is free."""
        self.state_changed.emit()
        self.wanted.emit()
