"""What a forecast may claim: its status, and the side of the domain it lies on.

The one place where that is decided.  A frame whose loops the device ended has run less than the
program asks for, so its time is a lower bound; counts that were not counted, or that follow from
values nobody gave, make an estimate, and so do texture reads, which have no price, and a vertex
stage of the draw's own, whose price is borrowed; a time that leaves out a counted vertex stage is a
lower bound, and so is one that leaves out atomic operations; a time that no frame can take is none.
Large arrays that are copied as a whole have no price either: where drivers are known to copy them
in memory that makes a lower bound, elsewhere an estimate.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from shaderlab import units
from shaderlab.prediction.forecast import Forecast, Side, Status, TexturePrice, Validation
from shaderlab.prediction.forecasts.subgroup_sizes import SAME, SubgroupSizes
from shaderlab.prediction.forecasts.vertex_work import sentence
from shaderlab.prediction.line_shares import NO_LINES
from shaderlab.prediction.models.model import copies_arrays
from shaderlab.spirv.grammar import INSTRUCTIONS
from shaderlab.spirv.trace import LOST

if TYPE_CHECKING:
    from shaderlab.prediction.features.traced_program import TracedProgram
    from shaderlab.spirv.trace import Trace

_GUESSED = "An estimate: it depends on guessed inputs. Set them for a forecast."
_SIZED = "An estimate: it depends on the subgroup size."

_ATOMICS = tuple(kind.opcode for kind in INSTRUCTIONS.values() if "Atomic" in kind.name)
_MOST_LINES = 3
"""That are named one by one."""
_LARGE_ARRAY, _UNSEEN_ARRAY = 128, 512
"""Scalars.  Of arrays from the one on, software drivers take many times as long as forecast; GPUs
took what was forecast for three shaders with up to 511, and none with more has a published time
(`tests/benchmarks/undefined_and_copied.py`)."""
_NEGLIGIBLE = 0.01
"""Share of a time up to which a vertex stage makes it no estimate, even at its upper end."""
_COPIED = (
    ": for such arrays llvmpipe took up to 34, SwiftShader up to 300 times as long as forecast"
)
_NO_SUCH = (
    f". No shader with a published time copies {_UNSEEN_ARRAY} values or more: the driver may keep "
    "them where they are, or copy them for every pixel."
)
_UNVALIDATED = Validation(
    None, None, None, "Not validated: no shader that models were judged on has such work."
)


@dataclass(frozen=True)
class CopiedArray:
    """An array that is copied as a whole where it is read."""

    values: int
    """Scalars."""
    where: str = ""
    """The line that reads it; empty where unknown."""

    def __str__(self) -> str:
        reader = f" that {self.where} reads" if self.where else ""
        return f"the array of {self.values:,} values{reader} is copied as a whole"


@dataclass(frozen=True)
class Evidence:
    """What all forecasts of one frame rest on."""

    cut: tuple[str, ...] = ()
    """What its traces say of loops that the device ended."""
    estimated: bool = False
    """Whether its blocks were not counted but estimated."""
    unfinished: str = ""
    """Why the frame did not come to its end, as a sentence; empty where it did, or was not run."""
    assumed: tuple[str, ...] = ()
    """A sentence for each default that decides the counts (`scene.defaults.sentences`)."""
    outside: str = ""
    """Why the program lies outside the training data, as a sentence; empty where it does not."""
    copied: CopiedArray | None = None
    """The largest array that is copied as a whole; None where none is large."""
    atomics: tuple[str, ...] = ()
    """Lines that run atomic operations, which fragment shaders' prices leave out."""


def evidence_of(
    traced: TracedProgram,
    *,
    outside: str = "",
    assumed: Sequence[str] = (),
    vertex: Trace | None = None,
) -> Evidence:
    """Of a frame traced in one form or more, and of its vertex stage: one that was cut short
    suffices."""
    traces = [traced.trace, *(each.trace for each in traced.other_forms.values())]
    traces += [vertex] if vertex else []
    notes = [note for trace in traces for note in trace.cut_notes]
    if traced.program is not None and traced.program.is_part:
        notes.append(f"{traced.program.left_out[0].lower()}{traced.program.left_out[1:]}")
    lost = sum(trace.lost for trace in traces)
    return Evidence(
        cut=tuple(dict.fromkeys(notes)),
        unfinished=f"{lost:,} invocations have no counts{LOST}." if lost else "",
        assumed=tuple(assumed),
        outside=outside,
        copied=copied_array(traced),
        atomics=atomics_of(traced),
    )


def for_other_subgroups(forecast: Forecast, factor: float, least_s: float = 0.0) -> Forecast:
    """With a band as wide as counts may differ between sizes of subgroups.

    `factor`: as `SubgroupSizes` has it; `least_s`: what its launch takes at least, whatever it
    counts.
    """
    if factor == 1.0 or forecast.low_s is None:
        return forecast
    high_s = None if forecast.high_s is None else forecast.high_s * factor
    return replace(
        forecast,
        low_s=max(forecast.low_s / factor, min(least_s, forecast.low_s)),
        high_s=high_s,
        validated=_UNVALIDATED,
        domain=Side.OUTSIDE,
    )


