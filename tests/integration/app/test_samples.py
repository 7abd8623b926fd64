"""Recording, listing, reviewing and exporting samples, as a user does it."""

from __future__ import annotations

from pathlib import Path

import pytest

from shaderlab.app.qt import QtWidgets
from shaderlab.campaigns import lease
from shaderlab.prediction.forms import Form
from shaderlab.samples import exchange
from shaderlab.samples.store import Store
from shaderlab.scene.draw import SEVERAL_SIZES
from tests.unit.samples.builders import sample as built

from .conftest import CHEAP
from .test_compute import ADD


@pytest.fixture
def lane(driven, tmp_path: Path):
    """The lane, with a store of this test."""
    lane = driven.session.samples
    lane.path = tmp_path / "samples.db"
    lane.refresh()
    driven.wait(lambda: lane.listing.rows == 0, "an empty list")
    yield lane
    driven.window.samples_panel.share_sources("")


def record(driven, lane, rows: int) -> None:
    action = driven.window.actions_["run.record"]
    driven.wait(action.isEnabled, "a device that can record")
    action.trigger()
    driven.wait(lambda: len(lane.listing.recorded) == rows and not lane.stage, f"{rows} samples")


def review(driven):
    action = driven.window.actions_["file.export_samples"]
    driven.wait(action.isEnabled, "something to export")
    action.trigger()
    dialog = driven.window.samples.dialog
    driven.wait(dialog.export_button.isEnabled, "the review")
    return dialog


def export(driven, dialog, path: Path, monkeypatch) -> None:
    monkeypatch.setattr(QtWidgets.QFileDialog, "getSaveFileName", lambda *_: (str(path), "Parquet"))
    dialog.export_button.click()


def told(dialog) -> dict[str, str]:
    items = [dialog.fields.topLevelItem(n) for n in range(dialog.fields.topLevelItemCount())]
    return {item.text(0): item.text(1) for item in items}


def test_one_click_records_and_an_export_holds_what_was_shown(
    driven, lane, tmp_path: Path, monkeypatch
):
    driven.show(CHEAP)
    record(driven, lane, 1)
    (sample,) = exchange.accepted(lane.path)
    device = driven.session.on_device
    assert sample.program.digest == driven.session.program.digest
    assert sample.timing.trials_s == device.profiles.measurement.trials_s
    assert (sample.inputs.width, sample.inputs.height) == (1024, 768)
    assert sum(sample.trace.opcodes.values()) == sum(device.counts.trace.opcode_totals.values())
    assert sample.program.text is None
    panel = driven.front("samples")
    driven.wait(lambda: panel.table.topLevelItemCount() == 1, "the sample's row")

    dialog = review(driven)
    fields = told(dialog)
    assert fields["program.text"] == "nothing"
    assert fields["device.name"] == driven.session.device.name
    path = tmp_path / "mine.parquet"
    export(driven, dialog, path, monkeypatch)
    driven.wait(lambda: path.with_suffix(".md").exists(), "both files")
    driven.wait(lambda: driven.window.samples.dialog is None, "the dialog's end")
    assert [s.id for s in exchange.accepted(path)] == [sample.id]
    assert str(tmp_path).encode() not in path.read_bytes()


def test_the_second_trace_goes_along_once_it_is_there(driven, lane):
    driven.show(CHEAP.replace("i < 3", "i < 12"))
    session = driven.session
    forecasting = session.forecasting
    driven.wait(lambda: Form.OPTIMIZED in forecasting.other_forms, "the optimised program's trace")
    record(driven, lane, 1)
    (sample,) = exchange.accepted(lane.path)
    program, trace = forecasting.other_forms[Form.OPTIMIZED]
    assert sum(sample.optimized.opcodes.values()) == sum(trace.opcode_totals.values())
    assert sample.optimized.opcodes != sample.trace.opcodes
    assert sample.program.digest != program.digest


def test_a_profile_on_screen_is_taken_once(driven, lane):
    driven.show(CHEAP.replace("0.5)", "0.25)"))
    driven.window.actions_["run.profile"].trigger()
    driven.wait(lambda: driven.session.on_device.profiles.measurement is not None, "a profile")
    measured = driven.session.on_device.profiles.measurement
    record(driven, lane, 1)
    assert driven.session.on_device.profiles.measurement is measured
    record(driven, lane, 2)
    assert driven.session.on_device.profiles.measurement is not measured


def test_a_source_goes_along_only_where_its_owner_says_so_twice(driven, lane):
    driven.show(CHEAP)
    panel = driven.window.samples_panel
    panel.share_sources("no licence at all!")
    assert lane.licence == ""
    panel.share_sources("CC-BY-4.0")
    assert lane.licence == "CC-BY-4.0"
    record(driven, lane, 1)
    (sample,) = exchange.accepted(lane.path)
    assert (sample.program.text, sample.program.license) == (CHEAP, "CC-BY-4.0")
    dialog = review(driven)
    assert "program.text" in told(dialog)
    assert told(dialog)["program.text"] == "nothing"
    assert dialog.texts.toPlainText() == ""
    dialog.include_sources(True)
    driven.wait(dialog.export_button.isEnabled, "the review")
    assert told(dialog)["program.text"].startswith("1 text")
    assert CHEAP in dialog.texts.toPlainText()
    dialog.reject()


