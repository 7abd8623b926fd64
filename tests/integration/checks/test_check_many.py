"""`check` as a build server runs it: a repository, budgets, a base, reports, all twice."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

LOOP = """\
#include "parts/noise.glsl"
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    float sum = 0.0;
    for (int i = 0; i < 300; i++) {
        sum += noise(fragCoord * float(i));
    }
    fragColor = vec4(sum);
}
"""
NOISE = """\
float noise(vec2 p) {
    return fract(sin(dot(p, vec2(12.9, 78.2))) * 43758.5);
}
"""
FLAT = "void mainImage(out vec4 c, in vec2 p) { c = vec4(p.x); }\n"
BUDGETS = """\
format = 1
files = ["shaders"]

[[budget]]
targets = {rtx3060 = "10ms", uhd630 = "1s"}
max_increase = "20%"

[[budget]]
files = ["shaders/flat.frag"]
targets = {rtx3060 = "1us"}
"""


def git(folder: Path, *words: str) -> None:
    identity = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    for role in ("AUTHOR", "COMMITTER"):
        identity |= {f"GIT_{role}_NAME": "a", f"GIT_{role}_EMAIL": "a@example.org"}
    subprocess.run(
        ["git", "-C", str(folder), *words], check=True, capture_output=True,
        env={**os.environ, **identity},
    )  # fmt: skip


def check(folder: Path, *words: str, code: int) -> bytes:
    run = subprocess.run(
        [sys.executable, "-m", "shaderlab", "check", *words, "--json", "--size", "256x192",
         "--device", "llvmpipe"],
        capture_output=True, timeout=250, cwd=folder,
        env={**os.environ, "XDG_CACHE_HOME": str(folder.parent / "cache")},
    )  # fmt: skip
    assert run.returncode == code, run.stderr.decode()
    return run.stdout


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("work") / "repository"
    (root / "shaders/parts").mkdir(parents=True)
    (root / "shaders/loop.frag").write_text(LOOP)
    (root / "shaders/parts/noise.glsl").write_text(NOISE)
    (root / "shaders/flat.frag").write_text(FLAT)
    (root / "budgets.toml").write_text(BUDGETS)
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "one")
    # Only an include changes: its cost is the include's, not the shader's own.
    (root / "shaders/parts/noise.glsl").write_text(
        NOISE.replace("return fract", "for (int k = 0; k < 9; k++) p = fract(sin(p) * 91.7);\n"
                      "    return fract")
    )  # fmt: skip
    (root / "shaders/broken.frag").write_text(
        "void mainImage(out vec4 c, in vec2 p) {\n  c = x;\n}"
    )
    return root


def test_a_repository_is_checked_twice_with_the_same_bytes(repository: Path) -> None:
    reports = ["--markdown", "../out.md", "--sarif", "../out.sarif", "--junit", "../out.xml"]
    first = check(repository, "--budgets", "budgets.toml", "--base", "HEAD", *reports, code=1)
    again = check(repository, "--budgets", "budgets.toml", "--base", "HEAD", code=1)
    anew = check(repository, "--budgets", "budgets.toml", "--base", "HEAD", "--no-cache", code=1)
    assert first == again == anew
    data = json.loads(first)
    assert not data["ok"]
    verdicts = {(each["file"], each["target"]): each for each in data["checks"]}
    loop = verdicts["shaders/loop.frag", "rtx3060"]
    assert loop["verdict"] == "slower than the base"
    assert loop["change"]["ratio"] > 1.2
    assert loop["change"]["causes"][0]["file"] == "parts/noise.glsl"
    assert "91.7" in loop["change"]["causes"][0]["text"]
    flat = verdicts["shaders/flat.frag", "rtx3060"]
    assert (flat["verdict"], flat["change"]["ratio"], flat["change"]["causes"]) == (
        "over budget", 1.0, [],
    )  # fmt: skip
    assert verdicts["shaders/flat.frag", "uhd630"]["verdict"] == "within budget"
    (broken,) = [each for each in data["files"] if each["error"]]
    assert broken["file"] == "shaders/broken.frag"
    assert broken["problems"][0]["line"] == 2

    folder = repository.parent
    assert "<code>shaders/loop.frag</code>" in (folder / "out.md").read_text()
    results = json.loads((folder / "out.sarif").read_text())["runs"][0]["results"]
    assert sorted({each["ruleId"] for each in results}) == [
        "no-forecast", "over-budget", "slower-than-base",
    ]  # fmt: skip
    suites = ET.fromstring((folder / "out.xml").read_bytes())
    assert suites.get("errors") == "1"

    # The answer itself is a baseline.
    (folder / "base.json").write_bytes(first)
    same = json.loads(check(repository, "shaders/loop.frag", "--target", "rtx3060", "--baseline",
                            "../base.json", "--max-increase", "1%", code=0))  # fmt: skip
    assert [each["change"]["ratio"] for each in same["checks"]] == [1.0]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["shaders", "--budgets", "none.toml"], "none.toml"),
        (["shaders/flat.frag"], "no targets are named"),
        (["shaders/flat.frag", "--budget", "rtx9999=1ms"], "no target is called"),
        (
            ["shaders/flat.frag", "--target", "rtx3060", "--baseline", "budgets.toml"],
            "not a baseline",
        ),
    ],
)
def test_wrong_use_ends_with_2(repository: Path, words: list[str], said: str) -> None:
    assert said in json.loads(check(repository, *words, code=2))["error"]
