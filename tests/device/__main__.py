"""Check a GPU with a bare checkout: no Qt, no compilers but glslang, for a few minutes.

    python -m tests.device --to OUT [--device D] [--minutes 6] [--corpus F.jsonl] [--first IDS]
        [--shaders DIR]

Writes OUT/table.txt, OUT/findings.json and the samples of the corpus, OUT/samples.parquet.
`--shaders`: of other projects, as `tests.real_shaders` takes them, to be drawn, counted and
predicted.  The most valuable comes first; endless shaders, which may hang a GPU for good, come
last.  It runs on software drivers too, where it is to be tried before.  `--reference` writes the
counts and pictures that others are compared with, on llvmpipe.  Exit status 1 where something is
not as it should be.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from PIL import Image

from shaderlab.errors import ShaderlabError
from shaderlab.frontend.compiler import load_program
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.scene.draw import CANONICAL, Draw, DrawState, Frame
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.discovery import discover
from shaderlab.workers.supervisor.limits import Limits
from tests import hostile, kernels, real_shaders

HERE = Path(__file__).parent
REFERENCE = HERE / "reference"
EXAMPLES = HERE.parent.parent / "resources" / "examples"
SMALL = (192, 108)
"""Of the examples whose counts and pictures are compared."""
COUNTS_WITHIN = 1e-3
"""Of all block executions: floating-point branches differ between devices."""
PICTURE_WITHIN = 2
PIXELS_WITHIN = 0.995
"""Share of the pixels whose channels all lie within `PICTURE_WITHIN` of 255."""
ANSWERED_S = 3.0
"""Seconds in which a hostile shader has its answer, after its compilation."""
ELEMENTS = 1 << 16
"""Of the kernels' data."""
LIMITS = Limits(frame=30.0, trace=30.0, profile=60.0)
LEFT_FOR_GUARD = 0.25
"""Share of the time that is kept for hostile shaders."""
REAL = 0.2
"""Share of the time that real shaders may take."""


class Check:
    """Findings and the table, written as they come: the machine may not answer any more."""

    def __init__(self, info: DeviceInfo, to: Path, minutes: float):
        self.info, self.to = info, to
        self.end = time.monotonic() + 60.0 * minutes
        self.minutes = minutes
        self.found: dict[str, Any] = {}
        self.failed: list[str] = []

    @property
    def left_s(self) -> float:
        return self.end - time.monotonic()

    def say(self, line: str) -> None:
        print(line, flush=True)
        with (self.to / "table.txt").open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def keep(self, name: str, value: Any, passed: bool, line: str) -> None:
        self.found[name] = value
        (self.to / "findings.json").write_text(json.dumps(self.found, indent=1))
        if not passed:
            self.failed.append(name)
        self.say(f"{'ok  ' if passed else 'FAIL'} {name:12} {line}")

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        start = time.monotonic()
        try:
            yield
        except Exception as error:  # noqa: BLE001, the other parts are worth as much
            traceback.print_exc()
            self.keep(name, repr(error), False, f"{type(error).__name__}: {error}")
        self.say(f"     {name:12} took {time.monotonic() - start:.1f} s")


def example_draws(size: tuple[int, int] | None = None) -> dict[str, Draw]:
    state = DrawState.of(size) if size else CANONICAL
    return {path.stem: state.draw(load_program(path)) for path in sorted(EXAMPLES.glob("*.frag"))}


def counted_and_drawn(info: DeviceInfo) -> dict[str, tuple[list[int], np.ndarray]]:
    """By example: executions of each block, and the picture."""
    found = {}
    with closing(DeviceWorker(info, LIMITS)) as worker:
        for name, draw in example_draws(SMALL).items():
            trace = worker.trace(draw).result()
            pixels = worker.render(Frame.of(draw)).result().pixels.copy()
            found[name] = [block.count for block in trace.blocks], pixels
    return found


def write_reference(info: DeviceInfo) -> None:
    REFERENCE.mkdir(exist_ok=True)
    found = counted_and_drawn(info)
    counts = {name: counts for name, (counts, _) in found.items()}
    text = ",\n".join(f"{json.dumps(name)}: {json.dumps(each)}" for name, each in counts.items())
    (REFERENCE / "counts.json").write_text(f"{{\n{text}\n}}\n")
    for name, (_, pixels) in found.items():
        Image.fromarray(pixels[..., :3]).save(REFERENCE / f"{name}.png", optimize=True)


def check_examples(check: Check) -> None:
    counts = json.loads((REFERENCE / "counts.json").read_text())
    worst, least, wrong = 0.0, 1.0, []
    rows = {}
    for name, (ours, pixels) in counted_and_drawn(check.info).items():
        off = sum(abs(a - b) for a, b in zip(ours, counts[name], strict=True)) / sum(counts[name])
        with Image.open(REFERENCE / f"{name}.png") as picture:
            theirs = np.asarray(picture).astype(int)
        within = np.abs(pixels[..., :3].astype(int) - theirs).max(axis=2) <= PICTURE_WITHIN
        alike = float(within.mean())
        rows[name] = {"counts_off": off, "pixels_alike": alike}
        worst, least = max(worst, off), min(least, alike)
        if off > COUNTS_WITHIN or alike < PIXELS_WITHIN:
            wrong.append(f"{name} (counts {off:.1e} off, {alike:.2%} of the pixels alike)")
    line = f"counts at most {worst:.1e} off, pictures at least {least:.2%} alike"
    check.keep("examples", rows, not wrong, "; ".join([line, *wrong]))


