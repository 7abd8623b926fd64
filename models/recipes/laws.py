"""How far off forecasts by data sheets are, and the few figures that the law itself needs.

    python -m models.recipes.laws FIGURES [--out models]

FIGURES holds `published_distributions.json` (as for `matched_models`).  Whole GPUs are left out: an
H200's samples are compared with what the law makes of an RTX 3060's times and of the forecasts for
it, an RX 6600 XT's times with what it makes of the RTX 3060's, those with what it makes of the
former, and published distributions with what it makes of a relative's over the same shaders.  Needs
the additive models, the committed samples and the table of products.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from msgspec import structs

from models.laboratory import report
from models.recipes import matched_models, shared
from models.recipes.matched_models import ascending, distribution, taken
from shaderlab import units
from shaderlab.prediction.bundles import bundle
from shaderlab.prediction.catalogue import laws, targets
from shaderlab.prediction.catalogue.laws import Kind, Law, Laws, Transfer
from shaderlab.prediction.features.cost_groups import cost_group_of
from shaderlab.prediction.features.example import Example
from shaderlab.prediction.features.texture_work import TextureReads, is_texture_read
from shaderlab.prediction.forecasts import texture_term
from shaderlab.prediction.forms import Form
from shaderlab.prediction.models.additive import predict_s
from shaderlab.prediction.models.additive_model import AdditiveModel
from shaderlab.prediction.models.bands import LEVEL, calibrated_band
from shaderlab.prediction.models.law import LawModel
from shaderlab.prediction.models.mapped import Shares, both_errors
from shaderlab.prediction.models.model import CountedShader
from shaderlab.products import products
from shaderlab.samples import exchange
from shaderlab.spirv.trace import BoundTexture
from shaderlab.training import shader_data
from shaderlab.training.comparison import data_folder
from shaderlab.training.evaluation import evaluate
from shaderlab.training.methods import Cohort
from shaderlab.training.splits import Split, split_of

H200 = shared.GPUS["h200"]
QUARTILES = np.array([0.25, 0.5, 0.75, 0.95])
PIXELS = shader_data.SIZE[0] * shader_data.SIZE[1]
NVIDIA, AMD = "rtx3060", "rx6600xt"
CHECKED: Mapping[tuple[str, Kind], tuple[str, ...]] = {
    (NVIDIA, "same design"): ("rtx4060-laptop",),
    (NVIDIA, "same vendor"): ("gtx1660ti",),
    (NVIDIA, "other vendor"): ("uhd630",),
    (AMD, "same vendor"): ("rx7900gre",),
}
"""By relative and how near it is: GPUs of which a distribution was published."""
PLATFORMS = {each.slug: each.platform for each in matched_models.MATCHES} | {"uhd630": "UHD630"}
ENDS = (1 - LEVEL) / 2, (1 + LEVEL) / 2
MARGIN = 1.0005
"""Times near the floor scatter by so much about it."""
_UNKNOWN = 1.0, 1.0, LEVEL, 1, None, None, None, None, None
"""What of a law is found here."""


@dataclass(frozen=True)
class Compared:
    """Of one GPU with a published distribution: the law's time over the published one, at the
    quartiles and the 95 % quantile."""

    name: str
    ratios: np.ndarray

    def __str__(self) -> str:
        shown = ", ".join(f"{ratio:.2f}" for ratio in self.ratios)
        return f"{self.name} {shown}"


def additive(slug: str, form: Form) -> AdditiveModel:
    (target,) = targets.catalogue().choose([slug])
    found = (each for each in target.models if isinstance(each, AdditiveModel))
    return next(each for each in found if each.form is form)


def shares(model: AdditiveModel, shader: CountedShader) -> Shares:
    """Of a shader's work, by group."""
    weights, spent = model.weights, dict[str, float]()
    for kind, count in shader.example.spent[weights.execution].items():
        group = cost_group_of(kind)
        spent[group] = spent.get(group, 0.0) + count * (weights.price_of[kind] or 0.0)
    return [(group, each / (sum(spent.values()) or 1.0)) for group, each in spent.items()]


def law(relative: str, kind: Kind = "same vendor", vendor: str = "") -> Law:
    vendor = vendor or products()[relative].core.vendor
    return Law(relative, vendor, kind, *_UNKNOWN, "not yet")


def made(known: Laws, product: str) -> LawModel:
    """The law's model of a product, which may have samples or be mapped."""
    relative = next(
        each.relative for each in known.laws if each.vendor == products()[product].core.vendor
    )
    (target,) = targets.catalogue().choose([relative])
    (found,) = (
        each
        for each in laws.by_law(known, {relative: target.models})
        if each.card.target.slug == product
    )
    return found


