"""Training ShaderPerFormer (paper §6.2): recipes, and runs that survive being interrupted.

A run lives in a folder: `state.pt`, where it stands; `best.safetensors`, the weights that did best
on validation; `log.jsonl`, a line per epoch.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from safetensors.torch import save_file

from models.laboratory.peers import Peers
from models.laboratory.shaderperformer_network import Batch, ShaderPerFormer, collate
from models.laboratory.token_data import TokenizedShader
from shaderlab.errors import WrongUse
from shaderlab.prediction.models import shaderperformer
from shaderlab.prediction.models.shaderperformer import PAPER, TINY, Configuration
from shaderlab.stats import spearman
from shaderlab.training.evaluation import relative_errors
from shaderlab.training.splits import Split

STATE, BEST, LOG = "state.pt", "best.safetensors", "log.jsonl"
_FOREVER = float("inf")


@dataclass(frozen=True)
class Recipe:
    """How one network is trained; the defaults are the released code's."""

    configuration: Configuration = PAPER
    epochs: int = 50
    batch: int = 40
    """Shaders per step."""
    micro_batch: int = 2
    """Of which so many are computed at once."""
    learning_rate: float = 3e-5
    """Highest, reached after the warm-up; then falls linearly to 0 (Adam, no weight decay)."""
    warm_up: float = 0.1
    """Part of all steps over which the rate rises."""
    clip: float | None = 1.0
    """Longest gradient of a step, the default of the released code's trainer."""
    dropout: float = 0.1
    attention_dropout: float = 0.1
    start_at_mean: bool = False
    """Whether the answer starts at each target's mean log time instead of 0."""
    select: Literal["mape", "log_error"] = "mape"
    """What must be least on validation for the weights to be kept; the mean over targets."""
    seed: int = 0


RECIPES = {
    "paper": Recipe(),
    "tiny": Recipe(
        configuration=TINY,
        epochs=7,
        batch=8,
        micro_batch=1,
        learning_rate=1e-3,
        clip=None,
        attention_dropout=0.0,
        start_at_mean=True,
        select="log_error",
    ),
}
"""The tiny one sees few shaders few times, so it starts nearer and learns faster; attention drops
nothing out, which processors compute much faster; and the choice of its weights is not left to the
few worst shaders that make the mean error."""


@dataclass(frozen=True)
class Data:
    """Sequences with the logarithms of their times."""

    sequences: Sequence[tuple[np.ndarray, np.ndarray]]
    """Tokens and shown counts."""
    log_s: np.ndarray
    """(shaders, targets) float32; nan where a shader was not measured."""

    def __len__(self) -> int:
        return len(self.sequences)

    @cached_property
    def digest(self) -> str:
        """SHA-256, hex, of all of it."""
        found = hashlib.sha256(np.ascontiguousarray(self.log_s).tobytes())
        for tokens, counts in self.sequences:
            found.update(np.ascontiguousarray(tokens).tobytes())
            found.update(np.ascontiguousarray(counts).tobytes())
        return found.hexdigest()


def data(
    shaders: Sequence[TokenizedShader],
    split: Split,
    targets: Sequence[str],
    configuration: Configuration,
) -> Data:
    """Shaders of one split that the network can read and that some target measured."""
    chosen = [
        each
        for each in shaders
        if each.split is split
        and any(target in each.times_s for target in targets)
        and shaderperformer.refusal(each.tokens, configuration) is None
    ]
    times_s = [[each.times_s.get(target, np.nan) for target in targets] for each in chosen]
    return Data(
        [
            (each.tokens, shaderperformer.shown_counts(each.counts, configuration.counts))
            for each in chosen
        ],
        np.log(np.array(times_s, np.float32).reshape(len(chosen), len(targets))),
    )


@dataclass
class Progress:
    """Where a run stands."""

    epoch: int = 0
    """Epochs finished."""
    step: int = 0
    """Steps done of the next."""
    tokens: int = 0
    """Trained on so far, padding left out."""
    wall_s: float = 0.0
    cpu_s: float = 0.0
    """Time spent training on them; of several workers, the first one's."""
    loss: float = 0.0
    """Sum over the steps of the epoch so far."""
    best: float = _FOREVER
    best_epoch: int = 0


