"""What is said of the products of a family."""

from __future__ import annotations

from shaderlab.app.panels.studies.explore_view import verdict, within
from shaderlab.gpu.compilers.families import named
from shaderlab.gpu.radv.cost import FrameCost
from shaderlab.studies.explore import explore

(NAVI23,) = named("navi23")
COST = FrameCost("navi23", (1024, 768), 1e4, 4e10, 1e11, {}, (), (), 1.0, 1.0, "")
SPACE = explore(COST, NAVI23, (16, 32), (1e9, 2e9))


def test_a_product_is_within_surely_likely_or_not():
    slowest = SPACE.products[0]
    estimate = slowest.estimate
    assert within(slowest, estimate.high_s) == "yes"
    assert within(slowest, estimate.time_s) == "likely"
    assert within(slowest, 0.99 * estimate.time_s) == "no"


def test_the_verdict_names_the_weakest_product_and_the_sure_one():
    slowest, fastest = SPACE.products[0], SPACE.products[-1]
    assert verdict(SPACE, 10.0) == (
        f"Weakest product within 10.0 s: {slowest.product.name}, with its whole band."
    )
    at_once = verdict(SPACE, slowest.estimate.time_s)
    assert slowest.product.name in at_once
    assert at_once != verdict(SPACE, 10.0)
    none = verdict(SPACE, 0.5 * fastest.estimate.time_s)
    assert none.startswith("No product with this chip is within")
