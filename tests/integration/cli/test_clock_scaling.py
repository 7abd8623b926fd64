"""`scale --over clock` with Issa's worked example."""

from __future__ import annotations

import json

import pytest

from shaderlab import locations
from shaderlab.cli import main

GRADIENT = str(locations.resources() / "examples" / "gradient.frag")
POINTS = ("--point", "500=28.8ms", "--point", "750MHz=23.66ms")


def run(capsys, *words: str) -> tuple[int, str, str]:
    code = main(["scale", GRADIENT, "--over", "clock", *words])
    done = capsys.readouterr()
    return code, done.out, done.err


def test_the_papers_points_give_the_figures_of_its_own_law(capsys):
    code, out, _ = run(capsys, *POINTS, "--clocks", "900,4000", "--json")
    assert code == 0
    found = json.loads(out)
    law = found["law"]
    assert law["fixed_s"] == pytest.approx(13.38e-3)
    assert law["per_clock_s_mhz"] == pytest.approx(7.710)
    low, high, asked, far = found["points"]
    assert (low["fixed_share"], high["fixed_share"]) == pytest.approx((0.465, 0.566), abs=1e-3)
    assert asked["law_s"] == pytest.approx(21.9467e-3, abs=1e-7)
    assert asked["efficiency"] == pytest.approx(0.729, abs=1e-3)
    assert asked["projected"]
    assert far["law_s"] is None


def test_the_text_says_bound_and_that_the_papers_differs(capsys):
    code, out, _ = run(capsys, *POINTS, "--point", "1000=21.8ms")
    assert code == 0
    assert "No clock brings it below 14.5" in out
    assert "17.5" in out


def test_without_points_it_says_how_to_get_them(capsys):
    code, _, err = run(capsys)
    assert code == 2
    assert "--point 500=28.8ms" in err


@pytest.mark.parametrize(
    "words",
    [
        ("--point", "500=28.8ms"),
        ("--point", "500=28.8ms", "--point", "550=27ms"),
        ("--point", "500=28.8ms", "--point", "500=27ms"),
        ("--point", "500"),
        ("--point", "0=3ms"),
    ],
)
def test_too_little_is_refused(capsys, words):
    code, _, err = run(capsys, *words)
    assert code == 2
    assert err
