"""Two versions' texts, as one column or side by side, with what each line costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from shaderlab.app.panels.variants.diff_view import DiffView
from shaderlab.app.panels.variants.prepared import Comparing, Prepared
from shaderlab.app.qt import QAction, QKeySequence, Qt, QtWidgets, QWidget
from shaderlab.app.widgets.aside import Aside
from shaderlab.app.widgets.boxes import pages, vertical
from shaderlab.app.widgets.elided_label import ElidedLabel
from shaderlab.app.widgets.theme import Theme
from shaderlab.language.syntax import Language


class TextComparison(QWidget):
    """Numbers are of the chosen target.  Lines are compared in a thread."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._comparing = Comparing()
        self._aside = Aside(self)
        self._changes: Sequence[int] = []
        self._place = -1
        self._language = Language.GLSL
        self.one = DiffView(theme)
        self.left, self.right = DiffView(theme), DiffView(theme)
        self.left.scrolled.connect(lambda: self._follow(self.left, self.right))
        self.right.scrolled.connect(lambda: self._follow(self.right, self.left))
        self.beside = QtWidgets.QCheckBox("Side by side")
        self.whole = QtWidgets.QCheckBox("All lines")
        self.whole.setToolTip("Also show unchanged lines")
        self.caption = ElidedLabel()
        self.caption.setProperty("role", "dim")
        self.previous = _step("Previous change", "up", "Shift+F7", self, lambda: self.step(-1))
        self.next = _step("Next change", "down", "F7", self, lambda: self.step(1))
        for box in (self.beside, self.whole):
            box.toggled.connect(self._show)
        strip = QtWidgets.QHBoxLayout()
        strip.setContentsMargins(10, 6, 10, 6)
        strip.setSpacing(12)
        strip.addWidget(self.caption, 1)
        for part in (self.previous, self.next, self.whole, self.beside):
            strip.addWidget(part)
        both = QtWidgets.QSplitter(Qt.Orientation.Horizontal)
        both.setHandleWidth(1)
        for part in (self.left, self.right):
            both.addWidget(part)
        self._stack = pages(self.one, both)
        column = vertical(self)
        column.addLayout(strip)
        column.addWidget(self._stack, 1)

    def show_texts(
        self,
        old: str,
        new: str,
        then_s: Mapping[int, float],
        now_s: Mapping[int, float],
        whole_s: float,
        clear: bool,
    ) -> None:
        """`then_s`, `now_s`: seconds by line of each text; `whole_s`: of the former version;
        `clear`: whether the change of the whole is (`time_changes.Change`)."""
        self._comparing = Comparing(old, new, then_s, now_s, whole_s, clear)
        self._show()

    def clear(self) -> None:
        """Take away the former texts: others are on their way."""
        for view in (self.one, self.left, self.right):
            view.show_lines((), ())
        self._changes, self._place = (), -1
        self.caption.setText("Comparing\u2026")

    def read_as(self, language: Language) -> None:
        if language is self._language:
            return
        self._language = language
        for view in (self.one, self.left, self.right):
            view.read_as(language)

    def set_theme(self, theme: Theme) -> None:
        for view in (self.one, self.left, self.right):
            view.set_theme(theme)

    @property
    def is_busy(self) -> bool:
        """Whether something of the latest texts is not shown yet."""
        return self._aside.busy or any(v.is_writing for v in (self.one, self.left, self.right))

    @property
    def changes(self) -> int:
        """How many places differ."""
        return len(self._changes)

    def step(self, by: int) -> None:
        """Go to the next, or the previous, place that differs."""
        if self._changes:
            self._place = (self._place + by) % len(self._changes)
            row = self._changes[self._place]
            for view in self._shown:
                view.reveal(row)
            self._say()

    @property
    def _shown(self) -> tuple[DiffView, ...]:
        return (self.left, self.right) if self.beside.isChecked() else (self.one,)

    def _show(self) -> None:
        beside = self.beside.isChecked()
        wanted = replace(self._comparing, beside=beside, whole=self.whole.isChecked())
        self._aside.run(wanted.prepared, self._show_prepared)

    def _show_prepared(self, found: Prepared) -> None:
        beside = len(found.columns) == 2
        views = (self.left, self.right) if beside else (self.one,)
        for view, (lines, notes) in zip(views, found.columns, strict=True):
            view.show_lines(lines, notes)
        self._changes, self._place = found.changes, -1
        self._stack.setCurrentIndex(int(beside))
        self._say()

    def _say(self) -> None:
        count = len(self._changes)
        words = "The texts are the same" if not count else f"{count} change{'s' * (count > 1)}"
        if self._place >= 0:
            words = f"{self._place + 1} of {words}"
        if self._comparing.has_costs:
            words += " \u00b7 beside each line: its time, and how that changed"
        self.caption.setText(words)
        for button in (self.previous, self.next):
            button.setEnabled(bool(count))

    def _follow(self, moved: DiffView, other: DiffView) -> None:
        other.first_line = moved.first_line


def _step(text: str, icon: str, keys: str, parent: QWidget, call) -> QtWidgets.QToolButton:
    action = QAction(text, parent)
    action.setShortcut(QKeySequence(keys))
    action.setToolTip(f"{text} ({keys})")
    action.triggered.connect(lambda _checked=False: call())
    parent.addAction(action)
    button = QtWidgets.QToolButton()
    button.setDefaultAction(action)
    button.setArrowType(Qt.ArrowType.UpArrow if icon == "up" else Qt.ArrowType.DownArrow)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
    return button
