"""Language, stage, entry point and macros chosen in the window, and kept in the project file."""

import tomllib

import pytest

from shaderlab.app.qt import QAction, Qt, QtWidgets
from shaderlab.app.shell.reading_dialog import ReadingDialog
from shaderlab.frontend.program import Dialect
from shaderlab.frontend.reading import RECOGNISED
from shaderlab.projects.project import beside

TWO = """\
float4 red() : SV_Target { return float4(1, 0, 0, 1); }
float4 green() : SV_Target { return float4(0, SHADE, 0, 1); }
"""


@pytest.fixture
def two(driven, tmp_path):
    path = tmp_path / "two.txt"
    path.write_text("#ifndef SHADE\n#define SHADE 1\n#endif\n" + TWO)
    driven.editor.set_unmodified()
    driven.window.documents.new()
    assert driven.window.documents.open(path)
    driven.wait(lambda: driven.session.compiling.settled, "an answer")
    yield path
    driven.editor.set_unmodified()
    driven.session.reading.choose(RECOGNISED)
    driven.window.documents.save()
    driven.window.documents.new()


def choose(driven, *path: str) -> None:
    """Open the menu of the status bar with a click and take the entry of that name."""
    menu = driven.window.reading_menu
    menu.menu.aboutToShow.emit()
    found = menu.menu
    for name in path:
        if name.startswith("&"):
            found = next(each.menu() for each in found.actions() if each.text() == name)
        else:
            driven.wait(lambda name=name, menu=found: entries(menu).get(name), name)
            entries(found)[name].trigger()


def entries(menu: QtWidgets.QMenu) -> dict[str, QAction]:
    """By text, without what is recognised."""
    return {each.text().partition(" (")[0]: each for each in menu.actions()}


def middle(driven) -> tuple[int, int, int] | None:
    """Colour of the preview's middle; None before its first picture."""
    image = driven.window.preview.picture.image
    if image is None:
        return None
    colour = image.pixelColor(image.width() // 2, image.height() // 2)
    return colour.red(), colour.green(), colour.blue()


def test_language_and_entry_point_are_chosen_kept_and_left_to_themselves_again(driven, two):
    window, session = driven.window, driven.session
    button = window.reading_menu.button
    choose(driven, "HLSL")
    driven.complete()
    driven.wait(lambda: "HLSL (set by you), Y down" in button.text(), "what was chosen")
    assert session.program.dialect is Dialect.HLSL
    choose(driven, "&Entry point", "red")
    driven.wait(lambda: middle(driven) == (255, 0, 0), "the first function's picture")
    choose(driven, "&Entry point", "green")
    driven.wait(lambda: middle(driven) == (0, 255, 0), "the second function's picture")
    driven.wait(lambda: "green" in button.text(), "what was chosen")
    assert window.documents.project.is_modified
    window.documents.save()
    written = tomllib.loads(beside(two).read_text())
    assert (written["language"], written["entry"]) == ("hlsl", "green")
    choose(driven, "&Entry point", "Automatic")
    choose(driven, "Automatic")
    window.documents.save()
    driven.wait(lambda: "chosen" not in button.text(), "what is recognised")
    assert "language" not in tomllib.loads(beside(two).read_text())


def test_macros_typed_into_the_form_change_the_picture_and_are_kept(driven, two, qtbot):
    window = driven.window
    choose(driven, "HLSL")
    choose(driven, "&Entry point", "green")
    driven.wait(lambda: middle(driven) == (0, 255, 0), "the picture")
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    held = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier

    def opened() -> ReadingDialog | None:
        """A key that comes while the window is only becoming active is lost."""
        qtbot.keyClick(window, Qt.Key.Key_M, held)
        return window.findChild(ReadingDialog)

    driven.wait(opened, "the form")
    dialog = window.findChild(ReadingDialog)
    qtbot.keyClicks(dialog.macros, "SHADE=0.5")
    ok = dialog.buttons.button(QtWidgets.QDialogButtonBox.StandardButton.Ok)
    qtbot.mouseClick(ok, Qt.MouseButton.LeftButton)
    driven.wait(lambda: (middle(driven) or (0, 0, 0))[1] in (127, 128), "half the green")
    window.documents.save()
    assert tomllib.loads(beside(two).read_text())["defines"] == {"SHADE": "0.5"}


def test_another_stage_compiles_and_says_that_it_is_not_drawn(driven, two):
    driven.edit("void main() { gl_Position = vec4(0.0); }\n")
    choose(driven, "&Stage", "Vertex")
    driven.wait(
        lambda: any("vertex shader compiles" in each for each in driven.problems()), "the sentence"
    )
    choose(driven, "&Stage", "Automatic")
    driven.wait(
        lambda: not any("vertex shader compiles" in each for each in driven.problems()), "errors"
    )
