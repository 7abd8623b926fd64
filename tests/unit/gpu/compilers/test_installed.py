"""The folder of compilers: a manifest of others is believed in nothing but numbers."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab import locations
from shaderlab.gpu.compilers import installed
from shaderlab.gpu.compilers.installed import InvalidFolder
from shaderlab.gpu.compilers.vendors import VENDORS

WRITER = Path(__file__).parents[4] / "packaging" / "compilers_manifest.py"
INTEL = VENDORS["intel"]


def write(folder: Path, *vendors: str, missing: tuple[str, ...] = ()) -> Path:
    """A folder as the script leaves it, with libraries that hold their own name."""
    source = folder / "source"
    for name, stated in (("mesa", "docs/license.rst"), ("libdrm", "xf86drm.h")):
        path = source / name / stated
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"licence of {name}")
    command = [sys.executable, str(WRITER), str(folder), "--llvm", "15"]
    command += ["--mesa", "25.0.7", "a" * 64, "--libdrm", "2.4.124", "b" * 64]
    command += ["--licences", str(source / "mesa"), str(source / "libdrm")]
    for vendor in map(VENDORS.__getitem__, vendors):
        for name in filter(None, (vendor.library, vendor.shim)):
            (folder / name).write_text(name)
        icd = {"file_format_version": "1.0.0", "ICD": {"library_path": f"./{vendor.library}"}}
        (folder / vendor.icd).write_text(json.dumps(icd))
        command += ["--built", vendor.slug, vendor.library, vendor.shim]
    command += [f"--missing={entry}" for entry in missing]
    subprocess.run(command, check=True)
    return folder


def change(folder: Path, **entries: Any) -> None:
    path = folder / installed.MANIFEST
    path.write_text(json.dumps(json.loads(path.read_text()) | entries))


def test_what_the_script_writes_can_be_read(tmp_path: Path) -> None:
    write(tmp_path, "intel", "amd", missing=("nvidia=its bindgen is too old",))
    found = installed.read(tmp_path)
    assert found.mesa == "25.0.7"
    assert [d.vendor.slug for d in found.drivers] == ["amd", "intel"]
    assert [d.damage for d in found.drivers] == ["", ""]
    assert found.missing == {"nvidia": "its bindgen is too old"}
    assert found.size == sum(
        len(name) for v in ("intel", "amd") for name in (VENDORS[v].library, VENDORS[v].shim)
    )
    assert (tmp_path / "licences" / "mesa.rst").read_text() == "licence of mesa"


def test_a_second_run_keeps_what_is_unchanged_and_drops_the_rest(tmp_path: Path) -> None:
    write(tmp_path, "intel", "mali", missing=("nvidia=no bindgen",))
    (tmp_path / INTEL.library).write_text("another")
    write(tmp_path, "adreno")
    assert [d.vendor.slug for d in installed.read(tmp_path).drivers] == ["adreno", "mali"]


def test_changed_files_are_found(tmp_path: Path) -> None:
    write(tmp_path, "intel")
    library = tmp_path / INTEL.library
    library.write_text(INTEL.library.upper())  # as many bytes
    (driver,) = installed.read(tmp_path).drivers
    assert driver.problem == ""
    assert driver.damage == f"ANV: {INTEL.library} is not as it was built"
    library.write_text("half")
    (driver,) = installed.read(tmp_path).drivers
    assert "has 4 bytes" in driver.problem
    library.unlink()
    (driver,) = installed.read(tmp_path).drivers
    assert driver.problem == f"ANV: {INTEL.library} is missing"


def test_a_loader_manifest_may_name_no_other_library(tmp_path: Path) -> None:
    write(tmp_path, "intel")
    (tmp_path / INTEL.icd).write_text(json.dumps({"ICD": {"library_path": "/lib/other.so"}}))
    (driver,) = installed.read(tmp_path).drivers
    assert driver.problem == "ANV: intel_icd.json names another library"


@pytest.mark.parametrize("name", ["../libvulkan_intel.so", "/lib/libvulkan_intel.so", "x.so"])
def test_no_file_name_comes_from_the_manifest(tmp_path: Path, name: str) -> None:
    write(tmp_path, "intel")
    drivers = json.loads((tmp_path / installed.MANIFEST).read_text())["drivers"]
    drivers["intel"]["library"]["name"] = name
    change(tmp_path, drivers=drivers)
    with pytest.raises(InvalidFolder, match="build the compilers again"):
        installed.read(tmp_path)


@pytest.mark.parametrize(
    "entries",
    [
        {"format": 2},
        {"format": "1"},
        {"sources": []},
        {"sources": None},
        {"system": 7},
        {"drivers": []},
        {"drivers": {"intel": {}}},
        {"missing": []},
        {"drivers": {"intel": {"library": {"name": INTEL.library, "bytes": -1, "sha256": ""}}}},
        {
            "drivers": {
                "intel": {"library": {"name": INTEL.library, "bytes": 1 << 60, "sha256": ""}}
            }
        },
    ],
)
def test_a_manifest_of_another_shape_is_refused(tmp_path: Path, entries: dict[str, Any]) -> None:
    write(tmp_path, "intel")
    change(tmp_path, **entries)
    with pytest.raises(InvalidFolder):
        installed.read(tmp_path)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(
    st.dictionaries(st.sampled_from(["format", "sources", "drivers", "missing", "system"]), _JSON)
)
def test_any_json_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, value: Any) -> None:
    folder = tmp_path_factory.mktemp("any", numbered=True)
    (folder / installed.MANIFEST).write_text(json.dumps({"format": 1, **value}))
    with pytest.raises(InvalidFolder):
        installed.read(folder)


@pytest.mark.parametrize("data", [b"", b"\xff\xfe", b"[" * 100_000, b'{"format": 1'])
def test_what_is_no_json_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / installed.MANIFEST).write_bytes(data)
    with pytest.raises(InvalidFolder):
        installed.read(tmp_path)


def test_control_characters_do_not_reach_the_screen(tmp_path: Path) -> None:
    write(tmp_path, "intel")
    change(tmp_path, system="Debian\n\x1b[31m" + "x" * 1000, missing={"amd": "a\nb", "other": "c"})
    found = installed.read(tmp_path)
    assert found.system.isprintable()
    assert len(found.system) <= 200
    assert found.missing == {"amd": "a b"}


def test_a_folder_the_dynamic_linker_cannot_take_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "a:b"
    folder.mkdir()
    write(folder, "intel")
    monkeypatch.setattr(locations, "compilers", lambda: (folder,))
    with pytest.raises(InvalidFolder, match="a colon or semicolon"):
        installed.find()


def test_the_users_own_folder_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, shipped = tmp_path / "own", tmp_path / "shipped"
    monkeypatch.setattr(locations, "compilers", lambda: (own, shipped))
    assert installed.find() is None
    for folder in (shipped, own):
        folder.mkdir()
        write(folder, "intel")
        found = installed.find()
        assert found is not None
        assert found.folder == folder


def test_a_driver_is_found_by_its_vendor(tmp_path):
    found = installed.read(write(tmp_path, "amd"))
    assert found.driver(VENDORS["amd"]) is found.drivers[0]
    assert found.driver(INTEL) is None
