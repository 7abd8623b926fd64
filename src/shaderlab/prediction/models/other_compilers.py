"""Errors of forecasts for programs that another compiler left than the one prices were fitted to.

`models/compilers.json`, as `python -m tests.benchmarks.radv_drift --errors` measures them: by
version of Mesa and target, of the published shaders of the validation and test splits that were
counted.  Shaders that read what was never written are left out: their error is the card's.
"""

from __future__ import annotations

import json
import math
from functools import cache

from shaderlab import files, locations, units
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.mesa import FITTED_TO, mesa_of
from shaderlab.prediction.forecast import Validation

FILE = "compilers.json"
_BYTES = 1 << 20
_KIND = "initialised"


def validation(target: str, driver: str) -> Validation | None:
    """What was measured for the target with that driver's compiler; None where nothing was."""
    return _errors().get(mesa_of(driver), {}).get(target)


def standing(driver: str) -> str:
    """What the compiled form is worth with that driver's compiler, in a sentence; "" for none."""
    mesa = mesa_of(driver)
    if not driver:
        return "no RADV here: forecasts rest on the program after spirv-opt -O"
    if mesa == FITTED_TO:
        return f"{driver}, which the prices were fitted to"
    errors = _errors().get(mesa)
    if errors is None:
        return f"{driver}; no error was measured with it (prices were fitted to Mesa {FITTED_TO})"
    listed = ", ".join(
        f"{target} {units.percent(found.median_ape)}"
        for target, found in sorted(errors.items())
        if found.median_ape is not None
    )
    return f"{driver}; median error with it: {listed} (prices were fitted to Mesa {FITTED_TO})"


@cache
def _errors() -> dict[str, dict[str, Validation]]:
    """Nothing where the file is missing or damaged: then no error is known."""
    path = locations.models() / FILE
    try:
        table = json.loads(files.read_bytes(path, _BYTES))
        return {
            mesa: {target: _validation(mesa, of[_KIND]) for target, of in targets.items()}
            for mesa, targets in table["errors"].items()
        }
    except (ShaderlabError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return {}


def _validation(mesa: str, found: dict[str, float]) -> Validation:
    if not all(map(math.isfinite, found.values())):
        raise ValueError("an error that is not a number")
    return Validation(
        mape=float(found["mape"]),
        spearman=float(found["spearman"]),
        n=int(found["n"]),
        source=(
            "shaderlab, on the validation and test splits, shaders without uninitialised reads, "
            f"compiled by Mesa {mesa}: median error {units.percent(found['median_ape'])}, where "
            f"Mesa {FITTED_TO}, which the prices were fitted to, gives "
            f"{units.percent(found['fitted'])} on the same shaders."
        ),
        median_ape=float(found["median_ape"]),
        within20=float(found["within20"]),
    )
