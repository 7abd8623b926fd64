"""The soak in short: a few of its hostile shaders, seconds of its edits, one of its kills."""

from __future__ import annotations

from contextlib import suppress

import pytest
from soak import edits_run, hostile, hostile_run, kills_run
from soak.hostile import End
from soak.rig import Stuck

from shaderlab.app.shell.watchdog import LIMIT_S

SHADERS = {shader.name: shader for shader in hostile.all_of(77)}
CHOSEN = (
    "loop_five_deep",
    "macro_2_to_60",
    "ten_megabytes_of_spaces",
    "parentheses_30000",
    "array_2147483647",
    "undefined_divide_least",
    "undefined_write_far",
    "refused_mutual_recursion",
    "refused_include_device",
    "refused_nul",
    "name_100000",
    "resource_set_far",
)


def test_there_are_two_hundred_of_them_and_each_does_what_it_says():
    assert len(SHADERS) >= 200
    others = {shader.name: shader.text for shader in hostile.all_of(78)}
    assert SHADERS.keys() == others.keys()


@pytest.mark.parametrize("name", CHOSEN)
def test_a_hostile_shader_costs_neither_the_window_nor_the_next_picture(rig, name):
    found = hostile_run.Findings()
    hostile_run.one(rig, SHADERS[name], CHOSEN.index(name), found, patience_s=60.0)
    slow = [fault for fault in found.faults if "a good picture came after" in fault]
    assert [fault for fault in found.faults if fault not in slow] == []


@pytest.mark.parametrize(
    "name", ["twelve_thousand_statements", "macro_twenty_thousand", "eight_thousand_functions"]
)
def test_a_long_text_keeps_no_event_waiting(rig, name, monkeypatch):
    monkeypatch.setattr(rig.window.settings, "predict_limit_s", 5.0)
    rig.window.apply_limits()
    rig.watchdog.reset()
    rig.show(SHADERS[name].text)
    rig.wait(lambda: rig.settled, f"an end of {name}")
    if rig.session.on_device.counts.error is None and rig.session.trace is not None:
        session = rig.session
        with suppress(Stuck):  # they are not what this is about, but showing them is
            ended = lambda: session.complete or session.forecast_error is not None  # noqa: E731
            rig.wait(ended, "forecasts", 30.0)
        rig.wait(lambda: not rig.window.editor._placing.isActive(), "a filled margin")
    rig.show(hostile.good(40))
    rig.wait(lambda: rig.sees(40), "a good picture")
    assert rig.watchdog.events > 10
    # A processor shared with much else works two to five times slower, by its own clock too.
    assert rig.watchdog.longest_work_s < 6 * LIMIT_S, rig.watchdog.blocks


def test_an_endless_loop_is_stopped_named_and_remembered(rig):
    rig.use("llvmpipe")
    text = hostile.body(
        "float x = fragCoord.x; for (int i = 0; i < 60000; i++) for (int j = 0; j < 60000; j++) "
        "x = sin(x) * 2.0 + cos(x * 3.1) + sqrt(abs(x)); fragColor = vec4(x);"
    )
    rig.put(text)
    device = rig.session.on_device
    rig.wait(lambda: rig.settled, "an end")
    if hostile_run.end_of(rig)[0] is not End.STOPPED:
        pytest.skip("this machine draws it within the limit")
    error = device.pictures.error or device.counts.error
    assert "took longer than its limit of" in str(error)
    assert rig.window.documents.document.name in str(error)
    assert error.remedy
    replaced = rig.session.replacements["device"]
    # A keystroke that leaves the code as it is does not bring it back to life.
    rig.put("// only a comment\n" + text)
    rig.wait(lambda: rig.settled, "the program in force")
    error = device.pictures.error or device.counts.error
    assert "took longer than its limit of" in str(error)
    assert rig.session.replacements["device"] == replaced
    # The user may.
    device.again()
    rig.wait(lambda: device.task, "another try")
    rig.put(hostile.good(9))
    rig.wait(lambda: rig.sees(9), "a picture")


def test_random_edits_lose_nothing_and_leave_nothing_behind(rig):
    seen = []
    faults = edits_run.drive(rig, 4.0, seed=5, told=lambda number, _rig: seen.append(number))
    rig.put(hostile.good(3))
    rig.wait(lambda: rig.sees(3), "a picture")
    assert faults == []
    assert not hostile_run.rig_settles_children(rig, rig.children())


def test_kill_nine_loses_no_edit_and_leaves_no_process(tmp_path, monkeypatch):
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    (tmp_path / "shader.frag").write_text("// nothing yet\n")
    first = kills_run.one_round(tmp_path, 1, 2.0)
    second = kills_run.one_round(tmp_path, 2, 1.0)
    assert first.faults + second.faults == []
    assert first.edits > 1
    assert second.edits > 0
