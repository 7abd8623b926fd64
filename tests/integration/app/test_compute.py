"""Compute shaders in the real window: opened, launched, counted, forecast and shown."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from shaderlab.app.widgets.plotting import widget_of
from shaderlab.frontend.stage import Stage
from shaderlab.gpu.radv import discovery
from shaderlab.scene.launch import LaunchChoice

ADD = """\
#version 450
layout(local_size_x = 64, local_size_x_id = 0) in;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) writeonly buffer B { float b[]; };
layout(push_constant) uniform Constants { uint n; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < n) {
        b[i] = a[i] + 1.0;
    }
}
"""

PAINT = """\
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, rgba8) writeonly uniform image2D picture;

void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    imageStore(picture, at, vec4(1.0, 0.5, 0.0, 1.0));
}
"""


EXPORT = "file.export_animation"


def pinned_program(driven, version):
    """Of a version, compiled again."""
    found = []
    driven.session.compiling.ask(version.text, found.append, pytest.fail)
    driven.wait(lambda: found, "the version's program")
    return found[0]


@pytest.fixture(autouse=True)
def _leave(driven):
    yield
    driven.session.drawing.set_launch(LaunchChoice())


def test_a_kernel_is_launched_counted_and_forecast(driven):
    driven.show(ADD)
    session, strip = driven.session, driven.window.inputs_panel.launch
    assert session.program.stage is Stage.COMPUTE
    assert session.trace.blocks[0].count == 65_536
    assert {each.status.value for each in session.forecasts} <= {"estimate", "none"}
    assert any("fragment shaders" in line for line in session.forecasts[0].warnings)
    assert "One dispatch of 65,536 invocations" in driven.window.targets_panel.caption
    preview = driven.window.preview
    assert not preview.has_picture
    assert "b: 65,536 float" in preview.empty.text
    driven.window.layout_.show_tab(driven.window.inputs_panel)
    driven.wait(strip.isVisible, "the launch strip")
    assert "random numbers. Default: 65,536" in strip.text
    for boxes, number in ((strip.local, "32"), (strip.groups, "10")):
        boxes[0].selectAll()
        QTest.keyClicks(boxes[0], number)
        QTest.keyClick(boxes[0], Qt.Key.Key_Return)
    driven.wait(lambda: session.complete and session.trace.blocks[0].count == 320, "new counts")
    assert session.drawing.launch == LaunchChoice((10, 1, 1), (32, 1, 1))
    assert strip.text.startswith("320 invocations;")
    QTest.mouseClick(strip.reset, Qt.MouseButton.LeftButton)
    driven.wait(lambda: session.complete and session.trace.blocks[0].count == 65_536, "the default")


def test_an_image_is_the_picture(driven):
    driven.show(PAINT)
    image = driven.window.preview.picture.image
    assert driven.window.preview.has_picture
    colour = image.pixelColor(image.width() // 2, image.height() // 2)
    assert (colour.red(), colour.blue()) == (255, 0)
    assert driven.session.trace.blocks[0].count == 1024 * 768


def test_the_heat_map_is_of_the_invocations(driven):
    driven.show(ADD.replace("i < n)", "i < n && i % 2u == 0u)"))
    window, pictures = driven.window, driven.session.on_device.pictures
    window.actions_["view.heat_instructions"].trigger()
    driven.wait(lambda: pictures.frame is not None and pictures.frame.heat is not None, "the heat")
    driven.wait(lambda: window.preview.has_picture, "its picture")
    layer = window.preview.picture.heat
    assert layer.low < layer.high
    assert window.preview.heat_legend.isVisible()
    assert "Instructions per invocation" in window.preview.heat_legend._kind.text()
    window.actions_["view.heat"].trigger()
    driven.wait(lambda: not window.preview.has_picture, "the buffers' numbers again")
    assert "b: 65,535 float" in window.preview.empty.text


def test_errors_name_the_stage(driven):
    driven.show(ADD)
    driven.edit(ADD.replace("a[i] + 1.0", "nothing"))
    driven.wait(lambda: not driven.session.compiling.compiles, "the error")
    assert "read as a compute shader" in driven.problems()
    driven.edit(ADD)
    driven.complete()


def test_a_pinned_kernel_is_compared_by_time(driven):
    driven.show(ADD)
    driven.window.actions_["run.pin"].trigger()
    driven.edit(ADD.replace("a[i] + 1.0", "sqrt(sqrt(a[i] + 1.0))"))
    driven.complete()
    now = {each.target: each for each in driven.session.forecasts}
    pinned = driven.session.versions.baseline
    assert pinned is not None
    before = pinned.times_s[now["llvmpipe"].comparable]
    assert now["llvmpipe"].time_s > before
    driven.window.actions_["run.unpin"].trigger()


def test_versions_without_pictures_are_compared_by_what_they_leave(driven):
    driven.show(ADD)
    actions = driven.window.actions_
    assert not any(actions[each].isEnabled() for each in ("file.save_picture", EXPORT))
    actions["run.pin"].trigger()
    driven.edit(ADD.replace("a[i] + 1.0", "1.0 + a[i]"))
    driven.complete()
    compared = driven.session.on_device.compared
    pinned = driven.session.versions.baseline
    compared.compare(pinned_program(driven, pinned), 1.0, (64, 48))
    driven.wait(lambda: compared.outputs is not None, "both versions' buffers")
    then, now = compared.outputs
    assert then.compared(now) == ("Both versions write the same to their buffers", "")
    driven.edit(ADD.replace("a[i] + 1.0", "a[i] + 2.0"))
    driven.complete()
    driven.wait(lambda: compared.outputs[1] != now, "the new version's buffers")
    title, apart = compared.outputs[0].compared(compared.outputs[1])
    assert title == "The versions write different values to their buffers"
    assert [line.partition(",")[0] for line in apart.splitlines()] == ["then: b: 65", "now: b: 65"]
    assert compared.pair is None
    compared.clear()
    actions["run.unpin"].trigger()


def test_a_kernel_without_a_picture_is_swept_and_has_a_curve_of_times_alone(driven):
    driven.show(ADD)
    driven.window.actions_["view.studies"].trigger()
    panel = driven.window.studies_panel
    view = panel.sweep
    panel.setCurrentWidget(view)
    driven.wait(lambda: view.names.findText("n", Qt.MatchFlag.MatchStartsWith) >= 0, "the inputs")
    view.names.setCurrentIndex(view.names.findText("n", Qt.MatchFlag.MatchStartsWith))
    view.values.setText("64,4096,65536")
    QTest.mouseClick(view.start, Qt.MouseButton.LeftButton)
    driven.wait(lambda: view.model.rowCount() == 3 and view.start.isEnabled(), "three values")
    times, pictures = (widget_of(each) for each in (view._chart._times, view._chart._pictures))
    assert times.isVisible()
    assert not pictures.isVisible()
    panel.setCurrentWidget(panel.scale)
    QTest.mouseClick(panel.scale.start, Qt.MouseButton.LeftButton)
    driven.wait(lambda: "no picture size" in panel.scale.state.text(), "the refusal")


@pytest.mark.skipif(
    discovery.radv_manifest() is None, reason="RADV (mesa-vulkan-drivers) is not installed"
)
def test_local_sizes_are_compared_for_a_chip(driven):
    driven.show(ADD)
    driven.window.actions_["view.studies"].trigger()
    panel = driven.window.studies_panel
    view = panel.occupancy
    panel.setCurrentWidget(view)
    QTest.mouseClick(view.start, Qt.MouseButton.LeftButton)
    driven.wait(lambda: view.model.rowCount() == 6 and view.start.isEnabled(), "six local sizes")
    assert [each.local[0] for each in view.model.rows] == [32, 64, 128, 256, 512, 1024]
    assert all(0 < each.resident <= each.most for each in view.model.rows)
    assert "no time follows" in view.summary.text()
