"""The text laid out by clang-format, where that is on the path."""

from __future__ import annotations

import json
from pathlib import Path

from shaderlab.app.editor.limits import MOST_BYTES, unshowable
from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.qt import QObject, QtCore, QTimer, Signal
from shaderlab.system import process_group

PROGRAM = "clang-format"
LIMIT_MS = 5000
FALLBACK_STYLE = "WebKit"
"""Where no .clang-format file is found: four spaces, and lines broken where the user broke them."""
MISSING = (
    "clang-format was not found on PATH: install it (package clang-format of most systems, or "
    "pip install clang-format) and start shaderlab again"
)


class Formatting(QObject):
    """One run at a time, in a process of its own; the text is changed only if nobody else did."""

    refused = Signal(str)
    """Why the text was not formatted."""
    finished = Signal(bool)
    """Whether that changed the text."""

    def __init__(self, editor: Editor):
        super().__init__(editor)
        self._editor = editor
        self._process: QtCore.QProcess | None = None
        self._text = ""
        self._late = QTimer(self, singleShot=True, interval=LIMIT_MS)
        self._late.timeout.connect(self._give_up)

    @property
    def busy(self) -> bool:
        return self._process is not None

    def format(self, path: Path | None, *, selection: bool = False) -> None:
        """Format all of the text, or the lines of the selection.

        `path`: of the document; the style is that of the nearest .clang-format file above it.
        """
        if self.busy or self._editor.read_only:
            return
        self._text = self._editor.text
        if len(self._text) > MOST_BYTES:
            return
        arguments = ["--style=file", f"--fallback-style={FALLBACK_STYLE}"]
        # An unknown suffix is read as C++, whose layout GLSL and HLSL share.
        name = path if path is not None else Path.cwd() / "shader.frag"
        arguments += [f"--assume-filename={name}", f"--cursor={self._caret_bytes()}"]
        if selection:
            first, last = self._editor.selected_lines
            arguments.append(f"--lines={first}:{last}")
        process = QtCore.QProcess(self)
        self._process = process
        process.finished.connect(lambda code, _status: self._on_finished(process, code))
        process.errorOccurred.connect(lambda error: self._on_error(process, error))
        process.setProgram(PROGRAM)
        process.setArguments(arguments)
        process.setWorkingDirectory(process_group.NEUTRAL)
        self._late.start()
        process.start()
        process.write(self._text.encode())
        process.closeWriteChannel()

    def _caret_bytes(self) -> int:
        line, column = self._editor.caret
        lines = self._text.split("\n")
        before = sum(len(each.encode()) + 1 for each in lines[: line - 1])
        return before + len(lines[line - 1][: column - 1].encode())

    def _end(self) -> None:
        self._late.stop()
        process, self._process = self._process, None
        if process is None:
            return
        if process.state() == QtCore.QProcess.ProcessState.NotRunning:
            process.deleteLater()
        else:
            process.finished.connect(process.deleteLater)
            process.kill()

    def _refuse(self, why: str) -> None:
        self._end()
        self.refused.emit(why)

    def _give_up(self) -> None:
        self._refuse(f"clang-format took longer than {LIMIT_MS / 1000:g} s and was stopped")

    def _on_error(self, process: QtCore.QProcess, error: QtCore.QProcess.ProcessError) -> None:
        if process is not self._process:
            return
        if error == QtCore.QProcess.ProcessError.FailedToStart:
            self._refuse(MISSING)
        elif error == QtCore.QProcess.ProcessError.Crashed:
            self._refuse("clang-format crashed; the text is unchanged")

    def _on_finished(self, process: QtCore.QProcess, code: int) -> None:
        if process is not self._process:
            return
        output = bytes(process.readAllStandardOutput().data())
        said = bytes(process.readAllStandardError().data()).decode(errors="replace").strip()
        self._end()
        if code != 0:
            reason = said.split("\n")[0][:300] or f"exit code {code}"
            self.refused.emit(f"clang-format did not format the text: {reason}")
            return
        self._take(output)

    def _take(self, output: bytes) -> None:
        head, _, body = output.partition(b"\n")
        try:
            caret = int(json.loads(head)["Cursor"])
            text = body.decode()
        except (ValueError, TypeError, LookupError):
            self.refused.emit("clang-format returned something that is not text")
            return
        if self._editor.text != self._text:
            self.refused.emit("The text changed while clang-format ran: format it again")
        elif reason := unshowable(text):
            self.refused.emit(f"clang-format's result was not used: {reason}")
        elif not text and self._text.strip():
            self.refused.emit("clang-format returned an empty text, which was not used")
        else:
            self._editor.change_text(text, keep_view=True)
            before = body[: max(caret, 0)].decode(errors="ignore").split("\n")
            self._editor.place_caret(len(before), len(before[-1]) + 1)
            self.finished.emit(text != self._text)
