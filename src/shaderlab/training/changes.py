"""How well forecasts say what a change does: the sign and size of the ratio of two times.

Judged on edits timed before and after on a software device (`timed_edits`), and on published
shaders that share most of their lines (`forks`).  Models had seen neither of a pair: both are of
the test or validation split, or the forecasts are those of models fitted without either
(`leave_out`).
"""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from shaderlab import locations, stats
from shaderlab.prediction.catalogue.change_bands import ChangeBand
from shaderlab.prediction.catalogue.targets import catalogue
from shaderlab.prediction.forms import FORMS, Form
from shaderlab.prediction.models.bands import LEVEL
from shaderlab.prediction.models.model import CountedShader, Model
from shaderlab.stats import Estimate
from shaderlab.training import forks, leave_out, shader_data, timed_edits
from shaderlab.training.comparison import data_folder
from shaderlab.training.evaluation import RESAMPLES
from shaderlab.training.forks import Fork
from shaderlab.training.splits import Split, split_of
from shaderlab.training.timed_edits import TimedEdit

EDITS, FORKS, FORKS_LEFT_OUT = "edits", "forks", "forks, left out of the fit"
NOTABLE = float(np.log(1.05))
"""Changes beyond it (logarithm) have a sign worth asking for."""
SIZES = (
    ("under 5 %", 0.0, NOTABLE),
    ("5 to 25 %", NOTABLE, float(np.log(1.25))),
    ("25 % to 2x", float(np.log(1.25)), float(np.log(2))),
    ("over 2x", float(np.log(2)), float("inf")),
)
"""Of measured changes: logarithms, either way."""
_SLOPES = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
"""That a band may have: errors grow with the change."""


@dataclass(frozen=True)
class Changes:
    """Measured and predicted changes of many pairs: logarithms of the ratio of their times."""

    source: str
    target: str
    method: str
    measured: np.ndarray
    """(n,)"""
    predicted: np.ndarray
    """(n,)"""
    kinds: tuple[str, ...]
    """Of each: the edit, or that it is a fork."""
    keys: tuple[str, ...]
    """Id of the shader before, which the same shader's pairs share."""

    @property
    def form(self) -> Form:
        return FORMS[self.method]

    def __getitem__(self, chosen: np.ndarray) -> Changes:
        """Those of a mask (n,) bool."""
        place = np.flatnonzero(chosen).tolist()
        return Changes(
            self.source, self.target, self.method, self.measured[chosen], self.predicted[chosen],
            tuple(self.kinds[n] for n in place), tuple(self.keys[n] for n in place),
        )  # fmt: skip


@dataclass(frozen=True)
class Judged:
    """How good the forecasts of changes are."""

    n: int
    notable: int
    """Of them measured beyond 5 %."""
    sign: float
    """Share of these whose predicted change has the same direction; nan without any."""
    error: Estimate
    """Median of |predicted - measured|, of logarithms."""
    notable_error: float
    """The same of the notable ones; nan without any."""
    same: float
    """Median error of who says that nothing changes."""


def judge(changes: Changes, resamples: int = RESAMPLES) -> Judged:
    """At least one pair."""
    measured, predicted = changes.measured, changes.predicted
    errors, notable = np.abs(predicted - measured), np.abs(measured) > NOTABLE
    draws = stats.bootstrap_draws(len(errors), resamples)
    right = (np.sign(predicted) == np.sign(measured))[notable]
    return Judged(
        len(errors),
        int(notable.sum()),
        float(right.mean()) if notable.any() else float("nan"),
        stats.bootstrap(errors, draws, np.median),
        float(np.median(errors[notable])) if notable.any() else float("nan"),
        float(np.median(np.abs(measured))),
    )


def by_size(changes: Changes) -> dict[str, tuple[int, float]]:
    """Pairs, and the median error of logarithms, by size of the measured change."""
    size, errors = np.abs(changes.measured), np.abs(changes.predicted - changes.measured)
    found = {}
    for name, low, high in SIZES:
        chosen = (size >= low) & (size < high)
        if chosen.any():
            found[name] = int(chosen.sum()), float(np.median(errors[chosen]))
    return found


