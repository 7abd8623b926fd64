"""The table of learning curves: what ships, and one short line made anew."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("torch", reason="needs the training extra")

from models.recipes import learning_curves
from models.recipes.learning_curves import CASES, FILE, Bench, Case, section
from shaderlab import locations
from shaderlab.training.comparison import data_folder


def test_every_line_ships_and_stands_in_the_report():
    models = locations.models()
    found = json.loads((models / FILE).read_text(encoding="utf-8"))
    assert list(found) == [each.name for each in CASES]
    assert section(models) in (models / "REPORT.md").read_text(encoding="utf-8")
    shares = [found[each.name]["median_ape"][0] for each in CASES[:4]]
    assert shares == sorted(shares, reverse=True)  # more shaders, smaller errors


def test_without_the_table_the_report_has_no_section(tmp_path):
    assert section(tmp_path) == ""


def test_a_line_is_judged_on_every_shader_but_the_test_split(monkeypatch):
    monkeypatch.setattr(learning_curves, "STEPS", 3)
    found = Bench(data_folder()).judged(Case("short", share=0.1, target="rx6600xt"))
    assert found["n"] == 1431
    assert found["fitted_to"] == 114
    low, high = found["median_ape"][1:]
    assert 0 < low < found["median_ape"][0] < high
