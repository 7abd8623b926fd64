"""Forecasts of what cannot be run, in the real window."""

from __future__ import annotations

import pytest

from tests.integration.app.conftest import CHEAP

ENDLESS = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    float v = fragCoord.x / iResolution.x;
    while (v < 2.0)
        v = sin(v * 3.0);
    fragColor = vec4(v);
}
"""


@pytest.fixture
def impatient(driven):
    """A second for a frame, so that what never ends is stopped soon."""
    settings = driven.window.settings
    before = settings.frame_limit_s
    settings.frame_limit_s = 1.0
    driven.window.apply_limits()
    yield driven
    settings.frame_limit_s = before
    driven.window.apply_limits()
    driven.show()


def test_a_shader_that_hangs_has_no_time_on_any_target(impatient):
    driven, window = impatient, impatient.window
    driven.show()
    traced = {bar.target for bar in window.targets_panel.bars}
    driven.edit(ENDLESS)
    driven.wait(lambda: driven.session.untraced.forecasts, "forecasts without a trace")
    driven.wait(lambda: "Not run" in window.targets_panel.caption, "their caption")
    assert {bar.target for bar in window.targets_panel.bars} == traced
    assert all("counts estimated" in bar.method for bar in window.targets_panel.bars)
    assert {bar.time for bar in window.targets_panel.bars} == {"no time"}
    assert all("its limit" in bar.warnings[0] for bar in window.targets_panel.bars)
    assert "took longer than its limit" in driven.session.untraced.reason
    forecast = window.targets_panel.chosen
    assert forecast.method.endswith(", counts estimated")
    assert "counts estimated" in window.targets_panel.details

    driven.edit(CHEAP)
    driven.complete()
    driven.wait(lambda: not driven.session.untraced.forecasts, "the estimate to go")
    driven.wait(lambda: "Not run" not in window.targets_panel.caption, "the traced caption")
    assert not any("counts estimated" in bar.method for bar in window.targets_panel.bars)
    assert driven.session.on_device.pictures.playback.playing, "what only a fault stopped goes on"


def test_without_a_device_there_are_forecasts_all_the_same(driven):
    driven.show()
    session = driven.session
    session.untraced.set_no_device("no Vulkan driver was found")
    driven.wait(lambda: True)
    assert not session.untraced.forecasts  # there is a device, whatever anybody says
    session.untraced.set_no_device("")
