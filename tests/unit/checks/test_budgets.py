from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.checks import budgets, durations, globs
from shaderlab.checks.budgets import Limit
from shaderlab.errors import WrongUse

TEXT = """\
format = 1
files = ["shaders/**/*.frag"]
exclude = ["shaders/vendor"]

[[budget]]
targets = {rtx3060 = "2ms", rx6600xt = "3 ms"}
max_increase = "10%"

[[budget]]
files = ["shaders/post/*.frag", "shaders/ui"]
targets = {rtx3060 = "250us"}
max_increase = {rx6600xt = "2.5%"}
"""


def read(folder: Path, text: str) -> budgets.Budgets:
    path = folder / "budgets.toml"
    path.write_text(text)
    return budgets.read(path)


def test_a_later_budget_overrides_an_earlier_one_target_by_target(tmp_path: Path) -> None:
    found = read(tmp_path, TEXT)
    assert found.limits(tmp_path / "shaders/sky.frag") == {
        "rtx3060": Limit(0.002, 0.1),
        "rx6600xt": Limit(0.003, 0.1),
    }
    for post in ("shaders/post/bloom.frag", "shaders/ui/deep/text.frag"):
        assert found.limits(tmp_path / post) == {
            "rtx3060": Limit(pytest.approx(250e-6), 0.1),
            "rx6600xt": Limit(0.003, 0.025),
        }
    deep = found.limits(tmp_path / "shaders/post/old/bloom.frag")
    assert deep["rtx3060"].seconds == 0.002
    assert found.limits(tmp_path / "x.frag", ["uhd630"])["uhd630"] == Limit(None, 0.1)


def test_patterns_are_relative_to_the_file_wherever_the_command_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = read(tmp_path, TEXT)
    (tmp_path / "shaders").mkdir()
    monkeypatch.chdir(tmp_path / "shaders")
    assert found.limits(Path("post/bloom.frag"))["rtx3060"].seconds == pytest.approx(250e-6)
    assert found.excludes(Path("vendor/a.frag"))
    assert not found.excludes(Path("vendors/a.frag"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("format = 2", "format: 2 is not 1: update shaderlab"),
        ("format = 1\nbudget = 3", "budget: expected array, got int"),
        ("format = 1\nbudgets = []", "object contains unknown field budgets"),
        ("format = 1\n[[budget]]\n", "budget[0]: give targets, max_increase or both"),
        (
            'format = 1\n[[budget]]\ntargets = {rtx3060 = "fast"}',
            "budget[0].targets.rtx3060: expected a time such as 2ms or 250us, not 'fast'",
        ),
        ("format = 1\n[[budget]]\ntargets = {rtx3060 = 2}", "budget[0].targets[...]: expected str"),
        (
            'format = 1\n[[budget]]\nmax_increase = "a lot"',
            "budget[0].max_increase: expected an increase such as 10%",
        ),
        ('format = 1\nexclude = ["../x"]', 'exclude[0]: "../x": a pattern has /'),
        ('format = 1\nfiles = ["*a*a*a*a*a*a*a*a*a"]', "more than 8 wildcards"),
        ("format = " + "9" * 5000, "a number with too many digits"),
        ("format = x", "is not valid TOML: Invalid value (at line 1, column 10)"),
    ],
)
def test_what_is_wrong_is_named_with_its_key(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(WrongUse) as error:
        read(tmp_path, text)
    assert str(error.value).startswith("budgets.toml")
    assert said in str(error.value)


def test_a_target_there_is_not_is_named_with_its_place(tmp_path: Path) -> None:
    found = read(tmp_path, TEXT)
    found.require_targets({"rtx3060", "rx6600xt"})
    with pytest.raises(
        WrongUse, match=r'budget\[0\]: no target is called "rx6600xt"; there are rtx3060'
    ):
        found.require_targets({"rtx3060"})


def test_times_have_units() -> None:
    assert durations.seconds("16.6 ms") == pytest.approx(0.0166)
    assert durations.seconds(".5s") == 0.5
    for text in ("2", "ms", "-2ms", "2e3ms", "1" * 20 + "s"):
        with pytest.raises(WrongUse):
            durations.seconds(text)


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("*.frag", "a.frag", True),
        ("*.frag", "b/a.frag", False),
        ("**/*.frag", "a.frag", True),
        ("**/*.frag", "b/c/a.frag", True),
        ("b/**", "b/c/a.frag", True),
        ("b/**/a.frag", "b/a.frag", True),
        ("b/**/a.frag", "bc/a.frag", False),
        ("?.frag", "/.frag", False),
        ("./a.frag", "a.frag", True),
        ("a.frag", "axfrag", False),
        ("b", "b/c/a.frag", True),
    ],
)
def test_patterns(pattern: str, path: str, matches: bool) -> None:
    assert globs.matches(pattern, path) is matches


@given(st.text("ab/.[](+$", min_size=1).filter(lambda t: not t.startswith(("/", "./"))))
def test_a_name_without_wildcards_matches_itself_alone(name: str) -> None:
    if ".." in name.split("/"):
        return
    assert globs.compiled(name).fullmatch(name)
    assert not globs.compiled(name).fullmatch(name + "x")


_PIECES = st.sampled_from(["a", "b", "/", "*", "**", "/**/", "?"])


@given(st.lists(_PIECES, min_size=1, max_size=7), st.lists(st.text("ab", min_size=1), min_size=1))
def test_patterns_match_as_if_all_ways_were_tried(pieces: list[str], parts: list[str]) -> None:
    pattern, path = "".join(pieces), "/".join(parts)
    try:
        found = globs.compiled(pattern)
    except WrongUse:
        return
    meaning = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    split = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    slow = re.compile("".join(meaning.get(part, re.escape(part)) for part in split))
    assert bool(found.fullmatch(path)) is bool(slow.fullmatch(path))


def test_no_path_takes_long_to_match() -> None:
    assert not globs.matches("*a*a*a*a*a*a*a*b", "a" * 4000)
    assert not globs.matches("**/*a*a/**/*a/**a**a*b", "aa/" * 1000 + "c")
