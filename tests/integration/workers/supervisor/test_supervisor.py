"""The supervisor against real children that hang, crash, refuse and die."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from multiprocessing.process import BaseProcess
from pathlib import Path

import psutil
import pytest

from shaderlab.errors import (
    Abandoned,
    DeviceLost,
    InternalError,
    OutOfMemory,
    ShaderTimeout,
    StartFailed,
    UnsupportedShader,
)
from shaderlab.system import process_group, process_tree
from shaderlab.workers.supervisor import children
from shaderlab.workers.supervisor import supervisor as supervision
from shaderlab.workers.supervisor.child import Request, Server
from shaderlab.workers.supervisor.supervisor import Supervisor
from tests.processes import alive

HERE = Path(__file__).parent
LIMIT = 30.0


def until(condition) -> bool:
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(HERE))


@pytest.fixture
def moody() -> Iterator[Supervisor]:
    supervisor = Supervisor(Server("servers:Moody"), name="moody worker", start_deadline_s=LIMIT)
    yield supervisor
    supervisor.close()


def ask(supervisor: Supervisor, method: str, *arguments, deadline_s: float = LIMIT):
    request = Request(method, arguments, {})
    return supervisor.submit(
        request, deadline_s=deadline_s, doing=f"asking to {method}", remedy="Ask less."
    )


def test_requests_are_answered_in_order_by_one_child(moody: Supervisor) -> None:
    replies = [f.result(LIMIT) for f in [ask(moody, "greet") for _ in range(5)]]
    assert [calls for _, calls, _ in replies] == [1, 2, 3, 4, 5]
    assert {pid for *_, pid in replies} == {moody.pid}


def test_no_child_works_in_the_users_folder(moody: Supervisor) -> None:
    """Where libraries look for settings and write what they dump."""
    assert ask(moody, "folder").result(LIMIT) == process_group.NEUTRAL


def test_a_child_that_nobody_asks_is_ended_until_somebody_does() -> None:
    idle = Supervisor(
        Server("servers:Moody"), name="idle worker", start_deadline_s=LIMIT, idle_s=0.2
    )
    try:
        first = ask(idle, "greet").result(LIMIT)[2]
        assert until(lambda: idle.pid is None and not alive(first))
        assert ask(idle, "greet").result(LIMIT)[2] != first
        assert idle.replacements == 0
    finally:
        idle.close()


def test_a_hang_is_killed_named_and_replaced(moody: Supervisor) -> None:
    first = ask(moody, "greet").result(LIMIT)[2]
    hung = ask(moody, "hang", deadline_s=0.2)
    behind = ask(moody, "greet")
    with pytest.raises(ShaderTimeout, match=r"asking to hang.*0\.2 s") as caught:
        hung.result(LIMIT)
    assert caught.value.remedy == "Ask less."
    assert behind.result(LIMIT)[2] != first
    assert until(lambda: not alive(first))
    assert moody.replacements == 1
    assert 0 < moody.longest_replacement_s < LIMIT


def test_nobody_waits_for_what_the_kernel_does_with_a_dead_child(
    moody: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = ask(moody, "greet").result(LIMIT)[2]
    join = BaseProcess.join

    reaped = threading.Event()

    def endless(process: BaseProcess, timeout: float | None = None) -> None:
        reaped.wait(2 * LIMIT)
        join(process, timeout)

    monkeypatch.setattr(BaseProcess, "join", endless)
    try:
        for _ in range(2):  # the second hangs in a child whose end is waited for as long
            with pytest.raises(ShaderTimeout):
                ask(moody, "hang", deadline_s=0.5).result(LIMIT)
        assert ask(moody, "greet").result(LIMIT)[2] != first
    finally:
        reaped.set()


def test_a_crash_is_named_and_replaced(moody: Supervisor) -> None:
    with pytest.raises(DeviceLost, match=r"asking to crash.*SIGSEGV"):
        ask(moody, "crash").result(LIMIT)
    assert ask(moody, "greet").result(LIMIT)[1] == 1


def test_a_crash_leaves_no_traceback_in_the_terminal(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(
        "import sys\n"
        f"sys.path.insert(0, {str(HERE)!r})\n"
        "from shaderlab.workers.supervisor.child import Request, Server\n"
        "from shaderlab.workers.supervisor.supervisor import Supervisor\n"
        "if __name__ == '__main__':\n"
        f"    moody = Supervisor(Server('servers:Moody'), name='moody', start_deadline_s={LIMIT})\n"
        "    crash = Request('crash', (), {})\n"
        f"    told = moody.submit(crash, deadline_s={LIMIT}, doing='it').exception({LIMIT})\n"
        "    print(told)\n"
        "    moody.close()\n"
    )
    environment = {name: v for name, v in os.environ.items() if name != "PYTHONFAULTHANDLER"}
    done = subprocess.run(
        [sys.executable, str(script)], env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "it: the moody crashed (SIGSEGV)\n"
    assert "most recent call first" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
def test_a_child_that_found_no_room_is_replaced_and_the_likely_cause_named(moody: Supervisor):
    first = ask(moody, "greet").result(LIMIT)[2]
    with pytest.raises(
        DeviceLost, match=r"SIGBUS.: shared memory .* or the disk is probably full"
    ) as told:
        ask(moody, "write_where_there_is_no_room").result(LIMIT)
    assert "df -h" in told.value.remedy
    assert ask(moody, "greet").result(LIMIT)[2] != first


def test_no_request_is_blamed_for_a_child_that_died_before_it(moody: Supervisor) -> None:
    for _ in range(5):
        first = ask(moody, "greet").result(LIMIT)[2]
        os.kill(first, signal.SIGKILL)  # and ask at once, while it is still dying
        assert ask(moody, "greet").result(LIMIT)[2] != first


def test_a_child_killed_while_idle_is_replaced_before_anyone_asks(moody: Supervisor) -> None:
    first = ask(moody, "greet").result(LIMIT)[2]
    os.kill(first, signal.SIGKILL)
    assert until(lambda: moody.pid not in (None, first))
    assert moody.replacements == 1


def test_a_child_that_outgrows_its_memory_is_killed_named_and_replaced(moody: Supervisor) -> None:
    first = ask(moody, "greet").result(LIMIT)[2]
    moody.memory_bytes = 300 << 20
    grown = ask(moody, "grow", 400, True)
    with pytest.raises(
        OutOfMemory, match=r"asking to grow took \d+ MiB .* its limit of 300 MiB"
    ) as caught:
        grown.result(LIMIT)
    assert caught.value.remedy == "Ask less."
    assert until(lambda: not alive(first))
    assert ask(moody, "greet").result(LIMIT)[1] == 1


def test_a_child_that_answers_but_keeps_too_much_starts_afresh(
    moody: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervision, "_WATCH_S", LIMIT)  # it is not weighed while it works
    moody.memory_bytes = 300 << 20
    grown = ask(moody, "grow", 400, False).result(LIMIT)
    assert until(lambda: moody.replacements == 1)
    assert until(lambda: not alive(grown))
    assert ask(moody, "greet").result(LIMIT)[1] == 1


@pytest.mark.skipif(sys.platform != "linux", reason="there is no fork server")
def test_a_request_that_loses_the_fork_server_is_made_again(moody: Supervisor) -> None:
    def kill_server() -> None:
        os.kill(psutil.Process(moody.pid).ppid(), signal.SIGKILL)

    first = ask(moody, "greet").result(LIMIT)[2]
    working = ask(moody, "work", 2.0)
    assert until(working.running)
    time.sleep(0.5)
    kill_server()
    assert working.result(LIMIT) is None
    assert not alive(first)
    kill_server()
    assert ask(moody, "greet").result(LIMIT)[1] == 1


def test_memory_that_is_not_there_is_no_fault_of_ours(moody: Supervisor) -> None:
    with pytest.raises(OutOfMemory, match="during starve"):
        ask(moody, "starve").result(LIMIT)


def test_a_request_can_be_abandoned_while_it_runs(moody: Supervisor) -> None:
    ask(moody, "greet").result(LIMIT)
    hung, behind = ask(moody, "hang"), ask(moody, "greet")
    assert until(hung.running)
    assert not moody.abandon(behind)
    assert until(lambda: moody.abandon(hung))
    with pytest.raises(Abandoned, match="asking to hang was stopped"):
        hung.result(LIMIT)
    assert behind.result(LIMIT)[1] == 1
    assert not moody.abandon(hung)


@pytest.mark.parametrize("end", ["timeout", "close", "abandon"])
def test_what_the_child_started_ends_with_it(moody: Supervisor, tmp_path: Path, end: str) -> None:
    ask(moody, "greet").result(LIMIT)
    note = tmp_path / "pid"
    limit = 3.0 if end == "timeout" else LIMIT
    hung = ask(moody, "hang_with_a_tool", str(note), deadline_s=limit)
    assert until(lambda: note.exists() and note.read_text())
    tool = int(note.read_text())
    assert alive(tool) or end == "timeout"
    if end == "close":
        moody.close()
    elif end == "abandon":
        moody.abandon(hung)
    assert hung.exception(LIMIT) is not None
    assert until(lambda: not alive(tool))


def test_a_process_is_weighed_with_what_it_started() -> None:
    own = process_tree.resident_bytes(os.getpid())
    hold = "import sys; kept = b'x' * (64 << 20); print('ready', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        child.stdout.readline()
        assert child.pid in process_tree.descendants(os.getpid())
        assert process_tree.resident_bytes(os.getpid()) >= own + (64 << 20)
        process_tree.kill(child.pid)
        assert child.wait(LIMIT) == -signal.SIGKILL
    assert process_tree.resident_bytes(child.pid) == 0


def test_a_lost_device_costs_the_child(moody: Supervisor) -> None:
    first = ask(moody, "greet").result(LIMIT)[2]
    with pytest.raises(DeviceLost, match="the device was lost"):
        ask(moody, "lose").result(LIMIT)
    assert ask(moody, "greet").result(LIMIT)[2] != first


def test_a_first_request_that_loses_the_device_is_blamed_where_no_spare_stood_by(
    moody: Supervisor,
) -> None:
    with pytest.raises(DeviceLost, match="the device was lost"):
        ask(moody, "lose").result(LIMIT)
    assert moody.replacements == 1


def test_a_refusal_keeps_the_child(moody: Supervisor) -> None:
    first = ask(moody, "greet").result(LIMIT)[2]
    with pytest.raises(UnsupportedShader, match="not this one"):
        ask(moody, "refuse").result(LIMIT)
    with pytest.raises(InternalError, match="ZeroDivisionError: oops"):
        ask(moody, "stumble").result(LIMIT)
    with pytest.raises(InternalError, match="no such request"):
        ask(moody, "_secret").result(LIMIT)
    assert ask(moody, "greet").result(LIMIT)[2] == first


@pytest.mark.parametrize(
    ("greeting", "error", "message"),
    [("refuse", UnsupportedShader, "cannot start"), ("die", DeviceLost, "exit code 3")],
)
def test_a_failing_start_answers_every_request(greeting: str, error: type, message: str) -> None:
    server = Server("servers:Moody", (greeting,))
    supervisor = Supervisor(server, name="moody worker", start_deadline_s=LIMIT)
    for future in [ask(supervisor, "greet") for _ in range(2)]:
        with pytest.raises(error, match=message):
            future.result(LIMIT)
    supervisor.close()


def test_a_child_that_does_not_come_up_in_time_answers_its_request_and_is_ended() -> None:
    server = Server("servers:Moody", ("hang",))
    supervisor = Supervisor(server, name="moody worker", start_deadline_s=0.3)
    supervisor.start()
    assert until(lambda: supervisor.pid is not None)
    first = supervisor.pid
    with pytest.raises(StartFailed, match=r"the moody worker did not start within 0\.3 s"):
        ask(supervisor, "greet").result(LIMIT)
    assert until(lambda: not alive(first))
    supervisor.close()


def test_the_drivers_compiler_has_a_limit_of_its_own(moody: Supervisor) -> None:
    """Its time is no part of the request's, which goes on where it was."""
    ask(moody, "greet").result(LIMIT)
    ask(moody, "compile_in_driver", 1.2, 0.0, deadline_s=0.8).result(LIMIT)
    with pytest.raises(ShaderTimeout, match=r"^asking to compile_in_driver took longer than .*0.8"):
        ask(moody, "compile_in_driver", 0.0, LIMIT, deadline_s=0.8).result(LIMIT)
    moody.compile_deadline_s = 0.4
    with pytest.raises(
        ShaderTimeout, match=r"compiler took longer than its limit of 0\.4 s"
    ) as late:
        ask(moody, "compile_in_driver", LIMIT, 0.0).result(LIMIT)
    assert late.value.remedy.startswith("Give the driver less to compile")
    assert ask(moody, "greet").result(LIMIT)[1] == 1


