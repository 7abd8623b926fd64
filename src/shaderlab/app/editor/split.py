"""Two views of one text, or of two, side by side or one over the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from shaderlab.app.editor.bindings import Qsci
from shaderlab.app.editor.buffers import Buffer, BufferedText
from shaderlab.app.editor.lexer import ShaderLexer
from shaderlab.app.qt import QObject, Qt, QtWidgets, QWidget, Signal
from shaderlab.app.widgets.boxes import vertical

P = ParamSpec("P")
S = TypeVar("S", bound="SplitText")


class Caption(QtWidgets.QWidget):
    """Which text a view shows, and the button that closes the view."""

    closed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "strip")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.name = QtWidgets.QLabel()
        self.name.setTextFormat(Qt.TextFormat.PlainText)
        self.button = QtWidgets.QToolButton()
        self.button.setText("\u00d7")
        self.button.setAutoRaise(True)
        self.button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.button.setToolTip("Close this view; the document stays open")
        self.button.setAccessibleName("Close this view")
        self.button.clicked.connect(self.closed)
        row = QtWidgets.QHBoxLayout(self)
        row.setContentsMargins(8, 0, 2, 0)
        row.addWidget(self.name, 1)
        row.addWidget(self.button)
        self.hide()

    def show_name(self, name: str, *, in_use: bool) -> None:
        """In bold for the view in use."""
        self.name.setText(name)
        font = self.name.font()
        font.setBold(in_use)
        self.name.setFont(font)


@dataclass(eq=False)
class Pane:
    """One of the views."""

    sci: Qsci.QsciScintilla
    view: QWidget
    lexer: ShaderLexer
    frame: QWidget
    caption: Caption
    shown: Buffer
    """Its text, kept up to date while it is not the view in use."""


def in_each_view(
    method: Callable[Concatenate[S, P], None],
) -> Callable[Concatenate[S, P], None]:
    """Have a method that works on `_sci` and `_lexer` work on those of every view."""

    @wraps(method)
    def run(self: S, /, *args: P.args, **kwargs: P.kwargs) -> None:
        used = self._sci, self._view, self._lexer
        others = [pane for pane in self.panes if pane.sci is not used[0]]
        try:
            for pane in others:
                self._sci, self._view, self._lexer = pane.sci, pane.view, pane.lexer
                method(self, *args, **kwargs)
        finally:
            self._sci, self._view, self._lexer = used
        method(self, *args, **kwargs)

    return run


class SplitText(BufferedText):
    """Part of the editor, which implements how a view is set up (`_set_up`), and made to look like
    the others (`_begin_view`).

    `_sci`, `_view`, `_lexer` and `shown` are those of the view that had the keyboard last.
    """

    panes_changed = Signal()
    """A view was added or closed, another one is in use, or one shows another text."""
    cursor_moved = Signal(int, int)
    """Line, column of the caret."""
    panes: tuple[Pane, ...] = ()
    """From left to right, or from top to bottom; empty while the first one is being made."""
    _lexer: ShaderLexer
    _watchers: list[QObject]

    def _set_up_panes(self) -> None:
        self._splitter = QtWidgets.QSplitter(Qt.Orientation.Horizontal)
        self._splitter.setHandleWidth(3)
        self._splitter.setChildrenCollapsible(False)
        layout = self.layout()
        assert layout is not None
        layout.removeWidget(self._view)
        layout.addWidget(self._splitter)
        self._spare: Pane | None = None
        self.panes = (self._make_pane(),)
        self.shown_changed.connect(self.panes_changed)

    def _make_pane(self) -> Pane:
        """Of the view in use."""
        frame, caption = QWidget(), Caption()
        vertical(frame, caption, self._view, largest=self._view)
        self._splitter.addWidget(frame)
        pane = Pane(self._sci, self._view, self._lexer, frame, caption, self.shown)
        caption.closed.connect(lambda: self.close_pane(pane))
        return pane

    @property
    def used(self) -> Pane:
        """The view that had the keyboard last."""
        return next(pane for pane in self.panes if pane.sci is self._sci)

    @property
    def is_split(self) -> bool:
        return len(self.panes) > 1

    @property
    def is_stacked(self) -> bool:
        return self._splitter.orientation() == Qt.Orientation.Vertical

    @property
    def first_percent(self) -> int:
        """Of the room that the left or the upper view has."""
        sizes = self._splitter.sizes()
        return round(100 * sizes[0] / max(sum(sizes), 1))

    @first_percent.setter
    def first_percent(self, percent: int) -> None:
        whole = max(sum(self._splitter.sizes()), 100)
        first = round(whole * percent / 100)
        self._splitter.setSizes([first, whole - first])

    def shown_in(self, pane: Pane) -> Buffer:
        return self.shown if pane is self.used else pane.shown

    # -- splitting ------------------------------------------------------------------------------

    def split(self, *, stacked: bool = False) -> None:
        """Show two views at the same place of the text, with the keyboard in the new one."""
        across, down = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        self._splitter.setOrientation(down if stacked else across)
        if self.is_split:
            return
        former = self.used
        former.shown = self.shown
        top, place, zoom = self._sci.firstVisibleLine(), self._sci.getCursorPosition(), self.zoom
        pane = self._spare or self._another()
        self._spare = None
        pane.shown = self.shown
        self._sci, self._view, self._lexer = pane.sci, pane.view, pane.lexer
        self.panes = (former, pane)
        self._sci.setDocument(former.sci.document())
        self._begin_view()
        self._sci.zoomTo(zoom)
        for each in self.panes:
            each.frame.show()
            each.caption.show()
        half = (self.height() if stacked else self.width()) // 2
        self._splitter.setSizes([half, half])
        self._sci.setCursorPosition(*place)
        self._sci.setFirstVisibleLine(top)
        self.setFocusProxy(self._view)
        self._view.setFocus()
        self._say_used()

    def _another(self) -> Pane:
        """One more view, hidden and without a text."""
        used = self._sci, self._view, self._lexer
        self._sci, self._view = self._make_view()
        try:
            self._set_up()
            for signal, slot in self._heard:
                self._listen(self._sci, signal, slot)
            for watcher in self._watchers:
                self._view.installEventFilter(watcher)
            return self._make_pane()
        finally:
            self._sci, self._view, self._lexer = used

    def close_split(self) -> None:
        """Keep only the view in use."""
        for pane in self.panes:
            if pane is not self.used:
                self.close_pane(pane)
                return

    def close_pane(self, pane: Pane) -> None:
        """Close this view, if there is another; its text stays open."""
        if pane not in self.panes or not self.is_split:
            return
        (other,) = (each for each in self.panes if each is not pane)
        had_focus, before = pane.view.hasFocus(), self.shown
        self._switch(pane)
        self.exchange(other.shown)  # what stood beside its lines is taken off
        self._switch(other)
        self.panes, self._spare = (other,), pane
        pane.sci.setDocument(Qsci.QsciDocument())
        pane.frame.hide()
        other.caption.hide()
        if had_focus:
            other.view.setFocus()
        if self.shown is not before:
            self.changed.emit()
            self.shown_changed.emit()
        self._say_used()

    def withdraw(self, buffer: Buffer) -> None:
        """A text is closed: views that show it, but for the one in use, show `main`."""
        used = self.used
        for pane in self.panes:
            if pane is not used and pane.shown is buffer:
                self._switch(pane)
                self.exchange(self.main)
                self._switch(used)

    # -- which view is in use -------------------------------------------------------------------

    def next_pane(self) -> None:
        """Give the keyboard to the other view."""
        for pane in self.panes:
            if pane is not self.used:
                pane.view.setFocus()
                self.use_pane(pane)
                return

    def use_pane(self, pane: Pane) -> None:
        """Make this the view that everything works on."""
        before = self.shown
        if pane.sci is self._sci or pane not in self.panes:
            return
        self._switch(pane)
        if self.shown is not before:
            self.changed.emit()
            self.shown_changed.emit()
        self._say_used()

    def _switch(self, pane: Pane) -> None:
        """Like `use_pane`, without telling anyone."""
        if pane.sci is self._sci:
            return
        self.used.shown = self.shown
        is_same = pane.shown is self.shown
        if not is_same:
            self._leave_shown(stays=True)
        self._sci, self._view, self._lexer = pane.sci, pane.view, pane.lexer
        if not is_same:
            self.shown = pane.shown
            self._forget_text()
            self._take_lines(self.shown.beside_lines)
        self.setFocusProxy(self._view)

    def _say_used(self) -> None:
        self.scrolled.emit()
        line, column = self._sci.getCursorPosition()
        self.cursor_moved.emit(line + 1, column + 1)
        self.panes_changed.emit()

    def _on_entered(self, sci: Qsci.QsciScintilla) -> None:
        for pane in self.panes:
            if pane.sci is sci:
                self.use_pane(pane)

    def _view_with(self, buffer: Buffer) -> Qsci.QsciScintilla | None:
        """A view with this text, that is not in use."""
        others = (pane for pane in self.panes if pane.sci is not self._sci)
        return next((pane.sci for pane in others if pane.shown is buffer), None)

    @property
    def zoom(self) -> int:
        return self._sci.SendScintilla(self._sci.SCI_GETZOOM)

    def name_panes(self, name_of: Callable[[Buffer], str]) -> None:
        """Write over each view which text it shows."""
        for pane in self.panes:
            name = name_of(self.shown_in(pane))
            pane.caption.show_name(name, in_use=pane is self.used)

    def _set_up(self) -> None:
        raise NotImplementedError

    def _begin_view(self) -> None:
        raise NotImplementedError
