"""Asking RADV for its families, by a probe that may hang, fail or leave something running."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pytest

from shaderlab.errors import NoVulkan
from shaderlab.gpu.radv import discovery
from tests.processes import alive

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the probes are shell scripts")


@pytest.fixture
def probe(tmp_path, monkeypatch):
    """Has the given shell script run in the place of the probe."""

    def run(script: str) -> dict[str, str | None]:
        path = tmp_path / "probe"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o700)
        monkeypatch.setattr(sys, "executable", str(path))
        return discovery._probe(Path("radeon_icd.json"))

    return run


def test_families_come_with_their_driver_or_without(probe):
    answer = json.dumps({"navi23": "radv 1", "renoir": None})
    assert probe(f"echo '{answer}'") == {"navi23": "radv 1", "renoir": None}


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("exit 3", "its probe ended with 3"),
        ("kill -SEGV $$", "its probe ended with -11"),
        ("echo no JSON", "does not list its families"),
    ],
)
def test_a_probe_that_fails_is_a_reason_and_no_family(probe, script, said):
    with pytest.raises(NoVulkan, match=f"radeon_icd.json: .*{said}"):
        probe(script)


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="asks /proc who is alive")
@pytest.mark.parametrize("ending", ["echo '{}'", "exec sleep 600"])
def test_what_the_probe_leaves_running_ends_with_it(probe, ending, tmp_path, monkeypatch):
    monkeypatch.setattr(discovery, "DEADLINE_S", 1.0)
    started = tmp_path / "started"
    script = f"sleep 600 </dev/null >/dev/null 2>&1 & echo $! >{started}\n{ending}"
    if ending.startswith("exec"):
        with pytest.raises(NoVulkan, match="did not answer within 1 s"):
            probe(script)
    else:
        assert probe(script) == {}
    left = int(started.read_text())
    while alive(left):  # killed, and about to be gone; else the test runs into its limit
        time.sleep(0.01)


def test_what_was_found_is_remembered_for_the_same_driver_alone(tmp_path):
    manifest = tmp_path / "radeon_icd.json"
    manifest.write_text(json.dumps({"ICD": {"library_path": "libvulkan_radeon.so"}}))
    cache = tmp_path / "cache"
    assert discovery._remembered(cache, manifest) is None
    discovery._remember(cache, manifest, {"navi23": "radv 1"})
    assert discovery._remembered(cache, manifest) == {"navi23": "radv 1"}
    assert [path.name for path in cache.iterdir()] == ["radv-families.json"]
    manifest.write_text(json.dumps({"ICD": {"library_path": "libvulkan_radeon.so.2"}}))
    assert discovery._remembered(cache, manifest) is None
    (cache / "radv-families.json").write_text("[]")
    assert discovery._remembered(cache, manifest) is None


@pytest.fixture
def installed_drivers(tmp_path, monkeypatch):
    """A RADV of the system's and one that was built, as manifests."""
    found = {}
    for name in ("system", "built"):
        (tmp_path / name).mkdir()
        found[name] = tmp_path / name / "radeon_icd.json"
        found[name].write_text(json.dumps({"ICD": {"library_path": "libvulkan_radeon.so"}}))
    monkeypatch.setattr(discovery.drivers, "manifests", lambda: (found["system"],))
    monkeypatch.setattr(discovery, "_built", lambda: found["built"])
    return found


def test_the_built_radv_is_asked_before_the_system_s(installed_drivers, monkeypatch, tmp_path):
    def probe(manifest):
        return {"navi23": f"radv of {manifest.parent.name}"}

    monkeypatch.setattr(discovery, "_probe", probe)
    (target,) = discovery.available(tmp_path / "cache")
    assert (target.driver, target.icd) == ("radv of built", str(installed_drivers["built"]))
    assert discovery.radv_manifest() == installed_drivers["built"]
    monkeypatch.setattr(discovery, "_built", lambda: None)
    (target,) = discovery.available(tmp_path / "cache")
    assert target.driver == "radv of system"


def test_both_drivers_are_asked_once(installed_drivers, monkeypatch, tmp_path):
    asked = []

    def probe(manifest):
        asked.append(manifest)
        return {"navi23": f"radv of {manifest.parent.name}"}

    monkeypatch.setattr(discovery, "_probe", probe)
    first = discovery.available(tmp_path / "cache")
    assert asked == [installed_drivers["built"], installed_drivers["system"]]
    assert discovery.available(tmp_path / "cache") == first
    assert len(asked) == 2


def test_only_the_drivers_asked_last_are_kept(tmp_path):
    manifest = tmp_path / "radeon_icd.json"
    for version in range(6):
        library = {"library_path": f"libvulkan_radeon.so.{version}"}
        manifest.write_text(json.dumps({"ICD": library}))
        discovery._remember(tmp_path / "cache", manifest, {"navi23": f"radv {version}"})
    kept = json.loads((tmp_path / "cache" / "radv-families.json").read_text())
    assert [each["navi23"] for each in kept.values()] == [f"radv {n}" for n in (2, 3, 4, 5)]


def test_the_version_that_prices_were_fitted_to_comes_first(
    installed_drivers, monkeypatch, tmp_path
):
    versions = {"built": "radv Mesa 25.0.7 (shaderlab)", "system": "radv Mesa 22.3.6"}
    monkeypatch.setattr(discovery, "_probe", lambda m: {"navi23": versions[m.parent.name]})
    (target,) = discovery.available(tmp_path / "cache")
    assert target.driver == "radv Mesa 22.3.6"
    versions["system"] = "radv Mesa 25.2.1"
    (tmp_path / "cache" / "radv-families.json").unlink()
    (target,) = discovery.available(tmp_path / "cache")
    assert target.driver == "radv Mesa 25.0.7 (shaderlab)"
    assert target.keeps_loops


def test_the_system_s_radv_stands_in_for_a_built_one_that_does_not_answer(
    installed_drivers, monkeypatch, tmp_path
):
    def probe(manifest):
        if manifest == installed_drivers["built"]:
            raise NoVulkan("radeon_icd.json: glibc is too old")
        return {"navi23": "radv of system"}

    monkeypatch.setattr(discovery, "_probe", probe)
    (target,) = discovery.available(tmp_path / "cache")
    assert target.driver == "radv of system"
    monkeypatch.setattr(discovery.drivers, "manifests", tuple)
    with pytest.raises(NoVulkan, match="glibc is too old"):
        discovery.available(tmp_path / "cache")
