"""Two versions' texts, as one column or side by side, with what each line costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shaderlab import units
from shaderlab.app.panels.variants.diff import (
    NEGLIGIBLE,
    DiffLine,
    Kind,
    LineCost,
    change_text,
    side_by_side,
    unified,
)
from shaderlab.app.panels.variants.diff_view import DiffView, Note
from shaderlab.app.qt import QAction, QKeySequence, Qt, QtWidgets, QWidget
from shaderlab.app.widgets.boxes import pages, vertical
from shaderlab.app.widgets.elided_label import ElidedLabel
from shaderlab.app.widgets.theme import Theme
from shaderlab.language.syntax import Language

_CONTEXT = 4
"""Lines kept around a change where equal ones are left out."""
_COSTLY = 0.01
"""Of the whole time: a line whose cost changed by more is shown though its text is the same."""


class TextComparison(QWidget):
    """Numbers are of the chosen target."""

    def __init__(self, theme: Theme):
        super().__init__()
        self._old: Sequence[str] = ()
        self._new: Sequence[str] = ()
        self._then_s: Mapping[int, float] = {}
        self._now_s: Mapping[int, float] = {}
        self._whole_s = 0.0
        self._changes: list[int] = []
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
    ) -> None:
        """`then_s`, `now_s`: seconds by line of each text; `whole_s`: of the former version."""
        self._old, self._new = old.split("\n"), new.split("\n")
        self._then_s, self._now_s, self._whole_s = then_s, now_s, whole_s
        self._show()

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
        rows = side_by_side(self._old, self._new)
        if self.beside.isChecked():
            kept = _near_changes([self._is_same(left) for left, _ in rows], self._context)
            columns = [[row[side] for row in rows] for side in (0, 1)]
            cut = [_cut(column, kept) for column in columns]
            self.left.show_lines(cut[0], [self._note(line, then=True) for line in cut[0]])
            self.right.show_lines(cut[1], [self._note(line) for line in cut[1]])
            same = [left.kind is right.kind for left, right in zip(*cut, strict=True)]
        else:
            lines = unified(rows)
            cut_lines = _cut(
                lines, _near_changes([self._is_same(line) for line in lines], self._context)
            )
            self.one.show_lines(cut_lines, [self._note(line) for line in cut_lines])
            same = [line.kind in (Kind.SAME, Kind.GAP) for line in cut_lines]
        self._changes = [n for n, each in enumerate(same) if not each and (n == 0 or same[n - 1])]
        self._place = -1
        self._stack.setCurrentIndex(int(self.beside.isChecked()))
        self._say()

    @property
    def _context(self) -> int:
        return len(self._old) + len(self._new) if self.whole.isChecked() else _CONTEXT

    def _say(self) -> None:
        count = len(self._changes)
        words = "The texts are the same" if not count else f"{count} change{'s' * (count > 1)}"
        if self._place >= 0:
            words = f"{self._place + 1} of {words}"
        if self._then_s or self._now_s:
            words += " \u00b7 beside each line: its time, and how that changed"
        self.caption.setText(words)
        for button in (self.previous, self.next):
            button.setEnabled(bool(count))

    def _note(self, line: DiffLine, *, then: bool = False) -> Note:
        """What a line takes; `then`: in the former version, on whose side it stands."""
        if line.kind is Kind.GAP:
            return Note()
        both = self._cost(line)
        gone = line.kind is Kind.REMOVED
        shown = both.then_s if then or gone else both.now_s
        cost = units.seconds(shown) if shown > NEGLIGIBLE * self._whole_s else ""
        if then or (gone and line.beside):  # the change stands on the other side
            return Note(cost)
        return Note(cost, change_text(both, self._whole_s), both.now_s > both.then_s)

    def _cost(self, line: DiffLine) -> LineCost:
        """What the line, and the one in its place in the other text, take."""
        gone = line.kind is Kind.REMOVED
        old, new = (line.old, line.beside) if gone else (line.old or line.beside, line.new)
        return LineCost(self._then_s.get(old, 0.0), self._now_s.get(new, 0.0))

    def _is_same(self, line: DiffLine) -> bool:
        """Whether it is the same text at about the same cost."""
        cost = self._cost(line)
        moved = abs(cost.now_s - cost.then_s) > _COSTLY * self._whole_s
        return line.kind is Kind.SAME and not moved

    def _follow(self, moved: DiffView, other: DiffView) -> None:
        other.first_line = moved.first_line


def _near_changes(same: Sequence[bool], context: int) -> list[bool]:
    """Which rows are a change or so near one."""
    kept = [False] * len(same)
    for n, is_same in enumerate(same):
        if not is_same:
            for near in range(max(n - context, 0), min(n + context + 1, len(same))):
                kept[near] = True
    return kept


def _cut(lines: Sequence[DiffLine], kept: Sequence[bool]) -> list[DiffLine]:
    """Those kept, with one row in place of each run of others."""
    found: list[DiffLine] = []
    left_out = 0
    for line, keep in zip([*lines, None], [*kept, True], strict=True):
        if not keep:
            left_out += 1
            continue
        if left_out:
            found.append(DiffLine(Kind.GAP, f"\u22ef {left_out} lines that are the same"))
            left_out = 0
        if line is not None:
            found.append(line)
    return found


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
