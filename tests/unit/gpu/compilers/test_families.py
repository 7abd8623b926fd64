"""The table of other vendors' chips."""

from __future__ import annotations

import pytest

from shaderlab.errors import UnknownTarget
from shaderlab.gpu.compilers import families
from shaderlab.gpu.compilers.vendors import VENDORS
from shaderlab.gpu.radv import families as amd

_NUMBERS = {"units": "units", "clock_mhz": "clock_hz", "bandwidth_gbs": "bandwidth_bps"}


def test_every_number_is_printed_by_a_page_that_was_read() -> None:
    for family in families.families():
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
    assert not set(slugs) & set(amd.spellings())
    assert not set(slugs) & set(VENDORS)
    for vendor in VENDORS.values():
        ids = [family.id for family in families.of_vendor(vendor)]
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
