"""What is said of the products of a family."""

from __future__ import annotations

import math
from dataclasses import replace

from shaderlab.gpu.compilers.families import named
from shaderlab.gpu.radv.cost import FrameCost
from shaderlab.prediction.catalogue.targets import installed
from shaderlab.prediction.forecast import Status
from shaderlab.studies.explore import explore, on_products, verdict, weakest, within
from tests.unit.app.panels.targets.test_panel import forecast

(NAVI23,) = named("navi23")
COST = FrameCost("navi23", (1024, 768), 1e4, 4e10, 1e11, {}, (), (), 1.0, 1.0, "")
INFOS = installed(wanted=["rtx4070", "steamdeck", "uhd630", "llvmpipe"])
BOUND = replace(forecast("uhd630", 4e-3), time_s=None, high_s=None, status=Status.LOWER_BOUND)
TIMES_S = {"rtx4070": 1e-3, "steamdeck": 9e-3, "llvmpipe": 1.0}
EVERY = on_products(INFOS, [*(forecast(*each) for each in TIMES_S.items()), BOUND])
SPACE = explore(COST, NAVI23, (16, 32), (1e9, 2e9))


def test_products_of_all_vendors_stand_slowest_first_without_software():
    assert [each.info.target for each in EVERY.products] == ["steamdeck", "uhd630", "rtx4070"]


def test_a_lower_bound_holds_no_budget_and_an_untested_law_is_called_so():
    steamdeck, uhd630, _ = EVERY.products
    assert [within(uhd630, s) for s in (1e-3, 5e-3, 1.0)] == [
        "no",
        "unknown",
        "unknown",
    ]
    without_band = replace(steamdeck, forecast=replace(steamdeck.forecast, high_s=None))
    assert (uhd630.high_s, without_band.high_s) == (math.inf, math.inf)
    assert weakest(EVERY.products, 5e-3).info.target == "rtx4070"
    assert verdict(EVERY.products, 1.0) == (
        "Weakest product within 1.00 s: Steam Deck (untested), with its whole band."
    )
    assert within(steamdeck, 10e-3) == "likely"
    assert verdict([uhd630], 1.0) == (
        "No product is known to be within 1.00 s: of 1 only a lower bound is known."
    )


def test_a_product_is_within_surely_likely_or_not():
    slowest = SPACE.products[0]
    estimate = slowest.estimate
    assert within(slowest, estimate.high_s) == "yes"
    assert within(slowest, estimate.time_s) == "likely"
    assert within(slowest, 0.99 * estimate.time_s) == "no"


def test_the_verdict_names_the_weakest_product_and_the_sure_one():
    slowest, fastest = SPACE.products[0], SPACE.products[-1]
    assert verdict(SPACE.products, 10.0) == (
        f"Weakest product within 10.0 s: {slowest.product.name}, with its whole band."
    )
    at_once = verdict(SPACE.products, slowest.estimate.time_s)
    assert slowest.product.name in at_once
    assert at_once != verdict(SPACE.products, 10.0)
    none = verdict(SPACE.products, 0.5 * fastest.estimate.time_s)
    assert none.startswith("None of these products is within")
