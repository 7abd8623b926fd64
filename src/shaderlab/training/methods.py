"""What `evaluate` compares: every method answers for many shaders of one target at once.

Three ways in.  A bundle whose forecast follows from a shader's counts: `Model.predict`.  A model
that needs the shader's text, or anything else the committed data lack: record its predictions once
(`recorded_predictions.write`).  Predictions printed elsewhere: `PRINTED`.  A recorded prediction
goes before asking the bundle of the same method.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np

from shaderlab import locations
from shaderlab.prediction.catalogue.domain import Features, features_of
from shaderlab.prediction.catalogue.targets import Catalogue, Target, catalogue
from shaderlab.prediction.features.texture_work import is_texture_read
from shaderlab.prediction.forecasts.widening import Widening
from shaderlab.prediction.forms import Form
from shaderlab.prediction.models.model import CountedShader, Model, Predicted, latest_first
from shaderlab.training import recorded_predictions, shader_data
from shaderlab.training.shader_data import TimedShader

PRINTED_PILR, PRINTED_TRANSFORMER = "authors-pilr", "authors-transformer"
"""Predictions the paper's authors printed for these shaders, by their own models."""

PRINTED: Mapping[str, Callable[[TimedShader], float | None]] = {
    PRINTED_PILR: lambda each: each.pilr_s,
    PRINTED_TRANSFORMER: lambda each: each.transformer_s,
}

LATEST = "additive-latest"
"""What is shown once all forms of a program were counted: the forecast of the latest form there
is, since not every program has all."""

UNTRACED, ESTIMATED = "-untraced", "-estimated"
"""End the names of ablations: a method fitted and asked without the trace, with every block counted
once per pixel (`untraced`), or with likely counts (`prediction.static_counts`)."""


@dataclass(frozen=True)
class Cohort:
    """Shaders of one split, timed on one target."""

    target: str
    shaders: tuple[CountedShader, ...]
    timed: tuple[TimedShader, ...]
    """The same shaders, in the same order."""
    data: Path | None = None
    """Folder with the counts of their other forms; None for the committed samples'."""

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(each.id for each in self.timed)

    @property
    def measured_s(self) -> np.ndarray:
        """(n,) seconds per draw at 1024x768."""
        return np.array([each.full_s for each in self.timed])

    def of_form(self, form: Form) -> Sequence[CountedShader | None]:
        """The same shaders, counted in that form; None for each that was not."""
        if form is Form.WRITTEN:
            return self.shaders
        counted = _counted(form, self.data or locations.models() / "datasets" / "model-samples")
        return [counted.get(each) for each in self.ids]

    @property
    def defined(self) -> np.ndarray:
        """(n,) whether no undefined value may decide what a shader runs on the target."""
        return np.array([not each.undefined_on(self.target) for each in self.shaders], bool)


Method = Callable[[Cohort], Predicted | None]
"""None: no answer for this cohort."""


def methods_of(
    cohort: Cohort, models_dir: Path | None = None, predictions: Path | None = None
) -> dict[str, Method]:
    """All methods that answer for the cohort's target, by name, bundles in order of preference.

    `models_dir` and `predictions`: the committed ones by default.
    """
    found: dict[str, Method] = {}
    installed = catalogue(models_dir)
    for target in installed.targets:
        if target.card.target.slug == cohort.target:
            for model in target.models:
                if model.BY_COUNTS:
                    found |= {
                        card.name: partial(_widened, installed, target, model, card.name)
                        for card in model.methods
                    }
            forms = latest_first(each for each in target.models if each.HAS_FORMS)
            if len(forms) > 1:
                found[LATEST] = partial(_latest, installed, target, forms)
    for name, printed in PRINTED.items():
        if all(printed(each) is not None for each in cohort.timed):
            found[name] = partial(_printed, name)
    recorded = recorded_predictions.read(predictions)
    for name in sorted({name for target, name in recorded if target == cohort.target}):
        found[name] = partial(_recorded, recorded[cohort.target, name])
    return found


def traced_name(name: str) -> str:
    """The method an ablation is of; any other name as it is."""
    return name.removesuffix(UNTRACED).removesuffix(ESTIMATED)


def known(models_dir: Path | None = None, predictions: Path | None = None) -> tuple[str, ...]:
    """Every name `methods_of` could answer for some target."""
    bundled = {
        method.name
        for target in catalogue(models_dir).targets
        for model in target.models
        if model.BY_COUNTS
        for method in model.methods
    }
    recorded = {name for _, name in recorded_predictions.read(predictions)}
    return (*sorted(bundled | recorded), LATEST, *PRINTED)


def features(shader: CountedShader) -> Features:
    """A shader of the committed samples as the domain sees it."""
    width, height = shader_data.SIZE
    example = shader.example
    return features_of(example.context, example.operations.items(), width * height)


def _widened(
    installed: Catalogue, target: Target, model: Model, method: str, cohort: Cohort
) -> Predicted | None:
    """What the model answers, with the bands that are shown."""
    found = model.predict(method, cohort)
    wide, domain = installed.widths, installed.domain
    if found is None or found.low_s is None or found.high_s is None or not (wide and domain):
        return found
    ends = np.stack([found.low_s, found.high_s])
    for place, shader in enumerate(cohort.shaders):
        low_s, time_s, high_s = found.low_s[place], found.time_s[place], found.high_s[place]
        if np.isfinite(time_s) and not any(map(is_texture_read, shader.example.operations)):
            seen = features(shader)
            widening = Widening(wide, domain.novelty(seen), seen)
            ends[:, place] = widening.ends_s(target, method, (low_s, time_s, high_s))
    return Predicted(found.time_s, ends[0], ends[1])


def _latest(
    installed: Catalogue, target: Target, models: Sequence[Model], cohort: Cohort
) -> Predicted | None:
    """By the first of the models that has counts of the shader."""
    columns: list[np.ndarray] = []
    for model in models:
        found = _widened(installed, target, model, model.methods[0].name, cohort)
        if found is None or found.low_s is None or found.high_s is None:
            return None
        ends = [found.time_s, found.low_s, found.high_s]
        missing = np.isnan(columns[0]) if columns else None
        columns = (
            ends
            if missing is None
            else [np.where(missing, b, a) for a, b in zip(columns, ends, strict=True)]
        )
    return Predicted(*columns)


@cache
def _counted(form: Form, folder: Path) -> Mapping[str, CountedShader]:
    if not (folder / shader_data.FORMS[form]).exists():
        return {}
    shaders, _ = shader_data.read(folder, shader_data.FORMS[form])
    return shaders


def _printed(name: str, cohort: Cohort) -> Predicted:
    return Predicted(np.array([PRINTED[name](each) for each in cohort.timed], np.float64))


def _recorded(by_id: Mapping[str, float], cohort: Cohort) -> Predicted:
    return Predicted(np.array([by_id.get(each, np.nan) for each in cohort.ids], np.float64))
