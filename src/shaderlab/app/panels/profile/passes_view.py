"""Times of a frame's passes, their sum, and what all take in one submission."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from shaderlab import units
from shaderlab.app.qt import Qt, QtWidgets
from shaderlab.studies.pipeline import FrameStages, Stage, frame_stages

if TYPE_CHECKING:
    from shaderlab.app.session.profile_run import FrameProfile
    from shaderlab.app.widgets.theme import Theme
    from shaderlab.gpu.measurement import Measurement


def own_time(measurement: Measurement, software: bool) -> Measurement:
    """By the clock that forecasts of such a device use: of a software driver the CPU's."""
    return measurement.on_processor if software and measurement.cpu_trials_s else measurement


def passes_html(profile: FrameProfile, software: bool, theme: Theme) -> str:
    """The sum beside the time of all together, then a row for each pass."""
    times = {name: own_time(each, software) for name, each in profile.passes.items()}
    in_frame = {name: each.time_s * profile.draws[name] for name, each in times.items()}
    total = sum(in_frame.values())
    together = own_time(profile.together, software).time_s
    clock = "CPU time per draw" if software else "time per draw"
    head = ("pass", clock, "95 % within", "draws", "in the frame", "of its time")
    off = f"sum {units.change(total, together) or 'the same'}" if together else ""
    rows = [
        _row(head, f"color:{theme.dim}; "),
        _row(("sum of the passes", "", "", "", units.seconds(total), ""), "font-weight:600; "),
        _row(("in one submission", "", "", "", units.seconds(together), off)),
    ]
    for name, each in times.items():
        low, high = each.interval_s
        rows.append(
            _row(
                (
                    name,
                    units.seconds(each.time_s),
                    f"\u00b1 {units.seconds((high - low) / 2)}",
                    str(profile.draws[name]),
                    units.seconds(in_frame[name]),
                    units.percent(in_frame[name] / total) if total else "\u2013",
                )
            )
        )
    return _table(rows) + _stages_html(
        frame_stages(times, own_time(profile.together, software), profile.draws), theme
    )


def _stages_html(found: FrameStages, theme: Theme) -> str:
    """Where each pass's time goes, and the shares of the frame, which sum to one."""
    shown = found.stages
    rows = [_row(("pass", *shown, "bottleneck"), f"color:{theme.dim}; ")]
    rows += [
        _row((
            each.name,
            *(
                units.seconds(each.seconds[stage]) if stage in each.seconds else "\u2013"
                for stage in shown
            ),
            each.bottleneck.value,
        ))
        for each in found.passes
    ]  # fmt: skip
    shares = found.shares
    rows.append(
        _row(("of the frame", *(_share(shares[stage]) for stage in shown)), "font-weight:600; ")
    )
    rows.append(_row(("unexplained", _share(shares[Stage.UNEXPLAINED]))))
    note = (
        "Unexplained: how much more, or less, all passes together take than the sum of them timed "
        "separately. Output: what the draw takes with a constant colour instead of the shader, "
        "minus the empty pass."
    )
    note += "".join(
        f"<br>Output of {escape(each.name)} cannot be timed separately from the pass: "
        f"{escape(each.together_reason)}."
        for each in found.passes
        if each.together_reason
    )
    return f"<br>{_table(rows)}<p style='color:{theme.dim}'>{note}</p>"


def _share(value: float) -> str:
    return units.percent(value) if value >= 0 else f"\u2212{units.percent(-value)}"


def _table(rows: list[str]) -> str:
    return f"<table cellspacing='0' style='white-space:nowrap'>{''.join(rows)}</table>"


def _row(cells: tuple[str, ...], style: str = "") -> str:
    apart = [f"<td style='{style}padding-right:14px'>{escape(cell)}</td>" for cell in cells]
    return f"<tr>{''.join(apart)}</tr>"


class PassesView(QtWidgets.QScrollArea):
    """The table, which scrolls where the pane is low."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._theme, self._software = theme, False
        self.profile: FrameProfile | None = None
        self._label = QtWidgets.QLabel()
        self._label.setTextFormat(Qt.TextFormat.RichText)
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._label.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.setWidget(self._label)
        self.setWidgetResizable(True)
        self.setFrameShape(QtWidgets.QFrame.Shape.NoFrame)

    @property
    def text(self) -> str:
        """As shown, with markup."""
        return self._label.text()

    def show_profile(self, profile: FrameProfile | None, software: bool) -> None:
        """None for a shader without passes."""
        self.profile, self._software = profile, software
        self._draw()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._draw()

    def _draw(self) -> None:
        profile = self.profile
        shown = passes_html(profile, self._software, self._theme) if profile is not None else ""
        self._label.setText(shown)
