"""The user's own vertex shader, named on the command line, on the software driver."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SIZE = 64 * 48
DEVICE = ["--device", "llvmpipe", "--size", "64x48"]
VERTEX = """\
#version 450
layout(location = 0) out vec2 uv;
layout(set = 1, binding = 0) uniform Settings { int rounds; };
void main() {
    uv = vec2((gl_VertexIndex << 1) & 2, gl_VertexIndex & 2);
    for (int i = 0; i < rounds; i++)
        uv.x *= SCALE;
    gl_Position = vec4(uv * 2.0 - 1.0, 1.0, 1.0);
}
"""
FRAGMENT = """\
#version 450
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 colour;
void main() {
    colour = vec4(uv, 0.5, 1.0);
}
"""
ROUNDS = "The loop in line cover.vert:6 depends on 'rounds', guessed as 0"


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "shaderlab", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=200,
    )


def answer(*words: str | Path) -> dict:
    done = run(*words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def runs(stage: dict, line: int) -> int:
    return next(each["count"] for each in stage["lines"] if each["line"] == line)


@pytest.fixture
def given(tmp_path: Path) -> list[str | Path]:
    (tmp_path / "cover.vert").write_text(VERTEX)
    (tmp_path / "cover.frag").write_text(FRAGMENT)
    return [tmp_path / "cover.frag", "--vertex", tmp_path / "cover.vert", "-D", "SCALE=1.0"]


def test_both_stages_are_counted_and_shown(given: list[str | Path]) -> None:
    data = answer("trace", *given, *DEVICE, "--set", "rounds=2")
    assert data["notes"] == []
    assert runs(data, 5) == SIZE  # one triangle covers every pixel once
    assert runs(data["vertex"], 5) == 3
    assert runs(data["vertex"], 7) == 6
    assert data["vertex"]["blocks"][0].keys() == data["blocks"][0].keys()
    shown = run("trace", *given, *DEVICE)
    assert "vertex stage (cover.vert)" in shown.stdout
    assert ROUNDS in shown.stdout


def test_without_one_the_answer_says_so(given: list[str | Path]) -> None:
    assert answer("trace", given[0], *DEVICE)["vertex"] is None


def test_the_number_of_vertices_is_chosen_and_timed_with_the_draw(given) -> None:
    more = answer("trace", *given, *DEVICE, "--vertices", "6")
    assert runs(more["vertex"], 5) == 6
    timed = answer("profile", *given, *DEVICE, "--vertices", "6", "--trials", "2", "--draws", "2")
    assert timed["statistics"]["vertex_invocations"] == 6
    assert [each["stage"] for each in timed["stages"]] == ["vertex", "fragment"]
    given[2].write_text(VERTEX.replace("uv.x *= SCALE", "uv.x = sin(uv.x)"))
    slow = answer(
        "profile", *given, *DEVICE, "--set", "rounds=30000", "--trials", "2", "--draws", "2"
    )
    alone, rest = slow["stages"]
    assert slow["time_s"] / 2 < alone["time_s"], "one pixel is left, every vertex is processed"
    assert alone["time_s"] > rest["time_s"]
    alone = run("trace", given[0], *DEVICE, "--vertices", "6")
    assert alone.returncode
    assert "--vertices is for a vertex shader" in alone.stderr


def test_a_body_keeps_its_own_vertices(given: list[str | Path]) -> None:
    data = answer("trace", *given, *DEVICE, "--geometry", "cube")
    assert runs(data["vertex"], 5) > 6


def test_a_forecast_has_both_stages(given: list[str | Path]) -> None:
    words = ("predict", *given, "--device", "llvmpipe", "--target", "rtx3060")
    (few,) = answer(*words, "--set", "rounds=1")["targets"]
    assert (few["status"], few["domain"]) == ("estimate", "outside")
    assert any("in 3 invocations" in each for each in few["warnings"])
    (many,) = answer(*words, "--set", "rounds=2000")["targets"]
    for each in (few, many):
        vertex, fragment = each["stages"]
        assert vertex["time_s"] + fragment["time_s"] == pytest.approx(each["time_s"])
        assert vertex["low_s"] < vertex["time_s"] < vertex["high_s"]
    assert many["stages"][0]["time_s"] > 100 * few["stages"][0]["time_s"]
    assert many["stages"][0]["lines"][0]["line"] in (6, 7)
    assert many["stages"][1]["time_s"] == pytest.approx(few["stages"][1]["time_s"])
    (most,) = answer(*words, "--set", "rounds=100000")["targets"]
    counted = answer("trace", *given, *DEVICE, "--set", "rounds=100000")
    is_cut = runs(counted["vertex"], 7) < 3 * 100_000  # later versions of llvmpipe cut no loops
    assert most["status"] == ("lower bound" if is_cut else "estimate")
    assert (most["time_s"] is None) == is_cut
    assert "vertex stage" in run(*words, "--set", "rounds=1").stdout
    budget = run("check", *given, "--device", "llvmpipe", "--budget", "rtx3060=9ms", "--json")
    assert "in 3 invocations" in budget.stdout


def test_a_project_names_it(given: list[str | Path], tmp_path: Path) -> None:
    project = tmp_path / "cover.toml"
    project.write_text(
        'format = 1\nshader = "cover.frag"\nvertex = "cover.vert"\n'
        '[defines]\nSCALE = "1.0"\n[values]\nrounds = 4\n[geometry]\nvertices = 9\n'
    )
    data = answer("trace", project, *DEVICE)
    assert runs(data["vertex"], 7) == 36
    picture = tmp_path / "cover.png"
    answer("render", project, *DEVICE, "-o", picture)
    assert picture.exists()
    names = [each["name"] for each in answer("inputs", project)["inputs"]]
    assert "rounds" in names


def test_every_pass_has_its_vertex_stage_in_json(given: list[str | Path], tmp_path: Path) -> None:
    (tmp_path / "first.frag").write_text(FRAGMENT.replace("in vec2 uv;", "in vec2 uv; // first"))
    project = tmp_path / "cover.toml"
    project.write_text(
        'format = 1\nshader = "cover.frag"\nvertex = "cover.vert"\n[defines]\nSCALE = "1.0"\n'
        '[values]\nrounds = 4\n[[pass]]\nname = "A"\nshader = "first.frag"\n'
    )
    first, shown = answer("trace", project, *DEVICE)["passes"]
    assert first["vertex"] is None
    assert runs(shown["vertex"], 7) == 12
    (target,) = answer("predict", project, *DEVICE, "--target", "rtx3060")["targets"]
    first, shown = target["passes"]
    assert first["stages"] == []
    assert [each["stage"] for each in shown["stages"]] == ["vertex", "fragment"]
    parts = [first["time_s"], *(each["time_s"] for each in shown["stages"])]
    assert sum(parts) == pytest.approx(target["time_s"])


def test_what_is_wrong_with_it_is_told_by_its_name(given: list[str | Path], tmp_path: Path) -> None:
    (tmp_path / "cover.vert").write_text("#version 450\nvoid main() { gl_Position = nothing; }\n")
    done = run("render", *given, *DEVICE, "-o", tmp_path / "x.png")
    assert done.returncode
    assert "cover.vert:2" in done.stderr
