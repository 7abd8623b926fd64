"""The SPIR-V instruction table, read from `resources/spirv/grammar.json`.

`models.recipes.grammar_table` makes that file from the Khronos grammar.  Names are
the grammar's own (`OpFMul`), as published feature tables use them.
"""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import NamedTuple

from shaderlab.locations import resources

MAGIC = 0x07230203
HEADER_WORDS = 5
MAX_ID_BOUND = 0x3FFFFF
"""Universal limit on the id bound (SPIR-V specification §2.17)."""


class InstructionKind(NamedTuple):
    """One row of the grammar."""

    opcode: int
    name: str
    operands: tuple[str, ...]
    """Operand kinds in order, result type and result id included; `?` and `*` as in the grammar."""

    @property
    def has_type(self) -> bool:
        return "IdResultType" in self.operands

    @property
    def has_result(self) -> bool:
        return "IdResult" in self.operands


_TABLE = json.loads((resources() / "spirv" / "grammar.json").read_text())

VERSION: tuple[int, int] = tuple(_TABLE["version"][:2])
"""Newest SPIR-V version the table describes."""

INSTRUCTIONS: dict[int, InstructionKind] = {
    int(opcode): InstructionKind(int(opcode), row[0], tuple(row[1:]))
    for opcode, row in _TABLE["instructions"].items()
}

Op = SimpleNamespace(**{kind.name[2:]: kind.opcode for kind in INSTRUCTIONS.values()})
"""Opcodes by name without the `Op`: `Op.Label`."""


def opcodes(names: str) -> frozenset[int]:
    """The opcodes of names without `Op`, apart by spaces."""
    return frozenset(getattr(Op, each) for each in names.split())


ENUMS: dict[str, dict[str, int]] = {
    kind: {name: row[0] for name, row in entries.items()}
    for kind, entries in _TABLE["enums"].items()
}
ENUM_PARAMETERS: dict[str, dict[int, tuple[str, ...]]] = {
    kind: {row[0]: tuple(row[1:]) for row in entries.values() if len(row) > 1}
    for kind, entries in _TABLE["enums"].items()
}
"""Operand kinds that follow an enumerant (`Decoration.DescriptorSet` is followed by a literal)."""

GLSL_STD_450: dict[int, str] = {int(code): name for code, name in _TABLE["glsl.std.450"].items()}
"""Instructions of the extended set GLSL.std.450 by number."""

BuiltIn = SimpleNamespace(**ENUMS["BuiltIn"])
Decoration = SimpleNamespace(**ENUMS["Decoration"])
ExecutionModel = SimpleNamespace(**ENUMS["ExecutionModel"])
StorageClass = SimpleNamespace(**ENUMS["StorageClass"])

RESULT_WORD_OF: dict[int, int] = {
    code: 1 + kind.has_type for code, kind in INSTRUCTIONS.items() if kind.has_result
}
"""By opcode: word of the instruction that holds the result id (1 or 2), where it has one."""

OPCODES = range(max(INSTRUCTIONS) + 1)

RESULT_WORD = tuple(RESULT_WORD_OF.get(code, 0) for code in OPCODES)
"""The same for all `OPCODES`; 0 without a result."""

MIN_WORDS = tuple(
    1 + sum(not operand.endswith(("?", "*")) for operand in INSTRUCTIONS[code].operands)
    if code in INSTRUCTIONS
    else 1
    for code in OPCODES
)
"""By opcode: the fewest words an instruction can have, operands with `?` or `*` left out."""

TERMINATORS = opcodes(
    "Branch BranchConditional Switch Kill Return ReturnValue Unreachable TerminateInvocation "
    "IgnoreIntersectionKHR TerminateRayKHR EmitMeshTasksEXT"
)
"""Instructions that end a basic block."""


def name(opcode: int) -> str:
    """`OpFMul` for 133; `Op<number>` for an opcode newer than the table."""
    kind = INSTRUCTIONS.get(opcode)
    return kind.name if kind else f"Op{opcode}"
