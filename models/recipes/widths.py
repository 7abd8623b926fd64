"""Find how wide bands have to be for shaders unlike the training data.  Needs scipy.

    python -m models.recipes.widths [--data models/datasets/model-samples]
        [--left-out models/datasets/leave-out/predictions.parquet] [--out models] [--check]

From what models say of shaders that they were fitted without (the recipe `leave_out`), and of the
validation split: two quantile regressions for each target and method (`prediction.catalogue.widths`
says of what), every group of shaders weighing the same.  Shaders with undefined values are left
out: what they do differs between GPUs.  So are groups of more than a quarter of a target's shaders:
without those nothing is left that they could be unlike.  Prints how often the bands then hold in
every group; `--check` judges the stored widths and writes none.  The test split is not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np

from models.laboratory import report as report_tables
from models.laboratory.quantile_regression import quantile_regression
from models.recipes import leave_out as recipe
from models.recipes import shared
from shaderlab import units
from shaderlab.prediction.bundles.card import MethodCard
from shaderlab.prediction.catalogue import domain, widths
from shaderlab.prediction.catalogue.domain import Domain, Features, Novelty
from shaderlab.prediction.catalogue.targets import Target, catalogue
from shaderlab.prediction.catalogue.widths import ModelWidths, Widths
from shaderlab.prediction.forecast import Validation
from shaderlab.prediction.forms import FORMS, Form
from shaderlab.prediction.models.additive_model import believed_s
from shaderlab.prediction.models.bands import LEVEL, range_of
from shaderlab.training import leave_out, shader_data
from shaderlab.training.evaluation import evaluate
from shaderlab.training.leave_out import Fold, LeftOut
from shaderlab.training.methods import Cohort, features, methods_of
from shaderlab.training.splits import Split, split_of

LARGEST = 0.25
"""Share of a target's shaders above which a group is not left out."""
POPULATION = "population"
"""Criterion of the validation split, which nothing was left out for."""
PREVALENCE = 4
"""Groups that the population counts for: most shaders are like those the models were fitted to."""
MIDDLE = 0.4
"""Of the distance from which on a shader is outside: nearer ones are in the middle."""
HELD = (0.75, 0.88)
"""Between these the share of a group that its bands hold should lie."""


@dataclass(frozen=True)
class Case:
    """One shader as one model saw it that was fitted without shaders like it."""

    criterion: str
    group: str
    id: str
    measured_s: float
    predicted_s: float
    novelty: Novelty
    features: Features


@dataclass(frozen=True)
class Cases:
    """All of one method on one target."""

    target: Target
    method: MethodCard
    cases: tuple[Case, ...]

    @property
    def ratios(self) -> np.ndarray:
        """(n,) logarithms of measured over predicted time."""
        return np.log([each.measured_s / each.predicted_s for each in self.cases])

    @property
    def parts(self) -> tuple[np.ndarray, np.ndarray]:
        """(n,) logarithmic lengths of the model's own bands below and above, both positive."""
        own = [range_of(each.predicted_s, self.method.bands) for each in self.cases]
        return -np.log([each.low for each in own]), np.log([each.high for each in own])

    @property
    def groups(self) -> list[str]:
        """(n,) `rare operation: Tan`"""
        return [f"{each.criterion}: {each.group}" for each in self.cases]

    @property
    def outside(self) -> np.ndarray:
        return np.array([bool(each.novelty.outside) for each in self.cases])

    def table(self, sizes: Sequence[float], operations: Sequence[str]) -> np.ndarray:
        """(n, columns)"""
        return np.array(
            [widths.columns(each.novelty, each.features, sizes, operations) for each in self.cases]
        )


