"""Other vendors' compilers where there are none, or what is there is no compiler."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from shaderlab import locations
from shaderlab.gpu.compilers import discovery, families
from shaderlab.gpu.compilers.vendors import VENDORS
from tests.unit.gpu.compilers.test_installed import write

EXAMPLE = str(locations.resources() / "examples" / "gradient.frag")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the stand-ins are for Linux")


def run(home: Path, *words: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "shaderlab", *words]
    variables = {name: str(home / name) for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME")}
    return subprocess.run(
        command, capture_output=True, text=True, timeout=300, env={**os.environ, **variables}
    )


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """A home whose compilers are text files."""
    folder = tmp_path / "XDG_DATA_HOME" / "shaderlab" / "compilers"
    folder.mkdir(parents=True)
    write(folder, "adreno", missing=("nvidia=its bindgen is too old",))
    return tmp_path


def test_without_compilers_there_is_a_sentence_that_says_how_to_get_them(tmp_path: Path) -> None:
    done = run(tmp_path, "compilers", "status")
    assert done.returncode == 1
    assert "build them with: shaderlab compilers build" in done.stdout + done.stderr
    data = json.loads(run(tmp_path, "compilers", "status", "--json").stdout)
    assert (data["built"], data["drivers"], data["targets"]) == (False, [], [])
    done = run(tmp_path, "compiled", EXAMPLE, "--target", "ga106")
    assert done.returncode == 2
    assert "build them with: shaderlab compilers build" in done.stderr
    assert "Traceback" not in done.stderr


def test_what_is_no_library_is_a_sentence_for_each_chip(
    damaged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = damaged / "XDG_DATA_HOME" / "shaderlab" / "compilers"
    monkeypatch.setattr(locations, "compilers", lambda: (folder,))
    answers = discovery.available(tmp_path / "cache")
    assert answers.targets == ()
    chips = {family.slug for family in families.of_vendor(VENDORS["adreno"])}
    assert answers.problems.keys() == chips
    for slug, problem in answers.problems.items():
        assert problem.startswith(f"Turnip for {slug}: does not load on this system")


def test_a_damaged_memory_of_answers_is_asked_again(
    damaged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = damaged / "XDG_DATA_HOME" / "shaderlab" / "compilers"
    monkeypatch.setattr(locations, "compilers", lambda: (folder,))
    answers = discovery.available(tmp_path)
    (kept,) = tmp_path.glob("compilers.json")
    data = json.loads(kept.read_text())
    for families_kept in ({"adreno740": {}}, {"adreno740": []}, [], None, {"adreno740": {"x": 1}}):
        kept.write_text(json.dumps({**data, "families": families_kept}))
        assert discovery.available(tmp_path).problems == answers.problems


def test_the_commands_name_what_is_wrong_with_the_one_that_was_asked_for(damaged: Path) -> None:
    done = run(damaged, "compiled", EXAMPLE, "--target", "adreno740")
    assert done.returncode == 2
    assert "Turnip for adreno740: does not load" in done.stderr
    done = run(damaged, "compiled", EXAMPLE, "--target", "rtx 3060")
    assert done.returncode == 2
    assert "ga106: NVK was not built: its bindgen is too old" in done.stderr
    done = run(damaged, "compiled", EXAMPLE, "--target", "rtx9090")
    assert 'no compiled target "rtx9090"' in done.stderr


def test_a_folder_of_another_format_is_a_sentence(damaged: Path) -> None:
    manifest = damaged / "XDG_DATA_HOME" / "shaderlab" / "compilers" / "manifest.json"
    manifest.write_text('{"format": 99}')
    for words in (("compilers", "status"), ("compiled", EXAMPLE, "--target", "adreno740")):
        done = run(damaged, *words)
        assert done.returncode in (1, 2)
        assert "is of a format this version of shaderlab does not read" in done.stdout + done.stderr
        assert "Traceback" not in done.stderr
