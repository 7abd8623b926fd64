"""How do other vendors' compilers fare on a corpus?  Run by hand:

    python -m tests.benchmarks.vendor_compilers CORPUS.jsonl.zst [--shaders 200] [--target T]...

Compiles shaders drawn from the corpus by a fixed seed for one chip of each vendor that is built (or
those named), every chip in its child as in the window.  Printed per chip: how many shaders it
compiled, failures by cause, children lost, the median and the slowest 5 % of compile times, how
many have each statistic, and of how many the code can be met with counts.  Shaders glslang refuses
are not counted.
"""

from __future__ import annotations

import argparse
import re
import statistics
import time
from collections import Counter, defaultdict
from contextlib import ExitStack, closing
from dataclasses import fields, replace
from pathlib import Path

from shaderlab.campaigns import corpus
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.program import Program
from shaderlab.gpu.compilers.compiled import Common, CompiledStats
from shaderlab.gpu.compilers.discovery import CompiledTarget
from shaderlab.gpu.compilers.listing import listing_of
from shaderlab.gpu.compilers.vendors import COUNTED
from shaderlab.gpu.counted import structure
from shaderlab.gpu.radv import mapping, perfinfo
from shaderlab.gpu.radv.compiled_program import replay_of
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
    arguments = parser.parse_args()
    answers = available().result()
    there = {target.family.slug for target in answers.targets}
    wanted = arguments.target or [slug for slug in PREFERRED if slug in there]
    targets = choose(answers.targets, wanted)
    limits = Limits(compile=arguments.deadline)
    with ExitStack() as stack:
        compiler = stack.enter_context(closing(CompilerWorker()))
        workers = [stack.enter_context(closing(FamilyWorker(target, limits))) for target in targets]
        results: dict[str, list[CompiledStats]] = defaultdict(list)
        causes: dict[str, Counter[str]] = defaultdict(Counter)
        waited: dict[str, list[float]] = defaultdict(list)
        met: dict[str, Counter[str]] = defaultdict(Counter)
        for program in _programs(compiler, arguments.corpus, arguments.shaders):
            for worker in workers:
                slug, start = worker.target.family.slug, time.perf_counter()
                try:
                    made = worker.compile(program).result()
                except ShaderlabError as error:
                    causes[slug][_cause(error)] += 1
                    continue
                waited[slug].append(time.perf_counter() - start)
                met[slug][_meeting(made, program)] += 1
                short = tuple(
                    replace(each, assembly=each.assembly[:1], ir="") for each in made.executables
                )
                results[slug].append(replace(made, executables=short))
        for worker in workers:
            slug = worker.target.family.slug
            _print(worker.target, results[slug], causes[slug], waited[slug], worker.replacements)
            for how, count in met[slug].most_common():
                print(f"  counts: {count} x {how}")


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
        yield program


def _meeting(made: CompiledStats, program: Program) -> str:
    """Whether counts can meet the code of the fragment shader, or why not."""
    if made.vendor.slug not in COUNTED:
        return "not tried for this vendor"
    code, vendor = made.chosen, made.vendor
    try:
        function = replay_of(program, made).function
    except ShaderlabError as error:
        return f"not replayed: {_cause(error)}"
    if vendor.slug == "amd":
        found = mapping.match(function, perfinfo.parse(code.costs))
    else:
        found = structure.match(function, listing_of(code, vendor), vendor)
    return "met block by block" if found is not None else "control flow differs"


def _cause(error: ShaderlabError) -> str:
    """Without the numbers and names that differ from shader to shader."""
    return f"{type(error).__name__}: {re.sub(r'[0-9]+', 'N', str(error))[:120]}"


def _print(
    target: CompiledTarget,
    results: list[CompiledStats],
    causes: Counter[str],
    waited: list[float],
    lost: int,
) -> None:
    failed = sum(causes.values())
    print(f"\n{target.family.slug} ({target.driver}): {len(results)} of {len(results) + failed}")
    print(f"  children lost: {lost}")
    for cause, count in causes.most_common():
        print(f"  {count} x {cause}")
    if len(results) < 2:
        return
    for what, seconds in (
        ("processor", [one.processor_s for one in results]),
        ("driver", [one.compile_s for one in results]),
        ("with the way there and back", waited),
    ):
        slow = statistics.quantiles(seconds, n=20)[-1]
        median = statistics.median(seconds)
        print(f"  compile, {what}: median {median * 1e3:.1f} ms, 95 % under {slow * 1e3:.0f} ms")
    known = [
        f"{field.name} {sum(getattr(one.common, field.name) is not None for one in results)}"
        for field in fields(Common)
    ]
    print(f"  known: {', '.join(known)}, assembly {sum(bool(o.chosen.assembly) for o in results)}")


if __name__ == "__main__":
    main()
