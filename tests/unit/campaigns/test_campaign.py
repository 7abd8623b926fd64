"""What a campaign keeps of a shader, with stations that measure nothing."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from shaderlab.campaigns import campaign
from shaderlab.campaigns.campaign import Campaign, Progress
from shaderlab.campaigns.corpus import Shader
from shaderlab.campaigns.station import Options
from shaderlab.errors import (
    Abandoned,
    DeviceLost,
    NoVulkan,
    ShaderlabError,
    StartFailed,
    StuckDuring,
)
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.samples.sample import Sample
from shaderlab.samples.store import Store
from shaderlab.scene.draw import DrawState
from tests.unit.samples.builders import sample

DEVICE = DeviceInfo(
    slug="toy",
    name="Toy",
    kind="software",
    driver="toys 1.0",
    api_version="1.3.0",
    vendor_id=1,
    device_id=2,
    uuid="00ff",
    manifest="toy.json",
    index=0,
    timestamps=True,
)
SHADERS = [Shader(name, name * 8) for name in ("a", "b")]
LIMIT_S = 30.0


@pytest.mark.parametrize(
    "other",
    [
        replace(DEVICE, driver="toys 1.1"),
        replace(DEVICE, name="Toy 2"),
        replace(DEVICE, uuid="00fe"),
    ],
)
def test_another_driver_or_device_is_another_measurement(tmp_path: Path, other: DeviceInfo) -> None:
    with Store(tmp_path / "store") as store:
        (own, again, of_other) = (
            Campaign(SHADERS, device, store, Options()).job(SHADERS[0])
            for device in (DEVICE, replace(DEVICE, slug="toy-2", manifest="elsewhere.json"), other)
        )
        another_size = Campaign(SHADERS, DEVICE, store, Options(state=DrawState.of((8, 8))))
        assert own == again != of_other
        assert own != another_size.job(SHADERS[0]) != of_other
        assert own != Campaign(SHADERS, DEVICE, store, Options()).job(SHADERS[1])


def test_a_shader_under_way_when_the_campaign_ends_is_not_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    under_way = threading.Event()

    class Stopping:
        """One finds no Vulkan once the other is busy; that is closed under its shader."""

        def __init__(self, *_: object) -> None:
            self._closed = threading.Event()

        def sample(self, shader: Shader) -> None:
            if shader.name == "a":
                assert under_way.wait(LIMIT_S)
                raise NoVulkan("no Vulkan any more")
            under_way.set()
            assert self._closed.wait(LIMIT_S)
            raise Abandoned("measuring was stopped")

        def close(self) -> None:
            self._closed.set()

    monkeypatch.setattr(campaign, "Station", Stopping)
    with Store(tmp_path / "store") as store:
        measuring = Campaign(SHADERS, DEVICE, store, Options(), stations=2)
        with pytest.raises(NoVulkan):
            measuring.run()
        assert list(store.rejections()) == []
        assert store.finished(also_rejected=True) == set()


def test_a_shader_alone_in_flight_whenever_the_device_got_stuck_is_rejected_at_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = threading.Barrier(2)
    asked: list[str] = []

    class Sticking:
        """The device gets stuck during `a`, and the first time `b` is in flight as well."""

        def __init__(self, *_: object) -> None:
            pass

        def sample(self, shader: Shader) -> Sample:
            asked.append(shader.name)
            if len(asked) <= 2:
                both.wait(LIMIT_S)
                raise StuckDuring(f"{shader.name}: stuck")
            if shader.name == "a":
                raise StuckDuring("a: stuck")
            return sample(shader.name)

        def close(self) -> None:
            pass

    monkeypatch.setattr(campaign, "Station", Sticking)
    stuck = 0
    with Store(tmp_path / "store") as store:
        for _ in range(8):
            try:
                last = Campaign(SHADERS, DEVICE, store, Options(), stations=2).run()
                break
            except StuckDuring:
                stuck += 1
                assert store.rejections() == []
        assert stuck == 4, "once with another, three times alone"
        assert [(r.shader, r.reason) for r in store.rejections()] == [
            ("a", "ShaderlabError: the campaign was ended during it 3 times")
        ]
    assert asked.count("b") == 2
    assert last.done == 2


def test_the_rate_is_that_of_the_last_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(campaign, "time", SimpleNamespace(monotonic=lambda: now))
    clock = campaign._Clock()
    assert clock.tick() == 0.0, "no time passed"
    now = 1004.0
    assert (clock.elapsed_s, clock.tick()) == (4.0, 2 / 4)
    now = 1004.0 + campaign._RATE_WINDOW_S
    assert clock.tick() == 1 / campaign._RATE_WINDOW_S, "since the last tick within the window"
    now = 1005.0 + campaign._RATE_WINDOW_S
    assert clock.tick() == 1.0
    now += 9 * campaign._RATE_WINDOW_S
    assert clock.tick() == pytest.approx(1 / (9 * campaign._RATE_WINDOW_S))
    assert clock.elapsed_s == 5.0 + 10 * campaign._RATE_WINDOW_S


LOST = DeviceLost("the device was lost")


@pytest.fixture
def measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Runs a campaign whose shaders end as given: an error, or None for a sample."""

    def run(
        *ends: Exception | None, store: Path | None = None, retry: bool = False
    ) -> tuple[Progress, list[str]]:
        order: list[str] = []

        class Ending:
            def __init__(self, *_: object) -> None:
                pass

            def sample(self, shader: Shader) -> Sample:
                order.append(shader.name)
                end = ends[int(shader.name)]
                if end is not None:
                    raise end
                return sample(shader.name)

            def close(self) -> None:
                pass

        monkeypatch.setattr(campaign, "Station", Ending)
        shaders = [Shader(str(number), f"key {number}") for number in range(len(ends))]
        with Store(store or tmp_path / "store") as opened:
            return Campaign(shaders, DEVICE, opened, Options()).run(retry=retry), order

    return run


