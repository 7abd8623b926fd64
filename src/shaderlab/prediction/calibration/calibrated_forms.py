"""A calibration of each of a program's forms (`forms`), as far as a later one has a smaller error.

What a driver runs is nearer to the later forms, but each takes another compiler and another traced
frame, and prices of some devices fit it worse.  So the program as written is always calibrated, and
a later form is kept where it did better on shaders that no fit had seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from shaderlab.prediction.calibration.fit_table import TimedWork
from shaderlab.prediction.calibration.fitting import FEWEST, Calibrated, Relative, calibrate
from shaderlab.prediction.forms import FITTED, Form
from shaderlab.prediction.models.additive import Weights


def calibrate_forms(
    bases: Mapping[Form, Mapping[str, Weights]],
    shaders: Mapping[Form, Sequence[TimedWork]],
    floor_s: float | None,
    *,
    predicates: bool,
    relative: Relative | None = None,
) -> dict[Form, Calibrated]:
    """By form, in the order of forms: each has a smaller error than those before it.

    `bases`: weights of the targets that have a model of the form.  `shaders`: what of the timed
    ones was traced in it; later forms may lack some.  Forms with too few of either are passed over.
    Else as `calibrate`, whose `CalibrationFailed` is that of the program as written.
    """

    def fitted(form: Form) -> Calibrated:
        given = bases[form], shaders[form], floor_s
        return calibrate(*given, predicates=predicates, relative=relative)

    best = fitted(Form.WRITTEN)
    found = {Form.WRITTEN: best}
    for form in FITTED:
        if form in found or not bases.get(form) or len(shaders.get(form, ())) < FEWEST:
            continue
        tried = fitted(form)
        error, before = errors_on_both(tried, best)
        if error < before:
            best = found[form] = tried
    return found


def errors_on_both(left: Calibrated, right: Calibrated) -> tuple[float, float]:
    """Median held-out errors of two calibrations over the shaders both have."""
    both = sorted(set(left.names) & set(right.names))
    return _median_error(left, both), _median_error(right, both)


def _median_error(found: Calibrated, names: Sequence[str]) -> float:
    place = {name: row for row, name in enumerate(found.names)}
    rows = [place[name] for name in names]
    return float(np.median(np.abs(found.held_out_s[rows] / found.measured_s[rows] - 1)))
