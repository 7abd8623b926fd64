"""Which line of the user's text an instruction or block came from (OpLine, §3.42.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shaderlab.spirv import grammar
from shaderlab.spirv.grammar import Op
from shaderlab.spirv.module import Block, Module
from shaderlab.spirv.trace import SourceLine

DOCUMENT = "document"
"""File string under which the front end compiles the user's own text."""
PRELUDE = "prelude"
"""File string of the lines put before it, which are nobody's business."""

_ENDS_SCOPE = np.zeros(len(grammar.RESULT_WORD), bool)
_ENDS_SCOPE[[Op.NoLine, Op.FunctionEnd, *grammar.TERMINATORS]] = True


@dataclass(frozen=True)
class InstructionLines:
    """Source position of every instruction of a module."""

    files: tuple[str | None, ...]
    """File names; empty for the document itself, None for the prelude."""
    file: np.ndarray
    """(instructions,) int64 index into `files`, -1 where unknown."""
    line: np.ndarray
    """(instructions,) int64, counting from 1; 0 where unknown."""

    def at(self, index: int) -> SourceLine | None:
        """Line of one instruction; None if unknown or in the prelude."""
        file = int(self.file[index])
        name = self.files[file] if file >= 0 else None
        return None if name is None else SourceLine(name, int(self.line[index]))


def instruction_lines(module: Module) -> InstructionLines:
    """Source position of every instruction.

    An OpLine holds until the next OpLine, OpNoLine, or the end of its block.
    """
    opcodes, starts = module.opcodes, module.starts
    count = len(opcodes)
    is_line = opcodes == Op.Line
    closes = np.zeros(count + 1, bool)
    closes[1:] = _ENDS_SCOPE[np.where(opcodes < len(_ENDS_SCOPE), opcodes, 0)]
    here = np.arange(count)
    last_line = np.maximum.accumulate(np.where(is_line, here, -1)) if count else here
    last_close = np.maximum.accumulate(np.where(closes[:count], here, -1)) if count else here
    known = (last_line >= 0) & (last_line >= last_close)

    at = starts[np.where(known, last_line, 0)]
    file_ids = np.where(known, module.words[np.where(known, at + 1, 0)], 0)
    line = np.where(known, module.words[np.where(known, at + 2, 0)], 0).astype(np.int64)
    ids, file = np.unique(file_ids, return_inverse=True)
    names = _file_names(module)
    files = tuple(names.get(int(id)) for id in ids)
    named = np.array([name is not None for name in files], bool)
    return InstructionLines(files, np.where(named[file], file, -1), line)


def block_lines(module: Module, blocks: Sequence[Block]) -> list[tuple[SourceLine, ...]]:
    """By block: the distinct source lines its instructions carry, ascending."""
    return [tuple(lines) for lines in block_line_instructions(module, blocks)]


def block_line_instructions(module: Module, blocks: Sequence[Block]) -> list[dict[SourceLine, int]]:
    """By block: its distinct source lines, ascending, and how many of its instructions each has.

    Instructions of the prelude or of unknown origin are left out, and so are labels and debug
    information.
    """
    lines = instruction_lines(module)
    owner = np.full(len(module), -1, np.int64)
    for number, block in enumerate(blocks):
        owner[block.first : block.last + 1] = number
    kept = np.flatnonzero((owner >= 0) & (lines.file >= 0) & (lines.line > 0) & module.executable)
    rows = np.stack([owner[kept], lines.file[kept], lines.line[kept]], axis=1)
    rows = rows[np.lexsort(rows.T[::-1])]
    changes = np.r_[True, (rows[1:] != rows[:-1]).any(axis=1)] if len(rows) else np.zeros(0, bool)
    sizes = np.diff(np.r_[np.flatnonzero(changes), len(rows)])
    found: list[dict[SourceLine, int]] = [{} for _ in blocks]
    for (number, file, line), size in zip(rows[changes].tolist(), sizes.tolist(), strict=True):
        found[number][SourceLine(lines.files[file], line)] = size
    if len(set(lines.files)) > 1:
        found = [dict(sorted(entry.items())) for entry in found]
    return found


def _file_names(module: Module) -> dict[int, str | None]:
    """What to call each OpString that names a source file; None for the prelude.

    A module whose strings do not name the document was made elsewhere: its first file is it.
    """
    used = {int(module.words[module.starts[index] + 1]) for index in module.indices(Op.Line)}
    for index in module.indices(Op.Source):
        words = module.instruction_words(index)
        if len(words) > 3:
            used.add(words[3])
    names: dict[int, str | None] = {}
    for index in module.indices(Op.String):
        id = int(module.words[module.starts[index] + 1])
        if id in used:
            names[id] = module.string(index, 2)
    document = DOCUMENT if DOCUMENT in names.values() else next(iter(names.values()), None)
    for id, name in names.items():
        names[id] = "" if name == document else None if name == PRELUDE else name
    return names
