from __future__ import annotations

import json

import numpy as np
import pytest

from models.recipes import goals
from models.recipes.goals import Figure, Line
from shaderlab import locations
from shaderlab.training import changes
from shaderlab.training.changes import Changes
from shaderlab.training.comparison import Row
from shaderlab.training.evaluation import evaluate


def row(target: str, method: str, off: float) -> Row:
    """All forecasts too long by such a share; half as much without undefined values."""
    measured = np.linspace(1e-3, 2e-3, 10)
    whole, some = (
        evaluate(measured, measured * (1 + each), resamples=1) for each in (off, off / 2)
    )
    return Row(target, method, False, 10, whole, some, None, {}, None)


def test_a_figure_is_held_to_the_side_its_goal_is_on():
    assert Figure("median", 0.04, 0.04).reached
    assert not Figure("median", 0.05, 0.04).reached
    assert Figure("sign", 0.98, 0.97, most=False).reached
    assert not Figure("sign", 0.9, 0.97, most=False).reached


def test_each_goal_is_judged_by_its_target_method_and_shaders():
    rows = [row("rtx3060", "additive-latest", 0.07), row("rtx3060", "additive-optimized", 0.05)]
    lines = {line.title: line for line in goals.errors(rows)}
    assert set(lines) == {
        "RTX 3060, all (n 10)",
        "RTX 3060, nothing undefined (n 10)",
        "RTX 3060 without RADV (n 10)",
    }
    assert lines["RTX 3060, all (n 10)"].missed == ("median",)
    assert lines["RTX 3060, nothing undefined (n 10)"].missed == ()
    assert lines["RTX 3060 without RADV (n 10)"].missed == ()


def test_compilers_are_judged_by_the_ratio_of_medians(tmp_path):
    path = tmp_path / "compilers.json"
    found = {"median_ape": 0.06, "fitted": 0.05, "n": 7}
    path.write_text(json.dumps({"errors": {goals.BUILT: {"rx6600xt": {"initialised": found}}}}))
    (line,) = goals.compilers(path)
    assert line.figures[0].value == pytest.approx(1.2)
    assert line.missed


def test_the_shipped_table_of_compilers_has_the_one_that_is_built():
    assert list(goals.compilers(locations.models() / "compilers.json"))


def test_changes_are_judged_by_the_compiled_program():
    measured = np.array([0.5, -0.5, 0.2, -0.2])
    ids = ("a", "b", "c", "d")
    made = [
        Changes(changes.EDITS, "llvmpipe", method, measured, measured + 0.01, ("edit",) * 4, ids)
        for method in ("additive", "additive-compiled")
    ]
    (line,) = goals.of_changes(made)
    assert line.missed == ()
    assert [round(each.value, 3) for each in line.figures] == [1.0, 0.01]


def test_the_table_names_what_is_missed_and_what_bounds_it_only_there():
    text = goals.table(
        [
            Line("reached", (Figure("median", 0.1, 0.2),), "never shown"),
            Line("missed", (Figure("mean", 0.3, 0.2), Figure("median", 0.1, 0.2)), "the clock"),
        ]
    )
    assert "never shown" not in text
    assert "| missed | mean / median | 0.3 / 0.1 | 0.2 / 0.2 | mean | the clock |" in text
