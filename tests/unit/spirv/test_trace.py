"""Traces: sums and parts."""

from math import nan

from hypothesis import given
from hypothesis import strategies as st

from shaderlab.spirv.trace import BlockCount, Trace


@given(st.lists(st.integers(0, 1 << 40), min_size=1, max_size=4), st.integers(1, 8))
def test_a_draw_of_several_equal_ones_is_a_part_of_their_sum(counts, draws):
    def trace(times: int) -> Trace:
        blocks = tuple(
            BlockCount(1, "main", 2 + n, times * count, (), {"OpFAdd": 3}, times * (count // 32))
            for n, count in enumerate(counts)
        )
        return Trace("llvmpipe", (64, 64 * times), 1.0, 1, blocks, nan)

    one = trace(draws).per_draw(draws)
    assert one.blocks == trace(1).blocks
    assert one.size == (64, 64)
    assert one.opcode_totals == trace(1).opcode_totals
