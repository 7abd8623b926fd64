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
    driven.wait(lambda: panel.names.currentData() == "STEPS", "the constant")
    return panel


def test_a_sweep_is_run_by_hand_and_shown(driven, panel, qtbot):
    assert panel.values.text() == "2,4,8,16,32"
    panel.values.setFocus()
    panel.values.selectAll()
    qtbot.keyClicks(panel.values, "2,64")
    qtbot.mouseClick(panel.start, Qt.MouseButton.LeftButton)
    driven.wait(lambda: panel.state.text().startswith("1 of 2"), "the first value")
    driven.wait(lambda: panel.model.rows, "the sweep")
    assert [row.value for row in panel.model.rows] == ["2", "64"]
    assert all("s" in row.predicted for row in panel.model.rows)
    assert panel.model.rows[1].psnr == "same"  # the shader's own 8 is not among them
    assert panel.model.rows[0].changed != "0 %"
    assert "predicted on" in panel.summary.text()
    assert panel.start.isEnabled()
    driven.show(SHADER.replace("0.3", "0.2"))
    driven.wait(lambda: panel.veil.isVisible(), "the veil")
    assert "earlier version" in panel.summary.text()


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
    assert view.families.currentData() == "navi23"
    qtbot.mouseClick(view.start, Qt.MouseButton.LeftButton)
    driven.wait(lambda: view.model.rows, "the products")
    names = [row.product.name for row in view.model.rows]
    assert "Radeon RX 6600 XT" in names
    view.budget.setValue(1000.0)
    assert view.verdict.text() == f"Weakest product within 1.00 s: {names[0]}, with its whole band."
    view.budget.setValue(0.01)
    shown = [view.model.index(n, 5).data() for n in range(len(names))]
    assert set(shown) <= {"yes", "likely", "no"}
