"""Recording samples: what the device measured goes into the local store, by a worker.

A sample is the current program with its inputs, its counts and its trials on the present device at
the canonical size and time.  Where the profile on screen is of that and not recorded yet, it is
taken; otherwise the program is profiled first.  Nothing is started before the first sample is
recorded or the list is looked at.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from shaderlab import locations
from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.bridge import Bridge
from shaderlab.app.session.device_jobs import DeviceJobs
from shaderlab.app.session.forecasts import Forecasts, is_of
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.program import Dialect
from shaderlab.prediction.forms import Form
from shaderlab.workers.samples import EMPTY, Listing, Measured, SampleWorker

if TYPE_CHECKING:
    from shaderlab.gpu.measurement import Measurement
    from shaderlab.samples.choice import Choice
    from shaderlab.samples.contribution import Exported
    from shaderlab.samples.recording import SharedText
    from shaderlab.samples.review import Review
    from shaderlab.samples.statistics import DeviceStatistics

MOST_LISTED = 500


class SampleJobs(QObject):
    """See the module.  Belongs to the interface's thread."""

    changed = Signal()
    """The list, what is under way, or the last error is new."""
    recorded = Signal(str)
    """Name of the shader that was just kept."""
    failed = Signal(object)
    """A ShaderlabError: nothing was kept, removed or written."""
    reviewed = Signal(object, object)
    """The `samples.choice.Choice` that was asked about, and its `samples.review.Review`."""
    described = Signal(object, object)
    """A data set's path, None of the store; `samples.statistics.DeviceStatistics` of each device,
    or the ShaderlabError."""
    exported = Signal(object)
    """A `samples.contribution.Exported`."""

    def __init__(self, bridge: Bridge, device: DeviceJobs, forecasting: Forecasts, parent: QObject):
        super().__init__(parent)
        self._bridge, self._device, self._forecasting = bridge, device, forecasting
        self._worker: SampleWorker | None = None
        self._name = ""
        self._latest: Measurement | None = None
        """The measurement recorded last: it is not recorded twice."""
        self.path: Path = locations.user_data() / "samples.db"
        """The store; set before the first use."""
        self.licence = ""
        """SPDX licence under which sources are kept with the samples; empty to leave them out."""
        self.listing: Listing = EMPTY
        self.listing_error: ShaderlabError | None = None
        self.stage = ""
        """Of the recording under way: "", "profile" or "keep"."""
        self.busy = ""
        """What else is under way: "", "review" or "export"."""
        device.profiles.changed.connect(self._on_measurement)

    # -- recording --------------------------------------------------------------------------

    def record(self, name: str, trials: int, draws: int) -> None:
        """Record the current program under `name`, which stays on this machine."""
        if self.stage or self._device.program is None:
            return
        self._name = name
        if self._at_hand is not None:
            self._keep()
        else:
            self.stage = "profile"
            self.changed.emit()
            self._device.profiles.ask(trials, draws, alone=True)

    @property
    def _at_hand(self) -> Measurement | None:
        """The measurement of the current program, if there is one that is not recorded yet."""
        device = self._device
        if device.profiles.draw is None or device.profiles.variant != device.variant:
            return None
        return (
            device.profiles.measurement if device.profiles.measurement is not self._latest else None
        )

    def _on_measurement(self) -> None:
        if self.stage != "profile":
            return
        device = self._device
        if device.profiles.measurement is not None:
            self._keep()
        else:  # it failed, was stopped, or the document was left
            self.stage = ""
            if device.profiles.error is not None:
                self.failed.emit(device.profiles.error)
            self.changed.emit()

    def _keep(self) -> None:
        from shaderlab.samples.recording import SharedText

        device, info = self._device, self._device.info
        measured, draw = device.profiles.measurement, device.profiles.draw
        assert info is not None
        assert measured is not None
        assert draw is not None
        program = draw.program
        trace = device.counts.trace
        same = device.counts.variant == device.profiles.variant
        if not same or trace is None or not is_of(draw, trace):
            trace = None
        shared: SharedText | None = None
        if self.licence and program.dialect is not Dialect.SPIRV and program.text:
            shared = SharedText(program.text, self.licence)
        name = self._name
        self.stage = "keep"
        self._latest = measured
        self.changed.emit()

        def kept(_id: str) -> None:
            self.stage = ""
            self.recorded.emit(name)
            self.refresh()

        def failed(error: ShaderlabError) -> None:
            self.stage = ""
            self._latest = None  # so that it can be tried again
            self.failed.emit(error)
            self.changed.emit()

        forms = self._forecasting.other_forms if trace is not None else {}
        what = Measured(
            draw.of_program(replace(program, name=name)),
            measured,
            info,
            trace,
            forms.get(Form.OPTIMIZED),
            shared,
        )
        self._bridge.watch(self._started.record(what), kept, failed)

    # -- the store --------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read what is kept."""

        def done(listing: Listing) -> None:
            self.listing, self.listing_error = listing, None
            self.changed.emit()

        def failed(error: ShaderlabError) -> None:
            self.listing_error = error
            self.changed.emit()

        self._bridge.watch(self._started.listing(MOST_LISTED), done, failed)

    def describe(self, path: Path | None = None) -> None:
        """Say what the store, or a data set, is like: `described` brings it."""

        def done(found: tuple[DeviceStatistics, ...]) -> None:
            self.described.emit(path, found)

        def failed(error: ShaderlabError) -> None:
            self.described.emit(path, error)

        self._bridge.watch(self._started.statistics(path), done, failed)

    def forget(self, ids: list[str]) -> None:
        """Remove samples for good."""
        request = self._started.forget(ids)
        self._bridge.watch(request, lambda _: self.refresh(), self.failed.emit)

    def review(self, choice: Choice) -> None:
        """Ask what an export would hold; `reviewed` brings it."""

        def done(review: Review) -> None:
            self._set_busy("")
            self.reviewed.emit(choice, review)

        self._set_busy("review")
        self._bridge.watch(self._started.review(choice), done, self._fail)

    def export(self, output: Path, choice: Choice, licence: str) -> None:
        """Write the files; `exported` says when they are there."""

        def done(exported: Exported) -> None:
            self._set_busy("")
            self.exported.emit(exported)

        self._set_busy("export")
        request = self._started.export(output, choice, licence)
        self._bridge.watch(request, done, self._fail)

    def close(self) -> None:
        if self._worker is not None:
            self._worker.close()

    def _fail(self, error: ShaderlabError) -> None:
        self._set_busy("")
        self.failed.emit(error)

    def _set_busy(self, busy: str) -> None:
        self.busy = busy
        self.changed.emit()

    @property
    def _started(self) -> SampleWorker:
        if self._worker is None or self._worker.path != self.path:
            self.close()
            self._worker = SampleWorker(self.path)
        return self._worker
