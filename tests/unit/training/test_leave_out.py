from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from shaderlab.errors import InvalidModel
from shaderlab.prediction.features.context import CONTEXT
from shaderlab.prediction.features.example import Example
from shaderlab.prediction.features.lane_work import Execution
from shaderlab.prediction.models.model import CountedShader
from shaderlab.training import leave_out
from shaderlab.training.leave_out import LeftOut

N = 200


def shaders() -> dict[str, CountedShader]:
    random = np.random.default_rng(3)
    found = {}
    for number in range(N):
        context = random.normal(5, 1, len(CONTEXT))
        work = {"varying:OpFAdd": float(random.lognormal(12, 1))}
        for name, every in (("Tan", 25), ("Sinh", 25)):
            if number % every == 0 or (name == "Sinh" and number < 2):
                work[f"varying:{name}"] = 1e5
        example = Example(dict.fromkeys(Execution, work), context)
        found[f"s{number:03}"] = CountedShader(f"s{number:03}", {}, example, False)
    return found


@pytest.fixture(scope="module")
def folds():
    pytest.importorskip("sklearn", reason="needs the training extra")
    return leave_out.folds(shaders())


def of(folds, criterion: str):
    return [each.group_of for each in folds if each.criterion == criterion]


def test_every_shader_is_left_out_once_by_cluster_and_once_by_size(folds):
    for criterion in (leave_out.CLUSTER, leave_out.SIZE_DECILE):
        left = Counter(i for each in of(folds, criterion) for i in each)
        assert left == dict.fromkeys(shaders(), 1)


def test_deciles_left_out_together_are_no_neighbours_and_hold_the_sizes_in_order(folds):
    size = {
        i: each.example.context[CONTEXT.index("log_instructions")] for i, each in shaders().items()
    }
    decile: dict[int, list[float]] = {}
    for each in of(folds, leave_out.SIZE_DECILE):
        first, second = sorted({int(name.split()[1]) for name in each.values()})
        assert second - first == leave_out.DECILES // 2
        for i, name in each.items():
            decile.setdefault(int(name.split()[1]), []).append(size[i])
    assert [len(decile[n]) for n in range(1, 11)] == [N // 10] * 10
    assert all(max(decile[n]) <= min(decile[n + 1]) for n in range(1, 10))


def test_whoever_runs_a_rare_operation_is_left_out_with_it(folds):
    having = {
        name: {i for i, each in shaders().items() if f"varying:{name}" in each.example.operations}
        for name in ("Tan", "Sinh")
    }
    for each in of(folds, leave_out.OPERATION):
        for name in set(each.values()):
            assert having[name] <= each.keys()
    assert {name for each in of(folds, leave_out.OPERATION) for name in each.values()} == {
        "Tan",
        "Sinh",
    }


def test_decades_of_few_shaders_and_of_the_floor_are_not_left_out():
    few = leave_out.LEAST - 1
    times_s = np.r_[
        np.full(40, 2e-6), np.full(40, 2e-5), np.full(few, 3e-4), np.full(30, 1e-3)
    ]  # fmt: skip
    ids = [str(n) for n in range(len(times_s))]
    found = leave_out.decades(ids, times_s)
    assert [sorted(set(each.group_of.values())) for each in found] == [["1e-5 s"], ["1e-3 s"]]
    assert [len(each.group_of) for each in found] == [40, 30]


def test_what_was_left_out_is_kept_as_data(tmp_path):
    rows = [
        LeftOut("rtx3060", "additive", 1, leave_out.DECADE, "1e-5 s", "b", 0.5),
        LeftOut("rtx3060", "additive", 0, leave_out.CLUSTER, "cluster 1", "a", 0.25),
    ]
    leave_out.write(tmp_path / "rows.parquet", rows)
    assert leave_out.read(tmp_path / "rows.parquet") == rows[::-1]
    (tmp_path / "other.parquet").write_bytes(b"PAR1")
    with pytest.raises(InvalidModel):
        leave_out.read(tmp_path / "other.parquet")


def test_a_quantile_regression_holds_every_group_that_is_a_column():
    pytest.importorskip("scipy", reason="needs the training extra")
    from models.laboratory.quantile_regression import quantile_regression

    random = np.random.default_rng(5)
    group = np.arange(600) % 3
    values = random.normal(0, 1 + group, 600)
    table = np.stack([np.ones(600), group == 1, group == 2], axis=1).astype(float)
    found = quantile_regression(table, values, 0.9, np.ones(600))
    for each in range(3):
        mine = group == each
        assert (values[mine] <= table[mine] @ found).mean() == pytest.approx(0.9, abs=0.01)
