"""Do the counts hold on shaders as people write them?  Run by hand:

    python -m tests.benchmarks.count_corpus CORPUS.jsonl.zst --shaders 300 --device llvmpipe

Draws shaders from the corpus by a fixed seed, keeps those that compile and finish a frame within
five seconds, and checks each on the device: both counting modules pass spirv-val; the entry block
counts one execution per pixel; flow is conserved in the full counts; the counts derived from the
spanning tree equal the full ones; heat adds up to the executed instructions; the traced picture
equals the plain one.  A shader where something differs is checked again with all that nothing wrote
begun as zero, and then with arithmetic the driver may not reorder and loops it may not unroll,
which folds constants: what differs then too is a fault of the counting, or takes derivatives in
branches that not all pixels of a quad go through, which are undefined.  Prints the shares and the
ratios of frame times, plain and counting frames in turn, by the device's clock and, as a software
device shares its cores, by the CPU time of the process.  `--atomics` adds the paper's way;
`--bounded` counts with bounded loops too, which must change nothing where no loop is left early;
`--zeroed` checks all shaders that way, and `--save`/`--against` compare two devices.  Each shader
runs in a child with a deadline.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np

from shaderlab.spirv.grammar import Op
from shaderlab.spirv.module import Module
from shaderlab.spirv.passes.rewriting import Rewriter

_UNROLL, _DONT_UNROLL = 1, 2
"""Of SPIR-V's loop control (§3.23)."""
FRAME_LIMIT_S = 5.0
"""By the CPU time on each core: a busy machine draws the same sample."""
FRAME_DEADLINE_S = 60.0
TRACE_DEADLINE_S = 120.0
SEED = 20240105


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--shaders", type=int, default=300, help="shaders that must qualify")
    parser.add_argument("--skip", type=int, default=0, help="leave out the first so many drawn")
    parser.add_argument("--only", nargs="+", metavar="ID", help="these shaders")
    parser.add_argument("--device", default="llvmpipe")
    parser.add_argument("--size", default="512x384")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so long")
    parser.add_argument("--atomics", action="store_true")
    parser.add_argument("--bounded", action="store_true", help="with bounded loops, too")
    parser.add_argument("--zeroed", action="store_true", help="begin uninitialised values as zero")
    parser.add_argument("--save", type=Path, help="write each shader's counts here")
    parser.add_argument("--against", type=Path, help="compare with counts saved before")
    arguments = parser.parse_args()
    size = tuple(map(int, arguments.size.split("x")))
    end = time.monotonic() + arguments.seconds
    results: list[dict] = []
    outcomes: Counter[str] = Counter()
    child = _Child(arguments.device, size, arguments.atomics, arguments.bounded, arguments.zeroed)
    drawn = 0
    for shader in _drawn(arguments.corpus):
        qualified = sum(outcomes[o] for o in ("traced", "failed", "crashed", "late"))
        if qualified >= arguments.shaders or time.monotonic() > end:
            break
        drawn += 1
        if drawn <= arguments.skip or (arguments.only and shader["id"] not in arguments.only):
            continue
        result = child.ask(shader)
        outcomes[result["outcome"]] += 1
        if result["outcome"] in ("failed", "crashed", "late") or result.get("problems"):
            told = {key: result[key] for key in result if key.endswith("problems")}
            print(shader["id"], result["outcome"], told or "", file=sys.stderr)
        if result["outcome"] == "traced":
            results.append(result)
    child.close()
    _report(arguments, size, outcomes, results)
    if arguments.save:
        arguments.save.write_text("".join(json.dumps(result) + "\n" for result in results))
    if arguments.against:
        _compare(results, [json.loads(line) for line in arguments.against.open()])


def _drawn(corpus: Path):
    import zstandard

    with corpus.open("rb") as file:
        text = zstandard.ZstdDecompressor().stream_reader(file).read().decode()
    shaders = [json.loads(line) for line in text.splitlines()]
    random.Random(SEED).shuffle(shaders)
    return shaders


