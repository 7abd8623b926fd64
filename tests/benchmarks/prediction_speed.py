"""How long do forecasts for all targets take, the program being new and being known?

    python tests/benchmarks/prediction_speed.py [--rounds 9]

Compiles and traces the bundled examples on a software driver, then times `predict` alone, in this
process: with a program not seen before, as after each keystroke that changes it, and with one
whose static analysis is remembered, as when only uniforms change.  Medians over the rounds, ms of
processor time: nothing here waits or runs beside itself, and other work does not count.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
from contextlib import closing
from time import process_time

from shaderlab.frontend.compiler import load_program
from shaderlab.frontend.examples import examples
from shaderlab.gpu import discovery
from shaderlab.gpu.uniforms import Uniforms
from shaderlab.prediction import analysis
from shaderlab.prediction.predict import predict
from shaderlab.prediction.targets import installed
from shaderlab.workers.device import DeviceWorker


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    targets = len(installed())
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(f"{targets} targets\n{'':16}{'words':>8}{'new ms':>10}{'known ms':>10}")
    info = discovery.choose(discovery.discover().devices, "llvmpipe")
    rows = []
    with closing(DeviceWorker(info)) as worker:
        for example in examples():
            program = load_program(example.path)
            trace = worker.trace(program, Uniforms(size=(256, 192))).result()
            new, known = [], []
            for _ in range(options.rounds):
                analysis.forget()
                new.append(timed(program, trace))
                known.append(timed(program, trace))
            row = statistics.median(new), statistics.median(known)
            rows.append((len(program.spirv) // 4, *row))
            print(f"{example.path.stem:16}{rows[-1][0]:8}{row[0]:10.1f}{row[1]:10.1f}", flush=True)
    middle = [statistics.median(column) for column in zip(*rows, strict=True)]
    print(f"{'median':16}{middle[0]:8.0f}{middle[1]:10.1f}{middle[2]:10.1f}")


def timed(program, trace) -> float:
    start = process_time()
    predict(program, trace)
    return (process_time() - start) * 1e3


if __name__ == "__main__":
    main()
