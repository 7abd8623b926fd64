"""Draws of a captured frame, and targets, as rows of tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from shaderlab import units
from shaderlab.app.qt import QColor, Qt
from shaderlab.app.widgets.phrases import STATUS_WORDS
from shaderlab.app.widgets.row_model import Index, SortedRowModel
from shaderlab.app.widgets.share_bar import SHARE_ROLE
from shaderlab.captures.frame import CapturedDraw
from shaderlab.prediction.forecast import Side, Status
from shaderlab.prediction.forecasts.time_changes import NOT_VALIDATED
from shaderlab.studies.pipeline import foreseen

if TYPE_CHECKING:
    from shaderlab.prediction.forecast import Forecast
    from shaderlab.prediction.forecasts.frame_forecast import FrameForecast
    from shaderlab.workers.analysed_draws import AnalysedDraw

NOTHING, NO_CHANGE = "\u2013", "no change"
_MOST_FILTERS = 8
"""Words of a filter that are looked at."""


@dataclass(frozen=True)
class DrawRow:
    """One draw, with what is known of it; None for what is not, or not yet."""

    event: int
    name: str
    """The innermost markers, then the command."""
    shader: str
    pixels: int | None = None
    invocations: int | None = None
    vertices: int | None = None
    """Invocations of its vertex stage."""
    vertex_share: float | None = None
    """Of its time on the target, 0..1."""
    instructions: int | None = None
    here_s: float | None = None
    difference: float | None = None
    """Share of pixels that differ from the captured picture, 0..1."""
    time_s: float | None = None
    """Or what a lower bound says it takes at least."""
    low_s: float | None = None
    high_s: float | None = None
    sign: str = ""
    """Before the time: `Status.sign`."""
    share: float | None = None
    """Of the frame's time on the target, 0..1."""
    bottleneck: str = ""
    """The stage that takes most of its time on the target."""
    since_pin: float | None = None
    """Seconds that it takes more than when the frame was pinned."""
    note: str = ""
    """Why numbers are missing; that its shader is edited; how far to trust its time."""
    is_edited: bool = False

    @property
    def band(self) -> str:
        if self.low_s is None or self.high_s is None:
            return NOTHING
        return f"{units.seconds(self.low_s)} \u2013 {units.seconds(self.high_s)}"

    def has(self, words: Sequence[str]) -> bool:
        """Whether it has all of them, in lower case, in its texts."""
        text = f"{self.event} {self.name} {self.shader} {self.note}".lower()
        return all(word in text for word in words)


def draw_rows(
    draws: Iterable[CapturedDraw],
    found: Mapping[int, AnalysedDraw],
    edited: Iterable[int],
    target: str,
    parts: Mapping[int, Forecast] = MappingProxyType({}),
    pinned: Mapping[int, Forecast] = MappingProxyType({}),
) -> tuple[DrawRow, ...]:
    """One row for each draw, by event.

    `found`: numbers of those that have been counted; `edited`: events drawn with an edited shader;
    `target`: slug of the one whose times are shown; `parts`: what draws take on it in the frame,
    where that is known, in place of a pass of their own; `pinned`: the same when it was pinned.
    """
    changed = frozenset(edited)
    rows = []
    for each in draws:
        known = found.get(each.event)
        part = parts.get(each.event)
        if part is None and known is not None:
            part = next((own for own in known.forecasts if own.target == target), None)
        row = _row(each, known, part, each.event in changed)
        was = pinned.get(each.event)
        if was is not None and was.time_s is not None and row.time_s is not None:
            row = replace(row, since_pin=row.time_s - was.time_s)
        rows.append(row)
    whole = sum(row.time_s or 0.0 for row in rows)
    return tuple(
        replace(row, share=row.time_s / whole) if row.time_s is not None and whole else row
        for row in sorted(rows, key=lambda each: each.event)
    )


def _row(
    draw: CapturedDraw, known: AnalysedDraw | None, forecast: Forecast | None, is_edited: bool
) -> DrawRow:
    name = f"{draw.marker} / {draw.name}" if draw.marker else draw.name
    shader = ""
    if draw.shader is not None:
        shader = f"{draw.shader.entry_point} {draw.shader.module.digest[:8]}"
    if known is None:
        return DrawRow(draw.event, name, shader, note=draw.reason, is_edited=is_edited)
    replayed, trace = known.replayed, known.trace
    notes = [known.reason] if known.reason else []
    if is_edited:
        notes.append("edited")
    elif known.draw.state is not draw.state:
        notes.append("affected by an edited draw")
    if known.elsewhere:
        notes.append(known.elsewhere)
    if known.vertex_reason:
        notes.append(f"vertex stage not counted: {known.vertex_reason}")
    if forecast is not None and forecast.status is not Status.OK:
        notes.append(STATUS_WORDS[forecast.status])
    if forecast is not None and forecast.domain is Side.OUTSIDE:
        notes.append("unlike the training data")
    stages = foreseen(forecast) if forecast is not None else None
    return DrawRow(
        draw.event,
        name,
        shader,
        trace.pixels if trace is not None and not draw.is_dispatch else None,
        known.invocations,
        known.vertices,
        _vertex_share(forecast),
        trace.instructions_executed if trace is not None else None,
        _finite(replayed.time_s) if replayed is not None else None,
        _finite(replayed.difference) if replayed is not None else None,
        forecast.least_s if forecast is not None else None,
        forecast.low_s if forecast is not None else None,
        forecast.high_s if forecast is not None else None,
        forecast.status.sign if forecast is not None else "",
        bottleneck=stages.bottleneck.value if stages is not None else "",
        note="; ".join(notes),
        is_edited=is_edited,
    )


