"""Write models/REPORT.md and its heat maps: every method on the validation split, and on request
on the test split.

    python -m models.recipes.report [--with-test] [--out models]

Reads the committed samples, bundles and recorded predictions alone; nothing is fitted.  Needs
matplotlib (the `training` extra).  The same inputs give the same report.
"""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from models.laboratory import error_heat_maps as heat_maps
from models.laboratory import report
from models.recipes import acceptance, calibrations, goals, laws, learning_curves, shared, widths
from shaderlab.prediction.catalogue.targets import catalogue
from shaderlab.training import methods, recorded_predictions
from shaderlab.training.comparison import Answer, Row, answers
from shaderlab.training.evaluation import RESAMPLES
from shaderlab.training.splits import Split

INTRODUCTION = f"""# How well every method predicts

Written by `{{command}}`. Errors are |predicted - measured| / measured: MAPE is their mean, median
APE their median, within 20 % the share of shaders with no more, Spearman the rank correlation. In
brackets 95 % intervals over {RESAMPLES:,} bootstrap resamples of the shaders. All rows of a table
are over the same shaders unless n says otherwise; **bold** is what shaderlab predicts the target
with by default, from the program's own trace alone; once the program's other forms were traced too
it is additive-latest. Methods are sorted by their median error. *In band*: share of measured times
inside the forecast's band. What is judged is what shaderlab forecasts: published PILR gives way to
Simple Heuristics where it gives less than any frame takes, refitted methods never go below the
fastest training shader. The authors' printed predictions are judged as printed, negative ones too.

Models are fitted on the training split. The validation split chose between recipes and calibrated
the bands, so its figures are slightly optimistic, and the bands' shares most of all; `--with-test`
adds the test split. Splits are by shader id (`int(sha1(id), 16) % 10`: 0 test, 1 validation). What
the samples are and how far they may be trusted: [their card](datasets/model-samples/README.md).

*Without the trace* is each method fitted and evaluated again, once with every basic block counted
once per pixel, as in the paper's ablation, once with likely counts, estimated without running the
shader. Decades of fewer than five shaders have no intervals.
"""

HEADLINES = {
    Split.TEST: "Test split: shaders no model and no choice has seen",
    Split.VALIDATION: "Validation split",
}


def method_list(rows: list[Row]) -> str:
    """What each method is and was fitted to, as its card or record says."""
    names = {methods.traced_name(row.method) for row in rows}
    lines = {name: "printed by the paper's authors for these shaders" for name in methods.PRINTED}
    lines[methods.LATEST] = (
        "what is shown once all forms of a program were counted: the forecast of "
        "additive-compiled; where RADV's compiler left no program that can be counted, of "
        "additive-optimized; else of additive"
    )
    for path in recorded_predictions.files():
        made_by, about = recorded_predictions.origin(path)
        lines[path.stem] = f"{about} Recorded by `{made_by}`."
    for name in sorted(names - lines.keys()):
        fitted = [
            (model.card.target.slug, model.card.reproduce.partition(" --target")[0], card)
            for target in catalogue().choose(sorted({row.target for row in rows}))
            for model in target.models
            for card in model.methods
            if card.name == name
        ]
        _, command, card = fitted[0]
        origin = "published" if card.origin.notebook else "fitted by shaderlab"
        losses: dict[str, list[str]] = {}
        for slug, _, each in fitted:
            losses.setdefault(each.loss, []).append(f"{slug} {each.training_samples:,}")
        choices = "; ".join(
            f"{loss} (training shaders: {', '.join(shaders)})" for loss, shaders in losses.items()
        )
        lines[name] = f"{origin}: {choices}. `{command}`"
    return "\n".join(f"- **{name}**: {lines[name]}" for name in sorted(names))


def target_section(found: list[Answer], split: Split, out: Path) -> str:
    cohort = found[0].cohort
    names = {each.card.target.slug: each.card.target.name for each in catalogue().targets}
    picture = Path("report") / f"{cohort.target}-{split.value}.png"
    shown = sorted(
        (each for each in found if methods.traced_name(each.row.method) == each.row.method),
        key=lambda each: each.row.result.median_ape.value,
    )
    title = f"{names.get(cohort.target, cohort.target)}, {split.value} split, n {len(cohort.timed)}"
    heat_maps.draw(
        out / picture,
        title,
        cohort.measured_s,
        {each.row.method: each.predicted.time_s for each in shown},
    )
    return "\n\n".join(
        [
            f"### {names.get(cohort.target, cohort.target)} (`{cohort.target}`)",
            report.target_tables([each.row for each in found]),
            f"![Predicted against measured time of {title}]({picture.as_posix()})",
        ]
    )


def main() -> None:
    parser = shared.parser(__doc__)
    parser.add_argument(
        "--with-test",
        action="store_true",
        help="the test split too: to be read when a model is final, never to choose one",
    )
    parser.add_argument("--out", type=Path, default=shared.MODELS)
    options = parser.parse_args()

    parts, rows = [], []
    if options.with_test:
        parts.append(goals.section(options.out))
    for split in (Split.TEST, Split.VALIDATION) if options.with_test else (Split.VALIDATION,):
        parts.append(f"## {HEADLINES[split]}")
        found = list(answers(split, ablations=True))
        rows += [each.row for each in found]
        for _, each in groupby(found, key=lambda answer: answer.cohort.target):
            parts.append(target_section(list(each), split, options.out))
    parts.append(widths.section(shared.SAMPLES, shared.LEFT_OUT, options.out))
    parts.append(laws.section(options.out))
    parts.append(calibrations.section(options.out))
    parts.append(learning_curves.section(options.out))
    parts.append(acceptance.section(options.out))
    command = shared.command("report", *["--with-test"] * options.with_test)
    introduction = INTRODUCTION.format(command=command)
    text = "\n\n".join(
        [introduction.rstrip(), "## Methods", method_list(rows), *filter(None, parts)]
    )
    (options.out / "REPORT.md").write_text(text + "\n", encoding="utf-8")
    print(options.out / "REPORT.md")


if __name__ == "__main__":
    main()
