"""What the profile panel says: figures, clocks, statistics, time against resolution."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from shaderlab.app.panels.profile.figures import (
    clock_text,
    device_text,
    estimate_s,
    fewer_text,
    figures_of,
    sizes_text,
    statistics_text,
)
from shaderlab.app.panels.profile.panel import _NumberField
from shaderlab.app.panels.profile.sizes_chart import line_of, ticks
from shaderlab.app.qt import QApplication, QEvent, QtGui
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.gpu.measurement import Measurement, PipelineStatistics
from shaderlab.stats import line_through

TRIALS = (0.010, 0.011, 0.012, 0.050)


def measurement(**changes) -> Measurement:
    made = Measurement("x", "X", "driver 1", (100, 50), 30, TRIALS, (3,), 1e-4)
    return replace(made, **changes)


def test_the_drivers_compile_is_a_figure_where_it_was_measured():
    captions = [caption for caption, *_ in figures_of(measurement(), False)]
    assert "driver's compile" not in captions
    told = {c: value for c, value, _ in figures_of(measurement(compile_s=0.18), False)}
    assert told["driver's compile"] == "180 ms"


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
        (None, "The system does not report clocks; assume they are unlocked"),
        ("unlocked (auto), 2124 MHz", "Unlocked clocks (auto), 2124 MHz: times depend on load"),
        ("locked (high), 2124 MHz", "Clocks locked (high), 2124 MHz"),
        ("1777 MHz of 2100 MHz, state P0", "does not report whether it is locked"),
    ],
)
def test_clocks_plainly(told, expected):
    assert expected in clock_text(told, software=False)


def test_the_clock_of_a_software_driver_is_the_processors():
    assert clock_text(None, software=True) == ""
    told = "3400 MHz, 8 cores of Example CPU"
    assert clock_text(told, software=True) == f"Rendered on the CPU: {told}"


def test_invocations_per_pixel():
    assert statistics_text(measurement()) == ""
    none = PipelineStatistics(*[0] * len(PipelineStatistics._fields))
    counted = none._replace(input_vertices=6, fragment_invocations=5100)
    assert statistics_text(measurement(statistics=counted)) == "1.02 invocations per pixel"


def sized(size: tuple[int, int], seconds: float) -> Measurement:
    cpu = (2 * seconds,) * 3
    return measurement(size=size, trials_s=(seconds,) * 3, rejected=(), cpu_trials_s=cpu)


def test_time_against_resolution():
    sizes = [(10, 10), (20, 10), (40, 10)]
    measured = [sized(size, 1e-3 + 1e-6 * size[0] * size[1]) for size in sizes]
    line = line_of(measured, software=False)
    assert sizes_text(line, False) == ("1.00 µs per pixel + 1.00 ms per pass; fits within 0 %")
    by_cpu = line_of(measured, software=True)
    assert by_cpu.slope_s == pytest.approx(2e-6)
    assert sizes_text(by_cpu, True).startswith("2.00 µs of CPU per pixel + 2.00 ms")
    bent = [sized(size, 1e-6 * (size[0] * size[1]) ** 1.5) for size in sizes]
    assert "\u2212" in sizes_text(line_of(bent, False), False)
    assert line_of(measured[:1], False) is None
    assert line_of([], False) is None


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


def device(kind) -> DeviceInfo:
    return DeviceInfo("x", "Name", kind, "driver 1", "1.3", 0, 0, "", "", 0, True)


def test_a_software_driver_is_named_as_such():
    assert "software" in device_text(device("software"))
    assert device_text(device("discrete")) == "Name · driver 1"


def test_figures_tell_cpu_time_of_software_only():
    trials = (0.010, 0.011, 0.050)
    measurement = Measurement("x", "X", "d", (4, 4), 30, trials, (2,), 1e-4, (0.02, 0.02, 0.9))
    figures = {caption: value for caption, value, _ in figures_of(measurement, software=True)}
    assert figures["mean"] == "10.5 ms"
    assert figures["rejected"] == "1 of 3"
    assert figures["CPU time"] == "20.0 ms"
    assert "CPU time" not in {c for c, _, _ in figures_of(measurement, software=False)}


def test_a_profile_of_a_slow_shader_is_not_estimated_beyond_its_plan():
    assert estimate_s(1e-3, (1024, 768), 10, 30) == pytest.approx(0.332 + 3 * (0.015 + 0.007))
    assert estimate_s(1.0, (512, 384), 10, 30) == pytest.approx(4 * (1 + 5))
    assert np.isnan(estimate_s(float("nan"), (512, 384), 10, 30))


def test_fewer_draws_than_asked_say_why():
    made = replace(measurement(), draws=1)
    assert fewer_text(made, None) == ""
    assert fewer_text(made, (len(TRIALS), 1)) == ""
    told = fewer_text(made, (len(TRIALS), 30))
    assert told.startswith(" (30 draws requested, but one takes ")
    assert "500 ms" in told
    assert "200 trials requested, but 4 give the mean within 0.50 %" in fewer_text(made, (200, 1))
    limited = " (10 trials requested, but a measurement is limited to 20.0 s)"
    for draws, trials_s in ((1, (6.0, 6.1, 6.2)), (30, (0.12, 0.13, 0.14))):
        slow = replace(made, draws=draws, trials_s=trials_s, rejected=())
        assert fewer_text(slow, (10, draws)) == limited


def test_a_number_out_of_range_is_taken_back_when_the_field_is_left(qtbot):
    field = _NumberField(10, 2, 200, "Trials")
    qtbot.addWidget(field)
    for typed, left in (("999", "10"), ("12", "12")):
        field.setText(typed)
        QApplication.sendEvent(field, QtGui.QFocusEvent(QEvent.Type.FocusOut))
        assert field.text() == left
