"""Data-set cards."""

from __future__ import annotations

import errno
import os
from dataclasses import replace

import pytest

from shaderlab.errors import InvalidDataset
from shaderlab.samples import card
from shaderlab.samples.recording import identified
from tests.unit.samples.builders import TEXTURES, sample, timing, with_textures


def test_a_card_tells_what_the_rows_hold() -> None:
    samples = [sample(str(n), timing=timing((0.001 * (n + 1),) * 3)) for n in range(4)]
    other = replace(samples[0].device, slug="rtx3060", name="NVIDIA RTX 3060", kind="discrete")
    samples.append(identified(replace(samples[0], device=other, timing=timing(clock="device"))))
    refused = {"llvmpipe": ["TooSlow: takes 2 s", "CompileFailed: a:1", "TooSlow: takes 3 s"]}
    text = card.describe(samples, "set.parquet", "CC0-1.0", refused)
    assert "Tried without a sample: 3 shaders (TooSlow 2, CompileFailed 1)." in text
    assert "Tried without a sample: none known." in text
    assert "5 samples of 4 programs on 2 devices" in text
    assert "Licence of the figures: CC0-1.0" in text
    assert "Sources of shaders: none" in text
    assert "64x48, iTime 1, iFrame 1 (4)" in text
    assert "| 1.00 ms |" in text.partition("## llvmpipe")[2]
    software, discrete = text.partition("## llvmpipe")[2].partition("## rtx3060")[::2]
    assert "CPU time" in software
    assert "CPU time" not in discrete


def test_times_and_trials_are_summed_up() -> None:
    samples = [sample(str(n), timing=timing((0.001 * (n + 1),) * (3 + n % 2))) for n in range(101)]
    text = card.describe(samples, "set.parquet", "CC0-1.0")
    assert (
        "| time per draw | 1.00 ms | 6.00 ms | 26.0 ms | 51.0 ms | 76.0 ms | 96.0 ms | 101 ms |"
        in text
    )
    assert "- 3 trials of 4 draws in the median (3 to 4, 4 to 4)." in text


def test_shared_sources_are_told_with_their_licences() -> None:
    shared = sample("a")
    shared = replace(shared, program=replace(shared.program, text="x", license="MIT"))
    text = card.describe([shared, sample("b")], "set.parquet", "CC0-1.0")
    assert "Sources of shaders: 1, under MIT." in text


def test_the_commonest_clocks_are_listed_and_the_others_counted() -> None:
    samples = [
        identified(replace(one, device=replace(one.device, clocks=f"{1700 + n // 2} MHz")))
        for n, one in enumerate(sample(str(n)) for n in range(15))
    ]
    text = card.describe(samples, "set.parquet", "CC0-1.0")
    line = next(line for line in text.splitlines() if "Clocks" in line)
    assert "1700 MHz (2); 1701 MHz (2)" in line
    assert line.endswith("; 3 more.")
    held = [identified(replace(one, device=replace(one.device, clocks="x"))) for one in samples]
    assert "Clocks while measuring: x." in card.describe(held, "set.parquet", "CC0-1.0")


def test_a_card_that_cannot_be_written_leaves_the_former_one(tmp_path, monkeypatch) -> None:
    path = tmp_path / "set.md"
    with card.writing("before", path):
        pass

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with (
        pytest.raises(InvalidDataset, match=r"set\.md: No space left on device"),
        card.writing("after", path),
    ):
        pass
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_the_folder_of_a_card_must_be_there(tmp_path) -> None:
    with (
        pytest.raises(InvalidDataset, match="No such file"),
        card.writing("text", tmp_path / "none" / "set.md"),
    ):
        pass


def test_what_textures_held_is_counted_where_there_are_any() -> None:
    assert "With textures" not in card.describe([sample("a")], "set.parquet", "CC0-1.0")
    text = card.describe([sample("a"), with_textures()], "set.parquet", "CC0-1.0")
    line = next(line for line in text.splitlines() if "With textures" in line)
    assert line.startswith("- With textures: 1 samples; the textures hold ")
    for texture in TEXTURES:
        assert texture.holds in line
