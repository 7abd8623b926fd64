"""How do other vendors' compilers fare on a corpus?  Run by hand:

    python -m tests.benchmarks.vendor_compilers CORPUS.jsonl.zst [--shaders 200] [--target T]...
        [--kept FILE]

Compiles shaders drawn from the corpus by a fixed seed for one chip of each vendor that is built (or
those named), every chip in its child as in the window.  Printed per chip: how many shaders it
compiled, failures by cause, children lost, the median and the slowest 5 % of compile times, how
many have each statistic, and of how many the code can be met with counts.  Shaders glslang refuses
are not counted.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import time
from collections import Counter
from contextlib import ExitStack, closing
from dataclasses import fields
from pathlib import Path
from typing import Any

from shaderlab.campaigns import corpus
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.program import Program
from shaderlab.gpu.compilers.compiled import Common, CompiledStats
from shaderlab.gpu.compilers.discovery import CompiledTarget
from shaderlab.gpu.compilers.listing import listing_of
from shaderlab.gpu.counted import structure
from shaderlab.gpu.radv import mapping, perfinfo
from shaderlab.gpu.radv.nir import Function
from shaderlab.gpu.radv.replay import replay_of
from shaderlab.workers.compiled import FamilyWorker, available, choose
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.supervisor.limits import Limits

SEED = 17
PREFERRED = ("navi23", "cfl", "ga106", "adreno740", "malig610")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--shaders", type=int, default=200, help="that glslang compiles")
    parser.add_argument("--target", action="append")
    parser.add_argument("--deadline", type=float, default=Limits().compile, help="seconds")
    parser.add_argument(
        "--kept", type=Path, help="a file of JSON lines: what is there is not redone"
    )
    arguments = parser.parse_args()
    answers = available().result()
    there = {target.family.slug for target in answers.targets}
    wanted = arguments.target or [slug for slug in PREFERRED if slug in there]
    targets = choose(answers.targets, wanted)
    limits = Limits(start=max(Limits().start, arguments.deadline), compile=arguments.deadline)
    rows = _kept(arguments.kept)
    done = {(row["target"], row["shader"]) for row in rows}
    with ExitStack() as stack:
        compiler = stack.enter_context(closing(CompilerWorker()))
        workers = [stack.enter_context(closing(FamilyWorker(target, limits))) for target in targets]
        file = stack.enter_context(arguments.kept.open("a")) if arguments.kept else None
        for name, program in _programs(compiler, arguments.corpus, arguments.shaders):
            for worker in workers:
                if (worker.target.family.slug, name) in done:
                    continue
                row = _row(worker, name, program)
                rows.append(row)
                if file:
                    file.write(json.dumps(row) + "\n")
                    file.flush()
    for target in targets:
        _print(target, [row for row in rows if row["target"] == target.family.slug])


def _kept(path: Path | None) -> list[dict[str, Any]]:
    if path is None or not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines()]


def _row(worker: FamilyWorker, name: str, program: Program) -> dict[str, Any]:
    """What came of one shader on one chip."""
    row: dict[str, Any] = {"target": worker.target.family.slug, "shader": name}
    start, lost = time.perf_counter(), worker.replacements
    try:
        made = worker.compile(program).result()
    except ShaderlabError as error:
        return {**row, "cause": _cause(error), "lost": worker.replacements - lost}
    return {
        **row,
        "waited": time.perf_counter() - start,
        "processor": made.processor_s,
        "driver": made.compile_s,
        "known": [f.name for f in fields(Common) if getattr(made.common, f.name) is not None],
        "meeting": _meeting(made, program),
        "lost": worker.replacements - lost,
    }


def _programs(compiler: CompilerWorker, path: Path, count: int):
    """So many that compile, one after the other."""
    found = 0
    for shader in corpus.drawn(corpus.read(path), seed=SEED):
        if found == count:
            return
        try:
            program: Program = compiler.compile(shader.text or "", "shader.frag", None).result()
        except ShaderlabError:
            continue
        found += 1
        yield shader.name, program


def _meeting(made: CompiledStats, program: Program) -> str:
    """Whether counts can meet the code of the fragment shader, or why not."""
    try:
        function = replay_of(program, made).function
    except ShaderlabError as error:
        return f"not replayed: {_cause(error)}"
    return "met block by block" if met(made, function) else "control flow differs"


def met(made: CompiledStats, function: Function) -> bool:
    """Whether the flow graph of the code is the optimised program's."""
    code, vendor = made.chosen, made.vendor
    if vendor.slug == "amd":
        return mapping.match(function, perfinfo.parse(code.costs)) is not None
    return structure.match(function, listing_of(code, vendor), vendor) is not None


def _cause(error: ShaderlabError) -> str:
    """Without the numbers and names that differ from shader to shader."""
    return f"{type(error).__name__}: {re.sub(r'[0-9]+', 'N', str(error))[:120]}"


def _print(target: CompiledTarget, rows: list[dict[str, Any]]) -> None:
    results = [row for row in rows if "cause" not in row]
    print(f"\n{target.family.slug} ({target.driver}): {len(results)} of {len(rows)}")
    print(f"  children lost: {sum(row['lost'] for row in rows)}")
    for cause, count in Counter(row["cause"] for row in rows if "cause" in row).most_common():
        print(f"  {count} x {cause}")
    if len(results) < 2:
        return
    for what, key in (
        ("processor", "processor"),
        ("driver", "driver"),
        ("with the way there and back", "waited"),
    ):
        seconds = [row[key] for row in results]
        slow = statistics.quantiles(seconds, n=20)[-1]
        median = statistics.median(seconds)
        print(f"  compile, {what}: median {median * 1e3:.1f} ms, 95 % under {slow * 1e3:.0f} ms")
    known = Counter(name for row in results for name in row["known"])
    print(f"  known: {', '.join(f'{f.name} {known[f.name]}' for f in fields(Common))}")
    for how, count in Counter(row["meeting"] for row in results).most_common():
        print(f"  counts: {count} x {how}")


if __name__ == "__main__":
    main()
