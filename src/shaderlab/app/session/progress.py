"""How far the answers to the text as it stands have come: what later jobs wait for."""

from __future__ import annotations

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.compiling import Compiling
from shaderlab.app.session.device_jobs import DeviceJobs
from shaderlab.app.session.draw_settings import DrawSettings
from shaderlab.app.session.forecasts import Forecasts
from shaderlab.app.session.own_vertex import OwnVertex


class Progress(QObject):
    """Reads the jobs that come first, for those that come after them."""

    changed = Signal()

    def __init__(
        self,
        compiling: Compiling,
        vertex: OwnVertex,
        settings: DrawSettings,
        device: DeviceJobs,
        forecasting: Forecasts,
        parent: QObject,
    ):
        super().__init__(parent)
        self._compiling, self._vertex, self._settings = compiling, vertex, settings
        self._device, self._forecasting = device, forecasting
        for signal in (
            compiling.state_changed,
            vertex.changed,
            device.program_changed,
            device.state_changed,
            device.device_changed,
            device.counts.changed,
            forecasting.changed,
        ):
            signal.connect(self.changed)

    @property
    def changed_at(self) -> float:
        """The clock's time of the latest change of the text, or of what it is drawn with."""
        return max(self._compiling.changed_at, self._settings.changed_at)

    @property
    def counts_are_current(self) -> bool:
        """Whether the counts belong to the text and the inputs as they stand."""
        compiling = self._compiling
        vertex = self._vertex
        follows = compiling.follows and vertex.settled and vertex.compiles
        return follows and self._device.counts.current

    @property
    def forecasts_are_current(self) -> bool:
        """Whether the forecasts belong to the text and the inputs as they stand."""
        return self.counts_are_current and self._forecasting.of == self._device.variant

    @property
    def complete(self) -> bool:
        """Whether picture, counts and forecasts of the text as it stands are there."""
        return (
            self._device.pictures.current
            and self.counts_are_current
            and bool(self._forecasting.forecasts)
            and not self._forecasting.busy
        )

    def served(self, without_device: bool) -> bool:
        """Whether all that comes first is there, or will not come.

        `without_device`: whether it is known that there is none to wait for.
        """
        device = self._device
        if not self._compiling.follows:
            return False
        if device.info is None:
            return without_device
        if device.pictures.error is not None or device.counts.error is not None:
            return True
        return self.complete or (self.counts_are_current and self._forecasting.error is not None)
