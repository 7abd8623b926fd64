"""The calibrator's worker: what a traced shader's work is, and the fit, away from the interface."""

from __future__ import annotations

from concurrent.futures import Future
from typing import TYPE_CHECKING, NamedTuple

from shaderlab.workers.limits import Limits
from shaderlab.workers.supervision import Supervisor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shaderlab.frontend.program import Program
    from shaderlab.prediction.calibration import TimedWork
    from shaderlab.prediction.card import Card
    from shaderlab.prediction.examples import Example
    from shaderlab.prediction.user_targets import CalibratedDevice
    from shaderlab.spirv.trace import Trace

_FIT_S = 600.0
"""A fit takes seconds for dozens of shaders, minutes for a thousand on a busy machine."""


class Work(NamedTuple):
    """What a calibration needs to know of one traced frame."""

    example: Example
    reads_undefined: bool
    """Whether it ran a read of what nothing wrote: its time says nothing about prices."""


class CalibratorWorker:
    """Analyses and fits in a child of its own; `prediction` names the errors futures carry."""

    def __init__(self, limits: Limits | None = None):
        self._limits = limits or Limits()
        self._supervisor = Supervisor(
            "shaderlab.workers.calibrator:CalibratorServer",
            name="calibrator",
            start_deadline_s=self._limits.start,
            memory_bytes=self._limits.memory_bytes,
        )

    def start(self) -> None:
        self._supervisor.start()

    def work(self, program: Program, trace: Trace) -> Future[Work]:
        return self._supervisor.submit(
            "work",
            program,
            trace,
            deadline_s=self._limits.predict,
            doing=f"analysing {program.name}",
        )

    def calibrate(
        self, slug: str, shaders: Sequence[TimedWork], device: CalibratedDevice
    ) -> Future[Card]:
        """Fit, and save as the user's target `slug`."""
        return self._supervisor.submit(
            "calibrate", slug, shaders, device, deadline_s=_FIT_S, doing=f"fitting {slug}"
        )

    def close(self) -> None:
        self._supervisor.close()


class CalibratorServer:
    """Runs in the child."""

    def __init__(self) -> None:
        from shaderlab.prediction import calibration, examples, traced_program, user_targets

        self._examples = examples
        self._traced_program = traced_program.TracedProgram
        self._calibration = calibration
        self._user_targets = user_targets

    def work(self, program: Program, trace: Trace) -> Work:
        traced = self._traced_program(program, trace)
        return Work(self._examples.of(traced), bool(traced.undefined_reads))

    def calibrate(self, slug: str, shaders: Sequence[TimedWork], device: CalibratedDevice) -> Card:
        user_targets = self._user_targets
        found = self._calibration.calibrate(
            user_targets.bases(), shaders, device.floor_s, masks=device.software
        )
        card = user_targets.card_of(slug, found, device)
        user_targets.save(card, found.weights)
        return card
