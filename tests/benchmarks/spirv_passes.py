"""How long do parsing, instrumenting and the line map take?  Run by hand:

    python -m tests.benchmarks.spirv_passes CORPUS --shaders 200

CORPUS is a folder of .spv files or a .jsonl.zst of shaders, from which some are drawn by a fixed
seed and compiled.  Prints the processor time of each part, the largest module's, the ratio to
spirv-opt reading and writing the same module as one process, and how the time grows up to 100,000
instructions of generated GLSL.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from shaderlab.errors import ShaderlabError
from shaderlab.frontend.compiler import compile_text
from shaderlab.spirv.block_counts import describe
from shaderlab.spirv.module import Module
from shaderlab.spirv.passes.counting import instrument

SEED = 20240105
PARTS = ("parse", "instrument", "line map")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--shaders", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=5, help="runs of each, the fastest counts")
    arguments = parser.parse_args()
    modules = list(_modules(arguments.corpus, arguments.shaders))
    times = np.array([_times(data, arguments.repeats) for data in modules])
    sizes = np.array([len(data) // 4 for data in modules])
    print(f"{len(modules)} modules, median {int(np.median(sizes)):,} words, "
          f"on {platform.machine()}, Python {platform.python_version()}")  # fmt: skip
    for part, name in enumerate(PARTS):
        print(f"{name:>12}: {_milliseconds(times[:, part])}")
    print(f"{'together':>12}: {_milliseconds(times.sum(axis=1))}")
    largest = int(sizes.argmax())
    instructions = len(Module.parse(modules[largest]))
    print(f"largest: {sizes[largest]:,} words, {instructions:,} instructions: "
          f"{times[largest].sum() * 1e3:.2f} ms")  # fmt: skip
    sample = list(range(0, len(modules), max(1, len(modules) // 30)))
    tool = np.array([_spirv_opt(modules[index], arguments.repeats) for index in sample])
    ratio = times[sample].sum(axis=1) / tool
    print(f"against spirv-opt reading and writing ({len(sample)} modules): its median "
          f"{np.median(tool) * 1e3:.2f} ms, ours {np.median(ratio):.2f} of its time")  # fmt: skip
    _growth(arguments.repeats)


def _growth(repeats: int) -> None:
    print("instructions  blocks  counters  together  per 1,000 instructions")
    for statements in (20, 60, 200, 600, 2000):
        data = compile_text(_generated(statements), "generated", None).spirv
        module = Module.parse(data)
        counted = instrument(module, "main")
        seconds = sum(_times(data, repeats))
        print(f"{len(module):>12,}  {len(counted.blocks):>6,}  {len(counted.fields):>8,}  "
              f"{seconds * 1e3:>5.1f} ms  {seconds * 1e6 / len(module):.3f} ms")  # fmt: skip


def _generated(statements: int) -> str:
    body = "\n".join(
        f"for (int i = 0; i < {n % 7}; i++) {{ if (v.x > {n}.) v.y += sin(v.x); else v.x *= .5; }}"
        for n in range(statements)
    )
    return f"void mainImage(out vec4 c, in vec2 at) {{ vec2 v = at;\n{body}\nc = vec4(v, v); }}"


def _modules(corpus: Path, count: int):
    if corpus.is_dir():
        yield from (path.read_bytes() for path in sorted(corpus.glob("*.spv"))[:count])
        return
    import zstandard

    with corpus.open("rb") as file:
        lines = zstandard.ZstdDecompressor().stream_reader(file).read().decode().splitlines()
    random.Random(SEED).shuffle(lines)
    found = 0
    for line in lines:
        if found == count:
            return
        shader = json.loads(line)
        try:
            program = compile_text(shader["code"], shader["id"], None)
        except ShaderlabError:
            continue
        found += 1
        yield program.spirv


def _times(data: bytes, repeats: int) -> list[float]:
    """Seconds of processor time of each of PARTS, the fastest of all repeats."""
    best = [float("inf")] * len(PARTS)
    for _ in range(repeats):
        marks = [time.process_time()]
        module = Module.parse(data)
        marks.append(time.process_time())
        counted = instrument(module, "main")
        marks.append(time.process_time())
        describe(module, counted.blocks, [0] * len(counted.blocks))
        marks.append(time.process_time())
        best = [min(old, new) for old, new in zip(best, np.diff(marks), strict=True)]
    return best


def _spirv_opt(data: bytes, repeats: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "in.spv"), Path(folder, "out.spv")
        source.write_bytes(data)
        best = float("inf")
        for _ in range(repeats):
            start = time.perf_counter()
            subprocess.run(["spirv-opt", source, "-o", target], check=True, capture_output=True)
            best = min(best, time.perf_counter() - start)
    return best


def _milliseconds(seconds: np.ndarray) -> str:
    median, high, most = np.percentile(seconds, (50, 95, 100)) * 1e3
    return f"median {median:.2f} ms, 95th {high:.2f} ms, most {most:.2f} ms"


if __name__ == "__main__":
    main()
