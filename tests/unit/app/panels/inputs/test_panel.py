"""Rows on screen: kept where their input is kept, edited, filtered, laid out."""

from dataclasses import replace
from pathlib import Path

import pytest

from shaderlab.app.panels.inputs.panel import MOST_SHOWN, InputsPanel
from shaderlab.app.panels.inputs.rows import Editor, Limits, Row
from shaderlab.app.panels.inputs.texture_editor import TextureEditor
from shaderlab.app.qt import QImage, Qt, QtCore, QtGui, QtWidgets, QWidget
from shaderlab.app.widgets.theme import DARK, LIGHT
from shaderlab.scene.textures import BLACK, Filter, ImageFile, Pattern, Texture
from shaderlab.spirv.value_types import Component, Numeric

FLOAT, VEC3 = Numeric(Component.FLOAT), Numeric(Component.FLOAT, rows=3)
MAT2 = Numeric(Component.FLOAT, rows=2, columns=2)


def number(name="speed", value=0.5, **more) -> Row:
    return Row(name, "float", Editor.NUMBER, (value,), "default", FLOAT, **more)


def picture(name="picture", value=BLACK) -> Row:
    return Row(name, "sampler2D", Editor.TEXTURE, value, "default")


ROWS = (
    number(),
    Row("tint", "vec3", Editor.COLOUR, (1.0, 0.5, 0.0), "default", VEC3),
    Row("turn", "mat2", Editor.MATRIX, (1.0, 2.0, 3.0, 4.0), "default", MAT2),
    Row("on", "bool", Editor.SWITCH, (1.0,), "default", Numeric(Component.BOOL)),
    Row("mode", "int", Editor.CHOICE, (1.0,), "default", Numeric(Component.INT),
        choices=(("off", 0.0), ("on", 1.0))),
    Row("weights", "float[3]", Editor.LIST, (1.0, 2.0, 3.0), "default", FLOAT),
    Row("t", "float", Editor.FOLLOWING, (0.25,), "guessed: time in seconds", FLOAT),
    picture(),
)  # fmt: skip
PROVIDED = (Row("iTime", "float", Editor.NOTHING, (0.0,), "time in seconds", FLOAT),)


class Bench:
    def __init__(self, qtbot):
        self.panel = InputsPanel(LIGHT)
        qtbot.addWidget(self.panel)
        self.panel.resize(620, 400)
        self.panel.show()
        self.edits: list[tuple[str, object]] = []
        self.panel.edited.connect(lambda name, value: self.edits.append((name, value)))

    def settle(self) -> None:
        """Have layouts done that wait for the event loop."""
        QtWidgets.QApplication.processEvents()

    def editor(self, name: str):
        return self.panel.views[name].editor


@pytest.fixture
def bench(qtbot):
    return Bench(qtbot)


def test_every_input_has_a_row_the_provided_ones_last(bench):
    bench.panel.show_rows(ROWS, PROVIDED)
    assert list(bench.panel.views) == [row.name for row in (*ROWS, *PROVIDED)]
    tops = [view.y() for view in bench.panel.views.values()]
    assert tops == sorted(tops)


def test_a_row_stays_the_same_widget_while_its_input_does(bench):
    bench.panel.show_rows(ROWS, PROVIDED)
    before = dict(bench.panel.views)
    changed = (replace(ROWS[0], value=(0.75,), source="set", is_set=True), *ROWS[1:])
    bench.panel.show_rows(changed, PROVIDED)
    assert bench.panel.views == before
    assert bench.editor("speed").field.text() == "0.75"
    # Another input came, one went, one has another type.
    others = (number("new"), *changed[:1], replace(ROWS[1], type="vec4"), *changed[3:])
    bench.panel.show_rows(others, PROVIDED)
    assert list(bench.panel.views) == [row.name for row in (*others, *PROVIDED)]
    for name in ("speed", "on", "picture", "iTime"):
        assert bench.panel.views[name] is before[name]
    assert bench.panel.views["tint"] is not before["tint"]


def test_a_number_half_typed_survives_an_update(bench, qtbot):
    bench.panel.show_rows(ROWS, ())
    field = bench.editor("speed").field
    field.selectAll()
    qtbot.keyClicks(field, "0.12")
    bench.panel.show_rows((replace(ROWS[0], source="set"), *ROWS[1:]), ())
    assert field.text() == "0.12"


