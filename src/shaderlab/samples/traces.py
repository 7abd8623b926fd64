"""From a sample's counts back to a `Trace`, for whoever has the module the sample is of."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from shaderlab.errors import InvalidSample
from shaderlab.frontend.program import Program
from shaderlab.samples.operations import operations_by_label
from shaderlab.samples.sample import InputsRecord, Sample, TraceRecord
from shaderlab.spirv.analysis.cfg import reachable_blocks
from shaderlab.spirv.block_counts import describe
from shaderlab.spirv.trace import BoundTexture, Trace


def trace_of(sample: Sample, program: Program) -> Trace:
    """The trace that the sample was recorded from.

    Raises `InvalidSample` where the sample is of another program or holds no counts.
    """
    if sample.launch is not None:
        raise InvalidSample("is of a compute shader, whose counts hold for its launch only")
    if sample.program.digest != program.digest:
        raise InvalidSample(f"is of a different program than {program.name}")
    return counted(sample.trace, sample.inputs, program, bound_textures(sample, program))


def counted(
    record: TraceRecord | None,
    inputs: InputsRecord,
    program: Program,
    textures: Mapping[tuple[int, int], BoundTexture] = MappingProxyType({}),
) -> Trace:
    """The trace that a sample's record was made from, of a program with the same blocks.

    Its blocks are in the order of the module, without functions the entry point does not reach.
    `textures`: what they held.  Raises `InvalidSample` where there are no counts, or where they are
    of other blocks: these are compared by their operations, which another version of the front end
    often does not change.
    """
    if record is None or not record.blocks:
        raise InvalidSample("holds no counts of basic blocks")
    module = program.module
    operations = operations_by_label(module)
    blocks = reachable_blocks(module, module.run_entry_point(program.entry_point))
    if len(blocks) != len(record.blocks):
        raise InvalidSample(
            f"counts {len(record.blocks)} basic blocks, {program.name} has {len(blocks)}"
        )
    if any(
        operations[block.label] != each.operations
        for block, each in zip(blocks, record.blocks, strict=True)
    ):
        raise InvalidSample(f"counts other basic blocks than those of {program.name}")
    groups = [each.lane_groups for each in record.blocks if each.lane_groups is not None]
    counts = describe(
        module,
        blocks,
        [each.count for each in record.blocks],
        groups if len(groups) == len(blocks) else None,
    )
    size = (inputs.width, inputs.height)
    return Trace(
        record.device,
        size,
        inputs.time_s,
        inputs.frame,
        counts,
        float("nan"),
        textures=textures,
    )


def bound_textures(sample: Sample, program: Program) -> dict[tuple[int, int], BoundTexture]:
    """What the sample's textures held, by descriptor set and binding.

    `program`: as written, since its other forms may be without names.
    """
    named = {each.name: each for each in sample.textures or ()}
    return {
        resource.descriptor: BoundTexture(
            each.dimension,
            (each.width, each.height, each.depth),
            6 if each.dimension == "Cube" else 1,
            each.levels,
            each.format,
            each.filter,
        )
        for resource in program.interface.resources
        if (each := named.get(resource.name)) is not None
    }
