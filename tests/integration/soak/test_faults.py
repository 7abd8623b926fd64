"""Faults injected: lost devices, missing drivers, full disks, folders one may not write."""

from __future__ import annotations

import errno
import hashlib
import os
import resource
import shutil
import signal
import subprocess
import sys
from dataclasses import replace

import pytest
from soak import hostile
from soak.rig import Rig

from shaderlab import locations
from shaderlab.app.qt import QtWidgets
from shaderlab.app.session.session import RealWorkers
from shaderlab.app.settings import Settings
from shaderlab.engine import quarantine
from shaderlab.engine.keys import key_of_code
from shaderlab.errors import DeviceLost, ShaderTimeout, StartFailed
from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.source import Source
from shaderlab.scene.draw import Draw, Frame
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.supervisor.child import Request, Server
from shaderlab.workers.supervisor.supervisor import Supervisor

LIMIT = 60.0
SLOW = hostile.body(
    "float x = 0.0; for (int i = 0; i < 60000; i++) for (int j = 0; j < 60000; j++)"
    " x = sin(x + fragCoord.x); fragColor = vec4(x);"
)
"""Long on any driver that does not end loops by itself."""


def last_notice(rig) -> str:
    return rig.window.notices.notices[-1].text


def show_good(rig, number: int) -> None:
    rig.put(hostile.good(number))
    if not rig.session.on_device.pictures.playback.playing:
        rig.session.on_device.toggle_play()
    rig.wait(lambda: rig.sees(number), "a good picture")


def test_a_child_killed_in_the_middle_of_a_draw_is_named_and_replaced(rig, monkeypatch):
    device = rig.session.on_device
    monkeypatch.setattr(device.first, "worker", None)  # the child draws each picture itself
    with monkeypatch.context() as patch:
        # So that nothing but this test ends the draw, however slow the machine is.
        patch.setattr(rig.window.settings, "frame_limit_s", 60.0)
        patch.setattr(rig.window.settings, "trace_limit_s", 60.0)
        rig.window.apply_limits()
        show_good(rig, 10)  # so that it has come up
        pid = device.worker.pid
        rig.put(SLOW)
        rig.wait(lambda: not rig.session.compiling.busy and device.busy_s > 0.2, "a long draw")
        os.kill(pid, signal.SIGKILL)
        rig.wait(lambda: device.pictures.error or device.counts.error, "an error")
    rig.window.apply_limits()
    error = device.pictures.error or device.counts.error
    assert isinstance(error, DeviceLost)
    assert "SIGKILL" in str(error)
    assert not device.pictures.playback.playing or device.counts.error is not None
    rig.wait(lambda: device.worker.pid not in (None, pid), "another worker")
    show_good(rig, 11)


def test_a_worker_killed_while_idle_costs_nothing(rig):
    device = rig.session.on_device
    show_good(rig, 12)
    rig.wait(lambda: rig.settled, "rest")
    device.pictures.playback.pause()
    rig.wait(lambda: not device.task, "an idle device")
    os.kill(device.worker.pid, signal.SIGKILL)
    show_good(rig, 13)
    assert device.pictures.error is None


class LosingWorkers(RealWorkers):
    def device(self, info):
        worker = DeviceWorker(info)
        worker._supervisor = Supervisor(
            Server("failing:LosesTheDevice", (info,)),
            name="worker",
            start_deadline_s=LIMIT,
            spare=True,
        )
        return worker


def test_a_device_the_driver_gives_up_is_an_error_and_a_fresh_worker(qapp, tmp_path):
    rig = Rig(tmp_path, workers=LosingWorkers())
    try:
        rig.wait(lambda: rig.settled, "the first picture")
        pid = rig.session.on_device.worker.pid
        rig.put("// lose the device\n" + hostile.good(21))
        rig.wait(lambda: rig.session.on_device.pictures.error is not None, "an error")
        assert "VK_ERROR_DEVICE_LOST" in str(rig.session.on_device.pictures.error)
        show_good(rig, 22)
        assert rig.session.on_device.worker.pid != pid
    finally:
        rig.close()


