"""Which descriptor an image instruction reads, through functions and back."""

from __future__ import annotations

import pytest

from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.optimizing import optimized
from shaderlab.spirv.reflection import Descriptor
from shaderlab.spirv.texture_reads import texture_reads

THROUGH_FUNCTIONS = """
vec4 twice(sampler2D s, vec2 p) { return texture(s, p) * 2.0; }
vec4 inner(vec2 p, sampler2D a) { return twice(a, p); }
void mainImage(out vec4 c, vec2 p) { c = inner(p, iChannel1) + texelFetch(iChannel0, ivec2(p), 0); }
"""
ONE_OF_TWO = """
vec4 once(sampler2D s, vec2 p) { return texture(s, p); }
void mainImage(out vec4 c, vec2 p) { c = once(iChannel0, p) + once(iChannel1, p); }
"""


@pytest.mark.parametrize("form", [lambda each: each, optimized])
def test_reads_are_followed_through_functions(form) -> None:
    module = form(compile_text(THROUGH_FUNCTIONS, "made-for-the-test", None)).module
    assert sorted(texture_reads(module).values()) == [Descriptor(0, 1), Descriptor(0, 2)]


def test_a_function_that_reads_either_of_two_names_none() -> None:
    program = compile_text(ONE_OF_TWO, "made-for-the-test", None)
    assert list(texture_reads(program.module).values()) == [None]
    inlined = optimized(program).module
    assert sorted(texture_reads(inlined).values()) == [Descriptor(0, 1), Descriptor(0, 2)]
