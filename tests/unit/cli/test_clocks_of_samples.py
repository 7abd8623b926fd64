"""Times at several clocks, from a data set."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shaderlab import locations
from shaderlab.errors import WrongUse
from shaderlab.samples import exchange
from shaderlab.samples.clock_times import clock_points
from shaderlab.samples.recording import identified
from shaderlab.samples.sample import Sample

COMMITTED = locations.models() / "datasets" / "swiftshader-512x384-second.parquet"


@pytest.fixture(scope="module")
def sample() -> Sample:
    return next(exchange.accepted(COMMITTED))


def at(sample: Sample, clocks: str | None, factor: float, slug: str = "card") -> Sample:
    timing = sample.timing
    timing = replace(
        timing,
        time_s=factor * timing.time_s,
        median_s=factor * timing.median_s,
        trials_s=tuple(factor * each for each in timing.trials_s),
        cpu_trials_s=tuple(factor * each for each in timing.cpu_trials_s),
    )
    device = replace(sample.device, slug=slug, clocks=clocks)
    return identified(replace(sample, timing=timing, device=device))


def test_the_median_of_each_clock_is_taken_and_rows_without_one_are_left_out(tmp_path, sample):
    path = tmp_path / "a.parquet"
    rows = [
        at(sample, "locked (high), 1000 MHz", 2.0),
        at(sample, "locked (high), 1000 MHz", 2.2),
        at(sample, "locked (high), 2000 MHz", 1.0),
        at(sample, None, 5.0),
    ]
    exchange.write(rows, path)
    found = clock_points(path, sample.program.digest)
    assert sorted(found) == [1000.0, 2000.0]
    assert found[1000.0] / found[2000.0] == pytest.approx(2.1)
    assert clock_points(path, "0" * 64) == {}


def test_two_devices_are_refused(tmp_path, sample):
    path = tmp_path / "a.parquet"
    exchange.write([at(sample, "1000 MHz", 2.0), at(sample, "2000 MHz", 1.0, "other")], path)
    with pytest.raises(WrongUse, match="card, other"):
        clock_points(path, sample.program.digest)
