"""What the application predicts with unless told otherwise, on shaders no method was fitted on."""

from __future__ import annotations

from shaderlab.prediction import targets
from shaderlab.prediction.additive_model import OPTIMIZED
from shaderlab.prediction.splits import Split
from shaderlab.training.comparison import compare


def test_the_default_of_every_target_with_samples_validates_best():
    """By median error: the mean is made by a few shaders that read what nothing wrote.

    The model of optimised programs, which goes first where those were traced as well, is better.
    """
    installed = {info.target: info for info in targets.installed()}
    by_target: dict[str, dict[str, float]] = {}
    for row in compare(Split.VALIDATION, resamples=1):
        if row.target in installed and row.method in installed[row.target].methods:
            by_target.setdefault(row.target, {})[row.method] = row.result.median_ape.value
    assert len(by_target) >= 3
    for target, medians in by_target.items():
        assert len(medians) > 1, target
        assert medians.pop(OPTIMIZED) < min(medians.values()), target
        assert installed[target].methods[0] == min(medians, key=medians.get), medians
        assert installed[target].reason