class Population:
    """The shaders of all targets that are not in the test split, and what is like what."""

    def __init__(self, data: Path):
        self.data = data
        self.shaders, self.times = shader_data.read(data)
        self.known = {i: each for i, each in self.shaders.items() if split_of(i) is not Split.TEST}
        self.features = {i: features(each) for i, each in self.known.items()}
        gpus = {k: v for k, v in self.times.items() if k not in shared.SOFTWARE}
        self._on_gpus = sorted(shader_data.timed_everywhere(gpus) & self.known.keys())
        self.measured_s = {
            slug: {each.id: each.full_s for each in timed} for slug, timed in self.times.items()
        }
        sizes = sorted(each.context[widths.SIZE] for each in self.features.values())
        tenths = np.arange(1, leave_out.DECILES) / leave_out.DECILES
        self.sizes = tuple(np.quantile(sizes, tenths).round(4).tolist())
        self._novelty: dict[frozenset[str], dict[str, Novelty]] = {}
        self.folds: dict[str, list[Fold]] = recipe.folds_of(self.shaders, self.times)

    def novelty(self, gone: frozenset[str]) -> Mapping[str, Novelty]:
        """How far each of the shaders is from those that are left."""
        if gone not in self._novelty:
            left = [self.features[i] for i in self._on_gpus if i not in gone]
            found: Domain = domain.fit(left)
            self._novelty[gone] = {i: found.novelty(self.features[i]) for i in sorted(gone)}
        return self._novelty[gone]


def cases_of(
    population: Population, rows: Sequence[LeftOut], target: Target, method: MethodCard
) -> Cases:
    """`rows`: all of the target."""
    slug = target.card.target.slug
    folds = population.folds[slug]
    mine = {(r.fold, r.id): r for r in rows if r.method == method.name}
    beside = _beside(rows, method.name)
    measured_s = population.measured_s[slug]
    clean = {i for i in measured_s if i in population.known}
    clean -= {i for i, each in population.known.items() if each.undefined_on(slug)}
    found = []
    for (number, i), row in mine.items():
        fold = folds[number]
        if i not in clean or _too_large(fold, row.group, clean):
            continue
        predicted_s = float(believed_s(row.predicted_s, beside.get((number, i), np.nan)))
        near = population.novelty(frozenset(fold.group_of))[i]
        found.append(
            Case(
                row.criterion, row.group, i, measured_s[i], predicted_s, near,
                population.features[i],
            )
        )  # fmt: skip
    return Cases(target, method, (*found, *_validation_cases(population, slug, method)))


def _beside(rows: Sequence[LeftOut], name: str) -> dict[tuple[int, str], float]:
    """What the model of optimised programs says beside that of compiled ones."""
    if FORMS[name] is not Form.COMPILED:
        return {}
    return {(r.fold, r.id): r.predicted_s for r in rows if FORMS[r.method] is Form.OPTIMIZED}


def _too_large(fold: Fold, group: str, shaders: set[str]) -> bool:
    size = sum(fold.group_of[i] == group for i in fold.group_of.keys() & shaders)
    return size > LARGEST * len(shaders)


def _validation_cases(population: Population, slug: str, method: MethodCard) -> Iterator[Case]:
    """The shipped model on the validation split, which is like what it was fitted to."""
    timed = tuple(e for e in population.times[slug] if split_of(e.id) is Split.VALIDATION)
    cohort = Cohort(slug, tuple(population.shaders[each.id] for each in timed), timed)
    predicted = methods_of(cohort)[method.name](cohort)
    assert predicted is not None
    ids = frozenset(i for i in population.known if split_of(i) is Split.VALIDATION)
    near = population.novelty(ids)
    for each, shader, time_s in zip(timed, cohort.shaders, predicted.time_s.tolist(), strict=True):
        if np.isfinite(time_s) and not shader.undefined_on(slug):
            features = population.features[each.id]
            yield Case(POPULATION, "all", each.id, each.full_s, time_s, near[each.id], features)


