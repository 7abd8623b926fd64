"""The window's forecasts are those of the commands, field by field."""

from __future__ import annotations

import json

import pytest

from shaderlab import cli
from tests.kernels import FOLDER

from .conftest import CHEAP
from .test_passes import export
from .test_untraced import ENDLESS, impatient

__all__ = ["impatient"]

FIELDS = ("time_s", "low_s", "high_s", "status")
UNSUPPORTED = """\
#version 450
#extension GL_NV_shader_sm_builtins : require
layout(location = 0) out vec4 colour;
void main() { colour = vec4(float(gl_SMIDNV)); }
"""


@pytest.fixture
def predicted(capsys, tmp_path):
    def predicted(text: str, *words: str) -> dict[str, tuple]:
        path = tmp_path / "shader.frag"
        path.write_text(text)
        return of_file(path, *words)

    def of_file(path, *words: str) -> dict[str, tuple]:
        capsys.readouterr()
        cli.main(["predict", str(path), "--device", "llvmpipe", "--json", *words])
        found = json.loads(capsys.readouterr().out)["targets"]
        return {each["target"]: tuple(each[name] for name in FIELDS) for each in found}

    predicted.of_file = of_file
    return predicted


def shown(forecasts) -> dict[str, tuple]:
    return {each.target: tuple(getattr(each, name) for name in FIELDS) for each in forecasts}


def refined(driven):
    session = driven.session
    driven.wait(lambda: not session.refining.pending and session.complete, "forecasts by all forms")
    return session


def test_of_a_shader(driven, predicted):
    text = CHEAP.replace("i < 3", "i < 77")
    driven.show(text)
    assert shown(refined(driven).forecasts) == predicted(text)


def test_of_a_kernel(driven, predicted):
    path = FOLDER / "triad.comp"
    driven.show(path.read_text())
    assert shown(refined(driven).forecasts) == predicted.of_file(path)


def test_of_a_project(driven, predicted, tmp_path):
    source, project = tmp_path / "export.json", tmp_path / "toy.shaderlab.toml"
    source.write_text(export())
    cli.main(["import", str(source), "-o", str(project)])
    driven.editor.set_unmodified()
    driven.window.documents.new()
    assert driven.window.documents.open(project)
    driven.complete()
    frame, said = driven.session.frame, predicted.of_file(project)
    assert said
    driven.wait(lambda: shown(frame.forecasts) == said, "the sum by all forms of both passes")


def test_of_a_shader_that_cannot_run(driven, predicted):
    driven.editor.set_unmodified()
    driven.window.documents.new()
    driven.edit(UNSUPPORTED)
    untraced = driven.session.untraced
    driven.wait(lambda: "does not support" in untraced.reason and untraced.forecasts, "estimates")
    assert shown(untraced.forecasts) == predicted(UNSUPPORTED)


def test_of_a_shader_without_an_end(impatient, predicted):
    text = ENDLESS.replace("3.0", "2.5")
    impatient.edit(text)
    untraced = impatient.session.untraced
    impatient.wait(lambda: "its limit" in untraced.reason and untraced.forecasts, "estimates")
    assert shown(untraced.forecasts) == predicted(text, "--deadline", "1")
