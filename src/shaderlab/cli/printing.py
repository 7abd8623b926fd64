"""Answers as the contract's JSON data and as text for a terminal."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from shaderlab import units
from shaderlab.frontend.program import Diagnostic
from shaderlab.gpu.device_info import DeviceKind
from shaderlab.gpu.measurement import Measurement
from shaderlab.prediction.forecast import Forecast, Validation
from shaderlab.spirv.trace import SourceLine, Trace
from shaderlab.stats import TimeLine

if TYPE_CHECKING:
    from shaderlab.prediction.catalogue.targets import TargetInfo

HOT_LINES = 10


def finite(value: float) -> float | None:
    """JSON has no nan: what was not measured is null."""
    return value if math.isfinite(value) else None


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Columns padded to their widest cell; numbers, which start with a digit, to the right."""
    cells = [[str(c) for c in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(header, *cells, strict=True)]
    right = [bool(cells) and all(r[i][:1].isdigit() for r in cells) for i in range(len(header))]

    def line(row: Sequence[str]) -> str:
        padded = (
            c.rjust(w) if r else c.ljust(w) for c, w, r in zip(row, widths, right, strict=True)
        )
        return "  ".join(padded).rstrip()

    return "\n".join([line(header), *map(line, cells)])


def diagnostic_data(diagnostic: Diagnostic) -> dict[str, Any]:
    data = {
        "line": diagnostic.line,
        "column": diagnostic.column,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
    }
    return data | ({"file": diagnostic.file} if diagnostic.file else {})


def diagnostic_text(diagnostic: Diagnostic) -> str:
    place = [p for p in (diagnostic.file, diagnostic.line, diagnostic.column) if p]
    prefix = ":".join(map(str, place)) + ": " if place else ""
    return f"{prefix}{diagnostic.severity.value}: {diagnostic.message}"


def render_text(path: Path, data: dict[str, Any]) -> str:
    width, height = data["size"]
    time = f" in {units.seconds(data['seconds'])}" if data["seconds"] is not None else ""
    return f"{path}: {width}x{height} rendered on {data['device']}{time}"


def trace_data(trace: Trace) -> dict[str, Any]:
    """`lines` are the document's own; those of included files stand in `included_lines`."""
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
                "included_lines": [_place(at) for at in block.lines if at.file],
                "opcodes": dict(block.opcodes),
                "lane_groups": block.lane_groups,
            }
            for block in trace.blocks
        ],
        "lines": [_place(at) | {"count": n} for at, n in trace.line_counts.items() if not at.file],
        "included_lines": [
            _place(at) | {"count": n} for at, n in trace.line_counts.items() if at.file
        ],
        "slowdown": finite(trace.slowdown),
        "notes": list(trace.notes),
    }


def _place(at: SourceLine) -> dict[str, Any]:
    return {"file": at.file, "line": at.line} if at.file else {"line": at.line}


def blocks_text(trace: Trace) -> str:
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


def measurement_data(measured: Measurement) -> dict[str, Any]:
    return {
        "device": measured.device,
        "device_name": measured.device_name,
        "driver": measured.driver,
        "size": list(measured.size),
        "draws": measured.draws,
        "trials_s": list(measured.trials_s),
        "time_s": measured.time_s,
        "median_s": measured.median_s,
        "cv": measured.cv,
        "rejected": list(measured.rejected),
        "floor_s": finite(measured.floor_s),
        "clocks": measured.clocks,
        "interval_s": [finite(bound) for bound in measured.interval_s],
        "linearity": _linearity_data(measured.linearity),
        "statistics": measured.statistics._asdict() if measured.statistics else None,
    }


def _linearity_data(line: TimeLine | None) -> dict[str, Any] | None:
    if line is None:
        return None
    return {
        "draws": list(line.amounts),
        "seconds": list(line.seconds),
        "slope_s": line.slope_s,
        "intercept_s": line.intercept_s,
        "deviation": line.deviation,
    }


def measurement_text(measured: Measurement, kind: DeviceKind) -> str:
    rejected = f", {len(measured.rejected)} rejected as outliers" if measured.rejected else ""
    software = " (software driver: the time of this machine's CPU)" if kind == "software" else ""
    low, high = measured.interval_s
    line, counted = measured.linearity, measured.statistics
    more = ""
    if line is not None:
        more += (
            f"\na submission costs {units.seconds(line.intercept_s)} beside its draws; its time is "
            f"off a line over their number by at most {units.percent(round(line.deviation, 3))}"
        )
    if counted is not None:
        pixels = measured.size[0] * measured.size[1]
        more += f"\n{counted.fragment_invocations / pixels:.2f} invocations per pixel"
    return (
        f"{units.seconds(measured.time_s)} per draw on {measured.device_name}{software}\n"
        f"95 % interval {units.seconds(low)} to {units.seconds(high)}, "
        f"median {units.seconds(measured.median_s)}, CV {units.percent(measured.cv)}, "
        f"{len(measured.trials_s)} trials of {measured.draws} draws{rejected}, "
        f"empty pass {units.seconds(measured.floor_s)}\n"
        f"driver {measured.driver}"
        + (f"\nclocks {measured.clocks}" if measured.clocks else "")
        + more
    )


