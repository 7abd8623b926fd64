"""Is the compiled form of a program the same on every system?  Run by hand, on each:

    python -m tests.benchmarks.pinned_forms make CORPUS.jsonl.zst KEPT.jsonl --icd amd_icd.json
        [--shaders 500]
    python -m tests.benchmarks.pinned_forms compare ONE.jsonl OTHER.jsonl

`make` compiles shaders drawn from the corpus by a fixed seed, those that glslang compiles, by the
RADV whose driver manifest is named, and keeps for each the SHA-256 of the program as written, of
RADV's machine code, and of the program that its listing is read as (what forecasts are made from),
or why there is none.  It goes on where it was stopped.  `compare` prints, of the shaders in both
files whose programs are the same, for how many the code and the form are the same bit for bit,
which differ, and how many programs have a form.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections import Counter
from contextlib import ExitStack, closing
from pathlib import Path

from shaderlab import locations
from shaderlab.campaigns import corpus
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.program import Program
from shaderlab.gpu.compilers.families import REFERENCE
from shaderlab.gpu.radv import discovery
from shaderlab.workers.compiled import CompiledWorkers, choose
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.supervisor.limits import Limits

SEED = 23


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    steps = parser.add_subparsers(dest="step", required=True)
    make = steps.add_parser("make")
    make.add_argument("corpus", type=Path)
    make.add_argument("kept", type=Path)
    make.add_argument("--icd", type=Path, required=True)
    make.add_argument("--shaders", type=int, default=500)
    make.add_argument("--deadline", type=float, default=120.0, help="seconds for one program")
    compare = steps.add_parser("compare")
    compare.add_argument("one", type=Path)
    compare.add_argument("other", type=Path)
    options = parser.parse_args()
    {"make": _make, "compare": _compare}[options.step](options)


def _make(options: argparse.Namespace) -> None:
    targets = discovery.of_manifest(options.icd.resolve(), locations.user_cache())
    print(targets[0].driver, flush=True)
    done = _rows(options.kept) if options.kept.exists() else {}
    limits = Limits(start=options.deadline, compile=options.deadline)
    with ExitStack() as stack:
        compiler = stack.enter_context(closing(CompilerWorker()))
        chosen = choose(targets, [REFERENCE])
        workers = stack.enter_context(closing(CompiledWorkers(chosen, limits)))
        file = stack.enter_context(options.kept.open("a"))
        found = 0
        for shader in corpus.drawn(corpus.read(options.corpus), seed=SEED):
            if found == options.shaders:
                return
            try:
                program = compiler.compile(shader.text or "", "shader.frag", None).result()
            except ShaderlabError:
                continue
            found += 1
            if shader.name in done:
                continue
            row = {"shader": shader.name, "written": _digest(program.spirv)}
            file.write(json.dumps(row | _made(workers, program)) + "\n")
            file.flush()


def _made(workers: CompiledWorkers, program: Program) -> dict[str, str]:
    try:
        stats = workers.compile(program)[REFERENCE].result()
        code = _digest(stats.chosen.assembly.encode())
        form = workers.program(program, REFERENCE).result()
    except ShaderlabError as error:
        return {"cause": f"{type(error).__name__}: {re.sub(r'[0-9]+', 'N', str(error))[:120]}"}
    return {"code": code, "form": _digest(form.spirv)}


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _rows(path: Path) -> dict[str, dict[str, str]]:
    return {row["shader"]: row for row in map(json.loads, path.read_text().splitlines())}


def _compare(options: argparse.Namespace) -> None:
    one, other = _rows(options.one), _rows(options.other)
    for path, rows in ((options.one, one), (options.other, other)):
        formed = sum("form" in row for row in rows.values())
        print(f"{path}: {formed} of {len(rows)} programs have a form ({formed / len(rows):.1%})")
        for cause, n in Counter(r["cause"] for r in rows.values() if "cause" in r).most_common():
            print(f"  {n} x {cause}")
    both = [name for name in one if name in other]
    alike = [name for name in both if one[name]["written"] == other[name]["written"]]
    print(f"in both: {len(both)}, of them the same program: {len(alike)}")
    for what in ("code", "form"):
        have = [name for name in alike if what in one[name] and what in other[name]]
        differ = [name for name in have if one[name][what] != other[name][what]]
        print(f"  {what}: {len(have) - len(differ)} of {len(have)} the same bit for bit")
        if differ:
            print(f"    different: {', '.join(differ)}")
    alone = [name for name in alike if ("form" in one[name]) != ("form" in other[name])]
    print(f"  a form on one of the two only: {len(alone)} {', '.join(alone)}")


if __name__ == "__main__":
    main()