def fitted(found: Cases, sizes: Sequence[float], operations: Sequence[str]) -> ModelWidths:
    table, ratios = found.table(sizes, operations), found.ratios
    below_s, above_s = found.parts
    counts = {name: n for name, n in zip(*np.unique(found.groups, return_counts=True), strict=True)}
    weights = np.array(
        [
            (PREVALENCE if each.criterion == POPULATION else 1) / max(counts[name], leave_out.LEAST)
            for each, name in zip(found.cases, found.groups, strict=True)
        ]
    )
    weights *= len(weights) / weights.sum()
    level = (1 + LEVEL) / 2
    return ModelWidths(
        quantile_regression(table, -ratios / below_s, level, weights),
        quantile_regression(table, ratios / above_s, level, weights),
        _outside(found),
    )


def _outside(found: Cases) -> Validation:
    chosen = [each for each in found.cases if each.novelty.outside]
    result = evaluate(
        np.array([each.measured_s for each in chosen]),
        np.array([each.predicted_s for each in chosen]),
    )
    shaders = len({each.id for each in chosen})
    return Validation(
        mape=round(result.mape.value, 4),
        spearman=round(result.spearman.value, 4),
        n=shaders,
        source=(
            f"shaderlab, on {shaders} shaders that lay outside what the model was fitted to, "
            "because shaders like them were left out: median error "
            f"{units.percent(result.median_ape.value)}, mean "
            f"{units.percent(result.mape.value)}."
        ),
        median_ape=round(result.median_ape.value, 4),
        within20=round(result.within20.value, 4),
    )


@dataclass(frozen=True)
class Judged:
    """How wide bands hold the cases they are for."""

    held: np.ndarray
    """(n,) whether the band holds the measured time."""
    own: np.ndarray
    """(n,) whether the model's own band does."""
    longer: np.ndarray
    """(n,) how many times as long the band is, of logarithms."""


def judge(found: Cases, wide: Widths) -> Judged:
    slug, name = found.target.card.target.slug, found.method.name
    floor_s = found.target.card.target.floor_s or 0.0
    times_s = np.array([each.predicted_s for each in found.cases])
    measured_s = np.array([each.measured_s for each in found.cases])
    below_s, above_s = found.parts
    factors = np.array(
        [wide.factors(slug, name, each.novelty, each.features) for each in found.cases]
    )

    def holds(below: np.ndarray, above: np.ndarray) -> np.ndarray:
        low_s = np.minimum(np.maximum(times_s * np.exp(-below), floor_s), times_s)
        return (low_s <= measured_s) & (measured_s <= times_s * np.exp(above))

    below, above = below_s * factors[:, 0], above_s * factors[:, 1]
    return Judged(
        holds(below, above), holds(below_s, above_s), (below + above) / (below_s + above_s)
    )


def report(found: Cases, wide: Widths) -> tuple[str, int, int]:
    """A line for each group; how many groups there are, and how many lie within `HELD`."""
    judged = judge(found, wide)
    names = np.array(found.groups)
    near = np.array([each.novelty.distance < MIDDLE for each in found.cases]) & ~found.outside
    lines = [
        f"{found.target.card.target.slug}, {found.method.name}: {len(names)} cases; outside held "
        f"{judged.held[found.outside].mean():.3f} (own bands "
        f"{judged.own[found.outside].mean():.3f}); length in the middle "
        f"x {np.median(judged.longer[near]):.2f}, outside "
        f"x {np.median(judged.longer[found.outside]):.2f}"
    ]
    good = groups = 0
    for name in np.unique(names).tolist():
        mine = names == name
        if mine.sum() < leave_out.LEAST:
            continue
        share = judged.held[mine].mean()
        right = HELD[0] <= share <= HELD[1]
        groups, good = groups + 1, good + right
        lines.append(
            f"  {name:34} n {mine.sum():4}  own {judged.own[mine].mean():.2f}  "
            f"held {share:.2f}{'' if right else ' *'}"
        )
    return "\n".join(lines), groups, good


