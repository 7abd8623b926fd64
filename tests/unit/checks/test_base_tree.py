"""The base out of a real repository."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from shaderlab.checks import base_tree
from shaderlab.errors import MissingTool, WrongUse

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(folder: Path, *words: str) -> None:
    identity = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    for role in ("AUTHOR", "COMMITTER"):
        identity |= {f"GIT_{role}_NAME": "a", f"GIT_{role}_EMAIL": "a@example.org"}
    subprocess.run(
        ["git", "-C", str(folder), *words], check=True, capture_output=True,
        env={**os.environ, **identity},
    )  # fmt: skip


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository with spaces"
    (root / "shaders/parts").mkdir(parents=True)
    (root / "other").mkdir()
    (root / "shaders/a.frag").write_text("old")
    (root / "shaders/parts/noise.glsl").write_text("old part")
    (root / "shaders/moved.frag").write_text("moved\n" * 20)
    (root / "other/b.txt").write_text("not needed")
    (root / ".gitattributes").write_text("*.glsl export-ignore\n")
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "one")
    (root / "shaders/a.frag").write_text("new")
    (root / "shaders/parts/noise.glsl").write_text("new part")
    git(root, "mv", "shaders/moved.frag", "shaders/renamed.frag")
    (root / "shaders/added.frag").write_text("added")
    return root


def test_the_base_has_the_old_texts_with_their_includes(repository: Path) -> None:
    before = sorted(path for path in repository.rglob("*") if ".git" not in path.parts)
    names = ("a.frag", "renamed.frag", "added.frag")
    paths = [repository / "shaders" / name for name in names]
    with base_tree.written("HEAD", paths, []) as tree:
        a, moved, added = map(tree.path, paths)
        assert a is not None
        assert moved is not None
        assert added is not None
        assert a.read_text() == "old"
        assert (a.parent / "parts/noise.glsl").read_text() == "old part"
        assert moved.read_text().startswith("moved")
        assert not added.exists()
        assert not (tree.folder / "other").exists()
        assert tree.path(Path("/elsewhere/a.frag")) is None
        assert tree.revision.startswith("HEAD (")
    assert not tree.folder.exists()
    assert before == sorted(path for path in repository.rglob("*") if ".git" not in path.parts)
    assert (repository / "shaders/a.frag").read_text() == "new"


@pytest.mark.parametrize("revision", ["nowhere", "--output=x", "", "HEAD~9"])
def test_a_revision_that_is_not_there(repository: Path, revision: str) -> None:
    with (
        pytest.raises(WrongUse, match="revision"),
        base_tree.written(revision, [repository / "shaders/a.frag"], []),
    ):
        pass


def test_outside_a_repository(tmp_path: Path) -> None:
    with (
        pytest.raises(WrongUse, match=r"git rev-parse failed: .*not a git repository"),
        base_tree.written("HEAD", [tmp_path / "a.frag"], []),
    ):
        pass


@pytest.mark.skipif(os.name == "nt", reason="the program is a shell script")
@pytest.mark.parametrize("variable", ["GIT_NO_LAZY_FETCH", "GIT_ALLOW_PROTOCOL"])
def test_a_partial_clone_fetches_nothing(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    """Each of the two variables would do."""
    monkeypatch.setattr(base_tree, "_QUIET", {variable: base_tree._QUIET[variable]})
    git(repository, "config", "uploadpack.allowFilter", "true")
    git(repository, "commit", "-q", "-a", "-m", "two")
    clone, ran = tmp_path / "clone", tmp_path / "ran"
    git(tmp_path, "clone", "-q", "--filter=blob:none", repository.as_uri(), str(clone))
    program = tmp_path / "program"
    program.write_text(f'#!/bin/sh\ntouch {ran}\nexec git-upload-pack "$@"\n')
    program.chmod(0o755)
    git(clone, "config", "remote.origin.uploadpack", str(program))
    git(clone, "config", "protocol.file.allow", "always")
    with (
        pytest.raises(WrongUse, match="partial or damaged: it lacks"),
        base_tree.written("HEAD~1", [clone / "shaders/a.frag"], []),
    ):
        pass
    assert not ran.exists()
    monkeypatch.undo()
    with base_tree.written("HEAD", [clone / "shaders/a.frag"], []) as tree:
        assert (tree.folder / "shaders/a.frag").read_text() == "new"


@pytest.mark.skipif(os.name == "nt", reason="the programs are shell scripts")
def test_no_program_that_the_repository_names_is_run(repository: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho $0 >> '{ran}'\ncat\n")
    program.chmod(0o755)
    (repository / ".git/hooks").mkdir(exist_ok=True)
    shutil.copy(program, repository / ".git/hooks/post-index-change")
    (repository / ".gitattributes").write_text("*.frag filter=theirs diff=theirs\n")
    git(repository, "commit", "-q", "-a", "--no-verify", "-m", "two")
    for key in ("filter.theirs.smudge", "filter.theirs.clean", "diff.theirs.textconv",
                "diff.external", "core.fsmonitor"):  # fmt: skip
        git(repository, "config", key, str(program))
    git(repository, "config", "filter.theirs.required", "true")
    ran.unlink(missing_ok=True)
    (repository / "shaders/a.frag").write_text("newer still")
    path = repository / "shaders/a.frag"
    with base_tree.written("HEAD", [path], []) as tree:
        at = tree.path(path)
        assert at is not None
        assert at.read_text() == "new"
    assert not ran.exists(), ran.read_text()


def test_a_git_in_the_folder_of_the_shaders_is_not_run(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / "git").write_text("#!/bin/sh\ntouch ran\n")
    (repository / "git").chmod(0o755)
    monkeypatch.chdir(repository)
    monkeypatch.setenv("PATH", os.curdir)
    with pytest.raises(MissingTool), base_tree.written("HEAD", [Path("shaders/a.frag")], []):
        pass
    assert not (repository / "ran").exists()


def test_names_of_folders_are_neither_options_nor_patterns(repository: Path) -> None:
    named = [repository / name / "a.frag" for name in ("-rd", ":(exclude)shaders", "s*", "")]
    for path in named:
        path.parent.mkdir(exist_ok=True)
        path.write_text("odd")
    git(repository, "--literal-pathspecs", "add", "--", ".")
    git(repository, "commit", "-q", "-m", "odd")
    for path in named:
        with base_tree.written("HEAD", [path], []) as tree:
            found = tree.path(path)
            assert found is not None
            assert found.read_text() == "odd"
            if path.parent != repository:
                assert not (tree.folder / "shaders").exists()


def test_a_tree_of_trees_without_end_is_refused(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten trees in each of ten levels: of 10 KB, and 10^10 files."""
    monkeypatch.setattr(base_tree, "_MOST_LISTED_BYTES", 4 << 20)
    (repository / "shaders/a.frag").write_text("")
    inner = _written(repository, ["hash-object", "-w", "--stdin"], "")
    entry = "100644 blob"
    for _ in range(10):
        lines = "".join(f"{entry} {inner}\t{n}.frag\n" for n in range(10))
        inner, entry = _written(repository, ["mktree"], lines), "040000 tree"
    tree = _written(repository, ["mktree"], f"{entry} {inner}\tshaders\n")
    bomb = _written(repository, ["commit-tree", tree, "-m", "bomb"], "")
    with (
        pytest.raises(WrongUse, match="keep shaders in folders of their own"),
        base_tree.written(bomb, [repository / "shaders/a.frag"], []),
    ):
        pass


