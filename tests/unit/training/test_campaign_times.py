"""Times of a campaign, read from the data set that is committed."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from shaderlab import locations
from shaderlab.errors import InvalidModel
from shaderlab.training import campaign_times, shader_data

DATASETS = locations.models() / "datasets"


def test_every_row_of_the_canonical_instant_is_a_time():
    path = DATASETS / "llvmpipe-512x384.parquet"
    times = campaign_times.read(path)
    assert len(times) == pq.read_metadata(path).num_rows
    assert {each.target for each in times} == {"llvmpipe"}
    assert {each.size for each in times} == {(512, 384)}
    assert all(each.full_s == pytest.approx(4 * each.time_s) for each in times)


def test_the_data_models_are_fitted_to_hold_the_campaigns_times_as_they_are():
    _, times = shader_data.read(DATASETS / "published-samples")
    campaign = {
        each.id: each for each in campaign_times.read(DATASETS / "llvmpipe-512x384.parquet")
    }
    assert times["llvmpipe"]
    assert all(campaign[each.id] == each for each in times["llvmpipe"])


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
