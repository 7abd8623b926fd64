"""The predictor's worker: models are loaded and run away from the interface."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING

from shaderlab.workers.supervisor.client import Client
from shaderlab.workers.supervisor.limits import Limits

if TYPE_CHECKING:
    from shaderlab.frontend.program import Program
    from shaderlab.prediction.catalogue.targets import TargetInfo
    from shaderlab.prediction.forecast import Forecast, Measured
    from shaderlab.prediction.forms import OtherForms
    from shaderlab.scene.draw import Draw
    from shaderlab.spirv.analysis.dispatch import Dispatch
    from shaderlab.spirv.trace import Trace

_REMEDY = "Raise the limit."


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
        draw: Draw,
        trace: Trace,
        targets: Sequence[str] | None,
        method: str | None,
        other_forms: OtherForms | None = None,
        assumed: Sequence[str] = (),
        measured: Measured | None = None,
        vertex: Trace | None = None,
    ) -> tuple[Forecast, ...]:
        draws = draw.draws_per_frame
        counted = {f: (made, its.per_draw(draws)) for f, (made, its) in (other_forms or {}).items()}
        return self._predict.predict(
            draw.program,
            trace.per_draw(draws),
            targets,
            method=method,
            other_forms=counted,
            assumed=assumed,
            measured=measured,
            vertex=(draw.vertex, vertex) if draw.vertex else None,
        )

    def predict_static(
        self,
        program: Program,
        targets: Sequence[str] | None,
        method: str | None,
        unfinished: str = "",
        size: tuple[int, int] | None = None,
        dispatch: Dispatch | None = None,
    ) -> tuple[Forecast, ...]:
        from shaderlab.scene.draw import Draw

        draw = Draw(program)
        return self._static.predict_static(
            program,
            targets,
            method=method,
            unfinished=unfinished,
            size=draw.counted_size if size is None else size,
            dispatch=dispatch or draw.dispatch,
        )

    def targets(self, wanted: Sequence[str] | None) -> tuple[TargetInfo, ...]:
        """Raises NoTargets, UnknownTarget."""
        self._targets.catalogue().choose(wanted)
        return self._targets.installed(wanted=wanted)

    def problems(self) -> tuple[str, ...]:
        return tuple(problem.reason for problem in self._targets.problems())


class PredictorWorker(Client[PredictorServer]):
    """Forecasts in its own child; `prediction.predict` names the errors futures carry."""

    def __init__(self, limits: Limits | None = None):
        super().__init__(PredictorServer, name="predictor", limits=limits or Limits())

    def predict(
        self,
        draw: Draw,
        trace: Trace,
        targets: Sequence[str] | None = None,
        method: str | None = None,
        other_forms: OtherForms | None = None,
        assumed: Sequence[str] = (),
        measured: Measured | None = None,
        vertex: Trace | None = None,
    ) -> Future[tuple[Forecast, ...]]:
        """Forecasts of a traced draw for the named targets, or for all installed ones; by each
        one's default method, or by the one named.  `vertex`: of the draw's own vertex stage, where
        it could be counted.  The rest: as `prediction.predict` takes it."""
        doing = f"predicting {draw.program.name}"
        ask = self._request(PredictorServer.predict, self.limits.predict, doing, _REMEDY)
        return ask(draw, trace, targets, method, other_forms, assumed, measured, vertex)

    def predict_static(
        self,
        program: Program,
        targets: Sequence[str] | None = None,
        method: str | None = None,
        unfinished: str = "",
        size: tuple[int, int] | None = None,
        dispatch: Dispatch | None = None,
    ) -> Future[tuple[Forecast, ...]]:
        """Forecasts of a program that cannot be run (`prediction.static_forecast`).

        `size`: as its trace would have it; None for the canonical run's.  `dispatch`: of a compute
        shader; None for the one it gets where nobody chose.
        """
        doing = f"predicting {program.name}"
        ask = self._request(PredictorServer.predict_static, self.limits.predict, doing, _REMEDY)
        return ask(program, targets, method, unfinished, size, dispatch)

    def targets(self, wanted: Sequence[str] | None = None) -> Future[tuple[TargetInfo, ...]]:
        """The installed targets, or those that `Catalogue.choose` finds; NoTargets without any."""
        ask = self._request(PredictorServer.targets, self.limits.predict, "listing the targets")
        return ask(wanted)

    def problems(self) -> Future[tuple[str, ...]]:
        """Why models that lie in the models folder were refused."""
        return self._request(PredictorServer.problems, self.limits.predict, "reading the models")()
