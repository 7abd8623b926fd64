"""A project with passes in the window: drawn as the whole frame, counted with what it reads."""

import json

import numpy as np
import pytest

from shaderlab.app.panels.profile.panel import PASSES
from shaderlab.app.qt import Qt, QtWidgets
from shaderlab.scene.inputs import Source
from shaderlab.spirv.heat import HeatKind

IMAGE = """\
void mainImage(out vec4 c, in vec2 p) {
    float level = texture(iChannel0, p / iResolution.xy).r;
    float sum = 0.0;
    for (int i = 0; i < int(level * 8.5); i++)
        sum += 0.125;
    c = vec4(sum * float(ROUND), 0.0, 0.0, 1.0);
}
"""
COMMON = "#define ROUND 1\n"
BUFFER = """\
void mainImage(out vec4 c, in vec2 p) {
    c = vec4(0.5, 0.0, 0.0, 1.0);
}
"""
LOOP = 6
"""Of the imported image, whose first line includes Common."""


def export(image: str = IMAGE) -> str:
    reads = {"channel": 0, "type": "buffer", "id": "a"}
    passes = [
        {"type": "image", "code": image, "inputs": [reads]},
        {"type": "common", "code": COMMON},
        {"type": "buffer", "name": "Buffer A", "code": BUFFER,
         "outputs": [{"channel": 0, "id": "a"}]},
    ]  # fmt: skip
    return json.dumps({"renderpass": passes})


def red(driven) -> int:
    frame = driven.session.on_device.pictures.frame
    return int(np.asarray(frame.pixels)[0, 0, 0]) if frame is not None else -1


def body_count(driven) -> int:
    trace = driven.session.trace
    if trace is None:
        return -1
    return max((n for at, n in trace.line_counts.items() if at.line == LOOP), default=0)


@pytest.fixture
def project(driven, tmp_path, monkeypatch):
    """Imported through the window, opened, drawn and counted."""
    driven.editor.set_unmodified()
    driven.window.documents.new()
    source, target = tmp_path / "export.json", tmp_path / "toy.shaderlab.toml"
    source.write_text(export())
    answer = (str(target), "")
    monkeypatch.setattr(QtWidgets.QFileDialog, "getSaveFileName", lambda *_: answer)
    assert driven.window.documents.open(source)
    driven.complete()
    yield target
    driven.editor.set_unmodified()
    driven.window.documents.new()


def counted(driven, rounds: int) -> bool:
    return driven.session.complete and body_count(driven) == rounds * 1024 * 768


def test_the_frame_is_drawn_and_the_edited_pass_counted_with_what_it_reads(driven, project):
    session = driven.session
    assert driven.window.documents.document.name == "toy Image.glsl"
    driven.wait(lambda: red(driven) in (127, 128), "half red, of half of the buffer's red")
    driven.wait(lambda: counted(driven, 4), "the rounds that the buffer's picture decides")
    assert session.drawing.inputs.textures["iChannel0"].source is Source.PROJECT
    status = driven.window.findChildren(QtWidgets.QLabel)
    driven.wait(lambda: any(each.text() == "Image, one of 2 passes" for each in status))
    assert session.forecasts
    session.on_device.profiles.ask(2, 1)
    driven.wait(lambda: not session.on_device.profiles.running, "the profile")
    profiles = session.on_device.profiles
    assert profiles.measurement is profiles.frame.passes["Image"]
    assert list(profiles.frame.passes) == ["Buffer A", "Image"]
    assert profiles.frame.together.time_s > 0
    shown = driven.front("device").charts[PASSES].text
    assert all(name in shown for name in ("Buffer A", "Image", "sum of the passes"))
    driven.wait(lambda: driven.window.profile_panel.about.startswith("Image alone"))