def test_a_heat_map_that_lost_the_device_is_not_tried_again_by_itself(qapp, tmp_path, caplog):
    rig = Rig(tmp_path, workers=LosingWorkers())
    device = rig.session.on_device

    def losses():
        # Not the worker's replacements: work given up for newer text costs a child as well.
        return sum("VK_ERROR_DEVICE_LOST" in line for line in caplog.messages)

    def show(text):
        rig.put(text)
        program = rig.session.program
        rig.wait(lambda: rig.session.program is not program and rig.settled, "picture and counts")

    try:
        rig.wait(lambda: rig.settled, "the first picture")
        device.pictures.playback.pause()
        show("// lose it while counting\n" + hostile.good(24))
        rig.window.actions_["view.heat"].trigger()
        rig.wait(lambda: device.pictures.heat_error is not None, "an error")
        assert "VK_ERROR_DEVICE_LOST" in str(device.pictures.heat_error)
        assert losses() == 1
        show("// only a comment\n// lose it while counting\n" + hostile.good(24))
        rig.wait(lambda: device.pictures.heat_error is not None, "a refusal")
        assert "not counted again automatically: " in str(device.pictures.heat_error)
        assert device.pictures.heat_error.remedy
        assert device.pictures.error is None
        assert rig.sees(24)
        assert losses() == 1
        rig.window.actions_["run.compile"].trigger()
        rig.wait(
            lambda: "not counted" not in str(device.pictures.heat_error or "not counted"), "a try"
        )
        assert losses() == 2
    finally:
        rig.close()


def test_a_module_that_killed_the_compiler_is_not_read_again_before_one_asks(
    rig, tmp_path, monkeypatch
):
    program = compile_text(hostile.good(25), "module", None)
    path = tmp_path / "module.spv"
    path.write_bytes(program.spirv)
    digest = hashlib.sha256(program.spirv).hexdigest()
    module = Source("", path.name, tmp_path, path, digest)
    monkeypatch.setattr(quarantine, "_LOOKING_S", 0.0)
    held = quarantine.Quarantine(locations.user_data() / "quarantine", limit_s=LIMIT)
    key = key_of_code("compiled_text", (module,))
    held.add(key, ShaderTimeout("compiling module.spv took too long"))
    rig.editor.set_unmodified()
    assert rig.window.documents.open(path)
    compiling = rig.session.compiling
    rig.wait(lambda: not compiling.compiles, "a refusal")
    (problem,) = compiling.diagnostics
    assert "module.spv took too long. It is not compiled again automatically" in problem.message
    rig.window.actions_["file.reload"].trigger()
    rig.wait(lambda: rig.sees(25), "the picture the user asked for")
    rig.window.documents.new()  # a text again, for the tests that follow


def test_a_driver_whose_library_is_missing_says_so_and_blames_no_shader(rig, tmp_path):
    info = rig.session.device
    manifest = tmp_path / "gone_icd.json"
    manifest.write_text(
        '{"file_format_version": "1.0.0", "ICD": '
        '{"library_path": "/nowhere/libvulkan_gone.so", "api_version": "1.3.0"}}'
    )
    rig.session.use_device(replace(info, slug="gone", manifest=str(manifest)))
    device = rig.session.on_device
    rig.wait(lambda: device.pictures.error is not None, "an error")
    assert "\n" not in str(device.pictures.error)
    assert rig.session.quarantine.reason(rig.session.program, "render", "gone") == ""
    rig.session.use_device(info)
    show_good(rig, 14)


def test_a_worker_that_dies_while_starting_blames_no_shader():
    supervisor = Supervisor(Server("os:abort"), name="worker", start_deadline_s=LIMIT)
    try:
        with pytest.raises(StartFailed, match="while starting"):
            supervisor.submit(Request("x", (), {}), deadline_s=LIMIT, doing="rendering x").result(
                LIMIT
            )
    finally:
        supervisor.close()


