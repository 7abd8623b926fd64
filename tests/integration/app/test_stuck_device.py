"""A window whose device stops answering says so with what to do, and draws again by itself."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.stuck_device import StuckDevice

PROGRAM = """
import os, sys, time
from pathlib import Path

if __name__ == "__main__":
    from shaderlab.app.settings import Settings, SettingsStore
    from shaderlab.app.shell import start
    from shaderlab.workers.supervisor.limits import Limits

    app, hanging = start.application(), Path(os.environ["SHADERLAB_STUCK_WHILE"])
    store = SettingsStore(Path(sys.argv[1]) / "settings.ini")
    window = start.open_window(None, store=store, settings=Settings(preview_size="320x180"))
    session = window.session
    pictures, preview = session.on_device.pictures, window.preview

    def wait(ready, what):
        end = time.monotonic() + 60
        while not ready():
            assert time.monotonic() < end, f"waited in vain for {what}: {preview.picture.mark}"
            start.process_events(app)

    wait(lambda: session.complete, "the start")
    session.set_limits(Limits(frame=3.0))
    former = pictures.frame
    wait(lambda: pictures.frame is not former, "another frame")

    hanging.touch()
    wait(lambda: "no longer responds" in preview.picture.mark, "the state")
    print(preview.picture.mark, flush=True)
    wait(lambda: not pictures.playback.playing, "the preview to stop")
    preview.picture.grab()

    session.edit("void mainImage(out vec4 c, in vec2 p) { c = vec4(0.2, 0.4, 0.6, 1.0); }")
    wait(lambda: len(session.on_device.program.text) < 100, "the new text's program")
    wait(lambda: pictures.error is not None, "its refusal")
    program, slug = session.on_device.program, session.device.slug
    print(repr(session.quarantine.reason(program, "render", slug)), flush=True)

    hanging.unlink()
    wait(lambda: pictures.current, "its picture, without a click")
    wait(lambda: session.complete, "its counts")
    print(repr(preview.picture.mark if session.on_device.stuck else ""), pictures.error, flush=True)
    window.editor.set_unmodified()
    window.close()
"""


def test_a_stuck_device_is_shown_and_used_again_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = StuckDevice(tmp_path, monkeypatch)
    script = tmp_path / "run.py"
    script.write_text(PROGRAM)
    try:
        done = subprocess.run(
            [sys.executable, str(script), str(tmp_path)],
            env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
    finally:
        device.free()
    assert done.returncode == 0, done.stderr
    shown, innocent, after = done.stdout.splitlines()
    assert "; in flight: rendering " in shown
    assert "log out and in again" in shown
    assert "keeps trying the device" in shown
    assert innocent == "''"
    assert after == "'' None"
