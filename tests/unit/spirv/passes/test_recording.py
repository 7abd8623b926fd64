"""What is recorded, read from buffers that may hold anything."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.spirv.passes.recording import (
    HEADER_WORDS,
    Access,
    Event,
    Recording,
    Site,
    steps,
)
from shaderlab.spirv.value_types import Component, Numeric

SITES = (
    Site("v", Numeric(Component.FLOAT, rows=2), Access.READ, 1),
    Site("n", Numeric(Component.INT), Access.WRITTEN, 1),
    Site("hit", Numeric(Component.BOOL), Access.WRITTEN, 1),
)
RECORDING = Recording(b"", 1, 0, SITES)


def buffer(used: int, *words: int) -> np.ndarray:
    return np.array([0, 0, used, 8, *words, *[0] * (8 - len(words))], np.uint32)


def test_values_are_read_by_their_types():
    half, minus = np.float32(0.5).view(np.uint32), np.int32(-3).view(np.uint32)
    events, overflowed = RECORDING.events(buffer(7, 1, half, 0, 2, minus, 3, 1))
    assert [event.value for event in events] == [(0.5, 0.0), (-3,), (True,)]
    assert not overflowed


def test_a_full_buffer_ends_with_its_last_whole_value():
    events, overflowed = RECORDING.events(buffer(11, 1, 0, 0, 1, 0, 0, 1, 0))
    assert len(events) == 2
    assert overflowed


@given(st.lists(st.integers(0, 2**32 - 1), min_size=HEADER_WORDS, max_size=64))
def test_no_buffer_is_read_beyond_its_end(words):
    events, _ = RECORDING.events(np.array(words, np.uint32))
    assert all(len(event.value) == SITES[event.site].words for event in events)


@given(st.lists(st.integers(0, 2)))
def test_every_event_belongs_to_one_step_in_the_order_of_the_program(numbers):
    events = [Event(number, ()) for number in numbers]
    found = steps(SITES, events)
    assert [each for step in found for each in step] == events
    for step in found:
        sites = [each.site for each in step]
        assert sites == sorted(set(sites))
    for before, after in pairwise(found):
        assert after[0].site <= before[-1].site, "a step is as long as it can be"
