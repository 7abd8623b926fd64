"""What a compile costs, by hand: `python tests/benchmarks/compile_speed.py`.

Medians in milliseconds over the bundled examples, wall clock and this process's CPU time, by the
libraries and by the programs on PATH: what the first text costs, a fresh compile, and a text with
an error (which is tried under both versions of GLSL); then what the programs' cache answers from
memory, and from the disk as the next process finds it.
"""

from __future__ import annotations

import os
import platform
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress

from shaderlab.errors import CompileFailed
from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.examples import Example, examples
from shaderlab.frontend.toolchain import choice
from shaderlab.frontend.toolchain.libraries import Libraries
from shaderlab.frontend.toolchain.programs import Programs


def milliseconds(work: Callable[[], object]) -> tuple[float, float]:
    """Wall clock and CPU time."""
    begin = time.perf_counter(), time.process_time()
    with suppress(CompileFailed):
        work()
    return (time.perf_counter() - begin[0]) * 1e3, (time.process_time() - begin[1]) * 1e3


def main() -> None:
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; "
          f"{len(examples())} examples")  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        for chain in (Libraries(), Programs()):
            print(", ".join(f"{name} {version}" for name, version in chain.versions().items()))
            choice.use(chain)
            row("first", [milliseconds(chain.warm_up)])
            row("fresh", [milliseconds(compiling(each)) for each in examples()])
            row("error", [milliseconds(compiling(each, broken=True)) for each in examples()])
        row("memory", [milliseconds(compiling(each)) for each in examples()])
        choice.use(Programs())
        row("disk", [milliseconds(compiling(each)) for each in examples()])


def compiling(example: Example, *, broken: bool = False) -> Callable[[], object]:
    text = example.path.read_text(encoding="utf-8")
    if broken:
        text = text.replace("fragColor =", "fragColour =")
    return lambda: compile_text(text, example.title, None)


def row(name: str, times: list[tuple[float, float]]) -> None:
    wall, cpu = zip(*times, strict=True)
    print(f"  {name:8} {statistics.median(wall):7.2f} ms   worst {max(wall):7.2f} ms   "
          f"CPU {statistics.median(cpu):7.2f} ms")  # fmt: skip


if __name__ == "__main__":
    main()