def test_a_slider_gives_a_number_and_a_number_moves_the_slider(bench):
    limits = Limits(0.0, 2.0, are_given=True)
    bench.panel.show_rows([number(limits=limits)], ())
    editor = bench.editor("speed")
    assert editor.slider.value() / editor.slider.maximum() == pytest.approx(0.25)
    editor.slider.setValue(editor.slider.maximum())
    assert bench.edits == [("speed", (2.0,))]
    editor.field.setText("1")
    editor.field.editingFinished.emit()
    assert bench.edits[-1] == ("speed", (1.0,))
    assert editor.slider.value() / editor.slider.maximum() == pytest.approx(0.5)
    editor.field.setText("50")
    editor.field.editingFinished.emit()
    assert bench.edits[-1] == ("speed", (50.0,)), "the slider's end is not the field's"


def test_a_range_nobody_gave_does_not_shrink_under_the_hand(bench):
    bench.panel.show_rows([number(value=3.0, limits=Limits(0.0, 4.0))], ())
    slider = bench.editor("speed").slider
    slider.setValue(slider.maximum() // 10)
    bench.panel.show_rows([number(value=0.4, limits=Limits(0.0, 1.0))], ())
    assert slider.value() == slider.maximum() // 10


def test_a_slider_begins_with_the_range_of_its_row(bench):
    bench.panel.show_rows([number(value=0.0, limits=Limits(0.0, 16.0, 1.0))], ())
    slider = bench.editor("speed").slider
    slider.setValue(2)
    assert bench.edits == [("speed", (2.0,))]


def test_a_step_is_a_notch(bench):
    row = number(value=4.0, limits=Limits(0.0, 10.0, 2.0, are_given=True))
    bench.panel.show_rows([row], ())
    slider = bench.editor("speed").slider
    assert (slider.maximum(), slider.value()) == (5, 2)
    slider.setValue(3)
    assert bench.edits == [("speed", (6.0,))]


def test_other_editors(bench):
    bench.panel.show_rows(ROWS, ())
    bench.editor("on").box.click()
    assert bench.edits[-1] == ("on", (0.0,))
    box = bench.editor("mode").box
    assert box.currentText() == "on"
    box.activated.emit(0)
    box.setCurrentIndex(0)
    box.activated.emit(0)
    assert bench.edits[-1] == ("mode", (0.0,))
    fields = bench.editor("turn").fields
    assert [field.text() for field in fields] == ["1", "2", "3", "4"]
    fields[2].step(1)
    assert bench.edits[-1] == ("turn", (1.0, 2.0, 3.1, 4.0))
    line = bench.editor("weights").line
    line.setText("4, 5, 6")
    line.editingFinished.emit()
    assert bench.edits[-1] == ("weights", (4.0, 5.0, 6.0))
    line.setText("4, five, 6")
    line.editingFinished.emit()
    assert line.text() == "4, 5, 6"
    tint = bench.editor("tint")
    tint._on_colour(QtGui.QColor.fromRgbF(0.0, 1.0, 0.5))
    name, value = bench.edits[-1]
    assert (name, value) == ("tint", pytest.approx((0.0, 1.0, 0.5), abs=1e-3))


def test_a_matrix_is_written_as_on_paper(bench):
    bench.panel.show_rows(ROWS, ())
    bench.settle()
    first, second, third, _ = bench.editor("turn").fields
    assert second.y() > first.y(), "the first column goes down"
    assert third.x() > first.x()


def test_a_value_that_follows_can_be_replaced_by_the_one_it_has(bench):
    bench.panel.show_rows(ROWS, ())
    bench.editor("t")._own.click()
    assert bench.edits == [("t", (0.25,))]


def test_the_way_back_is_there_where_something_was_set(bench, qtbot):
    bench.panel.show_rows([number(), number("glow", is_set=True)], ())
    assert not bench.panel.views["speed"].back.isVisible()
    with qtbot.waitSignal(bench.panel.reset) as reset:
        bench.panel.views["glow"].back.click()
    assert reset.args == ["glow"]


def test_a_default_that_decides_is_marked(bench):
    sentence = "The loop in line 12 depends on 'steps', guessed as 0"
    row = replace(number("steps", decides=sentence), source="guessed; affects control flow")
    bench.panel.show_rows([row], ())
    source = bench.panel.views["steps"].source
    assert source.property("role") == "warning"
    assert source.text() == row.source
    assert sentence in source.toolTip()
    bench.panel.show_rows([number("steps", is_set=True)], ())
    assert source.property("role") == "dim"


def test_a_texture_offers_patterns_files_and_sampling(bench, qtbot):
    bench.panel.show_rows([picture()], ())
    editor = bench.editor("picture")
    assert isinstance(editor, TextureEditor)
    names = [editor.sources.itemText(n) for n in range(editor.sources.count())]
    assert {"Black", "Noise", "Blue noise", "Checker", "Normal map"} < set(names)
    editor.sources.setCurrentIndex(names.index("Noise"))
    editor.sources.activated.emit(names.index("Noise"))
    assert bench.edits[-1] == ("picture", Texture(Pattern.NOISE))
    bench.panel.show_rows([picture(value=Texture(Pattern.NOISE))], ())
    with qtbot.waitSignal(bench.panel.file_wanted) as wanted:
        editor.sources.setCurrentIndex(len(names) - 1)
        editor.sources.activated.emit(len(names) - 1)
    assert wanted.args == ["picture", Texture(Pattern.NOISE)]
    assert editor.sources.currentText() == "Noise", "until a file is chosen"
    editor.menu.aboutToShow.emit()
    (nearest,) = (a for a in editor.menu.actions() if a.text() == "Nearest")
    nearest.trigger()
    assert bench.edits[-1] == ("picture", Texture(Pattern.NOISE, Filter.NEAREST))


def test_an_image_file_shows_its_name_and_small_picture_and_can_be_flipped(bench):
    texture = Texture(ImageFile(Path("/somewhere/wood.png")))
    wanted = []
    bench.panel.thumbnail_wanted.connect(lambda name, asked: wanted.append((name, asked)))
    bench.panel.show_rows([picture(value=texture)], ())
    assert ("picture", texture) in wanted
    editor = bench.editor("picture")
    assert editor.sources.currentText() == "wood.png"
    image = QImage(4, 4, QImage.Format.Format_RGB32)
    image.fill(0x336699)
    bench.panel.show_thumbnail("picture", Texture(Pattern.NOISE), image)
    assert editor.thumbnail.image is None, "of what it showed before"
    bench.panel.show_thumbnail("picture", texture, image)
    assert editor.thumbnail.image is image
    editor.menu.aboutToShow.emit()
    (flip,) = (a for a in editor.menu.actions() if a.text() == "Flip upside down")
    flip.trigger()
    (_, edited) = bench.edits[-1]
    assert edited.source.flipped


def test_a_file_can_be_dropped_on_a_texture(bench, qtbot, tmp_path):
    bench.panel.show_rows([picture()], ())
    data = QtCore.QMimeData()
    data.setUrls([QtCore.QUrl.fromLocalFile(str(tmp_path / "wood.png"))])
    with qtbot.waitSignal(bench.panel.file_dropped) as dropped:
        event = QtGui.QDropEvent(
            QtCore.QPointF(5, 5), Qt.DropAction.CopyAction, data,
            Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier,
        )  # fmt: skip
        bench.editor("picture").dropEvent(event)
    assert dropped.args == ["picture", BLACK, tmp_path / "wood.png"]


def test_long_lists_are_filtered_and_bounded(bench):
    rows = [number(f"value{n}") for n in range(MOST_SHOWN + 5)] + [picture("wood")]
    bench.panel.show_rows(rows, ())
    assert len(bench.panel.views) == MOST_SHOWN
    assert "6 more" in bench.panel.rest
    bench.panel.filter.setText("WOOD")
    assert list(bench.panel.views) == ["wood"]
    bench.panel.filter.setText("sampler2d")
    assert list(bench.panel.views) == ["wood"]
    bench.panel.filter.setText("nothing like it")
    assert not bench.panel.views
    assert "nothing like it" in bench.panel.rest
    bench.panel.show_rows([number()], ())
    assert list(bench.panel.views) == ["speed"], "no filter field, no filter"


@pytest.mark.parametrize(("width", "below"), [(620, False), (310, True)])
def test_a_narrow_pane_puts_editors_below_names(bench, width, below):
    bench.panel.resize(width, 400)
    bench.panel.show_rows(ROWS, PROVIDED)
    bench.settle()
    view = bench.panel.views["speed"]
    assert (view.editor.y() > view._name.y() + 5) is below
    wide = {name: view.minimumSizeHint().width() for name, view in bench.panel.views.items()}
    assert max(wide.values()) <= width, f"nothing is beyond the edge: {wide}"


def test_every_editor_can_be_reached_by_keyboard_and_has_a_name(bench):
    bench.panel.show_rows(ROWS, PROVIDED)
    focusable = [
        each
        for view in bench.panel.views.values()
        for each in (view.editor, *view.editor.findChildren(QtCore.QObject))
        if isinstance(each, QWidget)
        and each.focusPolicy() & Qt.FocusPolicy.TabFocus
        and not isinstance(each, QtWidgets.QListView)  # of a combo box, while it is open
    ]
    assert len(focusable) >= 2 + 4 + 4 + 5
    for each in focusable:
        assert each.accessibleName(), each


def test_both_themes(bench):
    bench.panel.show_rows(ROWS, PROVIDED)
    bench.panel.set_theme(DARK)
    bench.panel.set_theme(LIGHT)
    bench.panel.show_empty()
    assert bench.panel.rows == ()
