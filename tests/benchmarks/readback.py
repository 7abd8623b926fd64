"""What reading the picture back costs, by hand: `python tests/benchmarks/readback.py [DEVICE]`.

Frames of each bundled example at 1024x768, drawn only and drawn with the picture copied into shared
memory, in turn, so that whatever else the machine does falls on both alike.
"""

from __future__ import annotations

import os
import platform
import statistics
import sys
import time
from multiprocessing.shared_memory import SharedMemory

import numpy as np

from shaderlab.frontend.compiler import load_program
from shaderlab.frontend.examples import examples
from shaderlab.gpu import discovery, drivers
from shaderlab.scene.draw import Draw
from shaderlab.scene.inputs import Inputs

SIZE = (1024, 768)
SECONDS_PER_SHADER = 2.0
FEWEST_PAIRS = 5


def main(wanted: str | None) -> None:
    info = discovery.discover().choose(wanted)
    drivers.select(info.manifest)
    from shaderlab.gpu.vulkan.device import Device
    from shaderlab.gpu.vulkan.rendering import Renderer

    print(f"{info.name}, {info.driver}")
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(f"{'':14} {'draw/s':>8} {'with read-back':>14} {'cost':>7}")
    memory = SharedMemory(create=True, size=SIZE[0] * SIZE[1] * 4)
    out = np.ndarray((SIZE[1], SIZE[0], 4), np.uint8, memory.buf)
    costs = []
    try:
        with Device.open(info) as device:
            for example in examples():
                program = load_program(example.path)
                with Renderer(device, Draw.of(program, SIZE)) as renderer:
                    bare, full = _pairs(renderer, out)
                costs.append(1 - bare / full)
                print(f"{program.name:14} {1 / bare:8.1f} {1 / full:14.1f} {costs[-1]:7.1%}")
    finally:
        del out
        memory.close()
        memory.unlink()
    print(f"median {statistics.median(costs):.1%} of frames per second, worst {max(costs):.1%}")


def _pairs(renderer, out: np.ndarray) -> tuple[float, float]:
    """Median seconds of a frame drawn only, and of one read back."""
    inputs = Inputs.at()
    renderer.render(inputs, out)
    bare: list[float] = []
    full: list[float] = []
    end = time.perf_counter() + SECONDS_PER_SHADER
    while len(bare) < FEWEST_PAIRS or time.perf_counter() < end:
        start = time.perf_counter()
        renderer.draw(inputs)
        middle = time.perf_counter()
        renderer.render(inputs, out)
        bare.append(middle - start)
        full.append(time.perf_counter() - middle)
    return statistics.median(bare), statistics.median(full)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
