"""Of how many programs of a corpus is the compiled form read, and why not of the others?  By hand:

    python -m tests.benchmarks.replayed_share CORPUS.jsonl.zst [--shaders 500] [--family navi23]
        [--icd FILE] [--examples FOLDER] [--digests FILE]

Shaders are drawn by a fixed seed; those that glslang refuses are not counted.  Each is compiled for
the family, by default the one that models were fitted to, read (`gpu.radv.replay`), compiled again
and optimised; also whether counts meet the machine code block by block.  Prints failures by cause,
the most frequent first, with an id of each.  `--icd`: RADV's driver manifest; without it, the one
that forecasts use.  Forecasts ask a RADV that can to keep loops as they are, and so does this.
`--examples`: a folder for one listing of each cause.  `--digests`: a file for a line of each: its
id, and the SHA-256 of the compiled form's SPIR-V, to be compared between systems.
"""

from __future__ import annotations

import argparse
import re
import statistics
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path

from shaderlab.campaigns import corpus
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.compiler import compile_text
from shaderlab.gpu.compilers.families import REFERENCE
from shaderlab.gpu.radv import discovery as radv_discovery
from shaderlab.gpu.radv.compiled_program import compiled_program, replay_of
from shaderlab.workers import compiled
from shaderlab.workers.compiled import FamilyWorker
from tests.benchmarks.vendor_compilers import met

SEED = 17


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--shaders", type=int, default=500, help="that glslang compiles")
    parser.add_argument("--family", default=REFERENCE)
    parser.add_argument("--icd", type=Path)
    parser.add_argument("--examples", type=Path)
    parser.add_argument("--digests", type=Path)
    options = parser.parse_args()
    if options.icd:
        with tempfile.TemporaryDirectory() as folder:
            targets = radv_discovery.of_manifest(options.icd.resolve(), Path(folder))
    else:
        targets = compiled.available().result().targets
    (target,) = compiled.choose(targets, [options.family])
    causes: Counter[str] = Counter()
    ids: dict[str, str] = {}
    times: list[float] = []
    mapped = counted = 0
    digests: list[str] = []
    with closing(FamilyWorker(target, keeping_loops=target.keeps_loops)) as worker:
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
                form = compiled_program(written, made)
                digests.append(f"{shader.name} {form.digest}\n")
                mapped += met(made, replay_of(written, made).function)
            except ShaderlabError as error:
                cause = f"{type(error).__name__}: {re.sub(r'[0-9]+', 'N', str(error))[:100]}"
                causes[cause] += 1
                if ids.setdefault(cause, shader.name) == shader.name and options.examples:
                    options.examples.mkdir(parents=True, exist_ok=True)
                    (options.examples / f"{shader.name}.txt").write_text(f"{error}\n{listing}")
    failed = sum(causes.values())
    print(f"{target.icd}: {driver}, {worker.replacements} children lost")
    print(f"{counted - failed} of {counted} read ({(counted - failed) / max(counted, 1):.1%})")
    print(f"{mapped} of them met block by block")
    if options.digests:
        options.digests.write_text("".join(digests))
    if times:
        print(f"compile: median {statistics.median(times) * 1e3:.1f} ms of processor time")
    for cause, count in causes.most_common():
        print(f"  {count} x {cause} ({ids[cause]})")


if __name__ == "__main__":
    main()