def test_the_times_and_hot_lines_are_the_frame_s_and_a_click_opens_the_pass(driven, project, qtbot):
    window, session = driven.window, driven.session
    driven.wait(lambda: session.frame.forecasts and session.frame.complete, "the frame's sum")
    (found,) = (each for each in session.frame.forecasts if each.target == "rtx3060")
    assert list(found.passes) == ["Buffer A", "Image"]
    assert found.time_s == pytest.approx(sum(each.time_s for each in found.passes.values()))
    window.targets_panel.choose("rtx3060")
    (bar,) = (each for each in window.targets_panel.bars if each.target == "rtx3060")
    assert (bar.time_s, bar.part_s) == (found.time_s, found.passes["Image"].time_s)
    assert window.targets_panel.caption.startswith("Frame of 2 passes")
    assert "Buffer A" in window.targets_panel.details
    panel = window.hot_lines_panel
    window.layout_.show_tab(panel)
    assert {row.pass_name for row in panel.rows} == {"Buffer A", "Image"}
    row = next(n for n, each in enumerate(panel.rows) if each.pass_name == "Buffer A")
    line = panel.rows[row].line
    place = panel.table.visualRect(panel.model.index(row, 0)).center()
    qtbot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    driven.wait(lambda: window.documents.document.name == "toy Buffer A.glsl", "the buffer's text")
    assert driven.editor.caret[0] == line
    driven.wait(lambda: session.frame.forecasts and session.frame.complete, "the sum once more")
    former = {each.target: each.time_s for each in session.frame.forecasts}
    driven.edit(driven.editor.text.replace("0.5", "sin(p.x) + sin(p.y) + cos(p.x * p.y)"))
    driven.complete()
    driven.wait(lambda: session.frame.forecasts and session.frame.complete, "the changed sum")
    now = {each.target: each.time_s for each in session.frame.forecasts}
    assert now["rtx3060"] > former["rtx3060"]


def test_a_changed_pass_is_seen_and_one_that_fails_keeps_its_last_picture(driven, project):
    buffer = project.with_name("toy Buffer A.glsl")
    text = buffer.read_text()
    buffer.write_text(text.replace("0.5", "1.0"))
    driven.wait(lambda: red(driven) == 255, "the changed buffer")
    driven.wait(lambda: counted(driven, 8), "its counts")
    buffer.write_text(text.replace("0.5", "half"))
    driven.wait(lambda: driven.session.passes.diagnostics, "the error")
    (found,) = driven.session.passes.diagnostics
    assert (found.file, found.line) == (buffer.name, 3)
    assert "half" in found.message
    assert red(driven) == 255
    assert driven.session.on_device.pictures.error is None
    buffer.write_text(text)
    driven.wait(lambda: not driven.session.passes.diagnostics, "no error")
    driven.wait(lambda: red(driven) in (127, 128), "the former picture")


def test_a_pass_s_own_file_finds_its_project_and_is_counted(driven, project):
    documents, session = driven.window.documents, driven.session
    assert documents.open(project.with_name("toy Buffer A.glsl"))
    driven.complete()
    assert session.drawing.passes.edited == "Buffer A"
    driven.wait(lambda: red(driven) in (127, 128), "the frame's picture")
    driven.edit(driven.editor.text.replace("0.5", "1.0"))
    driven.wait(lambda: red(driven) == 255, "the edited buffer in the image")
    driven.complete()
    assert session.on_device.counts.program.name == "toy Buffer A.glsl"


def choose(qtbot, box: QtWidgets.QComboBox, text: str) -> None:
    """By the arrow keys, each of which takes the next entry."""
    wanted = box.findText(text)
    assert wanted >= 0
    key = Qt.Key.Key_Down if wanted > box.currentIndex() else Qt.Key.Key_Up
    for _ in range(abs(wanted - box.currentIndex())):
        qtbot.keyClick(box, key)
    assert box.currentText() == text


