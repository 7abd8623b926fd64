"""A pair as rows of tables and as sentences."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from shaderlab import units
from shaderlab.app.qt import Qt
from shaderlab.app.widgets.row_model import Index, RowModel
from shaderlab.prediction.catalogue.pair_tables import MethodLine, PairTable, RankedFeature

_NONE = "\u2013"


class MethodRows(RowModel):
    columns = ("Method", "Median", "95 % interval", "Mean", "Within", "Rank", "Features", "")
    tips = (
        "The thirteen regressions of HALWPE, what they have to beat, and the shipped forecast",
        "Median error",
        "95 % interval of the median error",
        "Mean error, averaged over ten folds",
        "Share of shaders off by no more than the tolerance",
        "Rank correlation of predicted and measured times",
        "Features used, averaged over the folds",
        "A regression beats the competitors where its mean and median error are lower than both "
        "of theirs by more than chance",
    )
    words = frozenset({0, 7})
    rows: tuple[MethodLine, ...]

    def __init__(self) -> None:
        super().__init__()
        self.tolerance = 10
        """Percent."""

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row, column = self.rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return cells(row, self.tolerance)[column]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self.alignment(column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return row.refused or f"{row.n:,} shaders, {row.shaders}"
        return None


class FeatureRows(RowModel):
    columns = ("Feature", "p-value", "Per deviation")
    tips = (
        "Of the pair's features: the host's time, and executed instructions by opcode",
        "In OLS/F/BIC over all shaders",
        "Time that one more standard deviation of it adds",
    )
    words = frozenset({0})
    rows: tuple[RankedFeature, ...]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row, column = self.rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            cost = f"{row.coefficient_s * 1e3:+.3g} ms"
            return (row.feature, f"{row.p_value:.1e}", cost)[column]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self.alignment(column)
        return None


def cells(row: MethodLine, tolerance: int) -> tuple[str, ...]:
    """`tolerance`: in percent, 1 to 50."""
    if row.refused:
        return (shown_name(row), *[_NONE] * 6, "not fitted")
    mark = "beats the competitors" if row.beats else ""
    if row.kind == "learned":
        mark = f"{row.shaders}; needs no host"
    return (
        shown_name(row),
        units.percent(row.median_ape),
        _NONE
        if math.isnan(row.median_low)
        else f"{units.percent(row.median_low)} to {units.percent(row.median_high)}",
        units.percent(row.fold_error),
        units.percent(row.curve[tolerance - 1]),
        _NONE if math.isnan(row.spearman) else f"{row.spearman:.3f}",
        _NONE if math.isnan(row.features) else f"{row.features:.0f}",
        mark,
    )


def shown_name(row: MethodLine) -> str:
    return f"forecast ({row.method})" if row.kind == "learned" else row.method


def verdict(table: PairTable, names: Mapping[str, str]) -> str:
    """Which method to use, in a sentence or two; `names`: of devices, by slug."""
    host, target = (names.get(slug, slug) for slug in (table.host, table.target))
    by_name = {each.method: each for each in table.methods}
    best = by_name.get(table.best)
    learned = next((each for each in table.methods if each.kind == "learned"), None)
    said = [f"{host} to {target}: {table.shaders:,} shaders, ten folds, weights {table.weights}."]
    if best is not None and best.kind == "competitor":
        said.append(f"No regression beats the competitors by more than chance: use {best.method}.")
    elif best is not None:
        said.append(f"Best of these: {best.method}.")
    if best is not None and learned is not None and learned.median_ape < best.median_ape:
        said.append(
            f"The forecast for {target} needs no host and has a median error of "
            f"{units.percent(learned.median_ape)}; that of {best.method} is "
            f"{units.percent(best.median_ape)}."
        )
    if table.alone:
        said.append(
            f"{len(table.alone):,} shaders were timed on {host} alone: `shaderlab pairs "
            f"--json` has their times on {target}."
        )
    return " ".join(said)