def test_queued_requests_can_be_cancelled(moody: Supervisor) -> None:
    ask(moody, "greet").result(LIMIT)
    hung = ask(moody, "hang", deadline_s=0.5)
    queued = ask(moody, "greet")
    assert queued.cancel()
    with pytest.raises(CancelledError):
        queued.result(LIMIT)
    with pytest.raises(ShaderTimeout):
        hung.result(LIMIT)
    assert ask(moody, "greet").result(LIMIT)[1] == 1


def test_close_kills_a_busy_child_and_fails_what_waits(moody: Supervisor) -> None:
    pid = ask(moody, "greet").result(LIMIT)[2]
    hung, queued = ask(moody, "hang"), ask(moody, "greet")
    assert until(hung.running)
    moody.close()
    assert hung.done()
    assert queued.done()
    for future in (hung, queued, ask(moody, "greet")):
        with pytest.raises(DeviceLost, match="shut down"):
            future.result(LIMIT)
    assert until(lambda: not alive(pid))


def test_an_answers_callback_may_close_what_answered(moody: Supervisor) -> None:
    pid = ask(moody, "greet").result(LIMIT)[2]
    outcomes = []
    closed = threading.Event()

    def close(_: object) -> None:  # runs in the thread that `close` would wait for
        try:
            moody.close()
        except RuntimeError as error:
            outcomes.append(error)
        closed.set()

    ask(moody, "greet").add_done_callback(close)
    assert closed.wait(LIMIT)
    assert outcomes == []
    assert until(lambda: not alive(pid))


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Supervisor]:
    """With a spare that has come up."""
    supervisor = Supervisor(
        Server("servers:OnSharedDevice", (str(tmp_path),)),
        name="device worker",
        start_deadline_s=LIMIT,
        spare=True,
    )
    first = ask(supervisor, "greet").result(LIMIT)
    assert until(lambda: len(supervisor.pids) == 2)
    assert until(lambda: len(list(tmp_path.glob("up-*"))) == 2)
    assert supervisor.pid == first
    yield supervisor
    supervisor.close()