class _Child:
    """A process with a device in it, replaced whenever it misses a deadline or dies."""

    def __init__(self, device: str, *options):
        self._arguments = (device, *options)
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, *self._arguments), daemon=True)
        self._process.start()
        theirs.close()
        if not self._pipe.poll(60) or self._pipe.recv() != "ready":
            raise SystemExit(f"no device {self._arguments[0]}")

    def ask(self, shader: dict) -> dict:
        self._pipe.send((shader["id"], shader["code"]))
        # The child tells when it has compiled, when the plain frame is done, and before it checks
        # a shader again.
        for stage, deadline in (
            ("compile", 60.0),
            ("frame", FRAME_DEADLINE_S),
            *[("trace", TRACE_DEADLINE_S)] * 3,
        ):  # fmt: skip
            try:
                if not self._pipe.poll(deadline):
                    answer = {"outcome": "slow" if stage == "frame" else "late"}
                    break
                answer = self._pipe.recv()
            except (EOFError, OSError):
                answer = {"outcome": "driver died" if stage == "frame" else "crashed"}
                break
            if answer["outcome"] != "go on":
                return answer
        self.close()
        self._start()
        return answer

    def close(self) -> None:
        self._pipe.close()
        self._process.kill()
        self._process.join()


def _serve(
    pipe, wanted: str, size: tuple[int, int], atomics: bool, bounded: bool, zero: bool
) -> None:
    from shaderlab.gpu import discovery, drivers

    info = discovery.discover().choose(wanted)
    drivers.select(info.manifest)
    from shaderlab.gpu.vulkan.device import Device

    with Device.open(info) as device:
        pipe.send("ready")
        while True:
            try:
                id, code = pipe.recv()
            except EOFError:
                return
            pipe.send(_check(device, id, code, size, atomics, bounded, zero, pipe))


def _check(
    device, id: str, code: str, size, atomics: bool, bounded: bool, zero: bool, pipe
) -> dict:
    from shaderlab.errors import CompileFailed, ShaderlabError
    from shaderlab.frontend.compiler import compile_text
    from shaderlab.gpu.vulkan.rendering import Renderer
    from shaderlab.scene.draw import Draw
    from shaderlab.spirv.passes.exactness import exact
    from shaderlab.spirv.passes.zeroing import zeroed

    try:
        program = compile_text(code, id, None)
        if zero:
            program = replace(program, spirv=zeroed(program.module))
    except (CompileFailed, ShaderlabError):
        return {"outcome": "does not compile"}
    pipe.send({"outcome": "go on"})
    draw = Draw.of(program, size)
    plain = np.empty((size[1], size[0], 4), np.uint8)
    try:
        with Renderer(device, draw) as renderer:
            start = time.process_time()
            renderer.render(draw.inputs, plain)
            if time.process_time() - start > FRAME_LIMIT_S * os.cpu_count():
                return {"outcome": "slow"}
    except ShaderlabError as error:
        return {"outcome": "not rendered", "problems": [str(error)]}
    pipe.send({"outcome": "go on"})
    try:
        result = _trace_and_check(device, draw, atomics, bounded)
        if result["problems"]:
            pipe.send({"outcome": "go on"})
            again = replace(program, spirv=zeroed(program.module))
            result["zeroed_problems"] = _trace_and_check(
                device, draw.of_program(again), atomics, bounded
            )["problems"]
            if result["zeroed_problems"]:
                pipe.send({"outcome": "go on"})
                again = replace(again, spirv=exact(_kept_loops(again.module)))
                result["exact_problems"] = _trace_and_check(
                    device, draw.of_program(again), atomics, bounded
                )["problems"]
    except ShaderlabError as error:
        return {"outcome": "failed", "problems": [str(error)]}
    return {"outcome": "traced", "id": id, **result}


def _kept_loops(module: Module) -> Module:
    """With every loop marked not to be unrolled."""
    rewriter = Rewriter(module)
    for index in module.indices(Op.LoopMerge):
        control = module.instruction_words(index)[3]
        rewriter.replace_word(index, 3, control & ~_UNROLL | _DONT_UNROLL)
    return Module.parse(rewriter.build())


