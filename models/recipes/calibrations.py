"""How far off a calibration is after so many shaders: each device in turn as the new one.

    python -m models.recipes.calibrations [--out models] [--target rtx3060]...

For each device with committed samples: from 0, 1, 5, 10 and 40 shaders drawn at random, starting
from the other devices only.  Four folds over the training and validation splits: shaders are judged
by fits, of the other devices too, that saw none of them; the test split is not looked at.  Programs
are as a driver's compiler leaves them (`Form.COMPILED`).  NVIDIA's GPUs have each other for a
relative, so both have figures of before the first sample.  Needs torch.  Every finished device is
written to `models/calibrations.json`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import torch

from models.laboratory import additive, report
from models.recipes import shared
from shaderlab.prediction.calibration.average_weights import average
from shaderlab.prediction.calibration.fit_table import TimedWork
from shaderlab.prediction.calibration.fitting import FEWEST, Relative, calibrate, fit
from shaderlab.prediction.catalogue.laws import hardware, read
from shaderlab.prediction.features.lane_work import Execution
from shaderlab.prediction.forms import Form
from shaderlab.prediction.models.additive import Weights, predict_s
from shaderlab.prediction.models.law import ratios
from shaderlab.products import products
from shaderlab.stats import spearman
from shaderlab.training import shader_data
from shaderlab.training.splits import Split, split_of

FILE = "calibrations.json"
FOLDS, DRAWS, MANY, JUDGED, STEPS = 4, 3, 10, 150, 700
"""Draws of shaders, also where a relative makes a fit short, and the most that are judged, of each
fold; steps of the fits to all."""
SIZES = (0, 1, 5, 10, 40)
_BOUND = "LOG.md#2026-11-28-what-kernels-wait-for-loops-that-nvidia-unrolls-and-which-forty-shaders"
RELATIVES = {"h200": "rtx3060", "rtx3060": "h200"}
FLOORS_S = {"h200": 113.13e-6, "rtx3060": 16.4e-6}
"""Empty passes: as measured with the samples, or as published with the times."""


@dataclass(frozen=True)
class Figures:
    """Means over draws and folds of the median error, the mean error, the share within 20 % and
    the rank correlation."""

    median_ape: float
    mape: float
    within20: float
    spearman: float

    @classmethod
    def of(cls, measured_s: np.ndarray, predicted_s: np.ndarray) -> Figures:
        errors = np.abs(predicted_s / measured_s - 1)
        rank = spearman(measured_s, predicted_s)
        return cls(
            float(np.median(errors)), float(errors.mean()), float((errors <= 0.2).mean()),
            float(rank),
        )  # fmt: skip

    @classmethod
    def mean(cls, each: Sequence[Figures]) -> Figures:
        rows = np.array([list(asdict(one).values()) for one in each])
        return cls(*np.round(rows.mean(0), 4).tolist())


class Bench:
    """The samples, and fits without a fold."""

    def __init__(self, data: Path):
        self.shaders, times = shader_data.read(data, shader_data.FORMS[Form.COMPILED])
        self.times = {slug: {each.id: each.full_s for each in of} for slug, of in times.items()}
        timed = shared.gpu_times("h200")
        self.times["h200"] = {id: s for id, s in timed.items() if id in self.shaders}
        self._laws = read(shared.MODELS)
        self.fitted = cache(self._fitted)
        self.taught = cache(self._taught)

    def ids(self, slug: str) -> list[str]:
        """Shaders that are drawn and judged."""
        return [
            id
            for id in sorted(self.times[slug])
            if split_of(id) is not Split.TEST and not self.shaders[id].reads_uninitialised
        ]

    def _fitted(self, slug: str, without: int) -> Weights:
        recipe = additive.recipe_of(slug, Form.COMPILED)
        return self._fit(slug, without, recipe)

    def _taught(self, slug: str, new: str, without: int) -> Weights:
        """As models ship: taught by all others but the new device."""
        others = sorted(self.times.keys() - {slug, new})
        teachers = [self._fit(each, without, additive.teaching(each)) for each in others]
        recipe = additive.recipe_of(slug, Form.COMPILED)
        return self._fit(slug, without, recipe, average(teachers))

    def _fit(
        self, slug: str, without: int, recipe: additive.Recipe, base: Weights | None = None
    ) -> Weights:
        ids = [
            id
            for id in sorted(self.times[slug])
            if split_of(id) is not Split.TEST and _fold(id) != without
        ]
        return additive.fit(
            [self.shaders[id].example for id in ids],
            np.array([self.times[slug][id] for id in ids]),
            replace(recipe, steps=STEPS),
            base,
        )

    def relative(self, slug: str) -> Relative | None:
        there = RELATIVES.get(slug)
        if there is None or self._laws is None:
            return None
        both = hardware(products()[there]), hardware(products()[slug])
        return Relative(there, ratios(*both, self._laws.integers))

    def judged(self, slug: str) -> dict[str, Figures]:
        """By number of shaders, "all" of them last; without a relative from `FEWEST` on."""
        relative, found = self.relative(slug), {str(n): [] for n in SIZES}
        found["all"] = []
        for fold in range(FOLDS):
            every = self.ids(slug)
            out = [id for id in every if _fold(id) == fold][:JUDGED]
            rest = [id for id in every if _fold(id) != fold]
            measured_s = np.array([self.times[slug][id] for id in out])
            examples = [self.shaders[id].example for id in out]
            generator = np.random.default_rng([len(slug), fold])
            draws = MANY if relative else DRAWS
            drawn = [generator.permutation(rest).tolist() for _ in range(draws)]
            for n in SIZES:
                for ids in drawn if n else drawn[:1]:
                    weights = self.calibrated(slug, fold, ids[:n], relative)
                    if weights is not None:
                        found[str(n)].append(Figures.of(measured_s, predict_s(weights, examples)))
            everything = predict_s(self.fitted(slug, fold), examples)
            found["all"].append(Figures.of(measured_s, everything))
        return {n: Figures.mean(each) for n, each in found.items() if each}

    def calibrated(
        self, slug: str, fold: int, ids: Sequence[str], relative: Relative | None
    ) -> Weights | None:
        floor_s = FLOORS_S.get(slug)
        work = [TimedWork(id, self.shaders[id].example, self.times[slug][id]) for id in ids]
        if len(ids) < FEWEST:
            if relative is None:
                return None
            start = relative.weights(self.taught(relative.base, slug, fold))
            if not ids:
                return replace(start, floor_s=floor_s or start.floor_s)
            return fit(start, work, floor_s, relative.freedom)
        if relative is not None:
            bases = {relative.base: self.taught(relative.base, slug, fold)}
        else:
            bases = {each: self.fitted(each, fold) for each in self.times if each != slug}
        predicates = self.fitted(slug, fold).execution is Execution.PREDICATING
        found = calibrate(bases, work, floor_s, predicates=predicates, relative=relative)
        return found.weights


def section(models: Path) -> str:
    """For the report, as Markdown; empty where nothing was made."""
    found = _kept(models / FILE)
    if not found:
        return ""
    head = ("device", "starts from", "shaders", "median APE", "MAPE", "within 20 %", "Spearman",
            "times all")  # fmt: skip
    body = [
        (
            slug,
            RELATIVES.get(slug, "others") if n != "all" else "",
            n,
            *(f"{row[figure]:.3f}" for figure in ("median_ape", "mape", "within20", "spearman")),
            f"{row['median_ape'] / rows['all']['median_ape']:.2f}",
        )
        for slug, rows in sorted(found.items())
        for n, row in rows.items()
    ]
    return (
        "## Calibrations of a device that is new\n\nEach device in turn as if only so many of its "
        f"shaders had been timed: means over {FOLDS} folds of the training and validation splits "
        f"and {DRAWS} draws of shaders in each ({MANY} where there is a relative), starting from "
        "the other devices, fitted without the fold too; *all*: a fit to all shaders of the other "
        "folds. Programs are compiled ones. NVIDIA's two have each other for a relative, so their "
        f"prices start from its data sheet (`{shared.command('calibrations')}`). The goal for 40 "
        "shaders is 1.3 times all samples' error. It is met where there is a relative; elsewhere "
        "no choice of the forty and no other freedom of the prices is better on all devices "
        f"([experiment]({_BOUND}))."
        "\n\n" + report.table(head, body)
    )


def _fold(shader: str) -> int:
    digest = hashlib.sha1(f"c{shader}".encode(), usedforsecurity=False)
    return int(digest.hexdigest(), 16) % FOLDS


def _kept(path: Path) -> dict[str, dict[str, Mapping[str, float]]]:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def main() -> None:
    parser = shared.parser(__doc__)
    parser.add_argument("--data", type=Path, default=shared.SAMPLES)
    parser.add_argument("--out", type=Path, default=shared.MODELS)
    parser.add_argument("--target", action="append", help="devices; all by default")
    options = parser.parse_args()
    torch.set_num_threads(1)  # the matrices are small
    path, bench = options.out / FILE, Bench(options.data)
    for slug in options.target or sorted(bench.times):
        rows = bench.judged(slug)
        for n, row in rows.items():
            print(f"{slug} {n}: {row}", flush=True)
        known = _kept(path) | {slug: {n: asdict(row) for n, row in rows.items()}}
        path.write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
