"""How far off forecasts are for divisions by zero, and for arrays that are copied as a whole.

    python -m tests.benchmarks.undefined_and_copied CORPUS [--data FOLDER] [--models FOLDER]

CORPUS is a `.jsonl.zst` of shaders with `id` and `code`.  Prints, of the committed samples without
uninitialised reads: by target the ratios of measured to forecast time of those that divide by a
constant zero; mean and median error of llvmpipe's validation shaders under 2 ms, with undefined
values and without; and by the largest array copied least, median and largest ratio.  Array copies
are looked for in all blocks of the program as written.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np

from models.laboratory import published_samples
from models.laboratory.untraced import once_each
from models.recipes import shared
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.compiler import compile_text
from shaderlab.prediction.forms import METHODS, Form
from shaderlab.prediction.models.model import CountedShader
from shaderlab.spirv.analysis.array_copies import array_copies
from shaderlab.training import shader_data
from shaderlab.training.changes import Counts, models_of
from shaderlab.training.splits import Split, split_of

LATEST = {"llvmpipe": Form.COMPILED, "swiftshader": Form.OPTIMIZED} | dict.fromkeys(
    ("rtx3060", "rx6600xt"), Form.COMPILED
)
"""By target: the form of the program that forecasts best."""
FAST_S = 2e-3
SIZES = (32, 64, 128, 512, 1 << 62)


def ratios(
    target: str, ids: list[str], measured_s: Mapping[str, float], counts: Counts, models: Path
) -> np.ndarray:
    """(n,) measured over forecast; nan where there is no forecast."""
    method = METHODS[LATEST[target]]
    model = dict(models_of(target, models))[method]
    return np.array([measured_s[i] for i in ids]) / counts.predicted_s(model, method, ids)


def shown(found: np.ndarray) -> str:
    found = np.sort(found[np.isfinite(found)])
    if not found.size:
        return "none"
    least, median, most = found[0], np.median(found), found[-1]
    return f"{least:.2f}, {median:.2f}, {most:.3g} ({len(found)})"


def largest_copies(texts: Mapping[str, str]) -> dict[str, int]:
    """By id of the shaders that copy an array of `SIZES[0]` scalars or more: of the largest."""
    found = {}
    for shader_id, text in texts.items():
        try:
            program = compile_text(text, shader_id, None)
        except ShaderlabError:
            continue
        blocks = once_each(program).executed_blocks
        if copies := array_copies(program.module, blocks, SIZES[0]):
            found[shader_id] = copies[0].values
    return found


def fast(shaders: Mapping[str, CountedShader], off: Mapping[str, float]) -> None:
    """`off`: measured over forecast, by id, of the shaders under `FAST_S`."""
    for which in (False, True):
        mine = [r for i, r in off.items() if shaders[i].undefined_on("llvmpipe") is which]
        errors = np.abs(1 / np.array(mine) - 1)
        name = "with" if which else "without"
        print(
            f"llvmpipe, validation under {FAST_S * 1e3:g} ms {name} undefined values:"
            f" mean {errors.mean():.3f}, median {np.median(errors):.3f} (n {len(mine)})"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--data", type=Path, default=shared.SAMPLES)
    parser.add_argument("--models", type=Path, default=shared.MODELS)
    options = parser.parse_args()
    shaders, times = shader_data.read(options.data)
    counts = Counts(options.data)
    copied = largest_copies(published_samples.texts(options.corpus, set(shaders)))
    for target in LATEST:
        measured_s = {each.id: each.full_s for each in times[target]}
        clean = [i for i in measured_s if not shaders[i].reads_uninitialised]

        def off(ids: list[str], target=target, measured_s=measured_s) -> np.ndarray:
            return ratios(target, ids, measured_s, counts, options.models)

        divide = [i for i in clean if shaders[i].divides_by_zero]
        print(f"{target}, divided by a constant zero: {shown(off(divide))}")
        defined = [i for i in clean if i in copied and not shaders[i].undefined_on(target)]
        for low, high in pairwise(SIZES):
            some = [i for i in defined if low <= copied[i] < high]
            until = f"to {high - 1}" if high < SIZES[-1] else "or more"
            print(f"{target}, {low} {until} values copied: {shown(off(some))}")
        if target == "llvmpipe":
            ids = [
                i for i in measured_s
                if split_of(i) is Split.VALIDATION and measured_s[i] < FAST_S
            ]  # fmt: skip
            known = zip(ids, off(ids).tolist(), strict=True)
            fast(shaders, {i: ratio for i, ratio in known if np.isfinite(ratio)})


if __name__ == "__main__":
    main()
