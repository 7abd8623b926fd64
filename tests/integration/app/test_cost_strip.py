"""The strip of heat beside the text, and the lines that never ran, in a real window."""

from __future__ import annotations

from shaderlab.app.qt import QImage, QPoint, Qt

FILLER = "".join(f"// {n}\n" for n in range(200))
TEXT = f"""\
{FILLER}float heavy(float x)
{{
    float sum = 0.0;
    for (int i = 0; i < 200; i++) {{
        sum += sin(x * float(i));
    }}
    return sum;
}}
{FILLER}void mainImage(out vec4 fragColor, in vec2 fragCoord)
{{
    float sum = heavy(fragCoord.x);
    if (fragCoord.x < -1.0) {{
        sum = 1.0;
        sum *= 2.0;
    }}
    fragColor = vec4(sum);
}}
"""
HOT, DEAD = 205, 413


def test_the_strip_shows_the_hot_lines_and_leads_to_them(driven, qtbot):
    driven.show(TEXT)
    strip, editor = driven.window.cost_strip, driven.editor
    lines = TEXT.split("\n")
    assert "sin" in lines[HOT - 1]
    assert "sum = 1.0" in lines[DEAD - 1]
    driven.wait(lambda: editor.note_at(HOT) is not None, "the notes")
    said = editor.about_line(HOT).split("\n")
    bars = driven.window.targets_panel.bars
    assert {line.partition("  ")[2] for line in said[1:]} == {bar.name for bar in bars}
    editor.go_to(1)
    caret = editor.caret
    place = QPoint(strip.width() // 2, round(strip.place_of(HOT)))
    image = QImage(strip.size(), QImage.Format.Format_RGB32)
    strip.render(image)
    colours = {image.pixelColor(strip.width() - 4, place.y() + off).name() for off in range(-1, 3)}
    assert colours & set(driven.window.appearance.theme.strip[1:])
    qtbot.mouseClick(strip, Qt.MouseButton.LeftButton, pos=place)
    assert editor.first_visible_line <= HOT <= editor.first_visible_line + editor.lines_on_screen
    assert editor.caret == caret


def test_lines_that_never_ran_are_dimmed(driven):
    driven.show(TEXT)
    driven.wait(lambda: driven.editor.dimmed_lines, "dimmed lines")
    assert driven.editor.dimmed_lines == ((DEAD, DEAD + 1),)
    driven.edit(TEXT.replace("fragCoord.x < -1.0", "fragCoord.x > -1.0"))
    driven.complete()
    assert driven.editor.dimmed_lines == ()


def test_functions_that_are_never_called_are_dimmed(driven):
    unused = "float unused(float x)\n{\n    return sin(x);\n}\n"
    driven.show(unused + TEXT)
    driven.wait(lambda: (1, 4) in driven.editor.dimmed_lines, "the function")
    assert driven.editor.dimmed_lines == ((1, 4), (DEAD + 4, DEAD + 5))
    driven.edit(unused + TEXT.replace("heavy(fragCoord.x)", "heavy(unused(fragCoord.x))"))
    driven.complete()
    driven.wait(lambda: (1, 4) not in driven.editor.dimmed_lines, "the call")
