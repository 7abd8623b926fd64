"""Clocks that times are projected to, from the clocks of samples."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path

from shaderlab.app.panels.studies import scale_presenter
from shaderlab.studies.scaling import clock_study


class Samples:
    """In the place of the worker that reads the store."""

    points: dict[float, float]

    def __init__(self, path: Path):
        self.path = path

    def clock_points(self, digest: str) -> Future[dict[float, float]]:
        found: Future[dict[float, float]] = Future()
        found.set_result(self.points)
        return found

    def close(self) -> None:
        pass


def test_times_are_projected_beyond_both_ends_of_what_was_measured(monkeypatch):
    monkeypatch.setattr(scale_presenter, "SampleWorker", Samples)

    def of(points: dict[float, float]):
        Samples.points = points
        return scale_presenter._clocks(Path("store"), "digest")

    points = {900.0: 2e-3, 1200.0: 1.6e-3, 1800.0: 1.2e-3}
    at = (700.0, 2250.0, 2700.0)
    assert of(points) == clock_study(points, at, "samples of this machine")
    assert "taken at 900 MHz, 950 MHz:" in of({950.0: 2e-3, 900.0: 2e-3})
    assert of({}).startswith("No sample of this shader names its clock.")
