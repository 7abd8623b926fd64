"""What the buffer of indices says before and after a launch."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.spirv.passes.index_recording import Reach, Recording, Site

INDICES = st.integers(-(1 << 31), (1 << 31) - 1)


def recording(sites: int) -> Recording:
    return Recording(b"", 0, 0, tuple(Site(10 + number, None) for number in range(sites)))


@given(st.integers(0, 5))
def test_where_nothing_ran_nothing_was_reached(sites: int) -> None:
    made = recording(sites)
    start = made.start()
    assert start.dtype == np.int32
    assert start.size == 2 * max(sites, 1), "a buffer is never empty"
    assert made.reaches(start) == ()


@given(st.lists(st.lists(INDICES, max_size=3), max_size=5))
def test_what_each_site_reached_is_its_lowest_and_highest_index(used: list[list[int]]) -> None:
    made = recording(len(used))
    words = made.start()
    for number, indices in enumerate(used):
        for index in indices:  # as the shader leaves them
            words[2 * number] = min(words[2 * number], index)
            words[2 * number + 1] = max(words[2 * number + 1], index)
    assert made.reaches(words) == tuple(
        Reach(site, min(indices), max(indices))
        for site, indices in zip(made.sites, used, strict=True)
        if indices
    )
