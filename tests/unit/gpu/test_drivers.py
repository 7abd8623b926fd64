from __future__ import annotations

import json
import os
import platform
import sys
from pathlib import Path

import pytest

from shaderlab.gpu import drivers


@pytest.fixture(autouse=True)
def _only_folders_of_the_test(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(drivers, "_BROWSER_FOLDERS", ())


def manifest(path: Path, library: str = "libvulkan_test.so", **fields: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    icd = {"library_path": library, "api_version": "1.3.0", **fields}
    path.write_text(json.dumps({"file_format_version": "1.0.1", "ICD": icd}))
    return path


def searching(folder: Path) -> dict[str, str]:
    """An environment in which only `folder` is searched."""
    nowhere = str(folder / "nowhere")
    return {
        "XDG_CONFIG_HOME": nowhere,
        "XDG_CONFIG_DIRS": nowhere,
        "XDG_DATA_HOME": nowhere,
        "XDG_DATA_DIRS": str(folder),
    }


def found_below(folder: Path, environment: dict[str, str]) -> list[str]:
    """Names found, without those of the machine's own /etc."""
    return [m.name for m in drivers.manifests(environment) if m.is_relative_to(folder)]


def test_xdg_folders_in_the_loaders_order(tmp_path):
    for folder in ("config", "configs", "data", "datas"):
        manifest(tmp_path / folder / "vulkan/icd.d" / f"{folder}.json", f"lib{folder}.so")
    environment = {
        "XDG_CONFIG_HOME": f"{tmp_path}/config",
        "XDG_CONFIG_DIRS": f"{tmp_path}/absent{os.pathsep}{tmp_path}/configs",
        "XDG_DATA_HOME": f"{tmp_path}/data",
        "XDG_DATA_DIRS": f"{tmp_path}/datas",
    }
    assert found_below(tmp_path, environment) == [
        "config.json",
        "configs.json",
        "data.json",
        "datas.json",
    ]


def test_home_stands_in_for_unset_folders(tmp_path):
    manifest(tmp_path / ".local/share/vulkan/icd.d/mine.json")
    environment = {"HOME": str(tmp_path), "XDG_DATA_DIRS": str(tmp_path / "nowhere")}
    assert found_below(tmp_path, environment) == ["mine.json"]


@pytest.mark.parametrize("variable", ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"])
def test_the_users_choice_replaces_the_search(tmp_path, variable):
    manifest(tmp_path / "vulkan/icd.d/system.json")
    one = manifest(tmp_path / "one.json", "libone.so")
    manifest(tmp_path / "many/two.json", "libtwo.so")
    chosen = os.pathsep.join([str(one), str(tmp_path / "many"), str(tmp_path / "missing.json")])
    environment = searching(tmp_path) | {variable: chosen}
    assert [m.name for m in drivers.manifests(environment)] == ["one.json", "two.json"]


def test_added_drivers_precede_the_search(tmp_path):
    manifest(tmp_path / "vulkan/icd.d/system.json", "libsystem.so")
    added = manifest(tmp_path / "added.json", "libadded.so")
    environment = searching(tmp_path) | {"VK_ADD_DRIVER_FILES": str(added)}
    assert found_below(tmp_path, environment) == ["added.json", "system.json"]


def test_other_architectures_are_left_out(tmp_path):
    other = "aarch64" if platform.machine() == "x86_64" else "x86_64"
    folder = tmp_path / "vulkan/icd.d"
    manifest(folder / f"ours.{platform.machine()}.json", "libours.so")
    manifest(folder / f"named.{other}.json", "libnamed.so")
    manifest(folder / "bits.json", "libbits.so", library_arch="32" if sys.maxsize > 2**32 else "64")
    header = bytearray(Path(sys.executable).resolve().read_bytes()[:64])
    (tmp_path / "same.so").write_bytes(header)
    header[18:20] = b"\xf3\x00" if header[18] != 0xF3 else b"\x3e\x00"
    (tmp_path / "foreign.so").write_bytes(header)
    manifest(folder / "elf-same.json", f"{tmp_path}/same.so")
    manifest(folder / "elf-foreign.json", f"{tmp_path}/foreign.so")
    manifest(folder / "elf-missing.json", f"{tmp_path}/missing.so")
    expected = ["elf-same.json", f"ours.{platform.machine()}.json"]
    assert found_below(tmp_path, searching(tmp_path)) == expected


def test_relative_library_paths_are_the_manifests(tmp_path):
    folder = tmp_path / "vulkan/icd.d"
    manifest(folder / "near.json", "./near.so")
    (folder / "near.so").write_bytes(Path(sys.executable).resolve().read_bytes()[:64])
    manifest(folder / "far.json", "./far.so")
    assert found_below(tmp_path, searching(tmp_path)) == ["near.json"]


def test_one_library_is_one_driver(tmp_path):
    folder = tmp_path / "vulkan/icd.d"
    manifest(folder / "a.json", "libsame.so")
    manifest(folder / "b.json", "libsame.so")
    assert found_below(tmp_path, searching(tmp_path)) == ["a.json"]


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"ICD": 3}', '{"ICD": {"library_path": 7}}', "\xff"]
)
def test_what_is_no_manifest_is_left_out(tmp_path, text):
    path = tmp_path / "vulkan/icd.d/broken.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(text.encode("latin-1"))
    assert found_below(tmp_path, searching(tmp_path)) == []


@pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes")
def test_a_pipe_or_an_endless_file_is_no_manifest(tmp_path):
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "endless.json").symlink_to("/dev/zero")
    (tmp_path / "deep.json").write_text("[" * 100_000)
    for name in ("pipe", "endless", "deep"):
        assert drivers._library(tmp_path / f"{name}.json") is None