def compare(
    known: Laws, product: str, relative_s: np.ndarray, figures: Path, usual: Shares
) -> Compared:
    """`relative_s`: the relative's time at `matched_models.QUANTILES` of the population whose
    distribution was published; `usual`: its work, in the mean."""
    model = made(known, product)
    here_s = np.array([model.mapping(usual)(each) for each in relative_s.tolist()])
    published_s = distribution(figures, PLATFORMS[product])
    at = [np.interp(QUARTILES, matched_models.QUANTILES, each) for each in (here_s, published_s)]
    return Compared(model.card.target.name, at[0] / at[1])


def across(
    known: Laws, there: str, here: str, compiled: Mapping[str, CountedShader], floor_s: float
) -> tuple[Transfer, np.ndarray]:
    """From one vendor's GPU to another's, both with samples; and measured over forecast times.

    `floor_s`: an empty pass here.
    """
    vendor, model = products()[here].core.vendor, additive(there, Form.COMPILED)
    alone = (law(there, "other vendor", vendor),)
    mapped = made(structs.replace(known, laws=alone, floors_s={here: floor_s}), here)
    _, times = shader_data.read(data_folder())
    there_s = {each.id: each.time_s for each in times[there]}
    both = [
        each
        for each in times[here]
        if each.id in there_s
        and each.id in compiled
        and split_of(each.id) is not Split.TEST
        and not compiled[each.id].reads_uninitialised
    ]
    measured_s = np.array([each.time_s for each in both])
    forecast_s = np.array(
        [mapped.mapping(shares(model, compiled[each.id]))(there_s[each.id]) for each in both]
    )
    apart = measured_s / forecast_s
    return transfer(there, here, "other vendor", "times", measured_s, forecast_s), apart


def transfer(
    there: str, here: str, kind: Kind, source: str, measured_s: np.ndarray, forecast_s: np.ndarray
) -> Transfer:
    found = evaluate(measured_s, forecast_s)
    low, high = np.quantile(measured_s / forecast_s, ENDS)
    return Transfer(
        there, here, kind, source, found.n,
        round(found.median_ape.value, 4), round(found.mape.value, 4),
        round(found.within20.value, 4), round(found.spearman.value, 4),
        round(float(low), 4), round(float(high), 4),
    )  # fmt: skip


