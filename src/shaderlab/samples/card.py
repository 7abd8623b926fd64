"""The card of a data set: what it holds, how it was measured, what it is not good for."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from shaderlab import files, units
from shaderlab.errors import NotWritten
from shaderlab.samples.sample import Sample


def describe(
    samples: Sequence[Sample],
    file_name: str,
    licence: str,
    rejections: Mapping[str, Sequence[str]] | None = None,
    unverified: Sequence[str] = (),
) -> str:
    """Markdown, a function of its arguments alone; of one sample or more.

    `licence`: SPDX expression of the figures; `rejections`: by device slug, the reasons of shaders
    that a campaign tried and that gave no sample; `unverified`: ids of samples whose text could not
    be shown to be the source of their program.
    """
    devices: dict[tuple[str, str], list[Sample]] = {}
    for sample in samples:
        devices.setdefault((sample.device.slug, sample.device.name), []).append(sample)
    programs = {sample.program.digest for sample in samples}
    sources = sum(sample.program.text is not None for sample in samples)
    lines = [
        f"# {file_name}",
        "",
        f"Times of shaders measured by shaderlab, schema {max(s.schema for s in samples)}: "
        f"{len(samples)} samples of {len(programs)} programs on {_count(len(devices), 'device')}.",
        "",
        f"- Licence of the figures: {licence}.",
        f"- Sources of shaders: {sources or 'none'}"
        + (f", under {_listed(s.program.license for s in samples)}." if sources else "."),
        *_unverified(unverified),
        f"- Collections the programs are from: {_listed(s.program.collection for s in samples)}.",
        f"- Measured {_span(s.date for s in samples)} by shaderlab "
        f"{_listed(s.software for s in samples)}.",
        f"- Traced: {_share(samples, lambda s: s.trace is not None)}; traced again after "
        f"`spirv-opt -O`: {_share(samples, lambda s: s.optimized is not None)}.",
        "- What the frames show: "
        + ", ".join(
            f"{kind or 'not looked at'} {n}"
            for kind, n in Counter(s.picture for s in samples).most_common()
        )
        + ".",
        *_textures(samples),
        *_launches(samples),
    ]
    for (slug, name), group in sorted(devices.items()):
        lines += ["", f"## {slug}", "", *_device(name, group, (rejections or {}).get(slug, ()))]
    lines += ["", "## What a row holds", "", "`shaderlab dataset schema` documents every field."]
    return "\n".join(lines) + "\n"


@contextmanager
def writing(text: str, path: Path) -> Iterator[None]:
    """Write a card, once the block has written what it describes, or not at all.

    Raises NotWritten if the file cannot be written.
    """
    try:
        with files.replacing(path) as file:
            file.write(text.encode())
            file.flush()
            yield
    except OSError as error:
        raise NotWritten(f"cannot write {path}: {files.reason(error)}") from None


def _device(name: str, group: Sequence[Sample], rejections: Sequence[str]) -> list[str]:
    times = np.array([sample.timing.time_s for sample in group])
    quantiles = np.quantile(times, (0, 0.05, 0.25, 0.5, 0.75, 0.95, 1))
    spreads = np.array([_cv(sample) for sample in group])
    trials = np.array([len(sample.timing.trials_s) for sample in group])
    draws = np.array([sample.timing.draws for sample in group])
    first = group[0].device
    lines = [
        f"- {name}, {first.kind}, driver {_listed(s.device.driver for s in group)}, Vulkan "
        f"{_listed(s.device.api_version for s in group)}; {len(group)} samples.",
        "- Inputs: "
        + "; ".join(
            f"{width}x{height}, iTime {time_s:g}, iFrame {frame} ({n})"
            for (width, height, time_s, frame), n in Counter(
                (s.inputs.width, s.inputs.height, s.inputs.time_s, s.inputs.frame) for s in group
            ).most_common(5)
        )
        + ".",
        f"- Clocks while measuring: {_most(s.device.clocks or 'not reported' for s in group)}.",
        f"- {int(np.median(trials))} trials of {int(np.median(draws))} draws in the median "
        f"({trials.min()} to {trials.max()}, {draws.min()} to {draws.max()}).",
        f"- Coefficient of variation of the trials kept: median "
        f"{units.percent(float(np.median(spreads)))}, 95th percentile "
        f"{units.percent(float(np.quantile(spreads, 0.95)))}.",
        f"- Tried without a sample: {_reasons(rejections)}.",
        "",
        "| | least | 5 % | 25 % | median | 75 % | 95 % | most |",
        "|---|---|---|---|---|---|---|---|",
        "| time per draw | " + " | ".join(units.seconds(float(q)) for q in quantiles) + " |",
    ]
    on_cpu = [sample.timing for sample in group if sample.timing.clock == "cpu"]
    if on_cpu:
        busy = np.median([np.median(t.trials_s) / np.median(t.cpu_trials_s) for t in on_cpu])
        lines += [
            "",
            "A software device draws with the cores of the machine and shares them with everything "
            "else. `time_s` is therefore CPU time, summed over the threads that drew, where "
            "`clock` says `cpu`; the timestamps in `trials_s` tell how long it took on a machine "
            f"that had other things to do as well, {busy:.2f} times as long in the median.",
        ]
    return lines


def _textures(samples: Sequence[Sample]) -> list[str]:
    reading = [sample for sample in samples if sample.textures]
    if not reading:
        return []
    held = Counter(texture.holds for sample in reading for texture in sample.textures or ())
    return [
        f"- With textures: {len(reading)} samples; the textures hold "
        + ", ".join(f"{kind} ({n})" for kind, n in held.most_common())
        + "."
    ]


def _launches(samples: Sequence[Sample]) -> list[str]:
    launches = [sample.launch for sample in samples if sample.launch is not None]
    if not launches:
        return []
    sizes = [math.prod(each.groups) * math.prod(each.local) for each in launches]
    return [
        f"- Compute shaders: {len(launches)} samples of {min(sizes):,} to {max(sizes):,}"
        " invocations."
    ]


def _unverified(ids: Sequence[str]) -> list[str]:
    if not ids:
        return []
    return [
        f"- Unverified sources: {len(ids)}. The texts of these samples could not be shown to "
        f"compile to the program that was measured: {', '.join(f'`{id}`' for id in sorted(ids))}."
    ]


def _reasons(rejections: Sequence[str]) -> str:
    """How many, and by the kind of error that begins each reason."""
    kinds = Counter(reason.partition(":")[0] for reason in rejections)
    listed = ", ".join(f"{kind} {n}" for kind, n in kinds.most_common())
    return f"{len(rejections)} shaders ({listed})" if rejections else "none known"


def _cv(sample: Sample) -> float:
    timing = sample.timing
    trials = timing.cpu_trials_s if timing.clock == "cpu" else timing.trials_s
    kept = np.delete(np.asarray(trials), timing.rejected)
    return float(kept.std(ddof=1) / kept.mean()) if len(kept) > 1 else 0.0


def _count(n: int, what: str) -> str:
    return f"{n} {what}" + ("s" if n != 1 else "")


def _listed(values: Iterable[str | None]) -> str:
    return ", ".join(sorted({value for value in values if value})) or "none"


def _most(values: Iterable[str], shown: int = 5) -> str:
    """The most frequent values, with how often where there are several."""
    counts = Counter(values)
    if len(counts) == 1:
        return next(iter(counts))
    listed = [f"{value} ({n})" for value, n in counts.most_common(shown)]
    others = len(counts) - len(listed)
    return "; ".join(listed) + (f"; {others} more" if others else "")


def _span(dates: Iterable[str]) -> str:
    days = sorted(set(dates))
    return f"on {days[0]}" if len(days) == 1 else f"from {days[0]} to {days[-1]}"


def _share(samples: Sequence[Sample], holds) -> str:
    return f"{sum(map(holds, samples))} of {len(samples)}"
