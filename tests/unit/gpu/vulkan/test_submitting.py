"""Parts of a picture: each pixel once, quads whole, no submission longer than expected."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.gpu.vulkan.submitting import Pace, Pacer, shows_desktop
from shaderlab.gpu.vulkan.tiles import Tile

SIDES = st.integers(1, 300)


@given(SIDES, SIDES, st.integers(0, 8), st.floats(0, 1e-3))
def test_every_pixel_is_drawn_once_in_whole_quads(width, height, lane_groups, pixel_s):
    area = Tile(8 * lane_groups, 4 * lane_groups, width, height)
    drawn = np.zeros((area.y + height, area.x + width), int)

    def submit(part: Tile) -> float:
        assert part.x % 2 == part.y % 2 == 0
        drawn[part.y : part.y + part.height, part.x : part.x + part.width] += 1
        return pixel_s * part.width * part.height

    assert Pacer(Pace(0.05, float("inf"))).draw(area, submit) == 0
    assert (drawn[area.y :, area.x :] == 1).all()
    assert drawn.sum() == width * height


@pytest.mark.parametrize("pixel_s", [1e-9, 1e-6, 1e-4])
def test_submissions_stay_short_where_a_body_in_the_middle_is_heavy(pixel_s):
    """An object on a background that takes a hundredth of its time, on a device that runs 4,096
    pixels at once."""
    times = []

    def submit(part: Tile) -> float:
        y, x = np.mgrid[part.y : part.y + part.height, part.x : part.x + part.width]
        heavy = np.hypot(x - 512, y - 384) < 250
        times.append(1e-4 + pixel_s * max(np.where(heavy, 1, 0.01).sum(), 4096 * heavy.any()))
        return times[-1]

    Pacer(Pace(0.25, float("inf"))).draw(Tile(0, 0, 1024, 768), submit)
    least = 0.4096 if pixel_s == 1e-4 else 0.0  # what no part of a body can take less than
    assert max(times) <= max(0.25, least) * 1.2
    assert len(times) < 20 + 8 * sum(times) / 0.25


def test_the_rest_is_given_up_when_time_is_over():
    drawn = []

    def submit(part: Tile) -> float:
        drawn.append(part.width * part.height)
        return 0.5

    assert Pacer(Pace(0.25, 3.0)).draw(Tile(0, 0, 640, 480), submit) == 640 * 480 - sum(drawn)
    assert len(drawn) == 6
    assert set(drawn) == {64}


@pytest.mark.parametrize("status", ["connected", "disconnected", None])
def test_a_connected_monitor_makes_a_desktop(tmp_path: Path, monkeypatch, status):
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("DISPLAY", ":0")
    info = DeviceInfo("gpu", "GPU", "discrete", "", "1.3", 0x1002, 0x73FF, "", "", 0, True)
    if status is not None:
        card = tmp_path / "card1"
        (card / "device").mkdir(parents=True)
        (card / "device" / "vendor").write_text("0x1002\n")
        (card / "device" / "device").write_text("0x73ff\n")
        (card / "card1-DP-1").mkdir()
        (card / "card1-DP-1" / "status").write_text(f"{status}\n")
        (tmp_path / "card1-DP-1").symlink_to(card / "card1-DP-1")
    assert shows_desktop(info, tmp_path) is (status != "disconnected")
