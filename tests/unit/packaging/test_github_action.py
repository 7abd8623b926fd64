"""The action's last step: which arguments the inputs become, and that its verdict is check's."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "packaging/github-action/check.sh"

pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or not shutil.which("bash") or not shutil.which("git"),
    reason="bash and git are not installed",
)

FAKE = """\
#!/usr/bin/env bash
printf '%s\\n' "$@" >"$RUNNER_TEMP/words"
while [ $# -gt 0 ]; do
  [ "$1" != --markdown ] || echo summary >"$2"
  shift
done
echo '{}'
exit "${CODE:-0}"
"""


def run(folder: Path, **inputs: str) -> tuple[list[str], int]:
    fake = folder / "shaderlab"
    fake.write_text(FAKE)
    fake.chmod(0o755)
    own = {"RUNNER_TEMP": str(folder), "SHADERLAB": str(fake)}
    own |= {name: str(folder / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    done = subprocess.run(
        ["bash", SCRIPT], cwd=folder, env={**os.environ, **own, **inputs}, capture_output=True,
        timeout=60,
    )  # fmt: skip
    words = folder / "words"
    return words.read_text().splitlines() if words.exists() else [], done.returncode


def test_inputs_become_arguments_and_nothing_else(tmp_path: Path) -> None:
    paths = "shaders/**/*.frag\n\n$(touch made) && x y\n"
    words, code = run(
        tmp_path, PATHS=paths, BUDGETS="b.toml", SARIF="s.sarif", JUNIT="", MORE="--size\n64x48"
    )
    assert code == 0
    assert words[words.index("--") :] == ["--", "shaders/**/*.frag", "$(touch made) && x y"]
    assert not (tmp_path / "made").exists()
    assert words[:6] == [
        "check", "--device", "llvmpipe", "--json", "--budgets=b.toml", "--sarif=s.sarif",
    ]  # fmt: skip
    assert not any(word.startswith("--junit") for word in words)
    assert words[words.index("--size") + 1] == "64x48"
    assert (tmp_path / "GITHUB_STEP_SUMMARY").read_text() == "summary\n"
    assert (tmp_path / "GITHUB_OUTPUT").read_text() == f"json={tmp_path}/shaderlab.json\n"


def test_a_failed_check_fails_the_step_and_still_has_its_summary(tmp_path: Path) -> None:
    _, code = run(tmp_path, CODE="1")
    assert code == 1
    assert (tmp_path / "GITHUB_STEP_SUMMARY").read_text() == "summary\n"


def test_a_base_that_is_here_is_not_fetched(tmp_path: Path) -> None:
    identity = {f"GIT_{role}_{what}": "a@example.org"
                for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}  # fmt: skip
    for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "one"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True, env={**os.environ, **identity})
    words, code = run(tmp_path, PULL_REQUEST_BASE="HEAD")
    assert code == 0
    assert "--base=HEAD" in words


@pytest.mark.parametrize(
    "base",
    ["--upload-pack=touch made", "-f", "+main", "main:other", "refs/heads/*", "a b", "main^{/x}"],
)
def test_a_base_that_is_no_name_of_a_revision_is_refused(tmp_path: Path, base: str) -> None:
    for command in (["init", "-q"], ["remote", "add", "origin", str(tmp_path)]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    words, code = run(tmp_path, BASE=base)
    assert code == 2
    assert words == []
    assert not (tmp_path / "made").exists()
