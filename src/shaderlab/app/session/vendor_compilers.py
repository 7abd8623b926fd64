"""RADV's compilers on this machine: looked for once, shared by all that compile for AMD."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.bridge import Bridge
from shaderlab.errors import ShaderlabError
from shaderlab.workers import compiled as compiled_workers
from shaderlab.workers.compiled import CompiledWorkers
from shaderlab.workers.supervisor.limits import Limits

if TYPE_CHECKING:
    from shaderlab.gpu.radv.discovery import CompiledTarget


class AmdCompilers(QObject):
    """Nothing is looked for or started before somebody asks; children yield to all else."""

    changed = Signal()
    """`targets` or `error` is new."""

    def __init__(self, bridge: Bridge, parent: QObject):
        super().__init__(parent)
        self._bridge = bridge
        self._limits: Limits | None = None
        self._looking = False
        self.targets: tuple[CompiledTarget, ...] = ()
        self.error: ShaderlabError | None = None
        """Why there are none."""
        self.workers: CompiledWorkers | None = None
        """Of `targets`; None before they are known."""

    def look(self) -> None:
        """Look for RADV, unless that was done or is under way."""
        if self._looking:
            return
        self._looking = True

        def done(targets: tuple[CompiledTarget, ...]) -> None:
            self.close()
            self.targets = targets
            self.workers = CompiledWorkers(targets, self._limits, low_priority=True)
            self.changed.emit()

        def failed(error: ShaderlabError) -> None:
            self.error = error
            self.changed.emit()

        self._bridge.watch(compiled_workers.available(), done, failed)

    def look_again(self) -> None:
        """Look once more where there was none: it may have been installed since."""
        if self.error is not None:
            self._looking, self.error = False, None
            self.changed.emit()
        self.look()

    def has(self, slug: str) -> bool:
        """Whether this machine compiles for the family."""
        return any(target.family.slug == slug for target in self.targets)

    def set_limits(self, limits: Limits) -> None:
        self._limits = limits
        if self.workers is not None:
            self.workers.set_limits(limits)

    @property
    def replacements(self) -> int:
        """Children killed or found dead so far."""
        return self.workers.replacements if self.workers is not None else 0

    def close(self) -> None:
        if self.workers is not None:
            self.workers.close()