def on_h200(
    known: Laws,
    shaders: Mapping[str, CountedShader],
    times: Mapping[str, float],
    compared: Sequence[Compared],
    farther: Sequence[Compared],
) -> tuple[tuple[Law, ...], tuple[Transfer, ...], str]:
    """NVIDIA's laws with the errors found on an H200, from it and from others, and their table.

    A band reaches as far as the H200's times lie from the RTX 3060's by the law, and as far as
    the published distributions do: of GPUs with the same figures for a unit, and with others.
    """
    measured = {
        id: time_s
        for id, time_s in shared.gpu_times("h200").items()
        if id in shaders and not shaders[id].reads_uninitialised
    }
    model, (known_law, *_) = made(known, "h200"), known.laws
    compiled = additive(NVIDIA, Form.COMPILED)
    ids = [id for id in measured if split_of(id) is not Split.TEST]
    cohort = Cohort(NVIDIA, tuple(shaders[id] for id in ids), tuple(
        shader_data.TimedShader(id, NVIDIA, shader_data.SIZE, 1.0, None, None, None) for id in ids
    ))  # fmt: skip
    counted = cohort.of_form(Form.COMPILED)
    here_s = np.array([measured[id] for id in ids])
    there = compiled.predict(compiled.methods[0].name, cohort)
    has = np.array([each is not None for each in counted]) & np.isfinite(there.time_s)
    maps = [model.mapping(shares(compiled, each)) if each else float for each in counted]

    def mapped(each_s: np.ndarray | None) -> np.ndarray:
        assert each_s is not None
        return np.array([f(s) for f, s in zip(maps, each_s.tolist(), strict=True)])

    both = np.array([id in times for id in ids]) & has
    from_times = mapped(np.array([times.get(id, np.nan) for id in ids]))[both]
    apart = here_s[both] / from_times
    low, high = _reaching(apart, compared)
    judged = has & np.array([split_of(id) is Split.VALIDATION for id in ids])
    forecast_s = mapped(there.time_s)
    found = evaluate(here_s[judged], forecast_s[judged])
    all_ends = zip(forecast_s, mapped(there.low_s), mapped(there.high_s), strict=True)
    bands = np.array([both_errors(s, (below, above), low, high) for s, below, above in all_ends])
    bands[:, 0] = np.minimum(np.maximum(bands[:, 0], model.here_floor_s), forecast_s)
    inside = (bands[:, 0] <= here_s * MARGIN) & (here_s <= bands[:, 1] * MARGIN)
    measured_error = evaluate(here_s[both], from_times)
    table = (
        f"H200 from the RTX 3060's times: median {measured_error.median_ape.value:.3f}, "
        f"within 20 % {measured_error.within20.value:.3f}, "
        f"Spearman {measured_error.spearman.value:.3f} (n {measured_error.n})\n"
        f"H200 from forecasts, validation: median {found.median_ape.value:.3f}, "
        f"mean {found.mape.value:.3f}, within 20 % {found.within20.value:.3f}, "
        f"Spearman {found.spearman.value:.3f} (n {found.n}); band holds "
        f"{inside[judged].mean():.3f}"
    )
    result = Law(
        known_law.relative, known_law.vendor, "same design",
        round(low, 4), round(high, 4), LEVEL, int(both.sum()),
        round(found.mape.value, 4), round(found.median_ape.value, 4),
        round(found.within20.value, 4), round(found.spearman.value, 4), found.n,
        f"On an H200, left out whole, forecasts from the RTX 3060's were "
        f"{units.percent(found.median_ape.value)} off in the median over {found.n} shaders; the "
        f"band held {units.percent(float(inside[judged].mean()))} of them. Against published "
        f"quantiles (25, 50, 75, 95 %): {'; '.join(map(str, compared))} times.",
    )  # fmt: skip
    low, high = _reaching(apart, [*compared, *farther])
    beside = f" With other figures for a unit: {'; '.join(map(str, farther))} times."
    other = structs.replace(
        result,
        kind="same vendor", low=round(low, 4), high=round(high, 4),
        checked=result.checked + beside,
    )  # fmt: skip
    transfers = (
        transfer(NVIDIA, "h200", "same design", "times", here_s[both], from_times),
        transfer(NVIDIA, "h200", "same design", "forecasts", here_s[judged], forecast_s[judged]),
    )
    return (result, other), transfers, table


def _reaching(apart: np.ndarray, compared: Sequence[Compared]) -> tuple[float, float]:
    """As far as measured times lie from the law's, or published distributions where that is
    farther: their ends of the level.

    `apart`: (n,) measured over forecast times.
    """
    ends = [tuple(np.quantile(apart, ENDS))]
    ends += [tuple(1 / np.quantile(each.ratios, ENDS[::-1])) for each in compared]
    return float(min(low for low, _ in ends)), float(max(high for _, high in ends))


def reads_of(kind: str, operations: float) -> TextureReads:
    """What a kind of read says of the texture and of the instruction; textures of any size."""
    _, name, *about = kind.split(":")
    filters = name.startswith("OpImageSample")
    bound = None
    if about:
        size = (256, 256, 2 if about[0] == "3D" else 1)
        bound = BoundTexture(about[0], size, 1, 1, about[-1], about[1] if filters else "nearest")
    return TextureReads(bound, filters, operations / (1 if "Dref" in name else 4))


