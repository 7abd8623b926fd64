"""Which Pythons are asked for RenderDoc's module."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from shaderlab.captures import finding


@pytest.mark.parametrize("frozen", [False, True])
def test_our_own_python_is_asked_last_and_a_bundle_not_at_all(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, frozen: bool
) -> None:
    own = tmp_path / "shaderlab"
    monkeypatch.setattr(sys, "executable", str(own))
    monkeypatch.setattr(sys, "frozen", frozen, raising=False)
    found = finding._candidates()
    assert (own in found) is not frozen
    assert frozen or found[-1] == own
