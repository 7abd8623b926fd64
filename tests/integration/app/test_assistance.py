"""Completion, parameter hints, definitions and renaming, by real keys in the window."""

from __future__ import annotations

import pytest

from shaderlab.app.qt import Qt, QtWidgets
from shaderlab.app.shell.rename_dialog import RenameDialog
from shaderlab.app.widgets.command_palette import CommandPalette
from shaderlab.language.syntax import Place

TEXT = """\
struct Ray { vec3 origin; vec3 direction; };

float falloff(vec2 place, float width)
{
    return exp(-dot(place, place) / width);
}

void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    Ray ray = Ray(vec3(0.0), vec3(1.0));
    vec3 colour = vec3(falloff(fragCoord / iResolution.xy, 0.5));

    fragColor = vec4(colour, 1.0);
}
"""
EMPTY_LINE = 12
KEYS = Qt.Key


@pytest.fixture
def keyboard(driven, qtbot):
    """Types into the text, the caret on its empty line."""
    window, editor = driven.window, driven.editor
    driven.show()
    editor.change_text(TEXT)
    window.activateWindow()
    editor.setFocus()
    editor.go_to(EMPTY_LINE, 1)
    view = editor.focusProxy()

    def press(keys: str | Qt.Key, modifier=Qt.KeyboardModifier.NoModifier) -> None:
        if isinstance(keys, str):
            for letter in keys:
                qtbot.keyClick(view, letter)
        else:
            qtbot.keyClick(view, keys, modifier)

    yield press
    window.completing.close()
    window.completing.hint.hide()
    driven.show()


def line(driven, number: int = EMPTY_LINE) -> str:
    return driven.editor.text.split("\n")[number - 1]


def test_a_name_is_completed_as_it_is_typed(driven, keyboard):
    popup = driven.window.completing.popup
    keyboard("fal")
    driven.wait(popup.isVisible, "completions")
    assert popup.offered[0] == "falloff"
    assert popup.chosen.detail == "float"
    keyboard(KEYS.Key_Return)
    assert line(driven) == "falloff"
    assert not popup.isVisible()
    keyboard("(")
    hint = driven.window.completing.hint
    driven.wait(hint.isVisible, "the hint")
    assert "<b>vec2 place</b>" in hint.text()
    keyboard("p, ")
    driven.wait(lambda: "<b>float width</b>" in hint.text(), "the second parameter")
    assert line(driven) == "falloff(p, )"  # the bracket was closed
    keyboard(")")
    driven.wait(lambda: not hint.isVisible(), "the hint to go")
    assert line(driven) == "falloff(p, )"


def test_members_follow_a_dot_and_keys_choose(driven, keyboard):
    popup = driven.window.completing.popup
    keyboard("ray.")
    driven.wait(popup.isVisible, "members")
    assert popup.offered == ["origin", "direction"]
    keyboard(KEYS.Key_Down)
    keyboard(KEYS.Key_Tab)
    assert line(driven) == "ray.direction"
    keyboard(".x")
    driven.wait(lambda: popup.isVisible() and popup.offered[0] == "xy", "swizzles")
    keyboard(KEYS.Key_Escape)
    assert not popup.isVisible()
    assert line(driven) == "ray.direction.x"


def test_completion_can_be_asked_for_and_says_what_a_built_in_does(driven, keyboard):
    popup = driven.window.completing.popup
    keyboard("s")
    assert not popup.isVisible()
    driven.window.actions_["edit.complete"].trigger()
    assert popup.isVisible()
    driven.wait(lambda: "sin" in popup.offered, "built-ins")
    while popup.chosen.name != "smoothstep":
        popup.step(1)
    assert "Hermite" in popup.about.text()


def test_f12_goes_to_the_definition_and_back(driven, keyboard):
    editor = driven.editor
    editor.go_to(11, 26)
    driven.window.actions_["edit.definition"].trigger()
    assert editor.caret == (3, 7)
    driven.window.actions_["edit.back"].trigger()
    assert editor.caret == (11, 26)


def test_uses_and_symbols_are_listed_and_chosen(driven, keyboard):
    editor, window = driven.editor, driven.window
    editor.go_to(11, 11)
    window.actions_["edit.references"].trigger()
    palette = window.findChild(CommandPalette)
    assert palette.table.topLevelItemCount() == 2
    palette.close()
    window.actions_["edit.outline"].trigger()
    palette = next(each for each in window.findChildren(CommandPalette) if each.isVisible())
    palette.line.setText("falloff")
    palette._accept()
    assert editor.caret[0] == 3


