"""The data sets that ship with shaderlab are as sound as those it accepts."""

from __future__ import annotations

from pathlib import Path

import pytest

from shaderlab import locations
from shaderlab.samples import exchange

SETS = sorted((locations.models() / "datasets").glob("*.parquet"))


@pytest.mark.parametrize("path", SETS, ids=lambda path: path.stem)
def test_every_row_is_accepted_and_holds_no_source(path: Path) -> None:
    reasons = set()
    rows = 0
    for checked in exchange.read(path):
        rows += 1
        reasons.add(checked.reason)
        assert checked.sample is None or checked.sample.program.text is None
    assert reasons == {None}
    assert f"{rows} samples" in path.with_suffix(".md").read_text("utf-8")