def check_times(check: Check) -> None:
    rows, off = {}, []
    with closing(DeviceWorker(check.info, LIMITS)) as worker:
        for name, draw in example_draws().items():
            m = worker.profile(draw).result()
            trace = worker.trace(draw, slowdown=True).result()
            rows[name] = {
                "time_s": m.time_s,
                "floor_s": m.floor_s,
                "compile_s": m.compile_s,
                "trials": len(m.trials_s),
                "cv": float(np.std(m.trials_s) / np.mean(m.trials_s)),
                "per_draw_s": m.linearity.slope_s if m.linearity else None,
                "vertex_s": m.vertex and m.vertex.time_s,
                "output_s": m.output and m.output.time_s,
                "slowdown": trace.slowdown,
            }
            if m.linearity is not None:
                off.append(abs(m.linearity.slope_s / m.time_s - 1.0))
    median = float(np.median([each["slowdown"] for each in rows.values()]))
    compiles = sorted(each["compile_s"] or 0.0 for each in rows.values())
    line = (
        f"{len(rows)} examples; time of n draws grows by the time of one, {max(off, default=0):.2%}"
        f" off at most; counting {median:.2f} times as slow; compiled in"
        f" {compiles[len(compiles) // 2] * 1e3:.0f} ms, {compiles[-1] * 1e3:.0f} at most"
    )
    check.keep("times", rows, not off or max(off) < 0.05, line)


def check_kernels(check: Check) -> None:
    rows, wrong = {}, []
    with closing(DeviceWorker(check.info, LIMITS)) as worker, TemporaryDirectory() as folder:
        for name, made in kernels.KERNELS.items():
            draw = kernels.draw(name, made(ELEMENTS), Path(folder))
            try:
                m = worker.profile(draw).result()
                rows[name] = {
                    "time_s": m.time_s,
                    "floor_s": m.floor_s,
                    "cv": float(np.std(m.trials_s) / np.mean(m.trials_s)),
                    "invocations": draw.launch.invocations,
                    "counts": [each.count for each in worker.trace(draw).result().blocks],
                }
            except ShaderlabError as error:
                wrong.append(f"{name}: {error}")
    line = ", ".join(f"{name} {each['time_s'] * 1e6:.1f}" for name, each in rows.items())
    check.keep("kernels", rows, not wrong, "; ".join([f"µs: {line}", *wrong]))


def check_real(check: Check, folder: Path) -> None:
    """In an order of chance, as the time may not suffice for all."""
    entries = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    random.Random(37).shuffle(entries)
    end = time.monotonic() + REAL * 60.0 * check.minutes
    results, seconds = [], []
    with closing(real_shaders.Bench(folder, check.info.slug)) as bench:
        for each in entries:
            start = time.monotonic()
            if start > end:
                break
            results.append(bench.result(each["kind"], each["file"]))
            seconds.append(time.monotonic() - start)
    valid = [each for each in results if not each.apart]
    share = real_shaders.shares(results)
    passed = all(share[step] >= wanted for step, wanted in real_shaders.WANTED.items())
    steps = ", ".join(f"{step} {part:.1%}" for step, part in share.items())
    line = (
        f"{len(results)} of {len(entries)} files, {len(valid)} valid: {steps}, of which"
        f" {sum(each.is_estimate for each in valid)} are estimates;"
        f" {np.median(seconds):.2f} s a file, {max(seconds):.2f} at most"
    )
    faults = [f"{each.file}: {each.fault}" for each in valid if each.fault]
    found = {"shares": share, "seconds": seconds, "faults": faults}
    check.keep("real", found, passed, "; ".join([line, *faults[:5]]))


