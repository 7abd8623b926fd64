"""glslang's messages in plain words, with GLSL's own names for types and symbols."""

from __future__ import annotations

import re
from collections.abc import Callable

_QUALIFIERS = re.compile(
    r"\b(?:const|temp|global|in|out|inout|uniform|buffer|shared|smooth|flat|layout\([^)]*\)|"
    r"highp|mediump|lowp|readonly|writeonly|coherent|restrict|volatile|precise|invariant|"
    r"const \(read only\)|unknown qualifier)\s+"
)
_VECTOR = re.compile(r"(\d)-component vector of (float|int|uint|bool|double)")
_MATRIX = re.compile(r"(\d)X(\d) matrix of (float|double)")
_ARRAY = re.compile(r"(\d+)-element array of ([\w ]+)")
_PREFIX = {"float": "", "int": "i", "uint": "u", "bool": "b", "double": "d"}
_QUOTED_TYPE = r"'([^']*)'"

_SYMBOLS = {
    "RIGHT_BRACE": "'}'", "LEFT_BRACE": "'{'", "RIGHT_PAREN": "')'", "LEFT_PAREN": "'('",
    "RIGHT_BRACKET": "']'", "LEFT_BRACKET": "'['", "SEMICOLON": "';'", "COMMA": "','",
    "COLON": "':'", "QUESTION": "'?'", "DOT": "'.'", "EQUAL": "'='", "PLUS": "'+'", "DASH": "'-'",
    "STAR": "'*'", "SLASH": "'/'", "PERCENT": "'%'", "BANG": "'!'", "TILDE": "'~'",
    "LEFT_ANGLE": "'<'", "RIGHT_ANGLE": "'>'", "VERTICAL_BAR": "'|'", "CARET": "'^'",
    "AMPERSAND": "'&'", "AND_OP": "'&&'", "OR_OP": "'||'", "XOR_OP": "'^^'", "EQ_OP": "'=='",
    "NE_OP": "'!='", "LE_OP": "'<='", "GE_OP": "'>='", "INC_OP": "'++'", "DEC_OP": "'--'",
    "LEFT_OP": "'<<'", "RIGHT_OP": "'>>'", "ADD_ASSIGN": "'+='", "SUB_ASSIGN": "'-='",
    "MUL_ASSIGN": "'*='", "DIV_ASSIGN": "'/='", "MOD_ASSIGN": "'%='", "LEFT_ASSIGN": "'<<='",
    "RIGHT_ASSIGN": "'>>='", "AND_ASSIGN": "'&='", "OR_ASSIGN": "'|='", "XOR_ASSIGN": "'^='",
    "IDENTIFIER": "an identifier", "TYPE_NAME": "a type name", "FIELD_SELECTION": "a member name",
    "FLOATCONSTANT": "a number", "INTCONSTANT": "a number", "UINTCONSTANT": "a number",
    "BOOLCONSTANT": "a boolean", "$end": "the end of the file",
    "end of file": "the end of the file",
}  # fmt: skip


def type_name(described: str) -> str:
    """A type as GLSL spells it: ` temp highp 3-component vector of float` -> `vec3`."""
    name = _QUALIFIERS.sub("", described.strip() + " ").strip()
    name = _VECTOR.sub(lambda m: f"{_PREFIX[m[2]]}vec{m[1]}", name)
    name = _MATRIX.sub(
        lambda m: f"{_PREFIX[m[3]]}mat{m[1]}" + ("" if m[1] == m[2] else f"x{m[2]}"), name
    )
    return _ARRAY.sub(lambda m: f"{type_name(m[2])}[{m[1]}]", name)


def _syntax(match: re.Match[str]) -> str:
    unexpected = _symbol(match[1]).removeprefix("an ").removeprefix("a ")
    if not match[2]:
        return f"unexpected {unexpected}"
    expected = " or ".join(dict.fromkeys(_symbol(part) for part in match[2].split(" or ")))
    return f"unexpected {unexpected}, expected {expected}"


def _symbol(name: str) -> str:
    name = name.strip()
    return _SYMBOLS.get(name, f"'{name.lower()}'")


def _conversion(match: re.Match[str]) -> str:
    return f"cannot convert {type_name(match[1])} to {type_name(match[2])}"


def _operands(match: re.Match[str]) -> str:
    return f"no operation '{match[1]}' between {type_name(match[2])} and {type_name(match[3])}"


# What the text has where glslang quotes its own name.
_SOURCE_OF = {
    "assign": "=",
    "comment": "/*",
    "#": "#",
    "string literal": '"',
    "non-opaque uniforms outside a block": "uniform",
    "scalar swizzle": ".",
}

