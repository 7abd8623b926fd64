"""The documentation beside the data sets is that of the schema."""

from __future__ import annotations

import json

from shaderlab import locations
from shaderlab.samples import schema

FOLDER = locations.models() / "datasets"


def test_the_files_are_up_to_date() -> None:
    assert (FOLDER / "SCHEMA.md").read_text("utf-8") == schema.documentation()
    described = json.loads((FOLDER / "sample.schema.json").read_text("utf-8"))
    assert described == json.loads(json.dumps(schema.json_schema()))