def _trace_and_check(device, draw, atomics: bool, bounded: bool) -> dict:
    from shaderlab.gpu.vulkan.rendering import Renderer
    from shaderlab.gpu.vulkan.tracing import heat, trace
    from shaderlab.spirv.heat import HeatKind, HeatView
    from shaderlab.spirv.passes.atomic_counting import instrument_atomic
    from shaderlab.spirv.passes.counting import instrument
    from tests.integration.spirv.counted_draw import CountedDraw

    program, size = draw.program, draw.size
    plain = np.empty((size[1], size[0], 4), np.uint8)
    traced_picture = np.empty_like(plain)
    view = HeatView(HeatKind.INSTRUCTIONS)
    per_pixel = np.empty((size[1], size[0]), view.dtype)
    problems = []
    times = [time.perf_counter()]
    least = instrument(program.module, program.entry_point)
    times.append(time.perf_counter())
    full = instrument(program.module, program.entry_point, every_block=True)
    for module in (least, full):
        complaint = _validator_says(module.spirv)
        if complaint:
            problems.append(complaint)
    traced = trace(device, draw)
    heat(device, draw, view, traced_picture, per_pixel)
    derived = np.array([block.count for block in traced.blocks])
    entry = program.module.entry_points[0].id
    first = next(block for block in traced.blocks if block.function == entry)
    if first.count != size[0] * size[1]:
        problems.append(f"entry block ran {first.count} times")
    executed = int(per_pixel.sum(dtype=np.int64))
    if executed != traced.instructions_executed and per_pixel.max() != 0xFFFFFFFF:
        problems.append("heat does not add up")
    plain_s, plain_cpu_s, seconds, cpu_s = [], [], [], []
    with (
        Renderer(device, draw) as renderer,
        CountedDraw(device, draw, least) as counted,
    ):
        for _ in range(3):
            start = time.process_time()
            plain_s.append(renderer.render(draw.inputs, plain))
            plain_cpu_s.append(time.process_time() - start)
            start = time.process_time()
            seconds.append(counted.draw()[1])
            cpu_s.append(time.process_time() - start)
        problems += _difference("the traced picture", counted.picture(), plain)
    problems += _difference("the heat map's picture", traced_picture, plain)
    with CountedDraw(device, draw, full) as counted:
        counts, full_s = counted.draw()
        problems += _difference("the fully counted picture", counted.picture(), plain)
    counted = list(least.derivation.counted)
    if not np.array_equal(least.derivation.totals(counts[counted].tolist()), counts):
        problems.append("flow is not conserved")
    if not np.array_equal(counts, derived):
        problems.append(f"{int((counts != derived).sum())} derived counts differ from full ones")
    result = {
        "problems": problems,
        "plain_s": min(plain_s),
        "plain_cpu_s": min(plain_cpu_s),
        "traced_s": min(seconds),
        "traced_cpu_s": min(cpu_s),
        "full_s": full_s,
        "pass_s": times[1] - times[0],
        "blocks": len(counts),
        "counters": len(least.fields),
        "words": least.counters,
        "instructions": len(program.module),
        "counts": counts.tolist(),
    }
    if atomics:
        each = instrument_atomic(program.module, program.entry_point)
        with CountedDraw(device, draw, each) as counted:
            atomic, result["atomic_s"] = counted.draw()
        if not np.array_equal(atomic, counts):
            problems.append("atomic counts differ")
    if bounded:
        result |= _bounded(device, draw, derived, problems)
    return result


def _bounded(device, draw, derived: np.ndarray, problems: list[str]) -> dict:
    """Nothing where the program has no loop that needs a bound, or one is left early."""
    from shaderlab.gpu.vulkan.tracing import MEMORY_BUDGET, Tracer

    seconds: dict[bool, list[float]] = {}
    header = 0
    for is_bounded in (False, True):
        tracer = Tracer(device, draw, MEMORY_BUDGET, bounded=is_bounded)
        has_bounds, header = tracer.header_words != header, tracer.header_words
        seconds[is_bounded] = []
        for _ in range(4):
            start = time.process_time()
            found = tracer.trace(draw.inputs)
            seconds[is_bounded].append(time.process_time() - start)
            if is_bounded and (found.cut or not has_bounds):
                tracer.close()
                return {}
        tracer.close()
    if not np.array_equal([block.count for block in found.blocks], derived):
        problems.append("counts with bounded loops differ")
    return {"unbounded_cpu_s": min(seconds[False]), "bounded_cpu_s": min(seconds[True])}


