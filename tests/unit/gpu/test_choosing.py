from __future__ import annotations

import subprocess
import sys

import pytest

from shaderlab.errors import NoVulkan, UnknownDevice
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.gpu.discovery import Discovery, discover


def info(slug: str, name: str, kind: str, null: bool = False) -> DeviceInfo:
    return DeviceInfo(
        slug, name, kind, "driver 1", "1.3.0", 1, 2, "00", "/icd.json", 0, True, null_hardware=null
    )


RTX = info("rtx3060", "NVIDIA GeForce RTX 3060", "discrete")
UHD = info("uhd630", "Intel(R) UHD Graphics 630 (CFL GT2)", "integrated")
VENUS = info("venus", "Virtio-GPU Venus", "virtual")
LAVAPIPE = info("llvmpipe", "llvmpipe (LLVM 15.0.6, 256 bits)", "software")
SWIFTSHADER = info("swiftshader", "SwiftShader Device (Subzero)", "software")
NULL = info("gfx1100", "Null hardware (RADV GFX1100)", "discrete", null=True)
ALL = (NULL, SWIFTSHADER, LAVAPIPE, VENUS, UHD, RTX)


@pytest.mark.parametrize(
    ("there", "best"),
    [
        (ALL, RTX),
        (ALL[:-1], UHD),
        (ALL[:-2], VENUS),
        (ALL[:-3], LAVAPIPE),
        (ALL[:-4], SWIFTSHADER),
    ],
)
def test_the_best_device_is_the_default(there, best):
    assert Discovery(there, ()).choose(None) is best


@pytest.mark.parametrize("there", [(), (NULL,)])
@pytest.mark.parametrize("wanted", [None, "rtx3060"])
def test_without_a_device_the_message_says_what_to_install(there, wanted):
    with pytest.raises(NoVulkan, match="apt install mesa-vulkan-drivers libvulkan1"):
        Discovery(there, ()).choose(wanted)


@pytest.mark.parametrize(
    "wanted", ["uhd630", "UHD630", "uhd", "Intel(R) UHD", UHD.name, " uhd ", "3"]
)
def test_by_slug_name_prefix_or_index(wanted):
    assert Discovery(ALL, ()).choose(wanted) is UHD


def test_an_exact_slug_beats_a_longer_one():
    second = info("rtx3060-2", "NVIDIA GeForce RTX 3060", "discrete")
    assert Discovery((RTX, second), ()).choose("rtx3060") is RTX
    assert Discovery((RTX, second), ()).choose("rtx3060-2") is second


def test_an_ambiguous_prefix_names_the_candidates():
    ti = info("rtx3060ti", "NVIDIA GeForce RTX 3060 Ti", "discrete")
    with pytest.raises(UnknownDevice, match="could be any of: rtx3060, rtx3060ti"):
        Discovery((RTX, ti), ()).choose("rtx")


@pytest.mark.parametrize("wanted", ["gtx", "", "99", "-1", "gfx1100"])
def test_an_unknown_device_is_answered_with_those_there(wanted):
    with pytest.raises(UnknownDevice, match=r'no device ".*"; there are: swiftshader .*rtx3060 \('):
        Discovery(ALL, ()).choose(wanted)


def test_what_failed_is_named_beside_what_is_there():
    late = "lvp_icd.x86_64.json: the driver did not answer within 40 s"
    with pytest.raises(UnknownDevice, match=r"there are: swiftshader .*; lvp_icd.*within 40 s"):
        Discovery((SWIFTSHADER,), (late,)).choose("llvmpipe")
    with pytest.raises(NoVulkan, match=r"no Vulkan device found; lvp_icd.*; install drivers"):
        Discovery((), (late,)).choose(None)


def test_without_drivers_there_are_no_devices_and_no_problems():
    assert discover(()) == Discovery((), ())


def test_looking_for_devices_loads_no_vulkan():
    code = (
        "import sys, shaderlab.gpu.discovery, shaderlab.gpu.drivers;"
        "sys.exit(bool({'vulkan', 'numpy', '_cffi_backend'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
