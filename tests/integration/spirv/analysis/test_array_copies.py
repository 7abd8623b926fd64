"""Arrays copied as a whole, in compiled shaders all of whose blocks ran."""

from __future__ import annotations

import pytest

from models.laboratory.untraced import once_each
from shaderlab.frontend.compiler import compile_text
from shaderlab.prediction.features.traced_program import TracedProgram
from shaderlab.prediction.forecasts.claims import CopiedArray, copied_array
from shaderlab.spirv.analysis.array_copies import array_copies
from shaderlab.spirv.source_lines import instruction_lines

VALUES = ", ".join(f"{n}.5" for n in range(200))
TABLE = f"const float table[200] = float[]({VALUES});"
HEAD = "void mainImage(out vec4 fragColor, in vec2 fragCoord)\n{\n"


def copies(text: str, least: int = 128, *, ran: bool = True) -> list[tuple[int, int]]:
    """Line and scalars of each."""
    module = compile_text(text, "made-for-the-test", None).module
    executed = {(f.id, block.label) for f in module.functions for block in f.blocks}
    at = instruction_lines(module)
    found = array_copies(module, executed if ran else (), least)
    return [(place.line if (place := at.at(e.used)) else 0, e.values) for e in found]


def test_a_table_that_is_looked_into_at_a_place_known_only_then():
    text = f"{TABLE}\n{HEAD}fragColor = vec4(table[int(fragCoord.x) % 200]);\n}}\n"
    assert copies(text) == [(4, 200)]
    assert copies(text, 201) == []
    assert copies(text, ran=False) == []


def test_a_local_table_and_one_of_vectors():
    vectors = ", ".join(f"vec3({n}.0)" for n in range(50))
    text = (
        f"{HEAD}vec3 own[50] = vec3[]({vectors});\n"
        "fragColor = vec4(own[int(fragCoord.x) % 50], 1.0);\n}\n"
    )
    assert copies(text) == [(4, 150)]


def test_an_array_given_to_a_function_by_value():
    text = (
        "float sum(float all[200]) { float s = 0.0; for (int i = 0; i < 200; i++) s += all[i];"
        " return s; }\n"
        f"{HEAD}float own[200];\nown[int(fragCoord.x) % 200] = 1.0;\n"
        "fragColor = vec4(sum(own));\n}\n"
    )
    assert (6, 200) in copies(text)


@pytest.mark.parametrize(
    "text",
    [
        f"{TABLE}\n{HEAD}fragColor = vec4(table[7]);\n}}\n",
        f"{HEAD}float own[200];\nown[int(fragCoord.x) % 200] = 1.0;\n"
        "fragColor = vec4(own[int(fragCoord.y) % 200]);\n}\n",
        f"{HEAD}fragColor = vec4(1.0);\n}}\n",
    ],
)
def test_single_elements_are_no_copies(text):
    assert copies(text) == []


def test_a_forecast_names_the_largest_and_its_line():
    text = f"{TABLE}\n{HEAD}fragColor = vec4(table[int(fragCoord.x) % 200]);\n}}\n"
    program = compile_text(text, "made-for-the-test", None)
    found = copied_array(TracedProgram(program, once_each(program)))
    assert found == CopiedArray(200, "line 4")
    assert str(found) == "the array of 200 values that line 4 reads is copied as a whole"
