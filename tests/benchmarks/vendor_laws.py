"""Do a vendor compiler's own numbers, met with counts, give the times of a GPU without samples?

    python -m tests.benchmarks.vendor_laws FOLDER FIGURES --family cfl --target uhd630
        [--platform UHD630]

FOLDER/FAMILY.jsonl is what `vendor_forms files` wrote.  Each number of a shader (instructions its
machine code executes; the compiler's cycles, scaled from its guess of ten rounds a loop to what
ran; the program's instructions before the compiler) is taken to a time quantile to quantile: of the
target's own measured times, as a rehearsal, or, where it has none, of the RTX 3060's, taken from
there by the published distributions of both (`--platform`), as `models.recipes.matched_models`
does.  Beside them stands the forecast of a GPU with samples (`--relative`), taken likewise.  *Law*
is what needs no samples at all: the target's floor and a price for an instruction, the median of
what its published PILR says above the floor; printed with it, and with how far the middle 80 % of
PILR's times are from it.
Printed: MAPE / median error / share within 20 % / Spearman against measured times where the target
has some, and how far each is from the published PILR of that target, above its floor: the median of
the absolute log ratio, and Spearman.  Shaders that read uninitialised values are left out.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from models.recipes.matched_models import (
    LEAST_S,
    QUANTILES,
    SHARED,
    additive_s,
    ascending,
    distribution,
    pilr_s,
    taken,
)
from shaderlab.prediction.catalogue import targets
from shaderlab.prediction.models.model import CountedShader
from shaderlab.stats import spearman
from shaderlab.training import shader_data
from shaderlab.training.comparison import data_folder
from tests.benchmarks.additive_model import row


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("figures", type=Path)
    parser.add_argument("--family", required=True)
    parser.add_argument("--target", required=True)
    parser.add_argument("--platform", default=SHARED, help="in published_distributions.json")
    parser.add_argument("--relative", action="append", default=[])
    options = parser.parse_args()
    shaders, times = shader_data.read(data_folder())
    rows = [
        each
        for each in map(json.loads, (options.folder / f"{options.family}.jsonl").open())
        if each["executed"] and not shaders[each["id"]].reads_uninitialised
    ]
    chosen = [shaders[each["id"]] for each in rows]
    measured = {each.id: each.full_s for each in times.get(options.target, ())}
    shared_s = {each.id: each.full_s for each in times["rtx3060"]}
    given = measured or shared_s
    known_s = np.quantile([given[each.id] for each in chosen if each.id in given], QUANTILES)
    between = (distribution(options.figures, each) for each in (SHARED, options.platform))
    to_s = known_s if measured else taken(*ascending(*between))(known_s)
    published = pilr_s(options.target, chosen)
    above = published > LEAST_S
    print(f"{len(rows)} shaders, {sum(each['id'] in measured for each in rows)} with a time")
    _print("published PILR", published, chosen, measured, published, above)
    (card,) = targets.catalogue().choose([options.target])
    floor_s = card.card.target.floor_s or 0.0
    numbers = _numbers(rows, chosen, options.relative)
    executed = numbers["instructions executed"]
    price = float(np.median((published[above] - floor_s) / executed[above]))
    law = floor_s + price * executed
    _print("law", law, chosen, measured, published, above)
    ends = np.quantile(published[above] / law[above], [0.1, 0.9])
    print(f"  floor {floor_s:.3g} s, {price:.4g} s an instruction, PILR over it {ends.round(3)}")
    for name, values in numbers.items():
        if np.isnan(values).any():
            continue
        from_s, there_s = ascending(np.quantile(values, QUANTILES), to_s)
        _print(name, taken(from_s, there_s)(values), chosen, measured, published, above)


def _numbers(
    rows: list[dict[str, Any]], chosen: list[CountedShader], relatives: list[str]
) -> dict[str, np.ndarray]:
    """By name, one number for each shader; any scale will do."""
    executed = np.array([sum(each["executed"].values()) for each in rows])
    # For 32 lanes Intel's code has most instructions twice, each for 16.
    executed *= np.array(
        [0.5 if each["cycles"] and each["subgroup"] == 32 else 1.0 for each in rows]
    )
    guessed = np.array([max(each["guessed"], 1.0) for each in rows])
    cycles = np.array([each["cycles"] or np.nan for each in rows])
    found = {
        "instructions executed": executed,
        "cycles of the compiler": cycles,
        "cycles, rounds measured": cycles * executed / guessed,
        "of the program as written": np.array([sum(each.executed.values()) for each in chosen]),
    }
    return found | {f"additive of {slug}": additive_s(slug, chosen) for slug in relatives}


def _print(
    name: str,
    seconds: np.ndarray,
    chosen: list[CountedShader],
    measured: dict[str, float],
    published: np.ndarray,
    above: np.ndarray,
) -> None:
    timed = np.array([each.id in measured for each in chosen])
    text = f"{name:28}"
    if timed.any():
        known = np.array([measured.get(each.id, np.nan) for each in chosen])
        text += row(known[timed], seconds[timed])
    apart = np.abs(np.log(np.maximum(seconds[above], 1e-9) / published[above]))
    rank = spearman(seconds[above], published[above])
    print(f"{text}   from PILR {np.median(apart):.3f}, {rank:.3f} (n {above.sum()})")


if __name__ == "__main__":
    main()
