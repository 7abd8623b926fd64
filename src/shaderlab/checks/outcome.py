"""What a check found: plain data, which is also its JSON and the baseline of a later run.

Times are seconds.  Nothing here depends on when or how fast the check ran, so that the same content
gives the same bytes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from shaderlab import files, units
from shaderlab.errors import WrongUse
from shaderlab.prediction.forecasts.time_changes import NOT_VALIDATED

FORMAT = 1
WITHIN, OVER, SLOWER, UNKNOWN, FREE = (
    "within budget", "over budget", "slower than the base", "unknown", "no budget",
)  # fmt: skip
_MOST_BYTES = 256 << 20
MOST_LINES = 400
"""Of one time."""
_Seconds = Annotated[float, Meta(ge=0.0, le=1e9)]


class LineTime(Struct, frozen=True):
    """What one source line takes of a predicted time."""

    line: int
    time_s: _Seconds
    text: str
    """Of the line, without the space around it; at most 200 characters."""
    file: str = ""
    """Empty for the document itself, else the include's name."""
    pass_name: str = ""
    """Empty where the shader is alone."""


class TargetTime(Struct, frozen=True):
    """A forecast, as far as checks go."""

    target: str
    time_s: _Seconds | None
    low_s: _Seconds | None
    high_s: _Seconds | None
    status: str
    domain: str
    method: str
    comparable: str
    """Equal for forecasts whose difference is the shaders', not the methods'."""
    warnings: tuple[str, ...] = ()
    lines: Annotated[tuple[LineTime, ...], Meta(max_length=MOST_LINES)] = ()
    """By descending time; those below a thousandth of the whole are left out."""


class Problem(Struct, frozen=True):
    """A message about the text of a shader; line and column 0 where it has no place."""

    line: int
    column: int
    severity: str
    message: str
    file: str = ""


class CheckedFile(Struct, frozen=True):
    """One shader or project."""

    file: str
    """Path from where the command ran, with `/`."""
    digest: str
    """SHA-256 over the modules of all passes; empty where it does not compile."""
    times: tuple[TargetTime, ...] = ()
    error: str = ""
    """Why it has no times."""
    problems: tuple[Problem, ...] = ()


class Cause(Struct, frozen=True):
    """A line that takes another time than in the base."""

    line: int
    """In the new text; of a line that is gone, in the old one."""
    text: str
    now_s: float
    """0 of a line that is gone."""
    then_s: float
    """0 of a line that is new."""
    file: str = ""
    pass_name: str = ""

    @property
    def by_s(self) -> float:
        return self.now_s - self.then_s


class Change(Struct, frozen=True):
    """Since the base."""

    then_s: float | None
    """None where the base has no time, or none that can be compared: `note` says why."""
    ratio: float | None = None
    """Now over then."""
    low_ratio: float | None = None
    """80 % of such changes lie between this and `high_ratio`; None where that is not known."""
    high_ratio: float | None = None
    limit: float | None = None
    """Largest increase allowed, a fraction."""
    within: bool | None = None
    """None where there is no limit, or it cannot be known."""
    causes: tuple[Cause, ...] = ()
    """Lines, the largest difference first."""
    note: str = ""

    @property
    def known(self) -> str:
        """Of a change that is one: where 80 % of such changes lie, or that nobody knows."""
        if self.ratio is None or self.ratio == 1.0:
            return ""
        if self.low_ratio is None or self.high_ratio is None:
            return NOT_VALIDATED
        ends = (units.change(each, 1.0) or "0 %" for each in (self.low_ratio, self.high_ratio))
        return " to ".join(ends)


class Check(Struct, frozen=True):
    """One file on one target."""

    file: str
    target: str
    budget_s: float | None
    time_s: float | None
    low_s: float | None
    high_s: float | None
    status: str
    domain: str
    method: str
    within: bool | None
    """None without a budget, or where it cannot be known."""
    verdict: str
    ok: bool
    warnings: tuple[str, ...] = ()
    change: Change | None = None
    """None without a base."""


class Outcome(Struct, frozen=True):
    """All of a run."""

    ok: bool
    checks: tuple[Check, ...]
    files: tuple[CheckedFile, ...]
    base: str = ""
    """What was compared with: a revision or a baseline; empty without."""
    format: int = FORMAT

    @property
    def failed_files(self) -> list[CheckedFile]:
        return [each for each in self.files if each.error]


_DECODER = msgspec.json.Decoder(Outcome)


def read_baseline(path: Path) -> Outcome:
    """The JSON of an earlier check.  Raises WrongUse."""
    try:
        found = _DECODER.decode(files.read_bytes(path, _MOST_BYTES))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        said = " ".join(str(error).split())[:200]
        raise WrongUse(
            f"{path.name} is not a baseline (the --json output of an earlier check): {said}"
        ) from None
    if found.format != FORMAT:
        raise WrongUse(f"{path.name} has format {found.format}, not {FORMAT}: create it again")
    return found
