"""An entry is what was written, or nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.engine.keys import file_digest
from shaderlab.engine.store import Known, Store
from shaderlab.errors import ShaderTimeout, UnsupportedShader

KEY, OTHER = "a" * 64, "b" * 64


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "answers")


def test_answers_and_errors_come_back(store: Store, tmp_path: Path) -> None:
    assert store.read(KEY, str) is None
    store.write(KEY, Known("an answer"))
    assert store.read(KEY, str) == Known("an answer", None, {})
    store.write(OTHER, Known(error=UnsupportedShader("no").with_remedy("Do this.")))
    again = Store(tmp_path / "answers").read(OTHER, str)
    assert again is not None
    assert isinstance(again.error, UnsupportedShader)
    assert (str(again.error), again.error.remedy) == ("no", "Do this.")


def test_an_answer_of_another_type_counts_as_missing(store: Store) -> None:
    store.write(KEY, Known("an answer"))
    assert store.read(KEY, int) is None


@pytest.mark.parametrize("error", [ShaderTimeout("late"), OSError("no")])
def test_an_error_that_may_pass_is_not_lasting(error: Exception) -> None:
    assert not Known(error=error).is_lasting  # type: ignore[arg-type]
    assert Known(error=UnsupportedShader("no")).is_lasting


@given(at=st.integers(0, 200), byte=st.integers(0, 255))
def test_a_damaged_entry_counts_as_missing(
    tmp_path_factory: pytest.TempPathFactory, at: int, byte: int
) -> None:
    folder = tmp_path_factory.mktemp("answers")
    store = Store(folder)
    store.write(KEY, Known([1, 2, 300], None, {str(folder / "none"): ""}))
    (path,) = folder.iterdir()
    data = bytearray(path.read_bytes())
    before, data[at % len(data)] = data[at % len(data)], byte
    path.write_bytes(data)
    found = store.read(KEY, list[int])
    assert (found is None) == (byte != before)
    path.write_bytes(data[: at % len(data)])
    assert store.read(KEY, list[int]) is None


def test_it_holds_as_long_as_the_files_do(store: Store, tmp_path: Path) -> None:
    text, absent = tmp_path / "a.glsl", tmp_path / "b.glsl"
    text.write_text("1")
    store.write(KEY, Known(1, None, {str(text): file_digest(text), str(absent): ""}))
    assert store.read(KEY, int) is not None
    text.write_text("2")  # as long, and within the resolution of a file's time
    assert store.read(KEY, int) is None
    text.write_text("1")
    assert store.read(KEY, int) is not None
    absent.write_text("")
    assert store.read(KEY, int) is None


def test_those_used_longest_ago_go(tmp_path: Path) -> None:
    store = Store(tmp_path, most_bytes=250)
    for number in range(4):
        store.write(f"{number:064}", Known("x" * 40))
    assert store.read(f"{0:064}", str) is not None, "it is the one used last now"
    store.evict()
    left = [number for number in range(4) if store.read(f"{number:064}", str)]
    assert 0 in left
    assert len(left) < 4
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 250