class _Busy(threading.Thread):
    """How busy NVIDIA's own library says the GPU is."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.shares: list[int] = []
        self.clocks: list[int] = []
        self.ended = threading.Event()

    def run(self) -> None:
        try:
            import pynvml

            pynvml.nvmlInit()
            gpu = pynvml.nvmlDeviceGetHandleByIndex(0)
            while not self.ended.wait(0.25):
                self.shares.append(int(pynvml.nvmlDeviceGetUtilizationRates(gpu).gpu))
                self.clocks.append(int(pynvml.nvmlDeviceGetClockInfo(gpu, pynvml.NVML_CLOCK_SM)))
        except Exception as error:  # noqa: BLE001, another vendor's GPU
            print(f"no utilisation: {error}")


def check_campaign(check: Check, arguments: argparse.Namespace) -> None:
    store = check.to / "store.db"
    command = [
        sys.executable, "-P", "-m", "shaderlab", "campaign", str(arguments.corpus), "--device",
        check.info.slug, "--to", str(store), "-j", str(arguments.jobs), "--deadline", "15",
        "--slowest", "0.5",
    ]  # fmt: skip
    if arguments.first:
        command += ["--first", str(arguments.first)]
    allowed_s = check.left_s - 60.0 * check.minutes * LEFT_FOR_GUARD
    busy = _Busy()
    busy.start()
    start = time.monotonic()
    with (check.to / "campaign.txt").open("w") as log:
        running = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
        try:
            status: int | None = running.wait(allowed_s)
        except subprocess.TimeoutExpired:
            status = None
            running.send_signal(signal.SIGINT)
            try:
                running.wait(20.0)
            except subprocess.TimeoutExpired:
                running.kill()
                running.wait()
    seconds = time.monotonic() - start
    busy.ended.set()
    samples = check.to / "samples.parquet"
    subprocess.run(
        [sys.executable, "-P", "-m", "shaderlab", "dataset", "export", str(store), "-o",
         str(samples)],
        check=True, timeout=60.0,
    )  # fmt: skip
    import pyarrow.parquet as pq

    count = pq.read_metadata(samples).num_rows
    share = float(np.mean(busy.shares)) if busy.shares else float("nan")
    found = {
        "samples": count, "seconds": seconds, "busy_percent": share, "status": status,
        "sm_mhz": float(np.median(busy.clocks)) if busy.clocks else None,
    }  # fmt: skip
    rate = f"{count} samples in {seconds:.0f} s, {count / seconds:.1f} a second"
    line = f"{rate}; GPU busy {share:.0f} %"
    check.keep("campaign", found, count > 0 and status in (0, None), line)


def check_guard(check: Check) -> None:
    """Every hostile shader is counted with a lower bound, and not timed."""
    seconds, wrong, tried = [], [], 0
    listed = list(hostile.draws())
    # A few of each kind first, should the time not suffice for all.
    listed = [each for first in range(23) for each in listed[first::23]]
    worker = DeviceWorker(check.info, Limits(frame=15.0, trace=15.0, profile=15.0))
    with closing(worker):
        for name, draw in listed:
            if check.left_s < 5.0:
                break
            tried += 1
            start = time.monotonic()
            try:
                if draw.vertex is not None:
                    worker.trace_vertex(Frame.of(draw), "0").result()
                else:
                    worker.prepare_trace(draw).result()
                    start = time.monotonic()
                    trace = worker.trace(draw).result()
                    if not trace.cut_notes:
                        wrong.append(f"{name}: no loop is named")
            except ShaderlabError as error:
                wrong.append(f"{name}: {error}")
                if worker.replacements > 5:
                    break
            seconds.append(time.monotonic() - start)
            if check.info.kind != "software" and tried % 20 == 1:
                try:
                    worker.profile(draw, 3, 3).result()
                    wrong.append(f"{name}: timed")
                except ShaderlabError as error:
                    if "end" not in str(error):
                        wrong.append(f"{name}: {error}")
        lost = worker.replacements
    late = sum(each > ANSWERED_S for each in seconds)
    line = (
        f"{tried} of {len(listed)} shaders without an end, answered in {np.median(seconds):.2f} s,"
        f" {max(seconds):.2f} at most; {late} late, {lost} children lost, {len(wrong)} wrong"
    )
    found = {"tried": tried, "seconds": seconds, "lost": lost, "wrong": wrong}
    check.keep("guard", found, not (wrong or late or lost), "; ".join([line, *wrong[:5]]))
    with closing(DeviceWorker(check.info, LIMITS)) as again:
        name, draw = next(iter(example_draws(SMALL).items()))
        m = again.profile(draw).result()
        check.keep(
            "still there", m.time_s, True, f"{name} takes {m.time_s * 1e6:.1f} µs after that"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--to", type=Path, required=True)
    parser.add_argument("--device", default="")
    parser.add_argument("--minutes", type=float, default=6.0)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--first", type=Path)
    parser.add_argument("--shaders", type=Path)
    parser.add_argument("-j", "--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 2))
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--reference", action="store_true")
    arguments = parser.parse_args()
    arguments.to.mkdir(parents=True, exist_ok=True)
    devices = discover().result().devices
    wanted = [each for each in devices if each.slug.startswith(arguments.device)]
    wanted.sort(key=lambda each: each.kind == "software")
    info = wanted[0]
    if arguments.reference:
        write_reference(info)
        return 0
    check = Check(info, arguments.to, arguments.minutes)
    check.say(f"{info.name}, {info.driver}, Vulkan {info.api_version}, {os.cpu_count()} cores")
    parts: dict[str, Callable[[], None]] = {
        "examples": lambda: check_examples(check),
        "times": lambda: check_times(check),
        "kernels": lambda: check_kernels(check),
        "guard": lambda: check_guard(check),
    }
    if arguments.shaders:
        parts["real"] = lambda: check_real(check, arguments.shaders)
    if arguments.corpus:
        parts["campaign"] = lambda: check_campaign(check, arguments)
    parts["guard"] = parts.pop("guard")  # last
    for name, run in parts.items():
        if not arguments.only or name in arguments.only:
            with check.part(name):
                run()
    check.say("failed: " + ", ".join(check.failed) if check.failed else "all as it should be")
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
