"""What of a cluster can be known without one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from shaderlab.campaigns import cluster, ray_connection
from shaderlab.campaigns.campaign import Campaign
from shaderlab.campaigns.cluster import Cluster, ClusterStation, _Devices, portable
from shaderlab.campaigns.cluster_host import of_model, resources
from shaderlab.campaigns.corpus import Shader
from shaderlab.campaigns.station import Options
from shaderlab.errors import (
    Abandoned,
    DeviceLost,
    DeviceStuck,
    InvalidSample,
    MissingTool,
    NoVulkan,
    StuckDuring,
    WrongUse,
)
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.samples.store import Store
from tests.benchmarks.cluster_campaign import project
from tests.unit.samples.builders import sample

GPU = DeviceInfo(
    slug="rtx3060",
    name="NVIDIA GeForce RTX 3060",
    kind="discrete",
    driver="NVIDIA 550.54",
    api_version="1.3.277",
    vendor_id=0x10DE,
    device_id=0x2504,
    uuid="0123",
    manifest="/etc/nvidia.json",
    index=1,
    timestamps=True,
)
SOFTWARE = replace(GPU, slug="llvmpipe", kind="software", uuid="77")


def test_a_node_offers_its_devices_and_its_processor_once():
    unusable = replace(GPU, slug="untimed", timestamps=False)
    hollow = replace(GPU, slug="radv", null_hardware=True)
    assert resources([GPU, unusable, hollow]) == {"shaderlab-gpu:rtx3060": 1.0}
    assert resources([SOFTWARE, replace(SOFTWARE, slug="swiftshader")]) == {
        "shaderlab-software:llvmpipe": 1.0,
        "shaderlab-software:swiftshader": 1.0,
        "shaderlab-processor": 1.0,
    }


def test_two_devices_of_a_model_do_the_same_jobs():
    other = replace(GPU, uuid="4567", index=0, manifest="/usr/share/nvidia.json")
    assert of_model(GPU) == of_model(other)
    assert of_model(GPU) != of_model(replace(GPU, driver="NVIDIA 560.1"))


def test_a_file_goes_along_as_text_unless_it_needs_others(tmp_path: Path):
    plain, including = tmp_path / "a.frag", tmp_path / "b.frag"
    plain.write_text("void main() {}")
    including.write_text('#include "c.glsl"\nvoid main() {}')
    sent = portable(Shader("a.frag", "key", path=plain))
    assert (sent.text, sent.path, sent.name, sent.key) == ("void main() {}", None, "a.frag", "key")
    left = Shader("b.frag", "key", path=including)
    assert portable(left) is left


def test_a_projection_of_equal_tasks_is_their_sum_over_the_machines():
    assert project([3.6], 0.0, 1, 1000) == pytest.approx(1.0)
    assert project([3.6], 0.0, 8, 1000) == pytest.approx(1 / 8)
    # One task after the other can be handed out: more machines than that feeds do not help.
    assert project([3.6], 3.6, 100, 1000) == pytest.approx(1.0, rel=0.01)
    assert project([3.6], 0.0, 8, 1000, lost_per_hour=5) > project([3.6], 0.0, 8, 1000)


@pytest.mark.parametrize("address", ["127.0.0.1:1", "ray://127.0.0.1:1", "127.0.0.1:99999"])
def test_an_address_where_nothing_listens_is_named_at_once(address: str):
    with pytest.raises((WrongUse, MissingTool)) as raised:
        Cluster(address)
    if isinstance(raised.value, WrongUse):
        assert address in str(raised.value)
    else:
        assert "shaderlab[cluster]" in raised.value.remedy


class FakeRay:
    """A cluster whose nodes come and go as a test says; actors answer at once."""

    class exceptions:
        class RayError(Exception):
            pass

    def __init__(self, *nodes: DeviceInfo):
        self.nodes, self.started, self.killed = list(nodes), [], []
        self.answer: Callable[[int, Shader], Any] = lambda number, given: (number, given.name)
        self.lost: set[int] = set()
        """Numbers of actors whose node is gone."""
        self.seen = threading.Semaphore(0)
        """Released whenever the resources were looked at."""

    def put(self, value: object) -> object:
        return value

    def cluster_resources(self) -> dict[str, float]:
        self.seen.release()
        return {"gpu": float(len(self.nodes))}

    def remote(self, _: type) -> Any:
        def start(*_: object) -> Any:
            number = len(self.started)
            info = replace(self.nodes[number % len(self.nodes)], index=number)

            def sample(shader: Shader) -> Any:
                return self.answer(number, shader)

            actor = SimpleNamespace(
                info=SimpleNamespace(remote=lambda: (number, info)),
                sample=SimpleNamespace(remote=lambda shader: (number, sample(shader))),
            )
            self.started.append(actor)
            return actor

        return SimpleNamespace(options=lambda **_: SimpleNamespace(remote=start))

    def wait(self, answers: list[Any], timeout: float) -> tuple[list[Any], list[Any]]:
        return answers, []

    def get(self, answer: tuple[int, Any]) -> Any:
        if answer[0] in self.lost:
            raise self.exceptions.RayError(f"{'.' * 300}gone\n")
        return answer[1]

    def kill(self, actor: Any) -> None:
        self.killed.append(actor)

    def settle(self) -> None:
        """Until the devices have looked at the cluster twice more."""
        for _ in range(self.seen._value + 2):
            assert self.seen.acquire(timeout=30)


@pytest.fixture
def serving(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Starts devices on a fake cluster, and closes them."""
    monkeypatch.setattr(cluster, "_POLL_S", 0.01)
    made: list[_Devices] = []

    def start(ray: FakeRay, jobs: int = 1) -> _Devices:
        made.append(_Devices(ray, "rtx3060", "gpu", SimpleNamespace(), jobs))  # pyright: ignore[reportArgumentType]
        return made[-1]

    yield start
    for each in made:
        each.close()


