"""How a child is begun and ended, with a process that the test plays."""

from __future__ import annotations

import base64
import os
import pickle
import sys
import threading
from multiprocessing import forkserver
from types import SimpleNamespace

import pytest

from shaderlab.errors import InternalError
from shaderlab.workers.supervisor import child_process as module
from shaderlab.workers.supervisor import reloading
from shaderlab.workers.supervisor.child import Server
from shaderlab.workers.supervisor.child_process import ChildProcess

LIMIT = 20.0
SERVER = Server("m:C", ("word",))
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="children are forked there alone")


class End:
    """Of a pipe."""

    def __init__(self) -> None:
        self.closed, self.sent = False, []

    def close(self) -> None:
        self.closed = True

    def send(self, message: object) -> None:
        self.sent.append(message)

    def fileno(self) -> int:
        return 77


class Process:
    """Ends when the test says so."""

    fails: BaseException | None = None
    made: Process

    def __init__(self, **given: object):
        Process.made = self
        self.given, self.pid, self.exitcode = given, 4321, None
        self.over = threading.Event()

    def start(self) -> None:
        if Process.fails is not None:
            raise Process.fails

    def join(self) -> None:
        assert self.over.wait(LIMIT)
        self.exitcode = -9


@pytest.fixture
def ends(monkeypatch) -> tuple[End, End]:
    pipe = End(), End()
    monkeypatch.setattr(Process, "fails", None)
    context = SimpleNamespace(Pipe=lambda: pipe, Process=Process)
    monkeypatch.setattr(module, "_CONTEXT", context)
    return pipe


@pytest.fixture
def killed(monkeypatch) -> list[int]:
    found: list[int] = []
    monkeypatch.setattr(module, "process_tree", SimpleNamespace(kill=found.append))
    return found


def test_a_child_has_its_end_of_the_pipe_and_its_parents_environment(ends, monkeypatch):
    monkeypatch.setenv("SHADERLAB_TEST_VARIABLE", "set since")
    child = ChildProcess.spawn(SERVER)
    ours, theirs = ends
    given = Process.made.given
    assert given["target"] is module._serve
    connection, server, environment = given["args"]
    assert (connection, server) == (theirs, SERVER)
    assert environment["SHADERLAB_TEST_VARIABLE"] == "set since"
    assert given["daemon"] is True, "it ends with its parent"
    assert (child.pid, child.pipe, ours.closed, theirs.closed) == (4321, ours, False, True)
    assert (child.ready_at, child.stood_by, child.answered) == (None, False, False)
    waiting = [each for each in threading.enumerate() if each.name == "end of a child"]
    assert all(each.daemon for each in waiting), "no program waits for it"
    Process.made.over.set()


@pytest.mark.parametrize(
    ("fails", "kind"),
    [(EOFError(), OSError), (OSError("no room"), OSError), (KeyError(), KeyError)],
)
def test_a_child_that_cannot_be_started_leaves_no_pipe(ends, monkeypatch, fails, kind):
    monkeypatch.setattr(Process, "fails", fails)
    with pytest.raises(kind):
        ChildProcess.spawn(SERVER)
    assert [each.closed for each in ends] == [True, True]


def test_a_child_is_killed_once_and_its_end_awaited_so_long(ends, killed):
    child = ChildProcess.spawn(SERVER)
    assert child.is_alive
    assert child.exit_code(0.0) is None
    assert not child.end(0.0)
    assert ends[0].closed
    assert not child.end(0.0)
    assert killed == [4321], "its id may be another's by now"
    Process.made.over.set()
    assert child.end(LIMIT)
    assert not child.is_alive
    assert child.exit_code(0.0) == -9
    assert killed == [4321]


def test_a_child_that_ended_by_itself_is_not_killed(ends, killed):
    child = ChildProcess.spawn(SERVER)
    Process.made.over.set()
    assert child.exit_code(LIMIT) == -9
    assert child.end(0.0)
    assert killed == []
    assert ends[0].closed


