"""Find what a time measured on one device says about forecasts for others.

    python -m models.recipes.witnesses [--data models/datasets/model-samples]
        [--left-out models/datasets/leave-out/predictions.parquet] [--out models]
        [--split validation|test]

On shaders that software devices and others were timed on, forecast by models that had not seen
them: those of the recipe `leave_out` that were fitted without a decile of size each, by the latest
form of a program there is.  `--split`: writes nothing, and prints the same figures of the shipped
models on a split, with the stored ones for a mark.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from models.recipes import shared
from shaderlab import units
from shaderlab.prediction.bundles.accuracy import BandCard
from shaderlab.prediction.catalogue import witnesses
from shaderlab.prediction.catalogue.targets import catalogue
from shaderlab.prediction.catalogue.witnesses import LEVELS, Finding, Witnesses, of_others
from shaderlab.prediction.forms import FITTED, FORMS, Form
from shaderlab.prediction.models.additive_model import believed_s
from shaderlab.prediction.models.bands import LEVEL, range_of
from shaderlab.prediction.models.model import CountedShader, drops_undefined
from shaderlab.training import leave_out, methods, shader_data
from shaderlab.training.comparison import cohorts
from shaderlab.training.leave_out import LeftOut
from shaderlab.training.splits import Split


@dataclass(frozen=True)
class Forecasts:
    """Of one target, by shader id."""

    measured_s: Mapping[str, float]
    predicted_s: Mapping[str, float]
    bands: tuple[BandCard, ...]
    dropped: frozenset[str]
    """Shaders whose work the target's driver drops for a division by zero: no witness there."""

    def logs(self, ids: list[str]) -> np.ndarray:
        """(n,) logarithms of measured over predicted time."""
        return np.log([self.measured_s[i] / self.predicted_s[i] for i in ids])

    def errors(self, ids: list[str]) -> np.ndarray:
        """(n,) |predicted - measured| / measured"""
        return np.abs(np.exp(-self.logs(ids)) - 1)


def left_out(data: Path, rows: list[LeftOut], models: Path) -> dict[str, Forecasts]:
    """What models said of shaders of whose size they had seen none, by target."""
    shaders, times = shader_data.read(data)
    found: dict[str, dict[Form, dict[str, float]]] = {}
    for row in rows:
        if row.criterion == leave_out.SIZE_DECILE:
            of_target = found.setdefault(row.target, {form: {} for form in FITTED})
            of_target[FORMS[row.method]][row.id] = row.predicted_s
    bands = {each.card.target.slug: each.methods[0].bands for each in catalogue(models).targets}
    return {
        slug: Forecasts(
            {each.id: each.full_s for each in times[slug]},
            _latest(forms),
            bands[slug],
            _dropped(slug, shaders.values()),
        )
        for slug, forms in found.items()
    }


def _dropped(slug: str, shaders: Iterable[CountedShader]) -> frozenset[str]:
    if not drops_undefined(slug):
        return frozenset()
    return frozenset(each.id for each in shaders if each.divides_by_zero)


def _latest(forms: Mapping[Form, Mapping[str, float]]) -> dict[str, float]:
    optimized = forms[Form.OPTIMIZED]
    compiled = {
        i: float(believed_s(time_s, optimized.get(i, np.nan)))
        for i, time_s in forms[Form.COMPILED].items()
    }
    return {**forms[Form.WRITTEN], **optimized, **compiled}


def of_split(split: Split, models: Path) -> dict[str, Forecasts]:
    """What the shipped models say of a split's shaders, by target."""
    found = {}
    bands = {each.card.target.slug: each.methods[0].bands for each in catalogue(models).targets}
    for cohort in cohorts(split):
        predicted = methods.methods_of(cohort)[methods.LATEST](cohort)
        assert predicted is not None
        pairs = zip(cohort.ids, predicted.time_s.tolist(), strict=True)
        known = {i: time_s for i, time_s in pairs if np.isfinite(time_s)}
        measured_s = dict(zip(cohort.ids, cohort.measured_s.tolist(), strict=True))
        dropped = _dropped(cohort.target, cohort.shaders)
        found[cohort.target] = Forecasts(measured_s, known, bands[cohort.target], dropped)
    return found


def findings(found: Mapping[str, Forecasts]) -> Iterator[Finding]:
    """Of every software device about every other target."""
    for host in shared.SOFTWARE:
        for target in sorted(found.keys() - {host}):
            here, there = found[host], found[target]
            ids = sorted((here.predicted_s.keys() & there.predicted_s.keys()) - here.dropped)
            off, errors = here.logs(ids), there.errors(ids)
            # In parts of the target's own band, positive on the side on which the host was off.
            sides = there.logs(ids) * np.sign(off)
            own = [range_of(there.predicted_s[i], there.bands) for i in ids]
            up = np.log([each.high for each in own])
            down = -np.log([each.low for each in own])
            towards, away = np.where(off > 0, [up, down], [down, up])
            for level in LEVELS:
                mine = np.abs(off) > level
                if not mine.any():
                    continue
                yield Finding(
                    host, target, level, int(mine.sum()),
                    round(float(mine.mean()), 4),
                    round(float(np.median(errors[mine])), 4),
                    round(float(np.median(errors[~mine])), 4),
                    _longer(sides[mine] / towards[mine]),
                    _longer(-sides[mine] / away[mine]),
                )  # fmt: skip


def _longer(parts: np.ndarray) -> float:
    return round(min(max(float(np.quantile(parts, (1 + LEVEL) / 2)), 1.0), 100.0), 4)


def shown(each: Finding) -> str:
    return (
        f"{each.host} -> {each.target}, e^{each.level:g}: {each.n} shaders "
        f"({units.percent(each.share)}), half off by {units.percent(each.median_ape)} or more, of "
        f"the rest {units.percent(each.rest)} ({each.median_ape / each.rest:.1f} times); band "
        f"x {each.towards:g} towards, x {each.away:g} away"
    )


def main() -> None:
    parser = shared.parser(__doc__)
    parser.add_argument("--data", type=Path, default=shared.SAMPLES)
    parser.add_argument("--left-out", type=Path, default=shared.LEFT_OUT)
    parser.add_argument("--out", type=Path, default=shared.MODELS)
    parser.add_argument("--split", type=Split, choices=(Split.VALIDATION, Split.TEST))
    options = parser.parse_args()
    if options.split:
        every = list(findings(of_split(options.split, options.out)))
        print("\n".join(map(shown, every)))
        return
    rows = leave_out.read(options.left_out)
    every = list(findings(left_out(options.data, rows, options.out)))
    print("\n".join(map(shown, every)))
    pooled = [
        of_others([e for e in every if e.level == level and (not host or e.host == host)], host)
        for level in LEVELS
        for host in ("", *shared.SOFTWARE)
    ]
    pooled += [
        of_others([e for e in every if e.level == level and e.target == target], "", target)
        for level in LEVELS
        for target in sorted({each.target for each in every})
    ]
    origin = f"{options.left_out.name}: shaders of whose size the models had seen none"
    text = Witnesses((*every, *pooled)).to_json(origin, shared.command("witnesses"))
    (options.out / witnesses.FILE).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
