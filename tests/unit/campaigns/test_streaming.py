"""Samples streamed as Parquet: nothing lost, nothing twice."""

from __future__ import annotations

import os
from pathlib import Path

import fsspec
import pytest

from shaderlab.campaigns import streaming
from shaderlab.campaigns.streaming import Stream
from shaderlab.errors import InvalidDataset, WrongUse
from shaderlab.samples import exchange
from tests.unit.samples.builders import sample

SAMPLES = [sample(f"shader-{n}", size=(8, 4)) for n in range(11)]


def streamed(folder: Path) -> list[str]:
    parts = sorted(folder.glob("part-*.parquet"))
    return sorted(each.id for part in parts for each in exchange.accepted(part))


def test_parts_hold_every_sample_once(tmp_path: Path):
    stream = Stream(str(tmp_path), part=4)
    for each in SAMPLES:
        stream.add(each)
        stream.add(each)
    assert len(streamed(tmp_path)) == 8
    stream.close()
    stream.close()
    assert streamed(tmp_path) == sorted(each.id for each in SAMPLES)
    assert stream.ids == {each.id for each in SAMPLES}


@pytest.mark.parametrize("done", range(len(SAMPLES) + 1))
def test_a_campaign_that_goes_on_streams_what_is_missing(tmp_path: Path, done: int):
    first = Stream(str(tmp_path), part=4)
    for each in SAMPLES[:done]:
        first.add(each)  # and ended here: what waits for a full part is lost with the process
    (tmp_path / ".part-0.parquet.unfinished").write_bytes(b"half of one")
    second = Stream(str(tmp_path), part=4)
    second.begin(SAMPLES[:done])
    for each in SAMPLES[done:]:
        second.add(each)
    second.close()
    assert streamed(tmp_path) == sorted(each.id for each in SAMPLES)


def test_an_address_of_fsspec_is_written(tmp_path: Path):
    memory = fsspec.filesystem("memory")
    try:
        stream = Stream("memory://streamed/here", part=4)
        for each in SAMPLES:
            stream.add(each)
        stream.close()
        assert len(memory.glob("/streamed/here/part-*.parquet")) == 3
        assert Stream("memory://streamed/here").ids == {each.id for each in SAMPLES}
    finally:
        memory.rm("/streamed", recursive=True)


def test_a_folder_that_cannot_be_is_named(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidDataset, match="file"):
        Stream(str(tmp_path / "file" / "inner"))
    (tmp_path / "part-1.parquet").write_bytes(b"no Parquet")
    with pytest.raises(InvalidDataset):
        Stream(str(tmp_path))
    with pytest.raises((WrongUse, InvalidDataset)):
        Stream("no-such-protocol://host/path")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are of POSIX")
def test_a_pipe_among_the_parts_is_refused(tmp_path: Path):
    os.mkfifo(tmp_path / "part-0.parquet")
    with pytest.raises(InvalidDataset, match="not a part"):
        Stream(str(tmp_path))


def test_a_part_of_too_many_rows_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    first = Stream(str(tmp_path), part=4)
    for each in SAMPLES[:4]:
        first.add(each)
    monkeypatch.setattr(streaming, "_MOST_PART_ROWS", 3)
    with pytest.raises(InvalidDataset, match="4 rows"):
        Stream(str(tmp_path))
