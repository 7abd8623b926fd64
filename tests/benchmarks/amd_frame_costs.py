"""Corpus run of the compiled AMD targets, and the time laws fitted on it.

    amd_frame_costs.py all CORPUS SAMPLES ROWS [--limit N] [--size WxH] [--patience FACTOR]
    amd_frame_costs.py run CORPUS ROWS [--first SAMPLES] [--limit N] [--size WxH]
                           [--split train|validation] [--families A,B] [--compile-only]
                           [--patience FACTOR]
    amd_frame_costs.py fit ROWS SAMPLES [--keep FOLDER]
    amd_frame_costs.py laws ROWS... [--distributions FILE]

`all` is the whole of it: 1,000 shaders on four families with all failures listed, then Spearman and
MAPE on the validation samples, then the laws.  Validation shaders come first: a run of few has no
training shaders and judges the laws as shipped.  Limits are those of the application; on a machine
with other work, `--patience 5` keeps a shader from being given up for it.

`run` compiles shaders for four families, counts their frames, and appends one JSON row per shader
to ROWS (ids and numbers, no text); stopped and run again, it goes on up to the same limit.
CORPUS: JSON lines with `id` and `code`, plain or .zst.

`fit` compares the rows with measured times (SAMPLES: JSON lines with `shader_id`, `platform`,
`time_s`), fits on the training shaders and reports on validation ones; shaders of the test split
(SHA-1 of the id, mod 10, is 0) are neither.  First it judges the laws as shipped: a sample counts
as taken at boost clock where the laws lie apart and that one is nearer, so up to 1.3 to 1.9 times
off; which of these lie within the boost law's band is kept for REPORT.

`laws` carries the measured card's law to the cards of which only regressions were published: what
the published regressions of either card (PILR) say of the same shaders gives the factors of floor
and slope.  Their faults are alike, as they were made alike, and mostly cancel; SH's factors are
printed to judge by.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
from pyarrow import parquet

from models.laboratory import measured_figures
from shaderlab.errors import ShaderlabError
from shaderlab.gpu.compilers.families import families
from shaderlab.gpu.discovery import discover
from shaderlab.locations import resources
from shaderlab.prediction.bundles import bundle
from shaderlab.prediction.models.regressions import TOTAL, RegressionModel
from shaderlab.scene.draw import Draw
from shaderlab.workers import compiled as compiled_workers
from shaderlab.workers.compiled import CompiledWorkers
from shaderlab.workers.compiler import CompilerWorker
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.frame_costs import FrameCosts
from shaderlab.workers.supervisor.limits import Limits

FAMILIES = ("polaris10", "renoir", "navi23", "gfx1100")
CANONICAL_PIXELS = 1024 * 768
MODELS = Path(__file__).parents[2] / "models"
MEASURED = ("RX6600XT", "navi23", "Radeon RX 6600 XT")


def split(shader_id: str) -> str:
    part = int(hashlib.sha1(shader_id.encode()).hexdigest(), 16) % 10
    return {0: "test", 1: "validation"}.get(part, "train")


def corpus(path: Path) -> Iterator[tuple[str, str]]:
    with path.open("rb") as raw:
        if path.suffix == ".zst":
            import zstandard

            stream = zstandard.ZstdDecompressor().stream_reader(raw)
        else:
            stream = raw
        for line in io.TextIOWrapper(stream, encoding="utf-8"):
            entry = json.loads(line)
            yield entry["id"], entry["code"]


def measured(path: Path) -> dict[str, dict]:
    """Canonical samples of the measured card by shader id."""
    found = {}
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        canonical = (row.get("width"), row.get("height"), row.get("iTime")) == (1024, 768, 1.0)
        if row["platform"] == MEASURED[0] and canonical:
            found[row["shader_id"]] = row
    return found


def run(options: argparse.Namespace) -> None:
    rows: Path = options.rows
    known = {json.loads(x)["id"] for x in rows.read_text().splitlines()} if rows.exists() else set()
    first = set(measured(options.first)) if options.first else set()
    splits = (options.split,) if options.split else ("validation", "train")
    order = sorted(
        ((i, code) for i, code in corpus(options.corpus) if i not in known and split(i) in splits),
        key=lambda item: (item[0] not in first, split(item[0]) != "validation", item[0]),
    )[: max(options.limit - len(known), 0)]
    targets = compiled_workers.choose(compiled_workers.amd().result(), options.families)
    (device,) = [d for d in discover().devices if d.slug == "llvmpipe"]
    usual = Limits()
    limits = replace(
        usual, start=usual.start * options.patience, compile=usual.compile * options.patience
    )
    failures: Counter[str] = Counter()
    start = time.monotonic()
    with (
        closing(CompilerWorker(limits)) as compiler,
        closing(DeviceWorker(device, replace(limits, trace=40.0 * options.patience))) as counting,
        closing(CompiledWorkers(targets, limits)) as compiling,
        closing(FrameCosts(compiler, counting, compiling)) as costs,
        rows.open("a") as out,
    ):
        for number, (shader, code) in enumerate(order, 1):
            row: dict = {"id": shader, "pixels": options.size[0] * options.size[1]}
            try:
                program = compiler.compile(code, shader, None).result()
                if options.compile_only:
                    row["families"] = {}
                    for slug, future in compiling.compile(program).items():
                        try:
                            row["families"][slug] = future.result().instructions
                        except ShaderlabError as error:
                            row.setdefault("problems", {})[slug] = str(error)
                else:
                    frame = costs.cost(Draw.of(program, options.size)).result()
                    row["executed"] = frame.trace.instructions_executed
                    row["problems"] = {k: str(e) for k, e in frame.problems.items()}
                    row["families"] = {
                        slug: {
                            "busy": cost.busy_cycles,
                            "wait": cost.wait_cycles,
                            "waves": cost.waves,
                            "explained": cost.explained,
                            "lines": cost.lines_explained,
                            "throughput": frame.stats[slug].chosen.value("Inverse Throughput"),
                            "occupancy": frame.stats[slug].common.occupancy,
                        }
                        for slug, cost in frame.costs.items()
                    }
            except ShaderlabError as error:
                row["error"] = str(error)
            for slug, problem in (row.get("problems") or {}).items():
                failures[f"{slug}: {problem}"] += 1
            print(json.dumps(row), file=out, flush=True)
            if number % 50 == 0 or number == len(order):
                rate = number / (time.monotonic() - start)
                lost = compiling.replacements
                print(f"{number}/{len(order)}, {rate:.2f}/s, {lost} compilers lost", flush=True)
    for failure, times in failures.most_common():
        print(f"{times} x {failure}")


# -- fitting --------------------------------------------------------------------------------------


def minimize(loss: Callable[[np.ndarray], float], start: np.ndarray) -> np.ndarray:
    """Coordinate search with shrinking steps: few parameters, any loss."""
    best, value, step = start.copy(), loss(start), 0.5
    while step > 1e-4:
        improved = False
        for at in range(len(best)):
            for sign in (1.0, -1.0):
                trial = best.copy()
                trial[at] += sign * step
                tried = loss(trial)
                if tried < value:
                    best, value, improved = trial, tried, True
        if not improved:
            step /= 2
    return best


def huber(error: np.ndarray, width: float = 0.1) -> float:
    small = np.abs(error) < width
    cost = np.where(small, error**2 / 2, width * (np.abs(error) - width / 2))
    return float(cost.mean())


def from_idle(ideal: np.ndarray, q: np.ndarray) -> np.ndarray:
    floor, slope, late_slope, late_floor = np.exp(q)
    return np.minimum(floor + slope * ideal, late_floor + late_slope * ideal)


def at_boost(ideal: np.ndarray, q: np.ndarray) -> np.ndarray:
    floor, slope = np.exp(q)
    return floor + slope * ideal


def fitted(
    law: Callable[[np.ndarray, np.ndarray], np.ndarray],
    ideal: np.ndarray,
    times: np.ndarray,
    chosen: np.ndarray,
    start: np.ndarray,
) -> np.ndarray:
    """Parameters of `law` for the chosen samples, by Huber loss on log time; `start` for none."""
    if not chosen.any():
        return start
    return minimize(lambda q: huber(np.log(law(ideal[chosen], q) / times[chosen])), start)


def spearman(a: np.ndarray, b: np.ndarray) -> float:
    ranks = [np.argsort(np.argsort(x)) for x in (a, b)]
    return float(np.corrcoef(*ranks)[0, 1])


KEYS = ("floor_s", "slope", "late_slope", "late_floor_s")
BAND = 0.85, 1.3
"""Of the law at boost clock, as resources/amd/times.json has it, for 90 % of the samples."""


def shipped() -> tuple[np.ndarray, np.ndarray]:
    """The measured card's laws as they are in times.json, from idle and at boost clock."""
    known = json.loads((resources() / "amd" / "times.json").read_text("utf-8"))["laws"]
    clocks = {e["clock"]: e for e in known if MEASURED[2] in e.get("products", ())}
    idle, boost = clocks["from idle"], clocks["boost"]
    return np.log([idle[key] for key in KEYS]), np.log([boost[key] for key in KEYS[:2]])


