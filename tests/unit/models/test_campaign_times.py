"""Times of a campaign, read from the data set that is committed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from models.laboratory import campaign_times
from shaderlab import locations
from shaderlab.errors import InvalidModel
from shaderlab.samples import exchange
from shaderlab.training import shader_data
from tests.unit.samples.builders import sample, timing

DATASETS = locations.models() / "datasets"


def test_every_row_of_the_canonical_instant_is_a_time():
    path = DATASETS / "llvmpipe-512x384.parquet"
    times = campaign_times.read(path)
    assert len(times) == pq.read_metadata(path).num_rows
    assert {each.target for each in times} == {"llvmpipe"}
    assert {each.size for each in times} == {(512, 384)}
    assert all(each.full_s == pytest.approx(4 * each.time_s) for each in times)


def test_the_data_models_are_fitted_to_hold_the_campaigns_times():
    _, times = shader_data.read(DATASETS / "model-samples")
    campaigns = campaign_times.files(DATASETS)
    assert [path.stem for path in campaigns] == [
        "llvmpipe-512x384", "llvmpipe-512x384-fourth", "llvmpipe-512x384-second",
        "llvmpipe-512x384-third",
        "swiftshader-512x384", "swiftshader-512x384-fourth", "swiftshader-512x384-second",
        "swiftshader-512x384-third",
    ]  # fmt: skip
    expected = {(each.target, each.id): each for each in campaign_times.united(campaigns)}
    for device in ("llvmpipe", "swiftshader"):
        known = sum(target == device for target, _ in expected)
        assert len(times[device]) > 0.98 * known
        for each in times[device]:
            other = expected[device, each.id]
            assert each.time_s == pytest.approx(other.time_s, rel=1e-12)
            assert replace(each, time_s=0.0) == replace(other, time_s=0.0)


def campaign(path: Path, times_s: dict[str, float]) -> Path:
    rows = [sample(name, timing=timing((time_s,) * 3)) for name, time_s in times_s.items()]
    exchange.write(rows, path)
    return path


def test_a_campaign_on_a_slower_machine_is_brought_to_the_first_ones_clock(tmp_path):
    both = {f"s{n}": 0.001 * 1.2**n for n in range(30)}
    first = campaign(tmp_path / "a.parquet", both | {"only": 0.02})
    slower = {name: 3 * time_s for name, time_s in both.items()}
    second = campaign(tmp_path / "b.parquet", slower | {"new": 0.3})
    found = {each.id: each.time_s for each in campaign_times.united([first, second])}
    assert found.keys() == {*both, "only", "new"}
    assert found["only"] == pytest.approx(0.02)
    assert found["new"] == pytest.approx(0.1)
    assert all(found[name] == pytest.approx(time_s) for name, time_s in both.items())


def test_what_two_campaigns_disagree_about_is_averaged(tmp_path):
    both = {f"s{n}": 0.01 for n in range(15)} | {f"t{n}": 0.1 for n in range(15)}
    first = campaign(tmp_path / "a.parquet", both)
    twice = {name: time_s * (2.0 if name.endswith("3") else 0.5) for name, time_s in both.items()}
    second = campaign(tmp_path / "b.parquet", twice)
    found = {each.id: each.time_s for each in campaign_times.united([first, second])}
    assert len(found) == 30
    # The first says they take as long, the second that one takes four times as long.
    assert 1.5 < found["s3"] / found["s4"] < 2.5


def test_the_steadier_campaign_counts_for_more(tmp_path):
    """Two that agree and one that scatters: what it says moves little."""
    generator = np.random.default_rng(2)
    true = {f"s{n}": float(time_s) for n, time_s in enumerate(generator.lognormal(-4, 1, 200))}

    def visit(name: str, scatter: float) -> Path:
        noise = generator.lognormal(0, scatter, len(true))
        times_s = dict(zip(true, np.array(list(true.values())) * noise, strict=True))
        return campaign(tmp_path / f"{name}.parquet", times_s)

    visits = [visit("a", 0.05), visit("b", 0.4), visit("c", 0.05)]
    logs = [{each.id: np.log(each.time_s) for each in campaign_times.read(v)} for v in visits]
    assert campaign_times.noises(logs) == pytest.approx([0.05, 0.4, 0.05], abs=0.05)
    found = {each.id: each.time_s for each in campaign_times.united(visits)}
    errors = np.abs([np.log(found[name] / true[name]) for name in true])
    assert np.median(errors) < 0.04


def test_two_campaigns_alone_share_what_they_disagree_about():
    one = {f"s{n}": 0.0 for n in range(40)}
    other = {name: 0.2 for name in one}
    each = 0.2 * 1.4826 / 2**0.5
    assert campaign_times.noises([one, other]) == pytest.approx([each, each])


def test_campaigns_that_share_too_few_shaders_cannot_be_compared(tmp_path):
    first = campaign(tmp_path / "a.parquet", {f"s{n}": 0.01 for n in range(29)})
    second = campaign(tmp_path / "b.parquet", {f"s{n}": 0.02 for n in range(40)})
    with pytest.raises(InvalidModel, match=r"b\.parquet: shares 29 shaders"):
        campaign_times.united([first, second])


def test_what_is_no_data_set_is_refused(tmp_path: Path):
    for name, content in (("gone", None), ("text", b"no parquet")):
        path = tmp_path / f"{name}.parquet"
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(InvalidModel, match=path.name):
            campaign_times.read(path)
    shader_data.write_times(tmp_path, [])
    with pytest.raises(InvalidModel, match=r"times\.parquet"):
        campaign_times.read(tmp_path / shader_data.TIMES)
