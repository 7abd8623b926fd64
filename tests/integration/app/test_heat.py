"""Heat maps over the preview of a real window, from real draws."""

from __future__ import annotations

from concurrent.futures import Future

import numpy as np
import pytest

from shaderlab.app.qt import QApplication, QEvent, QPointF, Qt, QtGui
from shaderlab.errors import OutOfDeviceMemory
from shaderlab.spirv.heat import HeatKind
from shaderlab.workers.device import DeviceWorker

DISC = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    float total = 0.0;
    if (distance(fragCoord, vec2(200.5, 60.5)) < 30.0) {
        for (int i = 0; i < 50; i++) {
            total += 0.01;
        }
    }
    fragColor = vec4(fragCoord / iResolution.xy, total, 1.0);
}
"""
MOVING = DISC.replace("vec2(200.5, 60.5)", "vec2(100.0 + 40.0 * iTime, 60.5)")
UNIFORM = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    fragColor = vec4(fragCoord / iResolution.xy, 0.5, 1.0);
}
"""
CHECKERBOARD = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    float total = 0.0;
    if ((int(fragCoord.x) + int(fragCoord.y)) % 2 == 0) {
        for (int i = 0; i < 50; i++) {
            total += 0.01;
        }
    }
    fragColor = vec4(total);
}
"""
WIDTH, HEIGHT = 320, 180


@pytest.fixture
def heat(driven, monkeypatch):
    """The window's heat control, paused, with every request for heat written down."""
    asked = []
    render_heat = DeviceWorker.render_heat

    def watched(self, frame, view, shown=""):
        asked.append((frame.shown, view))
        return render_heat(self, frame, view, shown)

    monkeypatch.setattr(DeviceWorker, "render_heat", watched)
    driven.session.on_device.pictures.playback.pause()
    control = driven.window.heat
    control.asked = asked
    yield control
    control.show(False)
    driven.window.settings.heat_kind = HeatKind.INSTRUCTIONS
    driven.session.on_device.pictures.playback.play()


@pytest.fixture
def layer(driven, heat):
    """Waits for the heat map that is wanted now, and answers it."""

    def wait():
        picture = driven.window.preview.picture
        driven.wait(
            lambda: picture.heat is not None and picture.heat.view == heat.wanted, "the heat map"
        )
        return picture.heat

    return wait


def in_disc(x: float = 200.5) -> np.ndarray:
    columns, rows = np.meshgrid(np.arange(WIDTH) + 0.5, np.arange(HEIGHT) + 0.5)
    return np.hypot(columns - x, rows - 60.5) < 30