def taken_at_boost(
    ideal: np.ndarray, times: np.ndarray, usual: np.ndarray, boost: np.ndarray
) -> np.ndarray:
    """(n,) bool: where the two laws lie apart and that at boost clock is nearer."""
    near = np.log(times / at_boost(ideal, boost)), np.log(times / from_idle(ideal, usual))
    apart = from_idle(ideal, usual) > 1.8 * at_boost(ideal, boost)
    return apart & (np.abs(near[0]) < np.abs(near[1]))


def judge_band(
    ideal: np.ndarray, times: np.ndarray, validation: np.ndarray, keep: Path | None
) -> None:
    """Of samples at boost clock, those within the band that ships with that law."""
    usual, boost = shipped()
    low, high = BAND
    ratio = times / at_boost(ideal, boost)
    fast, inside = taken_at_boost(ideal, times, usual, boost), (low <= ratio) & (ratio <= high)
    figures = {}
    for name, of in (("fitted", fast & ~validation), ("held out", fast & validation)):
        share = inside[of].mean() if of.any() else float("nan")
        print(f"{name}: {of.sum()} at boost clock, {share:.1%} within {low} to {high} of the law")
        figures |= {f"{name} samples": int(of.sum()), f"{name} within": float(share)}
    measured_figures.keep(keep, "RX 6600 XT at boost clock", figures)


