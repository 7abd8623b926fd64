"""What do the pinned libraries make of shaders, compared with the programs on PATH?  Run by hand:

    python -m tests.benchmarks.compiler_drift CORPUS.jsonl.zst [--shaders 500] [--target T]...

Compiles and optimises (`spirv-opt -O`) shaders drawn from the corpus by a fixed seed both ways.
Printed is how many modules are the same but for the compiler's own number in the header, how many
are the same in every instruction but debug information, and how far the additive forecasts of
those that differ move.  Forecasts are of the counts that the text lets expect (`--static`), which
are a function of the module: nothing runs on a device.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import zstandard

from shaderlab.errors import ShaderlabError
from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.optimizing import optimized
from shaderlab.frontend.program import Program
from shaderlab.frontend.toolchain import choice
from shaderlab.frontend.toolchain.interface import Toolchain
from shaderlab.frontend.toolchain.libraries import Libraries
from shaderlab.frontend.toolchain.programs import Programs
from shaderlab.prediction.catalogue.targets import catalogue
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecasts import static_counts
from shaderlab.prediction.forms import METHODS, Form
from shaderlab.spirv.trace import Trace

SEED = 17
TARGETS = ("rtx3060", "rx6600xt", "llvmpipe")
FORMS = (Form.WRITTEN, Form.OPTIMIZED)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--shaders", type=int, default=500, help="shaders that must compile")
    parser.add_argument("--target", action="append", help="default: " + ", ".join(TARGETS))
    arguments = parser.parse_args()
    targets = arguments.target or TARGETS
    chains = (Libraries(), Programs())
    for chain in chains:
        print(", ".join(f"{name} {version}" for name, version in chain.versions().items()))
    shares: dict[Form, Counter[str]] = {form: Counter() for form in FORMS}
    moved: dict[tuple[str, Form], list[float]] = {(t, form): [] for t in targets for form in FORMS}
    compared, refused = 0, Counter[str]()
    with tempfile.TemporaryDirectory() as cache:
        os.environ["XDG_CACHE_HOME"] = cache
        for name, text in _drawn(arguments.corpus):
            if compared >= arguments.shaders:
                break
            made = [_forms(chain, name, text) for chain in chains]
            if None in made:
                refused["by both" if made[0] is made[1] else f"by one: {name}"] += 1
                continue
            compared += 1
            ours, theirs = (each for each in made if each is not None)
            for form in FORMS:
                shares[form] += Counter(_alike(ours[form], theirs[form]))
            counted = [_counted(forms) for forms in (ours, theirs)]
            for target, form in moved:
                a, b = (_forecast_s(target, form, forms) for forms in counted)
                moved[target, form].append(abs(a / b - 1))
    print(f"{compared} shaders; not compiled: {dict(refused) or 'none'}")
    print(f"\n{'form':12}{'same module':>14}{'same code':>14}")
    for form, share in shares.items():
        print(f"{form:12}" + "".join(f"{share[key]:7}{share[key] / compared:7.1%}" for key in
                                     ("module", "code")))  # fmt: skip
    print(f"\n{'forecast moved by':34}{'median':>9}{'95th':>9}{'most':>9}{'not at all':>13}")
    for (target, form), values in moved.items():
        found = np.percentile(values, (50, 95, 100))
        print(f"{target:14}{METHODS[form]:20}" + "".join(f"{value:9.2%}" for value in found)
              + f"{np.mean(np.array(values) == 0):13.1%}")  # fmt: skip


def _drawn(corpus: Path) -> Iterator[tuple[str, str]]:
    with corpus.open("rb") as file:
        lines = zstandard.ZstdDecompressor().stream_reader(file).read().decode().splitlines()
    random.Random(SEED).shuffle(lines)
    for shader in map(json.loads, lines):
        yield shader["id"], shader["code"]


def _forms(chain: Toolchain, name: str, text: str) -> dict[Form, Program] | None:
    choice.use(chain)
    try:
        program = compile_text(text, name, None)
        return {Form.WRITTEN: program, Form.OPTIMIZED: optimized(program)}
    except ShaderlabError:
        return None


def _alike(one: Program, other: Program) -> Iterator[str]:
    if one.spirv[:8] + one.spirv[12:] == other.spirv[:8] + other.spirv[12:]:
        yield "module"
    if one.fingerprint == other.fingerprint:
        yield "code"


def _counted(forms: dict[Form, Program]) -> TracedProgram:
    counts = static_counts.read()

    def traced(program: Program) -> tuple[Program, Trace]:
        return program, counts.count(program).trace

    others = {Form.OPTIMIZED: TracedProgram(*traced(forms[Form.OPTIMIZED]))}
    return TracedProgram(*traced(forms[Form.WRITTEN]), others)


def _forecast_s(target: str, form: Form, counted: TracedProgram) -> float:
    (chosen,) = catalogue().choose([target])
    return chosen.forecast(counted, METHODS[form]).time_s


if __name__ == "__main__":
    main()
