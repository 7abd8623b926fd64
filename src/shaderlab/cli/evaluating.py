"""`evaluate`: every prediction method on the committed samples."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from shaderlab import units
from shaderlab.cli.command import Answer, Command
from shaderlab.cli.terminal import table
from shaderlab.cli.texts import changes as change_texts
from shaderlab.errors import ShaderlabError, WrongUse
from shaderlab.training.splits import Split

if TYPE_CHECKING:
    from shaderlab.stats import Estimate
    from shaderlab.training.comparison import Row
    from shaderlab.training.evaluation import Evaluation

_METRICS = ("mape", "median_ape", "within20", "spearman")


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--method", action="append", metavar="M", help="only this method")
    parser.add_argument(
        "--ablation", action="store_true", help="also fit each method without the trace"
    )
    parser.add_argument(
        "--changes",
        action="store_true",
        help="judge forecasts of changes instead: edits timed before and after, and published "
        "shaders that share most of their lines",
    )
    parser.add_argument(
        "--textures", action="store_true", help="on the shaders that read textures, kept apart"
    )
    parser.add_argument(
        "--split",
        choices=[Split.VALIDATION.value, Split.TEST.value],
        help="which shaders; models are tuned on the validation split, the default, and the test "
        "split is fairer.  --changes without it takes both",
    )


def evaluate(arguments: argparse.Namespace) -> Answer:
    # Reads Parquet, which takes longer to import than most commands take to answer.
    from shaderlab.training.comparison import compare, known_methods, texture_folder

    known = known_methods()
    for method in arguments.method or ():
        if method not in known:
            raise WrongUse(f"no method {method!r}; there are {', '.join(known)}")
    if arguments.changes:
        return _evaluate_changes(arguments)
    split = Split(arguments.split or Split.VALIDATION)
    rows = compare(
        split,
        arguments.method,
        ablations=arguments.ablation,
        data=texture_folder() if arguments.textures else None,
    )
    if not rows:
        raise ShaderlabError("no method can be compared: no models are installed that can be read")
    data = {
        "split": split.value,
        "textures": arguments.textures,
        "rows": [_row_data(row) for row in rows],
    }
    return Answer(data, _text(rows))


def _evaluate_changes(arguments: argparse.Namespace) -> Answer:
    from shaderlab.training import changes

    split = Split(arguments.split) if arguments.split else None
    found = [
        each
        for each in changes.all_changes(split)
        if not arguments.method or each.method in arguments.method
    ]
    return change_texts.answer(found, split)


def _row_data(row: Row) -> dict[str, Any]:
    return {
        "target": row.target,
        "method": row.method,
        "default": row.default,
        "shaders": row.shaders,
        **_evaluation_data(row.result),
        "coverage": row.coverage,
        "without_undefined_reads": _evaluation_data(row.defined),
        "above_floor": None if row.above_floor is None else _evaluation_data(row.above_floor),
        "by_decade": {
            f"1e{exponent}": _evaluation_data(each) for exponent, each in row.by_decade.items()
        },
    }


def _evaluation_data(result: Evaluation) -> dict[str, Any]:
    estimates: dict[str, Estimate] = {name: getattr(result, name) for name in _METRICS}
    return {
        "n": result.n,
        **{name: _finite(each.value) for name, each in estimates.items()},
        "ci": {name: [_finite(each.low), _finite(each.high)] for name, each in estimates.items()},
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _text(rows: Sequence[Row]) -> str:
    shown = table(
        ("target", "method", "n", "mean error", "median", "within 20 %", "rank", "in band", ""),
        (
            (
                row.target,
                row.method + (" *" if row.default else ""),
                str(row.result.n)
                if row.result.n == row.shaders
                else f"{row.result.n} of {row.shaders}",
                _spread(row.result.mape),
                _spread(row.result.median_ape),
                _spread(row.result.within20),
                f"{row.result.spearman.value:.3f}",
                "" if row.coverage is None else units.percent(row.coverage),
                f"{units.percent(row.defined.mape.value)}, median "
                f"{units.percent(row.defined.median_ape.value)} (n {row.defined.n})",
            )
            for row in rows
        ),
    )
    return (
        f"{shown}\n\n* default of the target.  In brackets: 95 % intervals.  Last column: mean and "
        "median error of the shaders without undefined values."
    )


def _spread(estimate: Estimate) -> str:
    low, high = units.percent(estimate.low), units.percent(estimate.high)
    return f"{units.percent(estimate.value)} [{low} to {high}]"


COMMANDS = (
    Command(
        "evaluate",
        "Compare the prediction methods on measured shaders.",
        evaluate,
        add_options=_options,
    ),
)
