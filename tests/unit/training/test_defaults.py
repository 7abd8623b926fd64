"""What the application predicts with unless told otherwise, on shaders no method was fitted on."""

from __future__ import annotations

from shaderlab.prediction.catalogue import targets
from shaderlab.prediction.forms import Form
from shaderlab.training.comparison import compare
from shaderlab.training.splits import Split


def test_the_default_of_every_target_with_samples_validates_best():
    """By median error, as a few shaders with uninitialised reads make the mean; among the methods
    that need nothing but the program's own trace."""
    found = {target.card.target.slug: target for target in targets.catalogue().targets}
    by_target: dict[str, dict[str, float]] = {}
    for row in compare(Split.VALIDATION, resamples=1):
        if row.target in found and row.method in alone(found[row.target]):
            by_target.setdefault(row.target, {})[row.method] = row.result.median_ape.value
    assert len(by_target) >= 3
    for slug, medians in by_target.items():
        (default, *others) = alone(found[slug])
        assert others, slug
        assert default == min(medians, key=medians.get), medians
    assert all(info.reasons[info.methods[0]] for info in targets.installed())


def alone(target: targets.Target) -> list[str]:
    """Methods that the program as written suffices for, the preferred first."""
    models = [model for model in target.models if model.form is Form.WRITTEN]
    return [method.name for model in models for method in model.methods]