def test_a_full_disk_is_said_and_leaves_nothing(driven, lane, tmp_path: Path, monkeypatch):
    driven.show(CHEAP)
    record(driven, lane, 1)
    path = tmp_path / "mine.parquet"
    path.symlink_to("/dev/full")
    dialog = review(driven)
    export(driven, dialog, path, monkeypatch)
    driven.wait(
        lambda: any("No space left" in n.text for n in driven.window.notices.notices), "a reason"
    )
    assert {path.name for path in tmp_path.iterdir()} == {lane.path.name, "mine.parquet"}
    assert path.is_symlink()
    dialog.reject()


def test_a_store_that_cannot_be_made_is_said_and_the_sample_can_be_tried_again(
    driven, lane, tmp_path: Path
):
    driven.show(CHEAP)
    good = lane.path
    (tmp_path / "file").write_text("in the way")
    lane.path = tmp_path / "file" / "samples.db"
    action = driven.window.actions_["run.record"]
    driven.wait(action.isEnabled, "a device that can record")
    action.trigger()
    driven.wait(
        lambda: any("no folder for it" in n.text for n in driven.window.notices.notices), "a reason"
    )
    measured = driven.session.on_device.profiles.measurement
    lane.path = good
    record(driven, lane, 1)
    assert driven.session.on_device.profiles.measurement is measured


def test_a_window_records_into_a_store_that_a_campaign_measures_into(driven, lane):
    """The sample is kept by another process than the one that holds the lease and the store."""
    driven.show(CHEAP)
    with lease.hold(lane.path, "shaderlab campaign"), Store(lane.path) as campaign:
        campaign.begin("job", "shader", "llvmpipe")
        record(driven, lane, 1)
        campaign.recorded("job", built("a"))
        assert campaign.finished() == {"job"}
        assert campaign.stats().rows == 2
    assert built("a").id in {s.id for s in exchange.accepted(lane.path)}


def test_removed_samples_are_gone(driven, lane):
    driven.show(CHEAP)
    record(driven, lane, 1)
    panel = driven.front("samples")
    driven.wait(lambda: panel.table.topLevelItemCount() == 1, "the sample's row")
    panel.table.topLevelItem(0).setSelected(True)
    lane.forget(panel.chosen_ids)
    driven.wait(lambda: lane.listing.rows == 0, "an empty list")
    assert panel.table.topLevelItemCount() == 0


def test_several_sizes_give_a_line(driven):
    driven.show(CHEAP)
    window, device = driven.window, driven.session.on_device
    driven.wait(window.actions_["run.profile_sizes"].isEnabled, "a device that can profile")
    window.actions_["run.profile_sizes"].trigger()
    driven.wait(lambda: len(device.profiles.by_size) == len(SEVERAL_SIZES), "all sizes")
    panel = window.profile_panel
    assert [m.size for m in device.profiles.by_size] == list(SEVERAL_SIZES)
    assert device.profiles.measurement.size == (1024, 768)
    assert panel.charts[1].line.slope_s > 0
    assert "per pixel" in panel.about
    panel.show_chart(0)
    assert "trials of" in panel.about
    driven.edit(CHEAP.replace("0.5)", "0.75)"))
    driven.complete()
    driven.wait(lambda: "before the last change" in panel.about, "a stale mark")


def test_a_data_set_is_described_beside_the_published_one(driven, lane, tmp_path: Path):
    view = driven.window.samples_panel.statistics
    path = tmp_path / "set.parquet"
    exchange.write([built(f"s{n}") for n in range(4)], path)
    view.wanted.emit(path)
    driven.wait(lambda: "set.parquet: " in view.state.text(), "the statistics")
    assert "rows that pass" in view.text.text()
    assert "too few to" in view.text.text()
    view.own.click()
    driven.wait(lambda: view.state.text() == "this machine: no samples", "the store's")
    view.wanted.emit(tmp_path / "none.parquet")
    driven.wait(lambda: view.state.text().startswith("none.parquet"), "what is not there")


def test_a_compute_shader_is_recorded_with_its_launch_and_exported(
    driven, lane, tmp_path: Path, monkeypatch
):
    driven.show(ADD)
    record(driven, lane, 1)
    (sample,) = exchange.accepted(lane.path)
    assert sample.launch.groups == (1024, 1, 1)
    assert {each.name: each.elements for each in sample.launch.buffers} == {"a": 65536, "b": 65536}
    assert sample.trace is not None
    dialog = review(driven)
    assert told(dialog)["launch.local"] != "nothing"
    path = tmp_path / "kernels.parquet"
    export(driven, dialog, path, monkeypatch)
    driven.wait(lambda: driven.window.samples.dialog is None, "the dialog's end")
    assert [s.launch for s in exchange.accepted(path)] == [sample.launch]
