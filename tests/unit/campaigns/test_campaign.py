"""What a campaign keeps of a shader, with stations that measure nothing."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from shaderlab.campaigns import campaign
from shaderlab.campaigns.campaign import Campaign
from shaderlab.campaigns.corpus import Shader
from shaderlab.campaigns.station import Options
from shaderlab.errors import Abandoned, NoVulkan
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.samples.store import Store
from shaderlab.scene.draw import DrawState

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
