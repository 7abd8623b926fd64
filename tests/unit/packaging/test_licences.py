"""The bundle names the licences of the vendors' compilers, which no package owns."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[3] / "packaging/bundle/licences.py"
BUILT = "_internal/shaderlab/compilers"


@pytest.fixture
def licences() -> ModuleType:
    spec = importlib.util.spec_from_file_location("licences", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    compilers = tmp_path / BUILT
    (compilers / "licences").mkdir(parents=True)
    (compilers / "libvulkan_panfrost.so").touch()
    (compilers / "libpanfrost_noop_drm_shim.so").touch()
    (compilers / "licences/mesa.rst").write_text("MIT")
    manifest = {
        "sources": [{"name": "mesa", "version": "25.0.7"}],
        "licences": {"mesa": "licences/mesa.rst"},
    }
    (compilers / "manifest.json").write_text(json.dumps(manifest))
    return tmp_path


def test_compilers_are_listed_with_their_text_and_own_their_libraries(licences, bundle):
    (row,), built = licences._of_compilers(bundle)
    assert row[0].startswith("mesa")
    assert row[1] == "25.0.7"
    assert (bundle / "licences" / row[3]).resolve() == bundle / BUILT / "licences/mesa.rst"
    assert built == {"libvulkan_panfrost.so", "libpanfrost_noop_drm_shim.so"}


def test_compilers_without_the_text_of_their_licence_are_seen_to_lack_it(licences, bundle):
    (bundle / BUILT / "licences/mesa.rst").unlink()
    ((_, _, _, text),), _ = licences._of_compilers(bundle)
    assert text == ""


def test_a_bundle_without_compilers_has_none_of_their_licences(licences, tmp_path):
    assert licences._of_compilers(tmp_path) == ([], set())
