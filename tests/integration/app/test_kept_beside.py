"""What is kept beside the text: reloaded when its file changes, and back after a crash."""

from dataclasses import replace

import pytest

from shaderlab.app.documents import journal
from shaderlab.app.qt import QtWidgets
from shaderlab.projects.project import beside
from shaderlab.scene.geometry import DEFAULT_CAMERA, Body
from shaderlab.scene.textures import Pattern, Texture

from .conftest import Driven
from .test_inputs import SLIDERS


@pytest.fixture
def kept(driven: Driven, tmp_path):
    path = tmp_path / "look.frag"
    path.write_text(SLIDERS)
    beside(path).write_text('format = 1\nshader = "look.frag"\n[values]\n"look.rounds" = 2\n')
    driven.editor.set_unmodified()
    driven.window.documents.new()
    assert driven.window.documents.open(path)
    driven.complete()
    yield path
    drawing = driven.session.drawing
    drawing.set_shape(Body.FULL_SCREEN)
    drawing.set_camera(DEFAULT_CAMERA)
    for name in ("look.rounds", "wall"):
        drawing.reset_input(name)
    driven.editor.set_unmodified()
    driven.window.documents.project.settle()
    driven.window.documents.new()


def rounds(driven: Driven) -> tuple[float, ...] | None:
    given = driven.session.drawing.inputs.values.get("look.rounds")
    return given.value if given is not None else None


def test_a_project_file_changed_elsewhere_is_reloaded(driven, kept):
    assert rounds(driven) == (2.0,)
    path = beside(kept)
    path.write_text(
        'format = 1\nshader = "look.frag"\n[values]\n"look.rounds" = 3\n'
        '[geometry]\nshape = "cube"\n'
    )
    driven.wait(lambda: rounds(driven) == (3.0,), "the new value")
    assert driven.session.drawing.geometry.shape is Body.CUBE
    assert "was reloaded" in driven.window.notices.notices[-1].text
    assert not driven.window.documents.project.is_modified
    path.write_text("broken = = 1\n")
    driven.wait(lambda: "is not valid TOML" in driven.window.notices.notices[-1].text, "the reason")
    assert rounds(driven) == (3.0,)


def test_what_was_set_here_is_not_replaced_without_asking(driven, kept):
    driven.session.drawing.set_value("look.rounds", (7.0,))
    path = beside(kept)
    path.write_text(path.read_text().replace("= 2\n", "= 3\n"))
    notices = driven.window.notices.notices
    driven.wait(lambda: notices[-1].text.startswith("look.shaderlab.toml changed"), "the question")
    assert rounds(driven) == (7.0,)
    notices[-1].action.call()
    assert rounds(driven) == (3.0,)
    assert not driven.window.documents.project.is_modified


def test_a_draft_brings_back_inputs_geometry_and_both_texts(driven, kept, tmp_path, monkeypatch):
    documents, drawing = driven.window.documents, driven.session.drawing
    vertex = tmp_path / "look.vert"
    vertex.write_text("#version 450\nvoid main() { gl_Position = vec4(0.0); }\n")
    drawing.set_value("look.rounds", (5.0,))
    drawing.set_texture("wall", Texture(Pattern.CHECKER))
    drawing.set_shape(Body.TORUS)
    drawing.set_camera(replace(drawing.geometry.camera, yaw=1.25))
    documents.use_vertex(vertex)
    documents.vertex.show(True)
    driven.edit("#version 450\nvoid main() { gl_Position = vec4(0.5); }\n")
    documents.vertex.show(False)
    draft = documents.unsaved
    assert draft is not None, "though the document's own text is as it was"
    left = tmp_path / "journal"
    left.write_bytes(journal.encode(draft))

    documents.vertex.file.buffer.set_unmodified()
    documents.project.settle()
    documents.new()
    assert documents.unsaved is None
    assert documents.restore(journal.read(left))
    assert drawing.kept.inputs.values["look.rounds"].value == (5.0,)
    assert drawing.kept.inputs.textures["wall"].value.source is Pattern.CHECKER
    assert drawing.geometry.shape is Body.TORUS
    assert drawing.geometry.camera.yaw == 1.25
    assert "vec4(0.5)" in documents.vertex.file.buffer.text
    assert documents.vertex.modified
    assert documents.project.is_modified
    buttons = QtWidgets.QMessageBox.StandardButton
    monkeypatch.setattr(QtWidgets.QMessageBox, "question", lambda *_: buttons.Discard)
    documents.new()
