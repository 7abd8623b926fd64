"""Which form of a shader is made besides the one that was written."""

from __future__ import annotations

from concurrent.futures import Future
from typing import ClassVar

import pytest

from shaderlab.campaigns import preparing
from shaderlab.campaigns.corpus import Shader
from shaderlab.campaigns.preparing import Preparation, Preparer
from shaderlab.errors import CompileFailed

TEXT = "void mainImage(out vec4 c, in vec2 p) { c = vec4(sin(p.x) + sin(p.x)); }"
SHADER = Shader("s", "key", text=TEXT)


@pytest.fixture(scope="module")
def digest() -> str:
    return Preparer().prepare(SHADER, False).program.digest


@pytest.mark.parametrize(
    ("optimize", "is_counted", "made"),
    [(True, False, True), (False, False, False), (True, True, False)],
)
def test_the_optimised_form_is_made_where_wanted_and_not_counted_before(
    digest, optimize, is_counted, made
):
    counted = frozenset({digest} if is_counted else {"0" * 64})
    prepared = Preparer(counted).prepare(SHADER, optimize)
    assert (prepared.optimized is not None) is made
    assert prepared.program.text == "", "it has served"


def test_a_file_is_read_as_it_would_be_anywhere(tmp_path, digest):
    path = tmp_path / "s.frag"
    path.write_text(TEXT)
    assert Preparer().prepare(Shader("s", "key", path=path), False).program.digest == digest


class Child:
    """Compiles at once; the shaders whose names begin with `bad` fail."""

    all: ClassVar[list[Child]] = []

    def __init__(self, number: int):
        self.number, self.asked, self.closed = number, [], False
        Child.all.append(self)

    def prepare(self, shader: Shader, optimize: bool) -> Future:
        self.asked.append(shader.name)
        future: Future = Future()
        if shader.name.startswith("bad"):
            future.set_exception(CompileFailed(shader.name, ()))
        elif shader.name.startswith("fault"):
            future.set_exception(ZeroDivisionError())
        else:
            future.set_result((shader.name, optimize))
        return future

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch) -> list[Child]:
    monkeypatch.setattr(preparing, "_PreparingWorker", Child)
    monkeypatch.setattr(Child, "all", [])
    return Child.all


def test_every_shader_comes_once_in_order_from_children_that_take_turns(children):
    names = ["a", "b", "bad", "d", "e", "f", "g", "h", "i"]
    with Preparation(optimize=False, workers=2) as preparation:
        found = preparation.each(Shader(name, "key") for name in names)
        first, prepared = next(found)
        assert (first.name, prepared) == ("a", ("a", False))
        asked = sum(len(child.asked) for child in children)
        assert asked == 2 * preparing._AHEAD + 1, "enough to keep both busy, and no more"
        rest = list(found)
    assert [shader.name for shader, _ in rest] == names[1:]
    assert [name for (shader, what) in rest if isinstance(what, CompileFailed)
            for name in [shader.name]] == ["bad"]  # fmt: skip
    assert [child.asked for child in children] == [names[0::2], names[1::2]]
    assert all(child.closed for child in children)


def test_a_fault_of_ours_is_no_shader_s_error(children):
    with Preparation() as preparation, pytest.raises(ZeroDivisionError):
        list(preparation.each([Shader("fault", "key")]))
    assert children[0].closed
