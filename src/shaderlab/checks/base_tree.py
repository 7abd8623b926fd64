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
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from shaderlab.errors import MissingTool, WrongUse
from shaderlab.system import process_group, resource_limits
from shaderlab.system.resource_limits import Exceeded
from shaderlab.system.scratch import TemporaryFolder

_DEADLINE_S = 300.0
_LOOK_S = 0.2
_MOST_FILES = 200_000
_MOST_BYTES = 2 << 30
"""Of the base's files together."""
_MOST_LISTED_BYTES = 64 << 20
_MOST_MEMORY = 8 << 30
"""Address space, most of it packs that git maps."""
_HARMLESS = ("core.fsmonitor=false", f"core.hooksPath={os.devnull}")
"""No program that the repository itself names is run."""
_QUIET = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "LC_ALL": "C",
    "GIT_ALLOW_PROTOCOL": "none",
}
"""Nothing is asked, written into the repository, or fetched from where its configuration points;
names of folders are no patterns, and what git says is in the words that are looked for below.  A
git too old for GIT_NO_LAZY_FETCH knows GIT_ALLOW_PROTOCOL, over which no configuration goes."""
_INCOMPLETE = ("promisor remote", "lazy fetching", "not allowed", "unable to read sha1 file")
"""What git, by its version, says of a file that a partial clone lacks and may not fetch."""
_LACKS_FILES = (
    "this clone is partial or damaged: it lacks files of the base, and --base does not fetch: run "
    "`git fetch --refetch --no-filter` first"
)
_MOST_SAID_BYTES = 64 << 10
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
    _git(["ls-tree", "-r", "-z", "--name-only", commit], root)  # ends, as trees in trees may not
    renamed = _renamed(commit, root, without)
    wanted = {"." if each == root else each.relative_to(root).as_posix()
              for each in {*(f.parent for f in files), *(f.resolve() for f in folders)}
              if each.is_relative_to(root)}  # fmt: skip
    wanted |= {str(Path(renamed[n]).parent) for f in files if (n := _inside(f, root)) in renamed}
    with TemporaryFolder() as temporary:
        folder = Path(temporary, "tree")
        folder.mkdir()
        _write_out(commit, sorted(wanted), root, folder, Path(temporary, "index"), without)
        yield BaseTree(root, folder, f"{revision} ({commit[:12]})", renamed)


def _inside(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else ""


def _commit(revision: str, root: Path) -> str:
    if revision.startswith("-") or not revision.isprintable():
        raise WrongUse(f"{revision[:80]!r} is not a revision")
    try:
        named = ["--end-of-options", f"{revision}^{{commit}}"]
        found = _git(["rev-parse", "--verify", "--quiet", *named], root).strip()
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
    listed = _git(["ls-tree", "-r", "-l", "-z", commit, "--", *folders], root)
    entries, bytes_ = [], 0
    for entry in filter(None, listed.split("\0")):
        about, _, name = entry.partition("\t")
        mode, kind, digest, size = about.split()
        if kind != "blob":
            continue  # a submodule
        if not size.isdecimal():
            raise WrongUse(_LACKS_FILES)
        entries.append(f"{mode} {kind} {digest}\t{name}\0")
        bytes_ += int(size)
    _check_room(len(entries), bytes_)
    if not entries:
        return
    # An index of these files alone: that of the whole revision may not end (trees in trees).
    own_index = {"GIT_INDEX_FILE": str(index)}
    into_index = ["update-index", "-z", "--index-info"]
    _git(into_index, root, environment=own_index, given="".join(entries))
    _git(
        ["checkout-index", "--all", "--quiet", f"--prefix={to}{os.sep}"],
        root,
        environment=own_index,
        settings=settings,
        writes=to,
    )
    _check_room(*_held(to))


def _check_room(count: int, bytes_: int) -> None:
    """Raise WrongUse for more than is written out."""
    if count > _MOST_FILES or bytes_ > _MOST_BYTES:
        raise WrongUse(
            "the base has too many files or too large ones; the limits are "
            f"{_MOST_FILES:,} files and {_MOST_BYTES >> 20:,} MiB in the shaders' folders, and "
            f"{_MOST_LISTED_BYTES >> 20} MiB of names in all: keep shaders in folders of their own"
        )


def _held(folder: Path) -> tuple[int, int]:
    """How many files are below a folder, and their bytes, as far as they can be looked at."""
    count, bytes_ = 0, 0
    for at, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                bytes_ += os.lstat(os.path.join(at, name)).st_size  # noqa: PTH118
            count += 1
    return count, bytes_


def _git(
    words: list[str],
    folder: Path,
    *,
    environment: dict[str, str] | None = None,
    given: str = "",
    settings: Sequence[str] = (),
    writes: Path | None = None,
) -> str:
    """What git prints.  `writes`: the folder it writes to, which is looked at meanwhile."""
    program = shutil.which("git")
    if program is None or not Path(program).is_absolute():  # Windows looks in this folder first
        raise MissingTool("git is not installed; --base needs it")
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    fixed = [word for each in (*_HARMLESS, *settings) for word in ("-c", each)]
    temporary = tempfile.TemporaryFile
    with temporary() as asked, temporary() as answer, temporary() as said:
        asked.write(given.encode(errors="surrogateescape"))
        asked.seek(0)
        with process_group.started(
            [program, "-c", "core.quotePath=false", *fixed, "-C", str(folder), *words],
            stdin=asked,
            stdout=answer,
            stderr=said,
            env={**inherited, **(environment or {}), **_QUIET},
        ) as git:
            resource_limits.bound(
                git.pid,
                cpu_s=int(2 * _DEADLINE_S),
                memory_bytes=_MOST_MEMORY,
                file_bytes=_MOST_BYTES if writes else _MOST_LISTED_BYTES,
            )
            code = _end(git, words[0], writes, answer.fileno())
        if code and resource_limits.exceeded(code) is Exceeded.FILE_SIZE:
            _check_room(0, _MOST_BYTES + 1)
        answer.seek(0)
        said.seek(0)
        if code:
            _fail(words[0], code, said.read(_MOST_SAID_BYTES).decode(errors="replace"))
        return answer.read(_MOST_LISTED_BYTES).decode(errors="surrogateescape")


def _end(git: subprocess.Popen[bytes], word: str, writes: Path | None, answer: int) -> int:
    """Its exit status.  Raises WrongUse where it takes too long or writes too much."""
    end, pause_s = time.monotonic() + _DEADLINE_S, _LOOK_S
    while (left := end - time.monotonic()) > 0:
        try:
            return git.wait(min(left, pause_s))
        except subprocess.TimeoutExpired:
            begin = time.monotonic()
            if os.fstat(answer).st_size > _MOST_LISTED_BYTES:
                _check_room(_MOST_FILES + 1, 0)
            if writes:
                _check_room(*_held(writes))
            pause_s = max(_LOOK_S, 4 * (time.monotonic() - begin))
    raise WrongUse(f"git {word} took longer than {_DEADLINE_S:.0f} s")


def _fail(word: str, code: int, said: str) -> NoReturn:
    said = " ".join(said.split())[:300]
    if any(each in said for each in _INCOMPLETE):
        raise WrongUse(_LACKS_FILES)
    raise WrongUse(f"git {word} failed: {said or f'exit code {code}'}")
