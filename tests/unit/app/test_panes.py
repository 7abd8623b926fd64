"""Pure parts of the panes: rows, figures, sizes, sentences."""

import numpy as np
import pytest

from shaderlab.app.panels.blocks.blocks_panel import ranges_text, rows_of
from shaderlab.app.panels.preview.preview import SIZES, pixels_for, to_image
from shaderlab.app.panels.problems.problems import place_text, summary
from shaderlab.app.panels.profile.profile_panel import device_text, estimate_s, figures_of
from shaderlab.app.widgets.notifications import MOST_KEPT, NotificationCentre
from shaderlab.frontend.program import Diagnostic, Severity
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.gpu.measurement import Measurement
from shaderlab.spirv.trace import BlockCount, SourceLine, Trace


def test_rows_name_lines_and_shares():
    lines = (SourceLine("", 3), SourceLine("", 4), SourceLine("", 9), SourceLine("noise.glsl", 2))
    trace = Trace(
        "llvmpipe",
        (4, 4),
        1.0,
        1,
        (
            BlockCount(1, "mainImage", 10, 16, lines, {"OpFAdd": 2, "OpReturn": 1}),
            BlockCount(1, "mainImage", 11, 160, (), {"OpBranch": 1}),
        ),
        1.0,
    )
    first, second = rows_of(trace, {})
    assert first.lines == (3, 4, 9)
    assert first.lines_text == "3\u20134, 9, noise.glsl:2"
    assert second.lines_text == "\u2013"
    assert first.share == pytest.approx(48 / 208)
    assert first.share + second.share == pytest.approx(1)
    assert rows_of(trace, {10: (40, 41)})[0].lines == (40, 41)


def test_ranges():
    assert ranges_text(()) == ""
    assert ranges_text((5,)) == "5"
    assert ranges_text((1, 2, 3, 7, 9, 10)) == "1\u20133, 7, 9\u201310"


def test_pictures_stand_upright():
    pixels = np.zeros((2, 3, 4), np.uint8)
    pixels[0] = (255, 0, 0, 0)  # the bottom row, red, and transparent as shaders often leave it
    image = to_image(pixels)
    assert (image.width(), image.height()) == (3, 2)
    assert image.pixelColor(0, 1).getRgb() == (255, 0, 0, 255)
    assert image.pixelColor(0, 0).getRgb() == (0, 0, 0, 255)


@pytest.mark.parametrize("software", [True, False])
@pytest.mark.parametrize("choice", [key for key, _ in SIZES] + ["nonsense", "0x0"])
def test_every_choice_of_size_can_be_drawn(choice, software):
    width, height = pixels_for(choice, (620, 1), software)
    assert 16 <= width <= 8192
    assert 16 <= height <= 8192


def test_automatic_size_spares_software_drivers():
    assert pixels_for("auto", (2000, 1000), software=False) == (2000, 1000)
    assert pixels_for("auto", (2000, 1000), software=True) == (512, 384)
    assert pixels_for("half", (2000, 1000), software=True) == (1000, 500)
    assert pixels_for("1024x768", (1, 1), software=True) == (1024, 768)


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


def test_problems_in_words():
    error = Diagnostic(3, 1, Severity.ERROR, "bad", "noise.glsl")
    warning = Diagnostic(0, 0, Severity.WARNING, "odd")
    assert place_text(error) == "noise.glsl line 3"
    assert place_text(warning) == ""
    assert summary([error, error, warning]) == "2 errors, 1 warning"
    assert summary([]) == ""


def test_the_same_notice_is_counted_not_repeated(qapp):
    centre = NotificationCentre()
    for _ in range(5):
        centre.say("error", "device lost")
        centre.say("note", "fine again")
    assert [(n.text, n.times) for n in centre.notices] == [("device lost", 5), ("fine again", 5)]


def test_a_flood_is_shown_as_its_worst_and_latest(qtbot):
    centre = NotificationCentre()
    shown = []
    centre.changed.connect(lambda notice: shown.append(notice.text))
    for number in range(50):
        centre.say("error", f"frame {number} failed")
        centre.say("note", f"note {number}")
    assert shown == ["frame 0 failed"]
    qtbot.waitUntil(lambda: len(shown) > 1)
    assert shown == ["frame 0 failed", "frame 49 failed"]
    assert len(centre.notices) == 100


def test_notices_are_bounded(qapp):
    centre = NotificationCentre()
    for number in range(MOST_KEPT + 50):
        centre.say("note", f"{number}")
    assert len(centre.notices) == MOST_KEPT
    assert centre.notices[-1].text == f"{MOST_KEPT + 49}"
