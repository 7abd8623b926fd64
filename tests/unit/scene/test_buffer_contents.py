"""Random contents of storage buffers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shaderlab.scene.buffer_filling import filled
from shaderlab.spirv.reflection import Descriptor, Resource, ResourceKind
from shaderlab.spirv.value_types import Array, Component, Member, Numeric, Struct, ValueType

FLOAT = Numeric(Component.FLOAT)


def buffer(element: ValueType, stride: int) -> Resource:
    block = Struct("B", (Member("data", Array(element, 0, stride)),))
    return Resource("b", Descriptor(0, 0), ResourceKind.STORAGE_BUFFER, block)


def test_what_is_no_array_is_as_it_was_given() -> None:
    members = (Member("n", Numeric(Component.UINT), 0), Member("data", Array(FLOAT, 0, 4), 4))
    resource = replace(buffer(FLOAT, 4), type=Struct("B", members))
    for given in (np.full(2, 77, np.uint32), np.full(9, 77, np.uint32)):
        data = filled(resource, 16, 7, given.tobytes())
        assert data[:4].view(np.uint32) == 77
        assert (data[4:].view(np.float32) < 1).all()


def test_numbers_stay_below_the_span() -> None:
    data = filled(buffer(Numeric(Component.UINT), 4), 4 * 1000, 7).view(np.uint32)
    assert set(data.tolist()) == set(range(7))


def test_arrays_of_arrays_are_filled_as_far_as_is_worth_the_time() -> None:
    kind: ValueType = FLOAT
    for _ in range(8):  # 256 ** 8 numbers
        kind = Array(kind, 256, 4)
    data = filled(buffer(kind, 1 << 16), 1 << 16, 7).view(np.float32)
    assert 0 < data.max() < 1