def fit(options: argparse.Namespace) -> None:
    samples = measured(options.samples)
    platform, slug, name = MEASURED
    family = next(f for f in families() if f.slug == slug)
    product = next(p for p in family.products if p.name == name)
    speed = (product.units or 0) * family.simds_per_unit * (product.clock_hz or 0.0)
    rows = [json.loads(line) for line in options.rows.read_text().splitlines()]
    rows = [r for r in rows if r["id"] in samples and slug in r.get("families", {})]
    whole = [r for r in rows if r["families"][slug]["explained"] == 1]
    print(f"{len(rows)} rows of {platform}, {len(whole)} counted block by block")
    scale = np.array([CANONICAL_PIXELS / r["pixels"] for r in rows])
    ideal = np.array([r["families"][slug]["busy"] for r in rows]) * scale / speed
    times = np.array([samples[r["id"]]["time_s"] for r in rows])
    validation = np.array([split(r["id"]) == "validation" for r in rows])
    train = ~validation

    judge_band(ideal, times, validation, options.keep)
    usual, boost = shipped()
    fast = np.zeros(len(rows), bool)
    for _ in range(5):  # which state a sample was taken in, then the laws, again
        usual = fitted(from_idle, ideal, times, train & ~fast, usual)
        fast = taken_at_boost(ideal, times, usual, boost)
        quick = train & fast
        boost = fitted(at_boost, ideal, times, quick, boost)
    print("from idle", dict(zip(KEYS, np.exp(usual).round(8).tolist(), strict=True)))
    print("boost", dict(zip(KEYS[:2], np.exp(boost).round(8).tolist(), strict=True)))
    print(f"taken at boost: {int(quick.sum())} of {int(train.sum())} training samples")
    for law, of in ((from_idle(ideal, usual), train & ~fast), (at_boost(ideal, boost), quick)):
        ratio = times[of] / law[of] if of.any() else np.ones(1)
        print(
            "  measured / law, 5 25 50 75 95 %:", np.quantile(ratio, [0.05, 0.25, 0.5, 0.75, 0.95])
        )

    others = {
        "ISA cost, measured counts": (from_idle(ideal, usual), ideal),
        "ACO's inverse throughput": (None, np.array(
            [r["families"][slug]["throughput"] for r in rows], float)),
        "SH": (None, np.array([r["executed"] for r in rows]) * scale),
    }  # fmt: skip
    for printed in ("pilr", "transformer"):
        key = f"pred_{printed}_s"
        guess = np.array([samples[r["id"]].get(key) or np.nan for r in rows], float)
        others[f"published {printed}"] = (guess, guess)
    for label, (predicted, order) in others.items():
        of = validation & np.isfinite(order)
        line = f"{label:28s} n {of.sum():4d}  Spearman {spearman(order[of], times[of]):.4f}"
        if predicted is not None:
            error = np.abs(predicted[of] / times[of] - 1)
            line += (
                f"  MAPE {error.mean():.3f}  median {np.median(error):.3f}"
                f"  within 20 % {np.mean(error < 0.2):.2f}"
            )
        print(line)
    either = np.minimum(
        np.abs(from_idle(ideal, usual) / times - 1), np.abs(at_boost(ideal, boost) / times - 1)
    )[validation]
    print(
        f"nearer of the two clock states: MAPE {either.mean():.3f}, median {np.median(either):.3f}"
    )


