"""The two stages of a draw, each compiled by itself, made to fit together."""

from __future__ import annotations

from dataclasses import replace

from shaderlab.frontend.program import Dialect, Program
from shaderlab.spirv.module import Module
from shaderlab.spirv.passes.linking import linked_by_name, with_sets_above

_LINKED_BY_NAME = frozenset({Dialect.OPENGL, Dialect.ISF})
_BOUND_BY_STAGE = _LINKED_BY_NAME | {Dialect.HLSL, Dialect.SLANG}
"""Dialects whose stages share no bindings: by name only, or not at all."""


def linked(vertex: Program, fragment: Program) -> Program:
    """The vertex stage as the fragment stage needs it; as it is, where its text says where all is.

    Raises InvalidModule.
    """
    module, interface = vertex.module, fragment.interface
    if vertex.dialect in _LINKED_BY_NAME:
        above = max((each.location + 1 for each in interface.varyings), default=0)
        module = Module.parse(linked_by_name(module, fragment.module, above))
    if vertex.dialect in _BOUND_BY_STAGE:
        first = max((each.descriptor.set + 1 for each in interface.resources), default=0)
        module = Module.parse(with_sets_above(module, first))
    return vertex if module is vertex.module else replace(vertex, spirv=module.to_bytes())