@pytest.mark.parametrize(
    ("does", "message"),
    [
        ("cat; head -c 20000000 /dev/zero", "keep shaders in folders of their own"),
        ("sleep 60", "took longer than 1 s"),
    ],
)
def test_what_a_filter_of_the_users_makes_of_the_files_is_bounded_while_it_is_written(
    repository: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, does: str, message: str
) -> None:
    monkeypatch.setattr(base_tree, "_MOST_BYTES", 4 << 20)
    if "sleep" in does:
        monkeypatch.setattr(base_tree, "_DEADLINE_S", 1.0)
    (tmp_path / ".gitconfig").write_text(f'[filter "grow"]\n\tsmudge = "{does}"\n')
    monkeypatch.setenv("HOME", str(tmp_path))
    (repository / ".gitattributes").write_text("*.frag filter=grow\n")
    with (
        pytest.raises(WrongUse, match=message),
        base_tree.written("HEAD", [repository / "shaders/a.frag"], []),
    ):
        pass


def _written(folder: Path, words: list[str], given: str) -> str:
    identity = {f"GIT_{role}_{what}": "a@example.org"
                for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}  # fmt: skip
    return subprocess.run(
        ["git", "-C", str(folder), *words], input=given, check=True, capture_output=True,
        text=True, env={**os.environ, **identity},
    ).stdout.strip()  # fmt: skip
