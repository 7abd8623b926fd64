"""The committed table is what the generator makes of the installed grammar."""

import importlib.util
import json
from pathlib import Path

import pytest

from shaderlab.locations import resources

ROOT = Path(__file__).resolve().parents[3]


def generator():
    spec = importlib.util.spec_from_file_location(
        "make_grammar", ROOT / "packaging" / "make_grammar.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_table_is_up_to_date(tmp_path):
    make_grammar = generator()
    if not (make_grammar.DEFAULT_SOURCE / "spirv.core.grammar.json").exists():
        pytest.skip("needs spirv-headers")
    table = make_grammar.distil(make_grammar.DEFAULT_SOURCE)
    committed = resources() / "spirv" / "grammar.json"
    if table["version"] != json.loads(committed.read_text())["version"]:
        pytest.skip("spirv-headers of another version")
    make_grammar.write(table, tmp_path / "grammar.json")
    assert (tmp_path / "grammar.json").read_text() == committed.read_text()
