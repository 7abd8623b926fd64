"""A pipe or an endless device is refused as a file at once, and no name of a file forges a line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there are no named pipes")

COMMANDS = [
    ["import", "{}", "-o", "p.shaderlab.toml"],
    ["capture", "{}"],
    ["check", "a.frag", "--budgets", "{}"],
    ["dataset", "stats", "{}"],
    ["dataset", "validate", "{}"],
    ["dataset", "review", "{}"],
    ["dataset", "export", "{}", "-o", "o.parquet"],
    ["dataset", "merge", "{}", "-o", "o.parquet"],
    ["dataset", "publish", "{}", "-o", "published"],
    ["dataset", "pull", "{}", "--to", "s.db"],
    ["dataset", "pull", "{}", "--look"],
    ["campaign", "{}", "--to", "s.db"],
    ["campaign", "--programs", "{}", "--to", "s.db"],
    ["campaign", "corpus", "--to", "s.db", "--first", "{}"],
]
ALL = """
import contextlib, io, json, sys
from shaderlab.cli import main
for words in json.loads(sys.argv[1]):
    said, complained = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(complained):
        code = main(words)
    print(json.dumps([code, said.getvalue() + complained.getvalue()]), flush=True)
"""


def answers(calls: list[list[str]], folder: Path) -> list[tuple[int, str]]:
    """Exit code and all that was printed, of each call."""
    run = subprocess.run(
        [sys.executable, "-c", ALL, json.dumps(calls)],
        cwd=folder,
        env={**os.environ, "XDG_DATA_HOME": str(folder), "XDG_CACHE_HOME": str(folder)},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()]


def test_no_command_waits_for_a_pipe_or_reads_a_device_to_its_end(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "a.frag").write_text("void mainImage(out vec4 c, in vec2 p) { c = vec4(1); }")
    (tmp_path / "corpus/a.frag").write_text((tmp_path / "a.frag").read_text())
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "endless").symlink_to("/dev/zero")
    for name in ("pipe", "endless"):
        (tmp_path / f"{name}.sha256").write_text(f"{'0' * 64}  {name}\n")
    calls = [
        [word.replace("{}", name) for word in words]
        for name in ("pipe", "endless")
        for words in COMMANDS
    ]
    for words, (code, said) in zip(calls, answers(calls, tmp_path), strict=True):
        assert code in (1, 2), words
        assert "not a plain file" in said, (words, said)
        assert "Traceback" not in said, words


def test_the_name_of_a_file_forges_no_line(tmp_path: Path) -> None:
    name, bundle = "a\nFORGED\x1b[2J\u202e.frag", "b\nFORGED.parquet"
    (tmp_path / "corpus").mkdir()
    for path in (tmp_path / name, tmp_path / "corpus/a.frag"):
        path.write_text("void mainImage(out vec4 c, in vec2 p) { c = vec4(1); }")
    calls = [
        [name.removesuffix(".frag")],  # with it, the window would open
        ["compile", name],
        ["compile", "a.frag", "--stage", name],
        ["inputs", name],
        ["capture", name],
        ["campaign", "corpus", "--bundle", bundle],
        ["import", name, "-o", "p.shaderlab.toml"],
    ]
    for words, (_, said) in zip(calls, answers(calls, tmp_path), strict=True):
        assert "FORGED" in said, words
        assert "\nFORGED" not in said, words
        assert not set(said) & {"\x1b", "\u202e"}, words
