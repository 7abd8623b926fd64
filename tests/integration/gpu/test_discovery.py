from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from shaderlab.gpu.discovery import discover
from tests.radv import spelling


def manifest_of(found, slug: str) -> str:
    info = next((info for info in found.devices if info.slug == slug), None)
    if info is None:
        pytest.skip(f"{slug} is not installed")
    return info.manifest


def test_the_software_drivers_are_found_and_described(found):
    assert found.problems == ()
    info = next(info for info in found.devices if info.slug == "llvmpipe")
    assert info.kind == "software"
    assert info.name.startswith("llvmpipe (LLVM")
    assert "Mesa" in info.driver
    assert info.timestamps
    assert not info.null_hardware
    assert info.vendor_id == 0x10005  # VK_VENDOR_ID_MESA
    assert len(bytes.fromhex(info.uuid)) == 16
    assert tuple(map(int, info.api_version.split("."))) >= (1, 1, 0)


def test_null_hardware_is_offered_on_request_only(radv):
    (info,) = discover([radv], radv_family=spelling("gfx1100")).devices
    assert info.null_hardware
    assert info.slug == spelling("gfx1100")
    assert not info.timestamps
    assert all(not other.null_hardware for other in discover([radv]).devices)


def test_an_inherited_family_is_dropped(radv, monkeypatch):
    monkeypatch.setenv("RADV_FORCE_FAMILY", spelling("gfx1100"))
    assert all(not info.null_hardware for info in discover([radv]).devices)


def test_a_crashing_driver_costs_its_child_only(found, radv):
    lavapipe = manifest_of(found, "llvmpipe")
    result = discover([radv, lavapipe], radv_family="no such chip")  # RADV aborts
    assert [info.slug for info in result.devices] == ["llvmpipe"]
    (problem,) = result.problems
    assert Path(radv).name in problem
    assert "crashed (SIGABRT)" in problem


def test_a_hanging_driver_costs_its_child_only(found, tmp_path):
    hanging = tmp_path / "hanging.json"
    os.mkfifo(hanging)  # the loader waits for a writer that never comes
    result = discover([hanging, manifest_of(found, "llvmpipe")], deadline_s=5)
    assert [info.slug for info in result.devices] == ["llvmpipe"]
    assert result.problems == ("hanging.json: the driver did not answer within 5 s",)


def test_a_driver_that_cannot_be_loaded_has_no_devices(tmp_path):
    broken = tmp_path / "broken.json"
    icd = {"library_path": str(tmp_path / "nothing.so"), "api_version": "1.3.0"}
    broken.write_text(json.dumps({"file_format_version": "1.0.0", "ICD": icd}))
    assert discover([broken]).devices == ()


def test_one_device_under_two_manifests_gets_two_slugs(found):
    lavapipe = manifest_of(found, "llvmpipe")
    result = discover([lavapipe, lavapipe])
    assert [info.slug for info in result.devices] == ["llvmpipe", "llvmpipe-2"]


def test_the_probe_prints_json_alone(found):
    lavapipe = manifest_of(found, "llvmpipe")
    command = [sys.executable, "-m", "shaderlab.gpu.vulkan.probe", lavapipe]
    output = subprocess.run(command, capture_output=True, check=True).stdout
    (fields,) = json.loads(output)
    assert fields["slug"] == "llvmpipe"
    assert fields["manifest"] == lavapipe


def test_every_manifest_found_is_a_file(manifests):
    assert manifests
    assert all(manifest.is_file() for manifest in manifests)
