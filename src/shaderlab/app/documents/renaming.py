"""Renames a symbol in other files that use it too, and undoes that."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from shaderlab.app.documents import document
from shaderlab.app.documents.document import Document
from shaderlab.errors import ShaderlabError, WrongUse
from shaderlab.language.references import renamed, uses_elsewhere
from shaderlab.language.syntax import Language, Place, Syntax


@dataclass(frozen=True)
class OtherFile:
    """A file as it is on the disk, and where it uses the name."""

    document: Document
    syntax: Syntax
    places: tuple[Place, ...]

    @property
    def path(self) -> Path:
        assert self.document.path is not None, "it was read from there"
        return self.document.path

    @property
    def text(self) -> str:
        return self.syntax.text


@dataclass(frozen=True)
class Written:
    """A file's text before it was written, and after."""

    document: Document
    before: str
    after: str


def files_using(
    paths: Iterable[Path], name: str, language: Language, own: Path | None
) -> list[OtherFile]:
    """Those of the files that use the name outside their functions, each once and without `own`.

    Reads them from the disk.  Files that are not text are skipped.
    """
    found: dict[Path, OtherFile] = {}
    seen = {own.resolve()} if own is not None else set[Path]()
    for path in (path.resolve() for path in paths):  # includes are named without links
        if path in seen:
            continue
        seen.add(path)
        try:
            opened, text = document.read(path)
        except ShaderlabError:
            continue
        syntax = Syntax(text, language)
        if places := uses_elsewhere(syntax, name):
            found[path] = OtherFile(opened, syntax, tuple(places))
    return list(found.values())


def rename_in(others: Sequence[OtherFile], old: str, new: str) -> list[Written]:
    """Write the files with the new name: all of them or none.

    Raises WrongUse where one is not what it was, or cannot be written.
    """
    return _write(
        [
            Written(each.document, each.text, renamed(each.text, each.places, old, new))
            for each in others
        ]
    )


def take_back(written: Sequence[Written]) -> None:
    """Write what the files had before: all of them or none.  Raises WrongUse as `rename_in`."""
    _write([Written(each.document, each.after, each.before) for each in written])


def _write(changes: Sequence[Written]) -> list[Written]:
    for each in changes:
        _, now = document.read(_path(each))
        if now != each.before:
            raise WrongUse(f"{each.document.name} has changed on disk; no file was changed")
    done: list[Written] = []
    try:
        for each in changes:
            opened = document.write(each.document, each.after, _path(each))
            done.append(Written(opened, each.before, each.after))
    except ShaderlabError as error:
        for each in done:
            document.write(each.document, each.before, _path(each))
        raise WrongUse(f"{error}; no file was changed") from None
    return done


def _path(change: Written) -> Path:
    assert change.document.path is not None, "it was read from there"
    return change.document.path
