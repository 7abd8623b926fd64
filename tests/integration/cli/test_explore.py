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


def test_without_a_family_every_product_is_compared():
    done = run(JULIA, "--budget", "2ms", "--device", "llvmpipe", "--size", "256x192", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    by_target = {each["target"]: each for each in found["products"]}
    assert len(by_target) > 90
    assert "llvmpipe" not in by_target
    times = [
        each["low_s"] if each["time_s"] is None else each["time_s"] for each in found["products"]
    ]
    assert times == sorted(times, reverse=True)
    weakest = by_target[found["weakest"]]
    assert weakest["time_s"] <= 2e-3
    assert all(t > 2e-3 for t in times if t > weakest["time_s"])
    newer = run(JULIA, "--since", "2024", "--vendor", "AMD", "--device", "llvmpipe", "--json")
    products = json.loads(newer.stdout)["products"]
    assert {(each["vendor"], each["year"] >= 2024) for each in products} == {("AMD", True)}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--vary", "cu=8"), "--vary is for the chips of a --family"),
        (("--family", "navi23", "--vendor", "AMD"), "--family names chips"),
        (("--target", "llvmpipe"), "none of these targets is a product"),
    ],
)
def test_products_and_chips_are_not_mixed(words, said):
    done = run(JULIA, *words, "--device", "llvmpipe")
    assert done.returncode == 2
    assert said in done.stderr