def _vertex_share(forecast: Forecast | None) -> float | None:
    if forecast is None or forecast.vertex is None or not forecast.time_s:
        return None
    own_s = forecast.vertex.time_s
    return None if own_s is None else min(1.0, own_s / forecast.time_s)


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None


def filtered(rows: Sequence[DrawRow], text: str) -> tuple[DrawRow, ...]:
    """Those that have all words of the text."""
    words = text.lower().split()[:_MOST_FILTERS]
    return tuple(row for row in rows if row.has(words)) if words else tuple(rows)


COLUMNS = ("Event", "Draw", "Shader", "Of time", "Time", "Since pin", "Differs", "Here", "Band",
           "Pixels", "Invocations", "Vertices", "Vertex share", "Bottleneck", "Instructions",
           "Note")  # fmt: skip
(EVENT, DRAW, SHADER, SHARE, TIME, SINCE_PIN, DIFFERS, HERE, BAND, PIXELS, INVOCATIONS, VERTICES,
 VERTEX_SHARE, BOTTLENECK, INSTRUCTIONS, NOTE) = range(16)  # fmt: skip
"""What an edit changes comes before the other numbers: a narrow panel shows the first columns."""
_TIPS = (
    "The draw's event number in RenderDoc",
    "The program's markers and the command; click to open its shader",
    "Entry point of the fragment or compute shader, and the start of its module's digest",
    "Share of the frame's predicted time on the chosen target",
    "Predicted for the chosen target: the draw's part of its render pass. Consecutive draws into "
    "the same attachments share a pass, which takes at least as long as an empty one",
    "Change since the frame was pinned, on the chosen target",
    "Share of pixels that differ by more than 2/255 from the captured picture after this draw; for "
    "a dispatch, of the texels or words of its outputs",
    "Measured on this machine's device, the median of three draws; processor time on a software "
    "device",
    "From the low to the high end of the prediction",
    "Pixels with at least one invocation",
    "Invocations of the fragment or compute shader, counted here",
    "Invocations of the vertex stage, counted here",
    "The vertex stage's share of the draw's predicted time",
    "The stage that takes most of that time: vertex, pixel, or the pass itself with its output",
    "SPIR-V instructions executed by all invocations",
    "Why numbers are missing, and how reliable they are",
)


