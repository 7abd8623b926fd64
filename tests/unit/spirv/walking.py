"""Small modules put together by hand, and random walks through a module's flow graphs."""

from __future__ import annotations

import contextlib
import random

import numpy as np

from shaderlab.spirv import grammar
from shaderlab.spirv.analysis.cfg import branch_targets
from shaderlab.spirv.grammar import Op
from shaderlab.spirv.module import Function, Module
from shaderlab.spirv.passes.counter_placement import ENDS_INVOCATION
from shaderlab.spirv.passes.rewriting import encode, encode_string

VOID, BOOL, UINT, PROCEDURE, TRUE, ZERO = range(1, 7)
MAIN = 10


def module_of(functions: list[list[list[int]]], version: int = 0x00010500) -> Module:
    """A fragment module of the given functions, the first being `main` (id `MAIN`).

    Each function is a list of instructions, each a list of opcode and operands; OpFunction and
    OpFunctionEnd are put around, the functions' ids counting up from `MAIN`.
    """
    words = [
        *encode(Op.Capability, 1),
        *encode(Op.MemoryModel, 0, 1),
        *encode(Op.EntryPoint, 4, MAIN, *encode_string("main")),
        *encode(Op.ExecutionMode, MAIN, 7),
        *encode(Op.TypeVoid, VOID),
        *encode(Op.TypeBool, BOOL),
        *encode(Op.TypeInt, UINT, 32, 0),
        *encode(Op.TypeFunction, PROCEDURE, VOID),
        *encode(Op.ConstantTrue, BOOL, TRUE),
        *encode(Op.Constant, UINT, ZERO, 0),
    ]
    for number, body in enumerate(functions):
        words += encode(Op.Function, VOID, MAIN + number, 0, PROCEDURE)
        for instruction in body:
            words += encode(*instruction)
        words += encode(Op.FunctionEnd)
    header = [grammar.MAGIC, version, 0, 100_000, 0]
    return Module.parse(np.array(header + words, "<u4").tobytes())


class WalkTooLong(Exception):
    """The walk did not leave the functions within its budget."""


class _Ended(Exception):
    """The invocation ended in the middle."""


def random_counts(
    module: Module, functions: list[Function], root: int, rng: random.Random, budget: int = 3000
) -> list[int]:
    """Executions of each block of `functions` in one invocation that branches by chance."""
    slots = {}
    for function in functions:
        for block in function.blocks:
            slots[block.label] = len(slots)
    counts = [0] * len(slots)
    steps = 0

    def run(function: Function) -> None:
        nonlocal steps
        by_label = {block.label: block for block in function.blocks}
        block = function.blocks[0]
        while True:
            counts[slots[block.label]] += 1
            steps += 1
            if steps > budget:
                raise WalkTooLong
            for index in range(block.first + 1, block.last + 1):
                opcode = int(module.opcodes[index])
                if opcode == Op.FunctionCall:
                    run(module.function_by_id[module.instruction_words(index)[3]])
                elif opcode in ENDS_INVOCATION:
                    raise _Ended
            targets = branch_targets(module, block.last)
            if not targets:
                return
            block = by_label[rng.choice(targets)]

    with contextlib.suppress(_Ended):
        run(module.function_by_id[root])
    return counts
