"""What a name means, in a few lines: its declaration and value, or what is built in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from shaderlab.language.builtins import builtins
from shaderlab.language.references import definition, name_at
from shaderlab.language.symbols import Kind
from shaderlab.language.syntax import Place, Syntax

_VALUED = (Kind.UNIFORM, Kind.BLOCK, Kind.INPUT)


def about_name(
    syntax: Syntax,
    place: Place,
    value_of: Callable[[str], str],
    included: Mapping[str, Syntax] | None = None,
) -> str:
    """Declaration and value of the name at a place; empty where there is nothing to say.

    `value_of`: by the name of an input what it holds now, empty where it is none; `included`: by
    file, what the text includes.
    """
    name = name_at(syntax, place)
    symbol = definition(syntax, place, included) if name else None
    if symbol is not None:
        lines = [symbol.declaration or f"{symbol.type} {symbol.name}"]
        if symbol.kind in _VALUED and (value := value_of(name)):
            lines.append(f"{name} = {value}")
        where = f"{Path(symbol.file).name}, line" if symbol.file else "Line"
        if symbol.file or symbol.place.line != place.line:
            lines.append(f"{where} {symbol.place.line}")
        return "\n".join(lines)
    table = builtins(syntax.language)
    function = table.functions.get(name) or table.methods.get(name)
    if function is not None:
        return "\n".join((*function.forms, function.summary))
    variable = table.variables.get(name)
    if variable is not None:
        value = value_of(name)
        form = f"{variable.type} {name}" + (f" = {value}" if value else "")
        return f"{form}\n{variable.summary}"
    return ""
