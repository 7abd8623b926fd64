"""What a sample says about a program that really compiled."""

from __future__ import annotations

from collections import Counter

import pytest

from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.program import Program
from shaderlab.samples import operations
from shaderlab.spirv import grammar
from shaderlab.spirv.module import Module


@pytest.fixture(scope="module")
def program() -> Program:
    text = """\
vec3 shade(mat3 turn, vec3 p, float t) {
    vec3 n = normalize(turn * p);
    return n * t + sin(n);
}
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    float c = cos(iTime);
    fragColor = vec4(shade(mat3(c), vec3(fragCoord, 1.0), c), 1.0);
}
"""
    return compile_text(text, "shade.frag", None)


def test_operations_tell_extended_instructions_and_widths(program: Program) -> None:
    total: Counter[str] = Counter()
    for histogram in operations.operations_by_label(program.module).values():
        total += histogram
    assert total["OpExtInst.Normalize*3"] == 1
    assert total["OpExtInst.Sin*3"] == 1
    assert total["OpExtInst.Cos"] == 1
    assert total["OpMatrixTimesVector*3"] == 1
    assert total["OpCompositeConstruct*9"] == 1
    assert total["OpVectorTimesScalar*3"] == 1
    assert not any("Line" in name for name in total)


def test_operations_are_the_blocks_opcodes(program: Program) -> None:
    found = operations.operations_by_label(program.module)
    for function in program.module.functions:
        for block in function.blocks:
            opcodes: Counter[str] = Counter()
            for operation, n in found[block.label].items():
                opcodes[operations.opcode_of(operation)] += n
            assert opcodes == Counter(map(grammar.name, block.opcodes.tolist()))


def test_static_opcodes_are_all_instructions(program: Program) -> None:
    assert operations.static_opcodes(program.module).total() == len(program.module)


def test_uses_of_undefined_values_are_counted() -> None:
    def words(*instructions: tuple[int, ...]) -> list[int]:
        return [w for op, *rest in instructions for w in ((len(rest) + 1) << 16 | op, *rest)]

    op = grammar.Op
    body = words(
        (op.TypeVoid, 1),
        (op.TypeFunction, 2, 1),
        (op.TypeInt, 3, 32, 0),
        (op.TypeVector, 10, 3, 2),
        (op.Undef, 3, 4),
        (op.Undef, 10, 11),
        (op.Function, 1, 5, 0, 2),
        (op.Label, 6),
        (op.IAdd, 3, 7, 4, 4),
        (op.IAdd, 3, 8, 7, 7),
        (op.CompositeExtract, 3, 9, 11, 4),  # the literal 4 is no use of %4
        (op.Phi, 3, 12, 4, 6),
        (op.Return,),
        (op.FunctionEnd,),
    )
    header = [grammar.MAGIC, 0x00010000, 0, 13, 0]
    module = Module.parse(b"".join(w.to_bytes(4, "little") for w in header + body))
    assert operations.undefined_uses(module) == 4
