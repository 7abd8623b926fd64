"""Forecasts of twelve compute kernels against measured times, on both software drivers.

python -m tests.benchmarks.compute_kernels [--device D] [--only KERNEL] [--trials N] [--fit]
    [--large] [--rows FILE]

`--large` goes up to 2^22 elements, as far as a kernel's groups and buffers allow: groups along one
side end at 65,535, a buffer at 256 MiB.  `--rows` keeps what was measured, a line of JSON each, and
begins with what such a file has.

The kernels are `tests/kernels`, their launches fixed (reduction, scan) or as large as the data.
Each kernel is counted twice: on the device, and without a run, by likely counts and what follows
from its launch and push constants (the static mode).

For each: measured and predicted seconds by size, mean absolute percentage error, the rank
correlation over sizes; then the mean over kernels beside LLMPerf's (Table IV: 46.11 %).
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from contextlib import closing
from dataclasses import astuple
from pathlib import Path

import numpy as np
from scipy.optimize import nnls
from scipy.stats import spearmanr

from models.laboratory import measured_figures
from shaderlab.errors import ShaderTimeout
from shaderlab.prediction.catalogue.targets import catalogue
from shaderlab.prediction.features.memory_accesses import memory_accesses
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecasts import static_counts
from shaderlab.scene.buffer_contents import MOST_BYTES
from shaderlab.scene.draw import Draw
from shaderlab.scene.launch import MOST_GROUPS
from shaderlab.spirv.trace import Trace
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.discovery import discover
from shaderlab.workers.predictor import PredictorWorker
from tests import kernels

SIZES = (1 << 11, 1 << 13, 1 << 15, 1 << 16)
LARGE = tuple(1 << power for power in (11, 13, 15, 17, 19, 20, 21, 22))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--device", action="append", default=[])
    parser.add_argument("--only", action="append", choices=kernels.KERNELS, default=[])
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--fit", action="store_true", help="print prices of accesses that fit")
    parser.add_argument("--large", action="store_true", help="up to 2^22 elements")
    parser.add_argument("--rows", type=Path, help="where rows are kept, and read from")
    parser.add_argument("--json", action="store_true")
    measured_figures.add_option(parser)
    arguments = parser.parse_args()
    found = discover().result()
    sizes = LARGE if arguments.large else SIZES
    rows = []
    if arguments.rows is not None and arguments.rows.exists():
        rows = [json.loads(line) for line in arguments.rows.read_text().splitlines()]
    known = {(row["device"], row["kernel"]) for row in rows}
    with closing(PredictorWorker()) as predictor, tempfile.TemporaryDirectory() as folder:
        for slug in arguments.device or ("llvmpipe", "swiftshader"):
            with closing(DeviceWorker(found.choose(slug))) as device:
                for name in arguments.only or kernels.KERNELS:
                    if (slug, name) in known:
                        continue
                    place = Path(folder)
                    rows.append(_row(name, slug, device, predictor, place, arguments.trials, sizes))
                    if arguments.rows is not None:
                        with arguments.rows.open("a") as file:
                            file.write(json.dumps(rows[-1]) + "\n")
                    if not arguments.json:
                        print(_line(rows[-1]), flush=True)
    if arguments.json:
        print(json.dumps(rows))
        return
    if arguments.fit:
        fit(rows, arguments.keep)
        return
    for slug in dict.fromkeys(row["device"] for row in rows):
        own = [row for row in rows if row["device"] == slug]
        ratios = np.concatenate([np.array(r["measured_s"]) / r["predicted_s"] for r in own])
        errors = np.abs(1 / ratios - 1)
        print(
            f"{slug}: mean over kernels {np.mean([r['mape'] for r in own]):.1%}, median over"
            f" kernels {np.median([r['mape'] for r in own]):.1%} (LLMPerf 46.11 %, 43.0 %);"
            f" all: MAPE {errors.mean():.1%}, median {np.median(errors):.1%};"
            f" lowest rank correlation {min(r['spearman'] for r in own):.2f};"
            f" measured over predicted {ratios.min():.2f} to {ratios.max():.2f},"
            f" 10 % to 90 %: {np.quantile(ratios, 0.1):.2f} to {np.quantile(ratios, 0.9):.2f}"
        )


def _fits(case: kernels.Case) -> bool:
    """Whether a launch can be as large, and its buffers."""
    largest = max(data.nbytes for data in case.buffers.values())
    return case.groups <= MOST_GROUPS and largest <= MOST_BYTES


def _row(name, slug, device, predictor, folder, trials, wanted) -> dict:
    measured, predicted, features, guessed, sizes = [], [], [], [], []
    static = static_counts.read()
    for n in wanted:
        case = kernels.KERNELS[name](n)
        if not _fits(case):
            continue
        draw = kernels.draw(name, case, folder)
        try:
            trace = device.trace(draw).result()
        except ShaderTimeout as error:  # larger ones take longer still
            print(f"{slug} {name}: ends before {n}: {error}", flush=True)
            break
        sizes.append(n)
        (forecast,) = predictor.predict(draw, trace, [slug]).result()
        draws = 10 if n <= SIZES[-1] else 2
        profile = device.profile(draw, trials, draws).result()
        measured.append(profile.on_processor.median_s)
        predicted.append(forecast.time_s)
        features.append(_features(draw, trace, slug))
        likely = static.count(draw.program, dispatch=draw.dispatch).trace
        guessed.append(_features(draw, likely, slug))
    errors = np.abs(np.array(predicted) / measured - 1)
    return {
        "kernel": name,
        "device": slug,
        "sizes": sizes,
        "measured_s": measured,
        "predicted_s": predicted,
        "features": features,
        "static_features": guessed,
        "mape": float(errors.mean()),
        "spearman": float(spearmanr(measured, predicted).statistic),
    }


def _features(draw: Draw, trace: Trace, slug: str) -> list[float]:
    """What is priced, in the order of `NAMES`."""
    reached = memory_accesses(draw.program.module, trace)
    own = catalogue().choose([slug])[0].stage_cost(TracedProgram(draw.program, trace))
    return [1.0, own.time_s if own else 0.0, *astuple(reached.total)]


def fit(rows: list[dict], folder: Path | None) -> None:
    """Prices of a dispatch, of accesses, and a factor on the rest, with 1/t as weights.

    Prints them, and the errors of kernels left out of the fit, one at a time; keeps them in a
    folder.
    """
    for slug in dict.fromkeys(row["device"] for row in rows):
        own = [row for row in rows if row["device"] == slug]
        print(slug, "seconds of", dict(zip(NAMES, _prices(own), strict=True)))
        ratios, errors, ranks, static = [], [], [], {}
        for left in own:
            prices = _prices([row for row in own if row is not left])
            ratio = np.array(left["measured_s"]) / (np.array(left["features"]) @ prices)
            ratios.append(ratio)
            errors.append(float(np.abs(1 / ratio - 1).mean()))
            ranks.append(spearmanr(left["measured_s"], left["measured_s"] / ratio).statistic)
            likely = np.array(left["static_features"]) @ prices
            static[left["kernel"]] = float(np.abs(likely / left["measured_s"] - 1).mean())
            print(
                f"  left out {left['kernel']:16} MAPE {errors[-1]:6.1%}  rank {ranks[-1]:.2f}"
                f"  without a run {static[left['kernel']]:6.1%}"
            )
        every = np.concatenate(ratios)
        print(
            f"  left out: mean over kernels {np.mean(errors):.1%}, median over kernels"
            f" {np.median(errors):.1%} (LLMPerf 46.11 %, 43.0 %), all: MAPE"
            f" {np.abs(1 / every - 1).mean():.1%}, median {np.median(np.abs(1 / every - 1)):.1%};"
            f" measured over predicted {every.min():.2f} to {every.max():.2f}"
        )
        scalars = [static[name] for name in SCALARS if name in static]
        print(f"  without a run, trips by scalars: mean over {len(scalars)} {np.mean(scalars):.1%}")
        measured_figures.keep(
            folder,
            f"compute kernels, {slug}",
            {
                "kernels": len(own),
                "points": len(every),
                "mean": float(np.mean(errors)),
                "median": float(np.median(errors)),
                "shipped mean": float(np.mean([row["mape"] for row in own])),
                "lowest rank": min(ranks),
                "lowest rank, fixed launch": min(
                    rank for row, rank in zip(own, ranks, strict=True) if row["kernel"] in FIXED
                ),
                "least ratio": float(every.min()),
                "largest ratio": float(every.max()),
                "static kernels": len(scalars),
                "static mean": float(np.mean(scalars)),
                "static, every kernel": float(np.mean(list(static.values()))),
            },
        )


SCALARS: Sequence[str] = (
    "triad", "reduction", "scan_reduce", "scan_bottom", "kmeans", "nearest", "lennard_jones"
)  # fmt: skip
"""Whose loops end by push constants and the launch alone; the others' rows end by buffers."""
FIXED = ("reduction", "scan_reduce", "scan_bottom")
"""Launched by a fixed number of groups at every size."""
NAMES = ("dispatch", "priced", "buffer", "shared", "atomic", "barrier")


def _prices(rows: list[dict]) -> np.ndarray:
    times = np.concatenate([row["measured_s"] for row in rows])
    features = np.concatenate([np.array(row["features"]) for row in rows])
    scale = features.max(axis=0)
    scale[scale == 0] = 1.0
    found, _ = nnls(features / scale / times[:, None], np.ones(len(times)))
    return found / scale


def _line(row: dict) -> str:
    times = "  ".join(
        f"{m * 1e3:8.3f}/{p * 1e3:<8.3f}"
        for m, p in zip(row["measured_s"], row["predicted_s"], strict=True)
    )
    return (
        f"{row['device']:12} {row['kernel']:16} {times}  MAPE {row['mape']:6.1%}"
        f"  rank {row['spearman']:.2f}"
    )


if __name__ == "__main__":
    main()