def textured_on_h200(known: Laws, spread: Law) -> str:
    """How far off forecasts with a texture term are, as a sentence; and whether its band holds.

    Programs after `spirv-opt`; their textures hold noise.
    """
    measured: dict[str, list[float]] = {}
    for sample in exchange.accepted(H200):
        if sample.textures and sample.program.id:
            measured.setdefault(sample.program.id, []).append(sample.timing.time_s)
    shaders = shader_data.read_shaders(shared.TEXTURES / shader_data.FORMS[Form.OPTIMIZED])
    model, optimized = made(known, "h200"), additive(NVIDIA, Form.OPTIMIZED)
    rates = texture_term.published("h200")
    assert rates is not None
    here_s, forecast_s, inside = [], [], []
    for id, shader in shaders.items():
        if id not in measured or split_of(id) is Split.TEST or shader.reads_uninitialised:
            continue
        spent = shader.example.spent
        rest = {
            execution: {kind: n for kind, n in each.items() if not is_texture_read(kind)}
            for execution, each in spent.items()
        }
        plain = replace(shader, example=Example(rest, shader.example.context))
        (there_s,) = predict_s(optimized.weights, [plain.example]).tolist()
        band = calibrated_band(there_s, optimized.methods[0].bands, optimized.fixed_s)
        here = model.mapping(shares(optimized, plain))
        time_s = here(there_s)
        ends = both_errors(time_s, (here(band.low_s), here(band.high_s)), spread.low, spread.high)
        reads = [
            reads_of(kind, n)
            for kind, n in spent[optimized.weights.execution].items()
            if is_texture_read(kind)
        ]
        low_s, with_s, high_s = texture_term.joined(
            (max(ends[0], model.here_floor_s), time_s, ends[1]), rates.seconds(reads)
        )
        here_s.append(float(np.median(measured[id])))
        forecast_s.append(with_s)
        inside.append(low_s <= here_s[-1] * MARGIN and here_s[-1] <= high_s * MARGIN)
    found = evaluate(np.array(here_s), np.array(forecast_s))
    print(
        f"H200 with textures: median {found.median_ape.value:.3f}, mean {found.mape.value:.3f}, "
        f"within 20 % {found.within20.value:.3f}, Spearman {found.spearman.value:.3f} "
        f"(n {found.n}); band holds {np.mean(inside):.3f}"
    )
    return (
        f" With textures: {units.percent(found.median_ape.value)} off over {found.n}, the band "
        f"held {units.percent(float(np.mean(inside)))}."
    )


def main() -> None:
    parser = shared.parser(__doc__)
    parser.add_argument("figures", type=Path)
    parser.add_argument("--out", type=Path, default=shared.MODELS)
    options = parser.parse_args()
    shaders, times = shader_data.read(data_folder())
    compiled = shader_data.read_shaders(data_folder() / shader_data.FORMS[Form.COMPILED])
    chosen = [id for id in shaders if id in compiled and not shaders[id].reads_uninitialised]
    floors = {
        each.slug: each.floor_s
        for each in (targets.catalogue().choose([slug])[0].card.target for slug in
                     (NVIDIA, AMD, "gtx1660ti", "rtx4060-laptop"))
    }  # fmt: skip
    passes_s = [each.timing.floor_s for each in exchange.accepted(H200)]
    h200_floor = float(np.median([each for each in passes_s if each is not None]))
    beside = [
        floor_s - PIXELS / (products()[slug].pixels_per_clock * products()[slug].clock_hz)
        for slug, floor_s in floors.items()
        if floor_s is not None
    ]
    known = Laws(
        origin="data sheets (resources/gpus/products.toml) and the models of measured relatives",
        reproduce=shared.command("laws", "FIGURES"),
        integers=shared.INTEGERS,
        pass_s=round(max(float(np.median(beside)), 0.0), 8),
        floors_s={"h200": round(h200_floor, 8)},
        laws=(law(NVIDIA), law(AMD)),
    )
    print(f"a pass beside its pixels: {known.pass_s:.2e} s, of {sorted(beside)}")
    found: dict[tuple[str, Kind], list[Compared]] = {}
    for (relative, kind), slugs in CHECKED.items():
        model = additive(relative, Form.COMPILED)
        every = [dict(shares(model, compiled[id])) for id in chosen]
        usual = [
            (group, float(np.mean([each.get(group, 0.0) for each in every])))
            for group in {group for each in every for group in each}
        ]
        relative_s = _distribution(relative, options.figures, [shaders[id] for id in chosen])
        only = structs.replace(
            known, laws=tuple(law(relative, kind, products()[slug].core.vendor) for slug in slugs)
        )
        found[relative, kind] = [
            compare(only, slug, relative_s, options.figures, usual) for slug in slugs
        ]
        for each in found[relative, kind]:
            print(f"law over published quantiles (25, 50, 75, 95 %): {each}")
    amd = _against_distributions(law(AMD), found[AMD, "same vendor"])
    known_s = {each.id: each.time_s for each in times[NVIDIA]}
    nvidia, transfers, said = on_h200(
        known, shaders, known_s, found[NVIDIA, "same design"], found[NVIDIA, "same vendor"]
    )
    print(said)
    textured = textured_on_h200(known, nvidia[0])
    nvidia = tuple(structs.replace(each, checked=each.checked + textured) for each in nvidia)
    pairs = ((NVIDIA, AMD), (AMD, NVIDIA))
    crossed = [across(known, *pair, compiled, floors[pair[1]] or 0.0) for pair in pairs]
    for each, _ in crossed:
        print(each)
    intel = _of_another_vendor(crossed[0], found[NVIDIA, "other vendor"])
    result = Laws(
        known.origin, known.reproduce, known.integers, known.pass_s, known.floors_s,
        (*nvidia, amd, intel), (*transfers, *(each for each, _ in crossed)),
    )  # fmt: skip
    (options.out / laws.FILE).write_text(laws.to_json(result), "utf-8")


