"""The table of AMD families."""

from __future__ import annotations

import pytest

from shaderlab.errors import UnknownTarget
from shaderlab.gpu.radv import families

SIXTEEN = {
    "polaris10", "polaris11", "vega10", "vega20", "raven", "renoir", "navi10", "navi14",
    "navi21", "navi22", "navi23", "navi24", "rembrandt", "gfx1100", "gfx1101", "gfx1102",
}  # fmt: skip


def test_every_product_has_its_numbers_and_their_source() -> None:
    table = families.families()
    assert {family.slug for family in table} >= SIXTEEN
    for family in table:
        assert family.products, family.slug
        for product in family.products:
            assert 1 <= product.compute_units <= 128
            assert 0.5e9 < product.boost_hz < 4e9
            assert "https://" in product.source
            assert product.specification.startswith("https://")
        units = [product.compute_units for product in family.products]
        assert units == sorted(units, reverse=True), "the largest first"


def test_every_number_but_one_is_printed_by_a_page_that_was_read() -> None:
    unconfirmed = {
        (product.name, what)
        for family in families.families()
        for product in family.products
        for what in ("compute_units", "boost_mhz")
        if not product.confirmed.get(what)
    }
    assert unconfirmed == {("Radeon VII", "boost_mhz")}
    (radeon_vii,) = next(f for f in families.families() if f.slug == "vega20").products
    assert "boost clock: confirmed nowhere" in radeon_vii.source
    gre = next(f for f in families.families() if f.slug == "gfx1100").products[-1]
    assert gre.name == "Radeon RX 7900 GRE"
    assert {page.kind for page in gre.confirmed["compute_units"]} == {
        "AMD's documentation",
        "report of AMD's figures",
    }
    assert all(page.url.startswith("https://") for page in gre.confirmed["boost_mhz"])


@pytest.mark.parametrize(
    ("slug", "teraflops", "per_lane"),
    [("navi10", 9.75, 2), ("navi21", 23.65, 2), ("gfx1100", 61.4, 4), ("gfx1102", 22.57, 4)],
)
def test_units_and_clock_make_the_throughput_amd_prints(
    slug: str, teraflops: float, per_lane: int
) -> None:
    """Peak FP32 is lanes x clock x 2, twice that where two can issue at once (RDNA 3)."""
    product = next(f for f in families.families() if f.slug == slug).largest
    peak = product.compute_units * 64 * product.boost_hz * per_lane / 1e12
    assert peak == pytest.approx(teraflops, rel=2e-3)


def test_no_spelling_means_two_families() -> None:
    names = families.spellings()
    assert len(names) == len(set(names))


@pytest.mark.parametrize("wanted", ["gfx1100", "navi31", "Navi 31", "NAVI31"])
def test_a_family_is_found_by_slug_spelling_and_chip(wanted: str) -> None:
    (found,) = families.choose(families.families(), [wanted])
    assert found.slug == "gfx1100"
    assert found.name == "Navi 31 (Radeon RX 7900 XTX, RX 7900 XT, RX 7900 GRE)"


@pytest.mark.parametrize(
    ("slug", "later"),
    [("gfx1100", "navi31"), ("gfx1103", "phoenix"), ("gfx1150", "strix1"), ("gfx1201", "gfx1201")],
)
def test_later_mesas_spell_families_otherwise(slug: str, later: str) -> None:
    family = next(f for f in families.families() if f.slug == slug)
    assert family.spellings[-1] == later


def test_an_unknown_family_is_told_with_what_there_is() -> None:
    with pytest.raises(UnknownTarget, match=r"voodoo2.*polaris10"):
        families.choose(families.families(), ["navi10", "voodoo2"])


def test_twice_named_is_chosen_once() -> None:
    chosen = families.choose(families.families(), ["navi31", "renoir", "gfx1100"])
    assert [family.slug for family in chosen] == ["gfx1100", "renoir"]
