"""What studies print."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from shaderlab.cli.texts import exploring, sweeping
from shaderlab.gpu.compilers.families import named
from shaderlab.gpu.radv.cost import FrameCost
from shaderlab.prediction.forecast import Forecast, Validation
from shaderlab.studies.axes import Axis
from shaderlab.studies.explore import explore
from shaderlab.studies.pictures import Difference
from shaderlab.studies.sweep import Point, Sweep, Timed

(NAVI23,) = named("navi23")
COST = FrameCost("navi23", (1024, 768), 1e4, 4e10, 1e11, {}, (), (), 1.0, 1.0, "")


def swept(*values: str, failure: str = "") -> Sweep:
    points = [
        Point(
            (value,),
            (Forecast("llvmpipe", t, t / 2, 2 * t, "additive", "basis", Validation(
                None, None, None, ""), warnings=("a warning",)),),
            Timed(1.1 * t, 0.01, "processor time"),
            Difference(0.5 / n, 0.1 / n) if n < len(values) else Difference(0.0, 0.0),
        )
        for n, (value, t) in enumerate(((v, 1e-3 * float(v)) for v in values), 1)
    ]  # fmt: skip
    if failure:
        points[0] = replace(points[0], forecasts=(), measured=None, failure=failure)
    return Sweep((Axis("STEPS", values),), (values[-1],), "llvmpipe", tuple(points))


def test_a_sweep_prints_times_pictures_knee_and_agreement():
    found = swept("8", "16", "32", "64")
    text = sweeping.text(found)
    assert "llvmpipe, measured" in text
    assert "8.80 ms" in text
    assert "same" in text
    assert "knee: picture 16" in text
    assert "off the measured curve by 9.1 % (median), moved through the reference by 0 %" in text
    assert text.count("a warning") == 1
    assert "most expensive: 64\n" in text
    data = json.loads(json.dumps(sweeping.data(found), allow_nan=False))
    assert data["knee"]["picture"] == ["16"]
    assert data["points"][3]["picture"]["psnr_db"] is None
    assert data["cheapest"]["llvmpipe"] == ["8"]
    assert data["points"][0]["anchored_s"] == pytest.approx(8.8e-3)
    assert data["agreement"]["llvmpipe"]["spearman"] == 1.0


def test_a_variant_that_failed_is_named_and_escaped():
    text = sweeping.text(swept("8", "16", "32", failure="no \x1b[31mtable"))
    assert "8: no \\u001b[31mtable" in text


def test_a_family_prints_times_rates_products_and_the_weakest():
    space = explore(COST, NAVI23, (16, 32), (1e9, 2e9))
    text = exploring.text([space], {"gfx1200": "not counted"}, 1.0)
    assert "compute units" in text
    assert "60 Hz from: 16 CU" in text
    assert "gfx1200: not counted" in text
    assert "Weakest product within 1.00 s: Radeon RX 6600, with its whole band." in text
    data = json.loads(json.dumps(exploring.data([space], {}, 1e-9), allow_nan=False))
    assert data["weakest"] is None
    assert len(data["families"][0]["time_s"]) == 2
