"""How long do forecasts for all targets take, the program being new and being known?

    python tests/benchmarks/prediction_speed.py [--rounds 9]

Compiles and traces the bundled examples on a software driver, then times `predict` alone, in this
process: with a program not seen before, as after each keystroke that changes it, and with one
whose static analysis is remembered, as when only uniforms change; then, as once the text has
rested, with the program's other forms (`prediction.forms`) as well, those being new.  Medians over
the rounds, ms of processor time: nothing here waits or runs beside itself, and other work does not
count.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
from contextlib import closing
from time import process_time

from shaderlab.engine import questions
from shaderlab.engine.crew import Crew, Engine
from shaderlab.frontend.compiler import load_program
from shaderlab.frontend.examples import examples
from shaderlab.prediction.catalogue.targets import installed
from shaderlab.prediction.features import program_analysis as analysis
from shaderlab.prediction.forecasts.predict import predict
from shaderlab.prediction.forms import Form
from shaderlab.scene.draw import Draw, Frame


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    targets = len(installed())
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(f"{targets} targets\n{'':16}{'words':>8}{'new ms':>10}{'known ms':>10}{'forms ms':>10}")
    rows = []
    with closing(Engine(Crew("llvmpipe"))) as engine:
        for example in examples():
            program = load_program(example.path)
            frame = Frame.of(Draw.of(program, (256, 192)))
            trace = engine.answer(questions.trace, engine.answer(questions.device), frame, "0")
            forms = frozenset({Form.OPTIMIZED, Form.COMPILED})
            other_forms = engine.answer(questions.other_forms, frame, "0", forms, None)
            new, known, all_ = [], [], []
            for _ in range(options.rounds):
                analysis.forget()
                new.append(timed(program, trace))
                known.append(timed(program, trace))
                all_.append(timed(program, trace, other_forms))
            medians = [statistics.median(column) for column in (new, known, all_)]
            rows.append((len(program.spirv) // 4, *medians))
            print_row(example.path.stem, rows[-1])
    print_row("median", [statistics.median(column) for column in zip(*rows, strict=True)])


def timed(program, trace, other_forms=None) -> float:
    start = process_time()
    predict(program, trace, other_forms=other_forms)
    return (process_time() - start) * 1e3


def print_row(name: str, row) -> None:
    words, *times = row
    print(f"{name:16}{words:8.0f}" + "".join(f"{each:10.1f}" for each in times), flush=True)


if __name__ == "__main__":
    main()
