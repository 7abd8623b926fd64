"""Choosing, and writing both files of a contribution."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from pathlib import Path

import pytest

from shaderlab.errors import InvalidDataset, WrongUse
from shaderlab.samples import exchange
from shaderlab.samples.choice import LICENCES, Choice
from shaderlab.samples.contribution import check_licence, chosen, export
from shaderlab.samples.store import Store
from tests.unit.samples.builders import sample


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "store.db"
    one, other = sample("a"), sample("b")
    with_text = replace(one, program=replace(one.program, text="void main(){}", license="MIT"))
    elsewhere = sample("c", device=replace(one.device, slug="swiftshader", name="SwiftShader"))
    with Store(path) as opened:
        for kept in (with_text, other, elsewhere):
            opened.keep(kept, "name", 1.0)
    return path


def test_an_export_is_what_was_chosen(store: Path, tmp_path: Path):
    output = tmp_path / "out" / "mine.parquet"
    done = export(store, output, Choice(device="llvmpipe"), "CC-BY-4.0")
    assert (done.rows, done.sources) == (2, 1)
    assert done.size_bytes == output.stat().st_size
    assert "Licence of the figures: CC-BY-4.0." in done.card.read_text()
    assert {s.device.slug for s in exchange.accepted(output)} == {"llvmpipe"}


def test_sources_stay_where_they_are_not_wanted(store: Path, tmp_path: Path):
    output = tmp_path / "mine.parquet"
    assert export(store, output, Choice(sources=False)).sources == 0
    assert all(s.program.text is None for s in exchange.accepted(output))
    assert b"void main" not in output.read_bytes()
    with Store(store) as opened:  # and stay in the store
        assert any(e.row["program"]["text"] for e in opened.entries(9))


def test_single_samples_can_be_chosen(store: Path):
    wanted = sample("b").id
    assert [s.id for s in chosen(store, Choice(ids={wanted}))] == [wanted]


def test_nothing_to_export_is_said(store: Path):
    with pytest.raises(WrongUse, match="no sample to export"):
        chosen(store, Choice(device="rtx3060"))


@pytest.mark.parametrize("licence", ["", "all rights reserved!", "<script>", "x" * 300])
def test_what_is_no_licence_is_refused(store: Path, tmp_path: Path, licence: str):
    with pytest.raises(WrongUse, match="SPDX"):
        export(store, tmp_path / "mine.parquet", licence=licence)
    assert not (tmp_path / "mine.parquet").exists()


@pytest.mark.parametrize("licence", [*LICENCES, "MIT OR Apache-2.0", "GPL-2.0+"])
def test_licences_are_taken(licence: str):
    check_licence(licence)


def test_a_card_does_not_take_the_place_of_its_data(store: Path, tmp_path: Path):
    with pytest.raises(WrongUse, match="own card"):
        export(store, tmp_path / "mine.md")


def test_a_full_disk_leaves_no_half_file(store: Path, tmp_path: Path, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    before = sorted(path.name for path in tmp_path.iterdir())
    with pytest.raises(InvalidDataset, match="No space left"):
        export(store, tmp_path / "mine.parquet")
    assert [
        each for each in sorted(path.name for path in tmp_path.iterdir()) if "store" not in each
    ] == [each for each in before if "store" not in each]
