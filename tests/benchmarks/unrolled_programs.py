"""Forecasts of programs whose loops of constant bounds were unrolled before RADV compiled them.

python -m tests.benchmarks.unrolled_programs CORPUS [--most N]

NVIDIA's compiler unrolls such loops where RADV's leaves them.  Shaders of the training and
validation splits that an RTX 3060 or an H200 timed are optimised, their loops marked for unrolling,
optimised again, compiled by RADV and traced on llvmpipe.  Of those that come out with fewer loops
than RADV leaves by itself, the shipped models' errors are printed with either program.
"""

from __future__ import annotations

import argparse
from collections import Counter
from contextlib import closing
from pathlib import Path

import numpy as np

from models.laboratory import published_samples
from models.recipes import shared
from shaderlab.errors import CompileFailed, ShaderlabError
from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.optimizing import unrolled
from shaderlab.frontend.program import Program
from shaderlab.gpu.compilers.families import REFERENCE
from shaderlab.prediction.catalogue import targets
from shaderlab.prediction.features.example import Example, example
from shaderlab.prediction.forms import Form
from shaderlab.prediction.models.additive import predict_s
from shaderlab.prediction.models.additive_model import AdditiveModel
from shaderlab.scene.draw import Draw
from shaderlab.spirv.grammar import Op
from shaderlab.training import shader_data
from shaderlab.training.splits import Split, split_of
from shaderlab.workers import compiled
from shaderlab.workers.compiled import CompiledWorkers
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.discovery import discover
from shaderlab.workers.supervisor.limits import Limits

GPUS = ("rtx3060", "h200", "rx6600xt")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--most", type=int, help="shaders tried")
    options = parser.parse_args()
    shaders = shader_data.read_shaders(shared.SAMPLES / shader_data.FORMS[Form.COMPILED])
    _, timed = shader_data.read(shared.SAMPLES)
    times = {
        slug: {each.id: each.time_s for each in timed[slug]} for slug in ("rtx3060", "rx6600xt")
    }
    times["h200"] = shared.gpu_times("h200")
    wanted = [
        id
        for id in sorted((times["rtx3060"].keys() | times["h200"].keys()) & shaders.keys())
        if split_of(id) is not Split.TEST and not shaders[id].reads_uninitialised
    ][: options.most]
    texts = published_samples.texts(options.corpus, wanted)
    limits, outcomes = Limits(trace=25.0, compile=15.0), Counter()
    made: dict[str, Example] = {}
    families = compiled.choose(compiled.amd().result(), [REFERENCE])
    with (
        closing(DeviceWorker(discover().result().choose("llvmpipe"), limits)) as device,
        closing(CompiledWorkers(families, limits)) as compilers,
    ):
        for id in wanted:
            try:
                found = _unrolled(texts[id], id, compilers, device) if id in texts else "no text"
            except ShaderlabError as error:
                found = type(error).__name__
            if isinstance(found, Example):
                made[id], found = found, "fewer loops"
            outcomes[found] += 1
    print(dict(outcomes))
    for slug in GPUS:
        (target,) = targets.catalogue().choose([slug])
        weights = next(
            each.weights
            for each in target.models
            if isinstance(each, AdditiveModel) and each.form is Form.COMPILED
        )
        ids = [id for id in made if id in times[slug]]
        measured = np.array([times[slug][id] for id in ids])
        for what, examples in (
            ("as RADV leaves them", [shaders[id].example for id in ids]),
            ("unrolled before", [made[id] for id in ids]),
        ):
            errors = np.abs(predict_s(weights, examples) / measured - 1)
            print(
                f"{slug}, {what}: median {np.median(errors):.3f}, mean {errors.mean():.3f}, "
                f"within 20 % {(errors <= 0.2).mean():.2f} (n {len(ids)})"
            )


def _unrolled(
    text: str, id: str, compilers: CompiledWorkers, device: DeviceWorker
) -> Example | str:
    """What the unrolled program executes, or why it is no other."""
    written = compile_text(text, id, None)
    try:
        whole = unrolled(written)
    except CompileFailed as error:
        return "no loops" if "no loops" in str(error) else "not unrolled"
    usual = compilers.program(written, REFERENCE).result()
    other = compilers.program(whole, REFERENCE).result()
    if _loops(other) >= _loops(usual):
        return "as RADV unrolls it"
    trace = device.trace(Draw.of(other, (512, 384))).result()
    return example(other.module, trace, 1024 * 768)


def _loops(program: Program) -> int:
    return len(program.module.indices(Op.LoopMerge))


if __name__ == "__main__":
    main()
