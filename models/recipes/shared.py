"""What recipes have in common: where things lie, what cards say alike, which shaders are whose."""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

import numpy as np

from models.laboratory.engine import Engine, Here
from shaderlab.errors import ShaderlabError
from shaderlab.prediction.bundles.card import CanonicalRun, Origin
from shaderlab.prediction.models.model import CountedShader
from shaderlab.samples import exchange
from shaderlab.training import shader_data
from shaderlab.training.methods import Cohort
from shaderlab.training.shader_data import TimedShader
from shaderlab.training.splits import Split, split_of

MODELS = Path("models")
DATA_SETS = MODELS / "datasets"
SAMPLES = DATA_SETS / "model-samples"
"""The committed data set that models are fitted to and judged on."""
TEXTURE_SETS = DATA_SETS / "textures"
"""Campaigns over shaders that read textures."""
TEXTURES = SAMPLES / "textures"
"""Those shaders and their times, as `SAMPLES` has the others."""
LEFT_OUT = DATA_SETS / "leave-out" / "predictions.parquet"
"""What models say of shaders they were fitted without (`training.leave_out`)."""
CHANGES = DATA_SETS / "changes"
"""Edits that were timed, and which published shaders share most of their lines."""
PREDICTIONS = Path("datasets") / "predictions"
"""In the folder of the models: what methods without a bundle predict."""
SOFTWARE = ("llvmpipe", "swiftshader")
"""Targets that are a processor, without published times."""

GPUS = {"h200": DATA_SETS / "gpus" / "h200-1024x768.parquet"}
"""Samples of GPUs that are no target unless one asks, and that teach no other."""

INTEGERS = 0.265
"""Of the arithmetic of shaders: 36 integer instructions for every 100 of floating-point numbers, as
NVIDIA saw them in games (Turing architecture white paper, 2018, "Turing SM")."""

RUN = CanonicalRun(size=shader_data.SIZE, time_s=1.0, frame=1, trials=10, draws=30)
"""The run that the committed samples are of."""


def parser(description: str | None) -> argparse.ArgumentParser:
    """For a recipe's options, headed by the first sentence of its documentation."""
    text = " ".join((description or "").split("\n\n", 1)[0].split())
    return argparse.ArgumentParser(description=text)


def offer_cluster(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--ray",
        metavar="ADDRESS",
        help="run the fits on a Ray cluster: HOST:PORT, auto, or local for one of this machine",
    )


@contextmanager
def engine(
    parser: argparse.ArgumentParser, options: argparse.Namespace, *, gpus: bool = False
) -> Iterator[Engine]:
    """Where the options have the fits run.  A failure ends the program with its reason."""
    workers, storage = getattr(options, "workers", 1), getattr(options, "storage", "")
    try:
        with _opened(options.ray, workers, storage, gpus=gpus) as found:
            if found.dashboard:
                print(f"Ray's dashboard: {found.dashboard}", file=sys.stderr)
            yield found
    except ShaderlabError as error:
        parser.exit(error.exit_code, f"{parser.prog}: {error}. {error.remedy}".rstrip(" .") + ".\n")


def command(recipe: str, *options: str) -> str:
    """How a card says that it was made."""

    return " ".join([f"python -m models.recipes.{recipe}", *options])


def gpu_times(slug: str) -> dict[str, float]:
    """Seconds by id, of shaders of `GPUS` that read no textures: the median of their samples."""
    found: dict[str, list[float]] = {}
    for sample in exchange.accepted(GPUS[slug]):
        if sample.program.id and not sample.textures:
            found.setdefault(sample.program.id, []).append(sample.timing.time_s)
    return {id: float(np.median(each)) for id, each in found.items()}


def cohort(
    slug: str,
    shaders: Mapping[str, CountedShader],
    times: Mapping[str, Sequence[TimedShader]],
    *splits: Split,
) -> Cohort:
    """The target's timed shaders of the splits."""
    timed = tuple(each for each in times[slug] if split_of(each.id) in splits)
    return Cohort(slug, tuple(shaders[each.id] for each in timed), timed)


def origin(data: Path, *files: str) -> Origin:
    """Of a fit to files of the committed samples, named by what they hold."""
    digest = hashlib.sha256(b"".join((data / each).read_bytes() for each in files)).hexdigest()
    named = (" and " if len(files) < 3 else ", ").join(files)
    return own_origin(f"{named}, SHA-256 {digest[:16]}")


def own_origin(revision: str) -> Origin:
    """Of a fit made by shaderlab."""
    return Origin("shaderlab", revision, notebook=None, cell=None, dataset="model-samples")


def _opened(
    ray: str | None, workers: int = 1, storage: str = "", *, gpus: bool = False
) -> AbstractContextManager[Engine]:
    """This process without the address of a Ray cluster, else `models.laboratory.ray_engine.OnRay`.

    Raises MissingTool without Ray, WrongUse where no cluster answers.
    """
    if ray is None:
        return nullcontext(Here())
    from models.laboratory.ray_engine import OnRay

    return OnRay(ray, workers, storage, gpus=gpus)
