"""A trace as text: LCOV for coverage viewers, and the source with its counts beside it."""

from __future__ import annotations

import re

from shaderlab.spirv.trace import SourceLine, Trace

_LINE_END = re.compile(r"\r\n|\n|\r")
"""What ends a line for GLSL compilers; Python's `splitlines` knows more."""
_BREAKS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""What may end a line for a reader of LCOV, whose names are not quoted."""


def lcov(trace: Trace, source_name: str) -> str:
    """LCOV tracefile (geninfo(1)) of the trace, one record for each source file.

    `source_name`: what to call the document; includes keep the name of their `#include`.  Lines
    that are part of no block have no entry; functions are listed under the first line they execute.
    """
    files = {"": source_name, **{line.file: line.file for line in trace.line_counts if line.file}}
    functions = _functions(trace)
    records = []
    for file, name in files.items():
        inside = [
            (at.line, function, count) for at, function, count in functions if at.file == file
        ]
        lines = [(at.line, count) for at, count in trace.line_counts.items() if at.file == file]
        records += [
            "TN:",
            f"SF:{_one_line(name)}",
            *(f"FN:{line},{_one_line(function)}" for line, function, _ in inside),
            *(f"FNDA:{count},{_one_line(function)}" for _, function, count in inside),
            f"FNF:{len(inside)}",
            f"FNH:{sum(count > 0 for _, _, count in inside)}",
            *(f"DA:{line},{count}" for line, count in lines),
            f"LF:{len(lines)}",
            f"LH:{sum(count > 0 for _, count in lines)}",
            "end_of_record",
        ]
    return "\n".join(records) + "\n"


def _one_line(name: str) -> str:
    return _BREAKS.sub("\N{REPLACEMENT CHARACTER}", name)


def annotate(trace: Trace, text: str) -> str:
    """The document's text, each line with its executions and its share of executed instructions.

    A line no block touches (declarations, comments, code the compiler dropped) has neither.  Lines
    of includes are summed up below the text.
    """
    counts = trace.line_counts
    instructions = trace.line_instructions
    total = trace.instructions_executed or 1
    lines = _LINE_END.split(text.rstrip("\r\n"))
    width = max((len(f"{count:,}") for at, count in counts.items() if not at.file), default=0)
    width = max(width, len("runs"))
    digits = len(str(max(len(lines), 1)))

    def margin(at: SourceLine) -> str:
        if at not in counts:
            return f"{'':>{width}}  {'':>6}"
        return f"{counts[at]:>{width},}  {instructions.get(at, 0) / total:>6.1%}"

    size = f"{trace.size[0]}x{trace.size[1]}"
    result = [
        f"{size}, iTime {trace.time_s:g}, iFrame {trace.frame}, on {trace.device}: "
        f"{trace.instructions_executed:,} instructions executed",
        "",
        f"{'runs':>{width}}  {'instr.':>6}  {'line':>{digits}}",
    ]
    for number, line in enumerate(lines, 1):
        result.append(f"{margin(SourceLine('', number))}  {number:>{digits}}  {line}".rstrip())
    included = sorted({at.file for at in counts if at.file})
    if included:
        result.append("")
    for file in included:
        share = sum(n for at, n in instructions.items() if at.file == file) / total
        result.append(f"{share:>{width + 8}.1%}  of the instructions come from {file}")
    return "\n".join(result) + "\n"


def _functions(trace: Trace) -> list[tuple[SourceLine, str, int]]:
    """Functions with source lines: first line of the entry block, a unique name, calls.

    Overloads share a name, which a tracefile must not: later ones get their line appended.
    """
    found: list[tuple[SourceLine, str, int]] = []
    seen: set[int] = set()
    names: set[str] = set()
    for block in trace.blocks:
        if block.function in seen:
            continue
        seen.add(block.function)
        if not block.lines:
            continue
        at = block.lines[0]
        name = block.function_name
        if name in names:
            name = f"{name}:{at.line}"
        if name in names:
            name = f"{name}:{block.function}"
        names.add(name)
        found.append((at, name, block.count))
    return found
