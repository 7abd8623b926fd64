"""The calibration's dialog: it says what is wrong, how far it is, and makes a target."""

from __future__ import annotations

import contextlib

import pytest

from shaderlab.app.panels.profile.calibrate_dialog import FEWEST, MOST, CalibrateDialog
from shaderlab.app.widgets.theme import DARK
from shaderlab.errors import UnknownTarget
from shaderlab.frontend import calibration_shaders
from shaderlab.prediction.calibration import fitting as calibration
from shaderlab.prediction.catalogue import user_targets


@pytest.fixture
def dialog(qtbot) -> CalibrateDialog:
    found = CalibrateDialog("Toy GPU", "my-toy", frozenset({"rtx3060"}), False, DARK)
    qtbot.addWidget(found)
    return found


def test_it_offers_as_many_shaders_as_there_are():
    assert len(calibration_shaders.in_order()) == MOST
    assert calibration.FEWEST == FEWEST


def test_names_are_checked_as_they_are_typed(dialog):
    assert dialog.go.isEnabled()
    dialog.name.setText("rtx3060")
    assert not dialog.go.isEnabled()
    assert "built-in" in dialog.message.text()
    dialog.name.setText("My GPU")
    assert "lower-case letters" in dialog.message.text()
    dialog.name.setText("my-gpu")
    assert dialog.go.isEnabled()
    assert dialog.message.text() == ""


def test_start_stop_and_answers(dialog, qtbot):
    dialog.shaders.setValue(20)
    with qtbot.waitSignal(dialog.start_wanted) as started:
        dialog.go.click()
    assert started.args == [20, "my-toy", False]
    assert dialog.running
    assert not dialog.name.isEnabled()
    dialog.show_progress(7, 20, "waves-6")
    assert dialog.message.text() == "7 of 20 shaders: waves-6"
    dialog.show_progress(20, 20, "fitting")
    assert "Fitting" in dialog.message.text()
    with qtbot.waitSignal(dialog.stop_wanted):
        dialog.go.click()
    assert not dialog.go.isEnabled()
    dialog.show_failure("the calibration was stopped")
    assert dialog.go.isEnabled()
    assert dialog.go.text() == "Start"
    assert dialog.name.isEnabled()


def test_closing_stops_it(dialog, qtbot):
    dialog.go.click()
    with qtbot.waitSignal(dialog.stop_wanted):
        dialog.reject()


def test_a_damaged_target_is_told_and_the_others_stay(driven):
    driven.show()
    before = {bar.target for bar in driven.window.targets_panel.bars}
    folder = user_targets.folder() / "my-broken"
    folder.mkdir(parents=True)
    try:
        (folder / "card.json").write_text('{"format": 1', encoding="utf-8")
        driven.session.read_targets()
        driven.wait(
            lambda: any("my-broken" in n.text for n in driven.window.notices.notices), "a notice"
        )
        (notice,) = (n for n in driven.window.notices.notices if "my-broken" in n.text)
        assert "card.json: not valid JSON" in notice.text
        driven.complete()
        assert {bar.target for bar in driven.window.targets_panel.bars} == before
    finally:
        user_targets.remove("my-broken")


@pytest.mark.timeout(400)
def test_a_calibrated_target_joins_the_others(driven, monkeypatch):
    """The real thing, on few and cheap shaders."""
    cheap = tuple(
        calibration_shaders.CalibrationShader(
            f"cheap-{n}",
            "void mainImage(out vec4 c, in vec2 p) { vec3 v = vec3(p / iResolution.xy, 0.5);"
            f" for (int i = 0; i < {1 + n}; i++) v = v * 0.9 + sin(v.yzx) * 0.05;"
            " c = vec4(v, 1.0); }",
        )
        for n in range(13)
    )
    monkeypatch.setattr(calibration_shaders, "in_order", lambda limit=None: cheap)
    driven.show()
    window = driven.window
    window.calibrating.trials = 2
    window.calibrating.textures = False
    calibrate = window.actions_["run.calibrate"]
    driven.wait(calibrate.isEnabled, "the command")
    calibrate.trigger()
    dialog = window.calibrating.dialog
    dialog.name.setText("my-trial")
    dialog.go.click()
    try:
        for _ in range(5):  # the patience of five ordinary requests
            if not dialog.running:
                break
            try:
                driven.wait(lambda: not dialog.running, "the calibration")
            except AssertionError:
                continue
        assert "my-trial is now a target" in dialog.message.text(), dialog.message.text()
        assert "13 shaders timed on llvmpipe" in dialog.message.text()
        dialog.close()
        driven.wait(
            lambda: "my-trial" in {bar.target for bar in window.targets_panel.bars}, "its row"
        )
        window.targets_panel.choose("my-trial")
        assert "Calibrated on 13 shaders on llvmpipe" in window.targets_panel.details
        assert driven.session.targets["my-trial"].user
    finally:
        window.calibrating.trials = None
        window.calibrating.textures = True
        with contextlib.suppress(UnknownTarget):
            user_targets.remove("my-trial")
        driven.session.read_targets()
        driven.wait(
            lambda: "my-trial" not in {bar.target for bar in window.targets_panel.bars}, "its end"
        )
