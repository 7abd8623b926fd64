"""Is a sample believable?  Rules over several fields; `schema.from_row` has those of one."""

from __future__ import annotations

import datetime
import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

from shaderlab.errors import InvalidSample
from shaderlab.samples import schema
from shaderlab.samples.operations import opcode_of
from shaderlab.samples.recording import CAPTURED, centre, identity, version_of
from shaderlab.samples.sample import InputsRecord, LaunchRecord, Sample, TimingRecord, TraceRecord
from shaderlab.spirv.warps import LANES

_FASTEST_INSTRUCTIONS_PER_S = 1e16
"""Executed SPIR-V instructions a device could at most finish: a hundred times today's largest."""
_SLOWEST_INSTRUCTIONS_PER_S = 1e4
"""A frame slower than this many executed instructions per second was not a frame of this trace."""
_IDLE_S = 5.0
"""Time of a frame that its instructions need not explain: start-up of a pass, a clock's step."""
_RELATIVE = 1e-6


def accept(row: Mapping[str, Any]) -> Sample:
    """The sample a row describes.  Raises InvalidSample with the first reason not to believe it."""
    sample = schema.from_row(row)
    _check_program(sample)
    _check_inputs(sample.inputs)
    needed = version_of(sample.textures, sample.launch, sample.timing)
    if sample.schema != needed:
        raise InvalidSample(f"schema: a row with these fields is of version {needed}")
    if sample.launch is not None:
        _check_launch(sample.launch)
    _check_timing(sample.timing)
    try:
        datetime.date.fromisoformat(sample.date)
    except ValueError:
        raise InvalidSample(f"date: {sample.date} is not a day") from None
    for name in ("trace", "optimized"):
        trace = getattr(sample, name)
        if trace is not None:
            _check_trace(name, trace, sample)
    if sample.id != identity(sample):
        raise InvalidSample("id: is not the hash of the row; the row was changed")
    return sample


def check(sample: Sample) -> None:
    """Raises InvalidSample for a sample whose row would be refused."""
    accept(schema.to_row(sample))


def _check_program(sample: Sample) -> None:
    program = sample.program
    if (program.id is None) != (program.collection is None):
        raise InvalidSample("program: an id needs its collection, and a collection an id")
    if program.license is not None and program.text is None:
        raise InvalidSample("program.license: there is no source it could be the licence of")
    if program.text is not None and program.license is None:
        raise InvalidSample("program.text: source without a licence cannot be shared")
    if sum(program.opcodes.values()) > program.words:
        raise InvalidSample("program.opcodes: more instructions than the module has words")


def _check_inputs(inputs: InputsRecord) -> None:
    for name in ("mouse", "date"):
        if len(getattr(inputs, name)) != 4:
            raise InvalidSample(f"inputs.{name}: has {len(getattr(inputs, name))} numbers, not 4")


def _check_launch(launch: LaunchRecord) -> None:
    for name in ("groups", "local"):
        if len(getattr(launch, name)) != 3:
            raise InvalidSample(f"launch.{name}: has {len(getattr(launch, name))} numbers, not 3")
    names = [each.name for each in launch.buffers]
    if len(set(names)) < len(names):
        raise InvalidSample("launch.buffers: a buffer is there twice")


def _check_timing(timing: TimingRecord) -> None:
    if timing.cpu_trials_s and len(timing.cpu_trials_s) != len(timing.trials_s):
        raise InvalidSample("timing.cpu_trials_s: not as many as timing.trials_s")
    trials = timing.cpu_trials_s if timing.clock == "cpu" else timing.trials_s
    if not trials:
        raise InvalidSample(f"timing: no trials of the clock {timing.clock}")
    if list(timing.rejected) != sorted(set(timing.rejected)):
        raise InvalidSample("timing.rejected: not ascending and distinct")
    if timing.rejected and timing.rejected[-1] >= len(trials):
        raise InvalidSample(f"timing.rejected: there is no trial {timing.rejected[-1]}")
    if 2 * len(timing.rejected) > len(trials):
        raise InvalidSample("timing.rejected: more than half of the trials")
    for name, value in zip(("time_s", "median_s"), centre(trials, timing.rejected), strict=True):
        stated = getattr(timing, name)
        if abs(stated - value) > _RELATIVE * value:
            raise InvalidSample(f"timing.{name}: {stated:g} s, but the trials kept say {value:g} s")


def _check_trace(name: str, trace: TraceRecord, sample: Sample) -> None:
    pixels = sample.inputs.width * sample.inputs.height
    if sample.launch is not None:
        pixels = math.prod(sample.launch.groups) * math.prod(sample.launch.local)
    if trace.blocks:
        is_whole = sample.program.collection != CAPTURED  # captured draws cover what they cover
        if is_whole and all(block.count != pixels for block in trace.blocks):
            raise InvalidSample(f"{name}.blocks: none ran {pixels} times, as the entry block must")
        totals: Counter[str] = Counter()
        for number, block in enumerate(trace.blocks):
            groups = block.lane_groups
            if groups is not None and not groups <= block.count <= groups * LANES:
                raise InvalidSample(
                    f"{name}.blocks[{number}]: {block.count} executions do not fit "
                    f"{groups} lane groups"
                )
            if any(place >= len(trace.blocks) for place in block.successors):
                raise InvalidSample(f"{name}.blocks[{number}].successors: there is no such block")
            if block.count:
                for operation, times in block.operations.items():
                    totals[opcode_of(operation)] += times * block.count
        if totals != trace.opcodes:
            names = totals.keys() | trace.opcodes
            differing = {n for n in names if totals[n] != trace.opcodes.get(n)}
            raise InvalidSample(f"{name}.opcodes: {min(differing)} is not the sum over the blocks")
    executed = sum(trace.opcodes.values())
    if executed < pixels:
        raise InvalidSample(f"{name}.opcodes: {executed} instructions for {pixels} invocations")
    time_s = sample.timing.time_s
    shortest = executed / _FASTEST_INSTRUCTIONS_PER_S
    longest = _IDLE_S + executed / _SLOWEST_INSTRUCTIONS_PER_S
    if name == "trace" and not shortest <= time_s <= longest:
        raise InvalidSample(f"timing.time_s: {time_s:g} s is no time for {executed:g} instructions")
