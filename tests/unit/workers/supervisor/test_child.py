"""What a child answers: to its start, to requests, and to those that are none."""

from __future__ import annotations

import os
from types import SimpleNamespace

import pytest

from shaderlab.errors import InternalError, InvalidModule, OutOfMemory, UnsupportedShader
from shaderlab.workers.supervisor import child, supervisor
from shaderlab.workers.supervisor.child import Begun, Reply, Request, Server, serve


class Toy:
    """A server whose methods end in every way."""

    def __init__(self, word: str = ""):
        if word == "refused":
            raise UnsupportedShader("no such device")
        if word == "broken":
            raise KeyError("word")
        self._word = word

    def said(self, *more: str, end: str = "") -> str:
        return " ".join((self._word, *more)) + end

    def refuse(self) -> None:
        raise InvalidModule("no module")

    def fail(self) -> None:
        raise ZeroDivisionError("by nothing")

    def grow(self) -> None:
        raise MemoryError

    def _hidden(self) -> str:
        return "hidden"


class Connection:
    """Has these requests, then the parent is gone."""

    def __init__(self, *requests: Request, end: Exception):
        self._left, self._end = list(requests), end
        self.sent: list[object] = []

    def poll(self, _seconds: float) -> bool:
        return bool(self._left)

    def recv(self) -> Request:
        if not self._left:
            raise self._end
        return self._left.pop(0)

    def send(self, message: object) -> None:
        self.sent.append(message)


@pytest.fixture
def made(monkeypatch):
    """What the process was made into; this one is no child and stays as it is."""
    done: list[str] = []
    for name, function in (
        ("orphans", "die_with_parent"),
        ("expendable", "be_expendable"),
        ("priority", "lower_process"),
        ("heap", "keep_large_blocks_apart"),
    ):
        stands_in = SimpleNamespace(**{function: lambda name=name: done.append(name)})
        stands_in.give_back = lambda: None
        monkeypatch.setattr(child, name, stands_in)
    ignored = SimpleNamespace(
        SIGINT="SIGINT", SIG_IGN="ignored", signal=lambda *given: done.append(" ".join(given))
    )
    monkeypatch.setattr(child, "signal", ignored)
    return done


def answers(*requests: Request, word: str = "so", end: Exception | None = None, low: bool = False):
    connection = Connection(*requests, end=end or EOFError())
    serve(connection, Server(f"{__name__}:Toy", (word,), low))
    return connection.sent


@pytest.mark.parametrize("low", [False, True])
def test_a_child_dies_with_its_parent_and_leaves_ctrl_c_to_it(made, low):
    assert answers(low=low) == [Reply(None, None)]
    assert made == [
        "SIGINT ignored", "orphans", "expendable", "heap", *["priority"] * low
    ]  # fmt: skip


@pytest.mark.parametrize("end", [EOFError(), OSError("the pipe broke")])
def test_requests_are_begun_then_answered_until_the_parent_is_gone(made, end):
    sent = answers(Request("said", ("it", "is"), {"end": "."}), Request("said", (), {}), end=end)
    assert sent == [
        Reply(None, None),
        Begun(),
        Reply("so it is.", None),
        Begun(),
        Reply("so", None),
    ]


class Paced(Connection):
    """Each request comes so many seconds after the one before, and after a rest or not."""

    def __init__(self, *pace: tuple[float, bool]):
        super().__init__(*[Request("said", (), {})] * len(pace), end=EOFError())
        self._pace, self.now = list(pace), 0.0

    def poll(self, _seconds: float) -> bool:
        after, rested = self._pace.pop(0) if self._pace else (0.0, False)
        self.now += after
        return not rested


@pytest.mark.parametrize(
    ("pace", "times"),
    [
        ([(0.1, False)] * 3, 0),
        ([(0.1, True)], 1),
        ([(0.1, True), (0.1, False), (0.1, True)], 2),
        ([(child._BUSY_S, False)], 0),
        ([(child._BUSY_S, False), (0.1, False)], 1),
        ([(child._BUSY_S, True), (0.1, False), (child._BUSY_S, False)], 2),
    ],
)
def test_memory_is_given_back_at_rest_and_now_and_then_without_one(made, monkeypatch, pace, times):
    connection, given = Paced(*pace), []
    monkeypatch.setattr(child, "monotonic", lambda: connection.now)
    child.heap.give_back = lambda: given.append(connection.now)
    serve(connection, Server(f"{__name__}:Toy", ("so",), False))
    assert len(connection.sent) == 1 + 2 * len(pace), "all were answered"
    assert len(given) == times


@pytest.mark.parametrize(
    ("method", "kind", "said"),
    [
        ("refuse", InvalidModule, "no module"),
        ("fail", InternalError, "failed during fail: ZeroDivisionError: by nothing"),
        ("grow", OutOfMemory, "no memory was left during grow"),
        ("missing", InternalError, "failed during missing: AttributeError"),
        ("_hidden", InternalError, "no such request: _hidden"),
        ("__init__", InternalError, "no such request: __init__"),
    ],
)
def test_a_request_that_fails_is_answered_and_the_next_one_served(made, method, kind, said):
    _, begun, failed, _, fine = answers(Request(method, (), {}), Request("said", (), {}))
    assert begun == Begun()
    assert failed.result is None
    assert type(failed.error) is kind
    assert said in str(failed.error)
    assert fine == Reply("so", None)


@pytest.mark.parametrize(
    ("word", "kind", "said"),
    [
        ("refused", UnsupportedShader, "no such device"),
        ("broken", InternalError, "failed during start: KeyError: 'word'"),
    ],
)
def test_a_start_that_fails_is_the_only_answer(made, word, kind, said):
    (reply,) = answers(Request("said", (), {}), word=word)
    assert type(reply.error) is kind
    assert said in str(reply.error)


class Growing:
    """Changes while it is pickled, so many times."""

    def __init__(self, times: int):
        self.left, self.pickled = times, 0

    def __reduce__(self):
        self.pickled += 1
        if self.left:
            self.left -= 1
            raise RuntimeError("dictionary changed size during iteration")
        return os.getpid, ()


def test_what_another_thread_changes_is_pickled_again_and_not_for_ever():
    for times in range(supervisor._PICKLE_TRIES):
        growing = Growing(times)
        assert len(supervisor._pickled(Request("m", (growing,), {}))) > 0
        assert growing.pickled == times + 1
    growing = Growing(100)
    with pytest.raises(RuntimeError):
        supervisor._pickled(Request("m", (growing,), {}))
    assert growing.pickled == supervisor._PICKLE_TRIES
