"""Which families can be compiled for, and why others cannot."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from shaderlab.errors import NoVulkan, UnknownTarget
from shaderlab.gpu.compilers import discovery, families
from shaderlab.gpu.compilers.discovery import Answers, CompiledTarget, sentences
from shaderlab.gpu.compilers.installed import Compilers, Driver, File, InvalidFolder
from shaderlab.gpu.compilers.vendors import VENDORS
from shaderlab.gpu.radv import discovery as radv
from shaderlab.workers import compiled

(NAVI23,) = families.named("navi23")
(CFL,) = families.named("cfl")
AMD = CompiledTarget(NAVI23, "navi23", "/radeon_icd.json")
INTEL = CompiledTarget(CFL, "cfl", "/c/intel_icd.json")


def raises(error: Exception):
    def available():
        raise error

    return available


def gives(answer):
    return lambda: answer


@pytest.fixture
def here(monkeypatch):
    """What the two searches find."""

    def set_(amd, others) -> Answers:
        monkeypatch.setattr(radv, "available", amd)
        monkeypatch.setattr(discovery, "available", others)
        return compiled.available().result(60)

    return set_


def built(*slugs: str, missing=()) -> Compilers:
    library = File(Path("/c/x"), 1, "")
    drivers = tuple(Driver(VENDORS[slug], Path("/c"), library, None) for slug in slugs)
    return Compilers(Path("/c"), "25.0.7", "Debian", drivers, dict(missing))


def test_what_families_answered_is_kept_until_the_compilers_are_others(tmp_path):
    folder, answers = tmp_path / "new" / "cache", {"cfl": {"driver": "ANV", "device": "UHD 630"}}
    discovery._remember(folder, built("intel"), answers)
    assert discovery._remembered(folder, built("intel")) == answers
    changed = replace(built("intel"), folder=tmp_path)
    assert discovery._remembered(folder, changed) is None
    discovery._remember(folder, changed, answers)
    assert discovery._remembered(folder, changed) == answers


def test_without_a_build_amd_s_families_are_there_and_each_other_vendor_says_why(here):
    answers = here(gives((AMD,)), raises(NoVulkan("not built; build them")))
    assert answers.targets == (AMD,)
    assert answers.problems.keys() == VENDORS.keys() - {"amd"}
    assert set(answers.problems.values()) == {"not built; build them"}


def test_a_build_of_some_says_how_to_get_the_others(here):
    some = Answers(built("intel", missing={"nvidia": "its bindgen is too old"}), (INTEL,), {})
    answers = here(gives((AMD,)), gives(some))
    assert answers.targets == (AMD, INTEL)
    assert answers.problems["nvidia"] == "NVK was not built: its bindgen is too old"
    assert "shaderlab compilers build --only adreno" in answers.problems["adreno"]
    assert "intel" not in answers.problems


def test_without_radv_the_others_go_on(here):
    answers = here(raises(NoVulkan("no RADV")), gives(Answers(built("intel"), (INTEL,), {})))
    assert answers.targets == (INTEL,)
    assert answers.problems["amd"] == "no RADV"


def test_half_a_folder_leaves_amd(here):
    answers = here(gives((AMD,)), raises(InvalidFolder("/c cannot be read")))
    assert answers.targets == (AMD,)
    assert answers.problems["mali"] == "/c cannot be read"


def test_none_at_all_is_one_error_that_names_both(here):
    with pytest.raises(NoVulkan, match="no RADV; not built"):
        here(raises(NoVulkan("no RADV")), raises(NoVulkan("not built")))


def test_a_family_that_is_known_and_not_here_is_refused_with_the_reason():
    problems = {"ga106": "NVK for ga106 ended with signal 11", "intel": "ANV is not built"}
    answers = Answers(None, (AMD,), problems)
    assert compiled.choose_among(answers, ["rx 6600 xt"]) == (AMD,)
    with pytest.raises(UnknownTarget, match="ga106: NVK for ga106 ended with signal 11"):
        compiled.choose_among(answers, ["navi23", "RTX 3060"])
    with pytest.raises(UnknownTarget, match="cfl: ANV is not built"):
        compiled.choose_among(answers, ["UHD 630"])
    with pytest.raises(UnknownTarget, match='no compiled target "voodoo2"; there are: navi23'):
        compiled.choose_among(answers, ["voodoo2"])


def test_the_others_go_on_without_a_family_that_is_not_here():
    problems = {"ga106": "NVK for ga106 ended with signal 11", "intel": "ANV is not built"}
    answers = Answers(None, (AMD,), problems)
    found = compiled.choose_available(answers, ["UHD 630", "navi23", "RTX 3060", "intel"])
    assert found == (
        (AMD,),
        {
            "cfl": "ANV is not built",
            "ga106": "NVK for ga106 ended with signal 11",
            "intel": "ANV is not built",
        },
    )
    with pytest.raises(UnknownTarget, match='no compiled target "voodoo2"; there are: navi23'):
        compiled.choose_available(answers, ["UHD 630", "voodoo2"])


def test_problems_that_differ_by_the_family_alone_are_one_sentence():
    problems = {
        "intel": "ANV is not built",
        "malig52": "PanVK for malig52 ended with signal 6",
        "malig52r1": "PanVK for malig52r1 ended with signal 6",
        "malig310": "PanVK for malig310: the driver offers no such chip",
    }
    assert sentences(problems) == [
        "ANV is not built",
        "PanVK for malig52, malig52r1 ended with signal 6",
        "PanVK for malig310: the driver offers no such chip",
    ]


def test_only_what_needs_a_stand_in_is_started_with_an_environment():
    assert AMD.environment == {}
    assert INTEL.environment["INTEL_STUB_GPU_PLATFORM"] == "cfl"
    assert INTEL.environment["LD_PRELOAD"].split(":")[0] == "libintel_noop_drm_shim.so"
    assert replace(INTEL, icd="/d/intel_icd.json").environment["LD_LIBRARY_PATH"].startswith("/d")
