"""Damaged files of every kind are read, or refused in one line; `reader_fuzz` tries thousands."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import fuzz

pytestmark = pytest.mark.usefixtures("qapp")  # where docks are is Qt's to read


@pytest.mark.parametrize("name", fuzz.READERS)
def test_damaged_files_are_read_or_refused_in_a_line(name: str, tmp_path: Path) -> None:
    reader = fuzz.READERS[name]
    outcomes = {fuzz.outcome(reader, path) for path in fuzz.cases(name, 40, tmp_path)}
    assert outcomes <= {"read", "refused"}


@pytest.mark.parametrize("name", fuzz.READERS)
def test_a_sound_file_is_read(name: str, tmp_path: Path) -> None:
    path = tmp_path / fuzz.file_name(name)
    path.write_bytes(fuzz.READERS[name].whole(tmp_path))
    assert fuzz.outcome(fuzz.READERS[name], path) == "read"