def test_llvmpipe_alone_can_be_told_to_optimise_less(monkeypatch):
    monkeypatch.setenv("GALLIVM_PERF", "of the user")
    drivers.compile_quickly()
    assert os.environ["GALLIVM_PERF"] == "nopt"
    named = ("llvmpipe", "llvmpipe-2", "swiftshader", "rtx3060")
    assert [drivers.can_compile_quickly(slug) for slug in named] == [True, True, False, False]


def test_select_leaves_one_driver_and_no_layers(monkeypatch):
    for name, value in {
        "VK_ADD_DRIVER_FILES": "/other.json",
        "VK_ICD_FILENAMES": "/old.json",
        "RADV_FORCE_FAMILY": "gfx1100",
    }.items():
        monkeypatch.setenv(name, value)
    for name in ("VK_DRIVER_FILES", "NODEVICE_SELECT", "VK_LOADER_LAYERS_DISABLE"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    drivers.select("/chosen.json")
    assert os.environ["VK_DRIVER_FILES"] == os.environ["VK_ICD_FILENAMES"] == "/chosen.json"
    assert "VK_ADD_DRIVER_FILES" not in os.environ
    assert "RADV_FORCE_FAMILY" not in os.environ
    assert os.environ["VK_LOADER_LAYERS_DISABLE"] == "~implicit~"
    drivers.select("/chosen.json", radv_family="navi23")
    assert os.environ["RADV_FORCE_FAMILY"] == "navi23"


@pytest.mark.parametrize(
    ("device", "driver", "asked", "null"),
    [
        ("Null hardware (RADV NAVI23)", "radv Mesa 22.3.6", True, True),
        ("Null hardware (RADV NAVI23)", "radv Mesa 22.3.6", False, True),
        ("AMD Unknown (RADV NAVI31)", "radv Mesa 26.0.0", True, True),
        ("AMD Unknown (RADV GFX1201)", "radv Mesa 24.0.0", False, False),
        ("AMD Radeon RX 6600 XT (RADV NAVI23)", "radv Mesa 25.2.0", False, False),
        ("llvmpipe (LLVM 15.0.6, 256 bits)", "llvmpipe Mesa 22.3.6", True, False),
    ],
)
def test_a_device_without_a_chip_is_told_from_one_too_new_for_its_name(
    device: str, driver: str, asked: bool, null: bool
) -> None:
    environment = {"RADV_FORCE_FAMILY": "navi23"} if asked else {}
    assert drivers.is_null_hardware(device, driver, environment) is null
