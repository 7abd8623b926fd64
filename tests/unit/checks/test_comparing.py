from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.checks import comparing
from shaderlab.checks.budgets import Limit
from shaderlab.checks.outcome import (
    Check,
    CheckedFile,
    LineTime,
    Outcome,
    TargetTime,
    read_baseline,
)
from shaderlab.errors import WrongUse
from shaderlab.prediction.catalogue.change_bands import ChangeBand

BAND = ChangeBand("rtx3060", "additive", 100, 0.05, 0.1, 0.8)


def lines(*times: tuple[int, float, str]) -> tuple[LineTime, ...]:
    return tuple(LineTime(number, time_s, text) for number, time_s, text in times)


def checked(time_s: float | None, *times: tuple[int, float, str], low_s: float | None = None,
            method: str = "additive") -> CheckedFile:  # fmt: skip
    status = "lower bound" if time_s is None else "ok"
    low = time_s if low_s is None else low_s
    time = TargetTime("rtx3060", time_s, low, time_s, status, "inside", method, f"rtx3060 {method}",
                      (), lines(*times))  # fmt: skip
    return CheckedFile("a.frag", "0", (time,))


def check(now: CheckedFile, limit: Limit, base: CheckedFile | None = None, *,
          compared: bool = True) -> Check:  # fmt: skip
    bands = {("rtx3060", "additive"): BAND}
    (found,) = comparing.checks_of(now, {"rtx3060": limit}, base, compared=compared, bands=bands)
    return found


@pytest.mark.parametrize(
    ("time_s", "low_s", "budget_s", "verdict", "ok"),
    [
        (1e-3, 5e-4, 2e-3, "within budget", True),
        (1e-3, 5e-4, 9e-4, "over budget", False),
        (None, 5e-4, 4e-4, "over budget", False),
        (None, 5e-4, 1.0, "unknown", False),
        (1e-3, 5e-4, None, "no budget", True),
    ],
)
def test_a_budget_is_only_kept_by_a_time(time_s, low_s, budget_s, verdict, ok) -> None:
    found = check(checked(time_s, low_s=low_s), Limit(budget_s), compared=False)
    assert (found.verdict, found.ok, found.change) == (verdict, ok, None)
    assert found.within == {"within budget": True, "over budget": False}.get(verdict)


@pytest.mark.parametrize(
    ("now", "base", "verdict", "note"),
    [
        (checked(1.04), checked(1.0), "within budget", ""),
        (checked(1.06), checked(1.0), "slower than the base", ""),
        (checked(0.5), checked(1.0), "within budget", ""),
        (checked(1.0), None, "no budget", "new"),
        (checked(1.0), CheckedFile("a.frag", "", error="no"), "no budget", "has no time: no"),
        (checked(1.0), checked(None), "unknown", "the base has no time"),
        (checked(1.0), checked(1.0, method="pilr"), "unknown", "PILR before, fitted prices now"),
    ],
)
def test_an_increase_is_judged_where_both_times_can_be_compared(now, base, verdict, note) -> None:
    found = check(now, Limit(None, 0.05), base)
    assert found.change is not None
    assert found.verdict == verdict
    assert note in found.change.note


def test_over_budget_is_said_before_slower() -> None:
    assert check(checked(2.0), Limit(1.5, 0.05), checked(1.0)).verdict == "over budget"


def test_the_band_of_a_change_is_around_it() -> None:
    change = check(checked(2.0), Limit(), checked(1.0)).change
    assert change is not None
    assert change.low_ratio is not None
    assert change.high_ratio is not None
    assert change.low_ratio < 2.0 < change.high_ratio
    assert " to " in change.known


@pytest.mark.parametrize("doubt", [{"status": "estimate"}, {"domain": "outside"}])
@pytest.mark.parametrize("of_base", [False, True])
def test_a_change_of_forecasts_that_are_not_sure_has_no_band(doubt, of_base) -> None:
    now, base = checked(2.0), checked(1.0)
    doubtful = CheckedFile(
        "a.frag", "0", (msgspec.structs.replace((base if of_base else now).times[0], **doubt),)
    )
    change = check(*((now, Limit(), doubtful) if of_base else (doubtful, Limit(), base))).change
    assert change is not None
    assert (change.low_ratio, change.known) == (None, "change not validated")


def test_causes_follow_lines_that_moved_were_edited_added_or_removed() -> None:
    then = lines((1, 1.0, "a();"), (2, 2.0, "b(3);"), (3, 0.5, "gone();"), (9, 1.0, "same();"))
    now = lines((2, 1.0, "a();"), (3, 5.0, "b(9);"), (8, 1.0, "same();"), (9, 0.7, "new();"))
    found = comparing.causes_of(now, then, 7.7)
    assert [(c.line, c.text, c.now_s, c.then_s) for c in found] == [
        (3, "b(9);", 5.0, 2.0),
        (9, "new();", 0.7, 0.0),
        (3, "gone();", 0.0, 0.5),
    ]


TIMES = st.floats(0, 1)
LINES = st.lists(
    st.builds(LineTime, st.integers(1, 30), TIMES, st.sampled_from("abc")), max_size=12
)


@given(LINES, LINES)
def test_pairing_counts_every_line_once(now: list[LineTime], then: list[LineTime]) -> None:
    found = [c for key in [("", "")] for c in comparing._paired(
        comparing._by_text(now).get(key, []), comparing._by_text(then).get(key, []))]  # fmt: skip
    assert sum(c.now_s for c in found) == pytest.approx(sum(each.time_s for each in now))
    assert sum(c.then_s for c in found) == pytest.approx(sum(each.time_s for each in then))


def test_an_outcome_is_the_baseline_of_a_later_run(tmp_path: Path) -> None:
    file = checked(1.0, (3, 0.5, "x"))
    outcome = Outcome(False, (check(file, Limit(0.5), file),), (file,), "main")
    path = tmp_path / "base.json"
    path.write_bytes(msgspec.json.encode(outcome))
    assert read_baseline(path) == outcome
    path.write_bytes(msgspec.json.encode(msgspec.structs.replace(outcome, format=9)))
    with pytest.raises(WrongUse, match="format 9"):
        read_baseline(path)


def test_a_baseline_of_almost_no_time_is_none_to_compare_with() -> None:
    found = check(checked(1e-3), Limit(increase=0.1), checked(1e-309)).change
    assert found is not None
    assert found.ratio is None
    assert "no time to compare" in found.note


def test_a_baseline_with_more_lines_than_a_check_writes_is_refused(tmp_path: Path) -> None:
    found = checked(1e-3, *((n, 1e-6, "same();") for n in range(401)))
    path = tmp_path / "baseline.json"
    path.write_bytes(msgspec.json.encode(Outcome(True, (), (found,))))
    with pytest.raises(WrongUse, match="length <= 400"):
        read_baseline(path)
