"""Project files: what is written is read again, and what others wrote is read with care."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.errors import WrongUse
from shaderlab.projects.project import Project, ProjectPass, beside
from shaderlab.projects.reading import MAX_BYTES, read, stamp
from shaderlab.projects.writing import save, text
from shaderlab.scene.draw import Attachments, Blend, ColourFormat, DrawState
from shaderlab.scene.geometry import Body, Camera, Geometry, MeshFile
from shaderlab.scene.inputs import Input, Inputs, Source
from shaderlab.scene.launch import LaunchChoice
from shaderlab.scene.textures import Filter, ImageFile, PassPicture, Pattern, Texture, Wrap
from shaderlab.scene.uniforms import Uniforms

HEAD = 'format = 1\nshader = "a.frag"\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("project").resolve()
    (made / "textures").mkdir()
    for name in ("a.frag", "b.frag", "a.vert", "textures/wood.png", "body.glb"):
        (made / name).write_bytes(b"x")
    return made


def written(folder: Path, content: str | bytes) -> Path:
    path = folder / "a.shaderlab.toml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


NUMBERS = st.floats(-1e30, 1e30) | st.integers(-(2**50), 2**50).map(float)
NAMES = st.text(st.characters(blacklist_categories=("Cs",)), min_size=1, max_size=12).filter(
    lambda name: "\0" not in name
)
SIDES = st.none() | st.tuples(*[st.integers(1, 65_535)] * 3)
LAUNCHES = st.builds(
    LaunchChoice, SIDES, SIDES, st.dictionaries(NAMES, st.integers(1, 1 << 20), max_size=2)
)
SIZES = st.tuples(st.integers(1, 16384), st.integers(1, 16384))


@st.composite
def projects(draw, folder: Path) -> Project:
    wood, body = folder / "textures" / "wood.png", folder / "body.glb"
    sources = st.sampled_from(
        [*Pattern, ImageFile(wood, stamp(wood), True, False), PassPicture("first")]
    )
    textures = st.builds(Texture, sources, st.sampled_from(Filter), st.sampled_from(Wrap))

    def state(time_s=1.0, **more):
        values = draw(st.dictionaries(NAMES, st.lists(NUMBERS, min_size=1, max_size=4), max_size=3))
        shown = draw(st.dictionaries(NAMES, textures, max_size=2))
        inputs = Inputs(
            Input(Uniforms(time_s)),
            {name: Input(tuple(value), Source.SET) for name, value in values.items()},
            {name: Input(texture, Source.SET) for name, texture in shown.items()},
        )
        attachments = Attachments(
            draw(SIZES), draw(st.sampled_from(ColourFormat)), draw(st.sampled_from((1, 2, 4, 8))),
            draw(st.sampled_from(Blend)),
        )  # fmt: skip
        return DrawState(inputs, attachments=attachments, **more)

    shape = draw(st.sampled_from([*Body, MeshFile(body, stamp(body))]))
    angles = st.floats(-7, 7)
    camera = Camera(draw(angles), draw(angles), draw(st.floats(0.1, 90)), draw(st.floats(0.1, 3)))
    time_s = draw(st.floats(0, 100))
    return Project(
        folder / "a.frag",
        draw(st.sampled_from(("", "glsl", "hlsl"))),
        draw(st.sampled_from(("", "frag"))),
        draw(st.sampled_from(("", "main", "PSMain"))),
        tuple(draw(st.dictionaries(st.sampled_from(("A", "b_2")), NAMES)).items()),
        draw(st.sampled_from(((), (folder / "textures",)))),
        state(
            time_s,
            geometry=Geometry(shape, camera, draw(st.none() | st.integers(1, 999_999))),
            launch=draw(LAUNCHES),
        ),
        (ProjectPass("first", folder / "b.frag", state(time_s)),),
        draw(st.sampled_from((None, folder / "a.vert"))),
    )


@given(st.data())
def test_what_is_written_is_read_again(folder: Path, data: st.DataObject) -> None:
    project = data.draw(projects(folder))
    path = folder / "trip.shaderlab.toml"
    path.write_text(text(path, project), encoding="utf-8")
    assert read(path) == project


def test_a_file_is_replaced(folder: Path) -> None:
    path = folder / "kept.shaderlab.toml"
    for entry in ("one", "two"):
        save(path, Project(folder / "a.frag", entry=entry))
        assert read(path).entry == entry


def test_a_fresh_project_is_two_lines(folder: Path) -> None:
    assert text(folder / "x.toml", Project(folder / "a.frag")) == HEAD
    assert beside(folder / "a.frag").name == "a.shaderlab.toml"


def test_written_by_hand(folder: Path) -> None:
    project = read(
        written(
            folder,
            HEAD + "size = [64, 32]\n[values]\nsteps = 7\non = true\n"
            '[values.light]\ncolour = [1, 0.5, 0]\n[textures]\nt = {pattern = "noise"}\n'
            'u = {file = "textures/wood.png", wrap = "clamp"}\n[geometry]\nshape = "torus"\n',
        )
    )
    inputs = project.state.inputs
    assert {name: each.value for name, each in inputs.values.items()} == {
        "steps": (7.0,),
        "on": (1.0,),
        "light.colour": (1.0, 0.5, 0.0),
    }
    assert inputs.values["steps"].source is Source.PROJECT
    assert inputs.textures["t"].value == Texture(Pattern.NOISE)
    assert inputs.textures["u"].value.source.path == folder / "textures" / "wood.png"
    assert project.state.size == (64, 32)
    assert project.state.geometry.shape is Body.TORUS


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff", "is not UTF-8"),
        ("x = ", "is not valid TOML"),
        ("format = 1", "missing required field shader"),
        ('format = 2\nshader = "a.frag"', "format: 2 is not 1"),
        (HEAD + "sise = [1, 2]", "unknown field sise"),
        (HEAD + "size = [0, 2]", "size[0]: expected int >= 1"),
        (HEAD + 'vertex = "../a.vert"', "vertex: "),
        (HEAD + 'vertex = "none.vert"', 'vertex: there is no file "none.vert"'),
        (HEAD + "[geometry]\nvertices = 0", "geometry.vertices: expected int >= 1"),
        (HEAD + "[launch]\ngroups = [0]", "launch.groups[0]: expected int >= 1"),
        (HEAD + "[launch]\nlocal = [8, 8, 1, 1]", "launch.local: expected array of length <= 3"),
        (HEAD + "[launch.elements]\na = 1.5", "launch.elements[...]: expected int"),
        (HEAD + "size = [99999, 2]", "size[0]: expected int <= 16384"),
        (HEAD + 'size = "big"', "size: expected array"),
        (HEAD + '[values]\nsteps = "7"', "values.steps: it must be a number"),
        (HEAD + "[values]\nsteps = nan", "values.steps: it must be a number"),
        (HEAD + "[values]\nsteps = []", "values.steps: it must have 1 to"),
        (HEAD + "[values]\nx = [[1]]", "values.x: it must be a number"),
        (HEAD + "[values]\n" + ".".join("a" * 20) + " = 1", "nested too deeply"),
        (HEAD + '[textures]\nt = {pattern = "plaid"}', "textures[...].pattern: invalid enum"),
        (HEAD + "[textures]\nt = {}", "exactly one of pattern, file and picture_of"),
        (HEAD + '[textures]\nt = {file = "none.png"}', 'there is no file "none.png"'),
        (HEAD + '[textures]\nt = {file = "../a.png"}', 'without ".."'),
        (HEAD + '[textures]\nt = {file = "/etc/passwd"}', "inside the project's folder"),
        (HEAD + "[textures]\nt = {file = 'C:\\a.png'}", "inside the project's folder"),
        (HEAD + '[textures]\nt = {picture_of = "x"}', 'no pass is called "x"'),
        (HEAD + '[geometry]\nshape = "cube"\nfile = "body.glb"', "both a shape and a file"),
        (HEAD + "[attachments]\nsamples = 3", "must be 1, 2, 4 or 8"),
        (HEAD + '[defines]\n"a b" = "1"', "not a macro name"),
        (HEAD + f'[defines]\na = "{"1" * 257}"', "expected str of length <= 256"),
        (HEAD + '[[pass]]\nname = "p"\nshader = "b.frag"\n' * 2, "two passes are called"),
        (HEAD + "a = " + "[" * 5000 + "]" * 5000, ": "),
        (b"#" * (MAX_BYTES + 1), "the limit is"),
    ],
)
def test_what_is_wrong_is_one_sentence_with_its_key(folder, content, message):
    with pytest.raises(WrongUse) as error:
        read(written(folder, content))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.skipif(os.name == "nt", reason="links need privileges there")
def test_a_link_does_not_lead_outside(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(b"x")
    link = folder / "link.png"
    if not link.is_symlink():
        link.symlink_to(tmp_path / "secret.png")
    with pytest.raises(WrongUse, match="is outside the project folder"):
        read(written(folder, HEAD + '[textures]\nt = {file = "link.png"}'))


def test_what_lies_outside_is_not_written(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match="Copy it there"):
        text(folder / "x.toml", Project(tmp_path / "a.frag"))


@given(st.binary(max_size=200))
def test_any_bytes_are_a_project_or_one_sentence(folder: Path, data: bytes) -> None:
    with contextlib.suppress(WrongUse):
        read(written(folder, data))
