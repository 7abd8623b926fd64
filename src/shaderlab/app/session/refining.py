"""When forecasts are made anew by a program's other forms.

They have a smaller error, but each form takes another run of a compiler and another counted frame.
So they come once the text has rested and all else is there, form by form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shaderlab.app.qt import QObject
from shaderlab.app.session.clock import Clock
from shaderlab.app.session.device_jobs import DeviceJobs
from shaderlab.app.session.forecasts import Forecasts
from shaderlab.app.session.progress import Progress
from shaderlab.prediction.forms import Form

if TYPE_CHECKING:
    from shaderlab.prediction.forecast import Forecast

REST_S = 1.0
"""How long the text must have stood still.  Longer than picture, counts and forecasts of a usual
shader take: who types on as soon as they see them must not wait for this."""


class Refining(QObject):
    """Asks for each form once."""

    def __init__(
        self,
        clock: Clock,
        device: DeviceJobs,
        forecasting: Forecasts,
        progress: Progress,
        parent: QObject,
    ):
        super().__init__(parent)
        self._clock, self._device = clock, device
        self._forecasting, self._progress = forecasting, progress
        self._rest = clock.alarm(self._ask, self)
        progress.changed.connect(self._look)

    @property
    def pending(self) -> bool:
        """Whether the present forecasts will be followed by others."""
        return bool(self._forecasting.forecasts) and self._next is not None

    def finer(self, forecast: Forecast) -> Form | None:
        """The form on its way that the present forecast of a target will be replaced for; None
        where it stays as it is."""
        if not self._progress.forecasts_are_current:
            return None
        target = self._forecasting.targets.get(forecast.target)
        awaited = target.forms_of() & self._left if target is not None else frozenset()
        order = list(Form)
        later = order[order.index(forecast.form) + 1 :]
        return next((form for form in reversed(later) if form in awaited), None)

    @property
    def _left(self) -> frozenset[Form]:
        return self._forecasting.served - self._forecasting.tried

    @property
    def _next(self) -> Form | None:
        return next((form for form in Form if form in self._left), None)

    @property
    def _may_ask(self) -> bool:
        is_idle = not self._forecasting.waiting and not self._device.profiles.running
        return is_idle and not self._device.stuck and self.pending and self._progress.complete

    @property
    def _early_s(self) -> float:
        """Seconds the text has yet to rest."""
        return REST_S - (self._clock.now() - self._progress.changed_at)

    def _look(self) -> None:
        if not self._rest.isActive() and self._may_ask:
            self._rest.set(self._early_s)

    def _ask(self) -> None:
        form = self._next
        if not self._may_ask or form is None:
            return
        if self._early_s > 0:  # typed on meanwhile
            self._look()
        else:
            self._forecasting.refine(form)
