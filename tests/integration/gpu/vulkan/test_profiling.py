from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import replace

import pytest

from shaderlab.gpu import clocks
from shaderlab.gpu.plan import Plan
from shaderlab.gpu.vulkan.profiling import TimedDraws, Trial, measure, profile
from shaderlab.scene.draw import Blend, ColourFormat, Draw
from tests.radv import spelling

LOOP = """
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    float x = fragCoord.x;
    for (int i = 0; i < 200; i++) x = sin(x) + iTime;
    fragColor = vec4(x);
}
"""

SIZE = (96, 64)


def test_every_trial_is_reported(device, compiled):
    result = profile(device, Draw.of(compiled(LOOP), SIZE), trials=5, draws=4)
    assert result.device == device.info.slug
    assert result.device_name == device.info.name
    assert result.driver == device.info.driver
    assert result.size == (96, 64)
    assert len(result.trials_s) == len(result.cpu_trials_s) == 5
    assert result.draws == 4
    assert all(seconds > 0 for seconds in result.trials_s)
    assert 0 < result.floor_s < result.time_s
    assert all(index < 5 for index in result.rejected)


def test_the_drivers_compile_is_measured_beside_the_trials(device, compiled):
    """A text no cache has seen: a hundred different statements take the longer to compile."""
    seed = time.time_ns()
    lines = "".join(f"x = sin(x * {seed % 9973 + n}.5) + cos(x + {n}.25);" for n in range(100))
    text = f"void mainImage(out vec4 c, in vec2 p) {{ float x = p.x; {lines} c = vec4(x); }}"
    result = profile(device, Draw.of(compiled(text), (8, 8)), trials=3, draws=1)
    assert result.compile_s > 1e-3
    assert result.compile_s > 2 * result.time_s


def test_time_is_linear_in_the_number_of_draws(device, compiled):
    """Draws within one pass would be dropped but for the last: sixteen would cost as much as one.

    Judged by CPU time and with room to either side, as other processes may take a software
    device's cores at any moment; benchmarks/profiler.py has the exact slope.
    """
    draws = 16
    with TimedDraws(device, Draw.of(compiled(LOOP), SIZE)) as timed:
        one = min(timed.trial(1).cpu_s for _ in range(8))
        many = min(timed.trial(draws).cpu_s for _ in range(8))
    assert 0.5 < many / one < 2


def test_linearity_is_checked_where_there_are_draws_enough(device, compiled):
    with TimedDraws(device, Draw.of(compiled(LOOP), SIZE)) as timed:
        line = measure(timed, Plan(trials=3, draws=8)).linearity
        assert line.amounts == (2, 4, 8)
        assert line.slope_s > 0
        assert measure(timed, Plan(trials=3, draws=2)).linearity is None
        unchecked = measure(timed, Plan(trials=3, draws=8), checked=False)
    assert unchecked.linearity is None
    assert unchecked.statistics is None


def test_trials_end_once_the_mean_is_known_well_enough(device, compiled):
    with TimedDraws(device, Draw.of(compiled(LOOP), SIZE)) as timed:
        chosen = Plan(trials=8, draws=2)
        assert len(measure(timed, chosen, checked=False, settled=1e6).trials_s) == 3
        assert len(measure(timed, chosen, checked=False, settled=1e-12).trials_s) == 8


def test_single_draws_count_from_the_one_that_told_the_plan(device, compiled):
    with TimedDraws(device, Draw.of(compiled(LOOP), SIZE)) as timed:
        told = timed.single
        measured = measure(timed, Plan(trials=3, draws=1), checked=False)
    assert len(measured.trials_s) == 3
    assert (measured.trials_s[0], measured.cpu_trials_s[0]) == told


class Scripted(TimedDraws):
    """Draws as ever, and says that its submissions took what is written down."""

    script: list[float]

    def trial(self, draws: int) -> Trial:
        super().trial(draws)
        seconds = self.script.pop(0)
        return Trial(seconds, seconds)


@pytest.mark.parametrize(("kind", "taken"), [("software", 8), ("discrete", 3)])
def test_a_gpu_whose_trials_agree_to_half_a_percent_takes_three(
    device, compiled, monkeypatch, kind, taken
):
    with Scripted(device, Draw.of(compiled(LOOP), SIZE)) as timed:
        timed.floor_s  # noqa: B018  # measured as the kind that it is
        monkeypatch.setattr(device, "info", replace(device.info, kind=kind))
        timed.script = [99.0] + [1.0, 1.0001] * 4
        assert len(measure(timed, Plan(trials=8, draws=2), checked=False).trials_s) == taken


def test_a_gpu_whose_trials_differ_by_more_takes_all(device, compiled, monkeypatch):
    with Scripted(device, Draw.of(compiled(LOOP), SIZE)) as timed:
        monkeypatch.setattr(device, "info", replace(device.info, kind="discrete"))
        timed.script = [99.0] + [1.0, 1.05] * 4
        assert len(measure(timed, Plan(trials=8, draws=2), checked=False).trials_s) == 8


def test_a_gpu_that_was_idle_is_kept_busy_until_its_clock_is_up(device, compiled, monkeypatch):
    with Scripted(device, Draw.of(compiled(LOOP), SIZE)) as timed:
        timed.floor_s  # noqa: B018  # measured as the kind that it is
        monkeypatch.setattr(device, "info", replace(device.info, kind="discrete"))
        seen = ["345 MHz of 1980 MHz", "1110 MHz of 1980 MHz", "1980 MHz of 1980 MHz"]
        monkeypatch.setattr(clocks, "state", lambda _: seen.pop(0) if len(seen) > 1 else seen[0])
        timed.script = [5.0, 5.0, 5.0, 2.0] + [1.0] * 8
        measured = measure(timed, Plan(trials=8, draws=2), checked=False)
        assert measured.trials_s == (1.0,) * 3
        assert measured.clocks == "1980 MHz of 1980 MHz"


