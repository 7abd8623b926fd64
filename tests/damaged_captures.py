"""Damaged captures, and saved projects of captured draws: each is refused in one line, or read."""

from __future__ import annotations

import random
import shutil
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec
import psutil

from shaderlab.captures import opening
from shaderlab.errors import ShaderlabError
from tests import rdc

SEED = 20261124
DEADLINE_S = 60.0
_STRANGE = (0, 1, 2, 7, 64, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF, 0x10000, 0x1000000)
_LARGEST_STRUCTURED = 4096
"""Bytes of a chunk that holds parameters, not contents."""


@cache
def _capture(path: Path) -> tuple[rdc.Capture, bytes, list[rdc.Chunk]]:
    capture = rdc.read(path)
    contents = capture.frame.contents
    return capture, contents, rdc.chunks(contents)


def _overwritten(dice: random.Random, data: bytearray, first: int, end: int, most: int) -> None:
    for _ in range(dice.randint(1, most)):
        data[dice.randrange(first, end)] = dice.randrange(256)


def _word(dice: random.Random, data: bytearray, at: int) -> None:
    """Another number of 32 bits: strange, or close to what it was."""
    (old,) = struct.unpack_from("<I", data, at)
    near = (old + dice.choice((-1, 1, 2, 64, -64))) & 0xFFFFFFFF
    struct.pack_into("<I", data, at, dice.choice((near, near, *_STRANGE)))


def anywhere(dice: random.Random, path: Path) -> bytes:
    data = bytearray(path.read_bytes())
    _overwritten(dice, data, 4, len(data), 30)
    return bytes(data)


def cut(dice: random.Random, path: Path) -> bytes:
    data = path.read_bytes()
    return data[: dice.randrange(4, len(data))]


def header(dice: random.Random, path: Path) -> bytes:
    """Of the file, its thumbnail's size, or the driver's name."""
    data = bytearray(path.read_bytes())
    end = rdc.FILE_HEADER.unpack_from(data)[2]
    parts = ((8, 16), (32, 40), (end - 48, end))
    _overwritten(dice, data, *dice.choice(parts), 3)
    return bytes(data)