def test_a_spare_takes_the_place_of_a_dead_child_and_gets_one_itself(guarded: Supervisor) -> None:
    for _ in range(2):
        first = guarded.pid
        (spare,) = guarded.pids - {first}
        os.kill(first, signal.SIGKILL)
        assert ask(guarded, "greet").result(LIMIT) == spare
        assert until(lambda spare=spare: len(guarded.pids - {spare}) == 1)
    pids = guarded.pids
    guarded.close()
    assert until(lambda: not any(alive(pid) for pid in pids))


def test_a_spare_that_ends_by_itself_is_done_without(guarded: Supervisor) -> None:
    first = guarded.pid
    (spare,) = guarded.pids - {first}
    os.kill(spare, signal.SIGKILL)
    assert until(lambda: guarded.pids == {first})
    assert ask(guarded, "greet").result(LIMIT) == first
    assert guarded.replacements == 0


def test_no_request_is_blamed_for_a_reset_that_met_the_spare_too(guarded: Supervisor) -> None:
    pids = guarded.pids
    with pytest.raises(ShaderTimeout):
        ask(guarded, "hang_it", deadline_s=0.3).result(LIMIT)
    assert ask(guarded, "greet").result(LIMIT) not in pids


def test_a_request_that_loses_the_device_is_blamed_though_a_spare_stood_by(
    guarded: Supervisor,
) -> None:
    pids = guarded.pids
    with pytest.raises(DeviceLost):
        ask(guarded, "lose_it").result(LIMIT)
    assert ask(guarded, "greet").result(LIMIT) not in pids


