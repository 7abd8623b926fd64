from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.errors import InvalidModel
from shaderlab.prediction.catalogue import change_bands
from shaderlab.prediction.catalogue.change_bands import ChangeBand
from shaderlab.prediction.catalogue.targets import installed

BANDS = (
    ChangeBand("llvmpipe", "additive", 90, 0.05, 0.1, 0.81),
    ChangeBand("rtx3060", "additive", 99, 0.2, 0.0, 0.79),
)
TEXT = change_bands.to_json(BANDS, "made up", "by hand")


def test_written_and_read_again_they_are_the_same(tmp_path):
    assert change_bands.parse(TEXT.encode()) == BANDS
    (tmp_path / change_bands.FILE).write_text(TEXT, encoding="utf-8")
    assert change_bands.read(tmp_path) == BANDS
    assert change_bands.read(tmp_path / "none") == ()


@pytest.mark.parametrize(
    ("name", "value"),
    [("base", -0.1), ("slope", 11), ("coverage", 2), ("target", "../x"), ("n", 0)],
)
def test_a_damaged_file_is_refused_with_the_field(name, value):
    data = json.loads(TEXT)
    data["every"][0][name] = value
    with pytest.raises(InvalidModel, match=name):
        change_bands.parse(json.dumps(data).encode())


def test_two_of_one_target_and_method_are_refused():
    with pytest.raises(InvalidModel, match="two of one"):
        change_bands.parse(change_bands.to_json([BANDS[0]] * 2, "made up", "by hand").encode())


def test_a_mapped_target_has_the_band_of_its_source_widened_by_the_mapping():
    found = {each.target: each for each in installed()}
    for target, source in {
        "gtx1660ti": "rtx3060", "rtx4060-laptop": "rtx3060", "rx7900gre": "rx6600xt",
    }.items():  # fmt: skip
        band = found[target].changes["matched"]
        for theirs in found[source].changes.values():
            low, high = band.ends(0.2)
            their_low, their_high = theirs.ends(0.2)
            assert low < their_low < 0.2 < their_high < high
    assert change_bands.inherited((), "gtx1660ti", "matched", 0.1) is None


@given(st.floats(-5, 5))
def test_a_band_holds_the_change_and_grows_with_it(change):
    low, high = BANDS[0].ends(change)
    assert low <= change <= high
    assert high - low >= 2 * BANDS[0].base


def test_what_is_no_number_is_not_written():
    with pytest.raises(ValueError, match="JSON"):
        change_bands.to_json([replace(BANDS[0], base=float("nan"))], "made up", "by hand")
