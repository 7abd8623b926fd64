"""The picked pixel's values on the caret's line, in their panel."""

from __future__ import annotations

from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.panels.pixel.panel import PixelPanel
from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session import reasons
from shaderlab.app.session.session import Session
from shaderlab.app.widgets.when_seen import WhenSeen
from shaderlab.frontend.program import Dialect


class PixelPresenter(QObject):
    """Connects the session and the editor's caret to the panel."""

    marked = Signal(object)
    """The pixel (x, y) whose values are shown, from where gl_FragCoord is (0, 0); None for none."""

    def __init__(self, session: Session, panel: PixelPanel, editor: Editor):
        super().__init__(panel)
        self._session, self._panel = session, panel
        self._pixels = session.on_device.pixels
        self._editor = editor
        editor.cursor_moved.connect(self._on_cursor)
        session.text_moved_on.connect(self._show_age)
        session.program_changed.connect(self._show_age)
        self._pixels.changed.connect(self._show)
        WhenSeen(panel).changed.connect(self._pixels.see)
        self._pixels.see(panel.isVisible())
        self._show()

    def _on_cursor(self, line: int, _column: int) -> None:
        if self._editor.main.is_shown:  # not the vertex stage's text
            self._pixels.follow(line)

    def pick(self, x: int, y: int) -> None:
        """Show this pixel of the preview."""
        self._pixels.pick((x, y))

    def _show(self) -> None:
        pixels, panel = self._pixels, self._panel
        self.marked.emit(pixels.pixel)
        if pixels.values is not None and not self._is_module:
            line, edited = pixels.values.line.line, self._session.drawing.passes.edited
            of = f"{edited}, " if edited else ""
            panel.show_values(
                pixels.values, self._text(line), f"{of}line {line} at time {pixels.time_s:.4g} s"
            )
        else:
            self._say_why_none()
            panel.show_empty()
        self._show_age()

    @property
    def _is_module(self) -> bool:
        program = self._session.program
        return program is not None and program.dialect is Dialect.SPIRV

    def _text(self, line: int) -> str:
        """What the program's text has there."""
        program = self._session.program
        if program is None:
            return ""
        lines = program.text.split("\n")
        return lines[line - 1] if line <= len(lines) else ""

    def _say_why_none(self) -> None:
        error, empty = self._pixels.error, self._panel.empty
        if self._is_module and self._pixels.pixel is not None:
            hint = "A SPIR-V module is shown as assembly, whose lines have no variables."
            empty.say("lines", "Values need the shader's source", hint)
        elif error is not None:
            empty.say("warning", str(error), reasons.advice(error), role="warning")
        elif self._pixels.pixel is not None:
            empty.say("lines", "Reading the pixel\u2026")
        else:
            hint = "This panel then shows its colour, its cost and the values on the caret's line."
            empty.say("lines", "Ctrl+click a pixel of the preview", hint)

    def _show_age(self) -> None:
        self._panel.veil.set_drawn(
            self._pixels.values is not None and not self._session.compiling.follows
        )
