"""Text of others can be read, and do nothing else."""

from __future__ import annotations

import json
import logging
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shaderlab.cli import main, terminal

HOSTILE = "\x1b[2K\r9 rows, 9 accepted\n\u202egnp.exe\x85\x7f\ud800\u2066"


@given(st.text(max_size=60))
@example(HOSTILE)
@example("\u2028\u061c\ufeff\x9b31m\U000e0001")
def test_whatever_is_shown_holds_no_control(text: str) -> None:
    shown = terminal.escaped(text)
    assert shown.count("\n") == text.count("\n")
    for c in shown:
        assert c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Zl", "Zp")
    line = terminal.one_line(text)
    assert len(line.splitlines()) <= 1
    assert terminal.escaped(line) == line


@given(st.text(max_size=60))
@example(HOSTILE)
@example("\U000e0020")
def test_json_stays_json(text: str) -> None:
    for plain in (json.dumps({text: text}), json.dumps([text], ensure_ascii=False)):
        assert json.loads(terminal.escaped(plain)) == json.loads(plain)


def test_a_cell_cannot_forge_a_row() -> None:
    shown = terminal.table(("device", "rows"), [("a\nb\x1b[1A", "2")])
    assert [line.split() for line in shown.splitlines()] == [
        ["device", "rows"],
        ["a\\u000ab\\u001b[1A", "2"],
    ]


def test_logs_and_notes_are_escaped(capsys: pytest.CaptureFixture) -> None:
    terminal.note(HOSTILE)
    record = logging.LogRecord("x", logging.WARNING, "x", 1, "%s", (HOSTILE,), None)
    formatted = terminal._Formatter("%(levelname)s: %(message)s").format(record)
    for shown in (capsys.readouterr().err, formatted):
        assert "\x1b" not in shown
        assert "\u202e" not in shown
        assert "\\u001b[2K" in shown


def test_what_was_typed_wrongly_is_repeated_escaped(capsys: pytest.CaptureFixture) -> None:
    assert main(["\x1b]0;owned\x07"]) == 2
    shown = capsys.readouterr().err
    assert "\x1b" not in shown
    assert "\\u001b]0;owned\\u0007" in shown
