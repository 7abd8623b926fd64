"""Every path that any command reads: pipes, devices, endless files and folders are refused at once.

The commands and their options are taken from the parser, so that a new one is either tried here or
listed below with what it does.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from shaderlab.cli import parser
from tests.integration.cli.test_hostile_files import answers

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there are no named pipes")

SHADER = "uniform sampler2D tex; void mainImage(out vec4 c, in vec2 p) { c = texture(tex, p); }"
KERNEL = """#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { float data[]; };
void main() { data[gl_GlobalInvocationID.x] = 1.0; }
"""
WRITTEN = {
    *("output", "lcov", "save", "to", "work", "bundle", "stream", "markdown", "sarif", "junit"),
}
"""Options that name what is written; `test_full_disk` has those."""
NO_PATHS = {"what", "axes", "family", "action", "over", "malioc", "rga"}
"""Arguments that name no file to read; `malioc` and `rga` name programs to run."""
WINDOWS = {"open"}
"""Commands that open a window, where `tests/integration/app` opens what is hostile."""
NAMED_FILES = {
    "texture": "tex={}",
    "textures": "tex={}",
    "buffers": "Data={}",
    "geometry": "{}.glb",
}
"""Options whose values are more than the file's name."""
EXTRA = {
    ("check",): ["--budget", "llvmpipe=1s"],
    ("scale", "samples"): ["--over", "clock"],
    ("campaign",): ["--to", "s.db", "--limit", "1"],
    ("campaign", "beside"): ["--balance"],
    ("capture",): ["--device", "llvmpipe"],
}
GIVEN = {
    "file": "a.frag", "files": "a.frag", "words": "a.frag", "output": "out", "to": "s.db",
    "axes": "F=1,2", "family": "navi23", "what": "status", "path": "few.jsonl",
    "paths": "few.jsonl", "over": "size", "source": "few.jsonl", "corpus": "corpus",
}  # fmt: skip
"""Sound values of what a command cannot do without."""
INSTEAD = {"programs": "corpus"}
"""Options that stand in the place of an argument."""
KINDS = ("pipe", "endless", "sparse", "folder", "loop", "missing")
SHARED = ("textures", "buffers", "geometry", "vertex", "project", "search")
"""Options of `cli.options`, which one function reads for all commands: each command tries one of
them, the next command another, and `inputs` all."""


NOT_SHARED = {("compile",), ("compiled",), ("record",)}
"""Commands that do not read those, ask all vendors' compilers first, or take no vertex shader."""
QUICK = ("import", "dataset", "campaign", "check")
"""Commands that read what they are given before they start anything."""


def commands(of: argparse.ArgumentParser, words: tuple[str, ...] = ()) -> Iterator[tuple]:
    """Words and parser of each command, those within a command too."""
    inner = [each for each in of._actions if isinstance(each, argparse._SubParsersAction)]
    if not inner:
        yield words, of
    for each in inner:
        for name, its in each.choices.items():
            yield from commands(its, (*words, name))


def names_a_file(action: argparse.Action) -> bool:
    """Or may: an argument without an option, a path, or what is described as one."""
    shown = action.metavar if isinstance(action.metavar, str) else ""
    return (
        action.type is Path
        or not action.option_strings
        or action.dest in ("geometry", "search", *NAMED_FILES)
        or any(word in shown for word in ("FILE", "PATH", "DIR", "FOLDER", "F."))
    )


def call(words: tuple[str, ...], of: argparse.ArgumentParser, tried: argparse.Action) -> list[str]:
    """A whole call, with `{}` where the path stands that is tried."""
    made, value = list(words), NAMED_FILES.get(tried.dest, "{}")
    for action in of._actions:
        # That `check` needs shaders is no rule that argparse knows from Python 3.13 on.
        is_needed = action.required or action.dest in ("corpus", "words")
        if action is tried:
            made += [*action.option_strings[:1], value]
        elif is_needed and INSTEAD.get(tried.dest) != action.dest:
            is_kernel = tried.dest == "buffers" and action.dest in ("file", "files", "words")
            given = "a.comp" if is_kernel else GIVEN[action.dest]
            made += [*action.option_strings[:1], given]
    return made + EXTRA.get(words, []) + EXTRA.get((*words, tried.dest), [])


def calls() -> Iterator[tuple[list[str], str]]:
    """Each with the kind of path it is given: a pipe, and others where that is quick."""
    turn = 0
    for number, (words, of) in enumerate(commands(parser._parser(""))):
        if words[0] in WINDOWS:
            continue
        every = words == ("inputs",)
        shared = SHARED if every else () if words in NOT_SHARED else SHARED[number % len(SHARED)]
        for action in of._actions:
            if action.dest in WRITTEN | NO_PATHS or not names_a_file(action):
                continue
            if action.dest in SHARED and action.dest not in shared:
                continue
            turn += 1
            other = KINDS[1 + turn % (len(KINDS) - 1)]
            kinds = ("pipe", other) if every or words[0] in QUICK else ("pipe",)
            for kind in (other,) if action.dest in SHARED and not every else kinds:
                yield call(words, of, action), kind


ALL = list(calls())


def test_every_command_that_takes_a_path_is_tried() -> None:
    tried = {(words[0], words[1] if words[0] == "dataset" else "") for words, _ in ALL}
    for name in ("sweep", "explore", "report", "record", "predict", "check", "capture", "scale"):
        assert (name, "") in tried
    for name in ("merge", "stats", "validate", "export", "review", "publish", "pull"):
        assert ("dataset", name) in tried


@pytest.mark.parametrize("part", range(2))
def test_what_is_no_plain_file_is_refused_in_a_line(part: int, tmp_path: Path) -> None:
    for name in ("corpus", "folder"):
        (tmp_path / name).mkdir()
    for path in ("a.frag", "corpus/a.frag"):
        (tmp_path / path).write_text(SHADER)
    (tmp_path / "a.comp").write_text(KERNEL)
    (tmp_path / "few.jsonl").write_text("")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "endless").symlink_to("/dev/zero")
    (tmp_path / "loop").symlink_to("loop")
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(1 << 40)
    for kind in KINDS[:-1]:
        (tmp_path / f"{kind}.glb").symlink_to(kind)
    mine = ALL[part::2]
    made = [[word.replace("{}", kind) for word in words] for words, kind in mine]
    faults = []
    for words, (_, kind), (code, said) in zip(made, mine, answers(made, tmp_path), strict=True):
        may_be_read = kind == "folder" and code in (0, 1)  # folders of shaders, or of data
        is_told = code in (1, 2) and kind in said and "Traceback" not in said
        is_usage = "usage:" in said  # of `-I`, which takes a folder
        if not (is_told or may_be_read) or (len(said.splitlines()) > 2 and not is_usage):
            faults.append(f"{' '.join(words)}: {code}: {json.dumps(said[:300])}")
    assert not faults, "\n".join(faults)
