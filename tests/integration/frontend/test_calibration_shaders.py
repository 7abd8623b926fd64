"""The shaders a calibration times: each compiles, in every size, and each is in the order once."""

from __future__ import annotations

from collections import Counter

import pytest

from shaderlab import locations
from shaderlab.frontend.calibration_shaders import every, in_order, variants
from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.examples import examples
from shaderlab.prediction.features.kind_groups import GROUPS, group_of
from shaderlab.spirv.grammar import Op

FILES = sorted((locations.resources() / "calibration").glob("*.frag"))


def test_a_text_comes_in_the_sizes_it_names():
    text = "// About.\n#define N 24  // also 4, 300\nvoid mainImage() { N; }\n"
    found = {each.name: each.text for each in variants("waves", text)}
    assert list(found) == ["waves-24", "waves-4", "waves-300"]
    assert found["waves-300"] == "// About.\n#define N 300\nvoid mainImage() { N; }\n"
    (alone,) = variants("plain", "void mainImage() {}")
    assert (alone.name, alone.text) == ("plain", "void mainImage() {}")


def test_the_order_holds_every_shader_once():
    names = Counter(each.name for each in in_order())
    assert set(names) == {each.name for each in every()}
    assert max(names.values()) == 1
    assert {each.path.stem for each in examples()} < set(names)
    assert [each.name for each in in_order(5)] == [each.name for each in in_order()][:5]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_compiles_without_a_word(path):
    for each in variants(path.stem, path.read_text(encoding="utf-8")):
        program = compile_text(each.text, each.name, None)
        assert not program.diagnostics
        assert program.module.indices(Op.Store)


def test_the_first_of_them_already_use_most_groups():
    """Or a short calibration would leave whole groups at the prices of another GPU."""
    from shaderlab.prediction.features.program_analysis import analyse_module

    seen = set()
    for each in in_order(16):
        plan = analyse_module(compile_text(each.text, each.name, None).module).plan
        seen |= {group_of(kind) for kind in plan.kinds}
    assert set(GROUPS) - seen <= {"texture", "other"}
