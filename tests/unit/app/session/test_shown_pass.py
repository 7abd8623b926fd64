"""Which pass the preview shows."""

from pathlib import Path

import pytest

from shaderlab.app.session.other_passes import ALONE, OtherPasses
from shaderlab.app.session.shown_pass import EDITED, FINAL, named, shown_pass
from shaderlab.projects.project import Project, ProjectPass
from shaderlab.scene.draw import DrawState

PROJECT = Project(
    Path("/toy/image.glsl"),
    passes=tuple(ProjectPass(name, Path(f"/toy/{name}.glsl"), DrawState()) for name in "AB"),
)


@pytest.mark.parametrize(
    ("choice", "shown"),
    [
        (FINAL, "Image"),
        (EDITED, "B"),
        (named("A"), "A"),
        (named("gone"), "Image"),
        ("whatever a file says", "Image"),
    ],
)
def test_a_choice_names_a_pass_of_this_frame(choice, shown):
    assert shown_pass(choice, OtherPasses(PROJECT, "B")) == shown


@pytest.mark.parametrize("choice", [FINAL, EDITED, named("A")])
def test_a_frame_without_passes_has_nothing_to_choose(choice):
    assert shown_pass(choice, ALONE) == ""
