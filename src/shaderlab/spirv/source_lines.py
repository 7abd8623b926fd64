"""Which line of the user's text an instruction or block came from.

Compilers say so by OpLine (SPIR-V specification §3.42.2), as the front end's does, or by the
DebugLine of the extended set NonSemantic.Shader.DebugInfo.100.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from shaderlab.spirv import grammar
from shaderlab.spirv.grammar import Op
from shaderlab.spirv.module import Block, Module
from shaderlab.spirv.trace import SourceLine

DOCUMENT = "document"
"""File string under which the front end compiles the user's own text."""
PRELUDE = "prelude"
"""File string of the lines put before it, which are never shown."""

_DEBUG_SET = "NonSemantic.Shader.DebugInfo.100"
_DEBUG_SOURCE, _DEBUG_LINE, _DEBUG_NO_LINE = 35, 103, 104

_ENDS_SCOPE = [*(frozenset((Op.NoLine, Op.FunctionEnd)) | grammar.TERMINATORS)]


@dataclass(frozen=True)
class InstructionLines:
    """Source position of every instruction of a module."""

    files: tuple[str | None, ...]
    """Distinct file names; empty for the document itself, None for the prelude."""
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

    An OpLine (or DebugLine of NonSemantic.Shader.DebugInfo.100) holds until the next one, the
    instruction that ends it, or the end of its block.
    """
    opcodes = module.opcodes
    count = len(opcodes)
    is_line = opcodes == Op.Line
    at = module.starts[:-1]
    file_ids = np.where(is_line, module.words[np.where(is_line, at + 1, 0)], 0).astype(np.int64)
    line = np.where(is_line, module.words[np.where(is_line, at + 2, 0)], 0).astype(np.int64)
    closes = np.zeros(count + 1, bool)
    closes[1:] = np.isin(opcodes, _ENDS_SCOPE)
    debug = _debug_instructions(module)
    for index, file_id, number in _debug_lines(module, debug):
        is_line[index], file_ids[index], line[index] = True, file_id, number
    closes[1:][debug[_DEBUG_NO_LINE]] = True

    here = np.arange(count)
    last_line = np.maximum.accumulate(np.where(is_line, here, -1)) if count else here
    last_close = np.maximum.accumulate(np.where(closes[:count], here, -1)) if count else here
    known = (last_line >= 0) & (last_line >= last_close)
    last_line = np.where(known, last_line, 0)
    names = _file_names(module, set(file_ids[is_line].tolist()))
    ids, file = np.unique(np.where(known, file_ids[last_line], 0), return_inverse=True)
    called = [names.get(id) for id in ids.tolist()]
    files = tuple(dict.fromkeys(called))
    number = np.array([-1 if name is None else files.index(name) for name in called], np.int64)
    return InstructionLines(files, number[file], np.where(known, line[last_line], 0))


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
    if len(lines.files) > 1:
        found = [dict(sorted(entry.items())) for entry in found]
    return found


def _debug_instructions(module: Module) -> dict[int, list[int]]:
    """Indices of the DebugSource, DebugLine and DebugNoLine instructions, by their number."""
    found: dict[int, list[int]] = {_DEBUG_SOURCE: [], _DEBUG_LINE: [], _DEBUG_NO_LINE: []}
    for index in module.indices(Op.ExtInstImport):
        if module.string(index, 2) == _DEBUG_SET:
            calls = np.array(module.indices(Op.ExtInst), np.int64)
            ours = calls[
                module.words[module.starts[calls] + 3] == module.words[module.starts[index] + 1]
            ]
            numbers = module.words[module.starts[ours] + 4]
            for number, indices in found.items():
                indices += ours[numbers == number].tolist()
    return found


def _debug_lines(module: Module, debug: dict[int, list[int]]) -> Iterator[tuple[int, int, int]]:
    """Index, id of the file's OpString and line of each DebugLine; those that lie are left out."""
    files = {}
    for index in debug[_DEBUG_SOURCE]:
        words = module.instruction_words(index)
        if len(words) > 5:
            files[words[2]] = words[5]
    for index in debug[_DEBUG_LINE]:
        words = module.instruction_words(index)
        if len(words) > 6 and words[5] in files and 0 < words[6] < module.bound:
            line = int(module.definitions[words[6]])
            if line >= 0 and int(module.opcodes[line]) == Op.Constant:
                yield index, files[words[5]], module.instruction_words(line)[3]


def _file_names(module: Module, used: set[int]) -> dict[int, str | None]:
    """What to call each OpString that names a source file; None for the prelude.

    `used`: the strings that lines name; those of OpSource count as well.  A module whose strings
    do not name the document was made elsewhere: its first file is it.
    """
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