# -- cards of which regressions were published ----------------------------------------------------

PUBLISHED = (
    ("rx6600xt-published", *MEASURED[1:]),
    ("rx7900gre-published", "gfx1100", "Radeon RX 7900 GRE"),
    ("renoir-published", "renoir", "Radeon Graphics (Ryzen 7 4700G)"),
)
"""Models, families, and the product whose CUs and clock are taken."""


def published(model: str, executed: list[dict[str, int]]) -> dict[str, np.ndarray]:
    """Times by each regression of the model, for executed instructions by opcode."""
    regressions = RegressionModel.from_bundle(bundle.read(MODELS / model)).regressions
    found = {}
    for regression in regressions:
        fit = regression.fit
        if fit.features == (TOTAL,):
            counts = np.array([[sum(one.values())] for one in executed], float)
        else:
            counts = np.array([[one.get(name, 0) for name in fit.features] for one in executed])
        found[regression.card.name] = fit.intercept_s + counts @ fit.coefficients.astype(float)
    return found


def laws(options: argparse.Namespace) -> None:
    table = parquet.read_table(MODELS / "datasets" / "model-samples" / "shaders.parquet")
    columns = (table[name].to_pylist() for name in ("id", "executed"))
    executed = {shader: dict(counts) for shader, counts in zip(*columns, strict=True)}
    rows = [json.loads(line) for path in options.rows for line in path.read_text().splitlines()]
    rows = [r for r in rows if r["id"] in executed and r.get("families")]
    counts = [executed[r["id"]] for r in rows]
    train = np.array([split(r["id"]) == "train" for r in rows])
    if not train.any():
        print("no training shaders among the rows: nothing to carry a law over by")
        return
    law, boost = shipped()
    reference: dict[str, np.ndarray] = {}
    for model, slug, name in PUBLISHED:
        family = next(f for f in families() if f.slug == slug)
        product = next(p for p in family.products if p.name == name)
        speed = (product.units or 0) * family.simds_per_unit * (product.clock_hz or 0.0)
        costs = [r["families"].get(slug, {}) for r in rows]
        whole = np.array([cost.get("explained") == 1 for cost in costs])
        busy = np.array([cost.get("busy", 0) for cost in costs])
        ideal = busy * CANONICAL_PIXELS / np.array([r["pixels"] for r in rows]) / speed
        guesses = published(model, counts)
        print(f"{name}: {int((whole & train).sum())} training shaders")
        factors = {}
        for method, guess in guesses.items():
            of = whole & (guess > 0) & (ideal > 0)
            start = reference.get(method, np.log([3e-5, 1.0]))
            found = fitted(at_boost, ideal, guess, of & train, start)
            reference.setdefault(method, found)
            factors[method] = found - reference[method]
            floor, slope = np.exp(factors[method])
            rank, others = (
                spearman(ideal[of & ~train], guess[of & ~train]),
                int((of & ~train).sum()),
            )
            print(f"  {method:5s} floor x {floor:.3f}, slope x {slope:.3f}")
            print(f"        Spearman to ISA cost {rank:.3f} on {others} validation shaders")
        moved = law + factors["pilr"][[0, 1, 1, 0]]
        print("  from idle", dict(zip(KEYS, np.exp(moved).round(8).tolist(), strict=True)))
        steady = boost + factors["pilr"]
        print("  boost", dict(zip(KEYS[:2], np.exp(steady).round(8).tolist(), strict=True)))
        time = from_idle(ideal, moved)
        for method, guess in guesses.items():
            of = whole & (guess > 0) & ~train
            ratio = np.quantile(guess[of] / time[of], [0.05, 0.25, 0.5, 0.75, 0.95])
            print(f"  {method} / law on validation, 5 25 50 75 95 %: {ratio.round(2)}")
        if options.distributions and slug == "gfx1100":
            told = json.loads(options.distributions.read_text())["time_violins"]["platforms"]
            for q, seconds in told["RX7900GRE"]["kde_quantiles_s"].items():
                by_law = np.quantile(time[whole], float(q))
                print(f"  quantile {q}: published {seconds:.2e}, law {by_law:.2e}")


