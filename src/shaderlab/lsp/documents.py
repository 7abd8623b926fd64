"""The open documents: their texts, and what is known of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from pygls.uris import from_fs_path, to_fs_path
from pygls.workspace import PositionCodec

from shaderlab.frontend.program import Dialect
from shaderlab.language.including import included
from shaderlab.language.syntax import Language, Syntax
from shaderlab.lsp.analysis import Analysis, Text
from shaderlab.lsp.places import Places, plain
from shaderlab.scene.defaults import listed, shown_value

MOST_CHARACTERS = 4_000_000
"""Of a text that is compiled: as many as the window takes."""
_LARGEST_PARSED = 200_000
"""Characters of a text that names are looked up in: parsing more holds up all other answers."""
_LIKE_HLSL = (Dialect.HLSL, Dialect.SLANG)
_HLSL_ENDINGS = (".hlsl", ".fx", ".hlsli", ".slang")


class Document:
    """One that is open in the editor."""

    def __init__(
        self,
        uri: str,
        text: str,
        version: int | None,
        codec: PositionCodec,
        is_outside: Callable[[Path], bool] = lambda _: False,
    ):
        """`is_outside`: whether a file is not the workspace's.  Nothing is read beside such a one,
        since messages quote what is read."""
        path = to_fs_path(uri) if uri.startswith("file:") else None
        self.uri, self.version, self._codec = uri, version, codec
        self.path = Path(path) if path and "\0" not in path else None
        name = self.path.name if self.path else uri.rpartition("/")[2].rpartition(":")[2]
        self._name = name or "untitled"
        self.is_outside = self.path is not None and is_outside(self.path)
        self.text = self._text(text)
        self.latest: Analysis | None = None
        """Of the text, or of the one before it while that is compiled."""
        self.shown: Analysis | None = None
        """The last one that compiled and has been counted, or estimated."""
        self.saved: Text = self.text
        """As the file has it."""
        self.pinned: Text | None = None
        """What times are compared with, in place of the saved text."""
        self.target = "rtx3060"
        """The one whose shares are shown, at first the window's; the first where it is missing."""
        self._bases: dict[Text, Analysis] = {}
        self._syntax: Syntax | None = None
        self._included: dict[str, Syntax] = {}

    def edit(self, text: str, version: int | None) -> None:
        self.text, self.version = self._text(text), version
        self.__dict__.pop("places", None)

    def save(self) -> None:
        """The file now has this text."""
        self.saved = self.text

    def pin(self) -> None:
        self.pinned = self.text

    def unpin(self) -> None:
        self.pinned = None

    def take(self, analysis: Analysis) -> None:
        """More is known of the text, or of one it is compared with."""
        self._bases = {
            text: known
            for text, known in {**self._bases, analysis.of: analysis}.items()
            if text in (self.text, self.saved, self.pinned)
        }
        if analysis.of == self.text:
            self.latest = analysis
            if analysis.trace is not None or analysis.forecasts:
                self.shown = analysis

    @property
    def base(self) -> Analysis | None:
        """What is known of the text that times are compared with; None of the one shown."""
        text = self.pinned or self.saved
        is_shown = self.shown is not None and self.shown.of == text
        return None if is_shown else self._bases.get(text)

    @property
    def unfinished_bases(self) -> list[Text]:
        """Texts that times are compared with, as far as these are not known."""
        wanted = {self.pinned or self.saved} - {self.text}
        return [t for t in wanted if (known := self._bases.get(t)) is None or not known.finished]

    @property
    def is_followed(self) -> bool:
        """Whether what is shown is of the text as it stands."""
        return self.shown is not None and self.shown.of == self.text

    @property
    def refusal(self) -> str:
        """Why the text is not compiled; empty if it is."""
        size = len(self.text.text)
        if size <= MOST_CHARACTERS:
            return ""
        return f"{size:,} characters are more than a shader's {MOST_CHARACTERS:,}: not compiled"

    @cached_property
    def places(self) -> Places:
        return Places(self.text.text, self._codec)

    def places_in(self, path: str) -> Places | None:
        """Of an included file."""
        known = self._included.get(path)
        return Places(known.text, self._codec) if known else None

    @property
    def syntax(self) -> Syntax | None:
        """Of the text as it stands; None where it is too long to be looked into."""
        text = self.text.text
        if len(text) > _LARGEST_PARSED:
            return None
        before = self._syntax
        if before is None or before.language is not self._language:
            self._syntax = Syntax(text, self._language)
        else:
            self._syntax = before.edited(text)
        return self._syntax

    @property
    def included(self) -> dict[str, Syntax]:
        """By path, what the text included when it last compiled."""
        known = self.shown or self.latest
        paths = known.program.includes if known and known.program else ()
        if set(paths) != set(self._included):
            self._included = included(paths, self._language, self._included)
        return self._included

    def includes(self, path: Path) -> bool:
        known = (self.latest, self.shown)
        return any(str(path) in each.program.includes for each in known if each and each.program)

    def forget_included(self) -> None:
        """An included file has changed."""
        self._included = {}

    def value_of(self, name: str) -> str:
        """What the input of this name holds; empty where there is none."""
        draw = self.shown.draw if self.shown else None
        for each in listed(draw) if draw else ():
            if name in (each.name, each.name.rpartition(".")[2]):
                return shown_value(each)
        return ""

    def _text(self, text: str) -> Text:
        return Text(self._name, None if self.is_outside else self.path, plain(text))

    @property
    def _language(self) -> Language:
        known = self.shown or self.latest
        if known and known.program:
            is_hlsl = known.program.dialect in _LIKE_HLSL
        else:
            is_hlsl = self._name.lower().endswith(_HLSL_ENDINGS)
        return Language.HLSL if is_hlsl else Language.GLSL


def address(path: str) -> str:
    """Of a file, as the protocol has it."""
    return from_fs_path(path) or Path(path).as_uri()
