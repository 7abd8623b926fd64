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
        units = [product.compute_units for product in family.products]
        assert units == sorted(units, reverse=True), "the largest first"


def test_no_spelling_means_two_families() -> None:
    names = families.spellings()
    assert len(names) == len(set(names))


@pytest.mark.parametrize("wanted", ["gfx1100", "navi31", "Navi 31", "NAVI31"])
def test_a_family_is_found_by_slug_spelling_and_chip(wanted: str) -> None:
    (found,) = families.choose(families.families(), [wanted])
    assert found.slug == "gfx1100"
    assert found.name == "Navi 31 (Radeon RX 7900 XTX, RX 7900 XT, RX 7900 GRE)"


def test_an_unknown_family_is_told_with_what_there_is() -> None:
    with pytest.raises(UnknownTarget, match=r"voodoo2.*polaris10"):
        families.choose(families.families(), ["navi10", "voodoo2"])


def test_twice_named_is_chosen_once() -> None:
    chosen = families.choose(families.families(), ["navi31", "renoir", "gfx1100"])
    assert [family.slug for family in chosen] == ["gfx1100", "renoir"]
