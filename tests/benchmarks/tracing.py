"""What tracing costs, by hand: `python tests/benchmarks/tracing.py [DEVICE]`.

Bundled examples at 512x384, plain and traced frames in turn.  `frame` is the traced frame against
the plain one by the device's own clock; `trace` is all of a trace (frame, sums, lane groups)
against a plain frame, by the wall; `first` is a first trace, its pipeline included.
"""

from __future__ import annotations

import os
import platform
import statistics
import sys
import time

from shaderlab.frontend.compiler import load_program
from shaderlab.frontend.examples import examples
from shaderlab.gpu import discovery, drivers
from shaderlab.scene.draw import Draw

SIZE = (512, 384)
SECONDS_PER_SHADER = 1.5
FEWEST_PAIRS = 5
SLOW_S = 5e-3


def main(wanted: str | None) -> None:
    info = discovery.discover().choose(wanted)
    drivers.select(info.manifest)
    from shaderlab.gpu.vulkan.device import Device
    from shaderlab.gpu.vulkan.rendering import Renderer
    from shaderlab.gpu.vulkan.tracing import trace

    print(f"{info.name}, {info.driver}")
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(
        f"{'':20} {'blocks':>6} {'plain ms':>9} {'frame':>7} {'trace':>7} {'extra ms':>9} first ms"
    )
    slow, fast = [], []
    with Device.open(info) as device:
        for example in examples():
            program = load_program(example.path)
            draw = Draw.of(program, SIZE)
            with Renderer(device, draw) as renderer:
                renderer.draw(draw.inputs)
                start = time.perf_counter()
                blocks = len(trace(device, draw).blocks)
                first = time.perf_counter() - start
                plain, traced, frame = [], [], []
                end = time.perf_counter() + SECONDS_PER_SHADER
                while len(plain) < FEWEST_PAIRS or time.perf_counter() < end:
                    start = time.perf_counter()
                    renderer.draw(draw.inputs)
                    middle = time.perf_counter()
                    frame.append(trace(device, draw, slowdown=True).slowdown)
                    plain.append(middle - start)
                    traced.append(time.perf_counter() - middle)
            alone, whole = statistics.median(plain), statistics.median(traced)
            ratio = statistics.median(frame)
            if alone > SLOW_S:
                slow.append(ratio)
            else:
                fast.append(whole - alone)
            print(
                f"{program.name:20} {blocks:6} {alone * 1e3:9.2f} {ratio:7.2f} {whole / alone:7.2f}"
                f" {(whole - alone) * 1e3:9.2f} {first * 1e3:8.0f}"
            )
    if slow:
        print(f"over 5 ms: frame x{statistics.median(slow):.2f} median, x{max(slow):.2f} worst")
    if fast:
        worst = max(fast) * 1e3
        print(f"faster: {statistics.median(fast) * 1e3:.1f} ms more median, {worst:.1f} ms worst")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