def by_kind(changes: Changes) -> dict[str, Judged]:
    kinds = np.array(changes.kinds)
    return {kind: judge(changes[kinds == kind]) for kind in sorted(set(changes.kinds))}


def band_of(changes: Changes) -> ChangeBand:
    """The band that holds `LEVEL` of such pairs, with its coverage of halves of the shaders that
    the other half was not calibrated on."""
    halves = np.array([hashlib.sha1(key.encode()).digest()[0] % 2 for key in changes.keys], bool)
    inside = [_held(changes[~half], *_half_width(changes[half])) for half in (halves, ~halves)]
    base, slope = _half_width(changes)
    n = len(changes.measured)
    coverage = float(np.concatenate(inside).mean())
    return ChangeBand(changes.target, changes.method, n, round(base, 4), slope, round(coverage, 4))


def _half_width(changes: Changes) -> tuple[float, float]:
    """Base and slope: of those that hold enough (conformal), the narrowest on average."""
    errors, size = np.abs(changes.predicted - changes.measured), np.abs(changes.predicted)
    place = min(math.ceil((len(errors) + 1) * LEVEL), len(errors)) - 1
    found = [(max(float(np.sort(errors - slope * size)[place]), 0.0), slope) for slope in _SLOPES]
    return min(found, key=lambda each: each[0] + each[1] * float(size.mean()))


def held(changes: Changes, band: ChangeBand) -> float:
    """Share of the pairs inside a band."""
    return float(_held(changes, band.base, band.slope).mean())


def _held(changes: Changes, base: float, slope: float) -> np.ndarray:
    """(n,) whether each lies inside."""
    errors = np.abs(changes.predicted - changes.measured)
    return errors <= base + slope * np.abs(changes.predicted)


def changes_folder() -> Path:
    """The committed pairs."""
    return locations.models() / "datasets" / "changes"


def all_changes(
    split: Split | None = None,
    *,
    models_dir: Path | None = None,
    data: Path | None = None,
    folder: Path | None = None,
) -> Iterator[Changes]:
    """By source, target and method.  `split`: only pairs of which either is of it.

    Raises `InvalidModel` where a file is missing or damaged.
    """
    data, folder = data or data_folder(), folder or changes_folder()
    models_dir = models_dir or locations.models()
    yield from _of_edits(split, models_dir, data, folder)
    found = forks.read(folder)
    yield from _of_forks(found, split, models_dir, data)
    if split is None:
        yield from _left_out(found, models_dir, data)


def _of_edits(split: Split | None, models_dir: Path, data: Path, folder: Path) -> Iterator[Changes]:
    edits: defaultdict[str, list[TimedEdit]] = defaultdict(list)
    for each in timed_edits.read(folder):
        if split in (None, split_of(each.id)):
            edits[each.target].append(each)
    before, after = Counts(data), Counts(folder)
    for target, mine in sorted(edits.items()):
        for method, model in models_of(target, models_dir):
            yield from _changes(
                EDITS, target, method,
                np.array([each.change for each in mine]),
                np.log(after.predicted_s(model, method, [each.edited_id for each in mine]))
                - np.log(before.predicted_s(model, method, [each.id for each in mine])),
                [each.edit for each in mine], [each.id for each in mine],
            )  # fmt: skip


def _of_forks(
    found: Sequence[Fork], split: Split | None, models_dir: Path, data: Path
) -> Iterator[Changes]:
    """Of the shipped models, which saw neither."""
    counts = Counts(data)
    for target, times in published_times(data).items():
        pairs = [each for each in found if each.before in times and each.after in times]
        splits = [(split_of(each.before), split_of(each.after)) for each in pairs]
        mine = [
            pair
            for pair, two in zip(pairs, splits, strict=True)
            if Split.TRAIN not in two and (split is None or split in two)
        ]
        for method, model in models_of(target, models_dir) if mine else ():
            ends = [
                np.log(counts.predicted_s(model, method, ids))
                for ids in ([p.before for p in mine], [p.after for p in mine])
            ]
            yield from _forked(FORKS, target, method, mine, times, ends[1] - ends[0])


