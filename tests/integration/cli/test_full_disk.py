"""What is written is written whole or not at all, and that is said in a line with exit code 2.

A limit on the size of files stands for a disk that is full: it needs no rights, and the system
refuses the write as it does there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from shaderlab.cli import main
from shaderlab.samples import schema
from shaderlab.samples.store import Store
from tests.integration.cli.test_hostile_files import ALL
from tests.unit.samples.builders import sample

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no such limits")

LARGEST = 300
LIMITED = f"import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, ({LARGEST}, {LARGEST}))\n"
SHADER = "void mainImage(out vec4 c, in vec2 p) { c = vec4(p / iResolution.xy, 0, 1); }"
COMMANDS = [
    ["compile", "a.frag", "-o", "out/a.spv"],
    ["import", "toy", "-o", "out/deep/toy.toml"],
    ["dataset", "merge", "few.jsonl", "-o", "out/new.db"],
    ["dataset", "merge", "few.jsonl", "-o", "out/deep/new.db"],
    ["dataset", "merge", "few.jsonl", "-o", "out/new.parquet"],
    ["dataset", "merge", "few.jsonl", "-o", "kept.db"],
    ["dataset", "export", "few.jsonl", "-o", "out/deep/a.parquet"],
    ["dataset", "publish", "few.jsonl", "-o", "out/published"],
    ["campaign", "corpus", "--bundle", "out/programs.parquet"],
    ["campaign", "corpus", "--to", "out/deep/campaign.db"],
    ["record", "a.frag", "--to", "out/record.db"],
]


def test_nothing_half_is_left_where_no_space_is(tmp_path: Path) -> None:
    for name in ("out", "corpus", "toy"):
        (tmp_path / name).mkdir()
    (tmp_path / "a.frag").write_text(SHADER)
    (tmp_path / "corpus/a.frag").write_text(SHADER)
    (tmp_path / "toy/Image.glsl").write_text(SHADER + "//" * LARGEST)
    (tmp_path / "toy/Buffer A.glsl").write_text(SHADER)
    rows = [json.dumps(schema.to_row(sample(f"{n}"))) for n in range(9)]
    (tmp_path / "few.jsonl").write_text("\n".join(rows))
    with Store(tmp_path / "kept.db") as store:
        store.add([sample("kept")])
    kept = (tmp_path / "kept.db").read_bytes()
    own = {"XDG_DATA_HOME": str(tmp_path / "own"), "XDG_CACHE_HOME": str(tmp_path / "own")}
    run = subprocess.run(
        [sys.executable, "-c", LIMITED + ALL, json.dumps(COMMANDS)],
        cwd=tmp_path,
        env=os.environ | own,
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert run.returncode == 0, run.stderr
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    for words, (code, said) in zip(COMMANDS, answers, strict=True):
        assert code == 2, (words, said)
        assert len(said.strip().splitlines()) == 1, (words, said)
    assert not list((tmp_path / "out").iterdir())
    assert (tmp_path / "kept.db").read_bytes() == kept
    assert not [path for path in tmp_path.rglob(".*") if path.is_file() and "own" not in path.parts]


def test_what_is_read_is_not_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.frag", "b.toml"):
        (tmp_path / name).write_text(SHADER)
    (tmp_path / "link").symlink_to("a.frag")
    for words in (
        ["compile", "a.frag", "-o", "./a.frag"],
        ["trace", "a.frag", "--lcov", "link"],
        ["check", "a.frag", "--budgets", "b.toml", "--junit", "b.toml"],
        ["import", "a.frag", "-o", "a.frag"],
    ):
        assert main(words) == 2
        assert "would be overwritten" in capsys.readouterr().err
    assert (tmp_path / "a.frag").read_text() == (tmp_path / "b.toml").read_text() == SHADER
