"""The window's forecasts are those of the commands, field by field."""

from __future__ import annotations

import json

import pytest

from shaderlab import cli

from .conftest import CHEAP

FIELDS = ("time_s", "low_s", "high_s", "status", "method")


@pytest.fixture
def predicted(capsys, tmp_path):
    def predicted(text: str) -> dict[str, tuple]:
        path = tmp_path / "shader.frag"
        path.write_text(text)
        cli.main(["predict", str(path), "--device", "llvmpipe", "--json"])
        found = json.loads(capsys.readouterr().out)["targets"]
        return {each["target"]: tuple(each[name] for name in FIELDS) for each in found}

    return predicted


def shown(forecasts) -> dict[str, tuple]:
    return {each.target: tuple(getattr(each, name) for name in FIELDS) for each in forecasts}


def test_of_a_shader(driven, predicted):
    text = CHEAP.replace("i < 3", "i < 77")
    driven.show(text)
    session = driven.session
    driven.wait(lambda: not session.refining.pending and session.complete, "forecasts by all forms")
    assert shown(session.forecasts) == predicted(text)
