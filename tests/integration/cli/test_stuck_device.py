"""Commands whose device answers nothing end with exit code 1 and say what was in flight."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from shaderlab.frontend.examples import examples
from tests.stuck_device import StuckDevice

LIMIT = 60.0
PATHS = {each.path.stem: str(each.path) for each in examples()}


@pytest.mark.parametrize(
    ("command", "doing"),
    [
        (["trace", PATHS["gradient"]], "counting gradient.frag"),
        (["profile", PATHS["gradient"]], "profiling gradient.frag"),
        (["predict", PATHS["gradient"], "--no-cache"], "counting gradient.frag"),
        (
            ["check", PATHS["gradient"], PATHS["plasma"], "--target", "rtx3060", "--no-cache"],
            "counting ",
        ),
    ],
    ids=lambda each: each[0] if isinstance(each, list) else "",
)
def test_it_is_the_devices_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str], doing: str
) -> None:
    device = StuckDevice(tmp_path, monkeypatch)
    device.hang()
    done = subprocess.run(
        [
            *(sys.executable, "-m", "shaderlab", *command, "--device", "llvmpipe"),
            *("--deadline", "1", "--json"),
        ],
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    said = json.loads(done.stdout or done.stderr.splitlines()[-1])
    assert "no longer responds, not even to a trivial draw; in flight: " in str(said)
    assert f"in flight: {doing}" in str(said)
    assert "keeps trying" in str(said)
