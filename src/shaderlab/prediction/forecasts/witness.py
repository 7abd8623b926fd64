"""This machine as witness: a time measured here that its own forecast missed widens all others."""

from __future__ import annotations

from dataclasses import dataclass, replace

from shaderlab import units
from shaderlab.prediction.catalogue import user_targets
from shaderlab.prediction.catalogue.targets import Catalogue, Target
from shaderlab.prediction.catalogue.witnesses import Witnesses
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecast import Forecast, Measured, Validation
from shaderlab.prediction.models import distrust


@dataclass(frozen=True)
class Witness:
    """The measured time beside what was forecast for the same device."""

    witnesses: Witnesses
    host: Target
    measured: Measured
    forecast_s: float
    """Of a software device for this processor: the forecast times its pace."""

    @property
    def ratio(self) -> float:
        """Measured over forecast time."""
        return self.measured.time_s / self.forecast_s

    def of(self, forecast: Forecast) -> Forecast:
        """The forecast with a mark and a longer band, where this machine disagrees."""
        if forecast.target == self.host.card.target.slug:
            return forecast
        found = self.witnesses.on(self.measured.device, forecast.target, self.ratio)
        if found is None:
            return forecast
        up, down = (found.towards, found.away) if self.ratio > 1 else (found.away, found.towards)
        low_s, time_s, high_s = forecast.interval_s
        slower = self.ratio > 1
        times = self.ratio if slower else 1 / self.ratio
        here, said = (units.seconds(each) for each in (self.measured.time_s, self.forecast_s))
        how = f"{times:.2g} times {'as long as' if slower else 'less time than'}"
        half, rest = units.percent(found.median_ape), units.percent(found.rest)
        sentence = (
            f"{self.measured.device} took {how} its own forecast ({here}, not {said}), so this "
            f"forecast may be off too: half of such shaders were off by {half} or more; of all "
            f"others, by {rest}."
        )
        if not self.host.user:
            pace = self.measured.pace or 1.0
            here = f" (this one takes {pace:.2g} times as long)" if pace != 1.0 else ""
            sentence += (
                f" The {self.measured.device} model was fitted on another machine{here}. "
                "Calibrate this one to compare."
            )
        error = forecast.validated.median_ape
        validated = forecast.validated
        if error is not None and error < found.median_ape:
            validated = Validation(
                None, None, found.n, f"Of shaders that {self.measured.device} disagreed on alike.",
                median_ape=found.median_ape,
            )  # fmt: skip
        return replace(
            forecast,
            validated=validated,
            low_s=time_s * (low_s / time_s) ** down,
            high_s=time_s * (high_s / time_s) ** up,
            disagreement=self.ratio,
            warnings=(sentence, *forecast.warnings),
        )


def witness_of(found: Catalogue, traced: TracedProgram, measured: Measured) -> Witness | None:
    """None where the device is no target, nothing is known of what its times say of others, it
    drops work for undefined results, other work kept the machine busy, or the forecast is for a
    processor and nobody knows this one's pace.

    A target that the user calibrated on the device goes before the shipped one of its name.
    """
    if found.witnesses is None or not measured.time_s > 0 or measured.busy:
        return None
    own = [
        each
        for each in found.targets
        if each.user and each.card.configuration.get(user_targets.DEVICE) == measured.device
    ]
    named = [each for each in found.targets if each.card.target.slug == measured.device]
    for host in [*own, *named]:
        if distrust.undefined_results(host.card, traced):
            return None  # its driver drops work that others do
        pace = 1.0 if host.user else measured.pace
        if pace is None:
            return None
        forecast_s = host.forecast(traced).interval_s[1] * pace
        if forecast_s > 0:
            return Witness(found.witnesses, host, measured, forecast_s)
    return None


def under_load(forecast: Forecast, measured: Measured) -> Forecast:
    """The device's own forecast, with a word on why its time says nothing of the others."""
    if not measured.busy or forecast.target != measured.device:
        return forecast
    sentence = (
        f"The machine was busy: {measured.device} waited for a processor for "
        f"{units.percent(measured.waited)} of its time. So its time of this shader says nothing "
        "about the other forecasts."
    )
    return replace(forecast, warnings=(*forecast.warnings, sentence))