def test_a_full_disk_costs_neither_the_file_nor_the_text(rig, tmp_path, monkeypatch):
    path = tmp_path / "shader.frag"
    path.write_text("// old\n" + hostile.good(15))
    rig.editor.set_unmodified()
    assert rig.window.documents.open(path)
    rig.put("// new\n" + hostile.good(16))

    def full(_descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        rig.window.actions_["file.save"].trigger()
        assert "cannot be saved: No space left on device" in last_notice(rig)
        rig.recovery.journal.write_now()
        rig.wait(lambda: "not backed up" in last_notice(rig), "a warning")
    assert path.read_text().startswith("// old")
    assert [path.name for path in tmp_path.iterdir()] == ["shader.frag"]
    assert rig.editor.modified
    rig.window.actions_["file.save"].trigger()
    assert path.read_text().startswith("// new")
    assert not rig.editor.modified
    show_good(rig, 17)


def test_a_full_disk_while_recording_is_one_clear_error(tmp_path):
    shader = tmp_path / "a.frag"
    shader.write_text(hostile.good(1))
    done = subprocess.run(
        [sys.executable, "-m", "shaderlab", "record", str(shader), "--to", str(tmp_path / "s.db"),
         "--size", "32x32", "--trials", "1", "--draws", "1"],
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
        timeout=100,
        check=False,
    )  # fmt: skip
    assert done.returncode in (1, 2), done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.strip()


def test_saving_over_a_file_changed_elsewhere_asks(rig, tmp_path, monkeypatch):
    path = tmp_path / "shader.frag"
    path.write_text(hostile.good(18))
    rig.editor.set_unmodified()
    assert rig.window.documents.open(path)
    rig.window.documents._files.stop()  # as on a file system that tells nothing
    rig.put("// mine\n" + hostile.good(18))
    path.write_text("// theirs\n")
    buttons = QtWidgets.QMessageBox.StandardButton
    answers = iter([buttons.Cancel, buttons.Save])
    monkeypatch.setattr(QtWidgets.QMessageBox, "question", lambda *_args: next(answers))
    assert not rig.window.documents.save()
    assert path.read_text() == "// theirs\n"
    assert rig.window.documents.save()
    assert path.read_text().startswith("// mine")


@pytest.fixture
def read_only(tmp_path):
    """A folder that nothing can be written to, not even by root."""
    folder = tmp_path / "read only"
    folder.mkdir(mode=0o500)
    root = os.geteuid() == 0
    if root and shutil.which("chattr") is None:
        pytest.skip("root may write anywhere, and chattr (e2fsprogs) is not installed")
    if root and subprocess.run(["chattr", "+i", folder], check=False).returncode:
        pytest.skip("root may write anywhere on this file system")
    yield folder
    if root:
        subprocess.run(["chattr", "-i", folder], check=True)


def test_a_settings_folder_one_may_not_write_is_told_and_the_window_lives(qapp, read_only):
    rig = Rig(read_only)
    try:
        rig.wait(lambda: rig.settled, "the first picture")
        told = [notice.text for notice in rig.window.notices.notices]
        assert any("Settings will not be saved: " in text for text in told), told
        assert any("Unsaved changes are not backed up: " in text for text in told), told
        show_good(rig, 26)
        assert not rig.window.documents._write(rig.window.documents.document, read_only / "a.frag")
        assert last_notice(rig).startswith("a.frag cannot be saved: ")
    finally:
        rig.close()


def test_folders_that_cannot_be_made_are_told_and_the_window_lives(qapp, tmp_path):
    (tmp_path / "data").write_text("a file where the folder should be")
    (tmp_path / "settings.ini").mkdir()
    rig = Rig(tmp_path, Settings(preview_size="320x180"))
    try:
        rig.wait(lambda: rig.settled, "the first picture")
        told = [notice.text for notice in rig.window.notices.notices]
        assert any("Unsaved changes are not backed up" in text for text in told), told
        assert any("Settings will not be saved" in text for text in told), told
        show_good(rig, 19)
    finally:
        rig.close()


def test_what_killed_a_worker_opens_paused_at_the_next_start(qapp, tmp_path):
    shader = tmp_path / "poison.frag"
    shader.write_text(hostile.good(20))
    rig = Rig(tmp_path)
    rig.wait(lambda: rig.settled, "the first picture")
    assert rig.window.documents.open(shader)
    rig.wait(lambda: rig.settled, "the shader's picture")
    slug = rig.session.device.slug
    rig.session.quarantine.add(rig.session.program, "render", slug, "poison.frag hung the driver")
    rig.close()
    rig = Rig(tmp_path)
    try:
        rig.wait(lambda: rig.settled, "a start")
        assert rig.window.documents.open(shader)
        rig.wait(lambda: rig.session.on_device.pictures.error is not None, "a refusal")
        assert str(rig.session.on_device.pictures.error) == "poison.frag hung the driver"
        assert not rig.session.on_device.pictures.playback.playing
        assert rig.session.replacements["device"] == 0
        rig.window.actions_["run.play"].trigger()
        rig.wait(lambda: rig.sees(20), "the picture the user asked for")
    finally:
        rig.close()


def test_unsaved_text_and_crash_are_told_at_the_next_start(qapp, tmp_path):
    rig = Rig(tmp_path)
    rig.wait(lambda: rig.settled, "the first picture")
    rig.put("// precious\n" + hostile.good(23))
    rig.recovery.journal.write_now()
    assert rig.recovery.writer.flush()
    rig.recovery.fault(*_fault())
    # As after kill -9: the folder is there and nobody holds its lock.
    (folder,) = (tmp_path / "data" / "runs").iterdir()
    shutil.copytree(folder, folder.with_name("20000101-000000-dead"))
    rig.close()
    rig = Rig(tmp_path)
    try:
        notice = rig.window.notices.notices[0]
        assert "Unsaved changes were recovered" in notice.text
        assert notice.text.startswith(
            "shaderlab crashed last time (details: Help, Copy diagnostics"
        )
        assert "ZeroDivisionError" in rig.recovery.last_crash
        rig.wait(lambda: rig.window.documents.document.name != "untitled", "a document")
        notice.action.call()
        assert rig.editor.text.startswith("// precious")
        assert rig.editor.modified
        assert rig.recovery.kept == []
        rig.wait(lambda: rig.settled, "a device")
        QtWidgets.QApplication.clipboard().clear()
        rig.window.actions_["help.diagnostics"].trigger()
        clipboard = QtWidgets.QApplication.clipboard()
        rig.wait(lambda: clipboard.text().startswith("shaderlab "), "diagnostics")
        assert "llvmpipe" in clipboard.text()
        assert "ZeroDivisionError" in clipboard.text()
        assert " answered compiled_text " in clipboard.text()
        assert "precious" not in clipboard.text()
    finally:
        rig.close()


def test_limits_of_the_settings_hold_at_once(rig):
    settings = rig.window.settings
    former = settings.frame_limit_s
    settings.frame_limit_s = 0.5
    rig.window.apply_limits()
    try:
        assert rig.session.on_device.worker.limits.frame == 0.5
        program = compile_text(SLOW, "slow.frag", None)
        with pytest.raises(Exception, match=r"slow\.frag .* limit of 0\.5 s"):
            rig.session.on_device.worker.render(Frame.of(Draw.of(program, (64, 64)))).result(LIMIT)
    finally:
        settings.frame_limit_s = former
        rig.window.apply_limits()


def _fault():
    try:
        return 1 / 0
    except ZeroDivisionError:
        return sys.exc_info()
