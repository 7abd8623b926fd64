"""The committed table is what the generator makes of the installed grammar."""

import json

import pytest

from models.recipes import grammar_table
from shaderlab.locations import resources


def test_the_table_is_up_to_date(tmp_path):
    if not (grammar_table.DEFAULT_SOURCE / "spirv.core.grammar.json").exists():
        pytest.skip("needs spirv-headers")
    table = grammar_table.distil(grammar_table.DEFAULT_SOURCE)
    committed = resources() / "spirv" / "grammar.json"
    if table["version"] != json.loads(committed.read_text())["version"]:
        pytest.skip("spirv-headers of another version")
    grammar_table.write(table, tmp_path / "grammar.json")
    assert (tmp_path / "grammar.json").read_text() == committed.read_text()
