"""What a shader is given, beside it on the disk."""

import tomllib
from pathlib import Path

import pytest

from shaderlab.app.documents.project_file import ProjectFile
from shaderlab.app.qt import QObject
from shaderlab.app.session.draw_settings import DrawSettings
from shaderlab.app.session.reading_choice import ReadingChoice
from shaderlab.app.widgets.notifications import NotificationCentre
from shaderlab.frontend.reading import RECOGNISED, Language, Reading
from shaderlab.projects.project import Project, ProjectPass, beside
from shaderlab.projects.reading import read
from shaderlab.projects.writing import save
from shaderlab.scene.draw import DrawState
from shaderlab.scene.geometry import Body
from shaderlab.scene.inputs import Source
from shaderlab.scene.textures import ImageFile, Pattern, Texture

from ..session.fakes import FLOAT, INT, FakeClock, program

GLOW = program("glow", inputs={"glow": FLOAT, "steps": INT}, textures=["wood"])


class Bench:
    def __init__(self, folder):
        self.owner = QObject()
        self.drawing = DrawSettings(FakeClock(), self.owner)
        self.notices = NotificationCentre(self.owner)
        self.reading = ReadingChoice(self.owner)
        self.vertex: Path | None = None
        self.file = ProjectFile(
            self.drawing, self.reading, lambda: self.vertex, self.notices, self.owner
        )
        self.shader = folder / "glow.frag"
        self.shader.write_text("void main() {}\n")

    @property
    def said(self) -> list[tuple[str, str]]:
        return [(each.level, each.text) for each in self.notices.notices]

    @property
    def written(self) -> dict:
        return tomllib.loads(beside(self.shader).read_text())

    def open(self, shader=None, made=GLOW) -> None:
        self.drawing.leave_document()
        self.reading.leave_document()
        self.file.open(shader or self.shader, lambda work: work())
        self.drawing.use(made)

    def save(self) -> None:
        self.file.save(self.shader, lambda work: work())


@pytest.fixture
def bench(qapp, tmp_path):
    return Bench(tmp_path)


def test_nothing_given_writes_nothing(bench):
    bench.open()
    bench.save()
    assert not beside(bench.shader).exists()
    assert not bench.file.is_modified


def test_what_was_given_comes_back_with_the_shader(bench, tmp_path):
    bench.open()
    bench.drawing.set_value("glow", (0.5,))
    bench.drawing.set_texture("wood", Texture(Pattern.NOISE))
    bench.drawing.set_shape(Body.TORUS)
    assert bench.file.is_modified
    bench.save()
    assert not bench.file.is_modified
    assert bench.drawing.inputs.values["glow"].source is Source.PROJECT
    other = Bench(tmp_path)
    other.open()
    assert other.drawing.draw(GLOW) == bench.drawing.draw(GLOW)
    assert other.drawing.inputs.textures["wood"].source is Source.PROJECT
    assert not other.file.is_modified


def test_resetting_takes_it_out_of_the_file(bench):
    bench.open()
    bench.drawing.set_value("glow", (0.5,))
    bench.save()
    bench.drawing.reset_input("glow")
    assert bench.file.is_modified
    bench.save()
    assert "glow" not in bench.written.get("values", {})


def test_what_the_window_does_not_show_of_a_project_stays(bench):
    beside(bench.shader).write_text(
        'format = 1\nshader = "glow.frag"\nlanguage = "glsl"\ntime = 3.0\n'
        "[defines]\nQUALITY = '2'\n[values]\nglow = 0.25\n"
    )
    bench.open()
    bench.drawing.set_value("steps", (4.0,))
    bench.save()
    assert bench.written["values"] == {"glow": 0.25, "steps": 4}
    assert bench.written["language"] == "glsl"
    assert bench.written["time"] == 3.0
    assert bench.written["defines"] == {"QUALITY": "2"}


def test_a_value_of_a_project_that_does_not_fit_its_input_is_not_used(bench):
    beside(bench.shader).write_text(
        'format = 1\nshader = "glow.frag"\n[values]\nglow = [1, 2, 3]\nwood = 1\nsteps = 5\n'
    )
    bench.open()
    assert set(bench.drawing.inputs.values) == {"steps"}
    assert not bench.file.is_modified


def test_a_file_that_is_no_project_is_told_about_and_left_alone(bench):
    beside(bench.shader).write_text("glow = = 1\n")
    bench.open()
    ((kind, text),) = bench.said
    assert kind == "warning"
    assert "glow.shaderlab.toml" in text
    bench.drawing.set_value("glow", (0.5,))
    bench.save()
    assert beside(bench.shader).read_text() == "glow = = 1\n"
    assert bench.said[-1][0] == "error"
    assert bench.file.is_modified


