"""What a client asks of supervision when its worker says nothing about it."""

from __future__ import annotations

import pytest

from shaderlab.workers.supervisor import client
from shaderlab.workers.supervisor.child import Server
from shaderlab.workers.supervisor.client import Client
from shaderlab.workers.supervisor.limits import Limits


class Supervisor:
    """Notes what it was made with and asked for."""

    made: Supervisor

    def __init__(self, server: Server, **options):
        type(self).made = self
        self.server, self.options, self.ends = server, options, []

    def close(self, *, wait: bool) -> None:
        self.ends.append(wait)


class Toy:
    pass


@pytest.fixture(autouse=True)
def _noted(monkeypatch):
    monkeypatch.setattr(client, "Supervisor", Supervisor)


def test_a_plain_worker_has_no_limit_of_memory_no_spare_and_usual_priority():
    Client(Toy, 1, "two", name="toy", limits=None)
    made = Supervisor.made
    assert made.server == Server(f"{__name__}:Toy", (1, "two"), False, ())
    assert made.server == Server(f"{__name__}:Toy", (1, "two"))
    assert made.options == {
        "name": "toy",
        "start_deadline_s": Limits().start,
        "compile_deadline_s": Limits().driver_compile,
        "memory_bytes": None,
        "spare": False,
        "idle_s": None,
        "patient": False,
        "crash_remedy": "",
        "device": None,
    }


def test_what_is_said_is_handed_on():
    limits = Limits(start=3.0, memory_bytes=1 << 20)
    how = {
        "low_priority": True, "spare": True, "environment": {"A": "b"}, "idle_s": 9.0,
        "patient": True,
    }  # fmt: skip
    Client(Toy, name="toy", limits=limits, **how)
    made = Supervisor.made
    assert made.server == Server(f"{__name__}:Toy", (), True, (("A", "b"),))
    assert made.options["start_deadline_s"] == 3.0
    assert made.options["memory_bytes"] == 1 << 20
    assert made.options["spare"]
    assert made.options["idle_s"] == 9.0
    assert made.options["patient"]
    Client(Toy, name="toy", limits=limits, start_s=0.0)
    assert Supervisor.made.options["start_deadline_s"] == 0.0


def test_closing_waits_unless_told_not_to():
    worker = Client(Toy, name="toy", limits=None)
    worker.close()
    worker.close(wait=False)
    assert Supervisor.made.ends == [True, False]
