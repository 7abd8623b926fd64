"""How accuracy depends on the number of shaders, on other targets and on parts of the model.

    python -m models.recipes.learning_curves [--out models] [--only NAME...]

PerfVec's section V-B on our samples: five folds over the training and validation splits, each
judged on shaders that neither the model nor those that taught it have seen; the test split is not
looked at.  Fits are half as long as those that ship.  Every finished line is kept in
`models/learning.json` and not made again: delete it to start over.  Needs torch; some eight minutes
of processor time.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

from models.laboratory import report
from models.laboratory.additive import Recipe, fit, recipe_of, teaching
from models.recipes import shared
from shaderlab.prediction.calibration.average_weights import average
from shaderlab.prediction.features.example import Example
from shaderlab.prediction.features.lane_work import Execution
from shaderlab.prediction.forms import Form
from shaderlab.prediction.models.additive import Weights, predict_s
from shaderlab.prediction.models.model import CountedShader
from shaderlab.stats import Estimate
from shaderlab.training import shader_data
from shaderlab.training.evaluation import evaluate
from shaderlab.training.splits import Split, split_of

FILE = "learning.json"
FOLDS = 5
STEPS = 600
SHARES = (0.1, 0.25, 0.5, 1.0)
TARGET, WAITS = "rtx3060", "llvmpipe"
TEACHERS = ("llvmpipe", "swiftshader", "rx6600xt")
"""In the order in which they are added."""


@dataclass(frozen=True)
class Case:
    """One line of the table."""

    name: str
    target: str = TARGET
    form: Form = Form.OPTIMIZED
    share: float = 1.0
    """Of the fold's training shaders."""
    teachers: int = 0
    change: Callable[[Recipe], Recipe] = lambda recipe: recipe
    example: Callable[[CountedShader], Example] = lambda shader: shader.example


def by_opcode(shader: CountedShader) -> Example:
    """Executed instructions by opcode in place of lane groups by kind."""
    counts = {f"varying:{name}": float(count) for name, count in shader.executed.items()}
    return Example(dict.fromkeys(Execution, counts), shader.example.context)


CASES = (
    *(Case(f"{share:.0%} of the shaders", share=share) for share in SHARES),
    *(Case(f"10% of the shaders, {n} teaching", share=0.1, teachers=n) for n in (1, 2, 3)),
    *(Case(f"100% of the shaders, {n} teaching", teachers=n) for n in (1, 2, 3)),
    Case("without the context", change=lambda recipe: replace(recipe, bound=0.0)),
    Case("without lane groups: instructions by opcode", example=by_opcode),
    Case("without any other form: as written", form=Form.WRITTEN),
    Case("by the compiled form", form=Form.COMPILED),
    Case("as shipped, nobody teaching", target=WAITS),
    Case(
        "without waiting and predication",
        target=WAITS,
        change=lambda recipe: replace(recipe, execution=Execution.JUMPING),
    ),
)


class Bench:
    """The samples, and fits without a fold."""

    def __init__(self, data: Path):
        self._read = cache(lambda form: shader_data.read(data, shader_data.FORMS[form]))
        self._taught: dict[tuple[str, Form, int], Weights] = {}

    def judged(self, case: Case) -> dict[str, Any]:
        """Figures over all folds together."""
        shaders, times = self._read(case.form)
        timed = [each for each in times[case.target] if split_of(each.id) is not Split.TEST]
        fold = np.array([_fold(each.id) for each in timed])
        measured_s = np.array([each.full_s for each in timed])
        examples = [case.example(shaders[each.id]) for each in timed]
        recipe = replace(case.change(recipe_of(case.target, case.form)), steps=STEPS)
        predicted_s, fitted = np.zeros(len(timed)), []
        for number in range(FOLDS):
            rest = np.flatnonzero(fold != number)
            drawn = np.random.default_rng(number).permutation(rest)
            drawn = np.sort(drawn[: round(case.share * len(rest))])
            taught = [self._teacher(slug, case.form, number) for slug in TEACHERS[: case.teachers]]
            weights = fit(
                [examples[n] for n in drawn], measured_s[drawn], recipe,
                average(taught) if taught else None,
            )  # fmt: skip
            mine = np.flatnonzero(fold == number)
            predicted_s[mine] = predict_s(weights, [examples[n] for n in mine])
            fitted.append(len(drawn))
        result = evaluate(measured_s, predicted_s)
        return {
            "target": case.target,
            "form": case.form.value,
            "fitted_to": round(float(np.mean(fitted))),
            "n": result.n,
            **{
                name: [getattr(getattr(result, name), end) for end in ("value", "low", "high")]
                for name in ("mape", "median_ape", "within20", "spearman")
            },
        }

    def _teacher(self, slug: str, form: Form, without: int) -> Weights:
        key = (slug, form, without)
        if key not in self._taught:
            shaders, times = self._read(form)
            train = [
                each for each in times[slug]
                if split_of(each.id) is not Split.TEST and _fold(each.id) != without
            ]  # fmt: skip
            self._taught[key] = fit(
                [shaders[each.id].example for each in train],
                np.array([each.full_s for each in train]),
                replace(teaching(slug), steps=STEPS),
            )
        return self._taught[key]


def section(models: Path) -> str:
    """For the report, as Markdown; empty where nothing was made."""
    found = _kept(models / FILE)
    if not found:
        return ""
    head = ("", "target", "form", "fitted to", "n", "MAPE", "median APE", "within 20 %", "Spearman")
    body = [
        (
            name,
            row["target"],
            row["form"],
            f"{row['fitted_to']:,}",
            str(row["n"]),
            *(
                report.estimate(Estimate(*row[figure]))
                for figure in ("mape", "median_ape", "within20", "spearman")
            ),
        )
        for name, row in found.items()
    ]
    return (
        "## Learning curves and ablations\n\nFive folds over the training and validation splits, "
        "fits half as long as those that ship (`learning_curves`). *Teaching*: other targets whose "
        f"prices the fit starts from, {', '.join(TEACHERS)} in that order, fitted without the fold "
        "too.\n\n" + report.table(head, body)
    )


def _fold(shader: str) -> int:
    digest = hashlib.sha1(f"l{shader}".encode(), usedforsecurity=False)
    return int(digest.hexdigest(), 16) % FOLDS


def _kept(path: Path) -> dict[str, Mapping[str, Any]]:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def main() -> None:
    parser = shared.parser(__doc__)
    parser.add_argument("--data", type=Path, default=shared.SAMPLES)
    parser.add_argument("--out", type=Path, default=shared.MODELS)
    parser.add_argument("--only", nargs="*", help="lines of the table; all by default")
    options = parser.parse_args()
    torch.set_num_threads(1)  # the matrices are small
    path, bench = options.out / FILE, Bench(options.data)
    found = dict(_kept(path))
    for case in CASES:
        if case.name in found or (options.only and case.name not in options.only):
            continue
        found[case.name] = bench.judged(case)
        median, low, high = found[case.name]["median_ape"]
        print(f"{case.name}: median {median:.3f} [{low:.3f}, {high:.3f}]", flush=True)
        ordered = {each.name: found[each.name] for each in CASES if each.name in found}
        path.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
