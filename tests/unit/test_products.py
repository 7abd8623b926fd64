import json
import re

import pytest

from shaderlab import products
from shaderlab.errors import WrongUse
from shaderlab.locations import resources

TABLE = products.products()
TEXT = (resources() / "gpus" / "products.toml").read_text("utf-8")

TFLOPS = {
    # TechPowerUp's database, "FP32 (float)", which of RDNA 3 and 4 counts paired instructions.
    "gtx1660ti": 5.44,
    "rtx2080ti": 13.45,
    "rtx3060": 12.74,
    "rtx3080": 29.77,
    "rtx4070": 29.15,
    "rtx4090": 82.58,
    "rtx5080": 56.28,
    "h100": 66.91,
    "rxvega64": 12.66,
    "rx5700xt": 9.75,
    "rx6600xt": 10.6,
    "steamdeck": 1.638,
    "rx7900xtx": 61.39,
    "rx9070xt": 48.66,
    "uhd630": 0.4608,
    "arca770": 19.66,
    "arcb580": 13.67,
    "arc140v": 3.994,
}
BANDWIDTH = {
    # Width of the bus in bits times transfers a second: the memory that the vendors name.
    "gtx1660ti": 192 * 12,
    "rtx2080ti": 352 * 14,
    "rtx3060": 192 * 15,
    "rtx3090": 384 * 19.5,
    "rtx4060": 128 * 17,
    "rtx4090": 384 * 21,
    "rtx5070": 192 * 28,
    "rtx5090": 512 * 28,
    "rx6700xt": 192 * 16,
    "rx7800xt": 256 * 19.5,
    "rx9070": 256 * 20,
    "arca750": 256 * 16,
    "arcb580": 192 * 19,
    "steamdeck": 128 * 5.5,
    "radeon-8060s": 256 * 8,
    "renoir": 128 * 3.2,
}


def test_there_are_sixty_products_of_three_vendors_and_all_kinds_of_machine():
    assert len(TABLE) >= 60
    assert {each.core.vendor for each in TABLE.values()} == {"nvidia", "amd", "intel"}
    assert len({each.form for each in TABLE.values()}) == 6
    assert len({each.name for each in TABLE.values()}) == len(TABLE)


def test_products_that_are_targets_have_the_targets_slug():
    published = {
        "rtx3060",
        "rtx4060-laptop",
        "gtx1660ti",
        "rx6600xt",
        "rx7900gre",
        "renoir",
        "uhd630",
    }
    assert published <= set(TABLE)
    assert all(re.fullmatch(r"[a-z0-9-]+", slug) for slug in TABLE)


@pytest.mark.parametrize("slug", TFLOPS)
def test_lanes_and_clock_give_the_published_rate_of_arithmetic(slug: str):
    found = TABLE[slug]
    lanes = found.core.paired_lanes or found.core.fma_lanes
    rate = 2 * lanes * found.units * found.boost_mhz * 1e6
    assert rate == pytest.approx(TFLOPS[slug] * 1e12, rel=0.03)


@pytest.mark.parametrize("slug", BANDWIDTH)
def test_bandwidth_is_that_of_the_memory(slug: str):
    assert TABLE[slug].bandwidth_gbs == pytest.approx(BANDWIDTH[slug] / 8, rel=0.03)


def test_compilers_of_mesa_are_those_of_the_families_and_their_vendors():
    families = json.loads((resources() / "compilers" / "families.json").read_text("utf-8"))
    vendors = {each["slug"]: each["vendor"] for each in families["families"]}
    named = {each.slug: each for each in TABLE.values() if each.mesa is not None}
    assert len(named) > 60
    assert all(vendors[each.mesa or ""] == each.core.vendor for each in named.values())


def test_a_sustained_clock_lies_below_the_boost_and_not_by_half():
    for each in TABLE.values():
        if each.sustained_mhz is not None:
            assert 0.7 * each.boost_mhz < each.sustained_mhz < each.boost_mhz, each.slug


def test_the_clock_is_the_sustained_one_where_there_is_one():
    assert TABLE["rx7800xt"].clock_hz == 2124e6
    assert TABLE["rtx4070"].clock_hz == 2475e6


def test_data_centre_gpus_draw_with_four_of_their_units():
    assert (TABLE["h200"].units, TABLE["h200"].units_drawing) == (132, 4)
    assert TABLE["rtx4090"].units_drawing == 128


def test_integrated_gpus_name_the_processor_that_their_figures_are_of():
    integrated = [each for each in TABLE.values() if each.form == "integrated"]
    assert integrated
    assert all(each.processor for each in integrated)


@pytest.mark.parametrize(
    ("written", "instead", "message"),
    [
        ("units = 46", "units = 0", r"products.*\.units"),
        ('design = "ada"', 'design = "adax"', r"rtx4\S+: there is no adax"),
        ('sources = ["nvidia",', 'sources = ["nvidai",', r"gtx1650: there is no nvidai"),
        ("drawing_units = 4", "drawing_units = 133", "drawing_units of H100 SXM"),
        ("boost_mhz = 2475", "boost = 2475", "boost"),
        ("[products.rtx4070]", "[products.RTX4070]", "products"),
        ('month = "2024-06"', 'month = "June"', "share"),
        ("[sources.nvidia]", "[sources.nvidia", "not valid TOML"),
    ],
)
def test_a_damaged_table_is_refused_with_the_key(written: str, instead: str, message: str):
    assert written in TEXT
    with pytest.raises(WrongUse, match=message) as caught:
        products.parse(TEXT.replace(written, instead, 1))
    assert "products.toml" in str(caught.value)
