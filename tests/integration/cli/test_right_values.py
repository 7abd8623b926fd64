"""Small shaders of many kinds, and what is right for each, derived by hand.

`tests/right_values/*.txt` hold them: `## NAME OPTIONS`, the text, `@@ NAME` before the text of each
file beside it, `--`, and a line for each fact:

- `line 5: 12`: how often the line runs per invocation; `line 5: total 3072` of the whole launch
- `pass NAME line 5: 12`: the same of a pass of several
- `colour X Y: R G B A`: of the picture, 0..1, X and Y from its top left, within 1/255
- `value NAME: 0.75 text`: what the input is given, and where that comes from
- `says TEXT`: in what `predict` or `trace` prints, in any case; `not says TEXT`
- `status STATUS | STATUS`: what the forecast for the RTX 3060 claims
- `at least SECONDS`: that forecast
- `refused TEXT`: it does not compile, and says so
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from shaderlab.cli import devices, forecasts, inputs, shaders
from shaderlab.cli.command import Answer
from shaderlab.cli.parser import parse
from shaderlab.engine.crew import Crew, Engine
from shaderlab.errors import ShaderlabError

FOLDER = Path(__file__).parents[2] / "right_values"
TARGET = "rtx3060"


@dataclass(frozen=True)
class Case:
    name: str
    options: tuple[str, ...]
    text: str
    facts: tuple[str, ...]

    def write(self, folder: Path) -> Path:
        """Its file, with those beside it."""
        first, *others = re.split(r"^@@ (\S+)\n", self.text, flags=re.M)
        files = {self.name: first, **dict(zip(others[::2], others[1::2], strict=True))}
        for name, text in files.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text)
        return folder / self.name

    def has(self, *words: str) -> bool:
        return any(fact.startswith(words) for fact in self.facts)


def cases() -> Iterator[tuple[str, Case]]:
    for path in sorted(FOLDER.glob("*.txt")):
        for block in re.split(r"^## ", path.read_text(), flags=re.M)[1:]:
            head, rest = block.split("\n", 1)
            text, _, facts = rest.rpartition("\n--\n")
            name, *options = head.split()
            yield (
                f"{path.stem}/{name}",
                Case(name, tuple(options), text + "\n", tuple(facts.strip().splitlines())),
            )


@pytest.fixture(scope="module", autouse=True)
def _one_engine() -> Iterator[None]:
    """For all commands of this file: starting its children takes longer than their work."""
    with (
        closing(Engine(Crew("llvmpipe"), kept=False)) as engine,
        pytest.MonkeyPatch.context() as patch,
    ):
        for module in (devices, forecasts, inputs, shaders):
            patch.setattr(module, "answering", lambda _: contextlib.nullcontext(engine))
        yield


def command(run: Any, word: str, path: Path, case: Case, *more: str) -> Answer | ShaderlabError:
    try:
        return run(parse([word, str(path), "--device", "llvmpipe", *case.options, *more]))
    except ShaderlabError as error:
        return error


def said(answer: Answer | ShaderlabError) -> str:
    if isinstance(answer, Answer):
        return answer.text
    found = [f"line {each.line}: {each.message}" for each in getattr(answer, "diagnostics", ())]
    return "\n".join([str(answer), answer.remedy, *found])


@pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in cases()])
def test_it_gets_its_right_value_or_says_why_not(case: Case, tmp_path: Path):
    path = case.write(tmp_path)
    predicted = command(forecasts.predict, "predict", path, case, "--target", TARGET)
    counted = command(shaders.trace, "trace", path, case)
    if "is not on PATH" in said(counted):
        pytest.skip(str(counted))
    if not case.has("refused"):
        assert isinstance(counted, Answer), said(counted)
        assert isinstance(predicted, Answer), said(predicted)
    if isinstance(counted, Answer):
        for each in counted.data.get("passes", [counted.data]):
            whole = runs_of_entry(each) == np.prod(each["size"])
            assert whole or (each["lost"] and status(predicted) == "none")
    printed = whole = f"{said(predicted)}\n{said(counted)}"
    for line in filter(None, map(str.strip, case.text.splitlines())):
        printed = printed.replace(line, "")  # quoted, not said
    shown = " ".join(printed.lower().split())
    for fact in case.facts:
        check(fact, case, path, predicted, counted, (whole, shown))


def check(
    fact: str, case: Case, path: Path, predicted: Any, counted: Any, said: tuple[str, str]
) -> None:
    whole, shown = said
    word, _, rest = fact.partition(" ")
    if word == "refused":
        assert rest.lower() in whole.lower(), f"{fact}: {whole}"
    elif word == "says":
        assert rest.lower() in shown, f"{fact}: {shown}"
    elif fact.startswith("not says"):
        assert fact[9:].lower() not in shown, shown
    elif word == "status":
        assert status(predicted) in rest.split(" | "), f"{status(predicted)}: {shown}"
    elif word == "at":
        least = forecast(predicted)
        assert (least["time_s"] or least["low_s"]) >= float(rest.split()[1])
    elif word == "line":
        check_line(counted.data, rest)
    elif word == "pass":
        name, _, fact = rest.partition(" line ")
        check_line(next(each for each in counted.data["passes"] if each["pass"] == name), fact)
    elif word == "value":
        check_value(path, case, rest)
    elif word == "colour":
        check_colour(path, case, rest)
    else:
        raise AssertionError(f"no such fact: {fact}")


def runs_of_entry(counted: dict[str, Any]) -> int:
    """Of the entry point's function, which no other calls: that of the first block to run."""
    functions = {each["function"]: each["count"] for each in counted["blocks"][::-1]}
    names = {each["function"]: each["function_name"] for each in counted["blocks"]}
    return next((n for id, n in functions.items() if names[id].startswith("main")), 0) or max(
        functions.values()
    )


def forecast(predicted: Any) -> dict[str, Any]:
    return next(each for each in predicted.data["targets"] if each["target"] == TARGET)


def status(predicted: Any) -> str:
    return forecast(predicted)["status"]


def check_line(counted: dict[str, Any], fact: str) -> None:
    number, _, right = fact.partition(": ")
    lines = {each["line"]: each["count"] for each in counted["lines"]}
    entry = max(block["count"] for block in counted["blocks"][:1])
    total = int(right.split()[1]) if right.startswith("total") else float(right) * entry
    assert lines[int(number)] == total, f"line {fact} is {lines[int(number)] / max(entry, 1)}"


def check_value(path: Path, case: Case, fact: str) -> None:
    name, _, right = fact.partition(": ")
    value, source = right.rsplit(" ", 1)
    listed = command(inputs.inputs, "inputs", path, case)
    assert isinstance(listed, Answer), said(listed)
    entry = next(each for each in listed.data["inputs"] if each["name"].endswith(name))
    assert entry["source"] == source
    assert np.asarray(entry["value"], float).ravel() == pytest.approx(
        [float(each) for each in value.split()], abs=1e-6
    )


def check_colour(path: Path, case: Case, fact: str) -> None:
    place, _, right = fact.partition(": ")
    picture = path.with_suffix(".png")
    if not picture.exists():
        drawn = command(shaders.render, "render", path, case, "-o", str(picture))
        assert isinstance(drawn, Answer), said(drawn)
    x, y = map(int, place.split())
    pixel = np.asarray(Image.open(picture))[y, x] / 255
    wanted = [float(each) for each in right.split()]
    assert pixel[: len(wanted)] == pytest.approx(wanted, abs=1.01 / 255)
