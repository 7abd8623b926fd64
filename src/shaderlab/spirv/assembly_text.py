"""SPIR-V assembly as text, cut into its functions."""

from __future__ import annotations

import re

_LABEL = re.compile(r"\s*%(\d+) = OpLabel\b")


def function_texts(disassembly: str) -> dict[int, str]:
    """Assembly of each function, by the id of its first label; what is outside of functions is left
    out.

    Not by the function's own id: assembly may call functions by names, but labels have none.
    """
    found: dict[int, str] = {}
    label, lines, inside = 0, list[str](), False
    for line in disassembly.splitlines():
        if " = OpFunction " in line:
            label, lines, inside = 0, [], True
        if not inside:
            continue
        lines.append(line.strip())
        if not label and (start := _LABEL.match(line)):
            label = int(start[1])
        if "OpFunctionEnd" in line:
            inside = False
            if label:  # else it is declared only
                found[label] = "\n".join(lines)
    return found
