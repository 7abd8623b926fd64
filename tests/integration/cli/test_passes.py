"""A Shadertoy with buffers through the commands: imported, drawn, counted, timed, predicted."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from shaderlab.gpu.radv import discovery

DEVICE = ["--device", "llvmpipe"]
SMALL = ["--size", "64x48"]
PIXELS = 64 * 48

IMAGE = """\
void mainImage(out vec4 c, in vec2 p) {
    c = vec4(texture(iChannel0, p / iResolution.xy).rgb * level(), 1.0);
}
"""
BUFFER = """\
void mainImage(out vec4 c, in vec2 p) {
    float before = texture(iChannel0, p / iResolution.xy).r;
    for (int i = 0; i < 9; i++) before += 0.01;
    c = vec4(before + 0.01, 0.0, 0.0, 1.0);
}
"""
CUBE = """\
void mainCubemap(out vec4 c, in vec2 p, in vec3 origin, in vec3 direction) {
    c = vec4(direction.z > 0.9 ? 1.0 : 0.0, 0.0, 0.0, 1.0);
}
"""


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "shaderlab", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=100,
    )


def answer(*words: str | Path) -> Any:
    done = run(*words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Buffer A, which adds 0.1 to its own picture, and the image that shows half of it."""
    shader = {
        "renderpass": [
            {
                "type": "image",
                "code": IMAGE,
                "inputs": [{"channel": 0, "type": "buffer", "id": "a"}],
            },
            {"type": "common", "code": "float level() { return 0.5; }\n"},
            {
                "type": "buffer",
                "name": "Buffer A",
                "code": BUFFER,
                "inputs": [{"channel": 0, "type": "buffer", "id": "a"}],
                "outputs": [{"channel": 0, "id": "a"}],
            },
        ]
    }
    source = tmp_path / "export.json"
    source.write_text(json.dumps(shader))
    written = answer("import", source, "-o", tmp_path / "toy.shaderlab.toml")
    assert written["notes"] == []
    return Path(written["project"])


def colour(project: Path, tmp_path: Path, *options: str) -> int:
    answer("render", project, "-o", tmp_path / "out.png", *SMALL, *DEVICE, *options)
    pixels = np.asarray(Image.open(tmp_path / "out.png"))
    assert pixels.shape[:2] == (48, 64)
    assert (pixels[..., 0] == pixels[0, 0, 0]).all()
    return int(pixels[0, 0, 0])


def test_a_buffer_reads_its_picture_of_the_frame_before(project: Path, tmp_path: Path) -> None:
    for number in (0, 1, 4):
        shown = colour(project, tmp_path, "--frame", str(number))
        assert shown == pytest.approx(255 * 0.5 * 0.1 * (number + 1), abs=1)


def test_every_pass_is_counted_with_its_own_lines(project: Path) -> None:
    counted = answer("trace", project, *SMALL, *DEVICE)
    assert [each["pass"] for each in counted["passes"]] == ["Buffer A", "Image"]
    of_buffer = {each["line"]: each["count"] for each in counted["passes"][0]["lines"]}
    assert of_buffer[4] == PIXELS * 10  # the test of the loop's end runs once more
    assert counted["lines"][0]["pass"] == "Buffer A"
    assert counted["lines"][0]["line"] == 4
    assert sum(each["share"] for each in counted["lines"]) <= 1.000001


def test_a_frame_s_forecast_is_the_sum_of_its_passes(project: Path) -> None:
    found = answer("predict", project, "--target", "rtx3060", "--target", "llvmpipe", *DEVICE)
    for target in found["targets"]:
        passes = target["passes"]
        assert [each["pass"] for each in passes] == ["Buffer A", "Image"]
        assert target["time_s"] == pytest.approx(sum(each["time_s"] for each in passes))
        assert target["low_s"] <= target["time_s"] <= target["high_s"]
    # Only software devices have samples that read textures.
    domains = {target["target"]: target["domain"] for target in found["targets"]}
    assert domains == {"rtx3060": "outside", "llvmpipe": "inside"}


def test_a_frame_is_held_against_a_budget(project: Path) -> None:
    checked = answer("check", project, "--budget", "rtx3060=1s", *SMALL, *DEVICE)
    assert checked["ok"]
    assert run("check", project, "--budget", "rtx3060=1us", *SMALL, *DEVICE).returncode == 1


def test_passes_are_timed_apart_and_together(project: Path) -> None:
    timed = answer("profile", project, *SMALL, *DEVICE, "--trials", "3", "--draws", "3")
    assert [each["pass"] for each in timed["passes"]] == ["Buffer A", "Image"]
    assert timed["sum_s"] == pytest.approx(sum(each["time_s"] for each in timed["passes"]))
    assert timed["together"]["time_s"] > 0
    pipeline = timed["pipeline"]
    assert sum(pipeline["shares"].values()) == pytest.approx(1)
    for one, stages in zip(timed["passes"], pipeline["passes"], strict=True):
        assert sum(stages["stages_s"].values()) == pytest.approx(one["time_s"])
        assert stages["stages_s"][stages["bottleneck"]] == max(stages["stages_s"].values())