def _of_another_vendor(crossed: tuple[Transfer, np.ndarray], found: Sequence[Compared]) -> Law:
    """Intel's, of which no shader was timed: as far off as AMD's from NVIDIA's, and as the one
    distribution is."""
    shown, apart = crossed
    low, high = _reaching(apart, found)
    return structs.replace(
        law(NVIDIA, "other vendor", "intel"),
        low=round(low, 4), high=round(high, 4), n=shown.n,
        checked="No shader was timed on a GPU by this vendor. From the RTX 3060's times an RX 6600 "
        f"XT's, of another vendor too, came out {units.percent(shown.median_ape)} off in the "
        f"median over {shown.n:,} shaders. Against published quantiles (25, 50, 75, 95 %): "
        f"{'; '.join(map(str, found))} times.",
    )  # fmt: skip


def _with_samples(models: Path) -> str:
    """Products whose models were fitted to their own samples."""
    every, _ = bundle.read_all(models / bundle.PRODUCTS)
    rows = []
    for card in (each.card for each in every):
        (method,) = card.methods
        (band,), found = method.bands, method.validation
        figures = (found.median_ape, found.mape, found.within20, found.spearman, band.coverage)
        shown = (f"{each or 0.0:.3f}" for each in figures)
        rows.append(
            (card.target.slug, method.name, str(method.training_samples), str(found.n), *shown)
        )
    head = ("GPU", "method", "fitted to", "validation", "median APE", "MAPE", "within 20 %",
            "Spearman", "in band")  # fmt: skip
    return (
        "Where a GPU has samples, its own model takes the place of the law "
        f"(`{shared.command('additive_models', '--target h200')}`):\n\n" + report.table(head, rows)
    )


def section(models: Path) -> str:
    """For the report, as Markdown."""
    known = laws.read(models)
    if known is None:
        return ""
    body = [
        (
            each.here, each.there, each.kind, each.source, f"{each.n:,}", f"{each.median_ape:.3f}",
            f"{each.mape:.3f}", f"{each.within20:.3f}", f"{each.spearman:.3f}",
            f"{each.low:.2f} to {each.high:.2f}",
        )
        for each in known.transfers
    ]  # fmt: skip
    head = ("GPU left out", "from", "kind", "by its", "shaders", "median APE", "MAPE",
            "within 20 %", "Spearman", "measured over forecast, 80 %")  # fmt: skip
    bands = [
        (each.vendor, each.relative, each.kind, f"{each.low:.2f} to {each.high:.2f}", each.checked)
        for each in known.laws
    ]
    return (
        "## Forecasts by data sheets\n\nWhole GPUs left out, forecast from another one's times "
        "or forecasts, both data sheets and their own empty pass "
        f"(`{shared.command('laws', 'FIGURES')}`). From the RX 6600 XT's times most of the error "
        "is its clock, which was low for short frames.\n\n"
        + report.table(head, body)
        + f"\n\n{_with_samples(models)}"
        + "\n\nBands of forecasts, beside the relative's own, by how near the relative is:\n\n"
        + report.table(("vendor", "relative", "kind", "factor", "compared with"), bands)
    )


def _distribution(relative: str, figures: Path, chosen: list[CountedShader]) -> np.ndarray:
    """The relative's at `QUANTILES` over the population of the published distributions; where none
    was published, the RTX 3060's, converted by the forecasts for both."""
    shared_s = distribution(figures, matched_models.SHARED)
    if relative == NVIDIA:
        return shared_s
    own, other = (
        np.quantile(matched_models.additive_s(slug, chosen), matched_models.QUANTILES)
        for slug in (relative, NVIDIA)
    )
    return taken(*ascending(other, own))(shared_s).astype(np.float64)


def _against_distributions(known: Law, found: Sequence[Compared]) -> Law:
    every = np.concatenate([each.ratios for each in found])
    return structs.replace(
        known,
        low=round(min(1 / float(every.max()), 1.0), 4),
        high=round(max(1 / float(every.min()), 1.0), 4),
        n=len(every),
        checked="No sample of another GPU of this vendor. Against published quantiles (25, 50, 75, "
        f"95 %): {'; '.join(map(str, found))} times.",
    )


if __name__ == "__main__":
    main()
