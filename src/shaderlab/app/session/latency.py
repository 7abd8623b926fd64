"""How long the answers to a change of the text took, part by part."""

from __future__ import annotations

from dataclasses import dataclass, replace

from shaderlab.app.session.clock import Clock
from shaderlab.app.session.compiling import Compiling
from shaderlab.app.session.device_jobs import DeviceJobs
from shaderlab.app.session.forecasts import Forecasts
from shaderlab.app.session.own_vertex import OwnVertex


@dataclass(frozen=True)
class Latency:
    """Seconds from the latest change of the text to each result; None for what is not there yet."""

    compiled: float | None = None
    picture: float | None = None
    counts: float | None = None
    forecasts: float | None = None
    compile_s: float | None = None
    """The compile request alone."""
    pipeline_s: float | None = None
    """The first frame's pipeline creation."""
    draw_s: float | None = None
    """The first frame's request, pipeline left out."""
    trace_s: float | None = None
    predict_s: float | None = None


class LatencyWatch:
    """Takes the times as the answers come."""

    def __init__(
        self,
        clock: Clock,
        compiling: Compiling,
        vertex: OwnVertex,
        device: DeviceJobs,
        forecasting: Forecasts,
    ):
        self._clock, self._compiling, self._vertex = clock, compiling, vertex
        self._device, self._forecasting = device, forecasting
        self.latency = Latency()

    def start(self) -> None:
        """The text changed."""
        self.latency = Latency()

    def compiled(self) -> None:
        if self._compiling.is_answered:
            self._note(compiled=self._since_change(), compile_s=self._compiling.compile_s)

    def drawn(self) -> None:
        pictures = self._device.pictures
        first = self.latency.picture is None and self.latency.compiled is not None
        if pictures.frame is not None and first and pictures.current:
            self._note(
                picture=self._since_change(),
                pipeline_s=pictures.frame.pipeline_s,
                draw_s=pictures.frame_s - pictures.frame.pipeline_s,
            )

    def counted(self) -> None:
        """The counts there are now are those of the text."""
        self._note(counts=self._since_change(), trace_s=self._device.counts.took_s)

    def predicted(self) -> None:
        waiting = self.latency.counts is not None and self.latency.forecasts is None
        if waiting and self._forecasting.error is None:
            self._note(forecasts=self._since_change(), predict_s=self._forecasting.predict_s)

    def _note(self, **seconds: float | None) -> None:
        self.latency = replace(self.latency, **seconds)

    def _since_change(self) -> float:
        return self._clock.now() - max(self._compiling.changed_at, self._vertex.changed_at)