def test_losses_that_a_sample_or_another_error_interrupts_do_not_end_a_campaign(measured) -> None:
    losses = [LOST] * (campaign._MOST_LOSSES - 1)
    progress, _ = measured(*losses, None, *losses, ShaderlabError("too odd"), *losses)
    assert (progress.recorded, progress.rejected) == (1, 3 * len(losses) + 1)


def test_losses_in_a_row_end_it(measured) -> None:
    with pytest.raises(DeviceLost, match=f"{campaign._MOST_LOSSES} shaders in a row, the last"):
        measured(None, *[LOST] * campaign._MOST_LOSSES, None)


def test_no_shader_is_blamed_for_a_worker_that_does_not_start(measured, tmp_path) -> None:
    with pytest.raises(StartFailed, match="no memory for it"):
        measured(None, StartFailed("no memory for it"), None)
    with Store(tmp_path / "store") as store:
        assert not store.rejections()
    progress, order = measured(None, None, None)
    assert sorted(order) == ["1", "2"]
    assert (progress.recorded, progress.rejected) == (2, 0)


def test_what_is_done_is_not_done_again_unless_it_failed_and_one_asks(measured) -> None:
    ends = (None, ShaderlabError("too odd"), None)
    progress, order = measured(*ends)
    assert order == ["0", "1", "2"]
    assert (progress.total, progress.earlier, progress.recorded, progress.rejected) == (3, 0, 2, 1)
    assert progress.last == "2: recorded"
    progress, order = measured(*ends)
    assert order == []
    assert (progress.total, progress.earlier, progress.recorded) == (3, 3, 0)
    progress, order = measured(*ends, retry=True)
    assert order == ["1"]
    assert (progress.earlier, progress.rejected) == (2, 1)
    assert progress.last == "1: ShaderlabError: too odd"


def test_what_a_campaign_was_ended_during_comes_last_and_not_for_ever(measured, tmp_path) -> None:
    path, shaders = tmp_path / "begun", [Shader(str(n), f"key {n}") for n in range(3)]
    with Store(path) as store:
        jobs = Campaign(shaders, DEVICE, store, Options())
        for number, starts in ((0, campaign._MOST_STARTS), (1, 1)):
            for _ in range(starts):
                store.begin(jobs.job(shaders[number]), str(number), DEVICE.slug)
    progress, order = measured(None, None, None, store=path)
    assert order == ["2", "1"], "the fewest starts first"
    assert (progress.recorded, progress.rejected) == (2, 1)
    assert f"was ended during it {campaign._MOST_STARTS} times" in progress.last
