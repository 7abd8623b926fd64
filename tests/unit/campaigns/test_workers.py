"""What the children of a campaign are started with and asked for, and what their servers do."""

from __future__ import annotations

from concurrent.futures import Future
from contextlib import ExitStack
from types import SimpleNamespace

import numpy as np
import pytest

from shaderlab.campaigns import cluster_host, preparing
from shaderlab.campaigns.cluster_host import Host, of_model
from shaderlab.campaigns.comparing import ComparingServer, ComparingWorker
from shaderlab.campaigns.corpus import Shader
from shaderlab.campaigns.measuring import Effort, MeasuringServer, MeasuringWorker
from shaderlab.campaigns.preparing import Preparation, Preparer
from shaderlab.errors import InvalidSample
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.workers.answering import answering
from shaderlab.workers.supervisor.client import Client

DEVICE = DeviceInfo(
    "gpu", "A GPU", "discrete", "driver 1", "1.3", 0x10DE, 7, "00", "/icd.json", 3, timestamps=True
)
DRAW = SimpleNamespace(
    program=SimpleNamespace(name="plasma"), inputs="inputs", size=(3, 2), is_compute=False
)


class Asked:
    """Notes how children are started and what they are asked for; answers with the request."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch):
        self.started: list[tuple] = []
        self.requests: list[tuple] = []
        self.beside: list[object] = []
        """Methods that the device has no part in."""
        asked = self

        def start(_self: Client, server: type, *arguments: object, **how: object) -> None:
            asked.started.append((server, arguments, how))

        def request(_self: Client, method, deadline_s: float, doing: str, *, on_device=True):
            def ask(*arguments: object) -> Future:
                asked.requests.append((method, deadline_s, doing, arguments))
                if not on_device:
                    asked.beside.append(method)
                answer: Future = Future()
                answer.set_result(method.__name__)
                return answer

            return ask

        monkeypatch.setattr(Client, "__init__", start)
        monkeypatch.setattr(Client, "_request", request)


@pytest.fixture
def asked(monkeypatch) -> Asked:
    return Asked(monkeypatch)


def test_each_step_of_a_measurement_is_a_request_with_the_deadline_of_its_campaign(asked):
    worker = MeasuringWorker(DEVICE, 9.0, frozenset({"known"}))
    assert asked.started == [
        (
            MeasuringServer,
            (DEVICE, frozenset({"known"})),
            {
                "name": "worker of A GPU",
                "limits": None,
                "start_s": MeasuringWorker._START_S,
                "patient": True,
                "device": answering(DEVICE),
            },
        )
    ]
    shader, effort = Shader("plasma", "id"), Effort()
    assert worker.prepare(shader, True) == "prepare"
    worker.make_timed(DRAW)
    assert worker.time(DRAW, effort) == "time"
    worker.make_traced(DRAW)
    assert worker.look(DRAW) == "look"
    server = MeasuringServer
    assert asked.requests == [
        (server.prepare, preparing.COMPILE_S, "compiling plasma", (shader, True)),
        (server.make_timed, 9.0, "making plasma", (DRAW,)),
        (server.time, 9.0, "timing plasma", (effort,)),
        (server.make_traced, 9.0, "making plasma count", (DRAW,)),
        (server.look, 9.0, "drawing plasma", (DRAW,)),
    ]
    assert asked.beside == [server.prepare]  # which the device has no part in


def test_two_draws_are_compared_in_a_child_of_their_device(asked):
    worker = ComparingWorker(DEVICE)
    assert worker.compare("before", DRAW, 5.0).result() == "compare"
    ((server, arguments, how),) = asked.started
    assert (server, arguments, how["name"]) == (ComparingServer, (DEVICE,), "worker of A GPU")
    ((method, _, doing, given),) = asked.requests
    assert (method, doing, given) == (
        ComparingServer.compare, "timing plasma", ("before", DRAW, 5.0)
    )  # fmt: skip


def test_compilers_take_turns_and_are_a_few_shaders_ahead(asked, monkeypatch):
    with Preparation(optimize=False, workers=2) as preparation:
        assert [how["name"] for _, _, how in asked.started] == ["compiler 1", "compiler 2"]
        given: list[str] = []

        def shaders():
            for number in range(9):
                given.append(str(number))
                yield Shader(str(number), str(number))

        found = preparation.each(shaders())
        assert given == []
        shader, prepared = next(found)
        assert (shader.name, prepared) == ("0", "prepare")
        assert len(given) == 2 * preparing._AHEAD + 1
        assert [shader.name for shader, _ in found] == [str(n) for n in range(1, 9)]
        method, deadline_s, doing, arguments = asked.requests[3]
        assert method is Preparer.prepare
        assert (deadline_s, doing) == (preparing.COMPILE_S, "compiling 3")
        assert arguments == (Shader("3", "3"), False)
        monkeypatch.setattr(Client, "close", lambda self: given.append("closed"))
    assert given[-2:] == ["closed", "closed"]


# -- the server


class Used:
    """A tool of the device, which notes what it is made of and used for."""

    made: list[tuple]

    def __init__(self, *given: object):
        Used.made.append(given)

    def __enter__(self) -> Used:
        return self

    def __exit__(self, *_: object) -> None:
        Used.made.append(("closed",))

    def close(self) -> None:
        Used.made.append(("closed",))

    def render(self, inputs: object, pixels: np.ndarray) -> None:
        Used.made.append(("render", inputs, pixels.shape, pixels.dtype))
        pixels[:] = 255


@pytest.fixture
def server() -> MeasuringServer:
    Used.made = []
    made = object.__new__(MeasuringServer)
    made._device = SimpleNamespace(info=SimpleNamespace(kind="discrete"))
    made._profiling = SimpleNamespace(TimedDraws=Used)
    made._tracing = SimpleNamespace(require_end=lambda *_: None)
    made._rendering = SimpleNamespace(Renderer=Used)
    made._made = ExitStack()
    return made


def test_draws_are_timed_on_the_device(server):
    server.make_timed(DRAW)
    assert Used.made == [(server._device, DRAW)]


def test_a_picture_is_looked_at_in_its_size(server):
    assert server.look(DRAW) == "white"
    assert Used.made == [
        (server._device, DRAW), ("render", "inputs", (2, 3, 4), np.uint8), ("closed",)
    ]  # fmt: skip


def test_the_server_compiles_by_its_preparer(server):
    server._preparer = SimpleNamespace(prepare=lambda *given: given)
    assert server.prepare("shader", False) == ("shader", False)


# -- a node's device


class Station:
    made: list[Station]

    def __init__(self, info: DeviceInfo, options: object, turns: object):
        self.given = (info, options, turns)
        self.closed = False
        Station.made.append(self)

    def sample(self, shader: str) -> str:
        if shader == "bad":
            raise InvalidSample("no sample")
        return f"sample of {shader}"

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def host(monkeypatch) -> Host:
    Station.made = []
    monkeypatch.setattr(cluster_host, "Station", Station)
    found = SimpleNamespace(choose=lambda slug: {"gpu": DEVICE}[slug])
    monkeypatch.setattr(cluster_host, "discover", lambda: found)
    return Host("gpu", "options", 2)


def test_a_nodes_stations_share_its_device_and_take_turns(host):
    assert host.info() is DEVICE
    first, second = Station.made
    assert first.given[:2] == second.given[:2] == (DEVICE, "options")
    assert first.given[2] is second.given[2]


def test_an_error_is_returned_and_the_station_is_free_again(host):
    for _ in range(3):
        assert type(host.sample("bad")) is InvalidSample
        assert host.sample("good") == "sample of good"
    assert len(host._free) == 2


def test_closing_a_node_ends_its_stations(host):
    host.close()
    assert [each.closed for each in Station.made] == [True, True]
    assert host._free == []


def test_devices_of_a_model_differ_in_what_names_the_one():
    model = of_model(DEVICE)
    assert (model.uuid, model.index, model.manifest) == ("", 0, "")
    assert (model.slug, model.driver, model.device_id) == ("gpu", "driver 1", 7)
