"""Recipes' fits on a real Ray cluster of two nodes on this machine."""

from __future__ import annotations

import json
import os
import threading
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import psutil
import pytest

pytest.importorskip("ray", reason="Ray is not installed")
torch = pytest.importorskip("torch", reason="needs the training extra")

from models.laboratory.additive import recipe_of  # noqa: E402
from models.laboratory.engine import Here  # noqa: E402
from models.laboratory.peers import Peers  # noqa: E402
from models.laboratory.ray_engine import OnRay  # noqa: E402
from models.laboratory.shaderperformer import LOG  # noqa: E402
from models.recipes import leave_out, shared  # noqa: E402
from shaderlab.errors import InvalidModel, ShaderlabError, WrongUse  # noqa: E402
from shaderlab.training import shader_data  # noqa: E402
from shaderlab.training.comparison import data_folder  # noqa: E402
from shaderlab.training.splits import Split  # noqa: E402
from tests.benchmarks.additive_model import Samples, figures  # noqa: E402
from tests.benchmarks.cluster_campaign import PATIENCE  # noqa: E402
from tests.unit.models.test_shaderperformer import RECIPE, run, weights_after  # noqa: E402

TARGET = "rx6600xt"

pytestmark = pytest.mark.timeout(3600)  # against hangs; a busy machine starts workers in minutes


@pytest.fixture(scope="module")
def address():
    from ray.cluster_utils import Cluster as Nodes

    assert PATIENCE.keys() <= os.environ.keys()
    memory = {"object_store_memory": 200 << 20}
    made = Nodes(initialize_head=True, head_node_args={"num_cpus": 1, **memory})
    made.add_node(num_cpus=1, **memory)
    yield made.address
    made.shutdown()


@pytest.fixture
def ray(address):
    with OnRay(address, workers=2) as engine:
        yield engine


def test_tasks_give_what_this_process_does(ray, monkeypatch):
    """The recipe that leaves groups of shaders out, on three of its folds."""
    written, every = shader_data.read(data_folder())
    folds = list(enumerate(leave_out.folds_of(written, every)[TARGET]))[:3]
    cohort = shared.cohort(TARGET, written, every, Split.VALIDATION)
    fit = partial(short, cohort)
    here, there = (list(engine.each(fit, folds)) for engine in (Here(), ray))
    assert sum(map(len, here)) > 20
    assert there == here


def short(cohort, numbered):
    leave_out.STEPS, leave_out.LEAST = 5, 20
    return leave_out.left_out("additive", cohort, numbered)


def test_what_a_task_raises_comes_back(ray):
    with pytest.raises(InvalidModel, match="number 1 has no weights"):
        list(ray.each(refused, [0, 1, 2]))


def refused(number: int) -> int:
    if number == 1:
        raise InvalidModel("number 1 has no weights")
    return number


def test_tune_judges_choices_as_this_process_does(ray):
    shaders, times = shader_data.read(data_folder())
    few = {TARGET: [each for each in times[TARGET] if each.id in shaders][:120]}
    samples = Samples(shaders, few)
    recipes = [replace(recipe_of(TARGET), steps=4, huber=huber) for huber in (0.02, 0.5)]
    judge = partial(figures, samples, TARGET, pretrained=False)
    here, there = (list(engine.tried(judge, recipes)) for engine in (Here(), ray))
    assert [dict(each) for each in there] == [dict(each) for each in here]
    assert here[0]["n"] > 50
    assert here[0]["median_ape"] != here[1]["median_ape"]


def test_a_trial_that_fails_is_reported(ray):
    with pytest.raises(ShaderlabError, match=r"a trial failed on the cluster: .*no weights"):
        list(ray.tried(lambda number: iter([{"a": refused(number)}]), [0, 1]))


def test_train_gives_what_this_process_does_though_a_worker_is_killed(ray, tmp_path: Path):
    recipe = replace(RECIPE, epochs=4)
    alone = run(tmp_path / "alone", recipe)
    ours = list(alone.epochs())
    theirs: list[dict] = []
    killed = threading.Event()

    def report(line: dict) -> None:
        theirs.append(line)
        if not killed.is_set():
            killed.set()
            workers()[-1].kill()

    ray.train(partial(worker_run, recipe), tmp_path / "ray", report)
    assert killed.is_set()
    # The first epoch is trained again where the worker was lost before Ray had it in store.
    last = {line["epoch"]: line for line in theirs}
    assert list(last) == [1, 2, 3, 4]
    for mine, other in zip(ours, last.values(), strict=True):
        assert other["score"] == pytest.approx(mine["score"], rel=1e-3)
    kept = (tmp_path / "ray" / LOG).read_text().splitlines()
    assert [json.loads(line)["epoch"] for line in kept] == [1, 2, 3, 4]
    assert not (tmp_path / "ray" / "ray").exists()

    # What the cluster trained, this process goes on with.
    gone_on = run(tmp_path / "ray", recipe)
    for name, values in weights_after(alone).items():
        np.testing.assert_allclose(weights_after(gone_on)[name], values, atol=1e-3)
    longer: list[dict] = []
    ray.train(partial(worker_run, replace(recipe, epochs=5)), tmp_path / "ray", longer.append)
    assert [line["epoch"] for line in longer] == [5]


def worker_run(recipe, folder: Path, peers: Peers):
    return run(folder, recipe, peers=peers)


def workers() -> list[psutil.Process]:
    """The processes that train, of this test's cluster."""
    found = []
    for each in psutil.Process(os.getpid()).children(recursive=True):
        if any("RayTrainWorker" in word for word in each.cmdline()):
            found.append(each)
    return found


def test_an_address_where_nothing_listens_is_named():
    with pytest.raises(WrongUse, match=r"127\.0\.0\.1:1"):
        OnRay("127.0.0.1:1")
