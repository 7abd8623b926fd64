"""The table of a frame's measured passes."""

import pytest

from shaderlab.app.panels.profile.passes_view import passes_html
from shaderlab.app.session.profile_run import FrameProfile
from shaderlab.app.widgets.theme import DARK
from shaderlab.gpu.measurement import Measurement


def measured(seconds: float, cpu_s: float) -> Measurement:
    return Measurement(
        "x", "X", "driver 1", (1024, 768), 30, (seconds,) * 4, (), 1e-5, cpu_trials_s=(cpu_s,) * 4
    )


PROFILE = FrameProfile(
    {"Cube <A>": measured(1e-3, 2e-3), "Image": measured(2e-3, 4e-3)},
    {"Cube <A>": 6, "Image": 1},
    measured(8.4e-3, 16e-3),
)


@pytest.mark.parametrize(
    ("software", "texts"),
    [
        (False, ["1.00 ms", "6.00 ms", "75 %", "25 %", "8.00 ms", "8.40 ms", "\u22124.8 %"]),
        (True, ["CPU time per draw", "2.00 ms", "12.0 ms", "16.0 ms", "sum the same"]),
    ],
)
def test_each_pass_by_its_draws_then_the_sum_beside_all_together(software, texts):
    html = passes_html(PROFILE, software, DARK)
    for text in texts:
        assert text in html
    assert "Cube &lt;A&gt;" in html


def test_the_stages_of_the_frame_sum_to_one_with_what_nothing_explains():
    html = passes_html(PROFILE, False, DARK)
    # 7 draws of 10 us are the pass, the rest of 8 ms pixels, of 8.4 ms.
    for text in ("bottleneck", "pixel", "94 %", "0.83 %", "unexplained", "4.8 %"):
        assert text in html