def rename_dialog(driven) -> RenameDialog:
    """The one that the key opens."""
    driven.window.actions_["edit.rename"].trigger()
    return next(each for each in driven.window.findChildren(RenameDialog) if each.isVisible())


def test_renaming_changes_every_use_as_one_step(driven, keyboard, qtbot):
    editor = driven.editor
    editor.go_to(11, 12)
    dialog = rename_dialog(driven)
    button = dialog.buttons.button(dialog.buttons.StandardButton.Ok)
    qtbot.keyClicks(dialog.line, "fragColor")
    assert "already means" in dialog.problem.text()
    assert not button.isEnabled()
    dialog.line.selectAll()
    qtbot.keyClicks(dialog.line, "tint")
    assert dialog.problem.text() == ""
    (lines,) = dialog.shown.values()
    assert [line.split(":")[0] for line in lines] == ["11", "13"]
    assert lines[1] == "13: fragColor = vec4(tint, 1.0);"
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert editor.text == TEXT.replace("colour", "tint")
    assert editor.caret == (11, 12)
    editor.undo()
    assert editor.text == TEXT
    dialog = rename_dialog(driven)
    qtbot.keyClicks(dialog.line, "other")
    qtbot.keyClick(dialog.line, Qt.Key.Key_Escape)
    assert editor.text == TEXT


@pytest.mark.parametrize("since", ["", "  "])
def test_a_name_of_an_included_file_is_renamed_in_both_and_taken_back(
    driven, tmp_path, qtbot, keyboard, since
):
    """Also where the text was edited `since`."""
    included, file = tmp_path / "noise.glsl", tmp_path / "main.frag"
    noise = (
        b"float hash(float x) { return fract(x); }\r\nfloat two(float x) { return hash(x); }\r\n"
    )
    included.write_bytes(noise)
    text = '#include "noise.glsl"\n' + TEXT.replace("0.5));", "hash(0.5)));")
    file.write_text(text)
    window, editor = driven.window, driven.editor
    editor.set_unmodified()
    assert window.documents.open(file)
    driven.complete()
    editor.go_to(12, editor.text.split("\n")[11].index("hash") + 1)
    dialog = rename_dialog(driven)
    assert [len(lines) for lines in dialog.shown.values()] == [1, 2]
    assert str(included) in list(dialog.shown)[1]
    qtbot.keyClicks(dialog.line, "two")
    assert "already means something in" in dialog.problem.text()
    dialog.line.selectAll()
    qtbot.keyClicks(dialog.line, "noise")
    qtbot.keyClick(dialog.line, Qt.Key.Key_Return)
    assert included.read_bytes() == noise.replace(b"hash", b"noise")
    assert editor.text == text.replace("hash", "noise")
    driven.wait(
        lambda: driven.session.complete and driven.session.program.text == editor.text,
        "the compile with both",
    )
    assert not driven.problems()
    editor.go_to(2, 1)
    keyboard(since)

    def offers() -> list[QtWidgets.QPushButton]:
        buttons = window.findChildren(QtWidgets.QPushButton)
        return [each for each in buttons if each.isVisible() and each.text() == "Undo"]

    # A notice that follows another within a quarter of a second is shown that much later.
    driven.wait(lambda: bool(offers()), "the notice that offers to undo it")
    qtbot.mouseClick(offers()[0], Qt.MouseButton.LeftButton)
    assert included.read_bytes() == noise
    assert editor.text == text.replace("\n", f"\n{since}", 1)
    editor.set_unmodified()
    driven.show()


def test_the_tip_over_a_name_says_what_it_is(driven, keyboard):
    about = driven.editor.about_name
    assert about(11, 26) == "float falloff(vec2 place, float width)\nLine 3"
    assert about(11, 54).startswith("vec3 iResolution = ")
    assert about(5, 12).endswith("e to the power x.")
    assert about(EMPTY_LINE, 1) == ""


def test_ctrl_d_adds_a_caret_at_the_next_occurrence(driven, keyboard):
    editor = driven.editor
    editor.go_to(11, 12)
    for _ in range(2):
        driven.window.actions_["edit.next_occurrence"].trigger()
    assert editor.carets == 2
    keyboard("x")
    assert editor.text.count("x =") == 1
    assert "vec4(x, 1.0)" in editor.text


