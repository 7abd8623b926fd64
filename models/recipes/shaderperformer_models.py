"""Make bundles of a trained ShaderPerFormer, and record what it predicts for the held-out splits.

    python -m models.recipes.shaderperformer_models --data FILE --run FOLDER
        [--out models]

FILE is of `models.recipes.token_data`, FOLDER a run of `models.recipes.train_shaderperformer`.  The
weights that did best on validation are stored in half precision (vectors in single) and judged as
stored, by the numpy inference the application uses; bands are calibrated on validation.  The test
split is predicted and not looked at.  A network of several targets gives one bundle for each: the
encoder and that target's row of the head.  A run shown no counts is the ablation: of it only
predictions are kept.  Needs no torch.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from safetensors import safe_open

from models.laboratory import cards, token_data
from models.laboratory.token_data import TokenizedShader
from models.recipes import shared
from shaderlab import units
from shaderlab.frontend import tools
from shaderlab.prediction.bundles import bundle
from shaderlab.prediction.bundles.card import UNWRITTEN, Card, MethodCard
from shaderlab.prediction.catalogue import targets
from shaderlab.prediction.forecast import Validation
from shaderlab.prediction.models import shaderperformer
from shaderlab.prediction.models.shaderperformer import Configuration, tensors_of, weights_of
from shaderlab.prediction.models.shaderperformer_model import ARCHITECTURE, FEATURES, METHOD
from shaderlab.stats import Estimate
from shaderlab.training import recorded_predictions, shader_data
from shaderlab.training.evaluation import evaluate
from shaderlab.training.methods import UNTRACED
from shaderlab.training.recorded_predictions import Record
from shaderlab.training.splits import Split

BEST = "best.safetensors"
"""As `models.laboratory.shaderperformer` calls it."""
PREFERENCE = -40
"""Below all that are used by default."""
REASON = "The paper's method trained by shaderlab, for comparison; it is no target's default."


@dataclass(frozen=True)
class Trained:
    """A run's best weights and its metadata."""

    tensors: Mapping[str, np.ndarray]
    facts: Mapping

    @property
    def configuration(self) -> Configuration:
        return Configuration(**self.facts["configuration"])

    @property
    def targets(self) -> tuple[str, ...]:
        return tuple(self.facts["targets"])

    def of(self, target: str) -> dict[str, np.ndarray]:
        """The weights of one target's network: its row of the head, and all below."""
        row = self.targets.index(target)
        return {
            name: values[row : row + 1] if name.startswith("head.out.") else values
            for name, values in self.tensors.items()
        }


def trained(run: Path) -> Trained:
    with safe_open(run / BEST, "np") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        return Trained(tensors, json.loads(file.metadata()["run"]))


def known_tokens(shaders: Sequence[TokenizedShader], found: Trained) -> np.ndarray:
    """Tokens of the shaders the network was trained on, ascending."""
    seen = [
        each.tokens
        for target in found.targets
        for each in readable(shaders, target, Split.TRAIN, found.configuration)
    ]
    return np.unique(np.concatenate(seen))


def predicted_s(
    weights: Mapping[str, np.ndarray],
    configuration: Configuration,
    shaders: Sequence[TokenizedShader],
) -> np.ndarray:
    """(n,) seconds, by the inference of the application."""
    return np.exp(
        [
            float(shaderperformer.log_seconds(weights, configuration, each.tokens, each.counts)[0])
            for each in shaders
        ]
    )


def readable(
    shaders: Sequence[TokenizedShader], target: str, split: Split, configuration: Configuration
) -> list[TokenizedShader]:
    return [
        each
        for each in shaders
        if each.split is split
        and target in each.times_s
        and shaderperformer.refusal(each.tokens, configuration) is None
    ]


def validation(measured_s: np.ndarray, predicted: np.ndarray, which: str) -> Validation:
    """Errors over validation shaders with the 95 % intervals of them all."""
    result = evaluate(measured_s, predicted)

    def shown(name: str, each: Estimate, form: Callable[[float], str]) -> str:
        return f"{name} {form(each.value)} ({form(each.low)} to {form(each.high)})"

    metrics = (
        shown("mean error", result.mape, units.percent),
        shown("median", result.median_ape, units.percent),
        shown("within 20 %", result.within20, units.percent),
        shown("rank correlation", result.spearman, "{:.3f}".format),
    )
    return replace(
        cards.validation(measured_s, predicted, which),
        source=f"shaderlab, on the validation split {which}, 95 % intervals: {', '.join(metrics)}.",
    )


def method_card(
    found: Trained,
    target: str,
    held_out: Sequence[TokenizedShader],
    uninitialised: Mapping[str, bool],
    predicted: np.ndarray,
    data_sha256: str,
) -> MethodCard:
    recipe = found.facts["recipe"]
    measured_s = np.array([each.times_s[target] for each in held_out])
    known = np.array([uninitialised.get(each.id) is not None for each in held_out])
    reads = np.array([bool(uninitialised.get(each.id)) for each in held_out])
    which = f"of the shaders up to {found.configuration.positions:,} tokens"

    def part(chosen: np.ndarray, what: str):
        if not chosen.any():
            return None
        return validation(measured_s[chosen], predicted[chosen], f"{which}, {what}")

    return MethodCard(
        name=METHOD,
        origin=shared.own_origin(f"token data, SHA-256 {data_sha256[:16]}"),
        loss=(
            f"Squared error of log time, Adam, rate up to {recipe['learning_rate']:g} after a "
            f"warm-up over {recipe['warm_up']:g} of the steps, falling linearly to 0; "
            f"{recipe['batch']} shaders a step, dropout {recipe['dropout']:g}, "
            f"seed {recipe['seed']}"
        ),
        training_samples=found.facts["training_shaders"][target],
        features=FEATURES,
        validation=validation(measured_s, predicted, which),
        initialised=part(known & ~reads, "that are known to have no uninitialised reads"),
        uninitialised=part(known & reads, "that are known to have uninitialised reads"),
        by_time=cards.by_time(measured_s, predicted),
        bands=cards.bands(measured_s[~reads], predicted[~reads]),
    )


