from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.gpu.naming import distinct, slug


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("llvmpipe (LLVM 15.0.6, 256 bits)", "llvmpipe"),
        ("SwiftShader Device (Subzero)", "swiftshader"),
        ("SwiftShader Device (LLVM 10.0.0)", "swiftshader"),
        ("NVIDIA GeForce RTX 3060", "rtx3060"),
        ("GeForce GTX 1660 Ti", "gtx1660ti"),
        ("NVIDIA GeForce RTX 4060 Laptop GPU", "rtx4060-laptop"),
        ("NVIDIA GeForce GTX 1070 with Max-Q Design", "gtx1070-laptop"),
        ("NVIDIA H200", "h200"),
        ("NVIDIA A100-SXM4-40GB", "a100-sxm4-40gb"),
        ("AMD Radeon RX 6600 XT (RADV NAVI23)", "rx6600xt"),
        ("AMD Radeon RX 7900 GRE (RADV NAVI31)", "rx7900gre"),
        ("AMD Radeon RX 6600 XT", "rx6600xt"),
        ("AMD Radeon Graphics (RADV RENOIR)", "renoir"),
        ("AMD RADV NAVI23 (ACO)", "navi23"),
        ("Null hardware (RADV GFX1100)", "gfx1100"),
        ("Intel(R) UHD Graphics 630 (CFL GT2)", "uhd630"),
        ("Mesa Intel(R) UHD Graphics 630 (CFL GT2)", "uhd630"),
        ("Intel(R) Arc(tm) A770 Graphics (DG2)", "arca770"),
        ("Intel(R) Iris(R) Xe Graphics (TGL GT2)", "irisxe"),
        ("Intel(R) Graphics (ADL-S GT1)", "adl-sgt1"),
        ("Apple M1 (G13G B1)", "applem1"),
        ("", "device"),
        ("显卡", "device"),
    ],
)
def test_names_of_real_drivers(name, expected):
    assert slug(name) == expected


@given(st.text(max_size=60))
def test_any_name_gives_a_word_fit_for_a_command_line(name):
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", slug(name))


@given(st.lists(st.sampled_from(["a", "a-2", "b", "a-2-2"]), max_size=12))
def test_distinct_slugs_differ_and_first_comers_keep_theirs(slugs):
    given_names = distinct(slugs)
    assert len(set(given_names)) == len(slugs)
    assert not slugs or given_names[0] == slugs[0]
    assert all(name.startswith(base) for name, base in zip(given_names, slugs, strict=True))
