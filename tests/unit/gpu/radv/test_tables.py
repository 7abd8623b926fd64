"""Constant arrays found by their size."""

from __future__ import annotations

import struct

import numpy as np

from shaderlab.gpu.radv.tables import constant_tables
from shaderlab.spirv.grammar import Op
from shaderlab.spirv.module import Module

FLOAT, VECTOR, UINT, THREE, ARRAY = 1, 2, 3, 4, 5


def module_of(*instructions: tuple[int, ...]) -> Module:
    words = [0x07230203, 0x00010300, 0, 64, 0]
    for opcode, *operands in instructions:
        words += [(len(operands) + 1) << 16 | opcode, *operands]
    return Module(np.array(words, np.uint32))


def bits(value: float) -> int:
    return struct.unpack("<I", struct.pack("<f", value))[0]


TYPES = (
    (Op.TypeFloat, FLOAT, 32),
    (Op.TypeVector, VECTOR, FLOAT, 2),
    (Op.TypeInt, UINT, 32, 0),
    (Op.Constant, UINT, THREE, 3),
    (Op.TypeArray, ARRAY, VECTOR, THREE),
    (Op.Constant, FLOAT, 10, bits(1.5)),
    (Op.Constant, FLOAT, 11, bits(-2.0)),
    (Op.ConstantComposite, VECTOR, 12, 10, 11),
    (Op.ConstantNull, VECTOR, 13),
)


def test_words_lie_one_after_another() -> None:
    module = module_of(*TYPES, (Op.ConstantComposite, ARRAY, 20, 12, 13, 12))
    one, two = bits(1.5), bits(-2.0)
    assert constant_tables(module) == {24: (one, two, 0, 0, one, two)}


def test_two_arrays_of_one_size_are_told_apart_only_if_alike() -> None:
    first = (Op.ConstantComposite, ARRAY, 20, 12, 13, 12)
    alike = (Op.ConstantComposite, ARRAY, 21, 12, 13, 12)
    other = (Op.ConstantComposite, ARRAY, 21, 12, 12, 12)
    assert set(constant_tables(module_of(*TYPES, first, alike))) == {24}
    assert constant_tables(module_of(*TYPES, first, other)) == {}


def test_vectors_are_no_arrays() -> None:
    assert constant_tables(module_of(*TYPES)) == {}
