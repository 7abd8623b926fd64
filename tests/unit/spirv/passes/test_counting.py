"""What the counting pass writes, and what it makes of the counters the device wrote."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shaderlab.errors import CounterOverflow, InvalidModule
from shaderlab.spirv.analysis.cfg import call_order
from shaderlab.spirv.grammar import Op
from shaderlab.spirv.module import Module
from shaderlab.spirv.passes import counting
from shaderlab.spirv.passes.atomic_counting import SHARDS, instrument_atomic
from shaderlab.spirv.passes.counting import SATURATED, instrument
from tests.unit.spirv.passes.test_counter_placement import programs
from tests.unit.spirv.walking import MAIN, TRUE, VOID, WalkTooLong, module_of, random_counts

LOOP = [
    [Op.Label, 100],
    [Op.Branch, 101],
    [Op.Label, 101],
    [Op.LoopMerge, 104, 103, 0],
    [Op.BranchConditional, TRUE, 102, 104],
    [Op.Label, 102],
    [Op.FunctionCall, VOID, 200, MAIN + 1],
    [Op.Branch, 103],
    [Op.Label, 103],
    [Op.Branch, 101],
    [Op.Label, 104],
    [Op.Return],
]
MODULE = module_of([LOOP, [[Op.Label, 105], [Op.Return]]])


def raw_of(instrumented, per_pixel):
    """Stored words (words, h, w) from block counts (h, w, blocks)."""
    counts = np.array(per_pixel, np.uint64)
    raw = np.zeros((instrumented.counters, *counts.shape[:2]), np.uint32)
    for slot, field in zip(instrumented.derivation.counted, instrumented.fields, strict=True):
        assert (counts[..., slot] < 1 << field.bits).all()
        raw[field.word] |= counts[..., slot].astype(np.uint32) << np.uint32(field.shift)
    return raw


def trips(*numbers):
    """Block counts of MODULE's blocks for pixels of so many trips."""
    return [[1, n + 1, n, n, 1, n] for n in numbers]


def test_blocks_and_their_instructions():
    instrumented = instrument(MODULE, "main")
    assert instrumented.blocks == (*((MAIN, label) for label in range(100, 105)), (MAIN + 1, 105))
    assert instrumented.block_instructions == (1, 2, 2, 1, 1, 1)
    assert (instrumented.descriptor_set, instrumented.binding) == (1, 0)
    assert instrumented.counters == 2
    full = instrument(MODULE, "main", every_block=True)
    # Those of the loop a word each, the two that run once share one.
    assert len(full.fields) == 6
    assert full.counters == 5


def test_counts_heat_and_lane_groups_of_a_loop():
    instrumented = instrument(MODULE, "main")
    picture = [trips(*range(16))] * 3 + [trips(*[20] * 16)] * 2
    raw = raw_of(instrumented, picture)
    expected = np.array(picture)
    assert instrumented.block_counts(raw).tolist() == expected.sum(axis=(0, 1)).tolist()
    weights = np.array(instrumented.block_instructions)
    assert instrumented.heat(raw).tolist() == (expected @ weights).tolist()
    assert instrumented.heat(raw, [0, 0, 1, 0, 0, 0]).tolist() == expected[..., 2].tolist()
    # Rows 0 to 3 are one row of groups (the longest lanes are in row 3), row 4 another.
    assert instrumented.lane_groups(raw).tolist() == [4, 84, 80, 80, 4, 80]


def test_groups_come_a_bounded_number_at_a_time_and_come_to_the_same(monkeypatch):
    instrumented = instrument(MODULE, "main")
    raw = raw_of(instrumented, [trips(*range(row, row + 40)) for row in range(9)])
    at_once, busy = instrumented.lane_groups(raw).tolist(), instrumented.lanes_busy(raw)
    per_group = instrumented.derivation.slots * 32 * 4
    for budget, expected in ((1, 1), (per_group, 1), (4 * per_group, 4), (1 << 30, 15)):
        monkeypatch.setattr(counting, "_WORKING_BYTES", budget)
        parts = [longest.shape[1] for _, longest in instrumented._longest_lanes(raw)]
        assert sum(parts) == 15
        assert max(parts) == expected
        assert instrumented.lane_groups(raw).tolist() == at_once
        assert np.array_equal(instrumented.lanes_busy(raw), busy)


