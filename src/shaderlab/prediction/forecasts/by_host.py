"""A target's time from what the GPU at hand takes, with no look at the shader.

HALWPE's question (section I) with the one answer that no linear regression beats on our samples:
the running median over the host's time (`models/LOG.md`).  For a target with a model of its own
the forecast is better; this is a second opinion that rests on nothing but a measured time.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from shaderlab import locations, units
from shaderlab.errors import WrongUse
from shaderlab.prediction.bundles.card import TargetCard
from shaderlab.prediction.catalogue import pair_tables
from shaderlab.prediction.catalogue.pair_tables import BAND, HostCurve, PairTable
from shaderlab.prediction.catalogue.targets import catalogue
from shaderlab.prediction.forecast import Forecast, Measured, Status, Validation

METHOD = "host-time"


def without_pair(
    host: str,
    found: Sequence[Forecast],
    targets: Sequence[str] | None = None,
    models_dir: Path | None = None,
) -> tuple[str, ...]:
    """Those named, else all installed, that `forecasts_by_host` has nothing for; but the host."""
    wanted = targets or [each.card.target.slug for each in catalogue(models_dir).targets]
    known = {host, *(each.target for each in found)}
    return tuple(dict.fromkeys(each for each in wanted if each not in known))


def forecasts_by_host(
    measured: Measured, targets: Sequence[str] | None = None, models_dir: Path | None = None
) -> tuple[Forecast, ...]:
    """One for every target, or those named, that has a pair with the device.

    Raises `WrongUse` where none has, and `InvalidModel` for a table that cannot be read.
    """
    tables = pair_tables.read(models_dir or locations.models())
    every = tables.every if tables else ()
    found = [
        (each, each.curve)
        for each in every
        if each.host == measured.device and (targets is None or each.target in targets)
    ]
    known = [(pair, curve) for pair, curve in found if curve is not None]
    if not known:
        pairs = ", ".join(f"{each.host} to {each.target}" for each in every)
        named = f" to {', '.join(targets)}" if targets else ""
        raise WrongUse(
            f"no pair from {measured.device[:80]}{named[:200]}; there are {pairs or 'none'}. "
            "`shaderlab pairs --host A.parquet --target B.parquet` fits one of your own"
        )
    cards = {each.card.target.slug: each.card.target for each in catalogue(models_dir).targets}
    return tuple(_forecast(pair, curve, measured, cards.get(pair.host)) for pair, curve in known)


def _forecast(
    pair: PairTable, curve: HostCurve, measured: Measured, host: TargetCard | None
) -> Forecast:
    time_s = float(curve.at(measured.time_s))
    low, high = curve.factors(measured.time_s)
    here = units.seconds(measured.time_s)
    warnings = []
    if host is not None and host.notes:
        warnings.append(f"The pair's times on {pair.host}: {host.notes}")
    if not curve.holds(measured.time_s):
        warnings.append(
            f"No shader of the pair took {here} on {pair.host} (they took "
            f"{units.seconds(curve.host_s[0])} to {units.seconds(curve.host_s[-1])}): this is the "
            "nearest one's."
        )
    return Forecast(
        pair.target,
        time_s,
        time_s * low,
        time_s * high,
        METHOD,
        f"The median time on {pair.target} of the shaders that take about {here} on {pair.host}. "
        f"Nothing but that time is used. The band held {units.percent(BAND)} of "
        f"{curve.n:,} shaders, each held out of the fit. "
        f"The pair's {pair.host}: {host.device if host else 'unknown'}.",
        Validation(
            curve.mape, curve.spearman, curve.n, "Ten folds over the pair's shaders.",
            median_ape=curve.median_ape, within20=curve.within20,
        ),
        warnings=tuple(warnings),
        status=Status.OK if curve.holds(measured.time_s) else Status.ESTIMATE,
    )  # fmt: skip
