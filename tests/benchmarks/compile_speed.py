"""What a compile costs, by hand: `python tests/benchmarks/compile_speed.py`.

Medians in milliseconds over the bundled examples: a fresh compile (one glslang process), the same
from this process's memory, from the disk as the next process finds it, and a text with an error
(which is tried under both versions of GLSL).
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
from shaderlab.frontend import compiler, tools
from shaderlab.frontend.examples import examples


def milliseconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    with suppress(CompileFailed):
        work()
    return (time.perf_counter() - begin) * 1e3


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        compiler.compile_text("void mainImage(out vec4 c, in vec2 f) { c = f.xyxy; }", "warm", None)
        rows: dict[str, list[float]] = {}
        for example in examples():
            text = example.path.read_text()

            def compile_it(text: str = text, name: str = example.title) -> None:
                compiler.compile_text(text, name, None)

            rows.setdefault("fresh", []).append(milliseconds(compile_it))
            rows.setdefault("memory", []).append(milliseconds(compile_it))
            compiler._cache.cache_clear()
            rows.setdefault("disk", []).append(milliseconds(compile_it))
            broken = text.replace("fragColor =", "fragColour =")
            rows.setdefault("error", []).append(milliseconds(lambda t=broken: compile_it(t)))
        start = [
            milliseconds(lambda: tools.run(["glslangValidator", "--version"])) for _ in range(9)
        ]

    load = os.getloadavg()[0]
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, load {load:.1f}; {len(examples())} examples"
    )
    print(f"glslang {tools.version('glslangValidator')}")
    print(f"{'process alone':14} {statistics.median(start):7.2f} ms")
    for name, values in rows.items():
        print(f"{name:14} {statistics.median(values):7.2f} ms   worst {max(values):7.2f} ms")


if __name__ == "__main__":
    main()
