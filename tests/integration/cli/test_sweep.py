"""`sweep` as a user types it, on the software driver."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SHADER = """\
#define STEPS 4
const float SCALE = 3.0;
void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    float sum = 0.0;
    for (int i = 0; i < STEPS; i++)
        sum += sin(SCALE * fragCoord.x / 64.0 * float(i + 1) + iTime) / float(i + 1);
#ifdef DARK
    sum *= 0.5;
#endif
    fragColor = vec4(vec3(0.5 + 0.3 * sum), 1.0);
}
"""


def run(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "shaderlab", "sweep", *map(str, words), "--size", "256x192"],
        capture_output=True,
        text=True,
        timeout=250,
    )


@pytest.fixture(scope="module")
def shader(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("sweep") / "waves.frag"
    path.write_text(SHADER)
    return path


@pytest.fixture(scope="module")
def swept(shader) -> dict:
    done = run(
        shader, "STEPS=2,8,32,512", "--reference", "512", "--measure", "--trials", 2, "--draws", 1,
        "--target", "rtx3060", "--device", "llvmpipe", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_value_is_predicted_measured_and_compared(swept):
    points = swept["points"]
    assert [each["values"] for each in points] == [
        {"STEPS": value} for value in ("2", "8", "32", "512")
    ]
    for each in points:
        (target,) = each["targets"]
        assert target["low_s"] < target["time_s"] < target["high_s"]
        assert each["measured"]["time_s"] > 0
    times = [each["targets"][0]["time_s"] for each in points]
    assert times[3] > 1.2 * times[0]


def test_pictures_approach_the_reference(swept):
    *others, reference = [each["picture"] for each in swept["points"]]
    assert reference == {"changed": 0.0, "rms": 0.0, "psnr_db": None}
    assert others[0]["rms"] > others[2]["rms"] > 0
    assert others[0]["changed"] > 0.3
    assert swept["knee"]["picture"] in (["8"], ["32"])


def test_consts_inputs_and_macros_are_swept_together(shader):
    done = run(
        shader, "SCALE=1,3", "iTime=0,2", "DARK=1", "--target", "rtx3060", "--device", "llvmpipe",
        "--reference", "3,2,1", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    changed = [each["picture"]["changed"] for each in json.loads(done.stdout)["points"]]
    assert changed[3] == 0
    assert min(changed[:3]) > 0.3


def test_a_variant_that_does_not_compile_is_a_point_with_its_reason(tmp_path):
    path = tmp_path / "table.frag"
    path.write_text(
        "#define N 2\nconst float T[2] = float[2](0.2, 0.7);\n"
        "void mainImage(out vec4 c, in vec2 p) { c = vec4(T[N - 1]); }\n"
    )
    done = run(path, "N=1,2,9", "--target", "rtx3060", "--device", "llvmpipe", "--json")
    assert done.returncode == 1
    good, _, bad = json.loads(done.stdout)["points"]
    assert good["failure"] is None
    assert "table.frag:3" in bad["failure"]
    assert bad["targets"] == []


def test_a_name_that_is_nothing_is_refused_with_those_there_are(shader):
    done = run(shader, "STEP=2,8")
    assert done.returncode == 2
    assert "STEPS, SCALE" in done.stderr


def test_too_many_combinations_are_refused_at_once(shader):
    done = run(shader, "STEPS=1:20", "SCALE=1:20")
    assert done.returncode == 2
    assert "400 combinations" in done.stderr


def test_one_value_is_timed_and_the_others_are_moved_with_it(shader):
    done = run(
        shader, "STEPS=8,32", "--anchor", "--trials", 2, "--draws", 1, "--target", "llvmpipe",
        "--device", "llvmpipe", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    first, second = json.loads(done.stdout)["points"]
    assert second["measured"] is None
    assert first["anchored_s"] == pytest.approx(first["measured"]["time_s"])
    factor = first["measured"]["time_s"] / first["targets"][0]["time_s"]
    assert second["anchored_s"] == pytest.approx(factor * second["targets"][0]["time_s"])
    assert run(shader, "STEPS=8,32", "--anchor", "--measure").returncode != 0


@pytest.fixture
def project(tmp_path) -> Path:
    """Two passes; the second shows the first."""
    (tmp_path / "a.frag").write_text(SHADER)
    (tmp_path / "image.frag").write_text(
        "void mainImage(out vec4 c, in vec2 p)\n"
        "{ c = 0.25 + 0.5 * texelFetch(iChannel0, ivec2(p), 0); }\n"
    )
    path = tmp_path / "image.shaderlab.toml"
    path.write_text(
        'format = 1\nshader = "image.frag"\n[textures]\niChannel0 = {picture_of = "A"}\n'
        '[[pass]]\nname = "A"\nshader = "a.frag"\n'
    )
    return path


def test_a_pass_is_swept_in_its_frame(project, shader):
    words = ("--target", "llvmpipe", "--device", "llvmpipe", "--json")
    done = run(
        project, "--pass", "A", "STEPS=2,512", "--measure", "--trials", 2, "--draws", 1, *words
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["varied"] == "A"
    few, many = found["points"]
    (first,), (second,) = few["targets"], many["targets"]
    assert first["time_s"] == pytest.approx(sum(first["passes"].values()))
    assert first["passes"]["Image"] == second["passes"]["Image"]
    assert second["passes"]["A"] > 3 * first["passes"]["A"]
    assert many["measured"]["time_s"] > few["measured"]["time_s"]
    alone = run(shader, "STEPS=2,512", *words)
    (lone,) = json.loads(alone.stdout)["points"][1]["targets"]
    assert second["passes"]["A"] == pytest.approx(lone["time_s"], rel=0.01)
    # The second pass halves differences of the first.
    shown, own = many["picture"]["rms"], json.loads(alone.stdout)["points"][1]["picture"]["rms"]
    assert shown == pytest.approx(own / 2, rel=0.1)


def test_a_pass_that_is_none_is_refused_with_those_there_are(project):
    done = run(project, "--pass", "B", "STEPS=2,8", "--device", "llvmpipe")
    assert done.returncode == 2
    assert "A, Image" in done.stderr


LATER = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord)
{
    float sum = 0.0;
    for (int i = 0; i < int(20.0 * iTime); i++)
        sum += sin(fragCoord.x * float(i));
    fragColor = vec4(vec3(sum), 1.0);
}
"""


def test_at_itime_1_it_is_the_forecast(tmp_path):
    """Counts follow the time here; the canonical run is of iTime 1."""
    path = tmp_path / "later.frag"
    path.write_text(LATER)
    chosen = "--target", "llvmpipe", "--target", "uhd630", "--device", "llvmpipe", "--json"
    swept = run(path, "iTime=0.5,1,4", *chosen)
    assert swept.returncode == 0, swept.stderr
    alone = subprocess.run(
        [sys.executable, "-m", "shaderlab", "predict", path, *chosen, "--size", "256x192"],
        capture_output=True,
        text=True,
        timeout=250,
    )
    assert alone.returncode == 0, alone.stderr
    ends = "target", "time_s", "low_s", "high_s", "method"
    early, now, late = (
        [[each[end] for end in ends] for each in point["targets"]]
        for point in json.loads(swept.stdout)["points"]
    )
    assert now == [[each[end] for end in ends] for each in json.loads(alone.stdout)["targets"]]
    assert early[0][1] < now[0][1] < late[0][1]
