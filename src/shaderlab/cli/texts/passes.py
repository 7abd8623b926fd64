"""Frames of several passes: each by itself, and their sum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shaderlab import units
from shaderlab.cli.terminal import one_line, table
from shaderlab.cli.texts import forecasts as forecast_texts
from shaderlab.cli.texts import measurements, traces
from shaderlab.gpu.device_info import DeviceKind
from shaderlab.gpu.measurement import Measurement
from shaderlab.prediction.forecast import Side
from shaderlab.prediction.forecasts.frame_forecast import FrameForecast
from shaderlab.scene.draw import Frame
from shaderlab.spirv.trace import SourceLine, Trace
from shaderlab.studies.pipeline import FrameStages, frame_stages


def trace_data(
    counts: Mapping[str, Trace],
    assumed: Mapping[str, Sequence[str]],
    stages: Mapping[str, traces.VertexStage],
) -> dict[str, Any]:
    """`lines` are all passes', by descending share of the instructions executed; `stages`: the
    vertex stages of passes that have their own."""
    return {
        "passes": [
            {
                "pass": name,
                **traces.data(trace, assumed[name]),
                "vertex": stages[name].data if name in stages else None,
            }
            for name, trace in counts.items()
        ],
        "lines": [
            {"pass": name} | traces.place(at) | {"count": count, "share": share}
            for share, count, name, at in _hot(counts)
        ],
    }


def trace_text(
    frame: Frame, counts: Mapping[str, Trace], assumed: Mapping[str, Sequence[str]]
) -> str:
    parts = [
        f"{one_line(each.name)} ({one_line(each.draw.program.name)})\n"
        + traces.annotated(each.draw.program, counts[each.name], assumed[each.name])
        for each in frame.passes
    ]
    rows = (
        (units.percent(share), str(count), one_line(name), traces.located(at.file, at.line))
        for share, count, name, at in _hot(counts)[: forecast_texts.HOT_LINES]
    )
    hot = table(("instructions", "runs", "pass", "line"), rows)
    return "\n\n".join([*parts, f"hottest lines of the frame\n{hot}"])


def _hot(counts: Mapping[str, Trace]) -> list[tuple[float, int, str, SourceLine]]:
    total = sum(trace.instructions_executed for trace in counts.values()) or 1
    found = [
        (trace.line_instructions.get(at, 0) / total, count, name, at)
        for name, trace in counts.items()
        for at, count in trace.line_counts.items()
    ]
    return sorted(found, key=lambda row: -row[0])


def profile_data(
    apart: Mapping[str, Measurement],
    together: Measurement,
    draws: Mapping[str, int],
    kind: DeviceKind,
) -> dict[str, Any]:
    """`draws`: how often each pass is drawn in a frame."""
    return {
        "passes": [
            {"pass": name, "draws_per_frame": draws[name], **measurements.data(each, kind)}
            for name, each in apart.items()
        ],
        "sum_s": _sum(apart, draws, kind),
        "together": measurements.data(together, kind),
        "pipeline": _pipeline_data(_stages_of(apart, together, draws, kind)),
    }


def _stages_of(
    apart: Mapping[str, Measurement],
    together: Measurement,
    draws: Mapping[str, int],
    kind: DeviceKind,
) -> FrameStages:
    own = {name: measurements.own_clock(each, kind)[0] for name, each in apart.items()}
    return frame_stages(own, measurements.own_clock(together, kind)[0], draws)


def _pipeline_data(found: FrameStages) -> dict[str, Any]:
    return {
        "passes": [
            {
                "pass": each.name,
                "stages_s": {stage.value: each.seconds[stage] for stage in each.seconds},
                "bottleneck": each.bottleneck.value,
                "pass_and_output_because": each.together_reason or None,
            }
            for each in found.passes
        ],
        "shares": {stage.value: share for stage, share in found.shares.items()},
        "bottlenecks": {stage.value: share for stage, share in found.bottlenecks.items()},
        "sum_error": found.sum_error,
    }


def _pipeline_text(found: FrameStages) -> str:
    rows = [
        (
            one_line(each.name),
            *(_seconds(each.seconds.get(stage)) for stage in found.stages),
            each.bottleneck.value,
        )
        for each in found.passes
    ]
    shares = ", ".join(f"{stage} {_signed(share)}" for stage, share in found.shares.items())
    return (
        table(("name", *(stage.value for stage in found.stages), "bottleneck"), rows)
        + f"\nof the frame: {shares}"
        + "".join(
            f"\n{one_line(each.name)}: output cannot be timed separately from the pass: "
            f"{one_line(each.together_reason)}"
            for each in found.passes
            if each.together_reason
        )
    )


def _seconds(found: float | None) -> str:
    return "\u2013" if found is None else units.seconds(found)


def _signed(share: float) -> str:
    return units.percent(share) if share >= 0 else f"\u2212{units.percent(-share)}"


def profile_text(
    apart: Mapping[str, Measurement],
    together: Measurement,
    draws: Mapping[str, int],
    kind: DeviceKind,
) -> str:
    total = _sum(apart, draws, kind)
    own = {name: measurements.own_clock(each, kind) for name, each in apart.items()}
    rows = [
        (
            one_line(name),
            units.seconds(each.time_s),
            f"{draws[name]}",
            units.percent(each.time_s * draws[name] / total if total else 0.0),
        )
        for name, (each, _) in own.items()
    ]
    return (
        table(("pass", "time per draw", "draws", "of the frame"), rows)
        + f"\nsum of the passes {units.seconds(total)}\n\n"
        + _pipeline_text(_stages_of(apart, together, draws, kind))
        + "\n\nall passes in one submission:\n"
        + measurements.text(together, kind)
    )


def _sum(apart: Mapping[str, Measurement], draws: Mapping[str, int], kind: DeviceKind) -> float:
    own = {name: measurements.own_clock(each, kind)[0] for name, each in apart.items()}
    return sum(each.time_s * draws[name] for name, each in own.items())


def forecast_data(forecasts: Sequence[FrameForecast]) -> dict[str, Any]:
    """`lines` belong to the first target; each pass carries its own forecast, of one draw."""
    return {
        "targets": [
            {
                "target": each.target,
                "time_s": each.time_s,
                "low_s": each.low_s,
                "high_s": each.high_s,
                "status": each.status.value,
                "domain": each.domain.value,
                "passes": [
                    {"pass": name, "draws_per_frame": each.draws[name]}
                    | forecast_texts.data([forecast])["targets"][0]
                    for name, forecast in each.passes.items()
                ],
                "lines": _shares(each),
            }
            for each in forecasts
        ],
        "lines": _shares(forecasts[0]) if forecasts else [],
    }


def _shares(forecast: FrameForecast) -> list[dict[str, Any]]:
    return [
        {"pass": part.pass_name}
        | traces.place(SourceLine(part.file, part.line))
        | {"share": part.share}
        for part in forecast.lines
    ]


def forecast_text(forecasts: Sequence[FrameForecast]) -> str:
    names = list(forecasts[0].passes) if forecasts else []
    times = table(
        ("target", "frame", "from", "to", "status", *map(one_line, names)),
        (
            (
                each.target,
                forecast_texts.shown(each.time_s),
                forecast_texts.shown(each.low_s),
                forecast_texts.shown(each.high_s),
                f"{each.status}, outside" if each.domain is Side.OUTSIDE else each.status,
                *(forecast_texts.shown(each.pass_s(name)) for name in names),
            )
            for each in forecasts
        ),
    )
    parts = [times]
    notes = [
        f"note: {one_line(name)}: {one_line(warning)}"
        for name in names
        for warning in dict.fromkeys(
            warning for each in forecasts for warning in each.passes[name].warnings
        )
    ]
    if notes:
        parts.append("\n".join(notes))
    best = forecast_texts.most_trusted([next(iter(each.passes.values())) for each in forecasts])
    lines = next((f.lines for f in forecasts if best and f.target == best.target), ())
    if best and lines:
        rows = (
            (units.percent(p.share), one_line(p.pass_name), traces.located(p.file, p.line))
            for p in lines[: forecast_texts.HOT_LINES]
        )
        hot = table(("share", "pass", "line"), rows)
        parts.append(f"hottest lines on {best.target}\n{hot}")
    return "\n\n".join(parts)
