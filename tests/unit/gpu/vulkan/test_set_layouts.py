"""Where uniform blocks are placed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from shaderlab.gpu.vulkan.set_layouts import Slot, with_place_left
from shaderlab.spirv.reflection import Descriptor, Resource, ResourceKind
from shaderlab.spirv.value_types import Struct


@pytest.mark.parametrize(
    ("slug", "most", "counts"),
    [
        ("llvmpipe", 15, [1, 1, 1, 2, 1, 1]),
        ("llvmpipe", 5, [1, 1, 1, 1, 1, 1]),
        ("rtx3060", 15, [1, 1, 1, 1, 1, 1]),
    ],
)
def test_only_on_lavapipe_no_uniform_block_has_the_fourth_place(slug, most, counts):
    kinds = [ResourceKind.STORAGE_BUFFER] + [ResourceKind.UNIFORM_BLOCK] * 5
    slots = {
        at: Slot(Resource("b", at, kind, Struct("B", ())), 1, 16)
        for at, kind in ((Descriptor(0, n), kind) for n, kind in enumerate(kinds))
    }
    limits = SimpleNamespace(maxPerStageDescriptorUniformBuffers=most)
    device = SimpleNamespace(info=SimpleNamespace(slug=slug), limits=limits)
    found = with_place_left(slots, cast("Any", device))
    assert [each.count for each in found.values()] == counts
