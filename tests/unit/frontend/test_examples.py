"""The bundled shaders' descriptions."""

import re

from shaderlab.frontend.examples import examples


def test_there_are_enough_and_each_is_described_and_licensed():
    found = examples()
    assert len(found) >= 14
    assert len({example.title for example in found}) == len(found)
    for example in found:
        text = example.path.read_text(encoding="utf-8")
        assert text.startswith("// SPDX-License-Identifier: ")
        assert example.title
        assert example.shows
        assert all(len(line) <= 120 for line in text.split("\n"))


def test_their_order_is_given_without_ties():
    orders = [
        int(re.search(r"^// order: (\d+)$", example.path.read_text(), re.M)[1])
        for example in examples()
    ]
    assert orders == sorted(set(orders))
