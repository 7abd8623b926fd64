"""What the commands answer, written down to be compared with what they answer later.

python -m tests.golden --to FOLDER [--against FOLDER] [--kind K]… [--real N] [--shared DIR]

One JSON file a shader and command: exit code and `--json`, without what is measured; modules,
pictures and, of shaders that are not ours, every text as SHA-256.  Every command has caches of its
own at first; `predict` is asked twice, so that its second answer rests on what the first one kept.
With `--against`, each difference is printed, and the exit code is 1 if there is one.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.golden.subjects import KINDS, ROOT, SHARED, Subject, subjects

_MEASURED = frozenset(
    {"slowdown", "seconds", "profile", "by_host", "compile_s", "compile_processor_s"}
)
_SIZE = ("--size", "256x192")
_DEVICE = ("--device", "llvmpipe", "--deadline", "60")
_LIMIT_S = 600
_MOST_SHOWN = 20


@dataclass(frozen=True)
class _Asked:
    """A command, by the name its answer is kept under."""

    name: str
    words: tuple[str, ...]
    """With OUT where a file or folder of its own is to be named."""


def _asked(subject: Subject) -> Iterator[_Asked]:
    file = str(subject.path)
    if subject.kind == "captures":
        yield _Asked("capture", ("capture", file, *_DEVICE))
        yield _Asked("check", ("check", file, "--budget", "rtx3060=1s", *_DEVICE))
        return
    yield _Asked("compile", ("compile", file, "-o", "OUT.spv"))
    yield _Asked("inputs", ("inputs", file))
    yield _Asked("predict", ("predict", file, *_SIZE, *_DEVICE))
    yield _Asked("predict-again", ("predict", file, *_SIZE, *_DEVICE))
    yield _Asked("static", ("predict", file, "--static"))
    yield _Asked("trace", ("trace", file, *_SIZE, *_DEVICE))
    yield _Asked("render", ("render", file, "-o", "OUT.png", *_SIZE, *_DEVICE))
    budget = ("--budget", "rtx3060=1s", "--budget", "llvmpipe=100s")
    yield _Asked("check", ("check", file, *budget, *_SIZE, *_DEVICE))
    of = ("--target", "navi23", "--target", "renoir")
    if subject.kind in ("examples", "kernels"):
        yield _Asked("compiled", ("compiled", file, *of))
    if subject.name in ("examples-gradient", "examples-cube"):
        yield _Asked("counts", ("compiled", file, *of, "--counts", *_SIZE, *_DEVICE))
        yield _Asked("sweep", ("sweep", file, "iTime=1,2", *_SIZE, *_DEVICE))
        yield _Asked("report", ("report", file, "-o", "OUT", *_SIZE, *_DEVICE))
        yield _Asked("record", ("record", file, "--to", "OUT.store", "--trials", "2", "--draws",
                                "2", *_SIZE, *_DEVICE))  # fmt: skip


def _answers(subject: Subject, folder: Path) -> dict[str, Any]:
    """By the command's name."""
    with tempfile.TemporaryDirectory() as home:
        out, places = Path(home) / "out", {}
        for name in ("CONFIG", "DATA", "CACHE", "STATE"):
            places[f"XDG_{name}_HOME"] = f"{home}/{name}"
        environment = os.environ | places | {"QT_QPA_PLATFORM": "offscreen"}
        found: dict[str, Any] = {}
        for asked in _asked(subject):
            words = [word.replace("OUT", str(out)) for word in asked.words]
            ended = subprocess.run(
                [sys.executable, "-m", "shaderlab", *words, "--json"],
                capture_output=True, env=environment, timeout=_LIMIT_S, check=False, cwd=folder,
            )  # fmt: skip
            data = json.loads(ended.stdout) if ended.stdout else ended.stderr.decode()
            written = (out.with_suffix(".spv"), out.with_suffix(".png"), out / "picture.png")
            files = {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in written
                     if p.is_file()}  # fmt: skip
            for path in written:
                path.unlink(missing_ok=True)
            found[asked.name] = _plain(
                {"exit": ended.returncode, "files": files, "json": data},
                {home: "HOME", str(ROOT): "ROOT", str(subject.path.parent): "FOLDER"},
                subject.is_ours,
            )
        return found


def _plain(value: Any, places: Mapping[str, str], readable: bool) -> Any:
    if isinstance(value, dict):
        kept = {name: of for name, of in value.items() if name not in _MEASURED}
        return {name: _plain(of, places, readable) for name, of in kept.items()}
    if isinstance(value, list):
        return [_plain(each, places, readable) for each in value]
    if isinstance(value, str):
        for place, name in places.items():
            value = value.replace(place, name)
        return value if readable else f"sha:{hashlib.sha256(value.encode()).hexdigest()[:16]}"
    return value


def _flat(value: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for name, each in inner:
        if isinstance(each, dict | list) and each:
            yield from _flat(each, f"{at}.{name}")
        else:
            yield f"{at}.{name}", each


def _differences(before: Path, now: Path) -> Iterator[str]:
    """Of answers that both folders have."""
    for path in sorted(now.glob("*/*.json")):
        other = before / path.relative_to(now)
        if not other.is_file():
            continue
        new, old = (dict(_flat(json.loads(each.read_bytes()))) for each in (path, other))
        for at in [*old, *(each for each in new if each not in old)]:
            if old.get(at) != new.get(at) or (at in old) != (at in new):
                yield f"{path.relative_to(now)}{at}: {old.get(at)!r} -> {new.get(at)!r}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--to", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--against", type=Path, metavar="FOLDER")
    parser.add_argument("--kind", choices=KINDS, action="append")
    parser.add_argument("--real", type=int, default=60, metavar="N")
    parser.add_argument("--shared", type=Path, default=SHARED, metavar="DIR")
    parser.add_argument("--at-once", type=int, default=2, metavar="N")
    arguments = parser.parse_args()
    to = arguments.to.resolve()
    chosen = list(subjects(arguments.kind or [*KINDS], arguments.real, arguments.shared))
    to.mkdir(parents=True, exist_ok=True)

    def freeze(subject: Subject) -> None:
        for name, answer in _answers(subject, to).items():
            path = to / subject.name / f"{name}.json"
            path.parent.mkdir(exist_ok=True)
            path.write_text(json.dumps(answer, indent=1, sort_keys=True))
        print(subject.name, flush=True)

    with ThreadPoolExecutor(arguments.at_once) as pool:
        list(pool.map(freeze, chosen))
    found = list(_differences(arguments.against, to)) if arguments.against else []
    for each in found[:_MOST_SHOWN]:
        print(each)
    if arguments.against:
        print(f"{len(found)} differences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
