"""Does the line through times at several sizes say what the largest takes?

python -m tests.benchmarks.size_scaling [SHADER...] [--device D] [--trials 5] [--draws 5]

For every example: the line (relative least squares) through the times up to 1024x768, against the
time measured at 1448x1086.  Wanted: off by at most 5 % in the median and 15 % at worst, on a quiet
machine.  The work per pixel is counted too: where it changes with the size, no line can hold.
"""

from __future__ import annotations

import argparse
import statistics
from contextlib import closing
from math import prod
from pathlib import Path

import numpy as np

from models.laboratory import measured_figures
from shaderlab.errors import ShaderTimeout
from shaderlab.frontend.examples import examples
from shaderlab.gpu.measurement import own_clock
from shaderlab.prediction.scaling import Law, fit
from shaderlab.scene.draw import SEVERAL_SIZES, Draw
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.discovery import discover

_CHANGED = 0.02
"""A change of the instructions per pixel that is worth saying."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    every = [each.path for each in examples() if each.path.suffix == ".frag"]
    parser.add_argument("shaders", nargs="*", type=Path, default=every)
    parser.add_argument("--device", default="llvmpipe", metavar="D")
    parser.add_argument("--trials", type=int, default=5, metavar="N")
    parser.add_argument("--draws", type=int, default=5, metavar="N")
    measured_figures.add_option(parser)
    options = parser.parse_args()
    info = discover().result().choose(options.device)
    errors = []
    *known, largest = SEVERAL_SIZES
    with closing(CompilerWorker()) as compiler, closing(DeviceWorker(info)) as device:
        for path in options.shaders:
            draw = Draw.of(compiler.load(path).result())

            def seconds(size: tuple[int, int], draw: Draw = draw) -> float:
                made = device.profile(draw.of_size(size), options.trials, options.draws).result()
                return float(np.median(own_clock(made, info.kind)[0].trials_s))

            def work(size: tuple[int, int], draw: Draw = draw) -> float:
                """Instructions per pixel."""
                counted = device.trace(draw.of_size(size)).result()
                return counted.instructions_executed / prod(size)

            try:
                law = fit(Law.LINEAR, [prod(s) for s in known], [seconds(s) for s in known],
                          relative=True)  # fmt: skip
                measured = seconds(largest)
                change = work(largest) / work(known[-1]) - 1
            except ShaderTimeout as left_out:
                print(f"{path.stem:22} left out: {left_out}", flush=True)
                continue
            error = law.at(prod(largest)) / measured - 1
            errors.append(abs(error))
            said = f", work per pixel {change:+.1%}" if abs(change) > _CHANGED else ""
            print(f"{path.stem:22} {measured * 1e3:9.1f} ms  line {error:+6.1%}{said}", flush=True)
    measured_figures.keep(
        options.keep,
        f"size scaling, {options.device}",
        {"shaders": len(errors), "median": statistics.median(errors), "worst": max(errors)},
    )
    print(f"{len(errors)} shaders: median {statistics.median(errors):.1%}, worst {max(errors):.1%}")


if __name__ == "__main__":
    main()
