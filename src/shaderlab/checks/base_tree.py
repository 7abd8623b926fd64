"""The base's files: those of a git revision, written into a folder with the same paths.

Taken from the revision itself, so that includes, projects and images are the base's too; neither
the working tree nor the user's index or worktrees are touched.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from shaderlab.errors import MissingTool, WrongUse

_DEADLINE_S = 300.0
_MOST_FILES = 200_000
_HARMLESS = ("core.fsmonitor=false", f"core.hooksPath={os.devnull}")
"""No program that the repository itself names is run."""
_QUIET = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
}
"""Nothing is asked, written into the repository, or fetched from where its configuration points.  A
git too old for GIT_NO_LAZY_FETCH knows GIT_ALLOW_PROTOCOL, over which no configuration goes."""
_INCOMPLETE = ("promisor remote", "lazy fetching", "not allowed", "unable to read sha1 file")
"""What git, by its version, says of a file that a partial clone lacks and may not fetch."""
_FILTERS = r"^filter\..*\.(clean|smudge|process)$"
_USERS_OWN = ("system", "global", "command")


@dataclass(frozen=True)
class BaseTree:
    """Part of a revision, written out."""

    root: Path
    """Of the user's working tree, resolved."""
    folder: Path
    """That the same paths lie below."""
    revision: str
    """What was asked for, and the commit it is: `main (1a2b3c4d5e6f)`."""
    renamed: dict[str, str]
    """Old path by new path, from the root."""

    def path(self, path: Path) -> Path | None:
        """Where the base's version of a file or folder would lie; None outside the repository."""
        try:
            inside = path.resolve().relative_to(self.root).as_posix()
        except ValueError:
            return None
        return self.folder / self.renamed.get(inside, inside)


@contextmanager
def written(revision: str, paths: Iterable[Path], folders: Iterable[Path]) -> Iterator[BaseTree]:
    """The base of `paths`: all below their folders, and below `folders`, as of the revision.

    Raises WrongUse outside a repository, for a revision there is not and where git fails,
    MissingTool without git.
    """
    files = [each.resolve() for each in paths]
    at = files[0].parent if files else Path.cwd()
    root = Path(_git(["rev-parse", "--show-toplevel"], at).strip())
    commit = _commit(revision, root)
    without = _without_filters(root)
    renamed = _renamed(commit, root, without)
    wanted = {"." if each == root else each.relative_to(root).as_posix()
              for each in {*(f.parent for f in files), *(f.resolve() for f in folders)}
              if each.is_relative_to(root)}  # fmt: skip
    wanted |= {str(Path(renamed[n]).parent) for f in files if (n := _inside(f, root)) in renamed}
    with tempfile.TemporaryDirectory(prefix="shaderlab-base-") as temporary:
        folder = Path(temporary, "tree")
        folder.mkdir()
        _write_out(commit, sorted(wanted), root, folder, Path(temporary, "index"), without)
        yield BaseTree(root, folder, f"{revision} ({commit[:12]})", renamed)


def _inside(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else ""


def _commit(revision: str, root: Path) -> str:
    if revision.startswith("-") or not revision.isprintable():
        raise WrongUse(f"not a revision: {revision[:80]!r}")
    try:
        found = _git(["rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}"], root).strip()
    except WrongUse:
        found = ""
    if not re.fullmatch(r"[0-9a-f]{40,64}", found):
        raise WrongUse(
            f"git has no revision {revision[:80]!r} here; a shallow clone lacks other revisions: "
            "fetch it first"
        )
    return found


def _without_filters(root: Path) -> list[str]:
    """Settings that switch off the filters which the repository's own configuration defines: those
    of a folder someone else made run what it says.  The user's, such as Git LFS, stay."""
    words = ["config", "--null", "--show-scope", "--name-only", "--get-regexp", _FILTERS]
    try:
        listed = _git(words, root).split("\0")
    except WrongUse:  # as where there are none
        return []
    pairs = zip(listed[::2], listed[1::2], strict=False)
    names = {name.rpartition(".")[0] for scope, name in pairs if scope not in _USERS_OWN}
    if odd := next((name for name in names if "=" in name), ""):
        raise WrongUse(f"the repository's configuration has a filter with an odd name: {odd[:80]}")
    return [f"{name}.{key}" for name in sorted(names) for key in ("process=", "required=false")]


def _renamed(commit: str, root: Path, settings: Sequence[str]) -> dict[str, str]:
    """Old path by new path; of files git sees as moved between the commit and the working tree."""
    listed = _git(
        [
            "diff",
            "--no-ext-diff",
            "--no-textconv",
            "--name-status",
            "--find-renames",
            "--diff-filter=R",
            "-z",
            commit,
            "--",
        ],
        root,
        settings=settings,
    )
    words = listed.split("\0")
    return {words[n + 2]: words[n + 1] for n in range(0, len(words) - 2, 3)}


def _write_out(
    commit: str, folders: list[str], root: Path, to: Path, index: Path, settings: Sequence[str]
) -> None:
    listed = _git(["ls-tree", "-r", "-z", "--name-only", commit, "--", *folders], root)
    names = [name for name in listed.split("\0") if name]
    if len(names) > _MOST_FILES:
        raise WrongUse(
            f"the shaders' folders hold {len(names):,} files at the base; the limit is "
            f"{_MOST_FILES:,}: keep shaders in folders of their own"
        )
    if not names:
        return
    own_index = {"GIT_INDEX_FILE": str(index)}
    _git(["read-tree", commit], root, environment=own_index)
    _git(
        ["checkout-index", "--quiet", "-z", "--stdin", f"--prefix={to}{os.sep}"],
        root,
        environment=own_index,
        given="\0".join(names) + "\0",
        settings=settings,
    )


def _git(
    words: list[str],
    folder: Path,
    *,
    environment: dict[str, str] | None = None,
    given: str = "",
    settings: Sequence[str] = (),
) -> str:
    program = shutil.which("git")
    if program is None or not Path(program).is_absolute():  # Windows looks in this folder first
        raise MissingTool("git is not installed; --base needs it")
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    fixed = [word for each in (*_HARMLESS, *settings) for word in ("-c", each)]
    try:
        run = subprocess.run(
            [program, "-c", "core.quotePath=false", *fixed, "-C", str(folder), *words],
            input=given.encode(errors="surrogateescape"),
            capture_output=True,
            timeout=_DEADLINE_S,
            env={**inherited, **(environment or {}), **_QUIET},
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise WrongUse(f"git {words[0]} took longer than {_DEADLINE_S:.0f} s") from None
    if run.returncode:
        said = " ".join(run.stderr.decode(errors="replace").split())[:300]
        if any(each in said for each in _INCOMPLETE):
            raise WrongUse(
                "this clone is partial or damaged: it lacks files of the base, and --base "
                "does not fetch: run `git fetch --refetch --no-filter` first"
            )
        raise WrongUse(f"git {words[0]} failed: {said or f'exit code {run.returncode}'}")
    return run.stdout.decode(errors="surrogateescape")