def _left_out(found: Sequence[Fork], models_dir: Path, data: Path) -> Iterator[Changes]:
    """Of models fitted without both, of all such the median."""
    path = models_dir / "datasets" / "leave-out" / "predictions.parquet"
    said: defaultdict[tuple[str, str], defaultdict[str, dict[int, float]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    for row in leave_out.read(path):
        said[row.target, row.method][row.id][row.fold] = row.predicted_s
    for target, times in published_times(data).items():
        pairs = [each for each in found if each.before in times and each.after in times]
        for method in FORMS:
            by_id = said.get((target, method), {})
            changes = [
                _median_change(by_id.get(p.before, {}), by_id.get(p.after, {})) for p in pairs
            ]
            yield from _forked(FORKS_LEFT_OUT, target, method, pairs, times, np.array(changes))


def _median_change(before: Mapping[int, float], after: Mapping[int, float]) -> float:
    both = before.keys() & after.keys()
    logs = [float(np.log(after[fold] / before[fold])) for fold in both]
    return float(np.median(logs)) if logs else float("nan")


def _forked(
    source: str, target: str, method: str, pairs: Sequence[Fork], times: Mapping[str, float],
    predicted: np.ndarray,
) -> Iterator[Changes]:  # fmt: skip
    measured = np.array([np.log(times[each.after] / times[each.before]) for each in pairs])
    kinds, keys = ["fork"] * len(pairs), [each.before for each in pairs]
    yield from _changes(source, target, method, measured, predicted, kinds, keys)


def _changes(
    source: str, target: str, method: str, measured: np.ndarray, predicted: np.ndarray,
    kinds: Sequence[str], keys: Sequence[str],
) -> Iterator[Changes]:  # fmt: skip
    """Those that there is a forecast of, if any."""
    every = Changes(source, target, method, measured, predicted, tuple(kinds), tuple(keys))
    known = np.isfinite(predicted)
    if known.any():
        yield every[known]


def published_times(data: Path) -> dict[str, dict[str, float]]:
    """Seconds by id, by target, of the targets with published times."""
    _, times = shader_data.read(data)
    return {
        target: {each.id: each.full_s for each in mine}
        for target, mine in sorted(times.items())
        if any(each.transformer_s is not None for each in mine)
    }


def models_of(target: str, models_dir: Path) -> list[tuple[str, Model]]:
    """A target's models of a program's forms by their method."""
    return [
        (model.methods[0].name, model)
        for each in catalogue(models_dir).targets
        if each.card.target.slug == target and not each.user
        for model in each.models
        if model.HAS_FORMS and model.BY_COUNTS
    ]


class Counts:
    """Counts of each form in a folder, read once."""

    def __init__(self, folder: Path):
        self._by_form = {
            form: shader_data.read_shaders(folder / name)
            for form, name in shader_data.FORMS.items()
        }

    def predicted_s(self, model: Model, method: str, ids: Sequence[str]) -> np.ndarray:
        """(n,) seconds; nan where there are no counts of the model's form."""
        return self.predicted(model, method, ids)[0]

    def predicted(self, model: Model, method: str, ids: Sequence[str]) -> np.ndarray:
        """(3, n) seconds: time, low and high end of the model's own band; nan likewise."""
        known = self._by_form[Form.WRITTEN]
        there = np.array([each in known for each in ids])
        found = np.full((3, len(ids)), np.nan)
        if there.any():
            some = [each for each, yes in zip(ids, there.tolist(), strict=True) if yes]
            answer = model.predict(method, _Some(some, self._by_form))
            if answer is not None and answer.low_s is not None and answer.high_s is not None:
                found[:, there] = answer.time_s, answer.low_s, answer.high_s
        return found


@dataclass(frozen=True)
class _Some:
    """`CountedShaders` of these ids."""

    ids: Sequence[str]
    by_form: Mapping[Form, Mapping[str, CountedShader]]

    @property
    def shaders(self) -> list[CountedShader]:
        return [self.by_form[Form.WRITTEN][each] for each in self.ids]

    def of_form(self, form: Form) -> list[CountedShader | None]:
        return [self.by_form[form].get(each) for each in self.ids]