@dataclass
class Run:
    """One run: the same data, recipe and seed on one machine give the same weights."""

    folder: Path
    recipe: Recipe
    targets: tuple[str, ...]
    train: Data
    validation: Data
    device: str = "cpu"
    precision: torch.dtype = torch.float32
    """What matrices are multiplied in; weights and optimiser stay float32."""
    save_every_s: float = 120.0
    name: str = ""
    """Of the recipe, in the weights' metadata."""
    peers: Peers = field(default_factory=Peers)
    """The workers that train the same network, of which this is one."""
    progress: Progress = field(default_factory=Progress)

    def __post_init__(self) -> None:
        recipe = self.recipe
        if not len(self.train) or not len(self.validation):
            raise WrongUse("no shaders to train on, or none to validate with")
        torch.manual_seed(recipe.seed)
        self.network = ShaderPerFormer(
            recipe.configuration, len(self.targets), recipe.dropout, recipe.attention_dropout
        )
        if recipe.start_at_mean:
            with torch.no_grad():
                mean = torch.from_numpy(np.nanmean(self.train.log_s, axis=0))
                self.network.head.out.bias.copy_(mean)
        self.network.to(self.device)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=recipe.learning_rate)
        self.folder.mkdir(parents=True, exist_ok=True)
        if (self.folder / STATE).exists():
            self._load()

    @property
    def steps_per_epoch(self) -> int:
        return -(-len(self.train) // self.recipe.batch)

    def learning_rate(self, step: int) -> float:
        """Of step number `step` from 0 over all epochs."""
        total = self.steps_per_epoch * self.recipe.epochs
        warm = max(int(total * self.recipe.warm_up), 1)
        rising, falling = (step + 1) / warm, (total - step) / max(total - warm, 1)
        return self.recipe.learning_rate * max(min(rising, falling, 1.0), 0.0)

    def epochs(self) -> Iterator[dict]:
        """Train to the end; yields each epoch's line of the log."""
        while self.progress.epoch < self.recipe.epochs:
            self._epoch()
            line = self._judge()
            if self.peers.leads:
                with (self.folder / LOG).open("a", encoding="utf-8") as log:
                    log.write(json.dumps(line) + "\n")
            self.save()
            yield line

    def _epoch(self) -> None:
        progress, recipe = self.progress, self.recipe
        self.network.train()
        self.peers.seed(recipe.seed, progress.epoch)
        # A generator of the epoch's own, so that a run gone on with sees the same order.
        order = np.random.default_rng((recipe.seed, progress.epoch)).permutation(len(self.train))
        saved_s = time.monotonic()
        while progress.step < self.steps_per_epoch:
            chosen = order[progress.step * recipe.batch :][: recipe.batch]
            started = time.monotonic(), time.process_time()
            progress.loss += self._step(chosen)
            progress.step += 1
            progress.tokens += sum(len(self.train.sequences[i][0]) for i in chosen)
            progress.wall_s += time.monotonic() - started[0]
            progress.cpu_s += time.process_time() - started[1]
            if time.monotonic() - saved_s > self.save_every_s:
                self.save()
                saved_s = time.monotonic()

    def _step(self, chosen: np.ndarray) -> float:
        """One step of the optimiser on these shaders, of which each worker computes some; the mean
        squared error of log time."""
        progress, recipe = self.progress, self.recipe
        rate = self.learning_rate(progress.epoch * self.steps_per_epoch + progress.step)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        labels = int(np.isfinite(self.train.log_s[chosen]).sum())
        self.optimizer.zero_grad()
        total = torch.zeros((), device=self.device)
        # By length, so that little of a micro-batch is padding; the step's gradient is the same.
        ordered = sorted(chosen.tolist(), key=lambda i: len(self.train.sequences[i][0]))
        mine = self.peers.share(ordered)
        for start in range(0, len(mine), recipe.micro_batch):
            part = mine[start : start + recipe.micro_batch]
            log_s = torch.from_numpy(self.train.log_s[part]).to(self.device)
            error = torch.nan_to_num(self._predict(self.train, part) - log_s)
            loss = error.square().sum() / labels
            loss.backward()
            total += loss.detach()
        self.peers.add(chain([total], self._gradients()))
        if recipe.clip is not None:
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), recipe.clip)
        self.optimizer.step()
        return float(total)

    def _gradients(self) -> Iterator[torch.Tensor]:
        """Of every parameter; zeros where this worker's share of the step had none."""
        for each in self.network.parameters():
            if each.grad is None:
                each.grad = torch.zeros_like(each)
            yield each.grad

    def _predict(self, data: Data, part: Sequence[int]) -> torch.Tensor:
        batch: Batch = collate([data.sequences[i] for i in part]).to(self.device)
        mixed = self.precision is not torch.float32
        with torch.autocast(self.device, self.precision) if mixed else nullcontext():
            return self.network(batch).float()

    def _judge(self) -> dict:
        """Judge an epoch on validation, keep the weights if they are the best; its log line."""
        progress, recipe = self.progress, self.recipe
        self.network.eval()
        found = torch.zeros(self.validation.log_s.shape, device=self.device)
        order = np.argsort([len(tokens) for tokens, _ in self.validation.sequences]).tolist()
        mine = self.peers.share(order)
        with torch.inference_mode():
            for start in range(0, len(mine), recipe.micro_batch):
                part = mine[start : start + recipe.micro_batch]
                found[part] = self._predict(self.validation, part)
        self.peers.add([found])
        by_target = metrics(self.validation.log_s, found.cpu().numpy(), self.targets)
        score = float(np.mean([each[recipe.select] for each in by_target.values()]))
        loss = progress.loss / self.steps_per_epoch
        progress.epoch, progress.step, progress.loss = progress.epoch + 1, 0, 0.0
        if score < progress.best:
            progress.best, progress.best_epoch = score, progress.epoch
            if self.peers.leads:
                self._keep()
        return {
            "epoch": progress.epoch,
            "training_loss": loss,
            "validation": by_target,
            "score": score,
            "best_epoch": progress.best_epoch,
            "tokens": progress.tokens,
            "wall_s": progress.wall_s,
            "cpu_s": progress.cpu_s,
        }

    def _keep(self) -> None:
        unfinished = self.folder / (BEST + ".part")
        facts = {
            "name": self.name,
            "configuration": asdict(self.recipe.configuration),
            "recipe": {k: v for k, v in asdict(self.recipe).items() if k != "configuration"},
            "targets": self.targets,
            "training_shaders": {
                target: int(np.isfinite(self.train.log_s[:, column]).sum())
                for column, target in enumerate(self.targets)
            },
            "progress": asdict(self.progress),
            "device": self.device,
            "precision": str(self.precision).removeprefix("torch."),
            "threads": torch.get_num_threads(),
            "workers": self.peers.count,
        }
        tensors = {k: v.detach().cpu().contiguous() for k, v in self.network.state_dict().items()}
        save_file(tensors, unfinished, metadata={"run": json.dumps(facts)})
        unfinished.replace(self.folder / BEST)

    def save(self) -> None:
        """Write where the run stands, so that one started over goes on from there."""
        if not self.peers.leads:
            return
        unfinished = self.folder / (STATE + ".part")
        state = {
            "recipe": self._identity(),
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "random": torch.get_rng_state(),
            "progress": asdict(self.progress),
        }
        torch.save(state, unfinished)
        unfinished.replace(self.folder / STATE)

    def _load(self) -> None:
        state = torch.load(self.folder / STATE, map_location=self.device, weights_only=True)
        if state["recipe"] != self._identity():
            raise WrongUse(f"{self.folder}: a run of another recipe or other data is there")
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        torch.set_rng_state(state["random"].cpu())
        self.progress = Progress(**state["progress"])

    def _identity(self) -> str:
        """What must be the same for a run to be gone on with; more epochs may be added."""
        recipe = {
            k: v for k, v in asdict(self.recipe).items() if k not in ("epochs", "micro_batch")
        }
        digests = [self.train.digest, self.validation.digest]
        return json.dumps([recipe, self.targets, *digests])


def metrics(
    measured: np.ndarray, predicted: np.ndarray, targets: Sequence[str]
) -> dict[str, dict[str, float]]:
    """By target, of logarithms of seconds (shaders, targets); nan where not measured."""
    found = {}
    for column, target in enumerate(targets):
        there = np.isfinite(measured[:, column])
        log_s, answer = (each[there, column].astype(np.float64) for each in (measured, predicted))
        errors = relative_errors(np.exp(log_s), np.exp(answer))
        found[target] = {
            "n": int(there.sum()),
            "log_error": float(np.abs(answer - log_s).mean()),
            "mape": float(errors.mean()),
            "median_ape": float(np.median(errors)),
            "within20": float((errors <= 0.2).mean()),
            "spearman": spearman(log_s, answer),
        }
    return found
