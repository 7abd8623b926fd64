"""What ended a worker, or the machine, is known to the next process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from shaderlab.engine.quarantine import Quarantine
from shaderlab.errors import Quarantined, ShaderTimeout, UnsupportedShader

KEY = "c" * 64

RUNNING = """\
import sys
from pathlib import Path
from shaderlab.engine.quarantine import Quarantine
with Quarantine(Path(sys.argv[1])).running(sys.argv[2], noted=True):
    print("running", flush=True)
    sys.stdin.read()
"""


def run(quarantine: Quarantine, error: Exception | None = None) -> None:
    with quarantine.running(KEY, noted=True):
        if error is not None:
            raise error


def test_what_missed_a_deadline_is_tried_again_with_a_later_one(tmp_path: Path) -> None:
    with pytest.raises(ShaderTimeout):
        run(Quarantine(tmp_path, 60.0), ShaderTimeout("too late").with_remedy("Make it shorter."))
    reason = Quarantine(tmp_path, 60.0).reason(KEY)
    assert isinstance(reason, ShaderTimeout)
    assert (str(reason), reason.remedy) == ("too late", "Make it shorter.")
    assert Quarantine(tmp_path, 61.0).reason(KEY) is None
    assert Quarantine(tmp_path, 60.0, consulted=False).reason(KEY) is None
    run(Quarantine(tmp_path, 61.0))
    assert Quarantine(tmp_path, 60.0).reason(KEY) is None


def test_what_a_device_refuses_is_not_held_against_it(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedShader):
        run(Quarantine(tmp_path), UnsupportedShader("no"))
    assert Quarantine(tmp_path).reason(KEY) is None
    assert not list(tmp_path.iterdir())


def test_what_ran_when_a_process_was_killed_is_known(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", RUNNING, str(tmp_path), KEY],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"running\n"
        assert Quarantine(tmp_path).reason(KEY) is None, "it is still running"
        process.kill()
    reason = Quarantine(tmp_path).reason(KEY)
    assert isinstance(reason, Quarantined)
    assert "it was running when shaderlab ended on " in str(reason)
    assert isinstance(Quarantine(tmp_path).reason(KEY), Quarantined), "not for once alone"


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"\x00" * 40, b'{"error": 1}'])
def test_a_damaged_entry_counts_as_missing(tmp_path: Path, data: bytes) -> None:
    (tmp_path / f"{KEY}.ended").write_bytes(data)
    assert Quarantine(tmp_path).reason(KEY) is None
