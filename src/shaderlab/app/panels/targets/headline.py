"""The chosen target: what changed, then the time and its band, then a warning if any."""

from __future__ import annotations

from html import escape

from shaderlab.app.panels.targets.bars import Bar
from shaderlab.app.panels.targets.cells import change_colour
from shaderlab.app.qt import QAction, Qt, QtWidgets, QWidget
from shaderlab.app.widgets import icons
from shaderlab.app.widgets.phrases import SINCE_PIN, VS_PREVIOUS
from shaderlab.app.widgets.theme import Theme
from shaderlab.app.widgets.veil import Veil
from shaderlab.prediction.forecasts.time_changes import NOT_VALIDATED, Change

_FIRST = "Edit the shader to see how the time changes"


class TargetHeadline(QWidget):
    """Two lines: changes, time; and below them why to distrust the time."""

    def __init__(self, theme: Theme, pin: QAction, unpin: QAction):
        super().__init__()
        self._theme = theme
        self._bar: Bar | None = None
        self._pinned = self._method = self._plain = ""
        self._change = _plain_label("change")
        self._time = _plain_label("time")
        self._mark = QtWidgets.QLabel()
        self._warning = QtWidgets.QLabel()
        self._warning.setProperty("role", "warning")
        self._warning.setWordWrap(True)
        self._warning.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._pin = _button(pin, "Pin")
        self._unpin = _button(unpin, "Unpin")
        row = QtWidgets.QHBoxLayout()
        row.setSpacing(4)
        row.addWidget(self._change, 1)
        row.addWidget(self._unpin)
        row.addWidget(self._pin)
        self._doubt = QWidget()
        doubt = QtWidgets.QHBoxLayout(self._doubt)
        doubt.setContentsMargins(0, 2, 0, 0)
        doubt.setSpacing(6)
        doubt.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        doubt.addWidget(self._warning, 1)
        column = QtWidgets.QVBoxLayout(self)
        column.setContentsMargins(11, 5, 6, 6)
        column.setSpacing(1)
        column.addLayout(row)
        column.addWidget(self._time)
        column.addWidget(self._doubt)
        self.veil = Veil(self._time)
        self.set_theme(theme)

    def show_bar(self, bar: Bar, pinned: str, method: str) -> None:
        """`pinned`: name of the pinned variant, empty for none; `method`: it and its error."""
        self._bar, self._pinned, self._method = bar, pinned, method
        self._draw()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._mark.setPixmap(icons.pixmap("warning", theme.warning, 16, self.devicePixelRatioF()))
        self._draw()

    @property
    def change(self) -> str:
        """The line with the changes, as it is shown."""
        return self._change.text()

    @property
    def time(self) -> str:
        """The line with the time, as it is shown."""
        return self._time.text()

    @property
    def text(self) -> str:
        """All of it, without markup."""
        return self._plain

    @property
    def warning(self) -> str:
        """Why to distrust the time; empty where there is no reason."""
        return self._warning.text() if self._doubt.isVisibleTo(self) else ""

    def _draw(self) -> None:
        bar, theme = self._bar, self._theme
        if bar is None:
            return
        changes = [(bar.since_last, VS_PREVIOUS)]
        if self._pinned:
            changes.append((bar.since_pinned, SINCE_PIN))
        known = [(c, since) for c, since in changes if c is not None]
        last = known[-1:]  # one band: there is no room for two
        html = "&nbsp;&nbsp; &nbsp;".join(
            _change_html(*each, theme, band=each in last) for each in known
        )
        hint = f"<span style='color:{theme.dim}'>{_FIRST}</span>"
        self._change.setText(html or hint)
        self._change.setToolTip(f"Pinned: {self._pinned}" if self._pinned else "")
        rest = " \u00b7 ".join(_unbroken(part) for part in (bar.band, self._method) if part)
        self._time.setText(
            f"<b>{_unbroken(bar.name)}</b>&nbsp; {_unbroken(bar.time)}"
            f" <span style='color:{theme.dim}'>&nbsp;{rest}</span>"
        )
        self._warning.setText("\n".join(bar.warnings))
        self._doubt.setVisible(bool(bar.warnings))
        self._unpin.setVisible(bool(self._pinned))
        self._plain = " \u00b7 ".join(
            [
                " ".join(part for part in (c.relative or "no change", c.absolute, since) if part)
                + (f", {NOT_VALIDATED}" if c and not c.within else "")
                for c, since in known
            ]
            or [_FIRST]
        )


def _change_html(change: Change, since: str, theme: Theme, *, band: bool) -> str:
    """`band`: in place of the difference in seconds, where the change has one."""
    colour = change_colour(change, theme)
    if not change.relative:  # nothing to see: no louder than the words around it
        return f"<span style='color:{theme.dim}'>{_unbroken(f'no change {since}')}</span>"
    figure = change.relative
    beside = f"({change.within})" if band and change.within else change.absolute
    if band and change and not change.within:
        since = f"{since}, {NOT_VALIDATED}"
    return (
        f"<span style='color:{colour}; font-size:large; font-weight:600'>{_unbroken(figure)}</span>"
        f"<span style='color:{colour}'>&nbsp; {_unbroken(beside)}</span>"
        f"<span style='color:{theme.dim}'>&nbsp; {_unbroken(since)}</span>"
    )


def _unbroken(text: str) -> str:
    """Escaped, and never broken over lines."""
    return escape(text).replace(" ", "&nbsp;")


def _plain_label(name: str) -> QtWidgets.QLabel:
    """One line, more in a narrow pane."""
    label = QtWidgets.QLabel()
    label.setObjectName(name)
    label.setTextFormat(Qt.TextFormat.RichText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def _button(action: QAction, text: str) -> QtWidgets.QToolButton:
    # Not the action's own button, which would be as wide as the menu's text.
    button = QtWidgets.QToolButton()
    button.setText(text)
    button.setToolTip(action.toolTip())
    button.setProperty("role", "push")
    button.clicked.connect(lambda: action.trigger())
    return button
