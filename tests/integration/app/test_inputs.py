"""Inputs set in the pane change picture, counts and predictions, and nothing else does."""

import pytest

from shaderlab.app.qt import QPoint, Qt, QtWidgets
from shaderlab.scene.geometry import DEFAULT_CAMERA, Body
from shaderlab.scene.textures import Pattern, Texture, Wrap

SLIDERS = """\
#version 450
layout(location = 0) out vec4 colour;
layout(set = 0, binding = 0) uniform Look {
    int rounds;
    vec3 paint;
} look;
layout(set = 1, binding = 3) uniform sampler2D wall;
void main()
{
    float sum = 0.0;
    for (int i = 0; i < look.rounds; i++) {
        sum += 0.25;
    }
    colour = vec4(sum * look.paint + 0.0 * texture(wall, gl_FragCoord.xy / 64.0).rgb, 1.0);
}
"""
LOOP = 12


@pytest.fixture
def shown(driven):
    driven.window.layout_.show_tab(driven.window.inputs_panel)
    driven.show(SLIDERS)
    for name in ("look.rounds", "look.paint"):  # another document keeps what it declares, too
        driven.session.drawing.reset_input(name)
    driven.complete()
    panel = driven.window.inputs_panel
    driven.wait(lambda: "look.rounds" in panel.views, "the rows")
    return driven, panel


def middle(driven) -> tuple[int, ...]:
    image = driven.window.preview.picture.image
    colour = image.pixelColor(image.width() // 2, image.height() // 2)
    return colour.red(), colour.green(), colour.blue()


def body_count(driven) -> int:
    return max(
        (n for line, n in driven.session.trace.line_counts.items() if line.line == LOOP), default=0
    )


def test_a_moved_slider_changes_picture_counts_and_predictions(shown):
    driven, panel = shown
    panel.views["look.paint"].editor.fields[0].setText("1")
    panel.views["look.paint"].editor.fields[0].editingFinished.emit()
    slider = panel.views["look.rounds"].editor.slider
    slider.setValue(2)
    driven.wait(lambda: middle(driven)[0] in (127, 128), "the picture of two rounds")
    driven.complete()
    width, height = driven.session.trace.size
    assert body_count(driven) == 2 * width * height
    before = {bar.target: bar for bar in driven.window.targets_panel.bars}
    slider.setValue(4)
    driven.wait(lambda: middle(driven)[0] == 255, "the picture of four rounds")
    driven.complete()
    assert body_count(driven) == 4 * width * height
    after = {bar.target: bar for bar in driven.window.targets_panel.bars}
    assert before.keys() == after.keys()
    assert any(after[each] != before[each] for each in after)
    assert panel.views["look.rounds"].row.source == "set"


def test_resetting_brings_picture_and_counts_back(shown):
    driven, panel = shown
    driven.session.drawing.set_value("look.rounds", (3.0,))
    driven.complete()
    assert body_count(driven) > 0
    panel.views["look.rounds"].back.click()
    driven.complete()
    assert body_count(driven) == 0
    assert not panel.views["look.rounds"].row.is_set


def test_typing_keeps_values_and_widgets_of_what_is_still_declared(shown, qtbot):
    driven, panel = shown
    driven.session.drawing.set_value("look.rounds", (3.0,))
    driven.complete()
    view = panel.views["look.rounds"]
    driven.edit(SLIDERS.replace("vec3 paint", "vec3 paint; float more").replace("0.25", "0.5"))
    driven.wait(lambda: "look.more" in panel.views, "the new row")
    driven.complete()
    assert panel.views["look.rounds"] is view
    assert view.row.value == (3.0,)
    assert body_count(driven) == 3 * 1024 * 768


def test_a_shader_without_inputs_says_so(shown):
    driven, panel = shown
    text = "#version 450\nlayout(location = 0) out vec4 c;\nvoid main() { c = vec4(1.0); }\n"
    driven.show(text)
    driven.wait(lambda: not panel.rows, "the empty state")
    assert panel.empty.isVisible()
    assert "no inputs" in panel.empty.text


def test_the_pane_opens_by_its_shortcut_and_a_value_is_set_without_a_mouse(shown, qtbot):
    driven, panel = shown
    window = driven.window
    window.layout_.show_tab(window.targets_panel)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.keyClick(window, Qt.Key.Key_2, Qt.KeyboardModifier.AltModifier)
    assert window.layout_.is_in_front(panel)
    field = panel.views["look.rounds"].editor.field
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, "2")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    driven.complete()
    assert driven.session.on_device.counts.draw.inputs.values["look.rounds"].value == (2.0,)


