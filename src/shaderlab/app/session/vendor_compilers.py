"""Vendors' compilers on this machine: looked for once, shared by all that use them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.jobs import Tools
from shaderlab.app.session.workers import ROLE
from shaderlab.errors import ShaderlabError
from shaderlab.workers.compiled import CompiledWorkers

if TYPE_CHECKING:
    from shaderlab.gpu.compilers.discovery import Answers, CompiledTarget


class VendorCompilers(QObject):
    """Nothing is looked for or started before it is needed."""

    changed = Signal()
    """`targets` or `error` is new."""

    def __init__(self, tools: Tools, parent: QObject):
        super().__init__(parent)
        self._bridge, self._crew = tools.bridge, tools.crew
        self._looking = False
        self.targets: tuple[CompiledTarget, ...] = ()
        self.problems: Mapping[str, str] = {}
        """Why a family, or all of a vendor's, is not among them, by slug."""
        self.error: ShaderlabError | None = None
        """Why there are none."""
        self.workers: CompiledWorkers | None = None
        """Of `targets`; None before they are known."""

    def look(self) -> None:
        """Look for them, unless that was done or is under way."""
        if self._looking:
            return
        self._looking = True

        def done(answers: Answers) -> None:
            if self.workers is not None:
                self._crew.remove(self.workers)
                self.workers.close()
            self.targets, self.problems = answers.targets, answers.problems
            self.workers = self._crew.add(self._crew.make.compiled(self.targets), ROLE)
            self.changed.emit()

        def failed(error: ShaderlabError) -> None:
            self.error = error
            self.changed.emit()

        self._bridge.watch(self._crew.make.compiled_targets(), done, failed)

    def look_again(self) -> None:
        """Look once more where there was none: it may have been installed since."""
        if self.error is not None:
            self._looking, self.error = False, None
            self.changed.emit()
        self.look()

    def has(self, slug: str) -> bool:
        """Whether this machine compiles for the family."""
        return any(target.family.slug == slug for target in self.targets)