def test_the_first_submission_is_not_counted(device, compiled):
    with Scripted(device, Draw.of(compiled(LOOP), SIZE)) as timed:
        timed.script = [99.0, 1.0, 2.0, 3.0]
        measured = measure(timed, Plan(trials=3, draws=2), checked=False)
    assert measured.trials_s == measured.cpu_trials_s == (1.0, 2.0, 3.0)


def test_trials_within_the_clocks_resolution_of_each_other_are_kept(device, compiled):
    """Seven times the resolution, which as many draws as lie between two stamps divide."""
    draws, resolution = 10, device.clock.period_ns * 1e-9
    with Scripted(device, Draw.of(compiled(LOOP), SIZE)) as timed:
        for off, rejected in ((6.5, ()), (7.5, (4,))):
            timed.script = [1e-3] * 5 + [1e-3 + off * resolution / draws]
            measured = measure(timed, Plan(trials=5, draws=draws), checked=False)
            assert measured.rejected == rejected


def test_pipeline_statistics_are_of_one_draw(device, compiled):
    before = +device.live
    result = profile(device, Draw.of(compiled(LOOP), SIZE), trials=2, draws=1)
    if "pipelineStatisticsQuery" not in device.features:
        assert result.statistics is None
        return
    pixels = SIZE[0] * SIZE[1]
    assert 3 <= result.statistics.vertex_invocations <= 6  # two triangles
    # Later llvmpipes do not count what they need not clip.
    assert 0 <= result.statistics.clipped_primitives <= 2
    assert pixels <= result.statistics.fragment_invocations < 2 * pixels
    # Two triangles, of their own vertices or sharing two, and none of the other stages.
    assert 3 <= result.statistics.input_vertices <= 6
    assert 1 <= result.statistics.input_primitives <= 2
    for each in ("geometry_invocations", "tessellation_patches", "compute_invocations"):
        assert getattr(result.statistics, each) == 0
    assert device.live["QueryPool"] == before["QueryPool"]


def test_the_floor_is_measured_once_per_size(llvmpipe, compiled):
    first = profile(llvmpipe, Draw.of(compiled(LOOP), SIZE), trials=3, draws=1)
    second = profile(llvmpipe, Draw.of(compiled(LOOP), SIZE), trials=3, draws=1)
    assert first.floor_s == second.floor_s


def test_a_profile_leaves_nothing_behind(device, compiled):
    profile(device, Draw.of(compiled(LOOP), SIZE), trials=1, draws=1)
    before = +device.live
    profile(device, Draw.of(compiled(LOOP), SIZE), trials=1, draws=1)
    assert +device.live == before


WITHOUT_A_CLOCK = """
import sys
from pathlib import Path
from shaderlab.errors import NoTimestamps
from shaderlab.frontend.program import (Dialect, Program)
from shaderlab.gpu import (discovery, drivers)
from shaderlab.scene.draw import Draw

manifest, family = sys.argv[1], sys.argv[3]
(info,) = discovery.discover([manifest], radv_family=family).devices
drivers.select(manifest, radv_family=family)
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.profiling import profile

program = Program("test", Dialect.SPIRV, "", Path(sys.argv[2]).read_bytes(), "main")
with Device.open(info) as device:
    try:
        profile(device, Draw.of(program, (8, 8)))
    except NoTimestamps as error:
        print(error)
"""


def test_a_queue_without_timestamps_is_refused(radv, resources_gpu):
    """RADV's null hardware has an infinite timestamp period."""
    constant = str(resources_gpu / "constant.frag.spv")
    family = spelling("gfx1100")
    command = [sys.executable, "-c", WITHOUT_A_CLOCK, radv, constant, family]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert family.upper() in output
    assert "cannot write timestamps" in output


FLAT = "void mainImage(out vec4 c, in vec2 p) { c = vec4(fract(p.x * 0.01), 0.2, 0.3, 0.5); }"


def test_output_is_timed_with_the_draws_own_attachments(device, compiled):
    def timed(size: tuple[int, int], **attachments):
        draw = Draw.of(compiled(FLAT), size)
        given = replace(draw.state.attachments, **attachments)
        draw = replace(draw, state=replace(draw.state, attachments=given))
        return profile(device, draw, trials=3, draws=4).output

    small, large = timed((8, 8)), timed((1024, 768), colour=ColourFormat.RGBA32F, blend=Blend.ALPHA)
    assert len(small.trials_s) == len(small.pass_trials_s) == 3
    assert large.time_s > 10 * small.time_s
    assert large.pass_s > 0


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("if (p.x < 9.0) discard; c = vec4(1.0);", "discards pixels"),
        ("c = vec4(1.0); other = vec4(p, 0.0, 1.0);", "does not write exactly one colour"),
    ],
)
def test_what_a_constant_colour_cannot_stand_for_is_said(device, compiled, body, why):
    text = (
        "#version 450\nlayout(location = 0) out vec4 c;\nlayout(location = 1) out vec4 other;\n"
        f"void main() {{ vec2 p = gl_FragCoord.xy; {body} }}\n"
    )
    if "other =" not in body:
        text = text.replace("layout(location = 1) out vec4 other;\n", "")
    found = profile(device, Draw.of(compiled(text), (16, 16)), trials=3, draws=2)
    assert found.output is None
    assert why in found.output_reason
