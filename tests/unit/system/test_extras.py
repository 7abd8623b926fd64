"""How missing libraries are to be had, by how shaderlab itself was installed."""

from __future__ import annotations

import sys

import pytest

from shaderlab.system import extras


def test_pip_installs_an_extra() -> None:
    assert extras.remedy("share") == "Install it: pip install 'shaderlab[share]'."


def test_a_bundle_cannot_be_extended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert "cannot be extended: install shaderlab with pipx or pip" in extras.remedy("training")