def section(data: Path, left_out: Path, models: Path) -> str:
    """For the report: how often the stored widths hold what was left out, as Markdown."""
    wide = widths.read(models)
    assert wide is not None, "make the widths first"
    body = []
    for found in _every(Population(data), leave_out.read(left_out), models):
        judged, names = judge(found, wide), np.array(found.groups)
        outside = found.outside
        near = ~outside & np.array([each.novelty.distance < MIDDLE for each in found.cases])
        counted = [n for n in np.unique(names).tolist() if (names == n).sum() >= leave_out.LEAST]
        shares = [judged.held[names == name].mean() for name in counted]
        within = sum(HELD[0] <= each <= HELD[1] for each in shares)
        body.append(
            (
                found.target.card.target.slug,
                found.method.name,
                str(len(names)),
                f"{judged.own[outside].mean():.2f}",
                f"{judged.held[outside].mean():.2f}",
                f"{within} of {len(shares)}",
                f"{min(shares):.2f}-{max(shares):.2f}",
                f"{np.median(judged.longer[near]):.2f}",
                f"{np.median(judged.longer[outside]):.2f}",
            )
        )
    head = (
        "target", "method", "cases", "outside, own bands", "outside", "groups 75-88 %", "range",
        "length in the middle", "outside",
    )  # fmt: skip
    return (
        "## Bands for shaders unlike the training data\n\nShaders that models were fitted "
        "without: whole clusters, all with a rare operation, deciles of size, decades of time "
        "(`leave_out`). Share of measured times inside the band, of those outside what was left "
        "by the models' own bands and as long as they are shown (`widths`); in how many groups "
        f"of {leave_out.LEAST} shaders or more that share is 75 to 88 %, and between what; and "
        "the median length compared with the models' own, of logarithms.\n\n"
        + report_tables.table(head, body)
    )


def _every(population: Population, rows: Sequence[LeftOut], models: Path) -> Iterator[Cases]:
    ordered = sorted(rows, key=lambda each: each.target)
    for slug, mine in groupby(ordered, key=lambda each: each.target):
        of_target = list(mine)
        (target,) = catalogue(models).choose([slug])
        for name in dict.fromkeys(each.method for each in of_target):
            model = target.model(name)
            assert model is not None
            (method,) = model.methods
            yield cases_of(population, of_target, target, method)


def main() -> None:
    parser = shared.parser(__doc__)
    parser.add_argument("--data", type=Path, default=shared.SAMPLES)
    parser.add_argument("--left-out", type=Path, default=shared.LEFT_OUT)
    parser.add_argument("--out", type=Path, default=shared.MODELS)
    parser.add_argument("--check", action="store_true", help="judge the stored ones, write none")
    options = parser.parse_args()
    population = Population(options.data)
    rows = leave_out.read(options.left_out)
    every = list(_every(population, rows, options.out))
    wide = widths.read(options.out) if options.check else _fit_all(every, population.sizes)
    assert wide is not None
    texts, groups, good = zip(*(report(each, wide) for each in every), strict=True)
    print("\n".join(texts))
    print(f"{sum(good)} of {sum(groups)} groups held {HELD[0]:.0%} to {HELD[1]:.0%} of the time")
    if not options.check:
        origin = f"{options.left_out.name}: {len(rows)} forecasts of shaders left out"
        text = wide.to_json(origin, shared.command("widths"))
        (options.out / widths.FILE).write_text(text, encoding="utf-8")


def _fit_all(every: Sequence[Cases], sizes: Sequence[float]) -> Widths:
    names = sorted(
        {
            name.partition(": ")[2]
            for each in every
            for name, n in zip(*np.unique(each.groups, return_counts=True), strict=True)
            if name.startswith(leave_out.OPERATION) and n >= leave_out.LEAST
        }
    )
    found = {}
    for each in every:
        key = each.target.card.target.slug, each.method.name
        found[key] = fitted(each, sizes, names)
        print(f"fitted {', '.join(key)}", flush=True)
    # Of methods without samples of their own, at the price of the average.
    below, above = (
        np.mean([getattr(each, part) for each in found.values()], axis=0)
        for part in ("below", "above")
    )
    unknown = Validation(None, None, None, "Not validated outside the training data.")
    return Widths(tuple(sizes), tuple(names), found, ModelWidths(below, above, unknown))


if __name__ == "__main__":
    main()
