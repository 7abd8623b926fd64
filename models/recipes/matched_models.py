"""Build the bundles of GPUs without samples from relatives that have some.

    python -m models.recipes.matched_models FIGURES [--out models]

FIGURES holds `published_distributions.json`: distributions of the times of the same shaders on
several GPUs (libreliu/Master-Thesis, figures/TimeMean.pdf, decoded).  Needs the additive models
and the committed samples (`models.recipes.additive_models`).  The same input always gives the
same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from models.recipes import shared
from shaderlab import locations, units
from shaderlab.prediction.bundles import bundle
from shaderlab.prediction.bundles.accuracy import BandCard
from shaderlab.prediction.bundles.card import UNWRITTEN, Card, MethodCard, Origin
from shaderlab.prediction.catalogue import targets
from shaderlab.prediction.catalogue.user_targets import bases
from shaderlab.prediction.forecast import Validation
from shaderlab.prediction.models.additive import predict_s
from shaderlab.prediction.models.bands import LEVEL
from shaderlab.prediction.models.matched import ARCHITECTURE, METHOD
from shaderlab.prediction.models.model import CountedShader
from shaderlab.prediction.models.regressions import RegressionModel
from shaderlab.training import shader_data
from shaderlab.training.comparison import data_folder
from shaderlab.training.evaluation import Evaluation, evaluate
from shaderlab.training.shader_data import SIZE, TimedShader
from shaderlab.training.splits import Split, split_of

QUANTILES = np.linspace(0.005, 0.995, 40)
LEADING, STANDING_IN = 5, -5
"""Preferences over and under the published regressions, which stay selectable."""
SHARED = "RTX3060"
"""Has a distribution and samples: what joins those GPUs that have only the one or the other."""
LEAST_S = 5e-5
"""Below, published fits give little but their intercepts."""


@dataclass(frozen=True)
class Match:
    """A GPU, and the relative it is predicted by."""

    slug: str
    platform: str
    """In `published_distributions.json`."""
    relative: str
    leads: bool
    """Whether it is the default, or is used where the published default cannot be right."""


MATCHES = (
    Match("gtx1660ti", "GTX1660Ti", "rtx3060", leads=True),
    Match("rtx4060-laptop", "RTX4060", "rtx3060", leads=True),
    Match("rx7900gre", "RX7900GRE", "rx6600xt", leads=False),
)


def distribution(figures: Path, platform: str) -> np.ndarray:
    """Seconds at `QUANTILES` of the published density over log time."""
    path = figures / "published_distributions.json"
    platforms = json.loads(path.read_text("utf-8"))["time_violins"]["platforms"]
    at, density = (np.array(platforms[platform][key]) for key in ("kde_log10_t", "kde_density"))
    below = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2 * np.diff(at))])
    return 10 ** np.interp(QUANTILES, below / below[-1], at)


def taken(from_s: np.ndarray, to_s: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """The monotone map between two GPUs' quantiles, as `MatchedModel.here_s` has it."""

    def take(times_s: np.ndarray) -> np.ndarray:
        inside = np.clip(times_s, from_s[0], from_s[-1])
        return np.exp(np.interp(np.log(inside), np.log(from_s), np.log(to_s))) * times_s / inside

    return take


def additive_s(slug: str, shaders: list[CountedShader]) -> np.ndarray:
    return predict_s(bases()[slug], [shader.example for shader in shaders])


def pilr_s(slug: str, shaders: list[CountedShader]) -> np.ndarray:
    model = RegressionModel.from_bundle(bundle.read(locations.models() / f"{slug}-published"))
    (pilr,) = (each for each in model.regressions if each.card.name == "pilr")
    return np.array([pilr.fit.predict_s(shader.executed) for shader in shaders])


def ratios(match: Match, shaders: list[CountedShader]) -> np.ndarray:
    """Of what both GPUs' own published fits give, where both are well above their intercepts."""
    here, there = pilr_s(match.slug, shaders), pilr_s(match.relative, shaders)
    chosen = (here > LEAST_S) & (there > LEAST_S)
    return here[chosen] / there[chosen]


def rehearsal(
    shaders: dict[str, CountedShader], times: dict[str, tuple[TimedShader, ...]]
) -> Evaluation:
    """The same matching for a GPU whose samples show how well it did: RTX 3060 to RX 6600 XT.

    Across vendors, so harder than what it is used for.  The RX 6600 XT's distribution is that of
    its samples, its own times being paired with no shader.
    """
    timed = [
        each
        for each in times["rx6600xt"]
        if not shaders[each.id].reads_uninitialised and split_of(each.id) is not Split.TEST
    ]
    there_s = additive_s("rtx3060", [shaders[each.id] for each in timed])
    measured_s = np.array([each.time_s for each in timed])
    from_s, to_s = (np.quantile(each, QUANTILES) for each in (there_s, measured_s))
    return evaluate(measured_s, taken(*ascending(from_s, to_s))(there_s), resamples=1)


