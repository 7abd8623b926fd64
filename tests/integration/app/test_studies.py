"""A sweep in the window: chosen, run, shown, and dimmed once the shader is another."""

from __future__ import annotations

import pytest

from shaderlab.app.qt import Qt
from shaderlab.gpu.radv import discovery

SHADER = """\
#define STEPS 8
void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    float sum = 0.0;
    for (int i = 0; i < STEPS; i++)
        sum += sin(fragCoord.x / 40.0 * float(i + 1)) / float(i + 1);
    fragColor = vec4(vec3(0.5 + 0.3 * sum), 1.0);
}
"""


@pytest.fixture
def panel(driven):
    driven.show(SHADER)
    driven.window.actions_["view.studies"].trigger()
    panel = driven.window.studies_panel.sweep
    # The window is shared: an earlier file may have left another study in front.
    driven.window.studies_panel.setCurrentWidget(panel)
    driven.wait(lambda: panel.names.currentData() == "STEPS", "the constant")
    return panel


def texts_told(view, monkeypatch) -> list[str]:
    """All that a view says from now on: some of it is on screen for a moment only."""
    told, show = [], view.show_state

    def tell(text: str, *, busy: bool) -> None:
        told.append(text)
        show(text, busy=busy)

    monkeypatch.setattr(view, "show_state", tell)
    return told


def test_a_sweep_is_run_by_hand_and_shown(driven, panel, qtbot, monkeypatch):
    told = texts_told(panel, monkeypatch)
    assert panel.values.text() == "2,4,8,16,32"
    panel.values.setFocus()
    panel.values.selectAll()
    qtbot.keyClicks(panel.values, "2,64")
    qtbot.mouseClick(panel.start, Qt.MouseButton.LeftButton)
    driven.wait(lambda: len(panel.model.rows) == 2 and panel.start.isEnabled(), "the sweep")
    assert [text.split(":")[0] for text in told if " of 2" in text] == [
        "Value 1 of 2",
        "Value 2 of 2",
    ]
    assert [row.value for row in panel.model.rows] == ["2", "64"]
    assert all("s" in row.predicted for row in panel.model.rows)
    assert panel.model.rows[1].psnr == "same"  # the shader's own 8 is not among them
    assert panel.model.rows[0].changed != "0 %"
    assert "predicted on" in panel.summary.text()
    assert panel.start.isEnabled()
    assert panel.model.headerData(0, Qt.Orientation.Horizontal) == "STEPS"
    panel.values.setText("4,8")
    qtbot.mouseClick(panel.start, Qt.MouseButton.LeftButton)
    assert panel.veil.isVisible(), "the rows are those of the run before"
    assert panel.summary.text().endswith("from the run before")
    driven.wait(lambda: [row.value for row in panel.model.rows] == ["4", "8"], "the new sweep")
    assert not panel.veil.isVisible()
    driven.show(SHADER.replace("0.3", "0.2"))
    driven.wait(lambda: panel.veil.isVisible(), "the veil")
    assert panel.veil.height() > panel.table.height()  # over the chart, too
    assert "earlier version" in panel.summary.text()


def test_what_can_be_swept_is_looked_up_again_once_it_is_seen(driven, panel):
    driven.front("targets")
    driven.show(SHADER.replace("STEPS", "ROUNDS"))
    assert panel.names.currentData() == "STEPS", "nobody sees it"
    driven.front("studies")
    driven.wait(lambda: panel.names.currentData() == "ROUNDS", "the new name")


def test_a_text_that_does_not_compile_is_not_swept(driven, panel, qtbot):
    driven.edit(SHADER + "}")
    driven.wait(driven.problems, "the error")
    qtbot.mouseClick(panel.start, Qt.MouseButton.LeftButton)
    assert "does not compile" in panel.state.text()


def test_values_that_are_none_are_refused_in_place(panel, qtbot):
    panel.values.setText("8:1")
    qtbot.mouseClick(panel.start, Qt.MouseButton.LeftButton)
    assert "never reaches its end" in panel.state.text()
    assert panel.start.isEnabled()


