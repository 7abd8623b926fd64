"""glslang's output as `Diagnostic`s at the user's own lines and columns."""

from __future__ import annotations

import re
from collections.abc import Iterable

from shaderlab.frontend import scanner, wording
from shaderlab.frontend.declared import Names
from shaderlab.frontend.includes import FAULT_MARK, Expansion
from shaderlab.frontend.program import Diagnostic, Severity
from shaderlab.language.syntax import Language, Place
from shaderlab.spirv.source_lines import DOCUMENT, PRELUDE

MAX_DIAGNOSTICS = 100

_ENTRY = re.compile(r"^(ERROR|WARNING|NOTE): ?(.*)$")
_SUMMARY = re.compile(r"\d+ compilation errors?\b")
_FAULT = re.compile(rf"'#error' : {FAULT_MARK} (\d+)")
_LINKING = re.compile(r"Linking (?:fragment stage|.*? stage): (.*)", re.S)
_LINE_DIRECTIVE = re.compile(r'#line (\d+) "(.*)"')
_FOREIGN = re.compile(r"[^\x00-\x7f]")
_FUNCTION = re.compile(r"(\w+)\(")

_END_OF_TEXT = "'' :  syntax error, unexpected end of file"

# Kinds of messages glslang adds on a line because of an earlier error on it.
_CAUSES = ("undeclared identifier", "unknown variable", "no matching overloaded function",
           "Reserved word", "wrong operand type")  # fmt: skip
_CONSEQUENCES = (
    "cannot convert", "wrong operand type", "no matching overloaded function", "l-value required",
    "can't use function syntax", "not a valid", "scalar", "vector swizzle",
    "not enough data provided", "Could not perform requested", "Expected",
    "type does not match",
)  # fmt: skip

MAIN_IMAGE = "void mainImage(out vec4 fragColor, in vec2 fragCoord)"


def parse(
    output: str, expansion: Expansion, source: str = "", language: Language = Language.GLSL
) -> tuple[Diagnostic, ...]:
    """All messages of one glslang run, without repetitions, in the order of the text.

    `output` is what the program printed, `source` what it was given: the expansion, with what a
    dialect adds to it.  Columns come from glslang where it prints them, else from the quoted
    token's first place in its line.
    """
    names = Names(expansion, source or expansion.text, language)
    located: list[tuple[Diagnostic, str]] = []
    linking: list[Diagnostic] = []
    for severity, body in _entries(output):
        if _SUMMARY.match(body) or "compilation terminated" in body:
            continue
        if match := _LINKING.match(body):
            linking.append(_link_error(match[1], severity, expansion))
            continue
        file, line, column, message = _place(body, expansion)
        located.append(
            (_diagnostic(file, line, column, message, severity, expansion, names), message)
        )
    located = _without_consequences(located)
    failed = any(diagnostic.severity is Severity.ERROR for diagnostic, _ in located)
    found = [diagnostic for diagnostic, _ in located] + ([] if failed else linking)
    return _in_text_order(dict.fromkeys(found), expansion)[:MAX_DIAGNOSTICS]


def _entries(output: str) -> Iterable[tuple[Severity, str]]:
    """Severity and text of each message; the indented lines that continue one are joined to it."""
    severity, body = None, ""
    for line in output.splitlines():
        if match := _ENTRY.match(line):
            if severity:
                yield severity, body
            severity, body = Severity(match[1].lower()), match[2].rstrip()
        elif severity and line[:1] in (" ", "\t"):
            body += "\n" + line.strip()
        elif severity:
            yield severity, body
            severity = None
    if severity:
        yield severity, body


def _place(body: str, expansion: Expansion) -> tuple[str, int, int, str]:
    """File, line, column (0 unknown) and the rest of `file:line[:column]: rest`.

    Known names are tried rather than a pattern, since a file's name may hold a colon.
    """
    for name in sorted((*expansion.files, PRELUDE, "stdin", "0"), key=len, reverse=True):
        if body.startswith(name + ":") and (
            match := re.match(r"(\d+):(?:(\d+):)? ?(.*)", body[len(name) + 1 :], re.S)
        ):
            # Before the first named #line the text is the document's own (complete GLSL).
            file = DOCUMENT if name in ("stdin", "0") else name
            return file, int(match[1]), int(match[2] or 0), match[3]
    return DOCUMENT, 0, 0, body


