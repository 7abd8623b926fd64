from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import pytest

from shaderlab.cli import frame
from shaderlab.cli.options import Budget, reading
from shaderlab.cli.parser import _parser, parse
from shaderlab.frontend.reading import RECOGNISED, Language, Reading
from shaderlab.frontend.stage import Stage


def test_nothing_and_a_file_mean_the_window(tmp_path: Path) -> None:
    assert parse([]).command is None
    assert parse([]).file is None
    shader = tmp_path / "plasma"
    shader.touch()
    arguments = parse([str(shader)])
    assert (arguments.command, arguments.file) == (None, shader)
    assert parse(["open", "new.frag"]).file == Path("new.frag")


def test_what_the_options_leave_open_the_project_says(tmp_path: Path) -> None:
    shader, project = tmp_path / "a.hlsl", tmp_path / "b.shaderlab.toml"
    shader.touch()
    project.write_text('format = 1\nshader = "a.hlsl"\nentry = "Lit"\nstage = "comp"\n')
    words = ["trace", str(shader), "--project", str(project)]
    found = [frame.reading(parse([*words, *more])) for more in ((), ("--entry", "Other"))]
    assert [(each.entry, each.stage) for each in found] == [
        ("Lit", Stage.COMPUTE), ("Other", Stage.COMPUTE)
    ]  # fmt: skip


DEVICE = "profile, scale, calibrate, record, campaign"
DRAWN = (
    "render, trace, profile, inputs, predict, check, scale, sweep, explore, occupancy, report, "
    "compiled, record, campaign"
)
NUMBERS = {
    "at=((1920, 1080), (2560, 1440), (3840, 2160))": "scale",
    "budget=0.016666666666666666": "explore",
    "clocks=()": "scale",
    "deadline=120.0": "campaign",
    "delay=2.0": "capture",
    "draws=10": "sweep",
    "draws=30": DEVICE,
    "frame=1": DRAWN,
    "jobs=2": "campaign",
    "seed=0": "campaign",
    "shader=20.0": "campaign",
    "shaders=40": "calibrate",
    "size=(1024, 768)": DRAWN,
    "slowest=5.0": "campaign",
    "time=1.0": DRAWN,
    "trials=10": DEVICE,
    "trials=5": "sweep",
}
"""Commands by the defaults of their numbers: the canonical run's, and how much effort."""


def numbers(parser: argparse.ArgumentParser, command: str = "") -> Iterator[tuple[str, str]]:
    for each in parser._actions:
        if isinstance(each, argparse._SubParsersAction):
            for name, inner in each.choices.items():
                yield from numbers(inner, f"{command} {name}".strip())
        elif isinstance(each.default, int | float | tuple) and each.default is not False:
            yield f"{each.dest}={each.default}", command


def test_numbers_that_are_not_given() -> None:
    found: dict[str, list[str]] = {}
    for number, command in numbers(_parser("")):
        found.setdefault(number, []).append(command)
    assert {number: ", ".join(commands) for number, commands in found.items()} == NUMBERS


def test_options() -> None:
    arguments = parse(
        ["predict", "a.frag", "--size", "64x32", "--target", "uhd630", "--target", "h200", "--json"]
    )
    assert arguments.size == (64, 32)
    assert arguments.target == ["uhd630", "h200"]
    assert arguments.json


def test_how_a_text_is_read(tmp_path: Path) -> None:
    assert reading(parse(["compile", "a.frag"])) == RECOGNISED
    words = ["--language", "hlsl", "--stage", "vert", "--entry", "VSMain", "-I", str(tmp_path)]
    arguments = parse(["trace", "a.fx", *words, "-D", "N", "-DSCALE=2.0", "-D", "EMPTY="])
    assert reading(arguments) == Reading(
        Language.HLSL,
        Stage.VERTEX,
        "VSMain",
        (("N", "1"), ("SCALE", "2.0"), ("EMPTY", "")),
        (tmp_path,),
    )


@pytest.mark.parametrize(
    "words", [["-D", "2X"], ["-D", "A=1\n#x"], ["-I", "/nowhere"], ["--stage", "pixel"]]
)
def test_sources_that_cannot_be_meant(words: list[str]) -> None:
    with pytest.raises(SystemExit) as error:
        parse(["compile", "a.frag", *words])
    assert error.value.code == 2


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
        ["check", "a.frag", "--budget", "2ms"],
        ["check", "a.frag", "--budget", "rtx3060=fast"],
        ["trace", "a.frag", "--deadline", "-1"],
        ["trace", "a.frag", "--deadline", "nan"],
    ],
)
def test_wrong_use_ends_with_code_2(words: list[str], capsys: pytest.CaptureFixture) -> None:
    with pytest.raises(SystemExit) as ended:
        parse(words)
    assert ended.value.code == 2
    assert capsys.readouterr().err
