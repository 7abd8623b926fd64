"""Find what to expect of a shader that cannot be run, and how far forecasts of such are off.

    python -m models.recipes.static_counts CORPUS [--data models/datasets/model-samples]
        [--samples models/datasets/llvmpipe-512x384.parquet] [--out models/static.json]

CORPUS is a `.jsonl.zst` of shaders with `id` and `code`; none is run.  Odds of branches and trips
of loops come from the counts in SAMPLES, of the training split; spreads and errors from the
validation split of DATA, by the bundles in `models/`.  Writes DATA/static.parquet too: the shaders
of DATA as forecasts without a trace see them.  The test split is reported only with --test, on
screen.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np

from models.laboratory import odds, published_samples
from models.recipes import shared
from shaderlab import stats, units
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.program import Program
from shaderlab.prediction.catalogue.targets import catalogue
from shaderlab.prediction.catalogue.user_targets import bases
from shaderlab.prediction.features.example import example
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecast import Validation
from shaderlab.prediction.forecasts.static_counts import Spread, StaticCounts, error_key
from shaderlab.prediction.forecasts.static_forecast import band
from shaderlab.prediction.forms import Form
from shaderlab.prediction.models.additive import predict_s
from shaderlab.prediction.models.bands import LEVEL
from shaderlab.prediction.models.model import CountedShader, Model
from shaderlab.samples import exchange
from shaderlab.samples.traces import counted
from shaderlab.spirv.analysis.undefined_results import undefined_results
from shaderlab.spirv.analysis.uninitialised import uninitialised_reads
from shaderlab.spirv.module import Module
from shaderlab.spirv.trace import Trace
from shaderlab.training import shader_data
from shaderlab.training.comparison import judge
from shaderlab.training.methods import Cohort
from shaderlab.training.splits import Split, split_of

NOWHERE = Spread(1.0, 1.0, 1)
ORIGIN = (
    "Odds: {frames} traced shaders of the training split of {samples}. Spreads: traced over "
    "untraced additive forecasts of the validation split of {data}. "
    "Made by models.recipes.static_counts."
)


def compiled(texts: Mapping[str, str]) -> Iterator[Program]:
    def one(shader_id: str) -> Program | None:
        try:
            return compile_text(texts[shader_id], shader_id, None)
        except ShaderlabError as error:
            print(f"  {shader_id}: {error}", file=sys.stderr)
            return None

    with ThreadPoolExecutor(2) as pool:
        yield from (each for each in pool.map(one, sorted(texts)) if each is not None)


def frames(samples: Path, programs: Mapping[str, Program]) -> Iterator[tuple[Module, Trace]]:
    """Traced frames of the training split whose modules are as they were when traced."""
    for sample in exchange.accepted(samples):
        program = programs.get(sample.program.id or "")
        if program is not None and split_of(program.name) is Split.TRAIN:
            try:
                yield program.module, counted(sample.trace, sample.inputs, program)
            except ShaderlabError:
                continue


def static_shader(program: Program, counts: StaticCounts) -> tuple[CountedShader, bool]:
    trace, guessed = counts.count(program)
    everything = {block.id for block in trace.blocks}
    seen = CountedShader(
        program.name,
        dict(TracedProgram(program, trace).executed),
        example(program.module, trace),
        bool(uninitialised_reads(program.module, program.entry_point, everything)),
        bool(undefined_results(program.module, everything)),
    )
    return seen, guessed


def spread(
    traced: Mapping[str, CountedShader], static: Mapping[str, CountedShader], ids: list[str]
) -> Spread:
    """Quantiles of traced over untraced forecasts, geometric mean over the additive targets."""
    logs = np.mean(
        [
            np.log(
                predict_s(weights, [traced[i].example for i in ids])
                / predict_s(weights, [static[i].example for i in ids])
            )
            for weights in bases().values()
        ],
        axis=0,
    )
    low, high = stats.conformal_factors(np.exp(logs), LEVEL)
    return Spread(round(low, 4), round(high, 4), len(ids))


def cohorts(data: Path, split: Split, static: Mapping[str, CountedShader]) -> Iterator[Cohort]:
    _, times = shader_data.read(data)
    for slug in sorted(times):
        timed = [each for each in times[slug] if split_of(each.id) is split and each.id in static]
        if timed:
            yield Cohort(slug, tuple(static[each.id] for each in timed), tuple(timed))


def _of_kind(cohort: Cohort, guessed: Mapping[str, bool], loops: bool) -> Cohort:
    chosen = [n for n, each in enumerate(cohort.ids) if guessed[each] is loops]
    return Cohort(
        cohort.target,
        tuple(cohort.shaders[n] for n in chosen),
        tuple(cohort.timed[n] for n in chosen),
    )


def _models(slug: str) -> Iterator[tuple[str, Model]]:
    """The target's methods that need nothing but counts of the program as written."""
    for target in catalogue().targets:
        if target.card.target.slug == slug:
            for model in target.models:
                if model.BY_COUNTS and model.form is Form.WRITTEN:
                    yield from ((method.name, model) for method in model.methods)


