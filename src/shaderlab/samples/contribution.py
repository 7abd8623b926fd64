"""From a store to files to give away: choosing the samples, reviewing them, writing both files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from shaderlab import files
from shaderlab.errors import WrongUse
from shaderlab.frontend.program import Program
from shaderlab.samples import card, exchange, review, schema
from shaderlab.samples.choice import FIGURES_LICENCE, Choice
from shaderlab.samples.sample import ProgramRecord, Sample
from shaderlab.samples.sources import Sources, Standing
from shaderlab.samples.store import Store, is_store

_ALL = Choice()


@dataclass(frozen=True)
class Exported:
    """The files written."""

    rows: int
    size_bytes: int
    sources: int
    """Rows that hold a shader's text."""
    unverified: tuple[str, ...]
    """Ids of those rows whose text could not be shown to be the source of their program."""
    left_out: int
    """Texts that are the source of another program."""
    data: Path
    card: Path


def chosen(path: Path, choice: Choice, sources: Sources | None = None) -> list[Sample]:
    """The samples of a store or data set that pass the checks and are wanted.

    A text that `sources` finds to be of another program is left out.  Raises InvalidDataset where
    the file cannot be read, WrongUse where nothing is left.
    """
    sources = sources or Sources()
    found = [
        sample
        if choice.sources and not sources.is_foreign(sample.program)
        else review.without_sources(sample)
        for sample in exchange.accepted(path)
        if choice.device in (None, sample.device.slug)
        and (choice.ids is None or sample.id in choice.ids)
    ]
    if not found:
        raise WrongUse(f"{path.name} holds no sample to export")
    return found


def export(
    path: Path,
    output: Path,
    choice: Choice = _ALL,
    licence: str = FIGURES_LICENCE,
    compile: Callable[[str], Program] | None = None,
) -> Exported:
    """Write the chosen samples as Parquet and, beside it, their card (`.md`).

    `licence`: SPDX expression of the figures; `compile` verifies the texts (`samples.sources`).
    Raises what `chosen` raises, InvalidDataset where a file cannot be written, WrongUse for what is
    no licence expression.
    """
    check_licence(licence)
    described = output.with_suffix(".md")
    if described == output:
        raise WrongUse(
            f"{output.name} is the name of its own card; choose another, such as x.parquet"
        )
    exchange.check_parquet(output)
    sources = Sources(compile)
    samples = chosen(path, choice, sources)
    with_text = [sample for sample in samples if sample.program.text is not None]
    unverified = tuple(
        sample.id for sample in with_text if sources.standing(sample.program) is Standing.UNVERIFIED
    )
    text = card.describe(samples, output.name, licence, _rejections(path), unverified)
    with files.new_folder(output.parent), card.writing(text, described):
        rows = exchange.write(samples, output)
    return Exported(
        rows=rows,
        size_bytes=output.stat().st_size,
        sources=len(with_text),
        unverified=unverified,
        left_out=sources.counts[Standing.FOREIGN],
        data=output,
        card=described,
    )


def check_licence(text: str) -> None:
    """Raises WrongUse for what cannot be an SPDX licence expression."""
    (column,) = (c for c in schema.columns(ProgramRecord) if c.name == "license")
    if not schema.fits(column, text):
        raise WrongUse(f"{text!r} is not an SPDX licence expression such as MIT or CC-BY-4.0")


def _rejections(path: Path) -> dict[str, list[str]]:
    """Reasons of a campaign's shaders without a sample, by device slug."""
    found: dict[str, list[str]] = {}
    if is_store(path):
        with Store(path) as store:
            for rejection in store.rejections():
                found.setdefault(rejection.device, []).append(rejection.reason)
    return found