def test_the_picture_of_any_pass_is_shown_with_its_heat_map(driven, project, qtbot):
    window, pictures = driven.window, driven.session.on_device.pictures
    strip = window.pass_choice.strip
    assert strip.isVisible()
    assert strip.box.currentText() == "The frame's final picture (Image)"
    driven.wait(lambda: red(driven) in (127, 128), "the final picture")
    choose(qtbot, strip.box, "Buffer A")
    assert window.settings.preview_pass == "pass:Buffer A"
    driven.wait(lambda: pictures.frame.shown == "Buffer A", "the buffer's picture")
    assert red(driven) in (127, 128)
    window.heat.choose(HeatKind.INSTRUCTIONS)
    driven.wait(lambda: window.preview.picture.heat is not None, "its heat map")
    plain = pictures.frame.heat.values
    assert pictures.frame.shown == "Buffer A"
    assert plain.min() == plain.max(), "no loop in the buffer"
    buffer_cost = int(plain.max())
    choose(qtbot, strip.box, "The frame's final picture (Image)")
    driven.wait(lambda: pictures.frame.shown == "Image" and pictures.frame.heat, "the image's")
    assert int(pictures.frame.heat.values.min()) > buffer_cost, "the image loops"
    window.heat.show(False)


def test_editing_a_buffer_shows_the_buffer_where_that_was_chosen(driven, project, qtbot):
    window, pictures = driven.window, driven.session.on_device.pictures
    strip = window.pass_choice.strip
    choose(qtbot, strip.box, "The pass being edited (Image)")
    assert window.documents.open(project.with_name("toy Buffer A.glsl"))
    driven.complete()
    driven.wait(lambda: pictures.frame.shown == "Buffer A", "the edited pass")
    assert strip.box.currentText() == "The pass being edited (Buffer A)"
    choose(qtbot, strip.box, "The frame's final picture (Image)")
    driven.wait(lambda: pictures.frame.shown == "Image", "the final picture")
    driven.editor.set_unmodified()
    window.documents.new()
    assert not strip.isVisible()


def test_a_file_that_is_no_export_or_project_is_refused_in_a_sentence(driven, tmp_path):
    documents, notices = driven.window.documents, driven.window.notices
    name = documents.document.name
    for path in (tmp_path / "a.json", tmp_path / "a.toml"):
        path.write_text("[1, 2")
        assert not documents.open(path)
        assert notices.notices[-1].text.startswith(path.stem)
        assert "Traceback" not in notices.notices[-1].text
    assert documents.document.name == name


ISF = """\
/*{ "ISFVSN": "2", "INPUTS": [], "PASSES": [ {"TARGET": "small", "WIDTH": "$WIDTH / 2"}, {} ] }*/
void main() {
    if (PASSINDEX == 0)
        gl_FragColor = vec4(0.5);
    else
        gl_FragColor = IMG_NORM_PIXEL(small, isf_FragNormCoord);
}
"""
HOOK = """\
//!HOOK MAIN
//!BIND HOOKED
//!SAVE SMALL
//!WIDTH HOOKED.w 2 /
vec4 hook() { return vec4(0.5); }

//!HOOK MAIN
//!BIND SMALL
//!DESC shows it
vec4 hook() { return SMALL_tex(SMALL_pos); }
"""


@pytest.fixture
def opened(driven, tmp_path):
    """Opens a text that describes several passes, and waits for its counts."""

    def of(name: str, text: str):
        driven.editor.set_unmodified()
        driven.window.documents.new()
        path = tmp_path / name
        path.write_text(text)
        assert driven.window.documents.open(path)
        driven.complete()
        return path

    yield of
    driven.editor.set_unmodified()
    driven.window.documents.new()


@pytest.mark.parametrize(("name", "text"), [("two.fs", ISF), ("two.hook", HOOK)])
def test_a_text_of_several_passes_is_drawn_and_priced_whole(driven, opened, name, text):
    opened(name, text)
    session = driven.session
    driven.wait(lambda: red(driven) in (127, 128), "what the first pass drew")
    assert len(session.drawing.passes.names) == 2
    driven.wait(lambda: driven.session.complete, "the counts")
    assert not session.program.is_part
    driven.wait(lambda: session.frame.forecasts, "forecasts of the frame")
    assert all(len(each.passes) == 2 for each in session.frame.forecasts)
    driven.edit(text.replace("0.5", "0.25"))
    driven.wait(lambda: red(driven) in (63, 64), "the first pass as it was edited")


