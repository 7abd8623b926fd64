"""The three reports, with texts that try to be markup."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest
from msgspec.structs import replace

from shaderlab.checks import junit, markdown, sarif
from shaderlab.checks.outcome import (
    Cause,
    Change,
    Check,
    CheckedFile,
    LineTime,
    Outcome,
    Problem,
    TargetTime,
)
from shaderlab.cli.texts import checks

HOSTILE = "a|b`</td><script>@all[x](y)\x00\x1b\u202e"
TIME = TargetTime("rtx3060", 2e-3, 1e-3, 3e-3, "ok", "inside", "additive", "x", ("odd",),
                  (LineTime(7, 1e-3, "loop();"),))  # fmt: skip
CHANGE = Change(1e-3, 2.0, 1.8, 2.2, 0.1, False, (
    Cause(7, f"{HOSTILE}();", 1.5e-3, 0.5e-3), Cause(9, "other();", 2e-4, 0.0)))  # fmt: skip
OVER = Check("a b.frag", "rtx3060", 1e-3, 2e-3, 1e-3, 3e-3, "ok", "inside", "additive", False,
             "over budget", False, ("odd",), CHANGE)  # fmt: skip
FINE = Check("c.frag", "rtx3060", 3e-3, 2e-3, 1e-3, 3e-3, "ok", "inside", "additive", True,
             "within budget", True)  # fmt: skip
BROKEN = CheckedFile(HOSTILE, "", error="it does not compile", problems=(
    Problem(3, 5, "error", f"no such {HOSTILE}"), Problem(0, 0, "warning", "w")))  # fmt: skip
OUTCOME = Outcome(False, (OVER, FINE, replace(FINE, target="navi23")), (
    CheckedFile("a b.frag", "1", (TIME,)), CheckedFile("c.frag", "2", (TIME,)), BROKEN,
), "main")  # fmt: skip


def test_markdown_has_the_failures_first_and_shows_hostile_text_as_text() -> None:
    text = markdown.report(OUTCOME)
    rows = [row for row in text.splitlines() if "rtx3060 |" in row]
    assert rows[0].startswith("| **over budget** | <code>a b.frag</code> |")
    assert "+100 % (at most 10 %)" in rows[0]
    assert "+80 % to +120 %" in rows[0]
    assert rows[1].startswith("| ok |")
    assert "1 check and 1 file failed" in text
    for markup in ("<script", "`</td", "@all", "](", "\x00", "\x1b", "\u202e"):
        assert markup not in text
    cells = [row.count("|") for row in text.splitlines() if row.startswith("| ")]
    assert set(cells) == {9, 5}  # no text of others adds a column


def test_junit_is_xml_with_a_suite_per_file() -> None:
    written = junit.report(OUTCOME).decode()
    assert not set(written) & {"\x00", "\x1b", "\u202e"}
    suites = ET.fromstring(written)
    assert [suites.get(name) for name in ("tests", "failures", "errors")] == ["4", "1", "1"]
    failure = suites[0].find("testcase/failure")
    assert failure is not None
    assert failure.get("type") == "over budget"
    assert failure.get("message", "").startswith("rtx3060: 2.00 ms, over budget; budget 1.00 ms")
    assert "500 µs before, 1.50 ms now" in (failure.text or "")
    error = suites[2].find("testcase/error")
    assert error is not None
    assert ":3: error: no such" in (error.text or "")


def test_sarif_places_a_failure_at_the_line_that_grew() -> None:
    log = json.loads(sarif.report(OUTCOME))
    (run,) = log["runs"]
    ids = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    broken, over = run["results"]
    assert {broken["ruleId"], over["ruleId"]} == {"no-forecast", "over-budget"} <= ids
    place = over["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "a%20b.frag", "uriBaseId": "%SRCROOT%"}
    assert place["region"] == {"startLine": 7}
    assert over["relatedLocations"][0]["physicalLocation"]["region"] == {"startLine": 9}
    at = broken["locations"][0]["physicalLocation"]["region"]
    assert at == {"startLine": 3, "startColumn": 5}


@pytest.mark.parametrize(
    ("ends", "said"),
    [((1.8, 2.2), "+80 % to +120 %"), ((None, None), "change not validated")],
)
def test_every_report_says_how_certain_a_change_is(ends, said) -> None:
    low, high = ends
    check = replace(OVER, change=replace(CHANGE, low_ratio=low, high_ratio=high))
    outcome = replace(OUTCOME, checks=(check,))
    reports = (
        markdown.report(outcome), junit.report(outcome).decode(), sarif.report(outcome).decode(),
        checks.text(outcome),
    )  # fmt: skip
    assert all(said in each for each in reports)
    same = replace(outcome, checks=(replace(check, change=Change(1.0, 1.0)),))
    assert "not validated" not in markdown.report(same) + checks.text(same)


def test_sarif_has_names_of_files_that_are_not_utf8() -> None:
    broken = CheckedFile("a\udcff.frag", "", error="it does not compile")
    (run,) = json.loads(sarif.report(Outcome(False, (), (broken,))))["runs"]
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "a%FF.frag"


def test_sarif_rules_say_what_github_shows_of_them() -> None:
    """Without these GitHub's ingestion rules refuse a log (GH2012 of Microsoft's validator)."""
    (run,) = json.loads(sarif.report(OUTCOME))["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == 4
    for rule in rules:
        assert rule["fullDescription"]["text"].endswith(".")
        assert rule["help"]["text"].endswith(".")