def test_lines_move_and_functions_fold(driven, keyboard):
    editor = driven.editor
    editor.go_to(11, 1)
    driven.window.actions_["edit.lines_up"].trigger()
    assert line(driven, 10).lstrip().startswith("vec3 colour")
    editor.go_to(5, 1)
    driven.window.actions_["edit.fold"].trigger()
    assert editor.is_folded(4)
    driven.window.actions_["edit.fold"].trigger()
    assert not editor.is_folded(4)


def test_the_function_stays_in_sight_above_its_lines(driven, keyboard):
    editor, header = driven.editor, driven.window.sticky_header
    body = "\n".join(f"    fragColor.r += {i}.0;" for i in range(200))
    editor.change_text(TEXT.replace("    fragColor =", f"{body}\n    fragColor ="))
    driven.wait(lambda: len(driven.window.assistant.outline()) > 2, "the outline")
    editor.go_to(150)
    driven.wait(header.isVisible, "the header")
    assert header.line == 8
    assert header.text().startswith("void mainImage(")
    editor.go_to(1)
    driven.wait(lambda: not header.isVisible(), "the header to go")


def test_found_occurrences_are_numbered(driven, keyboard):
    window = driven.window
    window.actions_["edit.find"].trigger()
    window.find_bar.pattern.setText("place")
    assert window.find_bar._found.text() == "1 of 3"
    window.find_bar.find_next()
    assert window.find_bar._found.text() == "2 of 3"
    assert not window.find_bar.replacement.isVisible()
    window.actions_["edit.replace"].trigger()
    assert window.find_bar.replacement.isVisible()
    window.find_bar.close_bar()


def test_names_of_places_are_characters_not_bytes(driven, keyboard):
    editor = driven.editor
    editor.change_text("// größer 😀\nfloat a; // ü\nfloat b() { return a; }\n")
    editor.go_to(3, 20)
    assert driven.window.assistant.references() == [Place(2, 7), Place(3, 20)]


def test_a_very_long_text_is_parsed_only_when_asked_for(driven, keyboard):
    editor, window = driven.editor, driven.window
    filler = "\n".join(f"// {'.' * 90} {i}" for i in range(2500))
    editor.change_text(f"{TEXT}\n{filler}\n")
    editor.go_to(EMPTY_LINE, 1)
    assert not window.assistant.may_look
    assert editor.about_name(11, 26) == ""
    keyboard("fal")
    window.actions_["edit.complete"].trigger()
    assert window.completing.popup.offered[0] == "falloff"


def test_the_outline_follows_the_text_and_a_click_goes_there(driven, keyboard, qtbot):
    panel, editor = driven.window.outline_panel, driven.editor
    driven.window.actions_["view.outline"].trigger()
    driven.complete()
    driven.wait(lambda: len(panel.rows) == 3 and panel.rows[2].share, "functions with shares")
    assert [row.first for row in panel.rows] == [1, 3, 8]
    assert panel.rows[1].share > 0
    place = panel.table.visualRect(panel.model.index(1, 0)).center()
    qtbot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert editor.caret == (3, 7)
    editor.go_to(9)
    driven.wait(lambda: panel.table.currentIndex().row() == 2, "the row of the caret")
    editor.go_to(EMPTY_LINE, 1)
    keyboard("float unfinished(")
    driven.wait(lambda: not panel.rows or panel.rows[-1].share is None, "no share of another text")


def test_uses_are_found_in_included_files_and_chosen(driven, tmp_path):
    (tmp_path / "noise.glsl").write_text("float hash(float x) { return fract(x * 43.5); }\n")
    file = tmp_path / "shader.frag"
    file.write_text('#include "noise.glsl"\n' + TEXT.replace("0.5));", "hash(0.5)));"))
    driven.editor.set_unmodified()
    window = driven.window
    window.documents.open(file)
    driven.complete()
    line = next(n for n, text in enumerate(driven.editor.text.split("\n"), 1) if "hash(" in text)
    column = driven.editor.text.split("\n")[line - 1].index("hash(") + 1
    driven.editor.go_to(line, column)
    window.actions_["edit.references"].trigger()
    palette = next(each for each in window.findChildren(CommandPalette) if each.isVisible())
    assert palette.table.topLevelItemCount() == 2
    palette.line.setText("float hash")
    palette._accept()
    assert window.documents.document.name == "noise.glsl"
    assert driven.editor.caret == (1, 7)
    window.actions_["edit.back"].trigger()
    assert window.documents.document.name == "shader.frag"
    assert driven.editor.caret == (line, column)
    driven.show()
