"""Fitting a vertex stage to a fragment stage that was compiled by itself.

Where a text gives no locations and bindings, its compiler numbers them by the order of declaration
in that stage alone.  OpenGL links outputs and inputs by their names (GLSL 4.60, section 4.3.4), and
in Direct3D each stage has registers of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from shaderlab.spirv.grammar import Decoration, Op, StorageClass
from shaderlab.spirv.module import Module


class _Located(NamedTuple):
    """A variable with a location."""

    name: str
    """Of its block, where it is one, else its own."""
    location: int
    at: int
    """Index of the word that holds the location."""


def linked_by_name(vertex: Module, fragment: Module, above: int) -> bytes:
    """The vertex stage with its outputs at the locations of the fragment stage's inputs of their
    names; those of no such name lie from location `above` on."""
    into = {each.name: each.location for each in _located(fragment, StorageClass.Input)}
    words = vertex.words.copy()
    for each in _located(vertex, StorageClass.Output):
        words[each.at] = into.get(each.name, above + each.location)
    return words.astype("<u4").tobytes()


def with_sets_above(module: Module, first: int) -> bytes:
    """The module with its descriptor sets numbered from `first` on."""
    words = module.words.copy()
    for index in module.indices(Op.Decorate):
        if module.instruction_words(index)[2] == Decoration.DescriptorSet:
            words[int(module.starts[index]) + 3] += np.uint32(first)
    return words.astype("<u4").tobytes()


def _located(module: Module, storage: int) -> Iterator[_Located]:
    """Variables of a storage class that are decorated with a location."""
    variables: dict[int, str] = {}
    for index in module.indices(Op.Variable):
        _, pointer, variable, kind, *_ = module.instruction_words(index)
        if kind == storage:
            pointee = module.definition(pointer).operands[-1]
            is_block = module.definition(pointee).opcode == Op.TypeStruct
            named = pointee if is_block else variable
            variables[variable] = module.names.get(named, "")
    for index in module.indices(Op.Decorate):
        words = module.instruction_words(index)
        if words[2] == Decoration.Location and variables.get(words[1]):
            yield _Located(variables[words[1]], words[3], int(module.starts[index]) + 3)