@pytest.fixture
def served(monkeypatch) -> list[tuple]:
    """Which servers ran, and in which way, with the environment they ran in."""
    found: list[tuple] = []
    monkeypatch.setattr(os, "environ", dict(os.environ))
    monkeypatch.setattr(module, "_let_go_of_the_fork_server", lambda: found.append(("let go",)))
    monkeypatch.setattr(module, "serve", lambda *given: found.append(("here", *given)))
    again = SimpleNamespace(serve=lambda *given: found.append(("again", *given)))
    monkeypatch.setattr(module, "reloading", again)
    return found


def test_a_child_has_the_environment_its_parent_has_by_then(served):
    os.environ["OLD"] = "of the process it was forked from"
    module._serve("connection", SERVER, {"NEW": "of its parent"})
    assert os.environ == {"NEW": "of its parent"}
    assert served == [("let go",), ("here", "connection", SERVER)]


def test_a_server_with_variables_of_its_own_is_loaded_again(served):
    server = SERVER._replace(environment=(("LD_PRELOAD", "x.so"),))
    module._serve("connection", server, dict(os.environ))
    assert served[1:] == [("again", "connection", server)]


@LINUX
def test_children_are_forked_from_a_process_that_has_imported_what_they_need():
    assert module._CONTEXT.get_start_method() == "forkserver"
    assert forkserver._forkserver._preload_modules == ["shaderlab.workers.preloaded"]


@LINUX
def test_a_child_lets_go_of_the_process_it_was_forked_from(monkeypatch):
    read, write = os.pipe()
    held = SimpleNamespace(_forkserver_alive_fd=write)
    monkeypatch.setattr(forkserver, "_forkserver", held)
    module._let_go_of_the_fork_server()
    assert held._forkserver_alive_fd is None
    assert os.read(read, 1) == b"", "nobody else holds it"
    os.close(read)
    module._let_go_of_the_fork_server()


# -- loaded again


@pytest.fixture
def loaded(monkeypatch) -> list[tuple]:
    found: list[tuple] = []
    monkeypatch.setattr(os, "execve", lambda *given: found.append(("execve", *given)))
    monkeypatch.setattr(os, "set_inheritable", lambda *given: found.append(given), raising=False)
    orphans = SimpleNamespace(die_with_parent=lambda: found.append(("dies with its parent",)))
    monkeypatch.setattr(reloading, "orphans", orphans)
    return found


def test_the_same_process_runs_the_server_with_its_variables(loaded, monkeypatch):
    monkeypatch.setattr(sys, "path", ["/one", "", "/two"])
    monkeypatch.setenv("KEPT", "yes")
    monkeypatch.setenv("LD_PRELOAD", "other.so")
    connection = End()
    reloading.serve(connection, SERVER._replace(environment=(("LD_PRELOAD", "x.so"),)))
    assert loaded[:3] == [("dies with its parent",), (0, True), (77, True)]
    _, program, command, environment = loaded[3]
    assert program == command[0] == sys.executable
    at = command.index("-m")
    assert command[at + 1] == reloading.__name__
    descriptor, plain = command[at + 2 :]
    assert descriptor == "77"
    assert pickle.loads(base64.b64decode(plain)) == SERVER, "its variables have served"
    assert environment["PYTHONPATH"] == os.pathsep.join(("/one", "/two"))
    assert (environment["LD_PRELOAD"], environment["KEPT"]) == ("x.so", "yes")
    assert connection.sent == []


def test_what_cannot_be_loaded_again_is_its_answer(loaded, monkeypatch):
    def refuse(*_: object) -> None:
        raise OSError("no such program")

    monkeypatch.setattr(os, "execve", refuse)
    connection = End()
    reloading.serve(connection, SERVER)
    (reply,) = connection.sent
    assert reply.result is None
    assert type(reply.error) is InternalError
    assert str(reply.error) == "the child could not be loaded: no such program"


def test_the_program_that_is_loaded_serves_the_pipe_it_was_given(monkeypatch):
    served = []
    monkeypatch.setattr(reloading, "PipeEnd", lambda descriptor: f"pipe {descriptor}")
    child = SimpleNamespace(serve=lambda *given: served.append(given))
    monkeypatch.setattr(reloading, "child", child)
    plain = base64.b64encode(pickle.dumps(SERVER)).decode()
    monkeypatch.setattr(sys, "argv", ["-m", "77", plain])
    reloading.main()
    assert served == [("pipe 77", SERVER)]
