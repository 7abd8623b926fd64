"""Write the documentation and the JSON Schema of samples beside the data sets.

    python -m models.recipes.sample_schema

A test fails while they differ from `shaderlab.samples.sample`, their one source.
"""

from __future__ import annotations

import json

from shaderlab import locations
from shaderlab.samples import schema

FOLDER = locations.models() / "datasets"


def files() -> dict[str, str]:
    """Contents by file name."""
    return {
        "SCHEMA.md": schema.documentation(),
        "sample.schema.json": json.dumps(schema.json_schema(), indent=1, ensure_ascii=False) + "\n",
    }


if __name__ == "__main__":
    for name, text in files().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
