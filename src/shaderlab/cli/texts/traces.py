"""Execution counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from shaderlab.cli.terminal import one_line, table
from shaderlab.cli.texts.numbers import finite
from shaderlab.frontend.program import Program
from shaderlab.spirv import trace_report as report
from shaderlab.spirv.trace import SourceLine, Trace


def data(trace: Trace, assumed: Sequence[str] = ()) -> dict[str, Any]:
    """`lines` are the document's own; those of included files are in `included_lines`.

    `assumed`: what the draw took for granted, in sentences.
    """
    return {
        "device": trace.device,
        "size": list(trace.size),
        "time": trace.time_s,
        "frame": trace.frame,
        "blocks": [
            {
                "function": block.function,
                "function_name": block.function_name,
                "label": block.label,
                "count": block.count,
                "lines": [at.line for at in block.lines if not at.file],
                "included_lines": [place(at) for at in block.lines if at.file],
                "opcodes": dict(block.opcodes),
                "lane_groups": block.lane_groups,
            }
            for block in trace.blocks
        ],
        "lines": [place(at) | {"count": n} for at, n in trace.line_counts.items() if not at.file],
        "included_lines": [
            place(at) | {"count": n} for at, n in trace.line_counts.items() if at.file
        ],
        "slowdown": finite(trace.slowdown),
        "cut": [
            place(each.line) | {"invocations": each.invocations, "rounds": each.rounds}
            for each in trace.cut
        ],
        "lost": trace.lost,
        "left_out": trace.left_out,
        "subgroup": trace.subgroup,
        "notes": [*trace.notes, *assumed],
    }


@dataclass(frozen=True)
class VertexStage:
    """A vertex stage of the draw's own, and its counts where the device has them."""

    program: Program
    counted: Trace | None

    @property
    def data(self) -> dict[str, Any] | None:
        """As `data` has the fragment stage's."""
        return data(self.counted) if self.counted else None

    @property
    def text(self) -> str:
        head = f"vertex stage ({one_line(self.program.name)})"
        if self.counted is None:
            return f"{head}: not counted, the device cannot store from vertex shaders"
        return f"{head}\n{annotated(self.program, self.counted)}"


def place(at: SourceLine) -> dict[str, Any]:
    return {"file": at.file, "line": at.line} if at.file else {"line": at.line}


def located(file: str, line: int) -> str:
    """A line's number, with the file's name if it is not the shader's own."""
    return f"{one_line(file)}:{line}" if file else str(line)


def blocks(trace: Trace) -> str:
    return table(
        ("count", "instructions", "function", "block", "lines"),
        (
            (
                str(b.count),
                str(b.instructions),
                b.function_name,
                f"%{b.label}",
                " ".join(f"{at.file}:{at.line}" if at.file else str(at.line) for at in b.lines),
            )
            for b in sorted(trace.blocks, key=lambda b: -b.count * b.instructions)
        ),
    )


def annotated(program: Program, counted: Trace, assumed: Sequence[str] = ()) -> str:
    listing = report.annotate(counted, program.text) if program.text else blocks(counted)
    notes = "".join(f"\n\nnote: {one_line(note)}" for note in (*counted.notes, *assumed))
    return listing.rstrip("\n") + notes