def ascending(from_s: np.ndarray, to_s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Without knots that equal the one before on either side in 32 bits."""
    from_s, to_s = from_s.astype(np.float32), to_s.astype(np.float32)
    kept = [0]
    for number in range(1, len(from_s)):
        if from_s[number] > from_s[kept[-1]] and to_s[number] > to_s[kept[-1]]:
            kept.append(number)
    return from_s[kept], to_s[kept]


def make(
    match: Match, figures: Path, shaders: dict[str, CountedShader], rehearsed: Evaluation
) -> tuple[Card, dict[str, np.ndarray]]:
    (target,) = targets.catalogue().choose([match.slug])
    model = target.model("pilr")
    assert model is not None, f"{match.slug}: make its published models first"
    published = model.card
    (relative,) = targets.catalogue().choose([match.relative])
    chosen = [each for each in shaders.values() if not each.reads_uninitialised]
    shared_s = distribution(figures, SHARED)
    to_s = distribution(figures, match.platform)
    from_s = shared_s
    if match.relative != "rtx3060":
        # No distribution of the relative was published: its forecasts are used instead, converted
        # to the shared GPU's by the forecasts for that.
        own, other = (np.quantile(additive_s(slug, chosen), QUANTILES)
                      for slug in (match.relative, "rtx3060"))  # fmt: skip
        from_s = taken(*ascending(other, own))(shared_s).astype(np.float64)
    from_s, to_s = ascending(from_s, to_s)

    found = ratios(match, chosen)
    low, middle, high = np.quantile(found, [(1 - LEVEL) / 2, 0.5, (1 + LEVEL) / 2])
    band = BandCard(
        0.0, None, round(float(low / middle), 4), round(float(high / middle), 4), LEVEL, len(found),
        LEVEL,
    )  # fmt: skip
    name = relative.card.target.name
    spread = float(np.median(np.abs(found / middle - 1)))
    reason = (
        f"Leads over the published PILR: the two GPUs price shaders alike (ratio of their "
        f"published fits {middle:.2f}, median deviation {units.percent(spread)} over {len(found)} "
        "shaders), and PILR's error is larger than that wherever it can be checked "
        f"(median {units.percent(relative_error(match.relative, shaders))} on the {name})."
    )
    pilr_mape = published.methods[0].validation.mape
    if not match.leads and pilr_mape is not None:
        reason = (
            "Used where the published PILR gives an impossible time. PILR leads otherwise: "
            f"its mean error was measured there ({units.percent(pilr_mape)} "
            "by its authors), and this method's was not."
        )
    method = MethodCard(
        name=METHOD,
        origin=Origin(
            repository="https://github.com/libreliu/Master-Thesis",
            revision="figures/TimeMean.pdf",
            notebook=None,
            cell=None,
            dataset=f"times of the same shaders on the {SHARED} and the {match.platform}",
        ),
        loss="none: quantiles go to quantiles",
        training_samples=relative.card.methods[0].training_samples,
        features=(match.relative,),
        validation=Validation(
            mape=None,
            spearman=None,
            n=None,
            source=(
                "No sample of this GPU was published. Matched in the same way from the RTX 3060, "
                f"the RX 6600 XT comes out with median error "
                f"{units.percent(rehearsed.median_ape.value)}, mean error "
                f"{units.percent(rehearsed.mape.value)} and rank correlation "
                f"{rehearsed.spearman.value:.2f} (n {rehearsed.n}, another vendor's GPU)."
            ),
        ),
        by_time=(),
        bands=(band,),
    )
    card = Card(
        architecture=ARCHITECTURE,
        target=replace(published.target, kind="published"),
        run=replace(published.run, size=SIZE),
        methods=(method,),
        default_reason=reason,
        largest_block_count=None,
        weights=UNWRITTEN,
        reproduce=shared.command("matched_models", "FIGURES"),
        preference=LEADING if match.leads else STANDING_IN,
    )
    return card, {"from": from_s, "to": to_s}


def relative_error(slug: str, shaders: dict[str, CountedShader]) -> float:
    """Median error of the published PILR on a GPU with samples, shaders without undefined reads."""
    times = [
        each
        for each in shader_data.read(data_folder())[1][slug]
        if not shaders[each.id].reads_uninitialised and split_of(each.id) is not Split.TEST
    ]
    given_s = pilr_s(slug, [shaders[each.id] for each in times])
    return float(np.median([abs(g / t.time_s - 1) for g, t in zip(given_s, times, strict=True)]))


def main() -> None:
    parser = shared.parser(__doc__)
    parser.add_argument("figures", type=Path)
    parser.add_argument("--out", type=Path, default=shared.MODELS)
    options = parser.parse_args()
    shaders, times = shader_data.read(data_folder())
    rehearsed = rehearsal(shaders, times)
    for match in MATCHES:
        card, tensors = make(match, options.figures, shaders, rehearsed)
        bundle.write(options.out / f"{match.slug}-matched", card, tensors)
        print(f"{match.slug}: {card.default_reason}\n  {card.methods[0].validation.source}")
        print(f"  {card.methods[0].bands[0]}")


if __name__ == "__main__":
    main()