def _diagnostic(
    file: str,
    line: int,
    column: int,
    message: str,
    severity: Severity,
    expansion: Expansion,
    names: Names,
) -> Diagnostic:
    """A `Diagnostic` with its words made readable and its column found where glslang gave none."""
    if file == PRELUDE and "syntax error" in message:
        file, line, message = DOCUMENT, 1, _END_OF_TEXT  # the body ran on into what follows it
    elif file == PRELUDE and "'mainImage' : no matching overloaded" in message:
        return _wrong_main_image(severity, expansion)
    elif file == PRELUDE or line == 0:
        return Diagnostic(0, 0, severity, wording.readable(message))
    lines = expansion.files[file].split("\n")
    line = min(line, len(lines))
    token = wording.quoted_token(message)
    if (match := _FAULT.search(message)) and int(match[1]) < len(expansion.faults):
        readable, token = expansion.faults[int(match[1])], "include"
    elif "unexpected token" in message and (
        foreign := _FOREIGN.search(scanner.blank(lines[line - 1]))
    ):
        # glslang reads bytes: it reports each byte of the character, none of them readable.
        token = foreign.group()
        readable = f"the character '{token}' (U+{ord(token):04X}) is only allowed in comments"
    elif "overloaded functions must" in message and "mainImage" in lines[line - 1]:
        token = "mainImage"
        readable = f"mainImage has the wrong signature: write {MAIN_IMAGE}"
        if "precision" in message:
            readable = "the arguments of mainImage are not highp (is there a precision statement?)"
    elif (name := wording.missing_function(message)) and not names.is_declared(name):
        readable = f"'{name}' is not declared{names.like_function(name)}"
    else:
        readable = wording.readable(message)
        if "unexpected the end" in readable:
            line, token = _last_code_line(lines), ""
            readable = "unexpected end of the file: a bracket or a semicolon is missing"
    column = column or _column(lines[line - 1], token)
    if readable == f"'{token}' is not declared":
        readable += names.like(token, file, Place(line, column))
    return Diagnostic(line, column, severity, readable, _shown(file))


def _link_error(message: str, severity: Severity, expansion: Expansion) -> Diagnostic:
    """Link errors have no place; where they name a function, its definition is the place."""
    text = re.sub(r"\s+", " ", message).strip()
    if "Missing entry point" in text:
        return Diagnostic(0, 0, severity, "missing main: complete GLSL needs void main()")
    functions = [*dict.fromkeys(_FUNCTION.findall(text))]
    if not functions:
        return Diagnostic(0, 0, severity, text)
    name, *others = functions
    file, line, column = _find(name, expansion)
    if "No function definition" in text and name == "mainImage":
        return _wrong_main_image(severity, expansion)
    if "No function definition" in text:
        text = f"function '{name}' is declared but not defined"
    elif "Recursion detected" in text:
        called = f"'{others[0]}', which calls it again" if others else "itself"
        text = f"recursion is not allowed in GLSL: '{name}' calls {called}"
    return Diagnostic(line, column, severity, text, file)


def _wrong_main_image(severity: Severity, expansion: Expansion) -> Diagnostic:
    file, line, column = _find("mainImage", expansion)
    what = "mainImage has the wrong signature" if line else "missing mainImage"
    return Diagnostic(line, column, severity, f"{what}: write {MAIN_IMAGE}", file)


def _find(function: str, expansion: Expansion) -> tuple[str, int, int]:
    """File, line and column where a function's name first stands, ("", 0, 0) where it does not."""
    pattern = re.compile(rf"\b{re.escape(function)}\s*\(")
    for file, text in expansion.files.items():
        code = scanner.blank(text)
        if match := pattern.search(code):
            before = code[: match.start()]
            return _shown(file), before.count("\n") + 1, len(before) - before.rfind("\n")
    return "", 0, 0


def _column(line: str, token: str) -> int:
    """Column of the token's first place in the line (whole words), else of the first character."""
    if token:
        left = r"\b" if re.match(r"\w", token) else ""
        right = r"\b" if re.search(r"\w$", token) else ""
        if match := re.search(left + re.escape(token) + right, scanner.blank(line, strings=False)):
            return match.start() + 1
    return len(line) - len(line.lstrip()) + 1 if line.strip() else 1


def _last_code_line(lines: list[str]) -> int:
    code = scanner.blank("\n".join(lines)).split("\n")
    return next((n for n in range(len(code), 0, -1) if code[n - 1].strip()), 1)


def _without_consequences(
    located: list[tuple[Diagnostic, str]],
) -> list[tuple[Diagnostic, str]]:
    """Drop what glslang only reports because it guessed a type after an earlier error there."""
    kept: list[tuple[Diagnostic, str]] = []
    spoilt: set[tuple[str, int]] = set()
    for diagnostic, message in located:
        if "unexpected end of file" in message and kept and "Reserved word" in kept[-1][1]:
            continue  # to glslang's parser the text ends at the reserved word
        if "'declaration' : Expected" in message and kept:
            continue  # where glslang stops to read HLSL after any error
        place = (diagnostic.file, diagnostic.line)
        consequence = any(phrase in message for phrase in _CONSEQUENCES)
        if diagnostic.line and place in spoilt and consequence:
            continue
        if any(phrase in message for phrase in _CAUSES):
            spoilt.add(place)
        kept.append((diagnostic, message))
    return kept


def _in_text_order(
    diagnostics: Iterable[Diagnostic], expansion: Expansion
) -> tuple[Diagnostic, ...]:
    """Sorted by line in the expanded text; those about the whole file last."""
    found = list(diagnostics)
    if len(expansion.files) == 1:
        return tuple(sorted(found, key=lambda d: (d.line == 0, d.line)))
    order: dict[tuple[str, int], int] = {}
    name, line = DOCUMENT, 1
    for index, text in enumerate(expansion.text.split("\n")):
        if match := _LINE_DIRECTIVE.fullmatch(text):
            name, line = match[2], int(match[1])
            continue
        order.setdefault((_shown(name), line), index)
        line += 1
    last = len(order) + len(expansion.text)
    return tuple(sorted(found, key=lambda d: order.get((d.file, d.line), last)))


def _shown(name: str) -> str:
    return "" if name == DOCUMENT else name
