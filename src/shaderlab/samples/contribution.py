"""From a store to files to give away: choosing the samples, reviewing them, writing both files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from shaderlab.errors import WrongUse
from shaderlab.samples import card, exchange, review, schema
from shaderlab.samples.choice import FIGURES_LICENCE, Choice
from shaderlab.samples.sample import ProgramRecord, Sample
from shaderlab.samples.store import Store, is_store

_ALL = Choice()


@dataclass(frozen=True)
class Exported:
    """The files written."""

    rows: int
    size_bytes: int
    sources: int
    """Rows that hold a shader's text."""
    data: Path
    card: Path


def chosen(path: Path, choice: Choice) -> list[Sample]:
    """The samples of a store or data set that pass the checks and are wanted.

    Raises InvalidDataset where it cannot be read, WrongUse where nothing is left.
    """
    found = [
        sample if choice.sources else review.without_sources(sample)
        for sample in exchange.accepted(path)
        if choice.device in (None, sample.device.slug)
        and (choice.ids is None or sample.id in choice.ids)
    ]
    if not found:
        raise WrongUse(f"{path.name} holds no sample to export")
    return found


def export(
    path: Path, output: Path, choice: Choice = _ALL, licence: str = FIGURES_LICENCE
) -> Exported:
    """Write the chosen samples as Parquet and, beside it, their card (`.md`).

    `licence`: SPDX expression of the figures.  Raises what `chosen` raises, InvalidDataset where a
    file cannot be written, WrongUse for what is no licence expression.
    """
    check_licence(licence)
    samples = chosen(path, choice)
    described = output.with_suffix(".md")
    if described == output:
        raise WrongUse(
            f"{output.name} is the name of its own card; choose another, such as x.parquet"
        )
    rows = exchange.write(samples, output)
    card.write(card.describe(samples, output.name, licence, _rejections(path)), described)
    sources = sum(sample.program.text is not None for sample in samples)
    return Exported(rows, output.stat().st_size, sources, output, described)


def check_licence(text: str) -> None:
    """Raises WrongUse for what cannot be an SPDX licence expression."""
    (column,) = (c for c in schema.columns(ProgramRecord) if c.name == "license")
    if not schema.fits(column, text):
        raise WrongUse(f"{text!r} is no SPDX licence expression such as MIT or CC-BY-4.0")


def _rejections(path: Path) -> dict[str, list[str]]:
    """Reasons of a campaign's shaders without a sample, by device slug."""
    found: dict[str, list[str]] = {}
    if is_store(path):
        with Store(path) as store:
            for rejection in store.rejections():
                found.setdefault(rejection.device, []).append(rejection.reason)
    return found