def section(dice: random.Random, path: Path) -> bytes:
    """The table of sections: lengths, kinds, flags."""
    data = bytearray(path.read_bytes())
    at, places = rdc.FILE_HEADER.unpack_from(data)[2], []
    for each in _capture(path)[0].sections:
        places.append(at)
        at += len(each.encoded)
    at = dice.choice(places)
    for _ in range(dice.randint(1, 2)):
        _word(dice, data, at + 4 * dice.randrange(rdc.SECTION_HEADER.size // 4))
    return bytes(data)


def compressed(dice: random.Random, path: Path) -> bytes:
    data = bytearray(path.read_bytes())
    frame = _capture(path)[0].frame
    first = data.index(frame.data[:64])
    _overwritten(dice, data, first, first + len(frame.data), 8)
    return bytes(data)


def chunk_header(dice: random.Random, path: Path) -> bytes:
    """What a chunk is, or how long."""
    capture, contents, chunks = _capture(path)
    data = bytearray(contents)
    for chunk in dice.sample(chunks, dice.randint(1, 2)):
        _word(dice, data, dice.choice((chunk.start, chunk.data - 4)))
    return capture.with_frame(bytes(data)).encoded


def parameters(dice: random.Random, path: Path) -> bytes:
    """Words of what Vulkan is called with: sizes, counts, formats, handles."""
    capture, contents, chunks = _capture(path)
    data = bytearray(contents)
    small = [each for each in chunks if 4 <= each.end - each.data <= _LARGEST_STRUCTURED]
    for chunk in dice.choices(small, k=dice.randint(1, 3)):
        _word(dice, data, chunk.data + 4 * dice.randrange((chunk.end - chunk.data) // 4))
    return capture.with_frame(bytes(data)).encoded


def order(dice: random.Random, path: Path) -> bytes:
    """Chunks left out, repeated or exchanged."""
    capture, contents, chunks = _capture(path)
    starts = [each.start for each in chunks] + [len(contents)]
    places = list(range(len(chunks)))
    for _ in range(dice.randint(1, 3)):
        one, other = dice.choices(range(len(places)), k=2)
        match dice.randrange(3):
            case 0:
                places[one], places[other] = places[other], places[one]
            case 1:
                places.insert(other, places[one])
            case _:
                del places[one]
    data = b"".join(contents[starts[n] : starts[n + 1]] for n in places)
    return capture.with_frame(data).encoded


_TURNS: tuple[Callable[[random.Random, Path], bytes], ...] = (
    anywhere, cut, header, section, compressed, chunk_header, parameters, order, parameters,
    parameters,
)  # fmt: skip
"""One after the other; parameters of Vulkan's calls get furthest."""


class Outcome(NamedTuple):
    """What became of one damaged file."""

    said: str
    """The error's sentence, or how much was read; begins with `FAILED` where that is no answer."""
    cpu_s: float
    """Processor time of RenderDoc's child with all it started."""
    peak_bytes: int
    """Memory it held at most."""


def outcomes(capture: Path, numbers: range, folder: Path) -> Iterator[tuple[int, str, Outcome]]:
    """Number, kind of damage and what became of it; the same damage on every run."""
    for number in numbers:
        damage = _TURNS[number % len(_TURNS)]
        kind = damage.__name__
        path = folder / f"damaged-{number}.rdc"
        dice = random.Random(f"{SEED} {kind} {number}")
        path.write_bytes(damage(dice, capture))
        yield number, kind, _apart(path)
        path.unlink()


def _apart(path: Path) -> Outcome:
    """Read in a small process of its own, whose children's time and memory the system reports;
    0 on Windows.

    Not in a fork: a child counts what the process it was forked from held, and that of a whole test
    run is large.
    """
    if sys.platform == "win32":
        return Outcome(said_of(path), 0.0, 0)
    found = subprocess.run(
        [sys.executable, "-m", "tests.damaged_captures", str(path)],
        cwd=Path(__file__).parent.parent, stdout=subprocess.PIPE, check=False,
    )  # fmt: skip
    if found.returncode:
        return Outcome(f"FAILED: the reader's process ended with {found.returncode}", 0.0, 0)
    made = Outcome(*msgspec.json.decode(found.stdout, type=tuple[str, float, int]))
    left = _left_of(path)
    return made._replace(said=f"FAILED: left behind: {left}") if left else made


def _main() -> None:
    """Answer `_apart`."""
    import resource

    said = said_of(Path(sys.argv[1]))
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    made = Outcome(said, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)
    sys.stdout.buffer.write(msgspec.json.encode(made))


def said_of(path: Path) -> str:
    """What is said of a capture."""
    try:
        found = opening.collected("damaged", opening.events(path, deadline_s=DEADLINE_S))
        said = f"read: {len(found.draws)} draws"
        unread = [each.reason for each in found.draws if each.reason]
        if any(len(each.splitlines()) != 1 for each in unread):
            return f"FAILED: not one line: {unread!r}"
    except ShaderlabError as error:
        said = str(error)
        if len(said.splitlines()) != 1:
            return f"FAILED: not one line: {said!r}"
    except Exception as error:  # noqa: BLE001, what is looked for
        return f"FAILED: {type(error).__name__}: {error}"[:300]
    finally:
        with suppress(ShaderlabError):
            shutil.rmtree(opening.cache_folder(path), ignore_errors=True)
    return said


def _left_of(path: Path) -> list[str]:
    """Programs that still work on the file."""
    end = time.monotonic() + 2.0
    while True:
        found = []
        for each in psutil.process_iter(["cmdline", "status"]):
            words = each.info["cmdline"] or []
            if str(path) in words and each.info["status"] != psutil.STATUS_ZOMBIE:
                found.append(words[0])
        if not found or time.monotonic() > end:
            return found
        time.sleep(0.05)


if __name__ == "__main__":
    _main()