def judged(
    data: Path,
    split: Split,
    static: Mapping[str, CountedShader],
    guessed: Mapping[str, bool],
    counts: StaticCounts,
) -> Iterator[tuple[str, Validation, float | None]]:
    """`target method`, its error without a trace, and the share of times inside the band."""
    for loops, cohort in (
        (loops, _of_kind(cohort, guessed, loops))
        for cohort in cohorts(data, split, static)
        for loops in (False, True)
    ):
        for name, model in _models(cohort.target):
            if not cohort.timed:
                continue
            predicted = model.predict(name, cohort)
            if predicted is None:
                continue
            row = judge(cohort, name, predicted)
            if row is None:
                continue
            held = None
            low_s, high_s = predicted.low_s, predicted.high_s
            if low_s is not None and high_s is not None:
                seen = zip(low_s.tolist(), predicted.time_s.tolist(), high_s.tolist(), strict=True)
                ends = np.array([band(*each, counts.spread(loops)) for each in seen])
                held = stats.coverage(cohort.measured_s, ends[:, 0], ends[:, 1])
            result = row.result
            yield (
                error_key(cohort.target, name, loops),
                Validation(
                    round(result.mape.value, 4), round(result.spearman.value, 4), result.n,
                    "shaderlab, without a trace, on validation shaders whose loops are "
                    f"{'guessed' if loops else 'bounded by constants'}: "
                    f"median {units.percent(result.median_ape.value)} (95 % interval "
                    f"{units.percent(result.median_ape.low)} to "
                    f"{units.percent(result.median_ape.high)}).",
                    round(result.median_ape.value, 4), round(result.within20.value, 4),
                ),
                held,
            )  # fmt: skip


def main() -> None:
    parser = shared.parser(__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--data", type=Path, default=shared.SAMPLES)
    parser.add_argument(
        "--samples", type=Path, default=shared.DATA_SETS / "llvmpipe-512x384.parquet"
    )
    parser.add_argument("--out", type=Path, default=shared.MODELS / "static.json")
    parser.add_argument("--test", action="store_true", help="report the errors on the test split")
    options = parser.parse_args()

    traced, _ = shader_data.read(options.data)
    ids = set(traced) | {each.program.id or "" for each in exchange.accepted(options.samples)}
    programs = {each.name: each for each in compiled(published_samples.texts(options.corpus, ids))}
    observed = list(frames(options.samples, programs))
    found = odds.measured(observed)
    counts = StaticCounts(found["invocations"], found["lanes"], LEVEL, NOWHERE, NOWHERE, {})
    static: dict[str, CountedShader] = {}
    guessed: dict[str, bool] = {}
    for name in sorted(traced.keys() & programs.keys()):
        static[name], guessed[name] = static_shader(programs[name], counts)
    shader_data.write_shaders(options.data / shader_data.STATIC, list(static.values()))
    held_out = [each for each in static if split_of(each) is Split.VALIDATION]
    counts = replace(
        counts,
        known=spread(traced, static, [each for each in held_out if not guessed[each]]),
        guessed=spread(traced, static, [each for each in held_out if guessed[each]]),
    )
    rows = list(judged(options.data, Split.VALIDATION, static, guessed, counts))
    counts = replace(counts, validated={name: validated for name, validated, _ in rows})
    origin = ORIGIN.format(
        frames=len(observed), samples=options.samples.name, data=options.data.name
    )
    options.out.write_text(counts.to_json(origin), encoding="utf-8")
    print(f"{len(static)} shaders, {sum(guessed.values())} with guessed loops; in {options.out}")
    print(f"  known {counts.known}\n  guessed {counts.guessed}")
    if options.test:
        rows += [
            (f"test: {name}", validated, held)
            for name, validated, held in judged(options.data, Split.TEST, static, guessed, counts)
        ]
    for name, validated, held in rows:
        inside = "" if held is None else f", in band {units.percent(held)}"
        print(
            f"  {name}: median {units.percent(validated.median_ape or 0.0)}, mean "
            f"{units.percent(validated.mape or 0.0)}, within 20 % "
            f"{units.percent(validated.within20 or 0.0)}, rank {validated.spearman:.3f}, "
            f"n {validated.n}{inside}"
        )


if __name__ == "__main__":
    main()
