"""Samples that contradict themselves."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shaderlab.errors import InvalidSample
from shaderlab.samples import validation
from shaderlab.samples.recording import identified
from shaderlab.samples.sample import BlockRecord, Sample
from tests.unit.samples.builders import launched, sample, timing, trace, with_textures

GOOD = sample()
PIXELS = 64 * 48


def refused(changed: Sample, reason: str) -> None:
    with pytest.raises(InvalidSample, match=reason):
        validation.check(identified(changed))


def test_a_sound_sample_passes() -> None:
    validation.check(GOOD)
    validation.check(sample(trace=None, optimized=None, timing=timing(clock="device")))


def test_textures_make_it_a_row_of_the_second_version() -> None:
    validation.check(with_textures())
    refused(replace(GOOD, schema=2), "is of version 1")
    refused(replace(with_textures(), schema=1), "is of version 2")


def test_a_launch_makes_it_a_row_of_the_third_version() -> None:
    good = launched()
    validation.check(good)
    refused(replace(good, schema=1), "is of version 3")
    assert good.launch is not None
    fewer = replace(good.launch, groups=(47, 1, 1))
    refused(replace(good, launch=fewer), "none ran 3008 times")
    refused(replace(good, launch=replace(fewer, local=(64,))), "launch.local: has 1 numbers")
    twice = replace(good.launch, buffers=good.launch.buffers * 2)
    refused(replace(good, launch=twice), "a buffer is there twice")


def test_an_edited_row_no_longer_has_its_id() -> None:
    with pytest.raises(InvalidSample, match="the row was changed"):
        validation.check(replace(GOOD, software="0.2.0"))


def test_sharing_the_source_later_does_not_make_another_sample() -> None:
    program = replace(GOOD.program, text="void mainImage() {}", license="CC0-1.0")
    shared = replace(GOOD, program=program)
    validation.check(shared)
    assert identified(shared).id == GOOD.id


def test_source_and_licence_come_together() -> None:
    refused(replace(GOOD, program=replace(GOOD.program, text="x")), "without a licence")
    refused(replace(GOOD, program=replace(GOOD.program, license="MIT")), "no source")
    refused(replace(GOOD, program=replace(GOOD.program, id=None)), "a collection an id")


def test_times_must_follow_from_the_trials() -> None:
    good = GOOD.timing
    for changed, reason in (
        (replace(good, time_s=good.time_s * 1.01), "timing.time_s"),
        (replace(good, median_s=good.median_s * 0.99), "timing.median_s"),
        (replace(good, clock="device", cpu_trials_s=(0.01,)), "not as many"),
        (replace(good, cpu_trials_s=()), "no trials of the clock cpu"),
        (replace(good, rejected=(2, 1)), "not ascending"),
        (replace(good, rejected=(3,)), "there is no trial 3"),
        (replace(good, rejected=(0, 1)), "more than half"),
    ):
        refused(replace(GOOD, timing=changed), reason)


def test_counts_must_fit_the_picture_and_each_other() -> None:
    good = trace(PIXELS)
    entry, loop = good.blocks
    for changed, reason in (
        (replace(good, blocks=(replace(entry, count=PIXELS - 1), loop)), "as the entry block must"),
        (replace(good, blocks=(replace(entry, lane_groups=95), loop)), "do not fit 95 lane groups"),
        (replace(good, opcodes=good.opcodes | {"OpFMul": 1}), "OpFMul is not the sum"),
        (replace(good, opcodes=good.opcodes | {"OpDot": 1}), "OpDot is not the sum"),
        (replace(good, blocks=(replace(entry, successors=(2,)), loop)), "no such block"),
        (replace(good, blocks=(), opcodes={"OpLoad": 5}), "5 instructions for 3072 invocations"),
    ):
        refused(replace(GOOD, trace=changed), reason)
        refused(replace(GOOD, optimized=changed), reason)


def test_a_time_must_be_possible_for_the_work_counted() -> None:
    refused(sample(timing=timing((900.0,))), "no time for")
    busy = BlockRecord(PIXELS * 10**12, None, {"OpFAdd": 100}, ())
    good = trace(PIXELS)
    endless = replace(
        good,
        blocks=(*good.blocks, busy),
        opcodes=good.opcodes | {"OpFAdd": good.opcodes["OpFAdd"] + 100 * busy.count},
    )
    refused(replace(GOOD, trace=endless), "no time for")


def test_a_date_must_be_one() -> None:
    refused(replace(GOOD, date="2026-02-30"), "2026-02-30 is not a day")


def test_what_is_just_possible_is_believed() -> None:
    def believed(changed: Sample) -> None:
        validation.check(identified(changed))

    half = replace(timing((0.010, 0.010, 0.010, 0.010), "device"), rejected=(0, 3))
    believed(replace(GOOD, timing=half))
    refused(replace(GOOD, timing=replace(half, rejected=(0, 1, 3))), "more than half")
    refused(replace(GOOD, timing=replace(half, rejected=(0, 4))), "there is no trial 4")
    refused(replace(GOOD, timing=replace(half, rejected=(3, 3))), "not ascending")
    for groups, reason in ((PIXELS, ""), (PIXELS // 32, ""), (PIXELS + 1, "do not fit"),
                           (PIXELS // 32 - 1, "do not fit")):  # fmt: skip
        block = BlockRecord(PIXELS, groups, {"OpReturn": 1}, ())
        counts = replace(GOOD.trace, opcodes={"OpReturn": PIXELS}, blocks=(block,))
        changed = replace(GOOD, trace=counts)
        if reason:
            refused(changed, reason)
        else:
            believed(changed)
    for place in (0, 1):
        blocks = (replace(counts.blocks[0], lane_groups=None, successors=(place,)),)
        changed = replace(GOOD, trace=replace(counts, blocks=blocks))
        if place:
            refused(changed, "there is no such block")
        else:
            believed(changed)
    words = sum(GOOD.program.opcodes.values())
    believed(replace(GOOD, program=replace(GOOD.program, words=words)))
    refused(replace(GOOD, program=replace(GOOD.program, words=words - 1)), "more instructions")
