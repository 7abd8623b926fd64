"""What the profile panel says: figures, clocks, statistics, time against resolution."""

from dataclasses import replace
from itertools import pairwise

import pytest

from shaderlab.app.panels.profile.profile_panel import (
    clock_text,
    figures_of,
    sizes_text,
    statistics_text,
)
from shaderlab.app.panels.profile.sizes_chart import line_of, ticks
from shaderlab.app.session.profile_plan import CANONICAL_SIZE, SEVERAL, ProfileRun
from shaderlab.frontend.program import Dialect, Program
from shaderlab.gpu.measurement import Measurement, PipelineStatistics
from shaderlab.stats import line_through

TRIALS = (0.010, 0.011, 0.012, 0.050)


def measurement(**changes) -> Measurement:
    made = Measurement("x", "X", "driver 1", (100, 50), 30, TRIALS, (3,), 1e-4)
    return replace(made, **changes)


def test_figures_of_the_trials():
    told = {caption: (value, tip) for caption, value, tip in figures_of(measurement(), False)}
    assert told["mean"][0] == told["median"][0] == "11.0 ms"
    # Student's t for 2 degrees of freedom, 4.303, times 1 ms over the root of 3
    assert told["within"][0] == "\u00b1 2.48 ms"
    assert "8.52 ms and 13.5 ms" in told["within"][1]
    assert told["variation"][0] == "9.1 %"
    assert told["rejected"][0] == "1 of 4"
    assert told["floor"][0] == "100 µs"
    assert "per submission" not in told


def test_what_a_submission_costs_is_told_apart():
    line = line_through([7, 15, 30], [0.002 + 0.0123 * n for n in (7, 15, 30)])
    told = {c: (v, tip) for c, v, tip in figures_of(measurement(linearity=line), False)}
    value, tip = told["per submission"]
    assert value == "2.00 ms"
    assert "(7, 15, 30): 12.3 ms per draw" in tip


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (None, "Clocks not told by the system: take them for unlocked"),
        ("unlocked (auto), 2124 MHz", "Unlocked clocks (auto), 2124 MHz: times depend on load"),
        ("locked (high), 2124 MHz", "Clocks locked (high), 2124 MHz"),
        ("1777 MHz of 2100 MHz, state P0", "does not tell whether it is locked"),
    ],
)
def test_clocks_plainly(told, expected):
    assert expected in clock_text(told, software=False)


def test_the_clock_of_a_software_driver_is_the_processors():
    assert clock_text(None, software=True) == ""
    told = "3400 MHz, 8 cores of Example CPU"
    assert clock_text(told, software=True) == f"Drawn by the processor: {told}"


def test_invocations_per_pixel():
    assert statistics_text(measurement()) == ""
    counted = PipelineStatistics(6, 2, 5100)
    assert statistics_text(measurement(statistics=counted)) == "1.02 invocations per pixel"


def sized(size: tuple[int, int], seconds: float) -> Measurement:
    cpu = (2 * seconds,) * 3
    return measurement(size=size, trials_s=(seconds,) * 3, rejected=(), cpu_trials_s=cpu)


def test_time_against_resolution():
    sizes = [(10, 10), (20, 10), (40, 10)]
    measured = [sized(size, 1e-3 + 1e-6 * size[0] * size[1]) for size in sizes]
    line = line_of(measured, software=False)
    assert sizes_text(line, False) == (
        "1.00 µs per pixel + 1.00 ms per pass; off that line by at most 0 %"
    )
    by_cpu = line_of(measured, software=True)
    assert by_cpu.slope_s == pytest.approx(2e-6)
    assert sizes_text(by_cpu, True).startswith("2.00 µs of CPU per pixel + 2.00 ms")
    bent = [sized(size, 1e-6 * (size[0] * size[1]) ** 1.5) for size in sizes]
    assert "\u2212" in sizes_text(line_of(bent, False), False)
    assert line_of(measured[:1], False) is None
    assert line_of([], False) is None


def program(spirv: bytes) -> Program:
    return Program("p", Dialect.SPIRV, "", spirv, "main")


def test_a_run_goes_through_its_sizes():
    run = ProfileRun(10, 30, SEVERAL)
    asked = []
    for size in SEVERAL:
        asked.append(run.next(program(b"one")).size)
        last = run.add(sized(size, 1.0))
    assert last
    assert tuple(asked) == SEVERAL
    assert run.canonical.size == CANONICAL_SIZE


def test_a_run_begins_again_with_another_program():
    run = ProfileRun(10, 30, SEVERAL)
    run.next(program(b"one"))
    assert not run.add(sized(SEVERAL[0], 1.0))
    assert run.next(program(b"one")).size == SEVERAL[1]
    assert run.next(program(b"two")).size == SEVERAL[0]
    assert run.measured == []


def test_sizes_that_crowd_the_axis_keep_their_ticks_and_lose_their_labels():
    sizes = [(256, 192), (512, 384), (724, 543), (1024, 768), (1448, 1086)]
    found = ticks(sizes)
    assert {at for at, _ in found} == {width * height for width, height in sizes}
    labelled = [(at, label) for at, label in found if label]
    assert labelled[0] == (1448 * 1086, "1448 \u00d7 1086")
    assert all(
        larger - smaller >= 0.2 * labelled[0][0] for (larger, _), (smaller, _) in pairwise(labelled)
    )
    assert "512 \u00d7 384" not in [label for _, label in labelled]
