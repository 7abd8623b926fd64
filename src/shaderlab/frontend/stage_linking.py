"""The two stages of a draw, each compiled by itself, made to fit together."""

from __future__ import annotations

from dataclasses import replace

from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.program import Dialect, Program
from shaderlab.spirv.module import Module
from shaderlab.spirv.passes.linking import linked_by_name, with_sets_above
from shaderlab.spirv.value_types import Component, Numeric

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


def reader(vertex: Program) -> Program:
    """A fragment shader that reads every output of a vertex shader.

    Without one, drivers leave out of the vertex shader what only its outputs need.  Those of 64
    bits are not read.  Raises CompileFailed, MissingTool.
    """
    outputs = [each for each in vertex.interface.outputs if each.type.bits == 32]
    inputs = [
        f"layout(location = {each.location}) "
        f"{'' if each.component is Component.FLOAT else 'flat '}in {each.type.glsl} v{number};"
        for number, each in enumerate(outputs)
    ]
    parts = [part for n, each in enumerate(outputs) for part in _parts(f"v{n}", each.type)]
    lines = [
        "#version 450",
        *inputs,
        "layout(location = 0) out vec4 colour;",
        f"void main() {{ colour = vec4({' + '.join(parts) or '0.0'}); }}",
    ]
    return compile_text("\n".join(lines), "reader of varyings", None)


def _parts(name: str, kind: Numeric) -> list[str]:
    """Each component as a float."""
    columns = [name] if kind.columns == 1 else [f"{name}[{n}]" for n in range(kind.columns)]
    return [
        f"float({column})" if kind.rows == 1 else f"float({column}.{letter})"
        for column in columns
        for letter in "xyzw"[: kind.rows]
    ]
