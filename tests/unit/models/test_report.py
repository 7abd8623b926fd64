"""The report's tables and pictures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from models.laboratory import error_heat_maps as heat_maps
from models.laboratory import report
from shaderlab import locations
from shaderlab.training.comparison import Row, answers
from shaderlab.training.evaluation import evaluate, evaluate_by_decade
from shaderlab.training.splits import Split

MEASURED = np.array([1.5e-5, 3e-5, 2e-4, 4e-4, 3e-3])


def row(method: str, factor: float, **changes) -> Row:
    predicted = MEASURED * factor
    result = evaluate(MEASURED, predicted, resamples=10)
    made = Row(
        "toy", method, False, 5, result, evaluate(MEASURED[:3], predicted[:3], resamples=10),
        evaluate(MEASURED[1:], predicted[1:], resamples=10),
        evaluate_by_decade(MEASURED, predicted, resamples=10), None,
    )  # fmt: skip
    return replace(made, **changes)


ROWS = [
    row("far", 2.0), row("near", 1.1, default=True, coverage=0.8), row("near-untraced", 1.5),
    row("near-estimated", 1.3), row("lost-untraced", 1.5), row("part", 1.3, shaders=9),
]  # fmt: skip


def tables() -> dict[str, list[list[str]]]:
    """Cells by title."""
    found = {}
    for part in report.target_tables(ROWS).split("\n\n**"):
        title, _, lines = part.strip("*").partition("**\n\n")
        found[title] = [
            [cell.strip() for cell in line.strip("|").split("|")] for line in lines.splitlines()
        ]
    return found


def test_methods_stand_in_order_of_their_error_the_default_in_bold():
    names = [line[0] for line in tables()["All shaders"][2:]]
    assert names == ["**near**", "part", "far"]


def test_cells_hold_the_figure_and_its_interval():
    near = tables()["All shaders"][2]
    assert near[1:3] == ["5", "0.100 [0.100, 0.100]"]
    assert near[-1] == "0.80"
    part = tables()["All shaders"][3]
    assert part[1] == "5 of 9"
    assert part[-1] == "-"


def test_parts_of_the_shaders_have_tables_of_their_own():
    found = tables()
    assert [line[1] for line in found["Shaders without undefined values"][2:]] == ["3"] * 3
    assert [line[1] for line in found["Shaders of 20 µs and more"][2:]] == ["4"] * 3
    head = found["Median error by measured time"][0]
    assert head == ["method", "10-100 µs (n 2)", "100-1000 µs (n 2)", "1-10 ms (n 1)"]


def test_the_ablation_stands_beside_the_method_it_is_of():
    for counts, error in (("every block once per pixel", "0.500"), ("likely counts", "0.300")):
        head, _, *body = tables()[f"Without the trace: {counts}"]
        assert [line[0] for line in body] == ["near"]
        mape = head.index("MAPE")
        assert body[0][mape : mape + 2] == ["0.100", f"{error} [{error}, {error}]"]


def test_every_line_of_a_table_has_its_columns():
    for lines in tables().values():
        assert len({len(line) for line in lines}) == 1


def test_no_shader_is_lost_from_a_heat_map():
    predicted = np.array([-1.0, 1e9, 2e-4, np.nan, 3e-3])
    edges = heat_maps.axis_edges(MEASURED)
    assert edges[0] <= MEASURED.min()
    assert edges[-1] >= MEASURED.max()
    counts = heat_maps.cells(MEASURED, predicted, edges)
    assert counts.sum() == 4
    exact = heat_maps.cells(MEASURED, MEASURED, edges)
    assert np.trace(exact) == 5
    assert counts[:, 0].sum() == 1  # the negative one, at the lower edge


def test_a_heat_map_is_a_picture_and_the_same_each_time(tmp_path):
    pytest.importorskip("matplotlib")
    predicted = {f"method {i}": MEASURED * factor for i, factor in enumerate((0.5, 1, 1, 2, 4))}
    for name in ("one", "two"):
        heat_maps.draw(tmp_path / "pictures" / f"{name}.png", "A toy", MEASURED, predicted)
    one, two = ((tmp_path / "pictures" / f"{name}.png").read_bytes() for name in ("one", "two"))
    assert one == two
    assert one.startswith(b"\x89PNG")


def test_the_committed_report_tells_what_the_committed_models_do():
    """Where this fails, models are newer: run `models.recipes.report --with-test`."""
    text = (locations.models() / "REPORT.md").read_text("utf-8")
    validation = text.partition(f"## {Split.VALIDATION.value.title()} split")[2]
    for each in answers(Split.VALIDATION, ["additive", "trees", "pilr-refit"]):
        section = validation.partition(f"(`{each.cohort.target}`)")[2].partition("\n### ")[0]
        name = f"**{each.row.method}**" if each.row.default else each.row.method
        line = f"| {name} | {each.row.result.n} | {report.estimate(each.row.result.mape)} |"
        assert line in section
        assert f"report/{each.cohort.target}-validation.png" in section
