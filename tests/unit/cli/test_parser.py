from __future__ import annotations

from pathlib import Path

import pytest

from shaderlab.cli.options import Budget
from shaderlab.cli.parser import parse


def test_nothing_and_a_file_mean_the_window(tmp_path: Path) -> None:
    assert parse([]).command is None
    assert parse([]).file is None
    shader = tmp_path / "plasma"
    shader.touch()
    arguments = parse([str(shader)])
    assert (arguments.command, arguments.file) == (None, shader)
    assert parse(["open", "new.frag"]).file == Path("new.frag")


def test_the_canonical_run_is_the_default() -> None:
    arguments = parse(["trace", "a.frag"])
    assert (arguments.size, arguments.time, arguments.frame) == ((1024, 768), 1.0, 1)
    assert not arguments.json


def test_options() -> None:
    arguments = parse(
        ["predict", "a.frag", "--size", "64x32", "--target", "uhd630", "--target", "h200", "--json"]
    )
    assert arguments.size == (64, 32)
    assert arguments.target == ["uhd630", "h200"]
    assert arguments.json


@pytest.mark.parametrize(
    ("text", "seconds"), [("2ms", 0.002), ("0.5 s", 0.5), ("300us", 3e-4), (".5µs", 5e-7)]
)
def test_budgets(text: str, seconds: float) -> None:
    (budget,) = parse(["check", "a.frag", "--budget", f"rtx4060-laptop={text}"]).budget
    assert budget.target == "rtx4060-laptop"
    assert budget.seconds == pytest.approx(seconds)
    assert isinstance(budget, Budget)


@pytest.mark.parametrize(
    "words",
    [
        ["frobnicate"],
        ["trace"],
        ["trace", "a.frag", "--size", "0x5"],
        ["trace", "a.frag", "--size", "99999x5"],
        ["trace", "a.frag", "--size", "big"],
        ["profile", "a.frag", "--trials", "0"],
        ["check", "a.frag"],
        ["check", "a.frag", "--budget", "2ms"],
        ["check", "a.frag", "--budget", "rtx3060=fast"],
        ["render", "a.frag"],
        ["trace", "a.frag", "--deadline", "-1"],
        ["trace", "a.frag", "--deadline", "nan"],
    ],
)
def test_wrong_use_ends_with_code_2(words: list[str], capsys: pytest.CaptureFixture) -> None:
    with pytest.raises(SystemExit) as ended:
        parse(words)
    assert ended.value.code == 2
    assert capsys.readouterr().err
