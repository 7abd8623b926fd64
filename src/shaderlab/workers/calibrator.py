"""The calibrator's worker: what a traced shader's work is, and the fit, away from the interface."""

from __future__ import annotations

from concurrent.futures import Future
from typing import TYPE_CHECKING, NamedTuple

from shaderlab.workers.supervisor.client import Client
from shaderlab.workers.supervisor.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shaderlab.frontend.program import Program
    from shaderlab.prediction.bundles.card import Card
    from shaderlab.prediction.calibration.fit_table import TimedWork
    from shaderlab.prediction.calibration.fitting import Calibrated
    from shaderlab.prediction.catalogue.user_targets import CalibratedDevice
    from shaderlab.prediction.features.example import Example
    from shaderlab.prediction.forms import Form, OtherForms
    from shaderlab.spirv.trace import Trace

_FIT_S = 600.0
"""A fit takes seconds for dozens of shaders, minutes for a thousand on a busy machine."""


class Work(NamedTuple):
    """What a calibration needs to know of one traced frame."""

    examples: Mapping[Form, Example]
    """Of the forms of the program that were traced."""
    reads_uninitialised: bool
    """Whether it read an uninitialised value: its time says nothing about prices."""


class CalibratorServer:
    """Runs in the child."""

    def __init__(self) -> None:
        from shaderlab.prediction import forms
        from shaderlab.prediction.calibration import calibrated_forms
        from shaderlab.prediction.catalogue import user_targets
        from shaderlab.prediction.features import traced_program

        self._forms = forms
        self._traced_program = traced_program.TracedProgram
        self._calibrated_forms = calibrated_forms
        self._user_targets = user_targets

    def work(self, program: Program, trace: Trace, other_forms: OtherForms) -> Work:
        written = self._traced_program(program, trace)
        others = {form: self._traced_program(*pair) for form, pair in other_forms.items()}
        found = {self._forms.Form.WRITTEN: written, **others}
        return Work(
            {form: traced.example for form, traced in found.items()},
            bool(written.uninitialised_reads),
        )

    def error(self, shaders: Mapping[Form, Sequence[TimedWork]], device: CalibratedDevice) -> float:
        *_, best = self._fitted(shaders, device).values()
        return best.median_error

    def _fitted(
        self, shaders: Mapping[Form, Sequence[TimedWork]], device: CalibratedDevice
    ) -> dict[Form, Calibrated]:
        return self._calibrated_forms.calibrate_forms(
            {form: self._user_targets.bases(form) for form in self._forms.Form},
            shaders,
            device.floor_s,
            predicates=device.software,
            relative=device.relative,
        )

    def calibrate(
        self,
        slug: str,
        shaders: Mapping[Form, Sequence[TimedWork]],
        reading: Mapping[Form, Sequence[TimedWork]],
        device: CalibratedDevice,
    ) -> tuple[Card, ...]:
        user_targets, found = self._user_targets, self._fitted(shaders, device)
        cards = user_targets.cards_of(slug, found, device)
        models = {
            form: user_targets.with_textures(card, found[form].weights, reading.get(form, ()))
            for form, card in cards.items()
        }
        user_targets.save(models)
        return tuple(card for card, _ in models.values())


class CalibratorWorker(Client[CalibratorServer]):
    """Analyses and fits in its own child; `prediction` names the errors futures carry."""

    def __init__(self, limits: Limits | None = None):
        super().__init__(CalibratorServer, name="calibrator", limits=limits or Limits())

    def work(self, program: Program, trace: Trace, other_forms: OtherForms) -> Future[Work]:
        ask = self._request(CalibratorServer.work, self.limits.predict, f"analysing {program.name}")
        return ask(program, trace, other_forms)

    def error(
        self, shaders: Mapping[Form, Sequence[TimedWork]], device: CalibratedDevice
    ) -> Future[float]:
        """Median error of a calibration with these shaders on those left out; saves nothing."""
        return self._request(CalibratorServer.error, _FIT_S, "fitting")(shaders, device)

    def calibrate(
        self,
        slug: str,
        shaders: Mapping[Form, Sequence[TimedWork]],
        reading: Mapping[Form, Sequence[TimedWork]],
        device: CalibratedDevice,
    ) -> Future[tuple[Card, ...]]:
        """Fit, and save as the user's target `slug`: the card of the program as written, and of
        later forms those that each have a smaller error than the ones before.

        `reading`: shaders that read textures, which are priced where there are enough.
        """
        ask = self._request(CalibratorServer.calibrate, _FIT_S, f"fitting {slug}")
        return ask(slug, shaders, reading, device)