def everything(options: argparse.Namespace) -> None:
    options.first = options.samples
    run(options)
    fit(options)
    options.rows = [options.rows]
    laws(options)


def size(text: str) -> tuple[int, int]:
    width, height = text.split("x")
    return int(width), int(height)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    whole = commands.add_parser("all")
    whole.add_argument("corpus", type=Path)
    whole.add_argument("samples", type=Path)
    whole.add_argument("rows", type=Path)
    whole.add_argument("--limit", type=int, default=1000)
    whole.add_argument("--size", type=size, default=(512, 384))
    whole.add_argument("--patience", type=float, default=1.0)
    whole.set_defaults(
        action=everything,
        keep=None,
        split=None,
        families=FAMILIES,
        compile_only=False,
        distributions=None,
    )
    running = commands.add_parser("run")
    running.add_argument("corpus", type=Path)
    running.add_argument("rows", type=Path)
    running.add_argument("--first", type=Path, help="samples whose shaders come first")
    running.add_argument("--limit", type=int, default=1000)
    running.add_argument("--size", type=size, default=(512, 384))
    running.add_argument(
        "--patience", type=float, default=1.0, help="of a busy machine: times limits"
    )
    running.add_argument("--split", choices=("train", "validation"))
    running.add_argument("--families", type=lambda text: text.split(","), default=FAMILIES)
    running.add_argument("--compile-only", action="store_true")
    running.set_defaults(action=run)
    fitting = commands.add_parser("fit")
    fitting.add_argument("rows", type=Path)
    fitting.add_argument("samples", type=Path)
    measured_figures.add_option(fitting)
    fitting.set_defaults(action=fit)
    carrying = commands.add_parser("laws")
    carrying.add_argument("rows", type=Path, nargs="+")
    carrying.add_argument("--distributions", type=Path, help="published_distributions.json")
    carrying.set_defaults(action=laws)
    options = parser.parse_args()
    options.action(options)


if __name__ == "__main__":
    main()
