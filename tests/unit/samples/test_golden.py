"""What is said of one varied set of samples: read it in golden/*.

To accept a deliberate change, run the tests with SHADERLAB_WRITE_GOLDEN=1 and read the difference.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from shaderlab.samples import card, schema
from shaderlab.samples.recording import identified
from shaderlab.samples.review import review
from shaderlab.samples.sample import LAUNCHED, Sample
from shaderlab.samples.statistics import statistics
from shaderlab.samples.trust import judge
from tests.golden import rounded

from .builders import launched, sample, timing, trace, with_textures

GOLDEN = Path(__file__).parent / "golden"
REJECTED = {
    "llvmpipe": ["TooSlow: takes 2 s", "CompileFailed: a:1", "TooSlow: takes 3 s"],
    "rtx": ["lost"],
}


def varied() -> list[Sample]:
    """A software and a discrete device; some without counts, with textures, a launch or a text."""
    made = []
    for n in range(60):
        counted = trace(64 * 48, loops=1 + n * n % 23)
        time_s = 2e-9 * sum(counted.opcodes.values()) * (1 + (n * 7 % 11) / 60)
        if n in (14, 21, 5):
            time_s *= 60
        if n in (10, 11, 16, 17):
            time_s *= 2
        clock = "cpu" if n % 2 else "device"
        trials = tuple(time_s * (1 + (n * k % 7) / 200) for k in range(4 + n % 3))
        timed = timing((*trials, time_s * 1.9), clock)
        if clock == "cpu":
            timed = replace(timed, cpu_trials_s=tuple(each * 0.8 for each in timed.trials_s))
        one = sample(f"shader-{n % 42}", timing=timed, trace=counted, date=f"2026-01-{1 + n % 28}")
        one = replace(
            one,
            inputs=replace(one.inputs, time_s=float(n % 7), frame=n % 7),
            device=replace(one.device, clocks=f"{1700 + n // 9} MHz" if n % 4 else None),
            picture=(None, "varied", "black", "varied")[n % 4],
        )
        if n % 2 == 0:
            other = {"slug": "rtx", "name": "RTX", "kind": "discrete", "driver": f"5{n % 3}"}
            one = replace(one, device=replace(one.device, **other))
        if n % 5 == 3:
            one = replace(one, trace=None, optimized=None)
        if n % 6 == 1:
            shared = {
                "text": f"void main() {{ /* {n} */ }}",
                "license": ("MIT", "CC0-1.0")[n % 4 // 2],
            }
            one = replace(one, program=replace(one.program, **shared))
        made.append(identified(replace(one, schema=LAUNCHED)))
    made.append(sample("timed once", timing=timing((0.01,)), schema=LAUNCHED))
    return [*made, with_textures(), launched(), launched("two", date="2026-03-01")]


def _told(samples: list[Sample]) -> Iterator[str]:
    yield card.describe(samples, "set.parquet", "CC0-1.0", REJECTED, [samples[7].id, samples[1].id])
    yield card.describe(samples[1:2], "one.parquet", "MIT")
    found = review(samples)
    yield f"{found.samples} samples of {found.programs} programs, {found.devices}\n"
    yield "".join(f"{each.path}: {each.holds}\n" for each in found.fields)
    yield "".join(f"{each.program} {each.license} {each.text}\n" for each in found.sources)
    yield "".join(f"{rounded(each)}\n" for each in statistics(samples))
    yield "".join(f"{rounded(each)}\n" for each in judge(samples[:40], samples[40:60]))
    yield "".join(f"{rounded(each)}\n" for each in judge(samples[:25]))


def _rows(samples: list[Sample]) -> Iterator[str]:
    for each in samples[:2] + samples[-3:]:
        yield json.dumps(schema.to_row(each), indent=1, sort_keys=True) + "\n"


@pytest.mark.parametrize(("name", "make"), [("told.txt", _told), ("rows.json", _rows)])
def test_what_is_said_of_samples_is_what_is_written_down(name, make):
    text = "\n".join(make(varied()))
    golden = GOLDEN / name
    if os.environ.get("SHADERLAB_WRITE_GOLDEN"):
        golden.write_text(text, "utf-8")
    assert text == golden.read_text("utf-8")
