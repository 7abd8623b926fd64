"""Broken modules, and everything shaderlab does with a module nobody validated."""

from __future__ import annotations

import random

import numpy as np

from shaderlab.errors import InvalidModule, UnsupportedShader
from shaderlab.scene.binding import Binding
from shaderlab.scene.inputs import Inputs
from shaderlab.spirv import grammar
from shaderlab.spirv.analysis.barriers import hazards
from shaderlab.spirv.analysis.cfg import FlowGraph
from shaderlab.spirv.analysis.influence import influence
from shaderlab.spirv.analysis.kernel_uses import kernel_uses
from shaderlab.spirv.block_counts import describe
from shaderlab.spirv.module import Module
from shaderlab.spirv.pass_through import pass_through
from shaderlab.spirv.passes.counting import instrument
from shaderlab.spirv.passes.registry import PASSES
from shaderlab.spirv.reflection import reflect

_OPCODES = sorted(grammar.INSTRUCTIONS)


def survives(data: bytes) -> bool:
    """Whether the bytes made a countable module; otherwise one clear line said why not."""
    try:
        module = Module.parse(data)
        for function in module.functions:
            assert function.name
            graph = FlowGraph(function)
            assert len(graph.cyclic) == len(graph.immediate_dominators) == len(function.blocks)
            assert graph.merges is not None
            assert graph.loops is not None
        for entry in module.entry_points:
            counted = instrument(module, entry.name)
            Module.parse(counted.spirv)
            for rewrite in PASSES.values():
                Module.parse(rewrite.apply(module, entry.name))
            counts = counted.derivation.totals([0] * len(counted.fields))
            described = describe(module, counted.blocks, counts)
            assert [b.instructions for b in described] == list(counted.block_instructions)
    except InvalidModule as error:
        said = str(error)
    else:
        return True
    assert said
    assert "\n" not in said
    return False


def is_bound(data: bytes) -> bool:
    """Whether the bytes made a module whose inputs are known and given values; otherwise one clear
    line said why not."""
    try:
        module = Module.parse(data)
        for entry in module.entry_points:
            interface = reflect(module, entry)
            influence(module, entry, interface)
            kernel_uses(module, entry, interface)
            hazards(module, entry, interface)
            linked_varyings = pass_through(interface.varyings)
            Module.parse(linked_varyings.spirv)
            binding = Binding(interface)
            listed = binding.listed(Inputs(), (64, 48))
            assert len({each.name for each in listed}) == len(listed)
            binding.blocks(Inputs(), (64, 48))
            binding.push_constants(Inputs(), (64, 48))
            binding.spec_constants(Inputs())
            binding.texture_elements(Inputs())
    except (InvalidModule, UnsupportedShader) as error:
        said = str(error)
    else:
        return True
    assert said
    assert "\n" not in said
    return False


def mutated(words: list[int], rng: random.Random) -> bytes:
    """The module with one to six faults of the kinds that files and attackers produce."""
    words = list(words)
    for _ in range(rng.randint(1, 6)):
        at = rng.randrange(len(words))
        change = rng.choice(("word", "id", "opcode", "length", "insert", "delete", "cut", "copy"))
        if change == "word":
            words[at] = rng.randrange(1 << 32)
        elif change == "id":
            words[at] = rng.choice(words)
        elif change == "opcode":
            words[at] = words[at] & 0xFFFF0000 | rng.choice(_OPCODES)
        elif change == "length":
            words[at] = rng.randint(0, 12) << 16 | words[at] & 0xFFFF
        elif change == "insert":
            words.insert(at, rng.choice((rng.randrange(1 << 32), rng.choice(words))))
        elif change == "delete":
            del words[at : at + rng.randint(1, 8)]
        elif change == "cut" and rng.random() < 0.2:
            del words[at + 1 :]
        elif change == "copy":
            words[at:at] = words[at : at + rng.randint(1, 12)]
        words = words or [0]
    return np.array(words, "<u4").tobytes()
