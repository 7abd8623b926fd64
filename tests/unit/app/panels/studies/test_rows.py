"""A sweep as a table, and what is offered to sweep."""

from __future__ import annotations

import pytest

from shaderlab.app.panels.studies.rows import knobs, rows, suggested, summary
from shaderlab.prediction.forecast import Forecast, Validation
from shaderlab.scene.inputs import Source
from shaderlab.scene.shader_input import InputKind, ShaderInput
from shaderlab.spirv.value_types import Component, Numeric
from shaderlab.studies.axes import Axis
from shaderlab.studies.pictures import Difference
from shaderlab.studies.sweep import Point, Sweep, Timed

VALIDATION = Validation(None, None, None, "")


def forecast(seconds: float) -> Forecast:
    return Forecast(
        "rtx3060", seconds, 0.8 * seconds, 1.2 * seconds, "additive", "basis", VALIDATION
    )


def made() -> Sweep:
    points = tuple(
        Point((value,), (forecast(t),), Timed(2 * t, 0.01, "clock"), Difference(off, off / 10))
        for value, t, off in (
            ("8", 1e-4, 0.9), ("16", 2e-4, 0.4), ("32", 4e-4, 0.05), ("64", 8e-4, 0.01),
            ("128", 16e-4, 0.0),
        )
    )  # fmt: skip
    return Sweep((Axis("STEPS", tuple(p.values[0] for p in points)),), ("128",), "llvmpipe", points)


def test_rows_mark_the_reference_and_the_knee_of_the_picture():
    found = rows(made(), "rtx3060")
    assert [row.value for row in found if row.is_reference] == ["128"]
    assert [row.value for row in found if row.is_knee] == ["32"]
    assert (found[0].predicted, found[0].band) == ("100 µs", "80.0 µs to 120 µs")
    assert found[0].measured == "200 µs"
    assert (found[0].changed, found[-1].psnr) == ("90 %", "same")


def test_a_variant_that_failed_says_why():
    swept = Sweep((Axis("N", ("1",)),), ("1",), "llvmpipe", (Point(("1",), failure="no"),))
    (row,) = rows(swept, "rtx3060")
    assert (row.predicted, row.tip) == ("\u2013", "no")


def test_another_target_has_no_time():
    assert {row.predicted for row in rows(made(), "uhd630")} == {"\u2013"}


def test_the_summary_names_range_and_knee():
    said = summary(made(), "rtx3060", "GeForce RTX 3060")
    assert said.startswith("100 µs to 1.60 ms predicted on GeForce RTX 3060")
    assert "from that at 128 has its knee at 32" in said


@pytest.mark.parametrize(
    ("value", "whole", "values"),
    [
        ("64", True, "16,32,64,128,256"),
        ("3", True, "2,3,6,12"),
        ("0.5", False, "0.125,0.25,0.5,1,2"),
        ("0", True, "0,1,2,4"),
        ("true", False, "false,true"),
    ],
)
def test_values_are_suggested_around_the_present_one(value, whole, values):
    assert suggested(value, whole=whole) == values


def test_only_plain_numbers_are_offered():
    text = "#define STEPS 64\n#define HALF (0.5 * STEPS)\nconst vec3 L = vec3(1.0);\n"
    assert [each.name for each in knobs(text, ())] == ["STEPS"]


def test_inputs_are_offered_that_the_text_reads():
    inputs = [
        ShaderInput(
            name, InputKind.UNIFORM, "float", (1.0,), Source.DEFAULT, Numeric(Component.FLOAT)
        )
        for name in ("iTime", "iSampleRate")
    ]
    offered = lambda text: [each.name for each in knobs(text, inputs)]  # noqa: E731
    assert offered("a = iTime;") == ["iTime"]
    assert offered('#include "wave.glsl"\n') == ["iTime", "iSampleRate"]


def test_numbers_beyond_all_bounds_are_not_offered():
    text = f"#define N {'9' * 400}\nconst float FAR = 1e999;\n#define STEPS 8\n"
    assert [each.name for each in knobs(text, ())] == ["STEPS"]
