"""From a heat map's values to colours, texts, and back under the cursor."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.app.panels.preview.heat_legend import HeatLegend
from shaderlab.app.panels.preview.heat_overlay import LEAST_SPAN, HeatLayer, paint
from shaderlab.app.panels.preview.picture import Picture
from shaderlab.app.qt import QImage, QPainter, QPointF, QRectF
from shaderlab.app.widgets.heat_colours import heat_table
from shaderlab.app.widgets.theme import DARK, LIGHT
from shaderlab.spirv.heat import HeatKind, HeatMap, HeatView


def layer_of(values, kind=HeatKind.INSTRUCTIONS) -> HeatLayer:
    view = HeatView(kind)
    return HeatLayer(HeatMap(view, np.array(values, view.dtype)))


def colour(layer: HeatLayer, x: int, row_from_top: int) -> tuple[int, int, int, int]:
    return layer.image.pixelColor(x, row_from_top).getRgb()


def hot(index: int = -1) -> tuple[int, int, int, int]:
    return (*heat_table()[index].tolist(), 255)


def test_counts_go_from_the_least_to_the_largest_and_stand_upright():
    layer = layer_of([[10, 110, 1010], [510, 10, 1010]])
    assert (layer.low, layer.high, layer.ends) == (10, 1010, (10, 1010))
    assert (layer.image.width(), layer.image.height()) == layer.size == (3, 2)
    assert colour(layer, 0, 1) == hot(0)  # gl_FragCoord (0.5, 0.5) lies at the lower left
    assert colour(layer, 2, 1) == colour(layer, 2, 0) == hot()
    assert colour(layer, 0, 0) == hot(127)
    assert layer.value_at(1, 0) == 110
    assert layer.value_at(0, 1) == 510
    assert layer.position(510) == pytest.approx(0.5)


def test_a_little_difference_stays_a_little_difference():
    layer = layer_of([[1000, 1010]])
    assert layer.position(1000) == 0
    assert layer.position(1010) == pytest.approx(10 / (LEAST_SPAN * 1010), rel=1e-6)
    same = layer_of([[7, 7]])
    assert colour(same, 0, 0) == hot(0)


def test_pixels_where_a_block_never_ran_are_left_out():
    layer = layer_of([[0, 3], [9, 0]], HeatKind.BLOCKS)
    assert (layer.low, layer.high, layer.mean) == (3, 9, 6)
    assert colour(layer, 0, 1)[3] == colour(layer, 1, 0)[3] == 0
    assert colour(layer, 1, 1) == hot(85)
    assert colour(layer, 0, 0) == hot()
    once = layer_of([[0, 1]], HeatKind.BLOCKS)
    assert colour(once, 1, 0) == hot(), "a block that runs once is seen as well"
    assert layer.value_at(0, 0) is None
    assert layer.text(None) == "0 executions"
    none = layer_of([[0, 0]], HeatKind.BLOCKS)
    assert none.empty
    assert none.mean == 0
    assert colour(none, 0, 0)[3] == 0


def test_fewer_busy_lanes_are_hotter_on_a_fixed_scale():
    layer = layer_of([[1.0, 0.5, np.nan]], HeatKind.LANES)
    assert layer.ends == (1.0, 0.5)
    assert layer.position(1.0) == 0
    assert layer.position(0.5) == 0.5
    assert colour(layer, 0, 0) == hot(0)
    assert colour(layer, 1, 0) == hot(127)
    assert colour(layer, 2, 0)[3] == 0
    assert layer.value_at(2, 0) is None
    assert layer.text(0.5) == "50.0 % of lanes active"
    assert layer.short_text(0.5) == "50 %"


def test_texts_are_exact():
    layer = layer_of([[1, 12345678]])
    assert layer.text(1) == "1 instruction"
    assert layer.text(12345678) == "12,345,678 instructions"
    assert layer.short_text(12345678) == "12.3 M"


@given(
    st.lists(st.integers(0, 0xFFFFFFFF), min_size=1, max_size=30),
    st.sampled_from([HeatKind.INSTRUCTIONS, HeatKind.BLOCKS]),
)
def test_more_is_never_colder(values, kind):
    layer = layer_of([values], kind)
    lightness = [sum(colour(layer, x, 0)[:3]) for x in range(len(values))]
    shown = sorted((v, light) for v, light in zip(values, lightness, strict=True) if v or light)
    assert [light for _, light in shown] == sorted(light for _, light in shown)
    hottest = layer.position(layer.high)
    assert 0 <= hottest <= 1
    assert all(0 <= layer.position(v) <= hottest for v, _ in shown if v >= layer.low)


def test_values_outlive_the_frame_they_came_with():
    view = HeatView(HeatKind.INSTRUCTIONS)
    memory = np.full((2, 2), 5, np.uint32)
    layer = HeatLayer(HeatMap(view, memory))
    memory[:] = 0
    assert layer.value_at(0, 0) == 5


def painted(layer, opacity) -> QImage:
    picture = QImage(2, 1, QImage.Format.Format_RGBX8888)
    picture.fill("#ff0000")
    canvas = QImage(20, 10, QImage.Format.Format_RGB32)
    painter = QPainter(canvas)
    paint(painter, QRectF(0, 0, 20, 10), picture, layer, opacity)
    painter.end()
    return canvas


def test_the_heat_lies_over_the_picture_without_its_colours():
    bare = painted(None, 1.0).pixelColor(3, 3)
    assert bare.red() == bare.green() == bare.blue() > 0
    layer = layer_of([[0, 8]])
    full = painted(layer, 1.0)
    assert full.pixelColor(9, 5).getRgb() == hot(0)  # enlarged pixels keep their edges
    assert full.pixelColor(10, 5).getRgb() == hot()
    half = painted(layer, 0.5).pixelColor(15, 5)
    expected = [(a + bare.red()) / 2 for a in hot()[:3]]
    assert half.getRgb()[:3] == pytest.approx(expected, abs=2)


@pytest.fixture
def picture(qtbot) -> Picture:
    made = Picture(LIGHT)
    qtbot.addWidget(made)
    made.resize(400, 200)
    image = QImage(40, 40, QImage.Format.Format_RGBX8888)
    image.fill(0)
    made.set_image(image)  # lies at x 100..300
    return made


@pytest.mark.parametrize(
    ("at", "pixel"),
    [
        ((100.5, 199.5), (0, 0)),
        ((299.5, 0.5), (39, 39)),
        ((104.9, 195.1), (0, 0)),
        ((105.1, 194.9), (1, 1)),
        ((99.0, 100.0), None),
        ((301.0, 100.0), None),
    ],
)
def test_the_cursor_points_at_a_pixel_as_gl_fragcoord_counts(picture, at, pixel):
    picture.set_heat(True)
    picture._point(QPointF(*at))
    assert picture.pixel == pixel
    assert picture.readout == ""  # nothing is known of it yet
    values = np.arange(1600).reshape(40, 40)
    layer = layer_of(values)
    picture.set_heat(True, layer)
    if pixel is None:
        assert picture.readout == ""
        assert picture.heat_value is None
    else:
        x, y = pixel
        assert picture.heat_value == values[y, x]
        assert picture.readout == f"({x}.5, {y}.5)  {layer.text(values[y, x].item())}"
    picture.set_heat(False)
    assert picture.readout == ""


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_legend_tells_ends_average_and_the_value_pointed_at(qtbot, theme):
    legend = HeatLegend(theme, [])
    qtbot.addWidget(legend)
    legend.resize(500, 30)
    legend.show()
    layer = layer_of([[1000, 2000, 6000]])
    legend.show_layer(layer)
    assert legend.texts == ("1.00 k", "6.00 k")
    assert "3.00 k on average" in legend.scale.tip()
    legend.point_at(3500)
    assert legend.scale.marker == pytest.approx(0.5)
    image = legend.scale.grab().toImage()
    assert image.pixelColor(image.width() - 8, 9).lightness() > 150
    assert image.pixelColor(8, 9).lightness() < 80
    legend.point_at(None)
    assert legend.scale.marker is None
    legend.say("Counting")
    assert legend.texts == ("", "")
    assert legend.message == "Counting"
    legend.show_layer(layer_of([[0]], HeatKind.BLOCKS))
    assert "Not executed" in legend.message


def test_the_legend_hands_on_the_opacity(qtbot):
    legend = HeatLegend(LIGHT, [])
    qtbot.addWidget(legend)
    told = []
    legend.opacity_changed.connect(told.append)
    legend.set_opacity(40)
    legend.set_opacity(1000)
    assert told[-1] == 100
    assert 40 in told


def test_with_y_down_row_0_of_the_heat_is_the_top():
    view = HeatView(HeatKind.BLOCKS, frozenset({1}))
    heat = HeatMap(view, np.array([[0, 0], [7, 7]], view.dtype))
    for y_up, filled in ((True, 0), (False, 1)):
        image = HeatLayer(heat, y_up).image
        alphas = [image.pixelColor(0, row).alpha() for row in (0, 1)]
        assert alphas[filled] > 0 == alphas[1 - filled]