def training_figures(found: Trained, data_sha256: str) -> dict[str, int | float | str]:
    facts, progress = found.facts, found.facts["progress"]
    return {
        "targets": ", ".join(found.targets),
        "parameters": sum(math.prod(each.shape) for each in found.tensors.values()),
        "seed": facts["recipe"]["seed"],
        "epochs_planned": facts["recipe"]["epochs"],
        "epoch_kept": progress["best_epoch"],
        "tokens_until_then": progress["tokens"],
        "processor_s_until_then": round(progress["cpu_s"], 1),
        "wall_s_until_then": round(progress["wall_s"], 1),
        "tokens_per_processor_s": round(progress["tokens"] / progress["cpu_s"], 1),
        "tokens_per_wall_s": round(progress["tokens"] / progress["wall_s"], 1),
        "device": facts["device"],
        "precision": facts["precision"],
        "threads": facts["threads"],
        "data_sha256": data_sha256,
        "commit": commit(),
    }


def commit() -> str:
    """Of the code that made the bundle, `-dirty` where it was changed since."""
    here = str(Path(__file__).resolve().parent)
    ran = tools.run(["git", "-C", here, "describe", "--always", "--dirty", "--exclude=*"])
    return ran.text.strip() if ran.returncode == 0 else "unknown"


def command(found: Trained) -> str:
    recipe = found.facts["recipe"]
    parts = [f"--recipe {found.facts['name']}"]
    parts += [f"--{name} {recipe[name]:g}" for name in ("epochs", "dropout", "seed")]
    parts += [f"--target {target}" for target in found.targets]
    if found.configuration.counts == "ones":
        parts.append("--without-trace")
    run = ("--data FILE", "--run FOLDER")
    return " && ".join(
        (
            shared.command("token_data", "CORPUS", "--out FILE"),
            shared.command("train_shaderperformer", *run, *parts),
            shared.command("shaderperformer_models", *run),
        )
    )


def main() -> None:
    parser = shared.parser(__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=shared.MODELS)
    options = parser.parse_args()

    found = trained(options.run)
    shaders = token_data.read(options.data)
    data_sha256 = hashlib.sha256(options.data.read_bytes()).hexdigest()
    known, _ = shader_data.read(shared.SAMPLES)
    uninitialised = {id: shader.reads_uninitialised for id, shader in known.items()}
    ablation = found.configuration.counts == "ones"
    known_words = known_tokens(shaders, found)
    records = []
    for target in found.targets:
        tensors = tensors_of(found.of(target), known_words)
        stored = weights_of(tensors, found.configuration)
        (installed,) = targets.catalogue().choose([target])
        floor_s = installed.card.target.floor_s or 0.0
        predicted = {}
        for split in (Split.VALIDATION, Split.TEST):
            chosen = readable(shaders, target, split, found.configuration)
            answers_s = predicted_s(stored, found.configuration, chosen)
            predicted[split] = np.maximum(answers_s, floor_s)  # as a forecast is
            records += [
                Record(each.id, target, float(time_s))
                for each, time_s in zip(chosen, predicted[split], strict=True)
                if each.id in known
            ]
        if ablation:
            continue
        held_out = readable(shaders, target, Split.VALIDATION, found.configuration)
        method = method_card(
            found, target, held_out, uninitialised, predicted[Split.VALIDATION], data_sha256
        )
        card = Card(
            architecture=ARCHITECTURE,
            target=installed.card.target,
            run=shared.RUN,
            methods=(method,),
            default_reason=REASON,
            largest_block_count=max(
                int(each.counts.max())
                for each in readable(shaders, target, Split.TRAIN, found.configuration)
            ),
            weights=UNWRITTEN,
            reproduce=command(found),
            preference=PREFERENCE,
            configuration=asdict(found.configuration),
            training=training_figures(found, data_sha256),
        )
        bundle.write(options.out / f"{target}-{ARCHITECTURE}", card, tensors)
        print(f"{target}: {method.validation.source}")
    name = METHOD + (UNTRACED if ablation else "")
    shown = "with every count shown as 1" if ablation else "on tokens and counts"
    recorded_predictions.write(
        options.out / shared.PREDICTIONS / f"{name}.parquet",
        records,
        made_by=command(found),
        about=f"ShaderPerFormer, recipe {found.facts['name']!r}, trained on the training split "
        f"{shown}; shaders of over {found.configuration.positions:,} tokens or without counts "
        "are left out.",
    )
    print(f"{name}: {len(records)} predictions")


if __name__ == "__main__":
    main()
