"""Frames that files of other communities describe: their sizes, and who reads whose picture."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.errors import WrongUse
from shaderlab.projects.communities import project_in
from shaderlab.projects.sizes import LARGEST, SizeText

BODY = "void main() { gl_FragColor = vec4(float(PASSINDEX)); }\n"


def written(folder, header: dict, name="frame.fs"):
    path = folder / name
    path.write_text(f"/*{json.dumps(header)}*/\n{BODY}")
    return path


def reads(state) -> dict[str, str]:
    return {name: each.value.source.name for name, each in state.inputs.textures.items()}


def test_a_pass_reads_what_was_drawn_before_it_or_else_in_the_frame_before(tmp_path):
    passes = [{"TARGET": "a"}, {"TARGET": "b"}, {"TARGET": "a"}, {}]
    project = project_in(written(tmp_path, {"PASSES": passes}))
    assert [each.name for each in project.passes] == ["a 0", "b", "a 2"]
    first, second, third = (reads(each.state) for each in project.passes)
    assert first == {"a": "a 2", "b": "b"}, "both of the frame before"
    assert second == {"a": "a 0", "b": "b"}
    assert third == {"a": "a 0", "b": "b"}
    assert reads(project.state) == {"a": "a 2", "b": "b"}


@pytest.mark.parametrize(
    "header",
    [{"PASSES": [{}]}, {"PASSES": []}, {"INPUTS": []}, {"PASSES": "many"}, {"PASSES": {"a": {}}}],
)
def test_a_file_of_one_pass_is_no_project(tmp_path, header):
    assert project_in(written(tmp_path, {"ISFVSN": "2", **header})) is None


def test_other_files_are_no_projects(tmp_path):
    path = written(tmp_path, {"PASSES": [{"TARGET": "a"}, {}]}, "frame.glsl")
    assert project_in(path) is None
    assert project_in(tmp_path / "missing.fs") is None


def test_a_thousand_passes_are_refused(tmp_path):
    path = written(tmp_path, {"PASSES": [{"TARGET": "a"}] * 200})
    with pytest.raises(WrongUse, match=r"200 passes; at most 64"):
        project_in(path)


def test_pictures_outside_the_folder_are_not_read(tmp_path):
    (tmp_path / "secret.png").write_bytes(b"")
    inner = tmp_path / "inner"
    inner.mkdir()
    paths = ("../secret.png", "none.png", "\0", "x" * 5000)
    imported = {f"picture{number}": {"PATH": path} for number, path in enumerate(paths)}
    project = project_in(written(inner, {"PASSES": [{"TARGET": "a"}, {}], "IMPORTED": imported}))
    assert reads(project.state) == {"a": "a"}


def test_a_last_pass_of_another_size_than_the_frame_is_refused(tmp_path):
    last = {"WIDTH": "$WIDTH", "HEIGHT": "$HEIGHT / 2"}
    project = project_in(written(tmp_path, {"PASSES": [{"TARGET": "a"}, last]}))
    with pytest.raises(WrongUse, match=r"PASSES\[1\].*1024 x 384 pixels.*1024 x 768"):
        project.rule.states(project, project.state)


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("$WIDTH / 4.0", 160.0),
        ("floor($WIDTH/3.0)", 213.0),
        ("max($HEIGHT * $scale, 16)", 96.0),
        ("-($WIDTH - 700) + mod(7, 4)", 63.0),
        ("pow(2, 3) + sqrt(16) + abs(-1) + ceil(0.2) + round(1.6) + min(5, 4, 9)", 20.0),
        ("1", 1.0),
    ],
)
def test_expressions_have_their_value(text, right):
    names = {"WIDTH": 640, "HEIGHT": 480, "scale": 0.2}
    assert SizeText(text, "here").value(names) == pytest.approx(right)


@pytest.mark.parametrize(
    "text",
    [
        "", "$WIDTH /", "$DEPTH", "1/0", "10**10**10", "pow(10, 400)", "__import__('os')",
        "(1).__class__", "[1]", "'a'", "True", "lambda: 1", "floor()", "floor(1, 2)",
        "(" * 300 + "1" + ")" * 300, "1" * 500, "-" * 300 + "1", "sqrt(-1)", "$WIDTH if 1 else 2",
    ],
)  # fmt: skip
def test_what_is_no_expression_of_numbers_is_refused_by_its_place(text):
    with pytest.raises(WrongUse, match=r"^frame\.fs: PASSES\[1\]: WIDTH"):
        SizeText(text, "frame.fs: PASSES[1]: WIDTH").pixels({"WIDTH": 640})


@given(st.text(alphabet="$WIDTH0123456789.+-*/%(), floremaxinpwqtsub_[]'\"\\", max_size=60))
def test_any_text_is_a_side_or_refused(text):
    try:
        side = SizeText(text, "here").pixels({"WIDTH": 640})
    except WrongUse:
        return
    assert 1 <= side <= LARGEST


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_a_side_is_a_whole_number_of_pixels_that_a_picture_can_have(value):
    try:
        side = SizeText("$x", "here").pixels({"x": value})
    except WrongUse:
        assert not 1 <= value < LARGEST + 1
    else:
        assert side == math.floor(value)
