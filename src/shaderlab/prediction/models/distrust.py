"""Reasons to distrust a forecast that hold for every method of a target."""

from __future__ import annotations

from collections.abc import Sequence

from shaderlab import units
from shaderlab.frontend.program import Program
from shaderlab.prediction.bundles.card import Card
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.models.model import drops_undefined
from shaderlab.spirv.trace import SourceLine

_SHOWN = 4


def left_out(program: Program) -> tuple[str, ...]:
    """What of a text is not in the program; nothing where that makes a time a lower bound."""
    text = "" if program.is_part else program.left_out
    return (f"{text}.",) if text else ()


def of_trace(card: Card, traced: TracedProgram) -> list[str]:
    """What the trace itself warns of, and how its frame differs from the run the times are of."""
    trace, run = traced.trace, card.run
    # Counts alone, as published for one shader, have no program.
    warnings = list(left_out(traced.program)) if traced.program is not None else []
    if tuple(trace.size) != run.size:
        warnings.append(
            f"Traced at {trace.size[0]}x{trace.size[1]}: the time is for that size, but "
            f"the model and its floor were fitted at {run.size[0]}x{run.size[1]}."
        )
    if trace.time_s != run.time_s:
        warnings.append(
            f"Traced at iTime {trace.time_s:g}: the model was fitted at iTime {run.time_s:g}."
        )
    limit = card.largest_block_count
    if limit is not None and traced.largest_block_count > limit:
        warnings.append(
            f"A block runs {units.count(traced.largest_block_count)} times, "
            f"more than any in the training data ({units.count(limit)})."
        )
    return warnings


def undefined_values(card: Card, traced: TracedProgram) -> list[str]:
    """Uninitialised values, and undefined results where the target's driver drops work for them."""
    return uninitialised_reads(traced) + undefined_results(card, traced)


def uninitialised_reads(traced: TracedProgram) -> list[str]:
    """Reads of uninitialised values, by line."""
    if not traced.uninitialised_reads:
        return []
    lines = traced.uninitialised_lines
    if not lines:
        return ["The output colour is left uninitialised: what runs then differs between GPUs."]
    several = len(lines) > 1
    return [
        f"{_lines(lines)} read{'' if several else 's'} an uninitialised value: "
        "what runs then differs between GPUs."
    ]


def undefined_results(card: Card, traced: TracedProgram) -> list[str]:
    """Divisions by a constant zero, where the target's driver leaves out what needs the result."""
    if not drops_undefined(card.target.device) or not traced.undefined_results:
        return []
    lines = sorted(line for line in traced.undefined_results if line is not None)
    who = _lines(lines) if lines else "The shader"
    return [
        f"{who} divide{'' if len(lines) > 1 else 's'} by zero (smoothstep with equal edges does "
        "too). The result is undefined: llvmpipe skips the work combined with it, except loops; "
        "other drivers run it."
    ]


def _lines(lines: Sequence[SourceLine]) -> str:
    shown = ", ".join(f"{x.file}:{x.line}" if x.file else str(x.line) for x in lines[:_SHOWN])
    more = ", …" if len(lines) > _SHOWN else ""
    return f"Line{'s' if len(lines) > 1 else ''} {shown}{more}"
