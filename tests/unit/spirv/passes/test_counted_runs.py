"""What the counting passes write is run for a few pixels: the buffer holds what happened."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shaderlab.spirv.analysis.cfg import call_order
from shaderlab.spirv.grammar import ENUMS, BuiltIn, Decoration, Op, StorageClass
from shaderlab.spirv.module import Module
from shaderlab.spirv.passes.atomic_counting import SHARDS, instrument_atomic
from shaderlab.spirv.passes.counting import HEADER_WORDS, SATURATED, instrument
from tests.unit.spirv.passes.executing import Buffer, Invocation
from tests.unit.spirv.passes.test_counter_placement import programs
from tests.unit.spirv.passes.test_counting import MODULE
from tests.unit.spirv.walking import MAIN, WalkTooLong, random_counts

ORIGIN, WIDTH, HEIGHT = (16, 8), 3, 2
PIXELS = [(ORIGIN[0] + x, ORIGIN[1] + y) for y in range(HEIGHT) for x in range(WIDTH)]


def expected(module: Module, seeds: list[int]) -> list[list[int]]:
    """By walk: executions of each block."""
    functions = sorted(call_order(module, MAIN), key=lambda function: function.first)
    return [random_counts(module, functions, MAIN, random.Random(seed)) for seed in seeds]


def run(spirv: bytes, pixels: list[tuple[int, int]], seeds: list[int], contents: Buffer) -> None:
    """Draw the pixels, each branching as its seed says."""
    module = Module.parse(spirv)
    (buffer,) = (
        words[2]
        for words in map(module.instruction_words, module.indices(Op.Variable))
        if words[3] == StorageClass.StorageBuffer
    )
    for pixel, seed in zip(pixels, seeds, strict=True):
        Invocation(module, buffer, contents).run(MAIN, pixel, random.Random(seed))


@given(programs(), st.lists(st.integers(0, 1000), min_size=6, max_size=6), st.booleans())
@settings(max_examples=60)
def test_each_pixel_stores_what_ran_and_nothing_else(module, seeds, every_block):
    try:
        counts = np.array(expected(module, seeds))
    except WalkTooLong:
        return
    instrumented = instrument(module, "main", every_block=every_block)
    buffer = Buffer((*ORIGIN, WIDTH, HEIGHT))
    run(instrumented.spirv, PIXELS, seeds, buffer)
    stored = instrumented.counters * HEIGHT * WIDTH
    assert set(buffer) <= set(range(HEADER_WORDS + stored))
    assert [buffer[at] for at in range(HEADER_WORDS)] == [*ORIGIN, WIDTH, HEIGHT]
    raw = np.array([buffer[HEADER_WORDS + at] for at in range(stored)], np.uint32)
    raw = raw.reshape(instrumented.counters, HEIGHT, WIDTH)
    assert instrumented.block_counts(raw).tolist() == counts.sum(axis=0).tolist()
    weights = np.array(instrumented.block_instructions)
    assert instrumented.heat(raw).tolist() == (counts @ weights).reshape(HEIGHT, WIDTH).tolist()


def test_a_pixel_that_is_shaded_twice_adds_to_what_it_stored():
    seeds = [3, 4, 3, 4]
    instrumented = instrument(MODULE, "main", adding=True)
    buffer = Buffer((0, 0, 1, 1))
    run(instrumented.spirv, [(0, 0)] * 4, seeds, buffer)
    raw = np.array([buffer[4 + at] for at in range(instrumented.counters)], np.uint32)
    counts = instrumented.block_counts(raw.reshape(-1, 1, 1))
    assert counts.tolist() == np.sum(expected(MODULE, seeds), axis=0).tolist()


def test_a_counter_stops_at_its_largest_value():
    module = Module.parse(instrument(MODULE, "main").spirv)
    maxima = [module.instruction_words(index) for index in module.indices(Op.ExtInst)]
    assert len(maxima) == 1, "of the loop's counter; the other's block runs once"
    instrumented = Invocation(module, 0, Buffer())
    _, _, result, _, _, before, after = maxima[0]
    instrumented._values |= {before: SATURATED, after: 0}
    instrumented._execute(Op.ExtInst, maxima[0])
    assert instrumented._values[result] == SATURATED


@pytest.mark.parametrize("bits", [32, 64])
@given(module=programs(), seeds=st.lists(st.integers(0, 1000), min_size=6, max_size=6))
@settings(max_examples=25)
def test_atomic_counters_carry_beyond_32_bits(bits, module, seeds):
    try:
        counts = np.array(expected(module, seeds)).sum(axis=0)
    except WalkTooLong:
        return
    counted = instrument_atomic(module, "main", bits=bits)
    numbers = counted.words * 32 // bits
    buffer = Buffer([SATURATED, 0][: 64 // bits] * (numbers * bits // 64), bits)
    run(counted.spirv, PIXELS, seeds, buffer)
    assert set(buffer) == set(range(numbers))
    dtype = np.uint32 if bits == 32 else np.uint64
    raw = np.array([buffer[at] for at in range(numbers)], dtype).view(np.uint32)
    before = SATURATED * (SHARDS if bits == 32 else 1)
    assert (counted.block_counts(raw) - before).tolist() == counts.tolist()


def test_pixels_near_one_another_count_into_different_shards():
    counted = instrument_atomic(MODULE, "main", bits=32)
    pixels = [(8 + x, 16 + y) for y in range(8) for x in range(8)]
    buffer = Buffer()
    run(counted.spirv, pixels, [0] * 64, buffer)
    assert [buffer[2 * shard] for shard in range(SHARDS)] == [1] * SHARDS, "of the first block"


def modes(spirv: bytes) -> list[tuple[int, ...]]:
    module = Module.parse(spirv)
    return [module.instruction_words(index)[1:] for index in module.indices(Op.ExecutionMode)]


@pytest.mark.parametrize("pass_", [instrument, instrument_atomic])
def test_depth_is_tested_early_only_where_asked(pass_):
    early = (MAIN, ENUMS["ExecutionMode"]["EarlyFragmentTests"])
    assert early not in modes(pass_(MODULE, "main").spirv)
    assert early in modes(pass_(MODULE, "main", early=True).spirv)


@pytest.mark.parametrize(
    ("bits", "vertex", "needed"), [(32, False, 1), (64, False, 0), (32, True, 0)]
)
def test_only_shards_of_fragments_need_to_know_the_pixel(bits, vertex, needed):
    module = MODULE
    if vertex:
        words = module.words.copy()
        words[module.starts[module.entry_points[0].at] + 1] = 0  # the vertex stage
        module = Module.parse(words.astype("<u4").tobytes())
    made = Module.parse(instrument_atomic(module, "main", bits=bits, vertex=vertex).spirv)
    decorations = map(made.instruction_words, made.indices(Op.Decorate))
    found = [words for words in decorations if words[2:] == (Decoration.BuiltIn, BuiltIn.FragCoord)]
    assert len(found) == needed
    assert {words[1] for words in found} <= set(made.entry_points[0].interface)


def test_counters_have_32_or_64_bits():
    with pytest.raises(ValueError, match="16 bits"):
        instrument_atomic(MODULE, "main", bits=16)