def test_the_passes_follow_the_header_as_it_is_edited(driven, opened):
    path = opened("two.fs", ISF)
    driven.edit(ISF.replace('"PASSES": [', '"PASSES": [ {"TARGET": "other"},'))
    driven.wait(lambda: len(driven.session.drawing.passes.names) == 3, "the added pass")
    alone = ISF.replace("small", "none").replace(', "PASSES"', ', "NOT"')
    driven.edit(alone.replace("IMG_NORM_PIXEL(none, isf_FragNormCoord)", "vec4(0.75)"))
    driven.wait(lambda: not driven.session.drawing.passes.names, "no passes any more")
    driven.wait(lambda: red(driven) in (127, 128), "the picture of PASSINDEX 0")
    driven.edit(ISF)
    driven.wait(lambda: len(driven.session.drawing.passes.names) == 2, "both again")
    driven.window.documents.save()
    assert not list(path.parent.glob("*.toml")), "nothing was chosen that is to be kept"


def test_values_are_kept_beside_a_text_of_several_passes(driven, opened):
    text = ISF.replace("[]", '[{"NAME": "gain", "TYPE": "float", "DEFAULT": 0.5}]', 1)
    path = opened("two.fs", text.replace("vec4(0.5)", "vec4(gain)"))
    driven.session.drawing.set_value("gain", (0.25,))
    driven.wait(lambda: red(driven) in (63, 64), "the value in the first pass")
    driven.window.documents.save()
    (kept,) = path.parent.glob("*.toml")
    assert "gain" in kept.read_text()
    assert "PASSINDEX" not in kept.read_text()
    driven.window.documents.new()
    assert driven.window.documents.open(path)
    driven.wait(lambda: len(driven.session.drawing.passes.names) == 2, "both passes")
    driven.wait(lambda: red(driven) in (63, 64), "the value that was kept")


FIRST = """\
#version 450
layout(push_constant) uniform Push { vec4 OutputSize; float strength; } params;
#pragma parameter strength "Strength" 1.0 0.0 1.0 0.05
#pragma stage vertex
layout(location = 0) in vec4 Position;
layout(location = 0) out float vHalf;
void main() { gl_Position = Position; vHalf = params.strength / 2.0; }
#pragma stage fragment
layout(location = 0) in float vHalf;
layout(location = 0) out vec4 FragColor;
void main() { FragColor = vec4(vHalf, params.OutputSize.x / 100.0, 0.0, 1.0); }
"""
LAST = """\
#version 450
#pragma stage vertex
layout(location = 0) in vec4 Position;
layout(location = 0) out float vOne;
void main() { gl_Position = Position; vOne = 1.0; }
#pragma stage fragment
layout(location = 0) in float vOne;
layout(location = 0) out vec4 FragColor;
layout(set = 0, binding = 0) uniform sampler2D Source;
void main() { FragColor = vOne * texture(Source, vec2(0.5)); }
"""


@pytest.mark.parametrize("framed", ["", "scale_type1 = viewport\n"])
def test_a_preset_of_shaders_is_opened_with_all_of_them(driven, opened, tmp_path, framed):
    (tmp_path / "first.slang").write_text(FIRST)
    (tmp_path / "last.slang").write_text(LAST)
    preset = "shaders = 2\nshader0 = first.slang\nscale_type0 = absolute\nscale0 = 20\n"
    opened("two.slangp", preset + f"shader1 = last.slang\n{framed}strength = 0.5\n")
    session = driven.session
    assert driven.window.documents.document.name == "last.slang"
    driven.wait(lambda: red(driven) in (63, 64), "a quarter, which the first vertex stage gives")
    assert len(session.drawing.passes.names) == (3 if framed else 2)
    driven.wait(lambda: session.frame.forecasts, "forecasts of the frame")
    driven.edit(LAST.replace("vOne = 1.0", "vOne = 2.0"))
    driven.wait(lambda: red(driven) in (127, 128), "twice as much, by the edited vertex stage")
    driven.editor.set_unmodified()
    assert driven.window.documents.open(tmp_path / "first.slang")
    driven.wait(lambda: session.drawing.passes.edited == "0 first", "another pass of the preset")
    driven.complete()
    given = {each.name: each.value for each in session.drawing.listed()}
    assert given["params.strength"] == (0.5,)
    assert given["params.OutputSize"][:2] == (20.0, 20.0)
