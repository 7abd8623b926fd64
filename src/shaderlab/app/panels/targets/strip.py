"""The strip over the table of targets: which are listed, the budget, the predicted frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from shaderlab import units
from shaderlab.app.panels.targets.arrangement import RATES_HZ, Arrangement, Order
from shaderlab.app.panels.targets.bars import Bar
from shaderlab.app.panels.targets.run_dialog import RunDialog
from shaderlab.app.qt import QAction, QActionGroup, QtWidgets, QWidget, Signal
from shaderlab.app.session.counted_run import CANONICAL, CountedRun
from shaderlab.app.settings import HERTZ_RANGE
from shaderlab.app.widgets.flow_layout import FlowLayout

_SIZES = {
    "720p": (1280, 720),
    "1080p": (1920, 1080),
    "1440p": (2560, 1440),
    "2160p (4K)": (3840, 2160),
}
_TIMES_S = (0.0, 1.0, 5.0, 10.0, 20.0, 60.0)
_ORDERS = {Order.TIME: "Fastest first", Order.NAME: "By name", Order.OWN: "My own order"}


class TargetStrip(QWidget):
    """Buttons with menus."""

    arranged = Signal(object)
    """The `Arrangement` that the user wants."""
    choosing = Signal()
    """The user wants to choose among all GPUs there are forecasts for."""
    run_chosen = Signal(object)
    """The `CountedRun` that the user wants."""
    curve_wanted = Signal(bool)
    """Show how the predicted time follows iTime, or no longer."""

    def __init__(self):
        super().__init__()
        self._arrangement, self._run = Arrangement(), CANONICAL
        self._bars: Sequence[Bar] = ()
        self.targets = _menu_button("Which targets are listed, and in what order")
        self.budget = _menu_button("Frame-rate budget: the dashed line in the table")
        self.run = _menu_button("Size and time of the frame that is counted and predicted")
        self.curve = QtWidgets.QToolButton()
        self.curve.setText("Over time")
        self.curve.setCheckable(True)
        self.curve.setToolTip("Predicted time against iTime, with the worst moment marked")
        self.curve.toggled.connect(self.curve_wanted)
        row = FlowLayout(spacing=2)
        row.setContentsMargins(5, 0, 5, 2)
        for button in (self.run, self.budget, self.targets, self.curve):
            row.addWidget(button)
        self.setLayout(row)
        for button, fill in (
            (self.targets, self._fill_targets),
            (self.budget, self._fill_budget),
            (self.run, self._fill_run),
        ):
            button.menu().aboutToShow.connect(fill)
        self.show_run(CANONICAL)

    def show_targets(self, arrangement: Arrangement, bars: Sequence[Bar]) -> None:
        """`bars`: of all targets, listed or not, in the order they are listed."""
        self._arrangement, self._bars = arrangement, bars
        listed = len(arrangement.listed(bars))
        some = f"{listed} of {len(bars)} targets" if listed < len(bars) else f"{listed} targets"
        self.targets.setText(some)
        budget_s = arrangement.budget_s
        self.budget.setText(
            f"{arrangement.budget_hz:g} Hz, {units.seconds(budget_s)}" if budget_s else "No budget"
        )

    def show_run(self, run: CountedRun) -> None:
        self._run = run
        self.run.setText(run.text)

    def _fill_targets(self) -> None:
        menu, now = self.targets.menu(), self._arrangement
        menu.clear()
        menu.addAction("Choose GPUs\u2026").triggered.connect(self.choosing)
        every = menu.addAction("Show all")
        every.setEnabled(bool(now.hidden))
        every.triggered.connect(lambda: self.arranged.emit(replace(now, hidden=frozenset())))
        menu.addSeparator()
        group = QActionGroup(menu)
        for order, text in _ORDERS.items():
            entry = _choice(menu, group, text, now.order is order)
            entry.triggered.connect(
                lambda _=False, order=order: self.arranged.emit(replace(now, order=order))
            )
        menu.addSeparator()
        entry = menu.addAction("Group by vendor")
        entry.setCheckable(True)
        entry.setChecked(now.grouped)
        entry.triggered.connect(lambda on: self.arranged.emit(replace(now, grouped=on)))

    def _fill_budget(self) -> None:
        menu, now = self.budget.menu(), self._arrangement
        menu.clear()
        group = QActionGroup(menu)
        own = now.budget_hz and now.budget_hz not in RATES_HZ
        for hertz in (0.0, *RATES_HZ, *([now.budget_hz] if own else [])):
            text = f"{hertz:g} Hz, {units.seconds(1 / hertz)}" if hertz else "No budget"
            entry = _choice(menu, group, text, hertz == now.budget_hz)
            entry.triggered.connect(
                lambda _=False, hertz=hertz: self.arranged.emit(replace(now, budget_hz=hertz))
            )
        menu.addSeparator()
        menu.addAction("Other\u2026").triggered.connect(self._ask_budget)

    def _ask_budget(self) -> None:
        now = self._arrangement
        hertz, agreed = QtWidgets.QInputDialog.getDouble(
            self, "Frame-rate budget", "Frames per second", now.budget_hz or 60.0, *HERTZ_RANGE, 2
        )
        if agreed:
            self.arranged.emit(replace(now, budget_hz=hertz))

    def _fill_run(self) -> None:
        menu, now = self.run.menu(), self._run
        menu.clear()
        standard = menu.addAction(f"{CANONICAL.text} (the size the models were fitted at)")
        standard.triggered.connect(lambda: self.run_chosen.emit(CANONICAL))
        menu.addSeparator()
        sizes, times = QActionGroup(menu), QActionGroup(menu)
        for name, size in _SIZES.items():
            text = "{}, {} \u00d7 {}".format(name, *size)
            entry = _choice(menu, sizes, text, size == now.size)
            entry.triggered.connect(
                lambda _=False, size=size: self.run_chosen.emit(replace(now, size=size))
            )
        menu.addSeparator()
        for time_s in _TIMES_S:
            entry = _choice(menu, times, f"t = {time_s:g} s", time_s == now.time_s)
            entry.triggered.connect(
                lambda _=False, time_s=time_s: self.run_chosen.emit(replace(now, time_s=time_s))
            )
        menu.addSeparator()
        menu.addAction("Other\u2026").triggered.connect(self._ask_run)

    def _ask_run(self) -> None:
        dialog = RunDialog(self._run, self)
        dialog.chosen.connect(self.run_chosen)
        dialog.open()


def _menu_button(tip: str) -> QtWidgets.QToolButton:
    button = QtWidgets.QToolButton()
    button.setPopupMode(QtWidgets.QToolButton.ToolButtonPopupMode.InstantPopup)
    button.setToolTip(tip)
    button.setMenu(QtWidgets.QMenu(button))
    return button


def _choice(menu: QtWidgets.QMenu, group: QActionGroup, text: str, checked: bool) -> QAction:
    entry = group.addAction(text)
    entry.setCheckable(True)
    entry.setChecked(checked)
    menu.addAction(entry)
    return entry
