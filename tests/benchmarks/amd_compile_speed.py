"""All AMD families for each bundled example, compiled side by side from a warm start.

    amd_compile_speed.py [ROUNDS]

Prints seconds from request to the last family's answer: the first round (cold pipelines) and the
median of the others, per example and over all; then the same for one family alone.
"""

from __future__ import annotations

import platform
import statistics
import sys
import time
from contextlib import closing

from shaderlab.frontend.compiler import load_program
from shaderlab.frontend.program import Program
from shaderlab.locations import resources
from shaderlab.workers import compiled
from shaderlab.workers.compiled import CompiledWorkers


def seconds(workers: CompiledWorkers, program: Program, slugs: list[str] | None = None) -> float:
    start = time.perf_counter()
    for future in workers.compile(program, slugs).values():
        future.result()
    return time.perf_counter() - start


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    programs = [load_program(p) for p in sorted((resources() / "examples").glob("*.frag"))]
    start = time.perf_counter()
    targets = compiled.amd().result()
    print(f"{platform.processor() or platform.machine()}, {targets[0].driver}")
    print(f"{len(targets)} families found in {time.perf_counter() - start:.2f} s")
    with closing(CompiledWorkers(targets)) as workers:
        start = time.perf_counter()
        seconds(workers, programs[0])
        print(f"started, with the first answers, in {time.perf_counter() - start:.2f} s")
        medians, alone = [], []
        for program in programs:
            first = seconds(workers, program)
            again = statistics.median(seconds(workers, program) for _ in range(rounds))
            alone.append(seconds(workers, program, [targets[-1].family.slug]))
            medians.append(again)
            print(f"{program.name:24s} first {first:.3f} s  again {again:.3f} s")
    print(f"median example, all families: {statistics.median(medians):.3f} s")
    print(f"median example, one family: {statistics.median(alone):.3f} s")


if __name__ == "__main__":
    main()
