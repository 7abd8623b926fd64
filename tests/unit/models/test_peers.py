"""Workers that train one network together, as processes of this machine."""

from __future__ import annotations

import json
import multiprocessing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from models.laboratory.peers import Peers  # noqa: E402
from models.laboratory.shaderperformer import BEST, LOG, STATE  # noqa: E402
from tests.unit.models.test_shaderperformer import RECIPE, run, weights_after  # noqa: E402

FEW = replace(RECIPE, epochs=2, batch=6)
"""Whose last step of an epoch has too few shaders for all workers."""


def work(rank: int, count: int, folder: Path) -> None:
    torch.set_num_threads(1)
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{folder / 'meeting'}", rank=rank, world_size=count
    )
    trained = run(folder / str(rank), FEW, peers=Peers(rank, count))
    lines = list(trained.epochs())
    np.savez(folder / f"{rank}.npz", **weights_after(trained))
    (folder / f"{rank}.json").write_text(json.dumps(lines))
    torch.distributed.destroy_process_group()


def test_workers_train_what_one_alone_does(tmp_path: Path):
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=work, args=(rank, 3, tmp_path)) for rank in range(3)]
    for each in workers:
        each.start()
    alone = run(tmp_path / "alone", FEW)
    lines = list(alone.epochs())
    for each in workers:
        each.join(120)
        assert each.exitcode == 0
    first = np.load(tmp_path / "0.npz")
    for name, values in weights_after(alone).items():
        np.testing.assert_allclose(first[name], values, atol=1e-4)
        for rank in (1, 2):
            np.testing.assert_array_equal(np.load(tmp_path / f"{rank}.npz")[name], first[name])
    together = json.loads((tmp_path / "0.json").read_text())
    for ours, theirs in zip(lines, together, strict=True):
        assert theirs["score"] == pytest.approx(ours["score"], rel=1e-3)
        assert theirs["training_loss"] == pytest.approx(ours["training_loss"], rel=1e-3)
        assert theirs["tokens"] == ours["tokens"]
    # One of them keeps the run for all.
    assert {each.name for each in (tmp_path / "0").iterdir()} == {STATE, BEST, LOG}
    assert not list((tmp_path / "1").iterdir())


def test_every_item_is_one_workers():
    items = list(range(7))
    shares = [Peers(rank, 3).share(items) for rank in range(3)]
    assert sorted(each for share in shares for each in share) == items


def test_workers_drop_out_differently_and_the_same_in_every_run():
    def drawn(peers: Peers, *seeds: int) -> float:
        torch.manual_seed(5)
        peers.seed(*seeds)
        return float(torch.rand(()))

    together = {drawn(Peers(rank, 4), 0, epoch) for rank in range(4) for epoch in range(4)}
    assert len(together) == 16
    assert drawn(Peers(1, 4), 0, 2) in together
    assert drawn(Peers(), 0, 0) == drawn(Peers(), 0, 1), "alone, it keeps the numbers it has"
