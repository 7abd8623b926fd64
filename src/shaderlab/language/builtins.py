"""Built-in functions, variables, types and keywords of the languages, from `resources/language`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from shaderlab import locations
from shaderlab.language.syntax import Language


@dataclass(frozen=True)
class Function:
    """A built-in function, or a method of HLSL's objects."""

    name: str
    summary: str
    """One sentence."""
    forms: tuple[str, ...]
    """Declarations, the most general first."""

    @property
    def result(self) -> str:
        """Type it returns; `genType` for that of its arguments."""
        return self.forms[0].split()[0]


@dataclass(frozen=True)
class Variable:
    name: str
    type: str
    summary: str


@dataclass(frozen=True)
class Builtins:
    """What a language offers without a declaration, by name."""

    functions: Mapping[str, Function]
    methods: Mapping[str, Function]
    variables: Mapping[str, Variable]
    shadertoy: Mapping[str, Variable]
    """What a Shadertoy body is given; among `variables` too."""
    types: frozenset[str]
    keywords: frozenset[str]

    @cached_property
    def names(self) -> frozenset[str]:
        return self.types | self.keywords | self.functions.keys() | self.variables.keys()


@cache
def builtins(language: Language) -> Builtins:
    """The table of a language; read once."""
    path = locations.resources() / "language" / f"{language}.toml"
    table = tomllib.loads(path.read_text("utf-8"))
    shadertoy = _variables(table.get("shadertoy", {}))
    return Builtins(
        _functions(table["functions"]),
        _functions(table.get("methods", {})),
        _variables(table["variables"]) | shadertoy,
        shadertoy,
        frozenset(table["types"]["names"].split()),
        frozenset(table["keywords"]["names"].split()),
    )


def _functions(rows: Mapping[str, list[str]]) -> dict[str, Function]:
    return {name: Function(name, row[0], tuple(row[1:])) for name, row in rows.items()}


def _variables(rows: Mapping[str, list[str]]) -> dict[str, Variable]:
    return {name: Variable(name, *row) for name, row in rows.items()}
