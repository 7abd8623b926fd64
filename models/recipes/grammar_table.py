"""Distil the Khronos SPIR-V grammar (package `spirv-headers`) into `resources/spirv/grammar.json`.

Run by hand when a new SPIR-V version is wanted:

    python -m models.recipes.grammar_table [FOLDER OF spirv.core.grammar.json]

The table keeps what shaderlab asks of the grammar and nothing else: each opcode's name and operand
kinds, the enumerants, and the names of the GLSL.std.450 instructions.  Where several names share an
opcode (`OpSDot` and `OpSDotKHR`), the one promoted to the core is kept: it has no vendor suffix.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from shaderlab import locations

DEFAULT_SOURCE = Path("/usr/include/spirv/unified1")
TARGET = locations.resources() / "spirv" / "grammar.json"
VENDOR = re.compile(r"(KHR|EXT|NV|AMD|INTEL|GOOGLE|QCOM)$")


def distil(source: Path) -> dict:
    """The compact table of the grammar files in `source`."""
    core = json.loads((source / "spirv.core.grammar.json").read_text())
    glsl = json.loads((source / "extinst.glsl.std.450.grammar.json").read_text())

    instructions: dict[int, list] = {}
    for entry in core["instructions"]:
        known = instructions.get(entry["opcode"])
        if known is not None and not VENDOR.search(known[0]):
            continue
        kinds = [kind["kind"] + kind.get("quantifier", "") for kind in entry.get("operands", [])]
        instructions[entry["opcode"]] = [entry["opname"], *kinds]

    enums: dict[str, dict[str, list]] = {}
    for kind in core["operand_kinds"]:
        if kind["category"] not in ("BitEnum", "ValueEnum"):
            continue
        enums[kind["kind"]] = {
            entry["enumerant"]: [
                int(str(entry["value"]), 0),
                *(parameter["kind"] for parameter in entry.get("parameters", [])),
            ]
            for entry in kind["enumerants"]
        }

    return {
        "version": [core["major_version"], core["minor_version"], core["revision"]],
        "instructions": {str(opcode): instructions[opcode] for opcode in sorted(instructions)},
        "enums": enums,
        "glsl.std.450": {str(entry["opcode"]): entry["opname"] for entry in glsl["instructions"]},
    }


def write(table: dict, target: Path) -> None:
    """One line per entry, so that a new version of the headers shows as a small change."""
    parts = []
    for name, section in table.items():
        if isinstance(section, dict):
            rows = ",\n".join(
                f"{json.dumps(key)}:{json.dumps(value, separators=(',', ':'))}"
                for key, value in section.items()
            )
            parts.append(f"{json.dumps(name)}:{{\n{rows}\n}}")
        else:
            parts.append(f"{json.dumps(name)}:{json.dumps(section)}")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("{" + ",\n".join(parts) + "}\n")


if __name__ == "__main__":
    write(distil(Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT_SOURCE), TARGET)
