"""`Analysis`: what became known of one text, stage by stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from shaderlab.frontend.program import Diagnostic, Program
from shaderlab.frontend.stage import Stage
from shaderlab.prediction.forecast import Forecast
from shaderlab.prediction.forecasts.time_changes import Times
from shaderlab.scene.draw import Draw
from shaderlab.spirv.trace import Trace


@dataclass(frozen=True)
class Text:
    """A document as its editor has it."""

    name: str
    """For messages: the file's name."""
    path: Path | None
    """None of a document that no file has."""
    text: str


@dataclass(frozen=True)
class Analysis:
    """Of one text.  Later stages add to it; none is repeated."""

    of: Text
    program: Program | None = None
    """None where it did not compile."""
    diagnostics: tuple[Diagnostic, ...] = ()
    draw: Draw | None = None
    """The program with what it is given."""
    trace: Trace | None = None
    forecasts: tuple[Forecast, ...] = ()
    problem: str = ""
    """Why there are no counts, or no times; a sentence."""
    times: Times = field(default_factory=dict)
    """Seconds by what can be compared with them, of every stage."""
    finished: bool = False
    """Whether nothing more comes."""

    def with_forecasts(self, forecasts: Sequence[Forecast]) -> Analysis:
        came = {f.comparable: f.time_s for f in forecasts if f.time_s is not None}
        return replace(self, forecasts=tuple(forecasts), times={**self.times, **came})

    def forecast(self, target: str) -> Forecast | None:
        """Of a target, else of the first; None where nothing is predicted."""
        named = (each for each in self.forecasts if each.target == target)
        return next(named, self.forecasts[0] if self.forecasts else None)

    def line_shares(self, target: str) -> Mapping[int, float]:
        """Parts (0..1) of a target's time that the text's own lines take."""
        found = self.forecast(target)
        return {each.line: each.share for each in found.lines if not each.file} if found else {}

    def line_counts(self) -> Mapping[int, int]:
        """How often the text's own lines ran."""
        counts = self.trace.line_counts if self.trace else {}
        return {place.line: n for place, n in counts.items() if not place.file}

    @property
    def runs(self) -> int:
        """Invocations of the stage; at least 1."""
        entry = self.program.entry_point if self.program else ""
        return max(self.trace.runs_of(entry), 1) if self.trace else 1

    @property
    def per(self) -> str:
        """What the stage runs once for."""
        is_compute = self.program is not None and self.program.stage is Stage.COMPUTE
        return "invocation" if is_compute else "pixel"
