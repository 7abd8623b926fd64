"""What llvmpipe's vector width does to times.

python -m tests.benchmarks.vector_widths [--widths 128,256] [--trials 3] [--draws 3] [--size WxH]

Microarchitectures that this machine can really be: llvmpipe compiles for 128, 256 or 512 bits
(LP_NATIVE_VECTOR_WIDTH).  Every example is timed at each; the first width's times are predicted
from the last's, by the median factor of the other examples.
"""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import closing

import numpy as np

from models.laboratory import measured_figures
from shaderlab.cli.options import size
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.examples import examples
from shaderlab.frontend.program import Program
from shaderlab.gpu.measurement import own_clock
from shaderlab.scene.draw import Draw
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.discovery import discover

WIDTH, CACHE = "LP_NATIVE_VECTOR_WIDTH", "MESA_SHADER_CACHE_DISABLE"


def timed(programs: list[Program], width: int, arguments: argparse.Namespace) -> list[float]:
    """Seconds of each at a width; nan where it cannot be timed."""
    # The child inherits both before it loads the driver.  Code that Mesa kept on disk may be of
    # another width, since its key does not have it.
    os.environ[WIDTH], os.environ[CACHE] = str(width), "true"
    try:
        info = discover().result().choose("llvmpipe")
        print(f"{width}: {info.name}", flush=True)
        found = []
        with closing(DeviceWorker(info)) as device:
            for program in programs:
                draw = Draw.of(program, arguments.size)
                try:
                    measured = device.profile(draw, arguments.trials, arguments.draws).result()
                    found.append(own_clock(measured, info.kind)[0].median_s)
                except ShaderlabError as error:
                    print(f"{program.name} at {width}: {error}")
                    found.append(float("nan"))
        return found
    finally:
        del os.environ[WIDTH], os.environ[CACHE]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--widths", default="128,256", metavar="BITS,…")
    parser.add_argument("--trials", type=int, default=3, metavar="N")
    parser.add_argument("--draws", type=int, default=3, metavar="N")
    parser.add_argument("--size", type=size, default=(256, 192), metavar="WxH")
    measured_figures.add_option(parser)
    arguments = parser.parse_args()
    widths = [int(each) for each in arguments.widths.split(",")]
    with closing(CompilerWorker()) as compiler:
        programs = [compiler.load(each.path).result() for each in examples()]
    times = np.array([timed(programs, width, arguments) for width in widths])
    known = np.isfinite(times).all(axis=0)
    for place, program in enumerate(programs):
        print(f"{program.name:24} {'  '.join(f'{each[place]:.3e}' for each in times)}")
    if known.sum() < 3:
        print("too few were timed at every width")
        return 1
    ratios = times[0, known] / times[-1, known]
    errors = [
        abs(np.median(np.delete(ratios, place)) / ratio - 1) for place, ratio in enumerate(ratios)
    ]
    print(
        f"{widths[0]} over {widths[-1]} bits: median {np.median(ratios):.2f}, "
        f"{ratios.min():.2f} to {ratios.max():.2f}; by the others' median factor off by "
        f"{np.median(errors):.1%} in the median"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
