"""What a campaign reports while it goes on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shaderlab.campaigns.campaign import Progress
from shaderlab.cli import campaigning


def test_progress_is_reported_every_few_seconds_and_at_the_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 100.0
    monkeypatch.setattr(campaigning.time, "monotonic", lambda: now)
    report = campaigning._Reporter("llvmpipe")
    progress = Progress(9, 0, 0, 0, 61.0, 0.5, "a.frag")
    for done, seconds in ((1, 0.1), (2, 0.1), (3, campaigning._REPORT_EVERY_S), (9, 0.1)):
        now += seconds
        report(replace(progress, recorded=done))
    told = [line.split(",")[0] for line in capsys.readouterr().err.splitlines()]
    assert told == ["llvmpipe: 1/9", "llvmpipe: 3/9", "llvmpipe: 9/9"]
