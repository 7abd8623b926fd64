"""A command that has no answer says why and ends with exit code 1."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from shaderlab import locations

SHADER = "void mainImage(out vec4 c, in vec2 p) { c = vec4(p.x + iTime); }"


def call(
    folder: Path, *words: str, path: Path | None = None, limit: tuple[int, int] | None = None
) -> tuple[int, str]:
    """Exit code and all it said.  `limit`: a resource and how much there is of it."""
    (folder / "a.frag").write_text(SHADER)

    def apply() -> None:
        if limit is not None:
            resource.setrlimit(limit[0], (limit[1], limit[1]))

    found = os.pathsep.join(str(each) for each in (path, os.environ.get("PYTHONPATH")) if each)
    done = subprocess.run(
        [sys.executable, "-m", "shaderlab", *words], cwd=folder, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": found}, timeout=300, preexec_fn=apply,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def without_models(tmp_path: Path) -> Path:
    """A folder of the module path that hides them from shaderlab."""
    models = tmp_path / "models"
    models.mkdir()
    for name in ("datasets", "report"):
        (models / name).symlink_to(locations.models() / name)
    (tmp_path / "sitecustomize.py").write_text(
        "from pathlib import Path\nimport shaderlab.locations\n"
        f"shaderlab.locations.models = lambda: Path({str(models)!r})\n"
    )
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        ("predict", "a.frag"),
        ("predict", "a.frag", "--static"),
        ("targets",),
        ("check", "a.frag", "--target", "rtx3060"),
        ("scale", "a.frag", "--over", "size", "--trials", "1", "--draws", "1"),
        ("sweep", "a.frag", "iTime=0,1"),
        ("report", "a.frag", "-o", "made"),
        ("doctor",),
    ],
    ids=lambda words: " ".join(words[:3]),
)
def test_without_models_there_is_none(words: tuple[str, ...], without_models: Path) -> None:
    code, said = call(without_models, *words, path=without_models)
    assert code == 1, said
    assert "no target can be predicted: no models are installed" in said
    assert "Traceback" not in said


@pytest.mark.skipif(sys.platform != "linux", reason="needs RLIMIT_AS")
@pytest.mark.parametrize("megabytes", [300, 400, 500])
def test_with_little_memory_there_is_one_or_a_reason(megabytes: int, tmp_path: Path) -> None:
    limit = (resource.RLIMIT_AS, megabytes << 20)
    code, said = call(tmp_path, "predict", "a.frag", limit=limit)
    assert code == (0 if "µs" in said else 1), said
    assert said.strip()
    assert "Traceback" not in said


def test_a_limit_on_files_ends_without_a_traceback(tmp_path: Path) -> None:
    limit = (resource.RLIMIT_FSIZE, 1024)
    code, said = call(tmp_path, "render", "a.frag", "-o", "a.png", limit=limit)
    assert code == 2, said
    assert "`ulimit -f` limits the size of files" in said
    assert "Traceback" not in said


def test_a_cache_that_cannot_be_written_to_costs_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    code, said = call(tmp_path, "check", "a.frag", "--target", "rtx3060")
    assert code == 0, said
    assert "counts are not kept: cannot write to" in said
