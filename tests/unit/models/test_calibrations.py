"""The table of calibrations: what ships, and one start made anew."""

from __future__ import annotations

import json

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the training extra")

from models.recipes import calibrations
from models.recipes.calibrations import FILE, RELATIVES, SIZES, Bench, section
from shaderlab import locations
from shaderlab.training.comparison import data_folder
from shaderlab.training.splits import Split, split_of


def test_every_device_ships_and_stands_in_the_report():
    models = locations.models()
    found = json.loads((models / FILE).read_text(encoding="utf-8"))
    assert section(models) in (models / "REPORT.md").read_text(encoding="utf-8")
    for slug, rows in found.items():
        sizes = [str(n) for n in SIZES if n >= 5 or slug in RELATIVES]
        assert list(rows) == [*sizes, "all"]
        assert rows["all"]["median_ape"] < rows["40"]["median_ape"] < rows["5"]["median_ape"]


def test_without_the_table_the_report_has_no_section(tmp_path):
    assert section(tmp_path) == ""


def test_before_the_first_shader_prices_are_the_relatives_by_both_data_sheets(monkeypatch):
    monkeypatch.setattr(calibrations, "STEPS", 3)
    bench = Bench(data_folder())
    assert not [id for id in bench.ids("h200") if split_of(id) is Split.TEST]
    relative = bench.relative("h200")
    assert relative is not None
    weights = bench.calibrated("h200", 0, [], relative)
    assert weights is not None
    there = bench.taught("rtx3060", "h200", 0)
    # 28 units at 1.605 GHz to 4 at 1.98 GHz; the same lanes in each.
    np.testing.assert_allclose(weights.prices / there.prices, 5.674, rtol=0.01)
    assert weights.floor_s == 113.13e-6
    assert bench.calibrated("rx6600xt", 0, [], None) is None
