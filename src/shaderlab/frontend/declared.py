"""The names that a text may use, and the one that an undeclared name resembles."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cached_property

from shaderlab.frontend.includes import Expansion
from shaderlab.language.builtins import builtins
from shaderlab.language.symbols import Kind, Symbol, globals_of, visible
from shaderlab.language.syntax import Language, Place, Syntax

_CALLED = (Kind.FUNCTION, Kind.MACRO, Kind.STRUCT)
_LIKE = 0.8
"""Share of letters in common: `colr` is like `color`, `a1` is not like `a2`."""
_GLSL = {
    "lerp": "mix", "frac": "fract", "rsqrt": "inversesqrt", "ddx": "dFdx", "ddy": "dFdy",
    "fmod": "mod", "atan2": "atan", "saturate": "clamp", "tex2D": "texture",
    **{f"float{n}": f"vec{n}" for n in "234"}, **{f"int{n}": f"ivec{n}" for n in "234"},
    **{f"float{n}x{n}": f"mat{n}" for n in "234"},
}  # fmt: skip
"""Names of HLSL and what GLSL calls them."""
_HLSL = {glsl: hlsl for hlsl, glsl in _GLSL.items()}


class Names:
    """Of a text as the compiler is given it: `source` is the expansion below its prelude."""

    def __init__(self, expansion: Expansion, source: str, language: Language):
        self._expansion = expansion
        self._source = source
        self._language = language
        self._read: dict[str, Syntax] = {}

    def is_declared(self, function: str) -> bool:
        """Whether there is a function, type or macro of that name anywhere."""
        return function in self._called

    def like_function(self, name: str) -> str:
        """`; did you mean 'x'?` with the function that a name is much like, else nothing."""
        return self._like(name, self._called)

    def like(self, name: str, file: str, place: Place) -> str:
        """The same with anything that the place sees."""
        if file not in self._read:
            self._read[file] = Syntax(self._expansion.files[file], self._language)
        seen = (each.name for each in visible(self._read[file], place))
        return self._like(name, self._offered.union(seen))

    def _like(self, name: str, seen: frozenset[str]) -> str:
        others = _GLSL if self._language is Language.GLSL else _HLSL
        plain = {each.lower(): each for each in sorted(seen - {name})}
        found = get_close_matches(name.lower(), plain, 1, _LIKE)
        meant = others.get(name) or (plain[found[0]] if found else "")
        return f"; did you mean '{meant}'?" if meant else ""

    @cached_property
    def _called(self) -> frozenset[str]:
        table = builtins(self._language)
        own = (each.name for each in self._globals if each.kind in _CALLED)
        return table.types.union(table.functions, own)

    @cached_property
    def _offered(self) -> frozenset[str]:
        """What the language offers, and what text, includes and prelude declare for all."""
        table = builtins(self._language)
        return (table.names - table.shadertoy.keys()).union(each.name for each in self._globals)

    @cached_property
    def _globals(self) -> list[Symbol]:
        return globals_of(Syntax(self._source, self._language))
