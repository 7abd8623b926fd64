"""The assembly of a SPIR-V module, shown in place of its source."""

from __future__ import annotations

import re

from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.session import Session
from shaderlab.spirv.trace import SourceLine


def lines_by_label(disassembly: str) -> dict[int, tuple[int, ...]]:
    """Lines (from 1) of each basic block in SPIR-V assembly, by the id of its label."""
    blocks: dict[int, tuple[int, ...]] = {}
    label: int | None = None
    lines: list[int] = []
    for number, text in enumerate(disassembly.splitlines(), 1):
        start = re.match(r"\s*%(\d+) = OpLabel", text)
        if start or "OpFunctionEnd" in text:
            if label is not None:
                blocks[label] = tuple(lines)
            label, lines = (int(start[1]) if start else None), []
        if label is not None and text.strip():
            lines.append(number)
    return blocks


class Assembly(QObject):
    """Puts the disassembly into the editor, and knows which of its lines are which block's."""

    changed = Signal()

    def __init__(self, session: Session, editor: Editor):
        super().__init__(editor)
        self._session, self._editor = session, editor
        self.lines: dict[int, tuple[int, ...]] = {}
        """Lines of each basic block, by its label; empty while source is shown."""
        session.program_changed.connect(self._on_program)
        session.disassembled.connect(self._on_disassembled)

    def lines_from(self, file: str, line: int) -> tuple[int, ...]:
        """Lines of the assembly whose blocks were compiled from this line of source."""
        trace = self._session.trace
        blocks = trace.blocks if trace is not None else ()
        found = [each.label for each in blocks if SourceLine(file, line) in each.lines]
        return tuple(sorted(n for label in found for n in self.lines.get(label, ())))

    def _on_program(self) -> None:
        if self._session.program is None:
            self.lines = {}

    def _on_disassembled(self, text: str) -> None:
        self._editor.main.set_text(text, editable=False)
        self.lines = lines_by_label(text)
        self.changed.emit()