def forecast_data(forecasts: Sequence[Forecast]) -> dict[str, Any]:
    """`lines` belong to the first target; each target carries its own as well."""
    return {
        "targets": [
            {
                "target": f.target,
                "time_s": f.time_s,
                "low_s": f.low_s,
                "high_s": f.high_s,
                "method": f.method,
                "basis": f.basis,
                "validated": asdict(f.validated),
                "warnings": list(f.warnings),
                "lines": _shares(f),
            }
            for f in forecasts
        ],
        "lines": _shares(forecasts[0]) if forecasts else [],
    }


def _shares(forecast: Forecast) -> list[dict[str, Any]]:
    return [
        _place(SourceLine(part.file, part.line)) | {"share": part.share} for part in forecast.lines
    ]


def forecast_text(forecasts: Sequence[Forecast]) -> str:
    times = table(
        ("target", "time", "from", "to", "method", "validated error"),
        (
            (
                f.target,
                units.seconds(f.time_s),
                units.seconds(f.low_s),
                units.seconds(f.high_s),
                f.method,
                _error(f.validated),
            )
            for f in forecasts
        ),
    )
    parts = [times]
    warnings = _warnings([(f.target, w) for f in forecasts for w in f.warnings])
    if warnings:
        parts.append(warnings)
    if forecasts and forecasts[0].lines:
        shares = table(
            ("share", "line"),
            (
                (units.percent(p.share), f"{p.file}:{p.line}" if p.file else str(p.line))
                for p in forecasts[0].lines[:HOT_LINES]
            ),
        )
        parts.append(f"hottest lines on {forecasts[0].target}\n{shares}")
    return "\n\n".join(parts)


def _error(validated: Validation) -> str:
    if validated.mape is None:
        return "not validated"
    median = (
        "" if validated.median_ape is None else f"median {units.percent(validated.median_ape)}, "
    )
    return f"{median}MAPE {units.percent(validated.mape)}"


def target_data(target: TargetInfo) -> dict[str, Any]:
    return {
        "target": target.target,
        "vendor": target.vendor,
        "kind": target.kind,
        "methods": list(target.methods),
        "clock": target.clock,
        "driver": target.driver,
        "samples": target.samples,
        "validated": asdict(target.validated),
        "name": target.name,
        "floor_s": target.floor_s,
        "notes": target.notes,
        "reason": target.reasons.get(target.methods[0], ""),
        "user": target.user,
        "validations": {name: asdict(each) for name, each in target.validations.items()},
    }


def targets_text(targets: Sequence[TargetInfo]) -> str:
    return table(
        ("target", "name", "kind", "methods", "samples", "error", "clock", "driver"),
        (
            (
                t.target,
                t.name,
                t.kind,
                ", ".join(t.methods),
                str(t.samples),
                _error(t.validated),
                t.clock,
                t.driver,
            )
            for t in targets
        ),
    )


def check_data(forecast: Forecast, budget_s: float) -> dict[str, Any]:
    """A forecast held to a budget; its time decides, band and warnings tell how surely."""
    return {
        "target": forecast.target,
        "budget_s": budget_s,
        "time_s": forecast.time_s,
        "low_s": forecast.low_s,
        "high_s": forecast.high_s,
        "method": forecast.method,
        "within": forecast.time_s <= budget_s,
        "warnings": list(forecast.warnings),
    }


def checks_text(checks: Sequence[dict[str, Any]]) -> str:
    shown = table(
        ("target", "time", "band", "budget", "", "method"),
        (
            (
                c["target"],
                units.seconds(c["time_s"]),
                f"{units.seconds(c['low_s'])} \u2013 {units.seconds(c['high_s'])}",
                units.seconds(c["budget_s"]),
                "within budget" if c["within"] else "OVER BUDGET",
                c["method"],
            )
            for c in checks
        ),
    )
    warnings = _warnings([(c["target"], w) for c in checks for w in c["warnings"]])
    return "\n\n".join([shown, *[warnings] * bool(warnings)])


def _warnings(told: list[tuple[str, str]]) -> str:
    """(target, warning) pairs, a line for each warning with the targets it holds for."""
    targets: dict[str, dict[str, None]] = {}
    for target, warning in told:
        targets.setdefault(warning, {})[target] = None
    return "\n".join(f"warning: {', '.join(by)}: {text}" for text, by in targets.items())


def report_json(trace: Trace, forecasts: Sequence[Forecast], measured: Measurement) -> bytes:
    data = {
        "trace": trace_data(trace),
        "predict": forecast_data(forecasts),
        "profile": measurement_data(measured),
    }
    return json.dumps(data, indent=2, allow_nan=False).encode()


def png(pixels: np.ndarray) -> bytes:
    """(h, w, 4) uint8 with row 0 at the bottom, as an opaque PNG with row 0 at the top."""
    from PySide6.QtCore import QBuffer, QByteArray, QIODevice
    from PySide6.QtGui import QImage, QImageWriter

    height, width, _ = pixels.shape
    upright = np.ascontiguousarray(pixels[::-1])
    image = QImage(upright.data, width, height, 4 * width, QImage.Format.Format_RGBX8888)
    encoded = QByteArray()
    buffer = QBuffer(encoded)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if not QImageWriter(buffer, QByteArray(b"png")).write(image):
        raise OSError("the picture could not be encoded")
    return bytes(encoded.data())
