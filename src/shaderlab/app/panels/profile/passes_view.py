"""Times of a frame's passes, their sum, and what all take in one submission."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from shaderlab import units
from shaderlab.app.qt import Qt, QtWidgets

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
