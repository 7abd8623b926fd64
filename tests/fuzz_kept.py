"""What `tests.fuzz` damages of the files that shaderlab keeps for itself, and how they are read."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from functools import cache
from math import nan
from pathlib import Path
from typing import Any, NamedTuple

from shaderlab import files
from shaderlab.app.documents import version_file
from shaderlab.app.qt import QtWidgets, QWidget
from shaderlab.app.session.counted_run import CountedRun
from shaderlab.app.session.versions import Version
from shaderlab.app.settings import Settings, SettingsStore
from shaderlab.app.shell.arrangements import Room
from shaderlab.app.shell.layout import Layout
from shaderlab.app.shell.panels import PANELS
from shaderlab.captures import opening
from shaderlab.captures.frame import CapturedDraw, CapturedFrame
from shaderlab.captures.reading import Reader as CaptureReader
from shaderlab.captures.schema import DECODER
from shaderlab.errors import WrongUse
from shaderlab.frontend.program import Dialect, Program
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.gpu.replayed import Replayed
from shaderlab.locations import models, resources
from shaderlab.prediction.catalogue import pair_tables
from shaderlab.prediction.line_shares import LineShares
from shaderlab.projects import captured, reading
from shaderlab.samples import exchange, sharing
from shaderlab.scene.contents import Contents
from shaderlab.scene.draw import Draw
from shaderlab.spirv.block_counts import describe
from shaderlab.spirv.trace import BlockId, BoundTexture, Trace
from shaderlab.workers.kept_draws import Counted, KeptDraws
from tests.unit.captures.builders import draw_record

DEVICE = DeviceInfo("soft", "Soft", "software", "driver 1", "1.3", 0, 0, "", "", 0, True)


def versions(_: Path) -> bytes:
    shares = LineShares([("", 1, 0.75), ("", 2, 0.25)])
    run = CountedRun((640, 480), 1.0)
    return version_file.encode(
        Version(n, f"// {n}\n" * n, 1e9 + n, {("rtx3060", "pilr", "as written"): 1e-3 * n},
                {"rtx3060": shares}, f"name {n}", run=run)
        for n in range(1, 6)
    )  # fmt: skip


def read_versions(path: Path) -> object:
    found = version_file.decode(files.read_bytes(path, version_file.MOST_BYTES))
    if not found:
        raise WrongUse("none of it is ours")
    return found


class _Docked(NamedTuple):
    application: object
    """Kept, as Qt ends with it."""
    window: QtWidgets.QMainWindow
    layout: Layout
    settings: Settings


@cache
def _docked() -> _Docked:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QtWidgets.QApplication.instance() or QtWidgets.QApplication(["fuzz"])
    window, settings = QtWidgets.QMainWindow(), Settings()
    panels = {each.name: QWidget() for each in PANELS}
    layout = Layout(window, QWidget(), panels, settings)
    return _Docked(application, window, layout, settings)


def layouts(folder: Path) -> bytes:
    """Settings that hold where the docks are, at every kind of width."""
    _, window, layout, settings = _docked()
    for number, kind in enumerate(Room):
        window.resize(700 + 500 * number, 700)
        layout.reset()
        state = bytes(window.saveState(layout._version).data())
        setattr(settings, f"docks_{kind}", state)
    layout.remember()
    SettingsStore(folder / "whole").save(settings)
    return (folder / "whole").read_bytes()


def read_layouts(path: Path) -> object:
    _, _, layout, settings = _docked()
    found = SettingsStore(path).load()
    for name in ("geometry", "side_visible", *(f"docks_{kind}" for kind in Room)):
        setattr(settings, name, getattr(found, name))
    layout.restore()
    return None


@cache
def _drawn(folder: Path) -> Draw:
    spirv = (resources() / "gpu" / "loops.frag.spv").read_bytes()
    pack = folder / "pack"
    record = DECODER.decode(json.dumps(draw_record(pack)))
    found = CaptureReader(pack).draw(record, CapturedDraw(7, "draw"))  # pyright: ignore[reportArgumentType]
    assert found.state is not None
    return Draw(Program("loops", Dialect.SPIRV, "", spirv, "main"), found.state)


def counted_draw(folder: Path) -> bytes:
    draw = _drawn(folder)
    module = draw.program.module
    ids = [BlockId(f.id, block.label) for f in module.functions for block in f.blocks]
    counts = list(range(5, 5 + len(ids)))
    bound = BoundTexture("2D", (8, 4, 1), 1, 3, "rgba8", "linear")
    trace = Trace(
        DEVICE.slug, draw.size, 0.0, 0, describe(module, ids, counts, counts), nan,
        pixels=8, textures={(1, 2): bound},
    )  # fmt: skip
    KeptDraws(DEVICE, folder / "kept").keep(draw, Counted(Replayed(0.25, 1e-3, 12, 0.0), trace))
    (path,) = (folder / "kept").glob("*.json")
    return path.read_bytes()


def read_counted_draw(path: Path) -> object:
    folder = path.with_name("counted")
    folder.mkdir(exist_ok=True)
    draw, kept = _drawn(folder), KeptDraws(DEVICE, folder / "kept")
    (folder / "kept").mkdir(exist_ok=True)
    shutil.copy(path, kept._path(draw))
    found = kept.find(draw)
    if found is None:
        raise WrongUse("it is counted again")
    return found


def capture_lines(folder: Path) -> bytes:
    listed = [{"event": 7, "name": "vkCmdDraw()", "marker": "", "stage": "fragment"}]
    records: list[dict[str, Any]] = [
        {"kind": "capture", "api": "Vulkan", "renderdoc": "1.24", "draws": listed},
        draw_record(folder / opening.PACK),
        {"kind": "counters", "values": {"7": [0.5, 12]}},
        {"kind": "end"},
    ]
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def read_capture_lines(path: Path) -> object:
    folder = path.with_name("kept-capture")
    folder.mkdir(exist_ok=True)
    draw_record(folder / opening.PACK)
    shutil.copy(path, folder / opening.LINES)
    return opening.saved(folder)


def read_contents(path: Path) -> object:
    """Lines of a saved draw, and all bytes that they say it had bound."""
    frame = read_capture_lines(path)
    assert isinstance(frame, CapturedFrame)
    for draw in frame.draws:
        for each in _contents_in(draw):
            if each.nbytes < 1 << 26:
                each.read()
    return frame


def _contents_in(part: object) -> Iterator[Contents]:
    if isinstance(part, Contents):
        yield part
    elif isinstance(part, tuple | list):
        for each in part:
            yield from _contents_in(each)
    elif dataclasses.is_dataclass(part):
        for field in dataclasses.fields(part):
            yield from _contents_in(getattr(part, field.name))


def saved_project(folder: Path) -> bytes:
    """The project file of a captured draw that was saved."""
    lines = capture_lines(folder).splitlines(keepends=True)
    (folder / opening.LINES).write_bytes(b"".join(lines))
    frame = opening.saved(folder)
    return captured.save(folder / "saved", folder, frame.draws[0]).read_bytes()


def read_saved_project(path: Path) -> object:
    """The project file is damaged, what it names is whole."""
    (folder,) = path.parent.rglob("saved")
    shutil.copy(path, folder / "damaged.shaderlab.toml")
    return reading.read(folder / "damaged.shaderlab.toml")


def read_pairs(path: Path) -> object:
    folder = path.with_name("models")
    folder.mkdir(exist_ok=True)
    shutil.copy(path, folder / pair_tables.FILE)
    return pair_tables.read(folder)


def own_pair(_: Path) -> bytes:
    """One of the table that ships, as `shaderlab pairs --json` prints it."""
    table = json.loads((models() / pair_tables.FILE).read_bytes())
    return json.dumps(table["pairs"][0]).encode()


def read_shared(path: Path) -> object:
    """A folder that others add to, with a checksum that vouches for the damaged file."""
    folder = path.with_name("shared")
    folder.mkdir(exist_ok=True)
    data = path.read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    (folder / "soft.parquet").write_bytes(data)
    (folder / "soft.sha256").write_text(f"{digest}  soft.parquet\n")
    with sharing.fetched(str(folder)) as (verified,):
        assert verified.path is not None, verified.reason
        return list(exchange.read(verified.path))


def read_checksum(path: Path) -> object:
    """A sound file whose checksum is the damaged one."""
    folder = path.with_name("shared")
    folder.mkdir(exist_ok=True)
    (folder / "soft.parquet").write_bytes(b"data")
    shutil.copy(path, folder / "soft.sha256")
    with sharing.fetched(str(folder)) as (verified,):
        if verified.path is None:
            raise WrongUse(verified.reason)
    return verified


def checksum(_: Path) -> bytes:
    return f"{hashlib.sha256(b'data').hexdigest()}  soft.parquet\n".encode()
