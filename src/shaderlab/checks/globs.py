"""Patterns for paths: `*` and `?` within a folder, `**` across folders."""

from __future__ import annotations

import re
from functools import cache

from shaderlab.errors import WrongUse

_MOST_STARS = 8
_DEPTH = {"**/": "(?:[^/]+/)*", "**": ".*"}


def has_wildcard(text: str) -> bool:
    return any(c in text for c in "*?")


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """What a whole path with `/` between its parts has to match.  Raises WrongUse."""
    if pattern.startswith("/") or "\\" in pattern or ".." in pattern.split("/"):
        raise WrongUse(
            f'"{pattern[:80]}": a pattern has / between its parts, does not begin with / and '
            'has no ".."'
        )
    if len(re.findall(r"\*+", pattern)) > _MOST_STARS:
        raise WrongUse(f'"{pattern[:80]}" has more than {_MOST_STARS} wildcards')
    pattern = pattern.removeprefix("./")
    if re.search(r"[^/]\*\*/", pattern):
        raise WrongUse(f'"{pattern[:80]}": ** before a / stands for folders, as in a/**/b')
    # Between two `**` the first place that fits is as good as any later one, and so it is between
    # two `*`: without atomic groups, a path made for it would be tried in all possible ways.
    *between, last = re.split(r"(\*\*/|\*\*)", pattern)
    parts, depth = [], ""
    for text, stars in zip(between[::2], between[1::2], strict=True):
        parts.append(f"(?>{depth and depth + '?'}{_within(text, is_last=False)})")
        depth = _DEPTH[stars]
    return re.compile("".join(parts) + depth + _within(last, is_last=True), re.DOTALL)


def _within(text: str, *, is_last: bool) -> str:
    """Of a pattern without `**`.  The last part has to reach the end."""
    first, *others = ["".join("[^/]" if c == "?" else re.escape(c) for c in piece)
                      for piece in text.split("*")]  # fmt: skip
    final = [f"[^/]*{others.pop()}"] if others and is_last else []
    return "".join([first, *(f"(?>[^/]*?{each})" for each in others), *final])


def matches(pattern: str, path: str) -> bool:
    """Whether a path matches; a pattern without wildcards also matches all below that folder."""
    if compiled(pattern).fullmatch(path):
        return True
    return not has_wildcard(pattern) and path.startswith(pattern.rstrip("/") + "/")
