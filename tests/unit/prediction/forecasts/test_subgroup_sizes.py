"""Which targets' subgroups differ from those counted, and by how much that widens a band."""

from __future__ import annotations

import pytest

from shaderlab.frontend.compiler import compile_text
from shaderlab.prediction.catalogue.targets import catalogue
from shaderlab.prediction.forecasts.subgroup_sizes import SAME, subgroup_sizes
from shaderlab.spirv.trace import Trace

HEAD = """\
#version 450
#extension GL_KHR_shader_subgroup_basic : enable
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };
"""
DEPENDS = f"""{HEAD}void main() {{
    for (uint i = 0u; i < gl_SubgroupSize; i++) result[gl_LocalInvocationIndex] += i;
}}
"""


def sizes(target: str, counted: int | None, text: str = DEPENDS):
    (found,) = catalogue().choose([target])
    trace = Trace("llvmpipe", (64, 1), 0.0, 0, (), float("nan"), subgroup=counted)
    return subgroup_sizes(found, compile_text(text, "a.comp", None), trace)


@pytest.mark.parametrize(
    ("target", "factor", "said"),
    [
        ("rtx3060", 1.0, ""),
        ("rx6600xt", 2.0, "this target has 32 or 64"),
        ("renoir", 2.0, "this target has 64"),
        ("uhd630", 4.0, "this target has 8 to 32"),
        ("llvmpipe", 4.0, "this target has 8"),
        ("swiftshader", 8.0, "this target has 4"),
    ],
)
def test_a_target_is_compared_with_the_32_that_were_counted(target, factor, said):
    found = sizes(target, 32)
    assert found.factor == factor
    assert " ".join(found.sentences).endswith(said)
    assert bool(found.sentences) == bool(said)


def test_of_a_device_s_own_size_every_target_may_differ():
    found = sizes("rtx3060", None)
    assert found.factor == 16.0
    assert "Line 6" in found.sentences[0]
    assert "8 on llvmpipe" in found.sentences[0]


def test_where_no_line_depends_on_the_size_nothing_differs():
    text = f"{HEAD}void main() {{ result[0] = gl_SubgroupSize; }}"
    assert sizes("swiftshader", None, text) == SAME
