"""`shaderlab evaluate` as it is called."""

from __future__ import annotations

import json
import subprocess
import sys


def evaluate(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "shaderlab", "evaluate", *arguments],
        capture_output=True, text=True, timeout=100,
    )  # fmt: skip


def test_rows_carry_metrics_and_intervals():
    done = evaluate("--method", "additive", "--method", "authors-transformer", "--json")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert data["split"] == "validation"
    assert {(row["target"], row["method"]) for row in data["rows"]} == {
        ("llvmpipe", "additive"),
        ("rtx3060", "additive"),
        ("rtx3060", "authors-transformer"),
        ("rx6600xt", "additive"),
        ("rx6600xt", "authors-transformer"),
        ("swiftshader", "additive"),
    }
    for row in data["rows"]:
        assert row["n"] > 100
        for metric in ("mape", "median_ape", "within20", "spearman"):
            low, high = row["ci"][metric]
            assert low <= row[metric] <= high
        assert row["default"] == (row["method"] == "additive")


def test_ablations_come_when_asked_for():
    done = evaluate("--method", "sh-refit", "--ablation", "--json")
    rows = json.loads(done.stdout)["rows"]
    by_target = {}
    for row in rows:
        by_target.setdefault(row["target"], {})[row["method"]] = row
    assert by_target
    for mine in by_target.values():
        assert set(mine) == {"sh-refit", "sh-refit-untraced", "sh-refit-estimated"}
        assert mine["sh-refit"]["spearman"] > mine["sh-refit-untraced"]["spearman"]
    only = json.loads(evaluate("--method", "sh-refit", "--json").stdout)["rows"]
    assert {row["method"] for row in only} == {"sh-refit"}


def test_an_unknown_method_is_wrong_use():
    done = evaluate("--method", "tarot")
    assert done.returncode == 2
    assert "tarot" in done.stderr
    assert "additive" in done.stderr
