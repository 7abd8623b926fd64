"""The predictor's worker: models are loaded and run away from the interface."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING

from shaderlab.workers.supervisor.limits import Limits
from shaderlab.workers.supervisor.supervisor import Supervisor

if TYPE_CHECKING:
    from shaderlab.frontend.program import Program
    from shaderlab.prediction.catalogue.targets import TargetInfo
    from shaderlab.prediction.forecast import Forecast
    from shaderlab.prediction.forms import Siblings
    from shaderlab.spirv.trace import Trace


class PredictorWorker:
    """Forecasts in a child of its own; `prediction.predict` names the errors futures carry."""

    def __init__(self, limits: Limits | None = None):
        self._limits = limits or Limits()
        self._supervisor = Supervisor(
            "shaderlab.workers.predictor:PredictorServer",
            name="predictor",
            start_deadline_s=self._limits.start,
            memory_bytes=self._limits.memory_bytes,
        )

    def set_limits(self, limits: Limits) -> None:
        """Hold requests made from now on to these."""
        self._limits = limits
        self._supervisor.memory_bytes = limits.memory_bytes

    def start(self) -> None:
        self._supervisor.start()

    def predict(
        self,
        program: Program,
        trace: Trace,
        targets: Sequence[str] | None = None,
        method: str | None = None,
        siblings: Siblings | None = None,
    ) -> Future[tuple[Forecast, ...]]:
        """Forecasts for the named targets, or for all installed ones; by each one's default
        method, or by the one named.  `siblings`: as `prediction.predict` takes it."""
        return self._supervisor.submit(
            "predict",
            program,
            trace,
            targets,
            method,
            siblings,
            deadline_s=self._limits.predict,
            doing=f"predicting {program.name}",
            remedy="Raise the limit.",
        )

    def predict_static(
        self,
        program: Program,
        targets: Sequence[str] | None = None,
        method: str | None = None,
    ) -> Future[tuple[Forecast, ...]]:
        """Forecasts of a program that cannot be run (`prediction.static_forecast`)."""
        return self._supervisor.submit(
            "predict_static",
            program,
            targets,
            method,
            deadline_s=self._limits.predict,
            doing=f"predicting {program.name}",
            remedy="Raise the limit.",
        )

    def targets(self) -> Future[tuple[TargetInfo, ...]]:
        """The installed targets."""
        return self._supervisor.submit(
            "targets", deadline_s=self._limits.predict, doing="listing the targets"
        )

    def problems(self) -> Future[tuple[str, ...]]:
        """Why models that lie in the models folder were refused."""
        return self._supervisor.submit(
            "problems", deadline_s=self._limits.predict, doing="reading the models"
        )

    @property
    def pid(self) -> int | None:
        return self._supervisor.pid

    @property
    def replacements(self) -> int:
        return self._supervisor.replacements

    def close(self) -> None:
        self._supervisor.close()


class PredictorServer:
    """Runs in the child."""

    def __init__(self) -> None:
        from shaderlab.prediction.catalogue import targets
        from shaderlab.prediction.forecasts import predict, static_forecast

        self._static = static_forecast
        self._predict = predict
        self._targets = targets

    def predict(
        self,
        program: Program,
        trace: Trace,
        targets: Sequence[str] | None,
        method: str | None,
        siblings: Siblings | None = None,
    ) -> tuple[Forecast, ...]:
        return self._predict.predict(program, trace, targets, method=method, siblings=siblings)

    def predict_static(
        self, program: Program, targets: Sequence[str] | None, method: str | None
    ) -> tuple[Forecast, ...]:
        return self._static.predict_static(program, targets, method=method)

    def targets(self) -> tuple[TargetInfo, ...]:
        return self._targets.installed()

    def problems(self) -> tuple[str, ...]:
        return tuple(problem.reason for problem in self._targets.problems())
