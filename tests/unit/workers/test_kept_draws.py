from __future__ import annotations

import json
import os
from dataclasses import replace
from math import isnan, nan
from pathlib import Path
from typing import Any

import msgspec
import pytest

from shaderlab.captures.frame import CapturedDraw
from shaderlab.captures.reading import Reader
from shaderlab.captures.schema import DECODER, DrawRecord
from shaderlab.frontend.program import Dialect, Program
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.gpu.replayed import Replayed
from shaderlab.locations import resources
from shaderlab.scene.digests import draw_digest
from shaderlab.scene.draw import Draw
from shaderlab.spirv.block_counts import describe
from shaderlab.spirv.trace import BlockId, BoundTexture, Trace
from shaderlab.workers import kept_draws
from shaderlab.workers.kept_draws import Counted, KeptDraws
from tests.unit.captures.builders import draw_record

DEVICE = DeviceInfo("soft", "Soft", "software", "driver 1", "1.3", 0, 0, "", "", 0, True)


def shipped(name: str) -> Program:
    spirv = (resources() / "gpu" / f"{name}.frag.spv").read_bytes()
    return Program(name, Dialect.SPIRV, "", spirv, "main")


@pytest.fixture(scope="module")
def program() -> Program:
    return shipped("loops")


def drawn(program: Program, pack: Path) -> Draw:
    record = DECODER.decode(json.dumps(draw_record(pack)))
    assert isinstance(record, DrawRecord)
    found = Reader(pack).draw(record, CapturedDraw(7, "draw"))
    assert found.state is not None
    return Draw(program, found.state)


def counted(draw: Draw) -> Counted:
    module = draw.program.module
    ids = [BlockId(f.id, block.label) for f in module.functions for block in f.blocks]
    counts = list(range(5, 5 + len(ids)))
    bound = BoundTexture("2D", (8, 4, 1), 1, 3, "rgba8", "linear")
    trace = Trace(
        DEVICE.slug, draw.size, 0.0, 0, describe(module, ids, counts, counts), nan,
        pixels=8, textures={(1, 2): bound},
    )  # fmt: skip
    return Counted(Replayed(0.25, 1e-3, 12, 0.0), trace)


@pytest.fixture
def draw(program: Program, tmp_path: Path) -> Draw:
    return drawn(program, tmp_path / "pack")


def test_what_was_kept_is_found_again(draw: Draw, tmp_path: Path):
    found = counted(draw)
    KeptDraws(DEVICE, tmp_path / "kept").keep(draw, found)
    again = KeptDraws(DEVICE, tmp_path / "kept").find(draw)
    assert again is not None
    assert again.replayed == found.replayed
    assert replace(again.trace, slowdown=0.0) == replace(found.trace, slowdown=0.0)


def test_times_that_are_not_there_stay_so(draw: Draw, tmp_path: Path):
    kept, found = KeptDraws(DEVICE, tmp_path), counted(draw)
    kept.keep(draw, found._replace(replayed=Replayed(nan, nan, None, 0.0)))
    again = kept.find(draw)
    assert again is not None
    assert isnan(again.replayed.difference)
    assert isnan(again.replayed.time_s)


def test_contents_elsewhere_make_no_other_draw(program: Program, tmp_path: Path):
    first, second = (drawn(program, tmp_path / name) for name in ("one", "two"))
    assert draw_digest(first) == draw_digest(second)


def test_other_contents_program_or_driver_are_another_draw(draw: Draw, tmp_path: Path):
    kept = KeptDraws(DEVICE, tmp_path / "kept")
    kept.keep(draw, counted(draw))
    attachments = replace(draw.state.attachments, size=(9, 9))
    other = shipped("constant")
    assert kept.find(replace(draw, state=replace(draw.state, attachments=attachments))) is None
    assert kept.find(draw.of_program(other)) is None
    newer = KeptDraws(replace(DEVICE, driver="driver 2"), tmp_path / "kept")
    assert newer.find(draw) is None


def _without_blocks(record: dict[str, Any]) -> None:
    record["blocks"] = []


def _foreign_block(record: dict[str, Any]) -> None:
    record["blocks"][0][1] = 99999


def _twice(record: dict[str, Any]) -> None:
    record["blocks"][1] = record["blocks"][0]


def _negative(record: dict[str, Any]) -> None:
    record["blocks"][0][2] = -1


def _beyond(record: dict[str, Any]) -> None:
    record["difference"] = 1.5


def _unknown(record: dict[str, Any]) -> None:
    record["more"] = 1


@pytest.mark.parametrize(
    "damage", [_without_blocks, _foreign_block, _twice, _negative, _beyond, _unknown]
)
def test_a_damaged_file_is_as_none(draw: Draw, tmp_path: Path, damage: Any):
    kept = KeptDraws(DEVICE, tmp_path / "kept")
    kept.keep(draw, counted(draw))
    (path,) = (tmp_path / "kept").iterdir()
    record = json.loads(path.read_bytes())
    damage(record)
    path.write_bytes(msgspec.json.encode(record))
    assert kept.find(draw) is None


def test_the_oldest_go(
    draw: Draw, program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(kept_draws, "MOST_FILES", 3)
    monkeypatch.setattr(kept_draws, "_SPARE", 1)
    folder = tmp_path / "kept"
    kept = KeptDraws(DEVICE, folder)
    for number in range(3):
        (folder / f"{number}.json").parent.mkdir(exist_ok=True)
        (folder / f"{number}.json").write_bytes(b"{}")
        os.utime(folder / f"{number}.json", (number, number))
    kept.keep(draw, counted(draw))
    assert sorted(path.name for path in folder.iterdir())[0] == "2.json"
    assert kept.find(draw) is not None


def test_a_disk_that_takes_nothing_stops_nothing(draw: Draw, tmp_path: Path):
    (tmp_path / "file").write_bytes(b"")
    kept = KeptDraws(DEVICE, tmp_path / "file" / "folder")
    kept.keep(draw, counted(draw))
    assert kept.find(draw) is None