_RULES: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r".*syntax error, unexpected (.+?)(?:, expecting (.+))?"), _syntax),
    (re.compile(r"'(.*)' : (?:undeclared identifier|unknown variable)"), r"'\1' is not declared"),
    (re.compile(r"'(\W+)' : Expected"), r"'\1' is missing here or before"),
    (re.compile(r"'(\w+)' : Expected"), r"a \1 is expected here"),
    (
        re.compile(r"'' : Could not perform requested (.+)"),
        r"the operands' types allow no \1",
    ),
    (
        re.compile(r"'(.*)' : no matching overloaded function found"),
        r"no function '\1' takes these arguments",
    ),
    (re.compile(r"'(.*)' : redefinition"), r"'\1' is already defined"),
    (re.compile(r"'(.*)' : [Rr]eserved word\.?"), r"'\1' is a reserved word"),
    (re.compile(r"'(.*)' : function already has a body"), r"function '\1' is already defined"),
    (
        re.compile(
            rf"'.*' : cannot convert (?:return value )?from {_QUOTED_TYPE} to {_QUOTED_TYPE}"
        ),
        _conversion,
    ),
    (
        re.compile(
            r"'(.*)' : wrong operand types: no operation '.*' exists that takes a left-hand operand"
            rf" of type {_QUOTED_TYPE} and a right operand of type {_QUOTED_TYPE}"
            r".*"
        ),
        _operands,
    ),
    (
        re.compile(r"'(.*)' : l-value required \(can't modify (.+)\)"),
        r"cannot assign to \2",
    ),
    (
        re.compile(r"'(.*)' : l-value required \"(.+)\" \(can't modify .+\)"),
        r"cannot assign to \2",
    ),
    (
        re.compile(r"'(.*)' : l-value required.*"),
        r"cannot assign to this",
    ),
    (
        re.compile(r"'(.*)' : vector swizzle selection out of range"),
        r"swizzle '.\1' selects components the vector does not have",
    ),
    (
        re.compile(r"'(.*)' : (?:vector )?swizzle too long"),
        r"swizzle '.\1' has more than four components",
    ),
    (
        re.compile(r"'non-opaque uniforms outside a block' : .*"),
        "a uniform of this type must be in a uniform block (Vulkan)",
    ),
    (
        re.compile(r"'binding' : sampler/texture/image requires layout\(binding=X\)"),
        "a sampler needs layout(set = …, binding = …) (Vulkan)",
    ),
    (
        re.compile(r"'scalar swizzle' : .*"),
        "a scalar has no components to select",
    ),
    (
        re.compile(r"'(.*)' : wrong operand type no operation '.*' exists that takes an operand of "
                   r"type (.+?) \(or there is no acceptable conversion\)"),
        lambda match: f"no operation '{match[1]}' on {type_name(match[2])}",
    ),
    (
        re.compile(r"'return' : type does not match.*"),
        "the returned value does not have the function's return type",
    ),
    (
        re.compile(r"'' : function does not return a value: (.*)"),
        r"function '\1' does not return a value",
    ),
    (re.compile(r"'constructor' : (.+)"), r"constructor: \1"),
    (
        re.compile(r"'preprocessor evaluation' : undefined macro in expression.* (\w+)"),
        r"macro '\1' is not defined",
    ),
    (re.compile(r"'#' : invalid directive: (.*)"), r"unknown directive #\1"),
    (
        re.compile(r"'=' : global const initializers must be constant.*"),
        "a global const needs a constant expression",
    ),
    (re.compile(r"'macro expansion' : Too (few|many) args in Macro (\w+)"),
     r"too \1 arguments for macro '\2'"),
    (re.compile(r"'' : missing #endif"), "an #if has no #endif"),
    (re.compile(r"'' : memory exhausted"), "this is nested too deeply"),
    (
        re.compile(r"'(.*)' : overloaded functions must have the same (.+) for argument (\d+)"),
        r"argument \3: an earlier declaration of this function has a different \2",
    ),
    (re.compile(r"'(#\w+)' : mismatched statements"), r"\1 without its #if"),
    (re.compile(r"'comment' : End of input in comment"), "a comment is never closed"),
    (
        re.compile(r"'string literal' : .*"),
        "GLSL has no strings",
    ),
    (re.compile(r"'#error' : (.*)"), r"#error: \1"),
    (re.compile(r"'(#\w+)' : (.+)"), r"\1: \2"),
    (re.compile(r"'#version' : must occur first in shader"), "#version must be the first line"),
    (re.compile(r"'(.+)' : (.+)"), r"'\1': \2"),
    (re.compile(r"'' : (.+)"), r"\1"),
)  # fmt: skip


def readable(message: str) -> str:
    """One of glslang's messages (without its place) in plain words; unknown ones as they are."""
    message = re.sub(r"\s+", " ", message).strip()
    for pattern, replacement in _RULES:
        if match := pattern.fullmatch(message):
            return replacement(match) if callable(replacement) else match.expand(replacement)
    return message


def missing_function(message: str) -> str:
    """The function that a message finds no form of, or the empty string."""
    match = re.match(r"'(\w+)' : no matching overloaded function", message)
    return match[1] if match else ""


def quoted_token(message: str) -> str:
    """The piece of source text a message is about, or the empty string."""
    if match := re.match(r"'(.+?)' : ", message):
        return _SOURCE_OF.get(match[1], match[1])
    if match := re.search(r"syntax error, unexpected ([\w$]+)", message):
        symbol = _symbol(match[1])
        return symbol[1:-1] if symbol.startswith("'") else ""
    return ""