def shader(name: str) -> Shader:
    return Shader(name, "key")


def test_every_device_of_the_cluster_gets_one_actor_also_those_that_come_later(serving: Any):
    ray = FakeRay(GPU, GPU)
    devices = serving(ray)
    assert devices.model() == of_model(GPU)
    ray.settle()
    assert len(ray.started) == 2
    ray.nodes.append(GPU)
    ray.settle()
    assert len(ray.started) == 3
    devices.close()
    assert ray.killed == ray.started


def test_a_device_unlike_the_first_is_left_out_and_not_started_again(serving: Any):
    ray = FakeRay(GPU, replace(GPU, driver="other"))
    devices = serving(ray)
    assert devices.model() == of_model(GPU)
    ray.settle()
    assert len(ray.started) == 2
    open_ = threading.Event()
    assert {devices.ask(shader(name), open_) for name in "abc"} == {(0, name) for name in "abc"}


def test_a_lost_node_is_not_asked_again_and_replaced(serving: Any):
    ray = FakeRay(GPU)
    devices = serving(ray)
    devices.model()
    ray.lost.add(0)
    open_ = threading.Event()
    assert devices.ask(shader("a"), open_) is None
    assert devices.ask(shader("a"), open_) == (1, "a")
    assert len(ray.started) == 2


