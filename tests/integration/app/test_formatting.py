"""clang-format by its shortcut: the text laid out, or a sentence that says why not."""

from __future__ import annotations

import os
import shutil
import sys

import pytest

from shaderlab.app.editor import formatting

CROWDED = (
    "void mainImage(out vec4 fragColor,in vec2 fragCoord){vec3 colour=vec3(0.0);\n"
    "fragColor=vec4(colour,1.0);}\n"
)
needs_program = pytest.mark.skipif(
    shutil.which(formatting.PROGRAM) is None, reason="clang-format is not on the path"
)
needs_shell = pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins are shell scripts")


@pytest.fixture
def format_text(driven):
    driven.show()
    driven.edit(CROWDED)

    said: list[str] = []
    work = driven.editor.findChild(formatting.Formatting)
    work.refused.connect(said.append)
    work.finished.connect(lambda changed: said.append("" if changed else "as it was"))

    def run(command: str = "edit.format") -> str:
        """Why the text was not changed; empty where it was."""
        said.clear()
        driven.window.actions_[command].trigger()
        driven.wait(lambda: said, "clang-format")
        return said[0]

    yield run
    driven.show()


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """A program of the name that does as the test says."""

    def make(script: str) -> None:
        program = tmp_path / formatting.PROGRAM
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")

    return make


@needs_program
def test_the_text_is_laid_out_and_the_caret_stays_at_its_word(driven, format_text):
    driven.editor.go_to(2, 11)  # at vec4
    assert format_text() == ""
    lines = driven.editor.text.split("\n")
    assert "    vec3 colour = vec3(0.0);" in lines
    line, column = driven.editor.caret
    assert lines[line - 1][column - 1 :].startswith("vec4(colour, 1.0);")
    driven.window.actions_["edit.undo"].trigger()
    assert driven.editor.text == CROWDED
    driven.editor.redo()
    assert format_text() == "as it was"


@needs_program
def test_of_a_selection_only_its_lines_are_laid_out(driven, format_text):
    driven.edit("float f( float x ) { return x; }\n\nfloat g( float x ) { return x; }\n")
    driven.editor.select_lines(3, 3)
    assert format_text("edit.format_selection") == ""
    assert driven.editor.text.startswith("float f( float x ) {")
    assert "float g(float x)" in driven.editor.text


def test_where_it_is_missing_that_is_said_and_how_to_get_it(driven, format_text, monkeypatch):
    monkeypatch.setattr(formatting, "PROGRAM", "clang-format-that-is-nowhere")
    assert format_text() == formatting.MISSING
    assert driven.editor.text == CROWDED


@needs_shell
@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("cat >/dev/null; echo bad style >&2; exit 1", "bad style"),
        ("cat >/dev/null; echo no json; echo text", "not text"),
        ("cat >/dev/null; echo '{\"Cursor\": 0}'", "empty text"),
        ("kill -9 $$", "crashed"),
    ],
)
def test_a_program_that_fails_changes_nothing(driven, format_text, stand_in, script, said):
    stand_in(script)
    assert said in format_text()
    assert driven.editor.text == CROWDED


@needs_shell
def test_a_program_that_hangs_is_stopped(driven, format_text, stand_in):
    stand_in("exec sleep 60")
    work = driven.editor.findChild(formatting.Formatting)
    work._late.setInterval(50)
    try:
        assert "took longer" in format_text()
    finally:
        work._late.setInterval(formatting.LIMIT_MS)


@needs_shell
def test_what_was_typed_meanwhile_is_not_lost(driven, format_text, stand_in):
    stand_in("cat >/dev/null; sleep 0.3; printf '{\"Cursor\": 0}\\nnew text\\n'")
    work = driven.editor.findChild(formatting.Formatting)
    said: list[str] = []
    work.refused.connect(said.append)
    driven.window.actions_["edit.format"].trigger()
    driven.editor.go_to(1, 1)
    driven.editor.type("// typed\n")
    driven.wait(lambda: said, "clang-format")
    assert driven.editor.text == "// typed\n" + CROWDED
    assert "changed while" in said[0]
