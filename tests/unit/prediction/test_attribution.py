"""Executed instructions per source line, on a module small enough to count by hand."""

from __future__ import annotations

import numpy as np
import pytest

from shaderlab.prediction.attribution import executed_per_line
from shaderlab.prediction.traced_program import TracedProgram
from shaderlab.spirv.grammar import Op
from shaderlab.spirv.lines import DOCUMENT, PRELUDE
from shaderlab.spirv.module import Module
from shaderlab.spirv.trace import BlockCount, SourceLine, Trace


def words(*instructions: tuple) -> bytes:
    """A module of instructions given as (opcode, operand, …); a str operand is a literal string."""
    stream = [0x07230203, 0x00010500, 0, 40, 0]
    for opcode, *operands in instructions:
        encoded: list[int] = []
        for operand in operands:
            if isinstance(operand, str):
                text = operand.encode() + b"\0"
                text += b"\0" * (-len(text) % 4)
                encoded += np.frombuffer(text, "<u4").tolist()
            else:
                encoded.append(operand)
        stream += [(len(encoded) + 1) << 16 | opcode, *encoded]
    return np.array(stream, "<u4").tobytes()


MODULE = Module.parse(
    words(
        (Op.String, 1, DOCUMENT),
        (Op.String, 2, PRELUDE),
        (Op.String, 3, "noise.glsl"),
        (Op.Function, 30, 10, 0, 31),
        (Op.Label, 11),
        (Op.Variable, 32, 20, 7),  # no line
        (Op.Line, 2, 9, 0),
        (Op.Load, 30, 21, 20),  # prelude
        (Op.Line, 1, 4, 0),
        (Op.Load, 30, 22, 20),
        (Op.Load, 30, 23, 20),
        (Op.Branch, 12),
        (Op.Label, 12),
        (Op.Line, 1, 4, 0),
        (Op.Load, 30, 24, 20),
        (Op.Line, 3, 2, 0),
        (Op.Load, 30, 25, 20),
        (Op.Branch, 13),
        (Op.Label, 13),
        (Op.Line, 1, 7, 0),
        (Op.Return,),
        (Op.FunctionEnd,),
    )
)


def trace(*counts: int) -> Trace:
    opcodes = (
        {"OpVariable": 1, "OpLoad": 3, "OpBranch": 1, "OpLine": 2},
        {"OpLoad": 2, "OpBranch": 1, "OpLine": 2},
        {"OpReturn": 1, "OpLine": 1},
    )
    blocks = tuple(
        BlockCount(10, "main", label, count, (), histogram)
        for label, count, histogram in zip((11, 12, 13), counts, opcodes, strict=True)
    )
    return Trace("made-by-hand", (2, 5), 1.0, 1, blocks, float("nan"))


def test_each_instruction_counts_for_its_own_line():
    assert executed_per_line(MODULE, trace(10, 70, 0)) == {
        SourceLine("", 4): 3 * 10 + 1 * 70,
        SourceLine("noise.glsl", 2): 2 * 70,
    }


def test_shares_are_of_all_instructions_and_descend():
    class Program:
        module = MODULE

    shares = TracedProgram(Program(), trace(10, 70, 10)).line_shares
    total = 5 * 10 + 3 * 70 + 10
    assert shares == pytest.approx(
        {
            SourceLine("noise.glsl", 2): 140 / total,
            SourceLine("", 4): 100 / total,
            SourceLine("", 7): 10 / total,
        }
    )
    assert list(shares.values()) == sorted(shares.values(), reverse=True)
    assert sum(shares.values()) <= 1


def test_a_frame_that_runs_nothing_has_no_shares():
    class Program:
        module = MODULE

    assert TracedProgram(Program(), trace(0, 0, 0)).line_shares == {}
