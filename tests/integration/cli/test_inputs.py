"""What a shader is given, as a user types it, on the software driver."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

DEVICE = ["--device", "llvmpipe", "--size", "64x48"]
SHADER = """\
#version 450
layout(location = 0) out vec4 colour;
layout(set = 0, binding = 0) uniform Block { int steps; vec4 tint; float time; } ubo;
void main() {
    colour = ubo.tint * 0.0;
    for (int i = 0; i < ubo.steps; i++) colour += 0.1;
    if (ubo.time > 2.0) colour.x = 0.0;
}
"""
NOTE = "The loop in line 6 depends on 'ubo.steps', guessed as 0"


def run(
    *words: str | Path, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "shaderlab", *map(str, words)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=200,
    )


def answer(*words: str | Path) -> dict:
    done = run(*words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def shader(tmp_path: Path) -> Path:
    path = tmp_path / "steps.frag"
    path.write_text(SHADER)
    return path


def loop_rounds(data: dict) -> int:
    return next(line["count"] for line in data["lines"] if line["line"] == 6)


def test_inputs_lists_values_where_they_come_from_and_what_they_decide(shader: Path) -> None:
    rows = answer("inputs", shader, "--set", "tint=#ff0000")["inputs"]
    shown = [(row["name"], row["value"], row["source"], row["decides"]) for row in rows]
    assert shown == [
        ("ubo.steps", 0, "default", True),
        ("ubo.tint", [1.0, 0.0, 0.0, 1.0], "set", False),
        ("ubo.time", 1.0, "default", True),
    ]
    assert rows[0].items() >= {
        "kind": "block member", "type": "int", "set": 0, "binding": 0, "location": None,
    }.items()  # fmt: skip
    assert "line 6" in run("inputs", shader).stdout


def test_a_vertex_shader_reads_attributes(tmp_path: Path) -> None:
    path = tmp_path / "turn.vert"
    path.write_text(
        "#version 450\nlayout(location = 1) in vec3 place;\n"
        "void main() { gl_Position = vec4(place, 1.0); }\n"
    )
    (row,) = answer("inputs", path, "--stage", "vert")["inputs"]
    assert (row["name"], row["kind"], row["location"]) == ("place", "attribute", 1)


def test_a_shader_that_cannot_run_here_is_estimated(shader: Path) -> None:
    environment = {**os.environ, "VK_DRIVER_FILES": "none.json", "VK_ICD_FILENAMES": "none.json"}
    done = run("predict", shader, "--target", "rtx3060", "--json", environment=environment)
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    (target,) = data["targets"]
    assert target["status"] == "estimate"
    assert data["reason"]
    assert any(each.startswith("It was not run: ") for each in target["warnings"])


def test_a_trace_runs_with_what_was_given_and_says_what_was_not(shader: Path) -> None:
    bare = answer("trace", shader, *DEVICE)
    assert bare["notes"] == [NOTE]
    given = answer("trace", shader, *DEVICE, "--set", "steps=5")
    assert given["notes"] == []
    assert loop_rounds(bare) == 64 * 48
    assert loop_rounds(given) == 6 * 64 * 48


def test_a_forecast_warns_until_the_value_is_set(shader: Path) -> None:
    words = ("predict", shader, "--device", "llvmpipe", "--target", "rtx3060")
    (bare,) = answer(*words)["targets"]
    assert [each for each in bare["warnings"] if "steps" in each] == [NOTE]
    assert (bare["status"], bare["domain"]) == ("estimate", "inside")
    (given,) = answer(*words, "--set", "steps=5")["targets"]
    assert NOTE not in given["warnings"]
    assert given["status"] == "ok"


def test_a_project_gives_what_the_options_do_not(shader: Path) -> None:
    project = shader.with_name("steps.shaderlab.toml")
    project.write_text(
        'format = 1\nshader = "steps.frag"\nsize = [32, 16]\n[values]\n"ubo.steps" = 3\n'
    )
    rows = answer("inputs", shader, "--project", project)["inputs"]
    assert (rows[0]["value"], rows[0]["source"]) == (3, "project")
    data = answer("trace", shader, "--device", "llvmpipe", "--project", project)
    assert data["size"] == [32, 16]
    assert loop_rounds(data) == 4 * 32 * 16
    other = shader.with_name("other.frag")
    other.write_text(SHADER)
    wrong = run("inputs", other, "--project", project)
    assert wrong.returncode == 2
    assert "is a project of steps.frag" in wrong.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--set", "stepps=1"], "there are ubo.steps (int), ubo.tint (vec4), ubo.time (float)"),
        (["--set", "steps=half"], "ubo.steps is an int"),
        (["--texture", "t=noise"], "no such inputs"),
        (["--geometry", "teacup"], "expected fullscreen"),
        (["--project", "none.toml"], "cannot read none.toml"),
    ],
)
def test_what_is_wrong_is_one_sentence(shader: Path, words: list[str], message: str) -> None:
    done = run("inputs", shader, *words)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_samples_are_of_defaults_only(shader: Path, tmp_path: Path) -> None:
    done = run("record", shader, "--to", tmp_path / "store", *DEVICE, "--set", "steps=2",
               "--trials", "2")  # fmt: skip
    assert done.returncode == 2
    assert "a sample cannot hold values of your own" in done.stderr


def test_a_texture_of_the_command_line_has_the_levels_that_its_dialect_gives_it(
    tmp_path: Path,
) -> None:
    from PySide6.QtGui import QImage

    head = "#version 330\nuniform sampler2D wood; out vec4 c; "
    opengl = head + "void main() { c = vec4(textureSize(wood, 2).x) / 255.0; }"
    transition = (
        "uniform sampler2D wood; vec4 transition(vec2 uv)"
        " { return textureLod(wood, vec2(0.3), 99.0) == textureLod(wood, vec2(0.3), 0.0)"
        " ? vec4(1.0) : vec4(0.0); }"
    )
    for text, shade in ((opengl, 64), (transition, 255)):
        (tmp_path / "a.frag").write_text(text)
        picture = tmp_path / "a.png"
        answer("render", tmp_path / "a.frag", "--texture", "wood=noise", "-o", picture, *DEVICE)
        assert QImage(str(picture)).pixelColor(3, 3).red() == shade