def test_a_default_that_decides_is_marked_in_text_pane_and_forecasts_until_it_is_set(shown):
    driven, panel = shown
    sentence = "The loop in line 11 depends on 'look.rounds', guessed as 0"
    driven.wait(lambda: panel.views["look.rounds"].row.decides == sentence, "the mark in the pane")
    here = "This loop depends on 'look.rounds', guessed as 0"
    assert [(d.line, d.message) for d in driven.session.diagnostics] == [(11, here)]
    driven.wait(
        lambda: all("look.rounds" in " ".join(f.warnings) for f in driven.session.forecasts),
        "forecasts that say so",
    )
    driven.session.drawing.set_value("look.rounds", (2.0,))
    driven.complete()
    assert panel.views["look.rounds"].row.decides == ""
    assert driven.session.diagnostics == ()
    assert not any("look.rounds" in " ".join(f.warnings) for f in driven.session.forecasts)


def test_pictures_are_shown_the_way_their_dialect_means_them(driven):
    rest = "c = vec4(step(3.0, gl_FragCoord.y)); }\n"
    image = driven.window.preview.picture
    for head, y_up, words in (
        ("#version 450\nlayout(location = 0) out vec4 c;\nvoid main() {", False, "GLSL, Y down"),
        ("void mainImage(out vec4 c, in vec2 at) {", True, "Shadertoy, Y up"),
    ):
        driven.show(head + rest)
        assert driven.session.program.dialect.y_up is y_up
        driven.wait(lambda words=words: words in status_texts(driven), f"{words} in the status bar")
        rows = [image.image.pixelColor(5, y).red() for y in (0, image.image.height() - 1)]
        assert rows == ([255, 0] if y_up else [0, 255])


def status_texts(driven) -> list[str]:
    bar = driven.window.statusBar()
    shown = (*bar.findChildren(QtWidgets.QLabel), *bar.findChildren(QtWidgets.QToolButton))
    return [each.text() for each in shown]


def test_a_mesh_is_drawn_counted_and_turned_by_the_mouse(driven, qtbot):
    text = "#version 450\nlayout(location = 0) out vec4 c;\nvoid main() { c = vec4(1.0); }\n"
    driven.show(text)
    drawing = driven.session.drawing
    picture = driven.window.preview.picture
    try:
        drawing.set_shape(Body.CUBE)
        driven.complete()
        (count,) = {block.count for block in driven.session.trace.blocks}
        width, height = driven.session.trace.size
        assert 0 < count < width * height, "the pixels that the cube covers"
        assert picture.image.pixelColor(0, 0).red() == 0
        assert middle(driven) == (255, 255, 255)
        before, lit = drawing.geometry.camera, lit_pixels(picture.image)
        place = picture.picture_rect().center().toPoint()
        qtbot.mousePress(picture, Qt.MouseButton.LeftButton, pos=place)
        qtbot.mouseMove(picture, place + QPoint(25, 10))
        qtbot.mouseRelease(picture, Qt.MouseButton.LeftButton, pos=place + QPoint(25, 10))
        assert drawing.geometry.camera != before
        driven.complete()
        assert lit_pixels(picture.image) != lit, "seen from another side"
    finally:
        drawing.set_shape(Body.FULL_SCREEN)
        drawing.set_camera(DEFAULT_CAMERA)
        driven.complete()


def lit_pixels(image) -> int:
    return sum(
        image.pixelColor(x, y).red() > 0
        for x in range(0, image.width(), 2)
        for y in range(image.height())
    )


SAMPLED = """\
#version 450
layout(location = 0) out vec4 c;
layout(set = 0, binding = 0) uniform Look { bool lit; };
layout(set = 0, binding = 1) uniform texture2D wall;
layout(set = 0, binding = 2) uniform sampler smp;
void main() {
    c = lit ? texture(sampler2D(wall, smp), vec2(1.25, 0.5)) : vec4(0.0, 0.0, 1.0, 1.0);
}
"""


def test_a_separate_sampler_and_a_bool_of_a_block_have_editors(driven, qtbot):
    driven.window.layout_.show_tab(driven.window.inputs_panel)
    driven.show(SAMPLED)
    panel = driven.window.inputs_panel
    driven.wait(lambda: {"lit", "wall", "smp"} <= panel.views.keys(), "the rows")
    qtbot.mouseClick(panel.views["lit"].editor.box, Qt.MouseButton.LeftButton)
    driven.session.drawing.set_texture("wall", Texture(Pattern.GRADIENT))
    driven.complete()
    driven.wait(lambda: middle(driven) != (0, 0, 255), "the texture")
    repeated = middle(driven)
    wraps = panel.views["smp"].editor.wraps
    wraps.setFocus()
    qtbot.keyClicks(wraps, "Clamp")
    wraps.activated.emit(wraps.currentIndex())
    driven.wait(lambda: middle(driven) != repeated, "the edge of the texture")
    assert driven.session.drawing.kept.inputs.textures["smp"].value.wrap is Wrap.CLAMP
    assert panel.views["smp"].row.is_set
    panel.views["smp"].back.click()
    driven.wait(lambda: middle(driven) == repeated, "the default again")
    for name in ("lit", "wall"):
        driven.session.drawing.reset_input(name)
