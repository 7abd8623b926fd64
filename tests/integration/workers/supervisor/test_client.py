"""A typed client and its server in a real child."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from shaderlab.errors import OutOfMemory, ShaderTimeout, UnsupportedShader
from shaderlab.workers.supervisor.client import Client
from shaderlab.workers.supervisor.limits import Limits

LIMIT = 30.0
HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(HERE))


class MoodyWorker(Client):
    def __init__(self, greeting: str = "hello", **options):
        from servers import Moody

        super().__init__(Moody, greeting, name="moody worker", **{"limits": None} | options)
        self._moody = Moody

    def greet(self) -> Future[tuple[str, int, int]]:
        return self._request(self._moody.greet, LIMIT, "greeting")()

    def variable(self, name: str) -> Future[str | None]:
        return self._request(self._moody.variable, LIMIT, "asking")(name)

    def hang(self, deadline_s: float) -> Future[None]:
        return self._request(self._moody.hang, deadline_s, "hanging", "Hang less.")()

    def grow(self, mebibytes: int, then_hang: bool) -> Future[int]:
        ask = self._request(self._moody.grow, LIMIT, "growing")
        return ask(mebibytes, then_hang=then_hang)


@pytest.fixture
def moody() -> Iterator[MoodyWorker]:
    worker = MoodyWorker()
    yield worker
    worker.close()


def test_a_request_runs_the_servers_method_in_the_child(moody: MoodyWorker) -> None:
    greeting, calls, pid = moody.greet().result(LIMIT)
    assert (greeting, calls) == ("hello", 1)
    assert pid == moody.pid != os.getpid()
    assert moody.pids == {pid}


def test_arguments_go_by_place_and_by_name(moody: MoodyWorker) -> None:
    assert moody.grow(1, then_hang=False).result(LIMIT) == moody.pid


def test_a_deadline_that_is_missed_says_what_was_done_and_what_to_do(moody: MoodyWorker) -> None:
    with pytest.raises(ShaderTimeout, match=r"hanging .*0\.2 s") as caught:
        moody.hang(0.2).result(LIMIT)
    assert caught.value.remedy == "Hang less."
    assert moody.replacements == 1


def test_new_limits_hold_for_the_child_there_is(moody: MoodyWorker) -> None:
    first = moody.greet().result(LIMIT)[2]
    moody.set_limits(Limits(memory_bytes=300 << 20))
    assert moody.limits.memory_bytes == 300 << 20
    with pytest.raises(OutOfMemory, match="limit of 300 MiB"):
        moody.grow(400, then_hang=True).result(LIMIT)
    assert moody.greet().result(LIMIT)[2] != first


def test_a_worker_of_low_priority_is_nice() -> None:
    polite = MoodyWorker(low_priority=True)
    try:
        pid = polite.greet().result(LIMIT)[2]
        assert psutil.Process(pid).nice() == max(10, psutil.Process().nice())
    finally:
        polite.close()


def test_nothing_is_started_before_it_is_needed(moody: MoodyWorker) -> None:
    assert moody.pid is None
    moody.close()
    assert moody.pid is None


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot execute itself again there")
def test_a_child_can_have_variables_that_no_other_process_has(moody: MoodyWorker) -> None:
    name = "SHADERLAB_TEST_VARIABLE"
    with closing(MoodyWorker(environment={name: "its own"})) as other:
        assert other.variable(name).result(LIMIT) == "its own"
        assert moody.variable(name).result(LIMIT) is None
        assert name not in os.environ
        pid = other.greet().result(LIMIT)[2]
        assert pid == other.pid, "it is the process that was started, loaded once more"
        with pytest.raises(ShaderTimeout):
            other.hang(0.2).result(LIMIT)
        assert other.variable(name).result(LIMIT) == "its own", "and so is the one after it"
        assert not psutil.pid_exists(pid)


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot execute itself again there")
def test_a_child_that_cannot_start_says_why_after_loading_again_too() -> None:
    with (
        closing(MoodyWorker("refuse", environment={"SHADERLAB_TEST_VARIABLE": "x"})) as worker,
        pytest.raises(UnsupportedShader, match="cannot start"),
    ):
        worker.greet().result(LIMIT)


def test_a_child_comes_up_though_the_temporary_folder_has_a_long_path(tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 40)
    folder.mkdir()
    script = tmp_path / "parent.py"
    script.write_text(
        "import sys\n"
        f"sys.path.insert(0, {str(HERE)!r})\n"
        "from shaderlab.workers.supervisor.child import Request, Server\n"
        "from shaderlab.workers.supervisor.supervisor import Supervisor\n"
        "if __name__ == '__main__':\n"
        "    s = Supervisor(Server('servers:Moody'), name='moody worker', start_deadline_s=30)\n"
        "    print(s.submit(Request('greet', (), {}), deadline_s=30, doing='x').result()[0])\n"
        "    s.close()\n"
    )
    variables = {**os.environ, "TMPDIR": str(folder)}
    parent = subprocess.run(
        [sys.executable, str(script)], env=variables, capture_output=True, text=True, timeout=60
    )
    assert (parent.stdout, parent.returncode) == ("hello\n", 0), parent.stderr
