"""Of how many programs of a corpus is RADV's form read, and why not of the others?  Run by hand:

    python -m tests.benchmarks.replayed_share CORPUS.jsonl.zst [--shaders 500] [--icd FILE]
        [--examples FOLDER]

Shaders are drawn by a fixed seed; those that glslang refuses are not counted.  Each is compiled for
the family that models were fitted to, read (`gpu.radv.replay`), and the text compiled again; also
whether counts meet the machine code block by block.  Prints failures by cause, the most frequent
first, with an id of each.  `--icd`: RADV's driver manifest; without it, the one that forecasts use.
`--examples`: a folder for one listing of each cause.
"""

from __future__ import annotations

import argparse
import re
import statistics
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from shaderlab.campaigns import corpus
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.compiler import compile_text
from shaderlab.gpu.compilers.families import REFERENCE
from shaderlab.gpu.radv import mapping, perfinfo
from shaderlab.gpu.radv.compiled_program import replay_of
from shaderlab.workers import compiled
from shaderlab.workers.compiled import FamilyWorker

SEED = 17


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--shaders", type=int, default=500, help="that glslang compiles")
    parser.add_argument("--icd", type=Path)
    parser.add_argument("--examples", type=Path)
    options = parser.parse_args()
    (target,) = compiled.choose(compiled.amd().result(), [REFERENCE])
    if options.icd:
        target = replace(target, icd=str(options.icd.resolve()))
    causes: Counter[str] = Counter()
    ids: dict[str, str] = {}
    times: list[float] = []
    met = counted = 0
    with closing(FamilyWorker(target)) as worker:
        for shader in corpus.drawn(corpus.read(options.corpus), seed=SEED):
            if counted == options.shaders:
                break
            try:
                written = compile_text(shader.text or "", "shader.frag", None)
            except ShaderlabError:
                continue
            counted += 1
            listing, driver = "", ""
            try:
                made = worker.compile(written).result()
                times.append(made.processor_s)
                driver, listing = made.driver, made.chosen.ir
                read = replay_of(written, made)
                compile_text(read.text, "replayed.frag", None)
                found = mapping.match(read.function, perfinfo.parse(made.chosen.costs))
                met += found is not None
            except ShaderlabError as error:
                cause = f"{type(error).__name__}: {re.sub(r'[0-9]+', 'N', str(error))[:100]}"
                causes[cause] += 1
                if ids.setdefault(cause, shader.name) == shader.name and options.examples:
                    options.examples.mkdir(parents=True, exist_ok=True)
                    (options.examples / f"{shader.name}.txt").write_text(f"{error}\n{listing}")
    failed = sum(causes.values())
    print(f"{target.icd}: {driver}, {worker.replacements} children lost")
    print(f"{counted - failed} of {counted} read ({(counted - failed) / max(counted, 1):.1%})")
    print(f"{met} of them met block by block")
    if times:
        print(f"compile: median {statistics.median(times) * 1e3:.1f} ms of processor time")
    for cause, count in causes.most_common():
        print(f"  {count} x {cause} ({ids[cause]})")


if __name__ == "__main__":
    main()
