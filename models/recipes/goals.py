"""Say how far errors are from the goals that were set for them, and what bounds those missed.

    python -m models.recipes.goals [--out models]

Prints the table that `models/REPORT.md` holds: errors of the test split by the shipped models on
the committed samples, of changes, and of programs compiled by the Mesa that shaderlab builds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from models.laboratory import report
from models.recipes import shared
from shaderlab.prediction.models import other_compilers
from shaderlab.prediction.models.additive_model import COMPILED, OPTIMIZED
from shaderlab.training import changes, methods
from shaderlab.training.comparison import Row, compare
from shaderlab.training.evaluation import Evaluation
from shaderlab.training.splits import Split

BUILT = "25.0 (shaderlab)"
"""The Mesa that `packaging/compilers.sh` builds, as `models/compilers.json` names it."""

_LOG = "LOG.md#2026-11-"
_UNINITIALISED = f"[uninitialised reads]({_LOG}22-what-a-drivers-compiler-leaves)"
_CLOCKS = f"[two clock states]({_LOG}21-what-an-optimiser-leaves-and-a-clock-that-rises)"
_PROCESSORS = f"[lie 7 % apart in the median]({_LOG}25-thin-data-and-what-was-found-in-it)"
_DATA = f"[learning curves]({_LOG}23-learning-curves-and-ablations)"


@dataclass(frozen=True)
class Figure:
    """One error beside what was wanted of it."""

    name: str
    value: float
    goal: float
    most: bool = True
    """Whether the goal is the most it may be, rather than the least."""

    @property
    def reached(self) -> bool:
        return self.value <= self.goal if self.most else self.value >= self.goal


@dataclass(frozen=True)
class Line:
    """Figures of one goal, and what bounds those that miss it."""

    title: str
    figures: tuple[Figure, ...]
    bound: str

    @property
    def missed(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.figures if not each.reached)


@dataclass(frozen=True)
class _Errors:
    """Goals of one target's errors on the test split."""

    title: str
    target: str
    goals: Mapping[str, float]
    """By name in `_METRICS`."""
    bound: str
    method: str = methods.LATEST
    defined: bool = False
    """Only shaders without undefined values."""


_METRICS = {"mean": "mape", "median": "median_ape", "within 20 %": "within20", "rank": "spearman"}
_MOST = {"mean", "median"}
_ERRORS = (
    _Errors(
        "RTX 3060, all", "rtx3060",
        {"mean": 0.25, "median": 0.045, "within 20 %": 0.85, "rank": 0.955},
        f"{_UNINITIALISED} move mean and rank; the rest as in the next line",
    ),
    _Errors(
        "RTX 3060, nothing undefined", "rtx3060",
        {"mean": 0.10, "median": 0.04, "within 20 %": 0.88, "rank": 0.99},
        f"the number of timed shaders: {_DATA} still fall, twice as many take off a tenth",
        defined=True,
    ),
    _Errors(
        "RX 6600 XT, all", "rx6600xt",
        {"mean": 0.45, "median": 0.04, "within 20 %": 0.82, "rank": 0.94},
        f"{_CLOCKS}, which no property of a shader distinguishes",
    ),
    _Errors(
        "RTX 3060 without RADV", "rtx3060", {"median": 0.065},
        f"`spirv-opt` leaves [what drivers remove]({_LOG}22-what-a-drivers-compiler-leaves)",
        method=OPTIMIZED,
    ),
    _Errors(
        "RX 6600 XT without RADV", "rx6600xt", {"median": 0.08},
        "the same",
        method=OPTIMIZED,
    ),
    _Errors(
        "llvmpipe, nothing undefined", "llvmpipe",
        {"mean": 0.15, "median": 0.08, "within 20 %": 0.80, "rank": 0.99},
        f"the processor: careful times on two of them {_PROCESSORS}, 10 % in the mean",
        defined=True,
    ),
)  # fmt: skip
_MESA = f"work that Mesa 25 [moves or combines]({_LOG}23-what-mesa-25s-compiler-leaves-of-programs)"
_EDITS = f"early exits, functions replaced and terms removed ([by kind]({_LOG}24-refitted-to-both))"
_CHANGES = (
    (changes.EDITS, "llvmpipe", COMPILED, 0.97, 0.04, _EDITS),
    (changes.EDITS, "swiftshader", OPTIMIZED, 0.97, 0.04, _EDITS),
    (changes.FORKS_LEFT_OUT, "rtx3060", COMPILED, 0.95, 0.08, ""),
    (changes.FORKS_LEFT_OUT, "rx6600xt", COMPILED, 0.95, 0.08, _CLOCKS),
)
"""Pairs, target, method, share of signs, median error of the logarithm, what bounds it."""


def errors(rows: Sequence[Row]) -> Iterator[Line]:
    """`rows`: of the test split."""
    for each in _ERRORS:
        for row in rows:
            if (row.target, row.method) == (each.target, each.method):
                yield _line(each, row.defined if each.defined else row.result)


def _line(wanted: _Errors, found: Evaluation) -> Line:
    figures = tuple(
        Figure(name, getattr(found, _METRICS[name]).value, goal, name in _MOST)
        for name, goal in wanted.goals.items()
    )
    return Line(f"{wanted.title} (n {found.n})", figures, wanted.bound)


def compilers(path: Path) -> Iterator[Line]:
    """Median errors with the Mesa that is built, as multiples of those with the one fitted to."""
    of_targets = json.loads(path.read_text("utf-8"))["errors"][BUILT]
    for target, found in sorted(of_targets.items()):
        one = found["initialised"]
        ratio = Figure("median, times", one["median_ape"] / one["fitted"], 1.1)
        yield Line(f"{target}, programs of Mesa {BUILT} (n {one['n']})", (ratio,), _MESA)


def of_changes(every: Sequence[changes.Changes]) -> Iterator[Line]:
    for source, target, method, sign, error, bound in _CHANGES:
        for each in every:
            if (each.source, each.target, each.method) == (source, target, method):
                judged = changes.judge(each)
                figures = (
                    Figure("sign", judged.sign, sign, most=False),
                    Figure("median", judged.error.value, error),
                )
                yield Line(f"changes, {target}, {source} (n {judged.n})", figures, bound)


def table(lines: Sequence[Line]) -> str:
    """As Markdown."""
    return report.table(
        ("", "figures", "now", "goal", "missed", "what bounds it"),
        [
            (
                line.title,
                " / ".join(each.name for each in line.figures),
                " / ".join(f"{each.value:.3g}" for each in line.figures),
                " / ".join(f"{each.goal:g}" for each in line.figures),
                ", ".join(line.missed) or "-",
                line.bound if line.missed else "",
            )
            for line in lines
        ],
    )


def section(out: Path) -> str:
    """Of the report, with the test split."""
    rows = compare(Split.TEST, (methods.LATEST, OPTIMIZED), models_dir=out, resamples=1)
    every = list(changes.all_changes(models_dir=out))
    lines = [*errors(rows), *compilers(out / other_compilers.FILE), *of_changes(every)]
    return (
        "## Goals\n\nErrors of the test split, changes and compilers beside the goals for "
        "them. Errors with Mesa's later compiler are of the validation and test splits together. "
        "What few samples give is below (*Calibrations of a device that is new*). "
        f"`{shared.command('goals')}` prints this table.\n\n{table(lines)}"
    )


def main() -> None:
    parser = shared.parser(__doc__)
    parser.add_argument("--out", type=Path, default=shared.MODELS)
    print(section(parser.parse_args().out))


if __name__ == "__main__":
    main()
