"""Build the bundles of the seven GPUs whose regressions were published.

    python -m models.recipes.published_models FIGURES [--out models]

FIGURES is a folder with what the paper's authors printed in their notebooks and figures
(libreliu/ShaderPerFormer, collected as data): `published_regressions.json`,
`published_metrics.json`, `published_distributions.json`, `measured_samples.jsonl`.  The same
input always gives the same bytes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from models.recipes import shared
from shaderlab import locations
from shaderlab.prediction.bundles import bundle
from shaderlab.prediction.bundles.accuracy import TimeRangeError
from shaderlab.prediction.bundles.card import UNWRITTEN, Card, MethodCard, Origin, TargetCard
from shaderlab.prediction.forecast import Validation
from shaderlab.prediction.models.regressions import ARCHITECTURE, TOTAL

NOTEBOOKS = ("BaselineMethodsValTimeFiltered.ipynb", "BaselineMethodsValTimeFilteredAmend.ipynb")
"""The first holds all platforms but the RX 7900 GRE, which the second adds."""

CANNOT_OCCUR = {"OpArrayLength"}
"""Needs a runtime array, which a Shadertoy body cannot declare; its printed value is round-off."""

TIME_RANGES = (
    (0.0, 1e-4, "ge_10000fps"),
    (1e-4, 1e-3, "ge_1000_le_10000fps"),
    (1e-3, 1e-2, "ge_100_le_1000fps"),
    (1e-2, 1e-1, "ge_10_le_100fps"),
    (1e-1, None, "le_10fps"),
)
"""Seconds, and the suffix under which the notebooks print the error of that range."""


@dataclass(frozen=True)
class Platform:
    """What the published records call a GPU, and what we call it."""

    slug: str
    name: str
    vendor: str
    record: str
    """`platform` of its records."""
    driver: str
    clocks: str
    row: str | None = None
    """Its row in the table of rank correlations (paper Tables 2 and 3), where it has one."""
    violin: str | None = None
    """Its name among the time distributions (paper Fig. 6a)."""
    column: str | None = None
    """Its column in the counts of usable shaders (paper Table 1, as the notebooks label them)."""
    printed: str | None = None
    """Its name among the printed data set statistics."""
    notes: str = ""


PLATFORMS = (
    Platform(
        "rtx3060", "GeForce RTX 3060", "NVIDIA", "RTX3060",
        "NVIDIA 535.113.01, Linux", "locked at 1605 MHz core, 7500 MHz memory",
        row="RTX3060", violin="RTX3060", column="RTX3060 (env1)", printed="RTX3060",
    ),
    Platform(
        "rtx4060-laptop", "GeForce RTX 4060 Laptop", "NVIDIA", "RTX4060Laptop",
        "NVIDIA 546.01, Windows 11", "not recorded",
        row="RTX4060", violin="RTX4060", column="RTX4060 Laptop (env4)",
    ),
    Platform(
        "gtx1660ti", "GeForce GTX 1660 Ti", "NVIDIA", "GTX1660",
        "NVIDIA 537.34, Windows 10", "locked at 1425 MHz core, 6000 MHz memory",
        row="GTX1660Ti", violin="GTX1660Ti", column="GTX1660Ti (env6)",
    ),
    Platform(
        "rx6600xt", "Radeon RX 6600 XT", "AMD", "RX6600XT",
        "RADV, Mesa 23.2.1, Linux", "not locked",
        printed="RX6600XT",
        notes="Its clocks ran free: times published for fast shaders fall into two clusters, "
        "about four times apart.",
    ),
    Platform(
        "rx7900gre", "Radeon RX 7900 GRE", "AMD", "RX7900GRE",
        "RADV, Linux", "not recorded",
        row="RX7900GRE", violin="RX7900GRE", column="RX7900GRE (env7)",
    ),
    Platform(
        "uhd630", "UHD Graphics 630", "Intel", "UHD630",
        "ANV, Mesa 23.2.1, Linux (Core i7-10700K)", "not recorded",
        row="UHD630", violin="UHD630", column="UHD630 (env3)", printed="UHD630",
    ),
    Platform(
        "renoir", "Radeon Graphics (Renoir APU)", "AMD", "RenoirAPU",
        "RADV, Linux", "not recorded",
        notes="The weakest of the published fits: treat it as an order of magnitude.",
    ),
)  # fmt: skip


class Figures:
    """The published material."""

    def __init__(self, folder: Path):
        def load(name: str) -> dict:
            return json.loads((folder / name).read_text("utf-8"))

        regressions = load("published_regressions.json")
        metrics = load("published_metrics.json")
        repository, _, revision = regressions["meta"]["source"].partition(" (")[0].partition(" @ ")
        self.repository = f"https://github.com/{repository}"
        self.revision = revision
        self.records = regressions["records"]
        self.rank_rows = next(table for table in metrics["notebooks"] if "columns" in table)
        distributions = load("published_distributions.json")
        self.violins = distributions["time_violins"]["platforms"]
        self.printed = distributions["printed_stats"]
        self.table1 = metrics["paper"]["table1"]["from_notebooks"]
        with (folder / "measured_samples.jsonl").open(encoding="utf-8") as lines:
            self.samples = [json.loads(line) for line in lines]

    def traced_record(self, platform: Platform, method: str) -> dict:
        """The one traced fit of the method on the platform in the notebooks of the paper."""
        (found,) = (
            record
            for record in self.records
            if record["platform"] == platform.record
            and record["method"] == method.upper()
            and record["traced"]
            and record["notebook"].rpartition("/")[2] in NOTEBOOKS
        )
        return found

    def times(self, platform: Platform) -> list[float]:
        """Seconds per draw of every sample of the canonical run."""
        return [
            sample["time_s"]
            for sample in self.samples
            if sample["platform"] == platform.record
            and (sample["width"], sample["height"]) == shared.RUN.size
            and sample["iTime"] == shared.RUN.time_s
        ]

    def spearman(self, platform: Platform, method: str) -> float | None:
        if platform.row is None:
            return None
        column = self.rank_rows["columns"].index(f"{method.upper()}-spearman")
        return self.rank_rows["rows"][platform.row][column]


def floor(platform: Platform, figures: Figures) -> tuple[float | None, str]:
    """Seconds below which no frame of the canonical run came, and where that is known from."""
    times = figures.times(platform)
    if len(times) >= 1000:
        return min(times), f"Fastest of {len(times):,} published times of single shaders."
    if platform.violin is not None:
        known = PLATFORMS[0]
        seen = min(figures.times(known))
        error = sharpened_quantile(known, figures) / seen - 1
        return (
            float(f"{sharpened_quantile(platform, figures):.2g}"),
            "1 % quantile of the published time distribution (paper Fig. 6a), its kernel "
            f"smoothing undone; the same estimate for the {known.name} lies {error:+.0%} from "
            "its fastest sample.",
        )
    return None, "Not published."


def sharpened_quantile(platform: Platform, figures: Figures) -> float:
    """1 % quantile (seconds) of a distribution published as a kernel density over log time.

    The figure's kernel is Gaussian with Scott's bandwidth, sd x count^(-1/5); its sd says so for
    the platforms whose unsmoothed sd was printed.  Richardson-Lucy iterations undo it.
    """
    violin = figures.violins[platform.violin]
    # Second row of Table 1: traced shaders, which is what the figure shows.
    shrink = figures.table1[platform.column][1] ** -0.2
    log_time = np.array(violin["kde_log10_t"]) * math.log(10)
    density = np.array(violin["kde_density"])
    density = density / density.sum()
    bandwidth = violin["ln_sd"] * shrink / math.sqrt(1 + shrink**2)
    kernel = np.exp(-0.5 * ((log_time[:, None] - log_time[None, :]) / bandwidth) ** 2)
    kernel /= kernel.sum(axis=0)
    sharp = np.full(len(log_time), 1 / len(log_time))
    for _ in range(400):
        sharp *= kernel.T @ (density / (kernel @ sharp + 1e-12))
    return math.exp(np.interp(0.01, np.cumsum(sharp) / sharp.sum(), log_time))


def method_card(platform: Platform, method: str, figures: Figures) -> tuple[MethodCard, dict]:
    record = figures.traced_record(platform, method)
    if record["truncated"] or record["loss_weight"] != "1/(t+1e-6)":
        raise SystemExit(f"{platform.slug} {method}: not the published weighted fit")
    if method == "sh":
        weights = {TOTAL: record["coef"]}
    else:
        left_out = set(record["roundoff_only_ops"]) | CANNOT_OCCUR
        weights = {
            name: value
            for name, value in sorted(record["coef"].items())
            if value and name not in left_out
        }
    errors = record["metrics"]["val"]
    _test_n, train_n, val_n = record["n_evaluated"]
    if train_n != record["n_train"]:
        raise SystemExit(f"{platform.slug} {method}: splits are not in the order test, train, val")
    spearman = figures.spearman(platform, method)
    ranks = (
        "Spearman from production/Pearson-Spearman.ipynb cell 2, which refitted on the same data"
        if spearman is not None
        else "no Spearman was printed for this GPU"
    )
    card = MethodCard(
        name=method,
        origin=Origin(
            repository=figures.repository,
            revision=figures.revision,
            notebook=record["notebook"],
            cell=record["cell"],
            dataset=record["dataset"],
        ),
        loss="least squares of the time, weighted by 1 / (time + 1 us), free intercept, float32",
        training_samples=record["n_train"],
        features=tuple(weights),
        validation=Validation(
            mape=round(errors["mape"], 4),
            spearman=spearman,
            n=val_n,
            source=f"The paper's authors, on their validation split: mean error printed with this "
            f"fit, {ranks}.",
        ),
        by_time=tuple(
            TimeRangeError(
                low, high, None if errors[f"mape_{suffix}"] is None
                else round(errors[f"mape_{suffix}"], 4),
            )
            for low, high, suffix in TIME_RANGES
        ),
    )  # fmt: skip
    tensors = {
        f"{method}.intercept": np.array([record["intercept"]], np.float32),
        f"{method}.coefficients": np.array(list(weights.values()), np.float32),
    }
    return card, tensors


def mean_over_ranges(method: MethodCard) -> float:
    """Mean over time ranges of the published error.

    The plain mean error is ruled by the many shaders at the floor, and a fit that calls every
    shader cheap is never off by more than 1; each range counting once shows that.
    """
    known = [each.mape for each in method.by_time if each.mape is not None]
    return sum(known) / len(known)


def build(platform: Platform, figures: Figures, out: Path) -> Card:
    made = [method_card(platform, method, figures) for method in ("pilr", "sh")]
    ranked = sorted((card for card, _ in made), key=mean_over_ranges)
    floor_s, floor_source = floor(platform, figures)
    scores = ", ".join(f"{card.name} {mean_over_ranges(card):.2f}" for card in ranked)
    largest = figures.printed.get(platform.printed, {}).get("max_bb_count")
    card = Card(
        architecture=ARCHITECTURE,
        target=TargetCard(
            slug=platform.slug,
            name=platform.name,
            vendor=platform.vendor,
            kind="published",
            device=figures.traced_record(platform, "sh")["device"],
            driver=platform.driver,
            clocks=platform.clocks,
            floor_s=floor_s,
            floor_source=floor_source,
            notes=platform.notes,
        ),
        run=shared.RUN,
        methods=tuple(ranked),
        default_reason=f"Lowest published validation error, each decade of time counting once: "
        f"{scores}.",
        largest_block_count=None if largest is None else int(largest),
        weights=UNWRITTEN,
        reproduce=shared.command("published_models", "FIGURES"),
    )
    tensors = {name: values for _, each in made for name, values in each.items()}
    bundle.write(out / f"{platform.slug}-published", card, tensors)
    return card


def main(arguments: Iterable[str] | None = None) -> None:
    parser = shared.parser(__doc__)
    parser.add_argument("figures", type=Path, help="folder with the published material")
    parser.add_argument("--out", type=Path, default=locations.models())
    options = parser.parse_args(arguments)
    figures = Figures(options.figures)
    for platform in PLATFORMS:
        card = build(platform, figures, options.out)
        floor_text = "-" if card.target.floor_s is None else f"{card.target.floor_s * 1e6:.1f} us"
        print(f"{platform.slug:15} floor {floor_text:>9}  {card.default_reason}")


if __name__ == "__main__":
    main()
