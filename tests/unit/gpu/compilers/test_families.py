"""The table of other vendors' chips."""

from __future__ import annotations

import pytest

from shaderlab import products
from shaderlab.errors import UnknownTarget
from shaderlab.gpu.compilers import families
from shaderlab.gpu.compilers.vendors import VENDORS
from shaderlab.gpu.radv.discovery import spellings

_NUMBERS = {"units": "units", "clock_mhz": "clock_hz", "bandwidth_gbs": "bandwidth_bps"}


AMD = families.of_vendor(VENDORS["amd"])
OTHERS = tuple(family for family in families.families() if family not in AMD)


def test_every_number_is_printed_by_a_page_that_was_read() -> None:
    for family in OTHERS:
        assert family.products, family.slug
        for product in family.products:
            for what, field in _NUMBERS.items():
                pages = product.confirmed.get(what, ())
                assert (getattr(product, field) is not None) == bool(pages), (product.name, what)
                assert all(page.url.startswith("http") for page in pages)
            assert product.units is None or 1 <= product.units <= 1024
            assert product.clock_hz is None or 0.2e9 < product.clock_hz < 4e9
            assert product.bandwidth_bps is None or 1e10 < product.bandwidth_bps < 2e12


def test_names_are_distinct_from_one_another_and_from_amds() -> None:
    slugs = [family.slug for family in families.families()]
    assert len(slugs) == len(set(slugs))
    assert not {family.slug for family in OTHERS} & set(spellings())
    assert not set(slugs) & set(VENDORS)
    for vendor in VENDORS.values():
        ids = [each for family in families.of_vendor(vendor) for each in family.spellings]
        assert len(ids) == len(set(ids))


@pytest.mark.parametrize(
    ("wanted", "slug"),
    [
        ("cfl", "cfl"),
        ("UHD Graphics 630", "cfl"),
        ("uhd630", "cfl"),
        ("GeForce RTX 3060", "ga106"),
        ("rtx3060", "ga106"),
        ("RTX-3060", "ga106"),
        ("GTX 1660 Ti", "tu116"),
        ("Arc B580", "bmg"),
        ("adreno 740", "adreno740"),
        ("Snapdragon 8 Gen 2", "adreno740"),
        ("Mali-G610", "malig610"),
    ],
)
def test_a_family_is_found_by_slug_chip_and_product(wanted: str, slug: str) -> None:
    (found,) = families.choose(families.families(), [wanted])
    assert found.slug == slug
    assert families.named(wanted) == (found,)


@pytest.mark.parametrize("wanted", ["nvidia", "NVIDIA", "nvk"])
def test_a_vendor_means_all_of_its_chips(wanted: str) -> None:
    found = families.choose(families.families(), [wanted, "ga106"])
    assert found == families.of_vendor(VENDORS["nvidia"])
    assert len(found) > 2


def test_an_unknown_name_lists_those_there_are() -> None:
    there = families.of_vendor(VENDORS["adreno"])[:2]
    with pytest.raises(UnknownTarget, match='no compiled target "rtx9090"; there are: adreno618, '):
        families.choose(there, ["adreno630", "rtx9090"])
    with pytest.raises(UnknownTarget, match="there are: none"):
        families.choose((), ["adreno630"])


SIXTEEN = {
    "polaris10", "polaris11", "vega10", "vega20", "raven", "renoir", "navi10", "navi14",
    "navi21", "navi22", "navi23", "navi24", "rembrandt", "gfx1100", "gfx1101", "gfx1102",
}  # fmt: skip


def test_every_product_of_amd_has_its_numbers_and_their_source() -> None:
    assert {family.slug for family in AMD} >= SIXTEEN
    for family in AMD:
        assert family.products, family.slug
        for product in family.products:
            assert 1 <= product.units <= 128
            assert 0.5e9 < product.clock_hz < 4e9
            assert product.source
            assert product.listed or product.specification.startswith("https://")
        units = [product.units for product in family.products]
        assert units == sorted(units, reverse=True), "the largest first"


def test_products_of_amd_are_in_one_table() -> None:
    beside = {each.name for family in AMD for each in family.products if not each.listed}
    names = [each.name for family in AMD for each in family.products]
    assert len(names) == len(set(names))
    of_amd = {each.mesa for each in products.products().values() if each.core.vendor == "amd"}
    assert of_amd - {None} <= {family.slug for family in AMD}
    older = [each for each in beside if "Ryzen" not in each]
    assert all(name.startswith(("Radeon RX 4", "Radeon RX 5")) for name in older)
    listed = next(f for f in AMD if f.slug == "navi23").products[1]
    assert (listed.name, listed.units, listed.clock_hz) == ("Radeon RX 6600 XT", 32, 2.589e9)


@pytest.mark.parametrize(
    ("slug", "teraflops", "per_lane"),
    [("navi10", 9.75, 2), ("navi21", 23.65, 2), ("gfx1100", 61.4, 4), ("gfx1102", 22.57, 4)],
)
def test_units_and_clock_make_the_throughput_amd_prints(
    slug: str, teraflops: float, per_lane: int
) -> None:
    """Peak FP32 is lanes x clock x 2, twice that where two can issue at once (RDNA 3)."""
    product = next(f for f in AMD if f.slug == slug).largest
    peak = product.units * 64 * product.clock_hz * per_lane / 1e12
    assert peak == pytest.approx(teraflops, rel=2e-3)


@pytest.mark.parametrize("wanted", ["gfx1100", "navi31", "Navi 31", "NAVI31"])
def test_a_family_of_amd_is_found_by_slug_spelling_and_chip(wanted: str) -> None:
    (found,) = families.choose(AMD, [wanted])
    assert found.slug == "gfx1100"
    assert found.name == "Navi 31 (Radeon RX 7900 XTX, RX 7900 XT, RX 7900 GRE)"


@pytest.mark.parametrize(
    ("slug", "later"),
    [("gfx1100", "navi31"), ("gfx1103", "phoenix"), ("gfx1150", "strix1"), ("gfx1201", "gfx1201")],
)
def test_later_mesas_spell_families_otherwise(slug: str, later: str) -> None:
    family = next(f for f in AMD if f.slug == slug)
    assert family.spellings[-1] == later


def test_an_unknown_family_is_told_with_what_there_is() -> None:
    with pytest.raises(UnknownTarget, match=r"voodoo2.*polaris10"):
        families.choose(AMD, ["navi10", "voodoo2"])


def test_twice_named_is_chosen_once() -> None:
    chosen = families.choose(AMD, ["navi31", "renoir", "gfx1100"])
    assert [family.slug for family in chosen] == ["gfx1100", "renoir"]
