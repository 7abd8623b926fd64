"""Patterns for paths: `*` and `?` within a folder, `**` across folders."""

from __future__ import annotations

import re
from functools import cache

from shaderlab.errors import WrongUse

_MOST_STARS = 8
"""More would take too long to match against a path made for it."""


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
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern.removeprefix("./"))
    meaning = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(meaning.get(part, re.escape(part)) for part in parts), re.DOTALL)


def matches(pattern: str, path: str) -> bool:
    """Whether a path matches; a pattern without wildcards also matches all below that folder."""
    if compiled(pattern).fullmatch(path):
        return True
    return not has_wildcard(pattern) and path.startswith(pattern.rstrip("/") + "/")