def test_a_texture_from_elsewhere_is_copied_there_by_a_click(bench, tmp_path, tmp_path_factory):
    bench.open()
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "wood.png"
    elsewhere.write_bytes(b"oak")
    (tmp_path / "wood.png").write_bytes(b"another")
    bench.drawing.set_texture("wood", Texture(ImageFile(elsewhere)))
    bench.save()
    notice, over = bench.notices.notices[-1], []
    bench.notices.settled.connect(over.append)
    assert "outside the project folder" in notice.text
    bench.open()
    notice.action.call()
    assert not beside(bench.shader).exists(), "another document is open"
    bench.drawing.set_texture("wood", Texture(ImageFile(elsewhere)))
    bench.save()
    over.clear()
    notice = bench.notices.notices[-1]
    notice.action.call()
    assert bench.written["textures"]["wood"]["file"] == "wood-2.png"
    assert (tmp_path / "wood-2.png").read_bytes() == b"oak"
    assert over == [notice.about]
    assert not bench.file.is_modified


def test_what_another_document_left_is_no_change_of_this_one(bench, tmp_path):
    bench.open()
    bench.drawing.set_value("glow", (0.5,))
    other = tmp_path / "other.frag"
    other.write_text("")
    bench.open(other, program("other", inputs={"glow": FLOAT}))
    assert bench.drawing.inputs.values["glow"].value == (0.5,)
    assert not bench.file.is_modified
    bench.drawing.set_value("glow", (0.75,))
    assert bench.file.is_modified


def test_a_text_without_a_file_has_nothing_to_lose_until_it_is_saved_somewhere(bench):
    bench.drawing.leave_document()
    bench.file.open(None, lambda work: work())
    bench.drawing.use(GLOW)
    bench.drawing.set_value("glow", (0.5,))
    assert not bench.file.is_modified
    bench.save()
    assert bench.written["values"] == {"glow": 0.5}


def test_what_is_given_to_a_pass_is_written_into_the_project_that_names_it(bench, tmp_path):
    image = tmp_path / "image.glsl"
    image.write_text("")
    path = tmp_path / "toy.shaderlab.toml"
    save(path, Project(image, passes=(ProjectPass("A", bench.shader, DrawState()),)))
    bench.open()
    bench.drawing.set_value("glow", (0.5,))
    bench.save()
    assert not beside(bench.shader).exists()
    project = read(path)
    assert project.shader == image
    assert project.passes[0].state.inputs.values["glow"].value == (0.5,)
    assert not project.state.inputs.values


def test_how_the_text_is_read_is_kept_and_taken_back(bench, tmp_path):
    bench.open()
    chosen = Reading(Language.HLSL, entry="PSMain", defines=(("ROUNDS", "3"),))
    bench.reading.choose(chosen)
    assert bench.file.is_modified
    bench.save()
    assert not bench.file.is_modified
    assert bench.written["language"] == "hlsl"
    assert bench.written["defines"] == {"ROUNDS": "3"}
    other = Bench(tmp_path)
    other.open()
    assert other.reading.value == chosen
    assert not other.file.is_modified
    other.reading.choose(RECOGNISED)
    other.save()
    assert "language" not in other.written
    assert "entry" not in other.written


def test_a_language_that_there_is_not_stays_in_the_file_until_another_is_chosen(bench):
    beside(bench.shader).write_text('format = 1\nshader = "glow.frag"\nlanguage = "basic"\n')
    bench.open()
    bench.drawing.set_value("glow", (0.5,))
    bench.save()
    assert bench.written["language"] == "basic"
    bench.reading.choose(Reading(Language.ESSL))
    bench.save()
    assert bench.written["language"] == "essl"


def test_the_file_of_the_vertex_stage_is_kept(bench, tmp_path):
    bench.open()
    bench.vertex = tmp_path / "glow.vert"
    bench.vertex.write_text("")
    assert bench.file.is_modified
    bench.save()
    assert bench.written["vertex"] == "glow.vert"
    other = Bench(tmp_path)
    other.open()
    assert other.file.vertex == bench.vertex
    other.vertex = bench.vertex
    other.file.settle()
    assert not other.file.is_modified
    other.vertex = None
    other.save()
    assert "vertex" not in other.written


def test_a_file_changed_elsewhere_is_noticed_but_not_what_was_written_here(bench):
    bench.open()
    bench.drawing.set_value("glow", (0.5,))
    bench.save()
    assert not bench.file.has_changed(lambda work: work())
    path = beside(bench.shader)
    path.write_text(path.read_text().replace("0.5", "0.75"))
    assert bench.file.has_changed(lambda work: work())
    path.write_text("glow = = 1\n")
    assert not bench.file.has_changed(lambda work: work())
    assert "what was there before is kept" in bench.said[-1][1]
    path.unlink()
    assert not bench.file.has_changed(lambda work: work())
    assert "deleted" in bench.said[-1][1]
    assert bench.file.is_modified
    bench.save()
    assert bench.written["values"] == {"glow": 0.5}
