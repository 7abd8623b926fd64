"""What a further target costs: forecasts for all targets against one, of the same traced program.

    python -m tests.benchmarks.reuse [SHADER...] [--runs 15]

Least processor time of several runs.  *New*: the program as the predictor's child receives it, its
module not yet analysed, as after every edit.  *Again*: analysed before, as when an input changed.
"""

from __future__ import annotations

import argparse
import pickle
import statistics
import time
from pathlib import Path

from shaderlab.frontend.compiler import load_program
from shaderlab.prediction.catalogue.targets import catalogue
from shaderlab.prediction.forecasts import static_counts
from shaderlab.prediction.forecasts.predict import predict

EXAMPLES = Path("resources/examples")
SHADERS = ("mandelbulb.frag", "julia.frag", "gradient.frag")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("shaders", nargs="*", type=Path, default=[EXAMPLES / n for n in SHADERS])
    parser.add_argument("--runs", type=int, default=15)
    options = parser.parse_args()
    targets = [each.card.target.slug for each in catalogue(None).targets]
    for path in options.shaders:
        program = load_program(path)
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


if __name__ == "__main__":
    main()
