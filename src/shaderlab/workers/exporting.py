"""Writing animations: pictures come one by one and become PNG files, a GIF or an MP4 film.

In a child of its own, as encoders are foreign code.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import Protocol

import numpy as np

from shaderlab.errors import MissingTool, WrongUse
from shaderlab.workers.supervisor.client import Client

MOST_GIF_BYTES = 1 << 30
"""Of a GIF's pictures, which are in memory until the last one came."""
_FRAME_S = 120.0
_END_S = 600.0


class Film(StrEnum):
    """What an animation is written as."""

    PNG = "png"
    """One file per picture, numbered."""
    GIF = "gif"
    MP4 = "mp4"
    """H.264; its sides are even."""


@dataclass(frozen=True)
class Plan:
    """What is to be written."""

    film: Film
    path: Path
    """Of the film; of PNG pictures `NAME.png` for files `NAME_0000.png`, ..."""
    size: tuple[int, int]
    """Pixels."""
    start_s: float
    """`iTime` of the first picture."""
    frames: int
    rate_hz: float

    def time_s(self, number: int) -> float:
        """`iTime` of a picture."""
        return self.start_s + number / self.rate_hz


class _Writer(Protocol):
    """Adds pictures, (height, width, 3) uint8 with the top row first."""

    def add(self, picture: np.ndarray) -> None: ...
    def finish(self) -> None: ...
    def discard(self) -> None:
        """Leave nothing behind."""
        ...


class _PngWriter:
    def __init__(self, plan: Plan):
        self._plan, self._written = plan, list[Path]()

    def add(self, picture: np.ndarray) -> None:
        from PIL import Image

        digits = max(len(str(self._plan.frames - 1)), 4)
        stem, number = self._plan.path.with_suffix(""), len(self._written)
        path = stem.with_name(f"{stem.name}_{number:0{digits}}.png")
        Image.fromarray(picture).save(path)
        self._written.append(path)

    def finish(self) -> None:
        """All files are there."""

    def discard(self) -> None:
        for path in self._written:
            path.unlink(missing_ok=True)


class _GifWriter:
    def __init__(self, plan: Plan):
        width, height = plan.size
        if width * height * plan.frames > MOST_GIF_BYTES:
            raise WrongUse(
                f"a GIF of {plan.frames} pictures of {width} x {height} pixels is too large: "
                "choose fewer or smaller ones, or MP4"
            )
        self._plan, self._pictures = plan, []

    def add(self, picture: np.ndarray) -> None:
        from PIL import Image

        self._pictures.append(Image.fromarray(picture).quantize(256))

    def finish(self) -> None:
        first, *rest = self._pictures
        # GIFs count hundredths of a second: each picture ends at the nearest to its own time.
        rate, count = self._plan.rate_hz, len(self._pictures)
        ends = [round(100 * n / rate) * 10 for n in range(count + 1)]
        lasts = [max(after - before, 20) for before, after in pairwise(ends)]
        with _whole(self._plan.path) as path:
            first.save(
                path, format="GIF", save_all=True, append_images=rest, duration=lasts, loop=0
            )

    def discard(self) -> None:
        self._pictures.clear()


class _Mp4Writer:
    def __init__(self, plan: Plan):
        try:
            import av
        except ImportError:
            raise MissingTool("MP4 videos need PyAV, which is not installed").with_remedy(
                "Install it (pip install av), or choose GIF or PNG."
            ) from None
        from fractions import Fraction

        self._av, self._path = av, plan.path
        self._part = plan.path.with_name(f".{plan.path.name}.part")
        self._film = av.open(str(self._part), "w", format="mp4")
        rate = Fraction(plan.rate_hz).limit_denominator(1001)
        self._stream = self._film.add_stream("libx264", rate=rate, options={"crf": "18"})
        self._stream.width, self._stream.height = (side & ~1 for side in plan.size)
        self._stream.pix_fmt = "yuv420p"

    def add(self, picture: np.ndarray) -> None:
        even = picture[: picture.shape[0] & ~1, : picture.shape[1] & ~1]
        frame = self._av.VideoFrame.from_ndarray(np.ascontiguousarray(even), format="rgb24")
        self._film.mux(self._stream.encode(frame))

    def finish(self) -> None:
        self._film.mux(self._stream.encode(None))
        self._film.close()
        self._part.replace(self._path)

    def discard(self) -> None:
        with contextlib.suppress(Exception):
            self._film.close()
        self._part.unlink(missing_ok=True)


@contextlib.contextmanager
def _whole(path: Path) -> Iterator[Path]:
    """A path to write to, which replaces the file when all of it is written."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    part = Path(name)
    try:
        os.close(handle)
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


_WRITERS: dict[Film, Callable[[Plan], _Writer]] = {
    Film.PNG: _PngWriter,
    Film.GIF: _GifWriter,
    Film.MP4: _Mp4Writer,
}


class ExportServer:
    """Runs in the child; writes one animation at a time."""

    def __init__(self) -> None:
        self._writer: _Writer | None = None

    def begin(self, plan: Plan) -> None:
        self.discard()
        try:
            self._writer = _WRITERS[plan.film](plan)
        except OSError as error:
            raise _unwritable(plan.path, error) from None

    def add(self, pixels: np.ndarray, path: Path, bottom_up: bool) -> None:
        assert self._writer is not None
        upright = pixels[::-1, :, :3] if bottom_up else pixels[:, :, :3]
        try:
            self._writer.add(np.ascontiguousarray(upright))
        except OSError as error:
            raise _unwritable(path, error) from None

    def finish(self, path: Path) -> None:
        assert self._writer is not None
        writer, self._writer = self._writer, None
        try:
            writer.finish()
        except OSError as error:
            writer.discard()
            raise _unwritable(path, error) from None

    def discard(self) -> None:
        if self._writer is not None:
            self._writer.discard()
            self._writer = None


def _unwritable(path: Path, error: OSError) -> WrongUse:
    return WrongUse(f"{path} cannot be written: {error.strerror or error}")


class ExportWorker(Client[ExportServer]):
    """Futures carry WrongUse (it cannot be written, or is too large) and MissingTool."""

    def __init__(self) -> None:
        super().__init__(
            ExportServer, name="animation writer", limits=None, start_s=60.0, low_priority=True
        )

    def begin(self, plan: Plan) -> Future[None]:
        return self._request(ExportServer.begin, _FRAME_S, "starting the animation")(plan)

    def add(self, pixels: np.ndarray, path: Path, bottom_up: bool) -> Future[None]:
        """(height, width, 3 or 4) uint8, the top row first unless `bottom_up`.  A picture of 4K has
        33 MB: it is flipped and cropped in the child, not in the interface thread."""
        add = self._request(ExportServer.add, _FRAME_S, f"writing {path.name}")
        return add(pixels, path, bottom_up)

    def finish(self, path: Path) -> Future[None]:
        return self._request(ExportServer.finish, _END_S, f"writing {path.name}")(path)

    def discard(self) -> Future[None]:
        """Leave nothing of what was begun."""
        return self._request(ExportServer.discard, _FRAME_S, "removing the animation")()
