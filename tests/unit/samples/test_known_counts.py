"""Counts looked up by program: those with the same inputs and both traces, the first of each."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from shaderlab.samples import exchange
from shaderlab.samples.known_counts import KnownCounts
from shaderlab.samples.recording import identified
from shaderlab.samples.sample import Sample
from tests.unit.samples.builders import TEXTURES, launched, sample, with_textures

INPUTS = sample().inputs


def known(path: Path, *samples: Sample) -> KnownCounts:
    exchange.write(samples, path / "set.parquet")
    return KnownCounts(path / "set.parquet", INPUTS)


def test_counts_are_those_that_were_recorded(tmp_path: Path) -> None:
    a, b = sample("a"), sample("b", optimized=sample("b").trace)
    counts = known(tmp_path, a, b)
    assert len(counts) == 2
    assert counts.digests == {a.program.digest, b.program.digest}
    for each in (a, b):
        found = counts.of(each.program.digest)
        assert found is not None
        assert (found.trace, found.optimized) == (each.trace, each.optimized)
    assert counts.of("0" * 64) is None


def test_counts_with_textures_are_those_of_the_same_textures(tmp_path: Path) -> None:
    counts = known(tmp_path, with_textures("a"))
    digest = sample("a").program.digest
    assert counts.of(digest) is None
    assert counts.of(digest, TEXTURES) is not None
    assert counts.of(digest, (replace(TEXTURES[0], filter="nearest"),)) is None


def test_what_lacks_a_trace_or_its_blocks_or_has_other_inputs_is_passed_by(tmp_path: Path) -> None:
    whole = sample("a")
    assert whole.trace is not None
    without = [
        sample("b", trace=None),
        sample("c", optimized=None),
        sample("d", trace=replace(whole.trace, blocks=())),
        sample("e", optimized=replace(whole.trace, blocks=())),
        sample("f", size=(8, 4)),
        launched("g"),
    ]
    assert known(tmp_path, whole, *without).digests == {whole.program.digest}


def test_a_program_measured_twice_is_known_once(tmp_path: Path) -> None:
    first = sample("a")
    second = identified(replace(first, device=replace(first.device, slug="other", name="Other")))
    assert len(known(tmp_path, first, second)) == 1