@given(programs(), st.randoms(use_true_random=False), st.integers(1, 5), st.integers(1, 12))
@settings(max_examples=60)
def test_any_program_any_size(module, rng, height, width):
    functions = sorted(call_order(module, MAIN), key=lambda function: function.first)
    seen = []
    for _ in range(4):
        try:
            seen.append(random_counts(module, functions, MAIN, rng))
        except WalkTooLong:
            return
    picture = np.array([[rng.choice(seen) for _ in range(width)] for _ in range(height)])
    instrumented = instrument(module, "main")
    raw = raw_of(instrumented, picture)
    assert instrumented.block_counts(raw).tolist() == picture.sum(axis=(0, 1)).tolist()
    assert instrumented.heat(raw).tolist() == (picture @ instrumented.block_instructions).tolist()
    groups = sum(
        picture[y : y + 4, x : x + 8].max(axis=(0, 1))
        for y in range(0, height, 4)
        for x in range(0, width, 8)
    )
    assert instrumented.lane_groups(raw).tolist() == groups.tolist()
    weights = np.array(instrumented.block_instructions)
    busy = instrumented.lanes_busy(raw)
    assert busy.shape == (-(-height // 4), -(-width // 8))
    for row, column in np.ndindex(busy.shape):
        lanes = picture[4 * row : 4 * row + 4, 8 * column : 8 * column + 8]
        longest = lanes.max(axis=(0, 1)) @ weights * (lanes.size // len(weights))
        assert busy[row, column] == pytest.approx((lanes @ weights).sum() / longest, rel=1e-6)


def test_the_result_parses_and_leaves_the_original_blocks_in_place():
    instrumented = Module.parse(instrument(MODULE, "main").spirv)
    assert [
        [block.label for block in function.blocks] for function in instrumented.functions[:2]
    ] == [[block.label for block in function.blocks] for function in MODULE.functions]
    # Merge instructions still stand right before their branches.
    (merge,) = instrumented.indices(Op.LoopMerge)
    assert instrumented.opcodes[merge + 1] == Op.BranchConditional


def test_a_full_counter_is_an_error():
    instrumented = instrument(MODULE, "main")
    raw = raw_of(instrumented, [trips(3, SATURATED)])
    assert SATURATED in raw
    with pytest.raises(CounterOverflow, match="in one pixel"):
        instrumented.block_counts(raw)


def test_sums_beyond_32_bits_are_exact():
    instrumented = instrument(MODULE, "main")
    raw = raw_of(instrumented, [trips(*[0xFFFFFF00] * 64)])
    assert instrumented.block_counts(raw)[2] == 64 * 0xFFFFFF00
    assert instrumented.lane_groups(raw)[2] == 8 * 0xFFFFFF00
    assert (instrumented.heat(raw) == 0xFFFFFFFF).all()
    raw = raw_of(instrumented, [trips(3)])
    assert instrumented.heat(raw, [1 << 32, 0, 0, 0, 0, 0]) == 0xFFFFFFFF, "and not 0"
    assert instrumented.heat(raw, [(1 << 32) - 1, 0, 0, 0, 0, 0]) == 0xFFFFFFFF


def test_a_sum_that_a_difference_of_counters_takes_beyond_32_bits_is_the_largest_number():
    body = [
        [Op.Label, 100],
        [Op.Branch, 101],
        [Op.Label, 101],
        [Op.LoopMerge, 106, 105, 0],
        [Op.BranchConditional, TRUE, 102, 106],
        [Op.Label, 102],
        [Op.SelectionMerge, 105, 0],
        [Op.BranchConditional, TRUE, 103, 105],
        [Op.Label, 103],
        [Op.Kill],
        [Op.Label, 105],
        [Op.Branch, 101],
        [Op.Label, 106],
        [Op.Return],
    ]
    instrumented = instrument(module_of([body]), "main")
    killed = [0, 0, 0, 1, 0, 0]
    assert sorted(instrumented.derivation.counter_weights(killed)) == [-1, 0, 1]
    raw = raw_of(instrumented, [[[1, 3, 3, 1, 2, 0], [1, 3, 2, 0, 2, 1]]])
    assert instrumented.heat(raw, killed).tolist() == [[1, 0]]
    assert instrumented.heat(raw, [each * 5 << 30 for each in killed]).tolist() == [[0xFFFFFFFF, 0]]
    assert instrumented.heat(raw, [each * 3 << 30 for each in killed]).tolist() == [[3 << 30, 0]]


def test_unknown_entry_points_are_refused():
    with pytest.raises(InvalidModule, match='no fragment entry point "other"'):
        instrument(MODULE, "other")
    with pytest.raises(InvalidModule, match='no vertex entry point "main"'):
        instrument_atomic(MODULE, "main", vertex=True)


def test_atomic_counters_add_up():
    wide = instrument_atomic(MODULE, "main", bits=64)
    raw = np.zeros(wide.words, np.uint32)
    raw[[0, 1, 2]] = 5, 1, 7
    assert wide.block_counts(raw).tolist() == [5 + (1 << 32), 7, 0, 0, 0, 0]
    narrow = instrument_atomic(MODULE, "main", bits=32)
    raw = np.zeros(narrow.words, np.uint32)
    raw[[0, 2, 3, 2 * SHARDS]] = 5, 6, 1, 9
    assert narrow.block_counts(raw).tolist() == [11 + (1 << 32), 9, 0, 0, 0, 0]


def test_counts_that_only_a_callee_takes_beyond_32_bits_are_exact():
    twice = [
        each
        for instruction in LOOP
        for each in (
            [instruction, [Op.FunctionCall, VOID, 201, MAIN + 1]]
            if instruction[0] == Op.FunctionCall
            else [instruction]
        )
    ]
    instrumented = instrument(module_of([twice, [[Op.Label, 105], [Op.Return]]]), "main")
    trips = 3_000_000_000
    raw = raw_of(instrumented, [[[1, trips + 1, trips, trips, 1, 2 * trips]]])
    assert SATURATED not in raw
    assert instrumented.lane_groups(raw).tolist() == [1, trips + 1, trips, trips, 1, 2 * trips]


def test_counts_that_only_two_branches_together_take_beyond_32_bits_are_exact():
    body = [
        [Op.Label, 100],
        [Op.Branch, 101],
        [Op.Label, 101],
        [Op.LoopMerge, 106, 105, 0],
        [Op.BranchConditional, TRUE, 102, 106],
        [Op.Label, 102],
        [Op.SelectionMerge, 105, 0],
        [Op.BranchConditional, TRUE, 103, 104],
        [Op.Label, 103],
        [Op.Branch, 105],
        [Op.Label, 104],
        [Op.Branch, 105],
        [Op.Label, 105],
        [Op.Branch, 101],
        [Op.Label, 106],
        [Op.Return],
    ]
    instrumented = instrument(module_of([body]), "main")
    each = 2_500_000_000
    counts = [1, 2 * each + 1, 2 * each, each, each, 2 * each, 1]
    raw = np.zeros((instrumented.counters, 1, 1), np.uint32)
    for slot, field in zip(instrumented.derivation.counted, instrumented.fields, strict=True):
        raw[field.word] |= np.uint32(counts[slot] << field.shift)
    assert instrumented.lane_groups(raw).tolist() == counts
