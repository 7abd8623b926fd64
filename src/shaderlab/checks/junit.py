"""JUnit XML: a test suite per file, a test case per target."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

from shaderlab import units
from shaderlab.checks.outcome import UNKNOWN, Check, Outcome

_FORBIDDEN = re.compile(
    "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
    "|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)
"""Characters that XML 1.0 does not have, and marks that show text in another order."""


def report(outcome: Outcome) -> bytes:
    """UTF-8."""
    suites = ET.Element("testsuites", name="shaderlab check")
    for file in outcome.files:
        checks = [each for each in outcome.checks if each.file == file.file]
        suite = ET.SubElement(suites, "testsuite", name=_clean(file.file))
        if file.error:
            case = ET.SubElement(suite, "testcase", classname=_clean(file.file), name="forecast")
            said = [f"{p.file or file.file}:{p.line}: {p.severity}: {p.message}"
                    for p in file.problems]  # fmt: skip
            error = ET.SubElement(case, "error", message=_clean(file.error))
            error.text = _clean("\n".join(said))
        for check in checks:
            _case(suite, check)
        suite.set("tests", str(len(checks) + bool(file.error)))
        suite.set("failures", str(sum(not each.ok for each in checks)))
        suite.set("errors", str(int(bool(file.error))))
    for count in ("tests", "failures", "errors"):
        suites.set(count, str(sum(int(suite.get(count, "0")) for suite in suites)))
    ET.indent(suites)
    return ET.tostring(suites, encoding="utf-8", xml_declaration=True) + b"\n"


def _case(suite: ET.Element, check: Check) -> None:
    case = ET.SubElement(suite, "testcase", classname=_clean(check.file), name=_clean(check.target))
    if not check.ok:
        failure = ET.SubElement(case, "failure", message=_clean(sentence(check)))
        failure.set("type", check.verdict)
        failure.text = _clean("\n".join(details(check)))
    else:
        ET.SubElement(case, "system-out").text = _clean(
            "\n".join([sentence(check), *details(check)])
        )


def sentence(check: Check) -> str:
    """What was found, on one line."""
    time = "no time" if check.time_s is None else units.seconds(check.time_s)
    parts = [f"{check.target}: {time}, {check.verdict}"]
    if check.budget_s is not None:
        parts.append(f"budget {units.seconds(check.budget_s)}")
    change = check.change
    if change is not None and change.ratio is not None:
        known = f" ({change.known})" if change.known else ""
        parts.append(f"{units.change(change.ratio, 1.0) or 'no change'} since the base{known}")
    elif change is not None and change.note and check.verdict == UNKNOWN:
        parts.append(change.note)
    return "; ".join(parts)


def details(check: Check) -> list[str]:
    """The lines behind a change, and what to distrust."""
    found = []
    for each in check.change.causes if check.change else ():
        place = ":".join(str(p) for p in (each.pass_name, each.file, each.line) if p)
        then, now = units.seconds(each.then_s), units.seconds(each.now_s)
        found.append(f"line {place}: {then} before, {now} now: {each.text}")
    return found + [f"warning: {each}" for each in check.warnings]


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)
