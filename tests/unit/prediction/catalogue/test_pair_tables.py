"""Pairs of devices: the shipped table, its curves, and tables that are damaged."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab import locations
from shaderlab.errors import InvalidModel, WrongUse
from shaderlab.prediction.catalogue import pair_tables
from shaderlab.prediction.catalogue.pair_tables import HostCurve, PairTables
from shaderlab.prediction.forecast import Measured, Status
from shaderlab.prediction.forecasts.by_host import METHOD, forecasts_by_host, without_pair

CURVE = HostCurve((1e-3, 1e-2, 1e-1), (1e-5, 1e-4, 1e-2), ((5e-3, 0.5, 2.0),), (0.25, 3.0))


def method(**changed) -> dict:
    return {
        "method": "OLS", "kind": "linear", "shaders": "ten folds", "refused": None,
        "beats_competitors": False, "n": 40, "fold_error": 0.4,
        "mape": {"value": 0.4}, "median_ape": {"value": 0.2, "low": 0.1, "high": 0.3},
        "spearman": {"value": None, "low": None, "high": None}, "features": 3.0,
        "inliers": {}, "inlier_curve": [n / 50 for n in range(50)], **changed,
    }  # fmt: skip


def pair(**changed) -> dict:
    return {
        "host": "one", "target": "other", "shaders": 40, "features": 3, "weights": "1/t",
        "best": None, "methods": [method()], "ranking": None, "forecasts_s": {}, **changed,
    }  # fmt: skip


def test_every_shipped_pair_has_the_thirteen_their_competitors_and_a_curve():
    found = pair_tables.read(locations.models())
    assert found is not None
    assert len(found.every) == 12
    for each in found.every:
        kinds = [line.kind for line in each.methods if not line.refused]
        assert (kinds.count("linear"), kinds.count("trees"), kinds.count("competitor")) == (
            12,
            1,
            2,
        )
        assert kinds.count("learned") == 1
        assert each.curve is not None
        assert each.ranking
        ordered = [row.p_value for row in each.ranking]
        assert ordered == sorted(ordered)


def test_the_accepted_errors_of_the_pairs_come_out():
    """papers: llvmpipe to RTX 3060 by the best regression, RX 6600 XT to RTX 3060 by the median."""
    found = pair_tables.read(locations.models())
    assert found is not None
    table = found.of("llvmpipe", "rtx3060")
    assert table is not None
    lines = {line.method: line for line in table.methods}
    linear = [each for each in table.methods if each.kind == "linear"]
    assert any(each.fold_error <= 0.32 and each.median_ape <= 0.17 for each in linear)
    assert lines["RF"].fold_error <= 0.29
    assert lines["RF"].median_ape <= 0.13
    other = found.of("rx6600xt", "rtx3060")
    assert other is not None
    assert {e.method: e for e in other.methods}["running median"].median_ape <= 0.12


def test_a_curve_goes_through_its_knots_and_stays_at_its_ends():
    assert CURVE.at(1e-2) == pytest.approx(1e-4)
    assert CURVE.at(np.sqrt(1e-2 * 1e-1)) == pytest.approx(1e-3)
    assert CURVE.at(5.0) == pytest.approx(1e-2)
    assert CURVE.holds(2e-3)
    assert not CURVE.holds(5.0)
    assert CURVE.factors(5e-3) == (0.5, 2.0)
    assert CURVE.factors(6e-3) == (0.25, 3.0)


def test_a_table_is_read_as_it_was_written():
    text = pair_tables.to_json([pair(curve=pair_tables.curve_data(
        HostCurve(CURVE.host_s, CURVE.target_s, CURVE.bands, CURVE.last_band, 40, 0.3, 0.2, 0.5, 1)
    ))], "made up", "by hand")  # fmt: skip
    (found,) = PairTables.parse(text.encode()).every
    assert found.curve is not None
    assert (found.curve.host_s, found.curve.bands) == (CURVE.host_s, CURVE.bands)
    assert found.curve.last_band == (0.25, 3.0)
    assert math.isnan(found.methods[0].spearman)


@pytest.mark.parametrize(
    ("damaged", "said"),
    [
        (pair(methods=[]), "methods"),
        (pair(methods=[method(inlier_curve=[0.5])]), "inlier_curve"),
        (pair(methods=[method(fold_error=-1)]), "fold_error"),
        (pair(methods=[method(beats_competitors=3)]), "beats_competitors"),
        (pair(forecasts_s={"x": "1"}), "forecasts_s"),
        (pair(forecasts_s={"a\nb": 1.0}), "not a name"),
        (pair(curve={"knots": [{"host_s": 1.0, "target_s": 1.0}]}), "knots"),
        (pair(more=1), "more"),
    ],
)
def test_what_is_wrong_is_named(damaged, said):
    with pytest.raises(InvalidModel, match=said):
        pair_tables.parse_one(json.dumps(damaged).encode())


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data):
    with pytest.raises(InvalidModel):
        pair_tables.parse_one(data)


def test_a_time_here_gives_a_time_there_with_its_band_and_its_error():
    found = forecasts_by_host(Measured("llvmpipe", 0.02), ["rtx3060"])
    (each,) = found
    assert (each.target, each.method, each.status) == ("rtx3060", METHOD, Status.OK)
    low, time_s, high = each.interval_s
    assert low < time_s < high
    assert each.validated.n == 1508
    assert 0.1 < (each.validated.median_ape or 0) < 0.3
    (beyond,) = forecasts_by_host(Measured("llvmpipe", 1e5), ["rtx3060"])
    assert beyond.status is Status.ESTIMATE
    assert "nearest one's" in beyond.warnings[-1]
    assert "another processor differs" in each.warnings[0]
    assert not forecasts_by_host(Measured("rtx3060", 1e-3), ["rx6600xt"])[0].warnings


def test_a_host_without_a_pair_is_refused_with_those_there_are():
    with pytest.raises(WrongUse, match="llvmpipe to rtx3060"):
        forecasts_by_host(Measured("voodoo2", 0.02))


def test_targets_that_no_pair_leads_to_are_named():
    found = forecasts_by_host(Measured("rtx3060", 1e-4), ["uhd630", "rx6600xt"])
    assert [each.target for each in found] == ["rx6600xt"]
    assert without_pair("rtx3060", found, ["uhd630", "rx6600xt"]) == ("uhd630",)
    every = without_pair("rtx3060", forecasts_by_host(Measured("rtx3060", 1e-4)))
    assert "uhd630" in every
    assert not {"rtx3060", "rx6600xt"} & set(every)
