"""How well forecasts say what a change does, stage by stage."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from shaderlab import units
from shaderlab.cli.command import Answer
from shaderlab.cli.terminal import table

if TYPE_CHECKING:
    from shaderlab.training.changes import Changes, Judged
    from shaderlab.training.splits import Split

_NOTHING = "\u2013"


def answer(found: Sequence[Changes], split: Split | None) -> Answer:
    """What `evaluate --changes` prints."""
    from shaderlab.training import changes

    rows = [(each, changes.judge(each)) for each in found]
    data = [
        {
            "source": each.source,
            "target": each.target,
            "method": each.method,
            "form": each.form.value,
            **_judged(judged),
            "by_size": {
                name: {"n": n, "median_error": error}
                for name, (n, error) in changes.by_size(each).items()
            },
            "by_kind": {name: _judged(one) for name, one in changes.by_kind(each).items()},
        }
        for each, judged in rows
    ]
    whole = table(
        ("pairs", "target", "form", "n", "beyond 5 %", "sign right", "median error", "of those",
         "if nothing changed"),
        (
            (
                each.source, each.target, each.form, str(judged.n), str(judged.notable),
                _percent(judged.sign),
                f"{judged.error.value:.3f} [{judged.error.low:.3f} to {judged.error.high:.3f}]",
                _number(judged.notable_error), f"{judged.same:.3f}",
            )
            for each, judged in rows
        ),
    )  # fmt: skip
    sizes = table(
        ("pairs", "target", "form", *(name for name, *_ in changes.SIZES)),
        ((each.source, each.target, each.form, *_sizes(changes.by_size(each))) for each, _ in rows),
    )
    kinds = table(
        ("edit", "target", "form", "n", "beyond 5 %", "sign right", "median error"),
        (
            (kind, each.target, each.form, str(one.n), str(one.notable), _percent(one.sign),
             f"{one.error.value:.3f}")
            for each, _ in rows
            if each.source == changes.EDITS
            for kind, one in changes.by_kind(each).items()
        ),
    )  # fmt: skip
    text = (
        f"{whole}\n\nMedian error by size of the measured change (pairs)\n{sizes}\n\n"
        f"By kind of edit\n{kinds}\n\n"
        "Errors are of the logarithm of the time after over the time before; in brackets: 95 % "
        "intervals.  Sign: of pairs measured more than 5 % apart."
    )
    return Answer({"split": split.value if split else None, "rows": data}, text)


def _judged(judged: Judged) -> dict[str, Any]:
    return {
        "n": judged.n,
        "notable": judged.notable,
        "sign": _finite(judged.sign),
        "median_error": judged.error.value,
        "ci": [judged.error.low, judged.error.high],
        "notable_median_error": _finite(judged.notable_error),
        "same_median_error": judged.same,
    }


def _sizes(found: dict[str, tuple[int, float]]) -> list[str]:
    from shaderlab.training.changes import SIZES

    return [
        f"{found[name][1]:.3f} ({found[name][0]})" if name in found else _NOTHING
        for name, *_ in SIZES
    ]


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _percent(share: float) -> str:
    return units.percent(share) if math.isfinite(share) else _NOTHING


def _number(value: float) -> str:
    return f"{value:.3f}" if math.isfinite(value) else _NOTHING
