from __future__ import annotations

import json

import pytest

from shaderlab import __version__
from shaderlab.cli import main
from shaderlab.cli.version import data


@pytest.mark.parametrize("words", [["version", "--json"], ["--version", "--json"]])
def test_version_says_what_is_inside(words: list[str], capsys: pytest.CaptureFixture) -> None:
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["version"] == __version__
    assert found["kind"] == "checkout"
    assert found["libraries"]["numpy"]
    assert "torch" not in found["libraries"]  # an extra is not what shaderlab needs
    assert found["models"]["bundles"] > 10


def test_equal_models_have_an_equal_hash() -> None:
    assert data()["models"] == data()["models"]
