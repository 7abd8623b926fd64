"""What the editor knows of its text: completions, definitions, the outline.

The tree of the text is brought up to date when something is asked, not with each key press.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.qt import QObject
from shaderlab.language.builtins import Builtins, builtins
from shaderlab.language.completion import Completion, completions
from shaderlab.language.including import included
from shaderlab.language.outline import Part, outline
from shaderlab.language.references import (
    can_rename,
    definition,
    is_shared,
    name_at,
    references,
)
from shaderlab.language.signatures import Signature, signature
from shaderlab.language.symbols import Symbol
from shaderlab.language.syntax import Language, Place, Syntax

_LARGEST_UNASKED = 200_000
"""Characters of a text that is parsed without being asked: a whole parse of it takes some 60 ms."""


class Assistant(QObject):
    """Answers for the text of one editor."""

    def __init__(self, editor: Editor):
        super().__init__(editor)
        self._editor = editor
        self._syntax = Syntax("", Language.GLSL)
        self._parts: tuple[Syntax, list[Part]] = self._syntax, []
        self._included: dict[str, Syntax] = {}

    def read_as(self, language: Language) -> None:
        """Take the text for one in this language from now on."""
        if language is not self._syntax.language:
            self._syntax = Syntax(self._editor.text, language)

    def look_into(self, paths: Iterable[str]) -> None:
        """Know of what these included files declare, by their paths."""
        self._included = included(paths, self._syntax.language, self._included)

    @property
    def may_look(self) -> bool:
        """Whether the text is short enough to be parsed while the user does something else."""
        return len(self._editor.text) <= _LARGEST_UNASKED

    @property
    def syntax(self) -> Syntax:
        """Of the text as it stands."""
        self._syntax = self._syntax.edited(self._editor.text)
        return self._syntax

    @property
    def table(self) -> Builtins:
        return builtins(self._syntax.language)

    @property
    def included(self) -> Mapping[str, Syntax]:
        return self._included

    def completions(self) -> list[Completion]:
        """What fits at the caret, best first."""
        return completions(self.syntax, self._caret, self._included)

    def signature(self) -> Signature | None:
        """Of the call the caret stands in."""
        return signature(self.syntax, self._caret, self._included)

    def name_at(self, place: Place | None = None) -> str:
        return name_at(self.syntax, place or self._caret)

    def definition(self, place: Place | None = None) -> Symbol | None:
        """What declares the name at a place, else at the caret."""
        return definition(self.syntax, place or self._caret, self._included)

    def references(self) -> list[Place]:
        """Every use of the name at the caret, its declaration among them."""
        return references(self.syntax, self._caret, self._included)

    def can_rename(self, name: str, others: Mapping[str, Syntax] | None = None) -> str:
        """Why the name at the caret cannot become `name`, here and in other files that use it;
        empty where it can."""
        return can_rename(self.syntax, self._caret, name, self._included, others)

    @property
    def is_shared(self) -> bool:
        """Whether other files may mean the same by the name at the caret."""
        found = self.definition()
        return found is not None and is_shared(self.syntax, found)

    def outline(self) -> list[Part]:
        syntax = self.syntax
        if self._parts[0] is not syntax:
            self._parts = syntax, outline(syntax)
        return self._parts[1]

    @property
    def _caret(self) -> Place:
        return Place(*self._editor.caret)
