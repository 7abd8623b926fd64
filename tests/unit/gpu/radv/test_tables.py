"""Constant arrays as the listing has them, and found by their size."""

from __future__ import annotations

import struct

import numpy as np

from shaderlab.gpu.radv.tables import ConstantData, constant_data, constant_tables
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


LISTING = """
\ts_endpgm                                                    ; bf810000

/* constant data */
[000000] 00000001 00000002 00000003 00000004 00000005 00000006 00000007 00000008
[000032] 3f800000 0000000a
"""


def test_the_listing_tells_arrays_of_one_size_apart() -> None:
    found = constant_data(module_of(*TYPES), LISTING)
    assert found.words(0, 20) == (1, 2, 3, 4, 5)
    assert found.words(20, 20) == (6, 7, 8, bits(1.0), 10)


def test_what_is_not_in_the_listing_is_not_known() -> None:
    found = constant_data(module_of(*TYPES, (Op.ConstantComposite, ARRAY, 20, 12, 13, 12)), LISTING)
    assert found.words(20, 24) is None
    assert found.words(2, 4) is None


def test_without_a_listing_the_array_of_that_size_is_taken() -> None:
    module = module_of(*TYPES, (Op.ConstantComposite, ARRAY, 20, 12, 13, 12))
    assert constant_data(module, "").words(0, 24) == constant_tables(module)[24]
    assert ConstantData().words(0, 24) is None
