"""Running the real programs, and ones that misbehave."""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from shaderlab.errors import Abandoned, MissingTool, ShaderlabError, ShaderTimeout
from shaderlab.frontend import tools
from tests.processes import alive


@pytest.fixture
def script(tmp_path, monkeypatch):
    """Makes an executable that is found before all others."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")

    def make(name, body):
        path = folder / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
        return path

    return make


def test_every_tool_prints_its_version():
    for name in tools.DEBIAN_PACKAGES:
        assert tools.find(name) is not None
        assert any(character.isdigit() for character in tools.version(name)), name


def test_a_missing_tool_names_its_package(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("VULKAN_SDK", raising=False)
    assert tools.find("spirv-val") is None
    assert tools.version("spirv-val") is None
    with pytest.raises(MissingTool, match="apt-get install spirv-tools"):
        tools.run(["spirv-val"])
    with pytest.raises(MissingTool, match="apt-get install glslang-tools"):
        tools.require("glslangValidator")


def test_the_sdk_is_searched_after_the_path(monkeypatch, script):
    program = script("spirv-val", "true")
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setenv("VULKAN_SDK", str(program.parent.parent))
    assert tools.find("spirv-val") == program


def test_input_output_and_status_come_through(script):
    script("tool", 'cat > "$1"; echo said; echo complained >&2; exit 3')
    data = bytes(range(256)) * 4000
    result = tools.run(["tool", tools.OUTPUT], data)
    assert result == tools.ToolResult(3, "said\ncomplained\n", data)


def test_a_hanging_tool_is_ended_and_named(script):
    script("tool", "exec sleep 60")
    with pytest.raises(ShaderTimeout, match=r"tool did not finish within 0\.2 s"):
        tools.run(["tool"], timeout_s=0.2)


def test_a_tool_that_prints_without_end_is_stopped(script):
    script("tool", "exec yes")
    with pytest.raises(ShaderlabError, match="wrote more than 1 MB"):
        tools.run(["tool"], output_bytes=1 << 20)


def test_a_tool_that_takes_all_memory_fails(script):
    # The limit is set once the child runs; half a second is long after that.
    program = "import time; time.sleep(0.5); bytearray(8 << 30)"
    script("tool", f"exec {sys.executable} -c '{program}'")
    assert "MemoryError" in tools.run(["tool"]).text


def written_pid(path: Path) -> int:
    """The process id that a script writes to the file, once it has."""
    deadline = time.monotonic() + 20
    while not (path.exists() and path.read_text().endswith("\n")):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return int(path.read_text())


def gone(pid: int) -> bool:
    deadline = time.monotonic() + 20
    while alive(pid):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


@pytest.mark.skipif(sys.platform != "linux", reason="found by /proc")
def test_one_that_makes_a_session_of_its_own_ends_with_the_tool(script, tmp_path):
    pid = tmp_path / "pid"
    script("tool", f"setsid sh -c 'echo $$ > {pid}.new; mv {pid}.new {pid}; sleep 60' >&- 2>&- &\n"
                   f"while [ ! -e {pid} ]; do sleep 0.01; done; echo done")  # fmt: skip
    assert tools.run(["tool"]).text == "done\n"
    end = time.monotonic() + 5
    while alive(int(pid.read_text())):
        assert time.monotonic() < end
        time.sleep(0.01)


def test_what_a_tool_leaves_running_ends_with_it(script, tmp_path):
    script("tool", f"sleep 60 & echo $! > {tmp_path / 'pid'}; echo done")
    assert tools.run(["tool"]).text == "done\n"
    assert gone(written_pid(tmp_path / "pid"))


def test_what_a_hanging_tool_started_ends_with_it(script, tmp_path):
    script("tool", f"sleep 60 & echo $! > {tmp_path / 'pid'}; wait")
    with pytest.raises(ShaderTimeout):
        tools.run(["tool"], timeout_s=1.0)
    assert gone(written_pid(tmp_path / "pid"))


def test_a_tool_no_longer_wanted_is_ended_with_what_it_started(script, tmp_path):
    script("tool", f"sleep 60 & echo $! > {tmp_path / 'pid'}; wait")
    stop = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(tools.run, ["tool"], timeout_s=50, stop=stop)
        child = written_pid(tmp_path / "pid")
        assert alive(child)
        stop.set()
        with pytest.raises(Abandoned, match="tool was stopped"):
            answer.result(20)
    assert gone(child)


def test_a_tool_with_all_it_started_dies_with_the_process_that_started_it(script, tmp_path):
    """The wrapper has ended, so that what it started is no descendant any more."""
    inner, outer = tmp_path / "inner", tmp_path / "outer"
    script("tool", f"(sleep 60 & echo $! > {inner}); echo $$ > {outer}; exec sleep 60")
    parent = subprocess.Popen(
        [sys.executable, "-c", "from shaderlab.frontend import tools; tools.run(['tool'])"]
    )
    try:
        children = [written_pid(inner), written_pid(outer)]
        assert all(map(alive, children))
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        assert all(map(gone, children))
    finally:
        parent.kill()
        parent.wait()


def test_cpu_time_is_bounded_for_a_tool_no_one_waits_for(script):
    """What ends an orphan: the limits are on the process itself, not in the one that waits."""
    script("tool", "grep -E 'cpu time|address space|core file' /proc/self/limits")
    script("pause", 'sleep 0.3; exec "$@"')
    folder = tools.find("tool").parent
    script("slow_tool", f"exec {folder}/pause {folder}/tool")
    limits = {
        line.split("  ")[0]: line.split()[-3:-1]
        for line in tools.run(["slow_tool"], timeout_s=9).text.splitlines()
    }
    assert limits["Max cpu time"] == ["10", "11"]
    assert limits["Max address space"] == ["2147483648"] * 2
    assert limits["Max core file size"] == ["0", "0"]