class DrawsModel(SortedRowModel):
    columns, tips = COLUMNS, _TIPS
    words = frozenset({DRAW, SHADER, BOTTLENECK, NOTE})
    rows: tuple[DrawRow, ...]

    def __init__(self) -> None:
        super().__init__(EVENT)
        self._order = Qt.SortOrder.AscendingOrder
        self.dim, self.accent = QColor(), QColor()

    def sort_key(self, row: DrawRow, column: int) -> Any:
        numbers = {
            EVENT: row.event, SHARE: row.share, TIME: row.time_s, BAND: row.high_s,
            PIXELS: row.pixels, INVOCATIONS: row.invocations, INSTRUCTIONS: row.instructions,
            VERTICES: row.vertices, VERTEX_SHARE: row.vertex_share, HERE: row.here_s,
            DIFFERS: row.difference, SINCE_PIN: row.since_pin,
        }  # fmt: skip
        if column in numbers:
            value = numbers[column]
            return float("-inf") if value is None else value
        words = {DRAW: row.name, SHADER: row.shader, BOTTLENECK: row.bottleneck}
        return words.get(column, row.note)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row, column = self.rows[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return _texts(row)[column]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self.alignment(column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return _tip(row, column)
        if role == Qt.ItemDataRole.ForegroundRole:
            if row.is_edited and column in (EVENT, DRAW, SHADER):
                return self.accent
            if row.invocations is None or column == NOTE:
                return self.dim
        if role == SHARE_ROLE:
            return row.share
        return None


def _texts(row: DrawRow) -> tuple[str, ...]:
    return (
        str(row.event),
        row.name,
        row.shader or NOTHING,
        _or_nothing(row.share, units.percent),
        _or_nothing(row.time_s, lambda s: row.sign + units.seconds(s)),
        _or_nothing(row.since_pin, _signed),
        _or_nothing(row.difference, units.percent),
        _or_nothing(row.here_s, units.seconds),
        row.band,
        _or_nothing(row.pixels, units.count),
        _or_nothing(row.invocations, units.count),
        _or_nothing(row.vertices, units.count),
        _or_nothing(row.vertex_share, units.percent),
        row.bottleneck or NOTHING,
        _or_nothing(row.instructions, units.count),
        row.note,
    )


def _signed(seconds: float) -> str:
    if not seconds:
        return "0"
    return ("+" if seconds > 0 else "\u2212") + units.seconds(abs(seconds))


def _tip(row: DrawRow, column: int) -> str | None:
    exact = {PIXELS: row.pixels, INVOCATIONS: row.invocations, INSTRUCTIONS: row.instructions,
             VERTICES: row.vertices}  # fmt: skip
    number = exact.get(column)
    if number is not None:
        return units.grouped(number)
    if column in (DRAW, SHADER, NOTE):
        return _texts(row)[column] or None
    return row.note or None


def _or_nothing(value: Any, shown: Any) -> str:
    return NOTHING if value is None else shown(value)


@dataclass(frozen=True)
class TargetRow:
    """The frame on one target."""

    target: str
    name: str
    time_s: float | None
    """Or what a lower bound says it takes at least."""
    low_s: float | None
    high_s: float | None
    sign: str
    """Before the time: `Status.sign`."""
    change: str
    """Since before the edits; empty without."""
    since_pin: str
    """Since the frame was pinned; empty where it was not."""
    note: str

    @property
    def band(self) -> str:
        if self.low_s is None or self.high_s is None:
            return NOTHING
        return f"{units.seconds(self.low_s)} \u2013 {units.seconds(self.high_s)}"


def target_rows(
    now: Sequence[FrameForecast],
    before: Sequence[FrameForecast],
    names: Mapping[str, str],
    pinned: Sequence[FrameForecast] = (),
) -> tuple[TargetRow, ...]:
    """The frame on each target, the fastest first.  `names`: by slug."""
    former, kept = ({each.target: each for each in some} for some in (before, pinned))
    rows = []
    for each in now:
        change, since_pin = (
            frame_change(each, then[each.target]) if each.target in then else ""
            for then in (former, kept)
        )
        notes = [STATUS_WORDS[each.status]] if each.status is not Status.OK else []
        if each.domain is Side.OUTSIDE:
            notes.append("has draws unlike the training data")
        rows.append(
            TargetRow(
                each.target,
                names.get(each.target, each.target),
                each.least_s,
                each.low_s,
                each.high_s,
                each.status.sign,
                "" if change == NO_CHANGE else change,
                since_pin,
                "; ".join(notes),
            )
        )
    return tuple(sorted(rows, key=lambda row: (row.time_s is None, row.time_s or 0.0)))


def frame_change(now: FrameForecast, then: FrameForecast) -> str:
    """`\u22123 %`; in seconds where either time is a lower bound, since a part's change is a share
    of that part alone; empty where no draw has a time in both."""
    if now.time_s is not None and then.time_s:
        return units.change(now.time_s, then.time_s) or NO_CHANGE
    more_s = now.more_than(then)
    if more_s is None:
        return ""
    return _signed(more_s) if more_s else NO_CHANGE


TARGET_COLUMNS = ("Target", "Frame", "Band", "Change", "Since pin", "Note")
(TARGET_NAME, TARGET_TIME, TARGET_BAND, TARGET_CHANGE, TARGET_SINCE_PIN,
 TARGET_NOTE) = range(6)  # fmt: skip


class TargetsModel(SortedRowModel):
    columns = TARGET_COLUMNS
    tips = (
        "GPU or software driver",
        "Sum over the draws of the frame; a lower bound (\u2265) where some have no time",
        "Sums of the low and of the high ends",
        f"Since before the shaders were edited; {NOT_VALIDATED} for whole frames",
        f"Since the frame was pinned; {NOT_VALIDATED} for whole frames",
        "How reliable the time is",
    )
    words = frozenset({TARGET_NAME, TARGET_NOTE})
    rows: tuple[TargetRow, ...]

    def __init__(self) -> None:
        super().__init__(TARGET_TIME)
        self._order = Qt.SortOrder.AscendingOrder

    def sort_key(self, row: TargetRow, column: int) -> Any:
        if column in (TARGET_TIME, TARGET_BAND):
            value = row.time_s if column == TARGET_TIME else row.high_s
            return float("inf") if value is None else value
        words = {TARGET_NAME: row.name, TARGET_CHANGE: row.change, TARGET_SINCE_PIN: row.since_pin}
        return words.get(column, row.note)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row, column = self.rows[index.row()], index.column()
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return (
                row.name, _or_nothing(row.time_s, lambda s: row.sign + units.seconds(s)), row.band,
                row.change or NOTHING, row.since_pin or NOTHING, row.note,
            )[column]  # fmt: skip
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self.alignment(column)
        return None
