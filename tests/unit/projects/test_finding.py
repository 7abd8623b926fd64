"""A shader's project is found beside it, or where a project of its folder names it."""

from pathlib import Path

import pytest

from shaderlab.projects.finding import fragment_beside, project_of, vertex_beside
from shaderlab.projects.project import Project, ProjectPass, beside
from shaderlab.projects.writing import save
from shaderlab.scene.draw import DrawState


@pytest.fixture
def image(tmp_path) -> Path:
    for name in ("image.glsl", "buffer.glsl", "second.glsl", "other.glsl"):
        (tmp_path / name).write_text("void main() {}\n")
    return tmp_path / "image.glsl"


def written(image: Path) -> Path:
    path = image.with_name("toy.shaderlab.toml")
    buffers = (
        ProjectPass(n, image.with_name(f"{n}.glsl"), DrawState()) for n in ("buffer", "second")
    )
    save(path, Project(image, passes=tuple(buffers)))
    return path


def test_a_project_is_found_by_its_shader_and_by_its_passes(image):
    path = written(image)
    assert project_of(image) == path
    assert project_of(image.with_name("buffer.glsl")) == path
    assert project_of(image.with_name("other.glsl")) is None


def test_the_shader_s_own_project_comes_first_even_broken(image):
    written(image)
    beside(image).write_text("no TOML")
    assert project_of(image) == beside(image)


def test_a_project_that_only_mentions_a_shader_is_not_its_own(image):
    save(image.with_name("toy.shaderlab.toml"), Project(image.with_name("an_image.glsl")))
    assert project_of(image) is None


def test_broken_projects_of_others_are_passed_over(image):
    image.with_name("aa.shaderlab.toml").write_text("shader = 'image.glsl' and more")
    assert project_of(image) is None
    path = written(image)
    assert project_of(image) == path


@pytest.mark.parametrize(
    ("fragment", "vertex"),
    [
        ("sky.frag", "sky.vert"),
        ("sky.fs", "sky.vs"),
        ("sky.fsh", "sky.vsh"),
        ("sky.glsl", "sky.vert"),
        ("sky.frag.spv", "sky.vert.spv"),
        ("sky_ps.hlsl", "sky_vs.hlsl"),
        ("fragment.glsl", "vertex.glsl"),
        ("my.frag-1.frag", "my.frag-1.vert"),
    ],
)
def test_the_other_stage_is_found_by_its_name(tmp_path, fragment, vertex):
    (tmp_path / fragment).touch()
    assert vertex_beside(tmp_path / fragment) is None
    (tmp_path / vertex).touch()
    assert vertex_beside(tmp_path / fragment) == tmp_path / vertex
    if fragment != "sky.glsl":
        assert fragment_beside(tmp_path / vertex) == tmp_path / fragment


def test_a_name_that_says_nothing_leads_nowhere(tmp_path):
    for name in ("sky.vert", "sky.frag", "sky.txt"):
        (tmp_path / name).touch()
    assert vertex_beside(tmp_path / "sky.vert") is None
    assert fragment_beside(tmp_path / "sky.frag") is None
