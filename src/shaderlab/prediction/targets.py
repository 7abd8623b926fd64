"""The targets that can be predicted: what is installed, and what of it could not be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from shaderlab import locations
from shaderlab.errors import InvalidModel, UnknownTarget
from shaderlab.prediction import regressions
from shaderlab.prediction.bundle import Problem, read_all
from shaderlab.prediction.card import TargetKind
from shaderlab.prediction.forecast import Validation
from shaderlab.prediction.regressions import RegressionModel

_ARCHITECTURES = {regressions.ARCHITECTURE: RegressionModel.from_bundle}


@dataclass(frozen=True)
class TargetInfo:
    """One target as plain data."""

    target: str
    """Slug: `rtx3060`."""
    name: str
    """Marketing name: `GeForce RTX 3060`."""
    vendor: str
    kind: TargetKind
    methods: tuple[str, ...]
    """Short names, the default first."""
    clock: str
    """What the origin says about its clocks."""
    driver: str
    samples: int
    """Shaders the default method was fitted on."""
    validated: Validation
    """Error of the default method."""
    floor_s: float | None
    """Seconds no frame of the canonical run takes less than; None where unknown."""
    notes: str
    """What to know about its data; may be empty."""


@dataclass(frozen=True)
class Catalogue:
    """Everything found in a models folder."""

    models: tuple[RegressionModel, ...]
    """By slug of their target."""
    problems: tuple[Problem, ...]
    """Bundles that were refused; the others work."""

    def choose(self, wanted: Sequence[str] | None) -> tuple[RegressionModel, ...]:
        """The models of the named targets in that order, or all.

        Raises `UnknownTarget`, which lists what is installed.
        """
        if wanted is None:
            return self.models
        by_slug = {model.card.target.slug: model for model in self.models}
        for slug in wanted:
            if slug not in by_slug:
                there = ", ".join(by_slug) or "none"
                raise UnknownTarget(f"no target {slug!r}; installed: {there}")
        return tuple(by_slug[slug] for slug in dict.fromkeys(wanted))


def catalogue(models_dir: Path | None = None) -> Catalogue:
    """Read `models_dir` (shipped models if None); read again only when a file in it changed."""
    folder = models_dir or locations.models()
    return _catalogue(folder, _fingerprint(folder))


def installed(models_dir: Path | None = None) -> tuple[TargetInfo, ...]:
    """All targets that can be predicted, by slug."""
    return tuple(_info(model) for model in catalogue(models_dir).models)


def problems(models_dir: Path | None = None) -> tuple[Problem, ...]:
    """Bundles that were refused, each with the reason."""
    return catalogue(models_dir).problems


def _fingerprint(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Name, time and size of every file two levels down, so that a changed model is noticed."""
    found = []
    for path in sorted(folder.glob("*/*")):
        try:
            status = path.stat()
        except OSError:
            continue
        found.append((str(path), status.st_mtime_ns, status.st_size))
    return tuple(found)


@lru_cache(maxsize=8)
def _catalogue(folder: Path, fingerprint: tuple[tuple[str, int, int], ...]) -> Catalogue:
    bundles, refused = read_all(folder)
    problems = list(refused)
    models: dict[str, RegressionModel] = {}
    for bundle in bundles:
        slug = bundle.card.target.slug
        try:
            build = _ARCHITECTURES.get(bundle.card.architecture)
            if build is None:
                raise InvalidModel(
                    f"architecture {bundle.card.architecture!r} is unknown to this shaderlab"
                )
            if slug in models:
                raise InvalidModel(f"a second bundle for target {slug}")
            models[slug] = build(bundle)
        except InvalidModel as error:
            problems.append(Problem(bundle.name, f"{bundle.name}: {error}"))
    return Catalogue(
        tuple(models[slug] for slug in sorted(models)),
        tuple(sorted(problems, key=lambda problem: problem.bundle)),
    )


def _info(model: RegressionModel) -> TargetInfo:
    target, default = model.card.target, model.card.methods[0]
    return TargetInfo(
        target=target.slug,
        name=target.name,
        vendor=target.vendor,
        kind=target.kind,
        methods=tuple(method.name for method in model.card.methods),
        clock=target.clocks,
        driver=target.driver,
        samples=default.training_samples,
        validated=default.validation,
        floor_s=target.floor_s,
        notes=target.notes,
    )
