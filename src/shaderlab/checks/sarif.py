"""SARIF 2.1.0, which code hosts show beside the lines of a change (OASIS, March 2020)."""

from __future__ import annotations

import json
import os
from typing import Any
from urllib.parse import quote

from shaderlab import __version__
from shaderlab.checks.junit import details, sentence
from shaderlab.checks.outcome import OVER, SLOWER, UNKNOWN, Check, CheckedFile, Outcome, Problem

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_RULES = {
    OVER: (
        "over-budget",
        "A shader is predicted to take longer than its budget.",
        "Make the lines named in the result cheaper, or raise the budget of this target.",
    ),
    SLOWER: (
        "slower-than-base",
        "A shader is predicted to take longer than at the base.",
        "The lines named in the result cause most of it; max_increase sets the limit.",
    ),
    UNKNOWN: (
        "unknown-time",
        "Whether a shader is within its budget is unknown.",
        "The result says what the forecast is missing.",
    ),
    "": (
        "no-forecast",
        "A shader does not compile, or cannot be predicted.",
        "Fix what the result names, or exclude the file in the budgets file.",
    ),
}
"""By verdict: the rule's id, what it says, and what to do."""
_LEVELS = {"error": "error", "warning": "warning", "note": "note"}


def report(outcome: Outcome) -> bytes:
    """UTF-8 JSON.  Paths are relative to where the command ran: the repository's root, in CI."""
    by_name = {each.file: each for each in outcome.files}
    results = [r for each in outcome.failed_files for r in _failures(each)]
    results += [_result(each, by_name[each.file]) for each in outcome.checks if not each.ok]
    rules = [
        {
            "id": id,
            "shortDescription": {"text": text},
            "fullDescription": {"text": text},  # GitHub demands both of these
            "help": {"text": remedy},
            "defaultConfiguration": {"level": "error"},
        }
        for id, text, remedy in _RULES.values()
    ]
    driver = {
        "name": "shaderlab",
        "semanticVersion": __version__,
        "rules": rules,
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {
            "%SRCROOT%": {"description": {"text": "Where shaderlab check ran."}}
        },
        "results": results,
    }
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return (json.dumps(log, indent=1, ensure_ascii=True) + "\n").encode()


def _result(check: Check, file: CheckedFile) -> dict[str, Any]:
    """At the line whose time grew most, else at the most expensive one."""
    times = next((each.lines for each in file.times if each.target == check.target), ())
    causes = [c for c in (check.change.causes if check.change else ()) if c.by_s > 0]
    lines = [(c.file, c.pass_name, c.line) for c in causes] or [
        (each.file, each.pass_name, each.line) for each in times[:1]
    ]
    # An include, and a pass's own file, are not known by their path here.
    own = [line for file_name, pass_name, line in lines if not file_name and not pass_name]
    found: dict[str, Any] = {
        "ruleId": _RULES[check.verdict][0],
        "level": "error",
        "message": {"text": "\n".join([sentence(check), *details(check)])},
        "locations": [_location(check.file, own[0] if own else 1)],
        "partialFingerprints": {"target/v1": f"{check.target}:{_RULES[check.verdict][0]}"},
        "properties": {"target": check.target, "time_s": check.time_s, "budget_s": check.budget_s},
    }
    if len(own) > 1:
        found["relatedLocations"] = [_location(check.file, line) for line in own[1:]]
    return found


def _failures(file: CheckedFile) -> list[dict[str, Any]]:
    problems = [p for p in file.problems if p.severity == "error"] or [
        Problem(0, 0, "error", file.error)
    ]
    return [
        {
            "ruleId": _RULES[""][0],
            "level": _LEVELS.get(each.severity, "error"),
            "message": {"text": f"{each.file}: {each.message}" if each.file else each.message},
            "locations": [_location(file.file, 1 if each.file else max(each.line, 1), each.column)],
        }
        for each in problems
    ]


def _location(file: str, line: int, column: int = 0) -> dict[str, Any]:
    region = {"startLine": line} | ({"startColumn": column} if column else {})
    uri = quote(os.fsencode(file))  # a name need not be UTF-8
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": uri, "uriBaseId": "%SRCROOT%"},
            "region": region,
        }
    }
