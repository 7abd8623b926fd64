"""Completion, signatures, definitions, uses, renaming and the outline, from `language`."""

from __future__ import annotations

from lsprotocol import types

from shaderlab.language import completion as completing
from shaderlab.language import outline as outlines
from shaderlab.language.references import can_rename, definition, name_at, references
from shaderlab.language.signatures import parameter_range, signature
from shaderlab.language.symbols import Kind
from shaderlab.language.syntax import Place
from shaderlab.lsp.documents import Document, address

_COMPLETION_KINDS = {
    Kind.FUNCTION: types.CompletionItemKind.Function,
    Kind.PARAMETER: types.CompletionItemKind.Variable,
    Kind.VARIABLE: types.CompletionItemKind.Variable,
    Kind.CONSTANT: types.CompletionItemKind.Constant,
    Kind.UNIFORM: types.CompletionItemKind.Variable,
    Kind.INPUT: types.CompletionItemKind.Variable,
    Kind.OUTPUT: types.CompletionItemKind.Variable,
    Kind.STRUCT: types.CompletionItemKind.Struct,
    Kind.BLOCK: types.CompletionItemKind.Struct,
    Kind.MEMBER: types.CompletionItemKind.Field,
    Kind.MACRO: types.CompletionItemKind.Constant,
    "built-in": types.CompletionItemKind.Function,
    "type": types.CompletionItemKind.Class,
    "keyword": types.CompletionItemKind.Keyword,
    "swizzle": types.CompletionItemKind.Field,
}
_SYMBOL_KINDS = {
    Kind.FUNCTION: types.SymbolKind.Function,
    Kind.STRUCT: types.SymbolKind.Struct,
    Kind.BLOCK: types.SymbolKind.Struct,
    Kind.UNIFORM: types.SymbolKind.Variable,
}


def completions(document: Document, position: types.Position) -> types.CompletionList:
    """What fits at a position, best first."""
    syntax, place = document.syntax, document.places.place(position)
    found = completing.completions(syntax, place, document.included) if syntax else []
    line = document.places.lines[place.line - 1][: place.column - 1]
    word = completing.word_before(line)
    start = Place(place.line, place.column - len(word))
    replaced = types.Range(document.places.position(start), document.places.position(place))
    items = [
        types.CompletionItem(
            each.name,
            kind=_COMPLETION_KINDS.get(each.kind, types.CompletionItemKind.Text),
            detail=each.detail or None,
            documentation=each.summary or None,
            sort_text=f"{number:04}",
            text_edit=types.TextEdit(replaced, each.name),
        )
        for number, each in enumerate(found)
    ]
    # A second letter lets in names that hold the letters further apart.
    return types.CompletionList(is_incomplete=len(word) < 2, items=items)


def signatures(document: Document, position: types.Position) -> types.SignatureHelp | None:
    """Of the call a position stands in."""
    syntax = document.syntax
    if syntax is None:
        return None
    found = signature(syntax, document.places.place(position), document.included)
    if found is None:
        return None
    forms = [_form(each, found.summary) for each in found.forms]
    fitting = (
        number for number, each in enumerate(forms) if len(each.parameters or ()) > found.argument
    )
    return types.SignatureHelp(forms, next(fitting, 0), found.argument)


def _form(declaration: str, summary: str) -> types.SignatureInformation:
    parameters = []
    while True:
        start, end = parameter_range(declaration, len(parameters))
        if start >= end:
            break
        parameters.append(types.ParameterInformation(declaration[start:end]))
    return types.SignatureInformation(declaration, summary or None, parameters)


def declared(document: Document, position: types.Position) -> types.Location | None:
    """Where the name at a position is declared."""
    syntax = document.syntax
    if syntax is None:
        return None
    symbol = definition(syntax, document.places.place(position), document.included)
    if symbol is None:
        return None
    places = document.places_in(symbol.file) if symbol.file else document.places
    if places is None:
        return None
    uri = address(symbol.file) if symbol.file else document.uri
    return types.Location(uri, places.span(symbol.place, len(symbol.name)))


def used(
    document: Document, position: types.Position, with_declaration: bool
) -> list[types.Location]:
    """Every place of the text that means what the name at a position means."""
    syntax = document.syntax
    if syntax is None:
        return []
    place = document.places.place(position)
    symbol = definition(syntax, place, document.included)
    found = references(syntax, place, document.included)
    return [
        types.Location(document.uri, document.places.span(at, len(symbol.name)))
        for at in found
        if symbol and (with_declaration or symbol.file or at != symbol.place)
    ]


def renameable(document: Document, position: types.Position) -> types.Range | None:
    """The name at a position; None for one that this text does not declare."""
    syntax = document.syntax
    if syntax is None:
        return None
    place = document.places.place(position)
    name = name_at(syntax, place)
    for at in references(syntax, place) if name else ():
        if at.line == place.line and at.column <= place.column <= at.column + len(name):
            return document.places.span(at, len(name))
    return None


def rename_problem(document: Document, position: types.Position, name: str) -> str:
    """Why the name at a position cannot become `name`; empty where it can."""
    if document.syntax is None:
        return "The text is too long for this."
    return can_rename(document.syntax, document.places.place(position), name)


def renamed(document: Document, position: types.Position, name: str) -> types.WorkspaceEdit:
    changes = [types.TextEdit(each.range, name) for each in used(document, position, True)]
    return types.WorkspaceEdit(changes={document.uri: changes})


def outline(document: Document) -> list[types.DocumentSymbol]:
    """Functions, structs, blocks and uniforms."""
    syntax, places = document.syntax, document.places
    found = []
    for part in outlines.outline(syntax) if syntax else ():
        symbol = part.symbol
        kind = _SYMBOL_KINDS.get(symbol.kind, types.SymbolKind.Variable)
        whole = places.whole_lines(part.first, part.last)
        name = places.span(symbol.place, len(symbol.name))
        found.append(types.DocumentSymbol(symbol.name, kind, whole, name, symbol.declaration))
    return found
