"""Errors measured with compilers that the prices were not fitted to."""

from __future__ import annotations

import pytest

from shaderlab import locations
from shaderlab.frontend.mesa import mesa_of
from shaderlab.prediction.models import other_compilers


@pytest.mark.parametrize(
    ("driver", "mesa"),
    [
        ("radv Mesa 22.3.6", "22.3"),
        ("radv Mesa 25.0.7-2", "25.0"),
        ("radv Mesa 25.0.7 (shaderlab)", "25.0 (shaderlab)"),
        ("radv Mesa 24.1.0-devel (git-abc)", "24.1"),
        ("AMD proprietary", ""),
        ("", ""),
    ],
)
def test_versions_of_mesa(driver: str, mesa: str) -> None:
    assert mesa_of(driver) == mesa


def test_what_stands_for_a_compiler() -> None:
    assert "spirv-opt" in other_compilers.standing("")
    assert "which the prices were fitted to" in other_compilers.standing("radv Mesa 22.3.6")
    assert "rtx3060 5" in other_compilers.standing("radv Mesa 25.0.7")
    assert "no error was measured" in other_compilers.standing("radv Mesa 24.1.0")


@pytest.mark.parametrize(
    "text",
    [
        '{"errors": {"25.0": {"rtx3060": 3}}}',
        '{"errors": {"25.0": {"rtx3060": {"initialised": {"mape": NaN, "n": 1e999}}}}}',
        '{"errors": [1]}',
        "[" * 100_000,
    ],
)
def test_a_damaged_file_is_no_known_error(tmp_path, monkeypatch, text: str) -> None:
    (tmp_path / other_compilers.FILE).write_text(text)
    monkeypatch.setattr(locations, "models", lambda: tmp_path)
    other_compilers._errors.cache_clear()
    try:
        assert other_compilers.validation("rtx3060", "radv Mesa 25.0.7") is None
    finally:
        other_compilers._errors.cache_clear()