@pytest.mark.skipif(discovery.radv_manifest() is None, reason="RADV is not installed")
def test_the_chips_of_a_family_are_explored_by_hand(driven, panel, qtbot):
    studies = driven.window.studies_panel
    view = studies.explore
    studies.setCurrentWidget(view)
    view.families.setCurrentIndex(view.families.findData("navi23"))
    qtbot.mouseClick(view.start, Qt.MouseButton.LeftButton)
    driven.wait(lambda: view.model.rows, "the products")
    names = [row.product.name for row in view.model.rows]
    assert "Radeon RX 6600 XT" in names
    view.budget.setValue(1000.0)
    assert view.summary.text() == f"Weakest product within 1.00 s: {names[0]}, with its whole band."
    view.budget.setValue(0.01)
    shown = [view.model.index(n, 5).data() for n in range(len(names))]
    assert set(shown) <= {"yes", "likely", "no"}


def test_the_weakest_product_of_any_vendor_is_found_by_hand(driven, panel, qtbot):
    studies = driven.window.studies_panel
    view = studies.explore
    studies.setCurrentWidget(view)
    assert view.families.itemText(0) == "All products"
    view.families.setCurrentIndex(0)
    qtbot.mouseClick(view.start, Qt.MouseButton.LeftButton)
    driven.wait(lambda: view.every.rows, "the products")
    assert {"NVIDIA", "AMD", "Intel"} <= {row.info.vendor for row in view.every.rows}
    assert len(view.every.rows) > 90
    slowest = view.every.rows[0]
    view.budget.setValue(1e3 * slowest.time_s * 1.001)
    assert view.summary.text().startswith("Weakest product within")
    assert slowest.called in view.summary.text()


def test_times_at_several_sizes_are_measured_projected_and_counted_by_hand(
    driven, panel, qtbot, monkeypatch
):
    studies = driven.window.studies_panel
    view = studies.scale
    told = texts_told(view, monkeypatch)
    studies.setCurrentWidget(view)
    driven.wait(lambda: view.targets.count() > 0, "the targets")
    view.targets.setCurrentIndex(view.targets.findData("rtx3060"))
    qtbot.mouseClick(view.start, Qt.MouseButton.LeftButton)
    driven.wait(lambda: view.sizes.rows, "the study")
    assert any(text.startswith("2 of 9: measuring") for text in told)
    rows = {row[0]: row for row in view.sizes.rows}
    assert len(rows) == 8
    measured, projected = rows["1024 \u00d7 768"], rows["2560 \u00d7 1440"]
    assert measured[1]
    assert "projected" not in measured[2]
    assert not projected[1]
    assert "projected" in projected[2]
    assert rows["3840 \u00d7 2160"][2] == "\u2013"  # over four times the largest size measured
    assert all(row[6].endswith("fps") for row in (measured, projected))
    assert "per pixel" in view.summary.text()
    assert view.start.isEnabled()
    assert not view.stop.isVisible()
    view.over.setCurrentIndex(1)
    assert "never sets" in view.empty.text
    qtbot.mouseClick(view.start, Qt.MouseButton.LeftButton)
    driven.wait(lambda: view.start.isEnabled(), "the samples")
    assert "names its clock" in view.empty.text


def test_a_prepared_pair_shows_methods_features_and_what_to_use(driven, panel, qtbot):
    studies = driven.window.studies_panel
    view = studies.pairs
    studies.setCurrentWidget(view)
    driven.wait(lambda: view.model.rows, "the tables")
    view.hosts.setCurrentIndex(view.hosts.findData("rtx3060"))
    view.targets.setCurrentIndex(view.targets.findData("rx6600xt"))
    driven.wait(lambda: view.targets.currentText() == "Radeon RX 6600 XT", "the devices' names")
    names = {row.method for row in view.model.rows}
    assert len(names) == 16
    assert {"one factor", "running median", "RF", "NNLS/B/BIC"} <= names
    assert "use running median" in view.summary.text()
    place = [row.method for row in view.model.rows].index("running median")
    shown = view.model.index(place, 4)
    before = shown.data()
    view.tolerance.setValue(50)
    assert shown.data() != before
    assert view.features.rows[0].feature == "host time"


def test_a_pair_of_own_files_that_is_none_says_why(driven, panel, tmp_path):
    pytest.importorskip("sklearn", reason="needs the training extra")
    studies = driven.window.studies_panel
    view = studies.pairs
    studies.setCurrentWidget(view)
    view.files_wanted.emit(tmp_path / "a.parquet", tmp_path / "b.parquet")
    driven.wait(lambda: "a.parquet" in view.state.text() and view.start.isEnabled(), "the refusal")
    assert "cannot read" in view.state.text()
