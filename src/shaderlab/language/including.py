"""What included files declare."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from shaderlab import files
from shaderlab.errors import ShaderlabError
from shaderlab.language.syntax import Language, Syntax

_LARGEST = 1 << 20
"""Bytes of an included file that is looked into."""


def included(
    paths: Iterable[str], language: Language, known: Mapping[str, Syntax]
) -> dict[str, Syntax]:
    """By path, the syntax of the files that a text includes; `known`: of earlier contents.

    Files that cannot be read are left out: the compiler says what is wrong with them.
    """
    read = {}
    for path in paths:
        try:
            text = files.read_bytes(Path(path), _LARGEST).decode(errors="replace")
        except ShaderlabError:
            continue
        before = known.get(path)
        is_same = before is not None and before.language is language
        read[path] = before.edited(text) if before and is_same else Syntax(text, language)
    return read
