"""How far off forecasts by data sheets are, and the few figures that the law itself needs.

    python -m models.recipes.laws FIGURES [--out models]

FIGURES holds `published_distributions.json` (as for `matched_models`).  Whole GPUs are left out: an
H200's samples are compared with what the law makes of an RTX 3060's times and of the forecasts for
it, and published distributions with what it makes of a relative's over the same shaders.  Needs the
additive models, the committed samples and the table of products.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from msgspec import structs

from models.recipes import matched_models, shared
from models.recipes.matched_models import ascending, distribution, taken
from shaderlab import units
from shaderlab.prediction.catalogue import laws, targets
from shaderlab.prediction.catalogue.laws import Law, Laws
from shaderlab.prediction.catalogue.products import products
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
from shaderlab.samples import exchange
from shaderlab.spirv.trace import BoundTexture
from shaderlab.training import shader_data
from shaderlab.training.comparison import data_folder
from shaderlab.training.evaluation import evaluate
from shaderlab.training.methods import Cohort
from shaderlab.training.splits import Split, split_of

H200 = shared.DATA_SETS / "gpus" / "h200-1024x768.parquet"
QUARTILES = np.array([0.25, 0.5, 0.75, 0.95])
PIXELS = shader_data.SIZE[0] * shader_data.SIZE[1]
NVIDIA, AMD = "rtx3060", "rx6600xt"
CHECKED = {NVIDIA: ("gtx1660ti", "rtx4060-laptop"), AMD: ("rx7900gre",)}
"""By relative: GPUs of which a distribution was published."""
INTEGERS = 0.265
"""Of the arithmetic of shaders: 36 integer instructions for every 100 of floating-point numbers, as
NVIDIA saw them in games (Turing architecture white paper, 2018, "Turing SM")."""
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


def law(relative: str) -> Law:
    return Law(relative, products()[relative].core.vendor, *_UNKNOWN, "not yet")


def made(known: Laws, product: str) -> LawModel:
    """The law's model of a product, which may have samples or be mapped."""
    (relative,) = (
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
    platform = next(m.platform for m in matched_models.MATCHES if m.slug == product)
    published_s = distribution(figures, platform)
    at = [np.interp(QUARTILES, matched_models.QUANTILES, each) for each in (here_s, published_s)]
    return Compared(model.card.target.name, at[0] / at[1])


def on_h200(
    known: Laws,
    shaders: Mapping[str, CountedShader],
    times: Mapping[str, float],
    compared: Sequence[Compared],
) -> tuple[Law, str]:
    """The NVIDIA law with the errors found on an H200, and its table.

    Its band reaches as far as the H200's times lie from the RTX 3060's by the law, and as far as
    the published distributions do.
    """
    measured: dict[str, list[float]] = {}
    for sample in exchange.accepted(H200):
        id = sample.program.id
        if id is None or id not in shaders or sample.textures or sample.timing.time_s is None:
            continue
        if not shaders[id].reads_uninitialised:
            measured.setdefault(id, []).append(sample.timing.time_s)
    model, (known_law, *_) = made(known, "h200"), known.laws
    compiled = additive(NVIDIA, Form.COMPILED)
    ids = [id for id in measured if split_of(id) is not Split.TEST]
    cohort = Cohort(NVIDIA, tuple(shaders[id] for id in ids), tuple(
        shader_data.TimedShader(id, NVIDIA, shader_data.SIZE, 1.0, None, None, None) for id in ids
    ))  # fmt: skip
    counted = cohort.of_form(Form.COMPILED)
    here_s = np.array([float(np.median(measured[id])) for id in ids])
    there = compiled.predict(compiled.methods[0].name, cohort)
    has = np.array([each is not None for each in counted]) & np.isfinite(there.time_s)
    maps = [model.mapping(shares(compiled, each)) if each else float for each in counted]

    def mapped(each_s: np.ndarray | None) -> np.ndarray:
        assert each_s is not None
        return np.array([f(s) for f, s in zip(maps, each_s.tolist(), strict=True)])

    both = np.array([id in times for id in ids]) & has
    from_times = mapped(np.array([times.get(id, np.nan) for id in ids]))[both]
    apart = here_s[both] / from_times
    low, high = np.quantile(apart, ENDS)
    judged = has & np.array([split_of(id) is Split.VALIDATION for id in ids])
    forecast_s = mapped(there.time_s)
    found = evaluate(here_s[judged], forecast_s[judged])
    ends = zip(forecast_s, mapped(there.low_s), mapped(there.high_s), strict=True)
    ratios = np.quantile(np.concatenate([each.ratios for each in compared]), ENDS)
    low, high = min(low, 1 / ratios[1]), max(high, 1 / ratios[0])
    bands = np.array([both_errors(s, (below, above), low, high) for s, below, above in ends])
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
        known_law.relative, known_law.vendor,
        round(float(low), 4), round(float(high), 4), LEVEL, int(both.sum()),
        round(found.mape.value, 4), round(found.median_ape.value, 4),
        round(found.within20.value, 4), round(found.spearman.value, 4), found.n,
        f"On an H200, left out whole, forecasts from the RTX 3060's were "
        f"{units.percent(found.median_ape.value)} off in the median over {found.n} shaders; the "
        f"band held {units.percent(float(inside[judged].mean()))} of them. Against published "
        f"quantiles (25, 50, 75, 95 %): {'; '.join(map(str, compared))} times.",
    )  # fmt: skip
    return result, table


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
                     (NVIDIA, AMD, *CHECKED[NVIDIA]))
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
        integers=INTEGERS,
        pass_s=round(max(float(np.median(beside)), 0.0), 8),
        floors_s={"h200": round(h200_floor, 8)},
        laws=(law(NVIDIA), law(AMD)),
    )
    print(f"a pass beside its pixels: {known.pass_s:.2e} s, of {sorted(beside)}")
    found = {}
    for relative, slugs in CHECKED.items():
        model = additive(relative, Form.COMPILED)
        every = [dict(shares(model, compiled[id])) for id in chosen]
        usual = [
            (group, float(np.mean([each.get(group, 0.0) for each in every])))
            for group in {group for each in every for group in each}
        ]
        relative_s = _distribution(relative, options.figures, [shaders[id] for id in chosen])
        found[relative] = [
            compare(known, slug, relative_s, options.figures, usual) for slug in slugs
        ]
        for each in found[relative]:
            print(f"law over published quantiles (25, 50, 75, 95 %): {each}")
    amd = _against_distributions(law(AMD), found[AMD])
    known_s = {each.id: each.time_s for each in times[NVIDIA]}
    nvidia, said = on_h200(known, shaders, known_s, found[NVIDIA])
    print(said)
    textured = textured_on_h200(known, nvidia)
    nvidia = structs.replace(nvidia, checked=nvidia.checked + textured)
    result = Laws(
        known.origin, known.reproduce, known.integers, known.pass_s, known.floors_s, (nvidia, amd)
    )
    (options.out / laws.FILE).write_text(laws.to_json(result), "utf-8")


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
