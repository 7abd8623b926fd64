"""What a worker may hold, and what it is started with."""

import pytest

from shaderlab.workers.supervisor import client, limits
from shaderlab.workers.supervisor.client import Client
from shaderlab.workers.supervisor.limits import Limits

GIB = 1 << 30


@pytest.mark.parametrize(("machine", "held"), [(2, 1), (8, 4), (64, 4)])
def test_a_worker_holds_half_of_the_machine_and_four_gibibytes_at_most(monkeypatch, machine, held):
    monkeypatch.setattr(limits, "physical_bytes", lambda: machine * GIB)
    assert Limits().memory_bytes == held * GIB


@pytest.fixture
def started(monkeypatch):
    """What supervisors are made with."""
    made = []
    monkeypatch.setattr(client, "Supervisor", lambda server, **how: made.append((server, how)))
    return made


def test_a_worker_is_started_as_asked(started):
    Client(
        dict, 1, 2, name="worker", limits=Limits(start=7.0, memory_bytes=5), low_priority=True,
        spare=True, environment={"A": "b"},
    )  # fmt: skip
    Client(dict, name="worker", limits=Limits(start=7.0), start_s=0.0)
    (server, how), (_, sooner) = started
    assert server == ("builtins:dict", (1, 2), True, (("A", "b"),))
    assert (how["start_deadline_s"], how["memory_bytes"], how["spare"]) == (7.0, 5, True)
    assert sooner["start_deadline_s"] == 0.0