def test_where_no_device_comes_up_it_is_said_and_a_closed_campaign_does_not_wait(
    serving: Any, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(cluster, "_START_S", 0.05)
    devices = serving(FakeRay())
    with pytest.raises(WrongUse, match="no node measures on rtx3060: none started"):
        devices.model()
    with pytest.raises(NoVulkan, match="no node"):
        devices.ask(shader("a"), threading.Event())
    ray = FakeRay(GPU)
    ray.lost |= {*range(1000)}
    with pytest.raises(WrongUse, match=r"no node measures on rtx3060: \.{196}gone$"):
        serving(ray).model()
    closed = threading.Event()
    closed.set()
    with pytest.raises(Abandoned):
        devices.ask(shader("a"), closed)


# -- what a campaign sees of it


class Asked:
    """Devices that answer in turn as the test says."""

    def __init__(self, *answers: Any):
        self.answers, self.given = list(answers), []

    def ask(self, shader: Shader, closed: threading.Event) -> Any:
        self.given.append((shader.name, closed.is_set()))
        return self.answers.pop(0)


def test_a_shader_is_tried_on_another_node_when_one_is_lost_and_not_for_ever():
    devices: Any = Asked(None, None, "sample")
    station = ClusterStation(devices)
    assert station.sample(shader("a")) == "sample"
    assert devices.given == [("a", False)] * 3
    lost: Any = Asked(*[None] * cluster._MOST_LOSSES, "too late")
    with pytest.raises(DeviceLost, match=f"{cluster._MOST_LOSSES} nodes were lost during a"):
        ClusterStation(lost).sample(shader("a"))
    assert len(lost.given) == cluster._MOST_LOSSES
    refused: Any = Asked(InvalidSample("no"))
    with pytest.raises(InvalidSample):
        ClusterStation(refused).sample(shader("a"))


def test_a_stuck_node_is_left_out_named_and_the_others_go_on(serving: Any, tmp_path: Path):
    ray = FakeRay(GPU, GPU)
    devices = serving(ray)
    info = devices.model()
    ray.settle()
    shaders = [Shader(name, name) for name in "abcdef"]
    asked: list[tuple[int, str]] = []

    def answer(number: int, given: Shader) -> Any:
        asked.append((number, given.name))
        if given.name == "c":
            return StuckDuring(f"node {number}: {given.name}: it no longer responds")
        return sample(given.name)

    ray.answer = answer

    with Store(tmp_path / "store") as store:
        made = Campaign(
            shaders, info, store, Options(), made=lambda _: [ClusterStation(devices)]
        )  # fmt: skip
        with pytest.raises(DeviceStuck, match=r"^node \d: c: it no longer responds$"):
            made.run()
        assert [name for _, name in asked] == list("abcdef")
        hung, *after = [number for number, _ in asked[2:]]
        assert set(after) == {1 - hung}
        assert store.rejections() == []
        with pytest.raises(DeviceStuck, match=f"^node {1 - hung}: c: "):
            made.run()
        with pytest.raises(DeviceStuck, match=f"^node {hung}: .*; node {1 - hung}: "):
            made.run()  # at once, as none is left
        assert asked[6:] == [(1 - hung, "c")]
        assert store.rejections() == []
    assert len(ray.started) == 2


def test_what_asks_for_a_closed_station_is_told():
    devices: Any = Asked("sample")
    station = ClusterStation(devices)
    station.close()
    station.sample(shader("a"))
    assert devices.given == [("a", True)]


class WholeRay(FakeRay):
    """With what is done to the cluster itself."""

    def __init__(self, fails: Exception | None = None):
        super().__init__(GPU)
        self.fails, self.given, self.ended = fails, {}, 0

    def init(self, **given: Any) -> Any:
        self.given = given
        if self.fails is not None:
            raise self.fails
        return SimpleNamespace(dashboard_url="127.0.0.1:8265")

    def cluster_resources(self) -> dict[str, float]:
        super().cluster_resources()
        return {
            "shaderlab-gpu:rtx3060": 2.0, "shaderlab-software:llvmpipe": 1.0, "CPU": 8.0,
            "shaderlab-gpu:gone": 0.0,
        }  # fmt: skip

    def shutdown(self) -> None:
        self.ended += 1


def connected(monkeypatch: pytest.MonkeyPatch, ray: WholeRay, address: str = ray_connection.LOCAL):
    monkeypatch.setattr(ray_connection, "_ray", lambda: ray)
    monkeypatch.setattr(cluster, "_POLL_S", 0.01)
    found = SimpleNamespace(devices=(GPU, SOFTWARE))
    monkeypatch.setattr(cluster, "discover", lambda: found)
    return Cluster(address, num_cpus=2)


def test_a_cluster_of_this_machine_has_its_devices(monkeypatch: pytest.MonkeyPatch):
    ray = WholeRay()
    with connected(monkeypatch, ray) as made:
        assert ray.given["address"] == "local"
        assert ray.given["resources"] == resources([GPU, SOFTWARE])
        assert (ray.given["num_cpus"], ray.given["log_to_driver"]) == (2, False)
        assert made.dashboard == "http://127.0.0.1:8265"
        assert made.devices() == {"rtx3060": 2, "llvmpipe": 1}
        with pytest.raises(WrongUse, match="no device radv; it offers: rtx3060, llvmpipe"):
            made.stations("radv", SimpleNamespace(), 1)  # pyright: ignore[reportArgumentType]
        model, stations = made.stations("rtx3060", SimpleNamespace(), 1)  # pyright: ignore[reportArgumentType]
        assert model == of_model(GPU)
        first, second = stations(2)
        assert first.sample(shader("a"))[1] == "a"
        assert first is not second
    assert ray.ended == 1
    assert ray.killed == ray.started, "its devices are given back"


def test_another_cluster_has_its_own(monkeypatch: pytest.MonkeyPatch):
    ray = WholeRay()
    monkeypatch.setattr(ray_connection, "_check_answers", lambda _: None)
    connected(monkeypatch, ray, "ray://head:10001").close()
    assert "resources" not in ray.given
    with pytest.raises(WrongUse, match="no Ray cluster answers at ray://head:10001: refused"):
        connected(monkeypatch, WholeRay(ConnectionError("refused")), "ray://head:10001")


def test_a_shader_waits_for_the_first_node_to_come_up(serving: Any):
    ray = FakeRay()
    devices = serving(ray)
    ray.settle()
    answers: list[Any] = []
    asking = threading.Thread(
        target=lambda: answers.append(devices.ask(shader("a"), threading.Event()))
    )
    asking.start()
    ray.settle()
    assert answers == []
    ray.nodes.append(GPU)
    asking.join(30)
    assert answers == [(0, "a")]