def atomics_of(traced: TracedProgram) -> tuple[str, ...]:
    """By line, those with the most first."""
    if traced.program is None or not traced.program.module.indices(*_ATOMICS):
        return ()
    lines = {at: each.atomic for at, each in traced.memory.lines.items() if each.atomic}
    rest = traced.memory.total.atomic - sum(lines.values())
    found = [
        f"{f'{at.file}:{at.line}' if at.file else f'line {at.line}'} runs {units.count(times)}"
        for at, times in sorted(lines.items(), key=lambda each: (-each[1], each[0]))
    ]
    found += [f"code without a line runs {units.count(rest)}"] if rest else []
    more = len(found) - _MOST_LINES
    said = [f"{each} atomic operations, which have no price" for each in found[:_MOST_LINES]]
    return (*said, f"{more} more lines run atomic operations") if more > 0 else tuple(said)


def copied_array(traced: TracedProgram) -> CopiedArray | None:
    found = traced.largest_array_copy(_LARGE_ARRAY) if traced.program is not None else None
    if found is None:
        return None
    copy, line = found
    if line is None:
        return CopiedArray(copy.values)
    return CopiedArray(
        copy.values, f"{line.file}:{line.line}" if line.file else f"line {line.line}"
    )


def claim(
    forecast: Forecast, evidence: Evidence, device: str = "", subgroups: SubgroupSizes = SAME
) -> Forecast:
    """The forecast as far as the evidence carries it; `device`: name of the target's, whose
    `subgroups` may be others than were counted."""
    guessed = _GUESSED if evidence.assumed else _SIZED
    evidence = replace(evidence, assumed=(*evidence.assumed, *subgroups.sentences))
    forecast = for_other_subgroups(_on_its_side(forecast, evidence, device), subgroups.factor)
    if evidence.unfinished:
        return without_time(forecast, evidence.unfinished)
    low_s, time_s, _ = forecast.interval_s
    if not (math.isfinite(time_s) and time_s > 0):
        return without_time(forecast, f"The model gave {time_s:g} s, which is not a possible time.")
    vertex, cut = forecast.vertex, (*evidence.cut, *evidence.atomics)
    if vertex and vertex.invocations and vertex.time_s is None:
        cut = (*cut, "the vertex stage is not included")
    if evidence.copied and copies_arrays(device):
        cut = (*cut, f"{evidence.copied}, which has no price{_COPIED}")
    if cut:
        return _lower_bound(forecast, low_s, cut)
    if evidence.assumed:
        warnings = guessed, *forecast.warnings
        return replace(forecast, status=Status.ESTIMATE, warnings=warnings)
    is_estimate = (
        evidence.estimated
        or _copies_unseen(evidence)
        or _reads_unmeasured(forecast)
        or _has_vertices(forecast)
    )
    return replace(forecast, status=Status.ESTIMATE if is_estimate else Status.OK)


def _on_its_side(forecast: Forecast, evidence: Evidence, device: str) -> Forecast:
    # `texture_term` warns of textures.
    more = [sentence(forecast.vertex)] if forecast.vertex and _has_vertices(forecast) else []
    more += [evidence.outside] if evidence.outside else []
    copies_unseen = _copies_unseen(evidence)
    if copies_unseen and not copies_arrays(device):
        text = str(evidence.copied)
        more += [f"{text[0].upper()}{text[1:]}{_NO_SUCH}"]
    is_outside = bool(more) or _reads_unmeasured(forecast)
    # What lies outside by its kind of work alone has an error that nobody measured.
    known = evidence.outside or not is_outside or evidence.estimated
    known = known and not copies_unseen
    return replace(
        forecast,
        validated=forecast.validated if known else _UNVALIDATED,
        domain=Side.OUTSIDE if is_outside else Side.INSIDE,
        warnings=(*evidence.assumed, *forecast.warnings, *more),
    )


def _copies_unseen(evidence: Evidence) -> bool:
    """Whether it copies an array larger than any of a shader with a published time."""
    return evidence.copied is not None and evidence.copied.values >= _UNSEEN_ARRAY


def _has_vertices(forecast: Forecast) -> bool:
    """Whether it has a vertex stage of its own that is not certain to be negligible."""
    vertex = forecast.vertex
    if vertex is None or vertex.time_s is None or vertex.high_s is None:
        return vertex is not None
    return vertex.high_s > _NEGLIGIBLE * forecast.interval_s[1]


def _reads_unmeasured(forecast: Forecast) -> bool:
    """Whether the time of its texture reads rests on no measurement."""
    return forecast.textures is not None and forecast.textures.price is not TexturePrice.FITTED


def _lower_bound(forecast: Forecast, low_s: float, why: Sequence[str]) -> Forecast:
    return replace(
        forecast,
        time_s=None,
        low_s=low_s,
        high_s=None,
        status=Status.LOWER_BOUND,
        basis=f"A lower bound, the low end of this: {forecast.basis}",
        warnings=(*(f"A lower bound: {each}." for each in why), *forecast.warnings),
    )


def without_time(forecast: Forecast, why: str) -> Forecast:
    """A forecast that claims nothing; `why`: a sentence."""
    return replace(
        forecast,
        time_s=None,
        low_s=None,
        high_s=None,
        lines=NO_LINES,
        cost=None,
        status=Status.NONE,
        warnings=(why, *forecast.warnings),
    )