def test_a_spare_that_answered_is_as_good_as_the_first_child(guarded: Supervisor) -> None:
    os.kill(guarded.pid, signal.SIGKILL)
    spare = ask(guarded, "greet").result(LIMIT)
    before = guarded.replacements
    with pytest.raises(DeviceLost):
        ask(guarded, "lose_it").result(LIMIT)
    assert guarded.replacements == before + 1, "the request is to blame and is not tried again"
    assert ask(guarded, "greet").result(LIMIT) != spare


def test_close_needs_not_wait_for_the_child(guarded: Supervisor) -> None:
    pids = guarded.pids
    hung = ask(guarded, "hang_it")
    assert until(hung.running)
    guarded.close(wait=False)
    assert hung.exception(LIMIT) is not None
    assert until(lambda: not any(alive(pid) for pid in pids))


@pytest.mark.parametrize("method", ["hang", "hold"])
def test_a_busy_child_dies_with_a_killed_parent(tmp_path: Path, method: str) -> None:
    script = tmp_path / "parent.py"
    script.write_text(
        "import sys, time\n"
        f"sys.path.insert(0, {str(HERE)!r})\n"
        "from shaderlab.workers.supervisor.child import Request, Server\n"
        "from shaderlab.workers.supervisor.supervisor import Supervisor\n"
        "if __name__ == '__main__':\n"
        "    s = Supervisor(Server('servers:Moody'), name='moody worker', start_deadline_s=30)\n"
        "    greeting = s.submit(Request('greet', (), {}), deadline_s=30, doing='x')\n"
        "    print(greeting.result()[2], flush=True)\n"
        f"    hung = s.submit(Request({method!r}, (), {{}}), deadline_s=1000, doing='x')\n"
        "    while not hung.running():\n"
        "        time.sleep(0.01)\n"
        "    time.sleep(0.3)\n"
        "    print('busy', flush=True)\n"
        "    time.sleep(1000)\n"
    )
    parent = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    pid = int(parent.stdout.readline())
    assert parent.stdout.readline() == "busy\n"
    assert alive(pid)
    parent.kill()
    parent.wait()
    assert until(lambda: not alive(pid))


def test_no_spare_is_kept_unless_one_is_asked_for(
    moody: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(children, "_SPARE_AFTER_S", 0.0)
    pid = ask(moody, "greet").result(LIMIT)[2]
    for _ in range(3):  # between two requests the children are looked after
        ask(moody, "greet").result(LIMIT)
    assert moody.pids == {pid}
