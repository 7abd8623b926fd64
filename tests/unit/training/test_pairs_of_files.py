"""A pair of one's own: two data sets with samples of the same shaders."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

pytest.importorskip("sklearn", reason="needs the training extra")

from shaderlab import locations
from shaderlab.errors import WrongUse
from shaderlab.samples import exchange
from shaderlab.samples.recording import identified
from shaderlab.samples.sample import Sample
from shaderlab.training.pairs import forecasts, of_files, study

COMMITTED = locations.models() / "datasets" / "swiftshader-512x384-second.parquet"


@pytest.fixture(scope="module")
def samples() -> list[Sample]:
    return list(islice(exchange.accepted(COMMITTED), 45))


def elsewhere(sample: Sample) -> Sample:
    """On another device, a third as fast."""
    timing = sample.timing
    slower = replace(
        timing,
        time_s=3 * timing.time_s,
        median_s=3 * timing.median_s,
        trials_s=tuple(3 * each for each in timing.trials_s),
        cpu_trials_s=tuple(3 * each for each in timing.cpu_trials_s),
    )
    device = replace(sample.device, slug="other", name="Other")
    return identified(replace(sample, timing=slower, device=device))


def written(path: Path, samples: list[Sample]) -> Path:
    exchange.write(samples, path)
    return path


def test_shaders_of_both_files_are_joined_and_the_host_s_own_are_forecast(tmp_path, samples):
    host = written(tmp_path / "a.parquet", samples)
    target = written(tmp_path / "b.parquet", [elsewhere(each) for each in samples[:40]])
    pair = of_files(host, target)
    assert (pair.host, pair.target, len(pair.ids)) == ("swiftshader", "other", 40)
    assert pair.names[0] == "host time"
    assert "OpFMul" in pair.names
    found = study(pair, only=["one factor", "running median"])
    assert found.best == "one factor"
    alone = forecasts(pair, "one factor")
    assert len(alone) == 5
    by_time = sorted(3 * each.timing.time_s for each in samples[40:])
    assert sorted(alone.values()) == pytest.approx(by_time, rel=1e-6)


def test_too_few_shared_shaders_are_refused(tmp_path, samples):
    host = written(tmp_path / "a.parquet", samples[:25])
    target = written(tmp_path / "b.parquet", [elsewhere(each) for each in samples[10:40]])
    with pytest.raises(WrongUse, match="15 shaders in common"):
        of_files(host, target)


def test_a_file_of_several_devices_is_refused(tmp_path, samples):
    both = written(tmp_path / "a.parquet", [*samples[:20], elsewhere(samples[0])])
    with pytest.raises(WrongUse, match="other, swiftshader: one device is wanted"):
        of_files(both, both)