def _difference(what: str, picture: np.ndarray, plain: np.ndarray) -> list[str]:
    off = np.abs(picture.astype(int) - plain).max(axis=2)
    if not off.any():
        return []
    share = np.count_nonzero(off) / off.size
    return [f"{what} differs: {share:.3%} of the pixels, by up to {off.max()} of 255"]


def _validator_says(spirv: bytes) -> str:
    ran = subprocess.run(
        ["spirv-val", "--target-env", "vulkan1.2", "-"], input=spirv, capture_output=True
    )
    return "" if ran.returncode == 0 else f"spirv-val: {(ran.stdout + ran.stderr).decode().strip()}"


def _report(arguments, size, outcomes: Counter, results: list[dict]) -> None:
    qualified = sum(outcomes[o] for o in ("traced", "failed", "crashed", "late"))
    print(f"device {arguments.device}, {size[0]}x{size[1]}, seed {SEED}: {dict(outcomes)}")
    print(f"traced: {outcomes['traced']} of {qualified} that compile and finish a frame in 5 s")
    for key, which in (
        ("problems", "as they are"),
        ("zeroed_problems", "of those with zero for uninitialised values"),
        ("exact_problems", "of those with arithmetic and loops as written"),
    ):
        wrong = [r for r in results if r.get(key)]
        kinds = Counter(problem.partition(":")[0] for r in wrong for problem in r[key])
        print(f"shaders where something differs, {which}: {len(wrong)} {dict(kinds) or ''}")
    if not results:
        return
    blocks, counters, words = (
        sum(r[key] for r in results) for key in ("blocks", "counters", "words")
    )
    print(f"{counters} counters in {words} words for {blocks} blocks ({counters / blocks:.2f})")
    slow = np.array([r["plain_s"] for r in results]) > 5e-3
    for key, name in (
        ("traced_s", "tree"),
        ("traced_cpu_s", "tree, CPU time with the sums"),
        ("full_s", "every block"),
        ("atomic_s", "atomics"),
    ):
        if key not in results[0]:
            continue
        plain = np.array([r["plain_cpu_s" if "cpu" in key else "plain_s"] for r in results])
        ratio = np.array([r[key] for r in results]) / plain
        more = (np.array([r[key] for r in results]) - plain)[~slow] * 1e3
        print(f"{name}: all {_spread(ratio, 'x')}; frames over 5 ms: {_spread(ratio[slow], 'x')}; "
              f"faster ones, added: {_spread(more, ' ms')}")  # fmt: skip
    ratios = [r["bounded_cpu_s"] / r["unbounded_cpu_s"] for r in results if "bounded_cpu_s" in r]
    print(f"bounded loops, CPU time of counting: {_spread(np.array(ratios), 'x')}")


def _spread(values: np.ndarray, unit: str) -> str:
    if not len(values):
        return "none"
    named = zip(("median", "95th", "most"), np.percentile(values, (50, 95, 100)), strict=True)
    shown = ", ".join(f"{name} {value:.2f}{unit}" for name, value in named)
    return f"{shown} (n={len(values)})"


def _compare(results: list[dict], others: list[dict]) -> None:
    theirs = {other["id"]: other["counts"] for other in others}
    differences = []
    same = 0
    for result in results:
        if result["id"] not in theirs:
            continue
        mine, other = np.array(result["counts"]), np.array(theirs[result["id"]])
        if np.array_equal(mine, other):
            same += 1
        else:
            differences.append(abs(mine - other).sum() / max(1, other.sum()))
    shared = same + len(differences)
    print(f"{same} of {shared} shaders have the same counts on both devices")
    if differences:
        print(f"relative difference of the others: {_spread(np.array(differences) * 100, ' %')}")


if __name__ == "__main__":
    main()
