"""The network in torch against the one in numpy, and runs that are interrupted."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from models.laboratory import token_data  # noqa: E402
from models.laboratory.shaderperformer import BEST, RECIPES, STATE, Data, Run, data, metrics  # noqa: E402
from models.laboratory.shaderperformer_network import ShaderPerFormer, collate  # noqa: E402
from models.laboratory.token_data import TokenizedShader  # noqa: E402
from shaderlab.errors import InvalidDataset, WrongUse  # noqa: E402
from shaderlab.prediction.models import shaderperformer  # noqa: E402
from shaderlab.prediction.models.shaderperformer import PAPER, TINY, Configuration, shown_counts  # noqa: E402
from shaderlab.spirv.tokens import PAD  # noqa: E402
from shaderlab.training.splits import Split  # noqa: E402
from tests.unit.prediction.models.test_shaderperformer import TOY, sequence  # noqa: E402

THE_PAPERS = replace(PAPER, layers=2, positions=1024)
"""Its widths, its table of words and its frozen position 1000."""


@pytest.fixture(autouse=True)
def _one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def network(configuration: Configuration, targets: int = 1) -> ShaderPerFormer:
    torch.manual_seed(0)
    found = ShaderPerFormer(configuration, targets).eval()
    with torch.no_grad():
        for name, parameter in found.named_parameters():
            parameter += torch.randn(parameter.shape) * 0.05
            if name in ("words", "positions") and len(parameter) > PAD:
                parameter[PAD] = 0
    return found


@pytest.mark.parametrize("configuration", [TOY, TINY, THE_PAPERS])
def test_numpy_answers_as_torch_does(configuration):
    trained = network(configuration, targets=2)
    weights = {name: each.numpy() for name, each in trained.state_dict().items()}
    assert {name: each.shape for name, each in weights.items()} == shaderperformer.shapes(
        configuration, 2
    )
    lengths = [1, 8, 37, 60] + ([1020] if configuration.positions >= 1024 else [])
    for length in lengths:
        tokens, counts = sequence(length, seed=length, configuration=configuration)
        found = shaderperformer.log_seconds(weights, configuration, tokens, counts)
        shown = shown_counts(counts, configuration.counts)
        with torch.inference_mode():
            expected = trained(collate([(tokens, shown)]))[0].numpy()
        np.testing.assert_allclose(found, expected, atol=1e-4)


def test_padding_in_a_batch_is_not_attended_to():
    """Beside a longer one a sequence moves to the right, so only its positions differ."""
    trained = network(TOY)
    with torch.no_grad():
        trained.positions[:] = 0
    short, long = sequence(21), sequence(64, seed=1)
    with torch.inference_mode():
        alone = trained(collate([short]))
        together = trained(collate([short, long]))
    torch.testing.assert_close(together[:1], alone, atol=1e-5, rtol=0)


def test_rows_of_padding_stay_zero():
    configuration = replace(TOY, positions=1024)
    trained = ShaderPerFormer(configuration)
    optimizer = torch.optim.Adam(trained.parameters(), lr=0.1)
    for seed in range(3):
        trained(collate([sequence(1003, seed=seed)])).sum().backward()
        optimizer.step()
    assert not trained.words[PAD].any()
    assert not trained.positions[PAD].any()
    assert trained.positions[PAD + 1].any()


def shaders(n: int = 80) -> list[TokenizedShader]:
    """Time goes by the counts; every other shader was measured on `b` too, twice as slow."""
    found = []
    for number in range(n):
        tokens, counts = sequence(12 + number % 40, seed=number)
        time_s = 1e-6 + 1e-15 * float(counts.sum())
        times = {"a": time_s} | ({"b": 2 * time_s} if number % 2 else {})
        found.append(TokenizedShader(f"shader{number}", tokens, counts, times))
    return found


RECIPE = replace(RECIPES["tiny"], configuration=TOY, epochs=3, dropout=0.0)


def run(folder, recipe=RECIPE, **changes) -> Run:
    train, validation = (
        data(shaders(), split, ("a", "b"), TOY) for split in (Split.TRAIN, Split.VALIDATION)
    )
    return Run(folder, recipe, ("a", "b"), train, validation, **changes)


def weights_after(run: Run) -> dict[str, np.ndarray]:
    return {name: each.numpy().copy() for name, each in run.network.state_dict().items()}


class Interrupted(Exception):
    pass


def test_an_interrupted_run_ends_where_an_uninterrupted_one_does(tmp_path):
    recipe = replace(RECIPE, dropout=0.1)  # what is dropped must come back too
    whole = run(tmp_path / "whole", recipe, save_every_s=1e9)
    lines = list(whole.epochs())
    broken = run(tmp_path / "broken", recipe, save_every_s=0.0)
    step, calls = broken._step, iter(range(100))

    def interrupted(chosen):
        if next(calls) == 11:  # in the middle of the second epoch
            raise Interrupted
        return step(chosen)

    broken._step = interrupted
    with pytest.raises(Interrupted):
        list(broken.epochs())
    gone_on = run(tmp_path / "broken", recipe)
    assert (gone_on.progress.epoch, gone_on.progress.step) == divmod(11, gone_on.steps_per_epoch)
    rest = list(gone_on.epochs())
    for name, values in weights_after(whole).items():
        np.testing.assert_array_equal(values, weights_after(gone_on)[name])
    for ours, theirs in zip(lines[-len(rest) :], rest, strict=True):
        assert ours["validation"] == theirs["validation"]
        assert ours["training_loss"] == pytest.approx(theirs["training_loss"])
        assert ours["tokens"] == theirs["tokens"]
    assert len((tmp_path / "broken" / "log.jsonl").read_text().splitlines()) == 3


def test_training_learns_and_keeps_the_best(tmp_path):
    lines = list(run(tmp_path, replace(RECIPE, epochs=8)).epochs())
    assert lines[-1]["training_loss"] < 0.7 * lines[0]["training_loss"]
    best = min(lines, key=lambda line: line["score"])
    assert lines[-1]["best_epoch"] == best["epoch"]
    from safetensors import safe_open

    with safe_open(tmp_path / BEST, "np") as file:
        facts = json.loads(file.metadata()["run"])
        assert set(file.keys()) == set(shaderperformer.shapes(TOY, 2))
    assert facts["progress"]["best_epoch"] == best["epoch"]
    assert facts["training_shaders"]["a"] > facts["training_shaders"]["b"] > 0


def test_half_precision_products_train_about_the_same(tmp_path):
    """As on a GPU; weights and answers stay single."""
    single, mixed = (
        run(tmp_path / str(kind), precision=kind) for kind in (torch.float32, torch.bfloat16)
    )
    losses = [next(each.epochs())["training_loss"] for each in (single, mixed)]
    assert losses[0] == pytest.approx(losses[1], rel=0.1)
    assert losses[0] != losses[1]
    assert all(each.dtype is torch.float32 for each in mixed.network.state_dict().values())


def test_more_epochs_may_be_added_and_another_recipe_is_refused(tmp_path):
    list(run(tmp_path).epochs())
    assert list(run(tmp_path).epochs()) == []
    assert [line["epoch"] for line in run(tmp_path, replace(RECIPE, epochs=4)).epochs()] == [4]
    with pytest.raises(WrongUse, match="another recipe or other data"):
        run(tmp_path, replace(RECIPE, learning_rate=0.1))
    assert (tmp_path / STATE).exists()


def test_a_run_is_not_gone_on_with_on_other_times_of_the_same_shaders(tmp_path):
    begun = run(tmp_path)
    begun.save()
    later = replace(begun.train, log_s=begun.train.log_s + np.float32(0.01))
    with pytest.raises(WrongUse, match="another recipe or other data"):
        Run(tmp_path, RECIPE, begun.targets, later, begun.validation)
    assert run(tmp_path).progress == begun.progress


def test_micro_batches_give_the_gradient_of_the_whole_step(tmp_path):
    """But for what padding changes by the released code's design: positions, and whether position
    0 is padding, which it is for all of these either way."""
    found = []
    for size in (1, 4):
        trained = run(tmp_path / str(size), replace(RECIPE, micro_batch=size))
        with torch.no_grad():
            trained.network.positions[:] = 0
        lengths = np.array([len(tokens) for tokens, _ in trained.train.sequences])
        trained._step(np.flatnonzero(lengths % 8)[:8])
        found.append(
            torch.cat([
                each.grad.flatten()
                for name, each in trained.network.named_parameters()
                if name != "positions"
            ])
        )  # fmt: skip
    torch.testing.assert_close(found[0], found[1], atol=1e-6, rtol=1e-3)


def test_long_gradients_are_cut_to_the_length_told(tmp_path):
    norms = []
    for clip in (None, 0.25):
        trained = run(tmp_path / str(clip), replace(RECIPE, clip=clip))
        trained._step(np.arange(8))
        gradients = [each.grad.flatten() for each in trained.network.parameters()]
        norms.append(float(torch.cat(gradients).norm()))
    assert norms[0] > 0.5
    assert norms[1] == pytest.approx(0.25, rel=1e-3)


def test_the_rate_rises_to_its_height_and_falls_to_nothing(tmp_path):
    trained = run(tmp_path, replace(RECIPE, epochs=10))
    total = trained.steps_per_epoch * 10
    rates = [trained.learning_rate(step) for step in range(total + 1)]
    top = int(np.argmax(rates))
    assert rates[top] == pytest.approx(RECIPE.learning_rate)
    assert top == pytest.approx(0.1 * total, abs=1)
    assert (np.diff(rates[: top + 1]) > 0).all()
    assert (np.diff(rates[top:]) < 1e-12).all()
    assert rates[-1] == 0


def test_data_are_what_the_network_can_read():
    long = TokenizedShader("shader1", *sequence(65), {"a": 1.0})
    found = data([*shaders(), long], Split.TRAIN, ("a", "b"), TOY)
    assert len(found) == sum(each.split is Split.TRAIN for each in shaders())
    assert np.isnan(found.log_s[:, 1]).any()
    assert not np.isnan(found.log_s[:, 0]).any()
    assert len(data(shaders(), Split.TRAIN, ("c",), TOY)) == 0


def test_a_run_without_shaders_is_refused(tmp_path):
    empty = Data([], np.zeros((0, 1), np.float32))
    with pytest.raises(WrongUse, match="no shaders"):
        Run(tmp_path, RECIPE, ("a",), empty, empty)


def test_metrics_leave_out_what_was_not_measured():
    measured = np.log(np.array([[1.0, np.nan], [2.0, 4.0]]))
    predicted = np.log(np.array([[1.1, 9.0], [1.0, 4.0]]))
    found = metrics(measured, predicted, ("a", "b"))
    assert found["a"]["n"] == 2
    assert found["a"]["mape"] == pytest.approx((0.1 + 0.5) / 2)
    assert found["a"]["within20"] == 0.5
    assert found["b"] | {"spearman": None} == {
        "n": 1, "log_error": 0.0, "mape": 0.0, "median_ape": 0.0, "within20": 1.0, "spearman": None
    }  # fmt: skip


def test_token_data_come_back(tmp_path):
    token_data.write(tmp_path / "data", shaders())
    for ours, read in zip(
        sorted(shaders(), key=lambda each: each.id), token_data.read(tmp_path / "data"), strict=True
    ):
        assert (ours.id, dict(ours.times_s)) == (read.id, read.times_s)
        np.testing.assert_array_equal(ours.tokens, read.tokens)
        np.testing.assert_array_equal(ours.counts, read.counts)
    (tmp_path / "data").write_bytes(b"PAR1")
    with pytest.raises(InvalidDataset, match="data: "):
        token_data.read(tmp_path / "data")
