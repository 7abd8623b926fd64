"""`scale` as a user types it, on the software driver."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from shaderlab import locations
from shaderlab.scene.draw import SEVERAL_SIZES

GRADIENT = locations.resources() / "examples" / "gradient.frag"


def run(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "shaderlab", "scale", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=250,
    )


@pytest.fixture(scope="module")
def study() -> dict:
    done = run(
        GRADIENT, "--over", "size", "--at", "640x480,4000x3000", "--target", "rtx3060",
        "--device", "llvmpipe", "--trials", 2, "--draws", 1, "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    numbers = [line.split()[0] for line in done.stderr.splitlines() if ": measuring " in line]
    assert numbers == ["1", "2", "3", "4", "5"]
    return json.loads(done.stdout)


def test_every_size_is_measured_and_lies_by_the_line(study):
    points = study["points"]
    assert [tuple(each["size"]) for each in points[:5]] == list(SEVERAL_SIZES)
    law = study["law"]
    for each in points[:5]:
        pixels = each["size"][0] * each["size"][1]
        assert each["measured_s"] > 0
        assert each["law_s"] == pytest.approx(law["fixed_s"] + law["per_pixel_s"] * pixels)


def test_a_size_within_the_points_is_no_projection_and_a_far_one_is_left_out(study):
    near, far = study["points"][5:]
    assert not near["projected"]
    assert near["law_s"] is not None
    assert far["projected"]
    assert far["law_s"] is None


def test_targets_are_traced_at_each_size(study):
    (target,) = study["targets"]
    times = {tuple(each["size"]): each["time_s"] for each in target["points"]}
    assert list(times) == [(640, 480), (1024, 768), (4000, 3000)]
    assert times[4000, 3000] > 3 * times[1024, 768]


def test_a_wrong_size_is_refused_with_its_text():
    done = run(GRADIENT, "--over", "size", "--at", "640")
    assert done.returncode == 2
    assert "640" in done.stderr
