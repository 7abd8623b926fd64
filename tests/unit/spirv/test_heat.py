from __future__ import annotations

import numpy as np

from shaderlab.spirv.heat import HeatKind, HeatView
from shaderlab.spirv.trace import BlockId


class Counted:
    """Stands for an `Instrumented` of two blocks whose counters are their counts."""

    blocks = (BlockId(1, 10), BlockId(1, 11))

    def heat(self, raw, weights=(2, 5)):
        return (raw * np.array(weights, np.uint32)[:, None, None]).sum(axis=0, dtype=np.uint32)

    def lanes_busy(self, raw):
        height, width = raw.shape[1:]
        groups = -(-height // 4), -(-width // 8)
        return np.arange(groups[0] * groups[1], dtype=np.float32).reshape(groups)


RAW = np.arange(2 * 6 * 11, dtype=np.uint32).reshape(2, 6, 11)


def test_instructions_are_the_counts_by_their_weights():
    view = HeatView(HeatKind.INSTRUCTIONS)
    values = view.values(Counted(), RAW)
    assert values.dtype == view.dtype == np.uint32
    assert values.tolist() == (2 * RAW[0] + 5 * RAW[1]).tolist()


def test_executions_of_the_chosen_blocks_add_up_and_those_of_others_count_nothing():
    def values(*labels):
        return HeatView(HeatKind.BLOCKS, frozenset(labels)).values(Counted(), RAW).tolist()

    assert values(11) == RAW[1].tolist()
    assert values(10, 11) == (RAW[0] + RAW[1]).tolist()
    assert values(10, 99) == RAW[0].tolist()
    assert values() == np.zeros((6, 11)).tolist()


def test_every_pixel_has_its_lane_groups_value():
    view = HeatView(HeatKind.LANES)
    values = view.values(Counted(), RAW)
    assert values.shape == (6, 11)
    assert values.dtype == view.dtype == np.float32
    assert [[values[y, x] == 2 * (y // 4) + x // 8 for x in range(11)] for y in range(6)] == [
        [True] * 11
    ] * 6


def test_views_are_keys():
    one = HeatView(HeatKind.BLOCKS, frozenset((1, 2)))
    assert {one: 1}[HeatView(HeatKind.BLOCKS, frozenset((2, 1)))] == 1
    assert one != HeatView(HeatKind.BLOCKS)
