"""`explore` as a user types it, on the software driver and RADV's compiler."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from shaderlab import locations
from shaderlab.gpu.radv import discovery

JULIA = locations.resources() / "examples" / "julia.frag"
needs_radv = pytest.mark.skipif(
    discovery.radv_manifest() is None, reason="RADV (mesa-vulkan-drivers) is not installed"
)


def run(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "shaderlab", "explore", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=250,
    )


@needs_radv
def test_a_family_is_explored_and_its_weakest_product_named():
    done = run(
        JULIA, "--family", "navi23", "--vary", "cu=16,32", "--vary", "clock=1000,2589",
        "--budget", "50ms", "--device", "llvmpipe", "--size", "256x192", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    (family,) = found["families"]
    times = family["time_s"]
    assert family["units"] == [16, 32]
    assert times[0][0] > times[0][1] > times[1][1] > family["floor_s"]
    by_name = {each["product"]: each for each in family["products"]}
    assert times[1][1] == pytest.approx(by_name["Radeon RX 6600 XT"]["time_s"])
    assert found["weakest"]["product"] == family["products"][0]["product"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--family", "navi23", "--vary", "memory=1,2"), "cu=… and clock=…"),
        (("--family", "navi23", "--vary", "cu=0,8"), "cu: whole numbers"),
        (("--family", "navi23", "--vary", "clock=90000"), "clock: MHz"),
        (("--family", "navi23", "--budget", "0ms"), "expected a time"),
    ],
)
def test_wrong_use_is_said_at_once(words, said):
    done = run(JULIA, *words)
    assert done.returncode == 2
    assert said in done.stderr
