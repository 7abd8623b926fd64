"""The tour of the first start: three steps on the shader that runs, each done by the user."""

from __future__ import annotations

from collections.abc import Callable

from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.qt import QAction, Qt, QtWidgets, Signal
from shaderlab.app.session.session import Session
from shaderlab.app.settings import Settings

STEPS = (
    (
        "Find the hottest line",
        "Beside each line: how often it ran, and its share of the time. Press F4 to go to the "
        "line that takes most.",
        "Go there",
    ),
    (
        "Change it",
        "Edit a number in that line, or delete it. Preview, counts and times follow while you "
        "type.",
        "Next",
    ),
    (
        "Compare",
        "“Predicted times” starts with what your edit changed, on GPUs you do not own. Pin a "
        "version (Ctrl+Shift+V) to compare with it. The manual (Help) has the rest.",
        "Done",
    ),
)
"""Title, what to do, and the button that does it or goes on."""


class Welcome(QtWidgets.QFrame):
    """A strip above the text; hidden but for the tour."""

    ended = Signal()

    def __init__(
        self,
        session: Session,
        editor: Editor,
        to_hot_line: QAction,
        show_times: Callable[[], object],
        settings: Settings,
    ):
        """`to_hot_line`: the command that the first step asks for; `show_times`: brings the
        predicted times to the front."""
        super().__init__()
        self._editor, self._to_hot_line, self._show_times = editor, to_hot_line, show_times
        self._settings = settings
        self.step = -1
        """Index of the present step; -1 outside the tour."""
        self.setProperty("role", "strip")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.title = QtWidgets.QLabel()
        self.title.setProperty("role", "title")
        self.what = QtWidgets.QLabel()
        self.what.setWordWrap(True)
        self.onward = QtWidgets.QPushButton()
        self.onward.clicked.connect(self._on_button)
        self.skip = QtWidgets.QPushButton("End the tour")
        self.skip.clicked.connect(self.end)
        buttons = QtWidgets.QHBoxLayout()
        buttons.addWidget(self.title, 1)
        buttons.addWidget(self.skip)
        buttons.addWidget(self.onward)
        column = QtWidgets.QVBoxLayout(self)
        column.setContentsMargins(12, 6, 8, 8)
        column.addLayout(buttons)
        column.addWidget(self.what)
        to_hot_line.triggered.connect(self._on_hot_line)
        session.program_changed.connect(self._on_compiled)
        editor.text_edited.connect(self._on_edited)
        self._edited = False
        self.hide()

    def begin(self) -> None:
        """From the first step."""
        self._show(0)

    def end(self) -> None:
        self._settings.welcomed = True
        self._show(-1)
        self._editor.setFocus()
        self.ended.emit()

    def _show(self, step: int) -> None:
        self.step, self._edited = step, False
        self.setVisible(step >= 0)
        if step < 0:
            return
        title, what, button = STEPS[step]
        self.title.setText(f"{step + 1} of {len(STEPS)}: {title}")
        self.what.setText(what)
        self.onward.setText(button)
        self.skip.setVisible(step < len(STEPS) - 1)
        if step == len(STEPS) - 1:
            self._show_times()

    def _on_button(self) -> None:
        if self.step == 0:
            self._to_hot_line.trigger()
        elif self.step == len(STEPS) - 1:
            self.end()
        else:
            self._show(self.step + 1)

    def _on_hot_line(self) -> None:
        if self.step == 0:
            self._show(1)

    def _on_edited(self) -> None:
        self._edited = True

    def _on_compiled(self) -> None:
        if self.step == 1 and self._edited:
            self._show(2)
