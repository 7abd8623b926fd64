"""Whoever asks, commands or the language server: the forecasts are the same, field by field."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from shaderlab import cli
from shaderlab.engine.crew import Crew
from shaderlab.errors import UnsupportedShader
from shaderlab.lsp.analysis import Analysis, Text
from shaderlab.lsp.analyst import Analyst
from shaderlab.workers.supervisor.limits import Limits
from tests.kernels import FOLDER

TARGETS = ("llvmpipe", "rtx3060")
FIELDS = ("time_s", "low_s", "high_s", "status", "method", "warnings")
WAVES = """\
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    float sum = 0.0;
    for (int i = 0; i < 9; i++) sum += sin(fragCoord.x * float(i) + iTime);
    fragColor = vec4(sum);
}
"""
ENDLESS = WAVES.replace("i < 9", "i > -1").replace("i++", "i = abs(i)")

Said = dict[str, tuple[Any, ...]]
"""By target."""
Run = Callable[..., Said]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*words: str | Path) -> Said:
        named = [word for target in TARGETS for word in ("--target", target)]
        cli.main([*map(str, words), *named, "--device", "llvmpipe", "--json"])
        answer = json.loads(capsys.readouterr().out)
        if words[0] == "check":
            (file,) = answer["files"]
            assert not file["error"]
            found = file["times"]
        else:
            found = answer["points"][0]["targets"] if words[0] == "sweep" else answer["targets"]
        return {each["target"]: tuple(each[name] for name in FIELDS) for each in found}

    return run


def served(path: Path, limits: Limits | None = None) -> Said:
    """What the language server has in the end."""
    news: list[Analysis] = []
    with closing(Analyst("llvmpipe", limits)) as analyst:
        analyst.measure(analyst.compile(Text(path.name, path, path.read_text())), news.append)
    return {
        each.target: tuple(
            list(value) if isinstance(value := getattr(each, name), tuple) else value
            for name in FIELDS
        )
        for each in news[-1].forecasts
        if each.target in TARGETS
    }


@pytest.fixture
def waves(tmp_path: Path) -> Path:
    path = tmp_path / "waves.frag"
    path.write_text(WAVES)
    return path


def test_of_a_shader(run: Run, waves: Path) -> None:
    said = run("predict", waves)
    assert said.keys() == set(TARGETS)
    assert run("check", waves) == said
    assert run("sweep", waves, "iTime=1") == said
    assert served(waves) == said
    assert run("predict", waves, "--no-cache") == said


def test_of_a_kernel(run: Run) -> None:
    path = FOLDER / "triad.comp"
    said = run("predict", path)
    assert run("check", path) == said
    assert served(path) == said


def test_of_a_shader_without_an_end(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "endless.frag"
    path.write_text(ENDLESS)
    soon = "--deadline", "2"
    said = run("predict", path, *soon)
    assert said
    assert {status for _, _, _, status, *_ in said.values()} <= {"lower bound", "none"}
    assert run("check", path, *soon) == said
    assert served(path, Limits(trace=2.0)) == said


def test_of_a_shader_that_cannot_run(
    run: Run, waves: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise UnsupportedShader("the device has no such feature")

    monkeypatch.setattr(Crew, "device", refuse)
    said = run("predict", waves, "--no-cache")
    assert all("the device has no such feature" in each[-1][0] for each in said.values())
    assert run("check", waves, "--no-cache") == said