def test_a_cube_map_pass_is_drawn_on_six_faces(tmp_path: Path) -> None:
    image = "void mainImage(out vec4 c, in vec2 p) {\n"
    image += "    vec3 d = p.x < 32.0 ? vec3(0.0, 0.0, 1.0) : vec3(0.0, 0.0, -1.0);\n"
    image += "    c = vec4(texture(iChannel1, d).rgb, 1.0);\n}\n"
    shader = {
        "renderpass": [
            {"type": "image", "code": image,
             "inputs": [{"channel": 1, "type": "cubemap", "id": "q"}]},
            {"type": "cubemap", "name": "Cube A", "code": CUBE, "outputs": [{"id": "q"}]},
        ]
    }  # fmt: skip
    (tmp_path / "export.json").write_text(json.dumps(shader))
    project = tmp_path / "toy.toml"
    answer("import", tmp_path / "export.json", "-o", project)
    answer("render", project, "-o", tmp_path / "out.png", *SMALL, *DEVICE)
    pixels = np.asarray(Image.open(tmp_path / "out.png"))
    assert (pixels[:, :32, 0] == 255).all()
    assert (pixels[:, 32:, 0] == 0).all()
    (target,) = answer("predict", project, "--target", "rtx3060", *DEVICE)["targets"]
    cube, image = target["passes"]
    assert (cube["draws_per_frame"], image["draws_per_frame"]) == (6, 1)
    assert target["time_s"] == pytest.approx(6 * cube["time_s"] + image["time_s"])
    assert cube["time_s"] < 2 * image["time_s"], "of one face, not of all, each time"
    assert not any("iCubeFace" in each or "6144" in each for each in cube["warnings"])


def test_errors_in_a_pass_name_the_pass_and_the_line(project: Path) -> None:
    (buffer,) = project.parent.glob("*Buffer A.glsl")
    buffer.write_text(BUFFER.replace("before +=", "beyond +="))
    done = run("trace", project, *SMALL, *DEVICE)
    assert done.returncode == 1
    assert "Buffer A.glsl:3:" in done.stderr


def test_an_import_overwrites_nothing(project: Path) -> None:
    (image,) = project.parent.glob("*Image.glsl")
    image.write_text("// mine\n")
    done = run("import", project.parent / "export.json", "-o", project)
    assert done.returncode == 2
    assert "there already" in done.stderr
    assert image.read_text() == "// mine\n"


@pytest.mark.skipif(discovery.radv_manifest() is None, reason="RADV is not installed")
def test_a_frame_is_explored_as_the_sum_of_its_passes(project: Path):
    varied = ["--vary", "cu=16,32", "--vary", "clock=1000,2589", "--family", "navi23"]
    found = answer("explore", project, *varied, *DEVICE, *SMALL)
    (family,) = found["families"]
    # Each of two passes has the family's fixed part.
    assert family["floor_s"] == pytest.approx(2 * 6.15e-6, rel=0.01)
    assert family["time_s"][0][0] > family["time_s"][1][1] > family["floor_s"]


ISF = """\
/*{ "INPUTS": [{"NAME": "shrink", "TYPE": "float", "DEFAULT": 4.0}],
    "PASSES": [{"TARGET": "small", "WIDTH": "floor($WIDTH / $shrink)"}, {}] }*/
void main() {
    float c = 0.0;
    if (PASSINDEX == 0)
        for (int i = 0; i < 500; i++) c += sin(float(i) + isf_FragNormCoord.x);
    gl_FragColor = PASSINDEX == 0 ? vec4(c) : IMG_THIS_NORM_PIXEL(small);
}
"""


def test_an_isf_inputs_sweep_changes_all_passes_that_follow_it(tmp_path: Path):
    path = tmp_path / "small.fs"
    path.write_text(ISF)
    sized = ("--target", "llvmpipe", "--size", "512x384", *DEVICE)
    found = answer("sweep", path, "shrink=1,8", *sized)
    whole, eighth = (point["targets"][0]["time_s"] for point in found["points"])
    assert eighth < 0.4 * whole
    refused = run("sweep", path, "shrink=1,8", "--pass", "small", *DEVICE)
    assert refused.returncode == 2
    assert "all passes have the same inputs" in refused.stderr


def test_a_frame_of_passes_is_no_sample(tmp_path: Path):
    path = tmp_path / "small.fs"
    path.write_text(ISF)
    done = run("record", path, "--to", tmp_path / "store", *SMALL, *DEVICE)
    assert done.returncode == 1
    assert "small.fs: it describes 2 passes; a sample is of one" in done.stdout
