"""Values that a program's own text gives its inputs."""

from __future__ import annotations

from shaderlab.frontend.program import Program
from shaderlab.scene.inputs import Numbers


def texts_values(program: Program) -> dict[str, Numbers]:
    """By name, as the text's dialect writes them."""
    found = {}
    for name, given in program.given.items():
        if given.value is not None:
            parts = given.value if isinstance(given.value, tuple) else (given.value,)
            found[name] = tuple(map(float, parts))
    return found
