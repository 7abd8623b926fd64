"""What of a cluster can be known without one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from shaderlab.campaigns.cluster import Cluster, portable
from shaderlab.campaigns.cluster_host import of_model, resources
from shaderlab.campaigns.corpus import Shader
from shaderlab.errors import MissingTool, WrongUse
from shaderlab.gpu.device_info import DeviceInfo
from tests.benchmarks.cluster_campaign import project

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
