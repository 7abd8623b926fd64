"""What a further target costs: forecasts for all targets against one, of the same traced program.

    python -m tests.benchmarks.reuse [SHADER...] [--runs 15]

Least processor time of several runs.  *New*: the program as the predictor's child receives it, its
module not yet analysed, as after every edit.  *Again*: analysed before, as when an input changed.
*Counted*: from the draw, counted on a software driver first; seconds on the clock.
"""

from __future__ import annotations

import argparse
import pickle
import statistics
import time
from contextlib import closing
from pathlib import Path

from models.laboratory import measured_figures
from shaderlab.frontend.compiler import load_program
from shaderlab.prediction.catalogue.targets import catalogue
from shaderlab.prediction.forecasts import static_counts
from shaderlab.prediction.forecasts.predict import predict
from shaderlab.scene.draw import Draw
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.discovery import discover

EXAMPLES = Path("resources/examples")
SHADERS = ("mandelbulb.frag", "julia.frag", "gradient.frag")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("shaders", nargs="*", type=Path, default=[EXAMPLES / n for n in SHADERS])
    parser.add_argument("--runs", type=int, default=15)
    measured_figures.add_option(parser)
    options = parser.parse_args()
    kept: dict[str, float] = {}
    targets = [each.card.target.slug for each in catalogue(None).targets]
    for path in options.shaders:
        program = load_program(path)
        counted_s = least_count(Draw.of(program), options.runs)
        trace = static_counts.read().count(program).trace
        received = pickle.dumps((program, trace))
        predict(program, trace, targets)

        def least(chosen: list[str], *, new: bool, received: bytes = received) -> float:
            kept = pickle.loads(received)
            seconds = []
            for _ in range(options.runs):
                made = pickle.loads(received) if new else kept
                start = time.process_time()
                predict(*made, chosen)
                seconds.append(time.process_time() - start)
            return min(seconds)

        for new in (True, False):
            one = statistics.median(least([each], new=new) for each in targets)
            all_ = least(targets, new=new)
            print(
                f"{path.name}, {'new' if new else 'again'}: one {one * 1e3:.2f} ms, "
                f"{len(targets)} {all_ * 1e3:.2f} ms: {all_ / one:.2f} times",
                flush=True,
            )
            kept[f"{path.stem}, {'new' if new else 'again'}"] = all_ / one
            if not new:
                kept[f"{path.stem}, counted"] = (counted_s + all_) / (counted_s + one)
                print(
                    f"{path.name}, counted: counting {counted_s * 1e3:.0f} ms: "
                    f"{(counted_s + all_) / (counted_s + one):.3f} times",
                    flush=True,
                )
    measured_figures.keep(options.keep, "reuse", kept)


def least_count(draw: Draw, runs: int) -> float:
    """Seconds that counting takes on llvmpipe."""
    found = next(each for each in discover().result().devices if each.slug == "llvmpipe")
    with closing(DeviceWorker(found)) as device:
        device.trace(draw).result()
        seconds = []
        for _ in range(min(runs, 5)):
            start = time.perf_counter()
            device.trace(draw).result()
            seconds.append(time.perf_counter() - start)
    return min(seconds)


if __name__ == "__main__":
    main()
