from __future__ import annotations

from pathlib import Path

import pytest

from shaderlab.app.shell.capture_dialog import launch
from shaderlab.errors import WrongUse


def test_the_form_says_what_is_started(tmp_path: Path):
    made = launch(" /usr/bin/game ", "--level 'two words' -x", str(tmp_path), 1.5)
    assert list(made.command) == ["/usr/bin/game", "--level", "two words", "-x"]
    assert (made.folder, made.delay_s) == (tmp_path, 1.5)
    assert launch("game", "", "", None).folder == Path.cwd()


@pytest.mark.parametrize(
    ("program", "arguments", "folder", "said"),
    [
        ("  ", "", "", "Enter the program"),
        ("game", "'open", "", "arguments cannot be read"),
        ("game", "", "/no/such/folder", "no folder"),
        ("~nobody-of-this-name/game", "", "~nobody-of-this-name", "no folder"),
    ],
)
def test_what_is_wrong_with_it_is_said(program: str, arguments: str, folder: str, said: str):
    with pytest.raises(WrongUse, match=said):
        launch(program, arguments, folder, 1.0)