def point_at(driven, x: int, y: int) -> None:
    """Move the mouse over the middle of the pixel with gl_FragCoord (x + 0.5, y + 0.5)."""
    picture = driven.window.preview.picture
    place = picture.picture_rect()
    at = QPointF(
        place.left() + (x + 0.5) * place.width() / WIDTH,
        place.bottom() - (y + 0.5) * place.height() / HEIGHT,
    )
    # Sent, not played on the screen, which may be smaller than the window.
    kind, no = QEvent.Type.MouseMove, Qt.MouseButton.NoButton
    everywhere = picture.mapToGlobal(at)
    event = QtGui.QMouseEvent(kind, at, everywhere, no, no, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(picture, event)


def test_nothing_is_asked_for_while_heat_maps_are_off(driven, heat, layer):
    driven.show(DISC)
    driven.session.on_device.pictures.step()
    driven.window.blocks_panel.choose(0)
    driven.session.on_device.toggle_play()
    seen = driven.session.on_device.pictures.frame
    driven.wait(lambda: driven.session.on_device.pictures.frame is not seen, "a frame")
    assert heat.asked == []
    assert driven.window.preview.heat_legend.isHidden()
    driven.session.on_device.toggle_play()
    heat.show(True)
    layer()
    number = len(heat.asked)
    assert number > 0
    heat.show(False)
    driven.wait(lambda: driven.session.on_device.pictures.frame.heat is None, "a plain picture")
    driven.session.on_device.pictures.step()
    driven.wait(lambda: not driven.session.on_device.task, "the next frame")
    assert len(heat.asked) == number
    assert driven.window.preview.picture.heat is None


def test_the_most_expensive_pixels_are_those_of_the_disc(driven, heat, layer):
    driven.show(DISC)
    heat.show(True)
    values = layer().values
    assert values.shape == (HEIGHT, WIDTH)
    assert np.array_equal(values == values.max(), in_disc())
    inside, outside = int(values.max()), int(values.min())
    legend = driven.window.preview.heat_legend
    assert legend.texts == (str(outside), str(inside))
    for (x, y), expected in (((200, 60), inside), ((200, 119), outside), ((0, 0), outside)):
        point_at(driven, x, y)
        picture = driven.window.preview.picture
        assert picture.pixel == (x, y)
        assert picture.heat_value == expected
        assert picture.readout == f"({x}.5, {y}.5)  {expected} instructions"
    image = picture.grab().toImage()
    place, ratio = picture.picture_rect(), picture.devicePixelRatioF()

    def lightness(x: int, y: int) -> int:
        left = place.left() + (x + 0.5) * place.width() / WIDTH
        top = place.bottom() - (y + 0.5) * place.height() / HEIGHT
        return image.pixelColor(int(left * ratio), int(top * ratio)).lightness()

    assert lightness(205, 75) > lightness(40, 75) + 40
    assert lightness(205, 45) > lightness(280, 45) + 40


def test_it_is_the_heat_of_the_picture_shown(driven, heat, layer):
    driven.show(MOVING)
    heat.show(True)
    for _ in range(3):
        former = driven.session.on_device.pictures.frame
        driven.session.on_device.pictures.step()
        driven.wait(
            lambda former=former: driven.session.on_device.pictures.frame is not former, "a frame"
        )
        frame = driven.session.on_device.pictures.frame
        assert frame.heat is not None
        # The picture's third channel says where the loop ran in this very draw.
        values = layer().values
        assert np.array_equal(values == values.max(), frame.pixels[..., 2] > 64)
    driven.session.on_device.toggle_play()
    seen = []
    while len(seen) < 5:
        former = driven.session.on_device.pictures.frame
        driven.wait(
            lambda former=former: driven.session.on_device.pictures.frame is not former, "a frame"
        )
        seen.append(driven.session.on_device.pictures.frame.heat)
    assert all(one is not None for one in seen), "playing goes on with heat maps"


def test_lanes_of_a_uniform_shader_are_all_busy_those_of_a_checkerboard_are_not(
    driven, heat, layer
):
    driven.show(UNIFORM)
    heat.choose(HeatKind.LANES)
    assert (layer().values == 1.0).all()
    assert driven.window.preview.heat_legend.texts == ("100 %", "100 %")
    assert all(block.divergence == 1.0 for block in driven.session.trace.blocks)
    driven.show(CHECKERBOARD)
    values = layer().values
    assert 0.5 <= values.min() <= values.max() < 0.6
    panel = driven.front("blocks")
    busy = {row.count: row.busy for row in panel.model.rows if row.count}
    assert busy[1024 * 768] == 1.0
    assert busy[50 * 1024 * 768 // 2] == 0.5
    shown = {panel.model.index(row, 5).data() for row in range(panel.model.rowCount())}
    assert {"100 %", "50 %"} <= shown


def test_executions_of_the_chosen_block_follow_the_choice(driven, heat, layer):
    driven.show(DISC)
    window = driven.window
    panel, legend = driven.front("blocks"), window.preview.heat_legend
    panel.table.clearSelection()
    heat.choose(HeatKind.BLOCKS)
    assert "Select a block" in legend.message
    rows = panel.model.rows
    body = next(i for i, row in enumerate(rows) if row.count == 50 * in_big_disc())
    panel.choose(body)
    driven.wait(lambda: heat.wanted is not None, "the choice")
    assert np.array_equal(layer().values, np.where(in_disc(), 50, 0))
    assert legend.texts == ("50", "50")
    assert heat.title == f"Executions of %{rows[body].label}"
    driven.editor.go_to(3, 1)  # the caret chooses the block of its line
    driven.wait(lambda: heat.wanted.labels != {rows[body].label}, "the caret's choice")
    assert (layer().values >= 1).all()
    panel.table.clearSelection()
    driven.wait(lambda: "Select a block" in legend.message, "a hint")
    driven.wait(lambda: window.preview.picture.heat is None, "the bare picture")


def test_the_map_of_a_block_follows_the_caret_while_the_blocks_are_behind_a_tab(
    driven, heat, layer
):
    driven.show(DISC)
    driven.front("targets")
    driven.editor.go_to(3, 1)
    heat.choose(HeatKind.BLOCKS)
    driven.wait(lambda: heat.wanted is not None, "the block of the caret's line")
    first = heat.wanted.labels
    loop = next(n for n, text in enumerate(DISC.split("\n"), 1) if "i < 50" in text)
    driven.editor.go_to(loop + 1, 1)
    driven.wait(lambda: heat.wanted.labels not in (first, frozenset()), "the block of the loop")
    assert not driven.window.blocks_panel.isVisible()


def in_big_disc() -> int:
    """Pixels of the disc in the canonical picture, where it lies wholly inside too."""
    return int(in_disc().sum())


def test_it_comes_back_after_an_edit(driven, heat, layer):
    driven.show(DISC)
    heat.show(True)
    first = layer()
    driven.edit(DISC.replace("i < 50", "i < 80"))
    driven.complete()
    driven.wait(lambda: driven.window.preview.picture.heat not in (None, first), "the new heat map")
    assert layer().high > first.high
    heat.show(False)
    assert driven.window.preview.picture.heat is None


def test_the_command_its_shortcut_and_the_kinds_switch_it(driven, heat, layer):
    driven.show(DISC)
    window = driven.window
    actions = window.actions_
    actions["view.heat"].trigger()
    assert heat.shown
    assert actions["view.heat"].isChecked()
    layer()
    actions["view.heat"].trigger()
    assert not heat.shown
    actions["view.heat_lanes"].trigger()
    assert heat.shown
    assert layer().view.kind is HeatKind.LANES
    assert [
        actions[f"view.heat_{name}"].isChecked() for name in ("instructions", "lanes", "blocks")
    ] == [False, True, False]
    window.preview.heat_legend.set_opacity(30)
    assert window.settings.heat_opacity == 30
    window.preview.heat_legend.set_opacity(75)


def test_without_counts_the_picture_plays_on_and_the_legend_says_why(driven, heat, monkeypatch):
    asked = []

    def refuses(self, frame, view, shown=""):
        asked.append(frame.shown.program.digest)
        answer = Future()
        answer.set_exception(OutOfDeviceMemory("9 counters do not fit 1 MiB"))
        return answer

    monkeypatch.setattr(DeviceWorker, "render_heat", refuses)
    driven.show(DISC)
    heat.show(True)
    legend, lane = driven.window.preview.heat_legend, driven.session.on_device
    driven.wait(lambda: legend.message == "9 counters do not fit 1 MiB", "the reason")
    for _ in range(3):
        former = lane.pictures.frame
        lane.pictures.step()
        driven.wait(lambda former=former: lane.pictures.frame is not former, "a plain picture")
        assert lane.pictures.frame.heat is None
    assert lane.pictures.error is None
    assert len(asked) == 1, "asked again only for another program"
    driven.edit(DISC.replace("i < 50", "i < 40"))
    driven.wait(lambda: len(set(asked)) == 2, "another try with another program")
    driven.complete()
