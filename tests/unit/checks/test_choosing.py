from __future__ import annotations

from pathlib import Path

import pytest

from shaderlab.checks.choosing import chosen
from shaderlab.errors import WrongUse


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("a.frag", "b/c.frag", "b/d.vert", "b/e.glsl", "b/.hidden/f.frag", "b/g/h.fs"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(*words: str, without: str = "") -> list[str]:
    return [each.as_posix() for each in chosen(words, lambda path: path.name == without)]


def test_folders_have_their_fragment_shaders(tree: Path) -> None:
    assert names(".") == ["a.frag", "b/c.frag", "b/g/h.fs"]
    assert names("b", "a.frag", "b/c.frag") == ["b/c.frag", "b/g/h.fs", "a.frag"]
    assert names("b", without="c.frag") == ["b/g/h.fs"]
    assert names("b/c.frag", "a.frag", without="c.frag") == ["a.frag"]
    assert chosen(["c.frag", "g"], lambda _: False, tree / "b") == [
        tree / "b/c.frag", tree / "b/g/h.fs"
    ]  # fmt: skip


def test_patterns_have_whatever_matches(tree: Path) -> None:
    assert names("b/*") == ["b/c.frag", "b/d.vert", "b/e.glsl"]
    assert names("**/*.frag") == ["a.frag", "b/c.frag"]
    assert names(f"{tree}/b/**/*.fs") == [f"{tree}/b/g/h.fs"]


def test_a_shader_of_a_project_is_checked_as_its_part(tree: Path) -> None:
    (tree / "b/c.shaderlab.toml").write_text('format = 1\nshader = "c.frag"\n')
    assert names("b") == ["b/c.shaderlab.toml", "b/g/h.fs"]
    assert names("b/c.frag") == ["b/c.frag"]


@pytest.mark.parametrize("word", ["empty", "x/*.frag", "*.hlsl"])
def test_a_word_that_names_nothing_is_wrong(tree: Path, word: str) -> None:
    (tree / "empty").mkdir()
    with pytest.raises(WrongUse, match=r"no shader in empty|nothing matches"):
        names(word)
