"""How do the shipped prices fare on what another RADV leaves of the programs?  Run by hand:

    python -m tests.benchmarks.radv_drift CORPUS.jsonl.zst --icd FILE --traces FOLDER
        [--split test] [--shaders 200] [--patience 20]

Prices of compiled programs were fitted to Mesa 22.3.6.  Published shaders of a split that have
counts of that form, in an order drawn by a fixed seed, are compiled by the RADV whose driver
manifest is named, read, and counted on llvmpipe as `models.recipes.model_samples` does; counts
are kept in FOLDER, so that a run can be continued.  Printed for each target: the errors with the
committed counts and with the new ones on the same shaders, and how far the forecasts lie apart.
With `--out`, the new counts as a file of `training.shader_data`; with `--errors`, the errors are
put into that file (`models/compilers.json`), where forecasts look for them.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import numpy as np

from models.laboratory import published_samples
from models.laboratory.program_store import ProgramStore
from models.laboratory.trace_store import TraceStore
from models.recipes import model_samples, shared
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.mesa import mesa_of
from shaderlab.gpu import discovery
from shaderlab.gpu.compilers.families import REFERENCE
from shaderlab.gpu.radv import discovery as radv_discovery
from shaderlab.prediction.catalogue.user_targets import bases
from shaderlab.prediction.forms import Form
from shaderlab.prediction.models.additive import predict_s
from shaderlab.prediction.models.model import CountedShader
from shaderlab.spirv.trace import Trace
from shaderlab.training import shader_data
from shaderlab.training.evaluation import evaluate
from shaderlab.training.shader_data import TimedShader
from shaderlab.training.splits import Split, split_of
from shaderlab.workers import compiled
from shaderlab.workers.compiled import CompiledWorkers
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.supervisor.limits import Limits

SEED = 17
TARGETS = ("rtx3060", "rx6600xt", "llvmpipe")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--icd", type=Path, required=True)
    parser.add_argument("--traces", type=Path, required=True)
    parser.add_argument("--split", action="append", choices=[each.value for each in Split])
    parser.add_argument("--shaders", type=int, default=200)
    parser.add_argument("--patience", type=float, default=20.0, help="seconds for one count")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--errors", type=Path)
    options = parser.parse_args()
    before, times = shader_data.read(shared.SAMPLES, shader_data.FORMS[Form.COMPILED])
    splits = [Split(each) for each in options.split or ["test"]]
    ids = sorted({each.id for timed in times.values() for each in timed})
    on_gpus = {each.id for slug in TARGETS[:2] for each in times[slug]}
    ids = [each for each in ids if split_of(each) in splits and each in on_gpus]
    random.Random(SEED).shuffle(ids)
    texts = published_samples.texts(options.corpus, set(ids))
    driver, now, causes = _counted(ids[: options.shaders], texts, before, options)
    print(f"{len(now)} of {len(ids[: options.shaders])} counted")
    for cause, n in causes.most_common():
        print(f"  {n} x {cause}")
    errors = {target: _compare(target, times[target], before, now) for target in TARGETS}
    if options.errors:
        _put(options.errors, mesa_of(driver), errors)
    if options.out:
        shader_data.write_shaders(options.out, list(now.values()))


def _put(path: Path, mesa: str, errors: Mapping[str, object]) -> None:
    table = json.loads(path.read_text("utf-8")) if path.exists() else {"errors": {}}
    table["errors"][mesa] = errors
    path.write_text(json.dumps(table, indent=1, sort_keys=True) + "\n", "utf-8")


def _counted(
    ids: list[str],
    texts: Mapping[str, str],
    before: Mapping[str, CountedShader],
    options: argparse.Namespace,
) -> tuple[str, dict[str, CountedShader], Counter[str]]:
    store = TraceStore(options.traces)
    kept = ProgramStore(options.traces / "compiled")
    targets = radv_discovery.of_manifest(options.icd.resolve(), options.traces)
    print(targets[0].driver)
    limits = Limits(trace=options.patience, compile=60.0)
    info = discovery.discover().choose("llvmpipe")
    found: dict[str, CountedShader] = {}
    causes: Counter[str] = Counter()
    with (
        closing(DeviceWorker(info, limits)) as device,
        closing(CompiledWorkers(compiled.choose(targets, [REFERENCE]), limits)) as compiler,
    ):
        for number, each in enumerate(ids):
            if number % 50 == 0:
                print(f"  {number} of {len(ids)}", flush=True)
            try:
                written = compile_text(texts[each], each, None)
                left = kept.get(written)
                if left is None:
                    left = compiler.program(written, REFERENCE).result()
                    kept.put(written, left)
                if not store.holds(each):
                    sizes = [model_samples.USUAL, model_samples.SLOW]
                    store.put(each, model_samples.traced(device, left, sizes))
            except ShaderlabError as error:
                causes[f"{type(error).__name__}: {str(error)[:90]}"] += 1
                continue
            trace = store.get(each)
            if isinstance(trace, Trace):
                known = before[each]
                found[each] = model_samples.scaled(
                    left, trace, known.reads_uninitialised, known.divides_by_zero
                )
    return targets[0].driver, found, causes


def _compare(
    target: str,
    times: tuple[TimedShader, ...],
    before: Mapping[str, CountedShader],
    now: Mapping[str, CountedShader],
) -> dict[str, dict[str, float]]:
    timed = [each for each in times if each.id in now]
    weights = bases(Form.COMPILED, shared.MODELS)[target]
    measured = np.array([each.full_s for each in timed])
    said = [predict_s(weights, [of[each.id].example for each in timed]) for of in (before, now)]
    clean = np.array([not before[each.id].undefined_on(target) for each in timed])
    print(f"{target}: {len(timed)} shaders, {clean.sum()} without undefined values")
    errors: dict[str, dict[str, float]] = {}
    for name, seconds in zip(("committed", "new"), said, strict=True):
        for which, mask in (("all", clean | True), ("initialised", clean)):
            found = evaluate(measured[mask], seconds[mask], resamples=1)
            print(
                f"  {name:10}{which:12} mean {found.mape.value:.3f}  "
                f"median {found.median_ape.value:.4f}  within 20 % {found.within20.value:.3f}  "
                f"Spearman {found.spearman.value:.3f}"
            )
            if name == "committed":
                errors[which] = {"fitted": round(found.median_ape.value, 4)}
            else:
                errors[which] |= {
                    "n": found.n,
                    "mape": round(found.mape.value, 4),
                    "median_ape": round(found.median_ape.value, 4),
                    "within20": round(found.within20.value, 4),
                    "spearman": round(found.spearman.value, 4),
                }
    apart = np.abs(np.log(said[1] / said[0]))
    print(
        f"  apart: median {np.median(apart):.4f}, 90 % under {np.percentile(apart, 90):.3f}, ",
        f"equal to 0.1 % for {np.mean(apart < 1e-3):.1%}",
    )
    return errors


if __name__ == "__main__":
    main()
