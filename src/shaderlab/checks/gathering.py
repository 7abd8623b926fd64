"""From forecasts to what a check keeps of them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from shaderlab import files
from shaderlab.checks.outcome import MOST_LINES, CheckedFile, LineTime, Problem, TargetTime
from shaderlab.errors import CompileFailed, ShaderlabError
from shaderlab.frontend import source_text
from shaderlab.frontend.program import Program
from shaderlab.prediction.forecast import Forecast
from shaderlab.prediction.forecasts.frame_forecast import FrameForecast
from shaderlab.scene.draw import Frame

_LEAST_SHARE = 0.001
_LONGEST_TEXT = 200


def checked(
    file: str, frame: Frame | None, found: Sequence[Forecast | FrameForecast]
) -> CheckedFile:
    """`frame`: None of a capture, whose texts are not here."""
    programs = {} if frame is None else {each.name: each.draw.program for each in frame.passes}
    digest = hashlib.sha256("".join(p.digest for p in programs.values()).encode()).hexdigest()
    texts = _Texts(programs)
    times = tuple(_time(each, texts) for each in found)
    return CheckedFile(file, digest if programs else "", times)


def failed(file: str, error: ShaderlabError) -> CheckedFile:
    """A file that has no times."""
    diagnostics = error.diagnostics if isinstance(error, CompileFailed) else ()
    problems = tuple(
        Problem(each.line, each.column, each.severity.value, each.message, each.file)
        for each in diagnostics
    )
    said = f"{error}. {error.remedy}" if error.remedy else str(error)
    return CheckedFile(file, "", error=said, problems=problems)


def _time(found: Forecast | FrameForecast, texts: _Texts) -> TargetTime:
    return TargetTime(
        found.target,
        found.time_s,
        found.low_s,
        found.high_s,
        found.status.value,
        found.domain.value,
        found.method,
        " ".join(found.comparable),
        tuple(found.warnings),
        tuple(_lines(found, texts)),
    )


def _lines(found: Forecast | FrameForecast, texts: _Texts) -> Iterable[LineTime]:
    if not found.time_s:
        return
    shares = (
        [(each.pass_name, each.file, each.line, each.share) for each in found.lines]
        if isinstance(found, FrameForecast)
        else [("", each.file, each.line, each.share) for each in found.lines]
    )
    # Equal shares in the order of the text, so that a run is like the next one.
    shares.sort(key=lambda each: (-each[3], each[:3]))
    for pass_name, file, line, share in shares[:MOST_LINES]:
        if share < _LEAST_SHARE:
            break
        text = texts.line(pass_name, file, line)
        yield LineTime(line, share * found.time_s, text, file, pass_name)


class _Texts:
    """Lines of the passes' texts and of their includes."""

    def __init__(self, programs: dict[str, Program]):
        self._programs = programs
        self._lines = cache(self._of)

    def line(self, pass_name: str, file: str, number: int) -> str:
        """Empty where the text is not here."""
        lines = self._lines(pass_name, file)
        return lines[number - 1].strip()[:_LONGEST_TEXT] if 0 < number <= len(lines) else ""

    def _of(self, pass_name: str, file: str) -> list[str]:
        named = self._programs.get(pass_name)
        program = named or next(iter(self._programs.values()), None)
        if program is None:
            return []
        if not file:
            return program.text.split("\n")
        ending = "/" + file.removeprefix("./").lstrip("./")
        for each in program.includes:
            if Path(each).as_posix().endswith(ending):
                try:
                    data = files.read_bytes(Path(each), source_text.MAX_BYTES)
                    return source_text.unify_line_ends(source_text.decode(data, file)).split("\n")
                except ShaderlabError:
                    return []
        return []
