"""How much faster are the forecasts users get than the paper's Transformer, in one run?

    python tests/benchmarks/shaderperformer_speed.py [--rounds 5] [--example NAME]...

Compiles and traces bundled examples on a software driver, then times in this process, by the wall
clock (run it on an idle machine):
new     `predict`, every target by its default method, a program not seen before
edited  the same after one line of it changed
small   the shipped ShaderPerFormer, one target
paper   the paper's configuration in the same inference, one target, once per example; its weights
        are drawn, as nothing in it takes longer for other numbers
ratio   paper over new: one target of theirs against all of ours
Medians over the rounds, ms.  Then the most memory a process takes that predicts every target so.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import platform
import re
import statistics
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from time import perf_counter

import numpy as np

from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.examples import examples
from shaderlab.frontend.program import Program
from shaderlab.gpu import discovery
from shaderlab.prediction.catalogue.targets import catalogue
from shaderlab.prediction.features import program_analysis as analysis
from shaderlab.prediction.forecasts.predict import predict
from shaderlab.prediction.models import shaderperformer
from shaderlab.prediction.models.shaderperformer import PAPER
from shaderlab.prediction.models.shaderperformer_model import METHOD
from shaderlab.scene.draw import Draw
from shaderlab.spirv.tokens import tokenize
from shaderlab.spirv.trace import Trace
from shaderlab.workers.device import DeviceWorker

COLUMNS = ("tokens", "new", "edited", "small", "paper", "ratio")
PAPERS_EXAMPLES = ("truchet", "marble", "cube")
"""By default: around the median number of tokens."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--example", action="append")
    options = parser.parse_args()
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    targets = catalogue().targets
    mine = [t.card.target.slug for t in targets if METHOD in [m.name for m in t.methods]]
    print(f"{len(targets)} targets\n{'':12}" + "".join(f"{name:>10}" for name in COLUMNS))
    weights = drawn_weights()
    rows = []
    chosen = [e for e in examples() if e.path.stem in (options.example or PAPERS_EXAMPLES)]
    info = discovery.discover().choose("llvmpipe")
    with closing(DeviceWorker(info)) as worker:
        for example in chosen:
            text = example.path.read_text("utf-8")
            versions = [traced(worker, edited(text, n)) for n in range(options.rounds + 1)]
            rows.append(measured(versions, mine[:1], weights))
            print(f"{example.path.stem:12}" + "".join(f"{x:10.1f}" for x in rows[-1]), flush=True)
    middle = [statistics.median(column) for column in zip(*rows, strict=True)]
    print(f"{'median':12}" + "".join(f"{x:10.1f}" for x in middle))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(f"memory of a predicting process: {pool.apply(memory_mib, versions[0]):.0f} MiB")


def edited(text: str, number: int) -> str:
    """The text with one more line at the end of its last function, another for each number."""
    body, brace, rest = text.rpartition("}")
    return f"{body}    fragColor.rgb += 1e-9 * 1.{number + 1};\n{brace}{rest}"


def traced(worker: DeviceWorker, text: str) -> tuple[Program, Trace]:
    program = compile_text(text, "benchmark", None)
    return program, worker.trace(Draw.of(program, (256, 192))).result()


def drawn_weights() -> dict[str, np.ndarray]:
    """Of the paper's configuration, in single precision, so that nothing is converted meanwhile."""
    generator = np.random.default_rng(0)
    return {
        name: generator.standard_normal(shape, np.float32) * np.float32(0.02)
        for name, shape in shaderperformer.shapes(PAPER).items()
    }


def measured(
    versions: list[tuple[Program, Trace]], target: list[str], weights: dict[str, np.ndarray]
) -> list[float]:
    """One row of `COLUMNS`."""
    new, after, small = [], [], []
    (first, trace), *others = versions
    for program, edit_trace in others:
        analysis.forget()
        new.append(ms(lambda: predict(first, trace)))
        after.append(ms(lambda p=program, t=edit_trace: predict(p, t)))
        small.append(ms(lambda p=program, t=edit_trace: predict(p, t, target, method=METHOD)))
    tokens = tokenize(first.module, first.entry_point)
    counts = shaderperformer.token_counts(tokens, {b.label: b.count for b in trace.blocks})
    paper = ms(lambda: shaderperformer.log_seconds(weights, PAPER, tokens.ids, counts))
    middle = [statistics.median(each) for each in (new, after, small)]
    return [float(len(tokens)), *middle, paper, paper / middle[0]]


def ms(what: Callable[[], object]) -> float:
    start = perf_counter()
    what()
    return (perf_counter() - start) * 1e3


def memory_mib(program: Program, trace: Trace) -> float:
    """Peak resident memory of this process after a prediction of every target.

    Not from `getrusage`, whose peak is inherited from the process this one was started by.
    """
    predict(program, trace)
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1024


if __name__ == "__main__":
    main()
