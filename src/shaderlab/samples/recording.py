"""(Draw, Trace, Measurement, DeviceInfo) -> Sample."""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from shaderlab import __version__
from shaderlab.errors import WrongUse
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.gpu.measurement import Measurement
from shaderlab.gpu.outputs import BufferNeed
from shaderlab.samples import schema
from shaderlab.samples.operations import operations_by_label, static_opcodes, undefined_uses
from shaderlab.samples.sample import (
    FIRST,
    LAUNCHED,
    TEXTURED,
    VERSION,
    BlockRecord,
    BufferRecord,
    DeviceRecord,
    InputsRecord,
    LaunchRecord,
    Picture,
    ProgramRecord,
    Sample,
    TextureRecord,
    TimingRecord,
    TraceRecord,
    ValueRecord,
)
from shaderlab.scene.binding import Binding
from shaderlab.scene.bound import BoundBuffer
from shaderlab.scene.buffer_contents import run_time_arrays
from shaderlab.scene.draw import Attachments, Draw, DrawState
from shaderlab.scene.inputs import Source
from shaderlab.scene.textures import NoisePicture, Pattern, Wrap
from shaderlab.spirv.analysis.cfg import branch_targets
from shaderlab.spirv.module import Module
from shaderlab.spirv.reflection import ResourceKind
from shaderlab.spirv.trace import Trace
from shaderlab.spirv.value_types import Component, Dimension, Image
from shaderlab.textures.sources import pixels

CAPTURED = "renderdoc"
"""The collection of captured draws: neither their contents nor their text are ever recorded."""


@dataclass(frozen=True)
class Origin:
    """Where a shader is from: a public collection and its id there, where there is one."""

    collection: str | None = None
    id: str | None = None


@dataclass(frozen=True)
class SharedText:
    """A source its author chose to share."""

    text: str
    license: str
    """SPDX licence expression."""


def record(
    draw: Draw,
    measured: Measurement,
    device: DeviceInfo,
    *,
    trace: Trace | None = None,
    optimized: tuple[Module, Trace] | None = None,
    picture: Picture | None = None,
    origin: Origin = Origin(),
    shared: SharedText | None = None,
) -> Sample:
    """The sample of one measurement.

    `optimized` is the program's module after `spirv-opt -O` and its trace.  The source stays out
    unless `shared` brings it.  Raises WrongUse for inputs that no sample describes.
    """
    check_inputs(draw)
    if draw.state.is_captured:
        origin, shared = Origin(CAPTURED, draw.program.digest), None
    program = draw.program
    textures = texture_records(draw)
    launch = launch_record(draw, measured.buffers) if draw.is_compute else None
    timing = timing_record(measured, device)
    return identified(
        Sample(
            schema=version_of(textures, launch, timing),
            id="",
            program=ProgramRecord(
                digest=program.digest,
                collection=origin.collection,
                id=origin.id,
                dialect=program.dialect.value,
                words=len(program.spirv) // 4,
                opcodes=static_opcodes(program.module),
                text=shared.text if shared else None,
                license=shared.license if shared else None,
            ),
            inputs=inputs_record(draw.state),
            timing=timing,
            device=device_record(device, measured.clocks),
            software=__version__,
            date=datetime.datetime.now(datetime.UTC).date().isoformat(),
            trace=trace_record(program.module, trace) if trace else None,
            optimized=trace_record(*optimized) if optimized else None,
            picture=picture,
            textures=textures,
            launch=launch,
        )
    )


def version_of(
    textures: tuple[TextureRecord, ...] | None,
    launch: LaunchRecord | None,
    timing: TimingRecord,
) -> int:
    """The version of the schema that a row with these needs."""
    if timing.compile_s is not None:
        return VERSION
    if launch is not None:
        return LAUNCHED
    return FIRST if textures is None else TEXTURED


def launch_record(draw: Draw, buffers: Sequence[BufferNeed]) -> LaunchRecord:
    """How a compute shader was launched, and what was chosen for it.  Raises WrongUse."""
    bound = draw.inputs.bound.resources if draw.inputs.bound else {}
    found = [BufferRecord(each.name, each.elements, each.stride, None) for each in buffers]
    for array in run_time_arrays(draw.program.interface):
        given = next(iter(bound.get(array.resource.descriptor, ())), None)
        if isinstance(given, BoundBuffer):
            data = given.contents
            own = data.pieces[0].digest if len(data.pieces) == 1 else data.digest
            elements = array.elements(data.nbytes)
            found.append(BufferRecord(array.name, elements, array.stride, own))
        elif array.name not in {each.name for each in found}:
            raise WrongUse(f"{draw.program.name}: the length of {array.name} was not recorded")
    launch = draw.launch
    values = (
        ValueRecord(name, tuple(map(float, each.value)))
        for name, each in sorted(draw.inputs.values.items())
        if each.source is not Source.DEFAULT
    )
    return LaunchRecord(launch.groups, launch.local, tuple(found), tuple(values))


def with_counts(sample: Sample, trace: TraceRecord, optimized: TraceRecord) -> Sample:
    """The sample with the counts of another one, of the same program and inputs."""
    return identified(replace(sample, trace=trace, optimized=optimized))


def identified(sample: Sample) -> Sample:
    """The sample with the id its contents give it."""
    return replace(sample, id=identity(sample))


def identity(sample: Sample) -> str:
    """SHA-256 of the row without the id and the shared source, as canonical JSON."""
    row = schema.to_row(sample)
    del row["id"], row["program"]["text"], row["program"]["license"]
    text = json.dumps(row, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def inputs_record(state: DrawState) -> InputsRecord:
    uniforms = state.inputs.uniforms
    return InputsRecord(
        width=state.size[0],
        height=state.size[1],
        time_s=float(uniforms.time_s),
        frame=uniforms.frame,
        time_delta_s=float(uniforms.time_delta_s),
        frame_rate=float(uniforms.frame_rate),
        mouse=tuple(map(float, uniforms.mouse)),
        date=tuple(map(float, uniforms.date)),
    )


def _held(
    source: object,
) -> Literal["black", "white", "noise", "blue-noise", "checker", "gradient", "normal-map"]:
    """What a sample says it is: a keyboard without a pressed key is black."""
    if not isinstance(source, Pattern) or source is Pattern.GAME:
        return "noise"
    return "black" if source is Pattern.KEYBOARD else source.value


def _wrapped(wrap: Wrap) -> Literal["repeat", "clamp", "mirror"]:
    """What a sample says of it: one texel's colour outside is read as a border's is."""
    return "clamp" if wrap is Wrap.BORDER else wrap.value


_GENERATED = (Pattern, NoisePicture)
_DIMENSIONS: Mapping[Dimension, Literal["1D", "2D", "3D", "Cube"]] = {
    Dimension.D1: "1D",
    Dimension.D2: "2D",
    Dimension.D3: "3D",
    Dimension.CUBE: "Cube",
}


def texture_records(draw: Draw) -> tuple[TextureRecord, ...] | None:
    """What was bound to the textures that the program declares; None where none was given.

    Raises WrongUse for kinds of textures that a sample does not describe.
    """
    if not draw.inputs.textures:
        return None
    found = []
    bound = Binding.of(draw.program).textures(draw.inputs)
    for resource in draw.program.interface.resources:
        image = resource.image
        if image is None:
            continue
        if resource.kind is not ResourceKind.SAMPLED_TEXTURE or not _is_described(image):
            raise WrongUse(f"a sample cannot hold {resource.name}, a {image.glsl}")
        texture = bound[resource.descriptor]
        texels = pixels(texture, image)
        width, height, depth = texels.size
        source = texture.source
        found.append(
            TextureRecord(
                name=resource.name,
                holds=_held(source),
                dimension=_DIMENSIONS[image.dimension],
                width=width,
                height=height,
                depth=depth,
                levels=len(texels.levels),
                format="rgba8" if texels.dtype == np.uint8 else "rgba32f",
                filter=texture.filter.value,
                wrap=_wrapped(texture.wrap),
            )
        )
    return tuple(found) or None


def _is_described(image: Image) -> bool:
    return (
        image.component is Component.FLOAT
        and image.dimension in _DIMENSIONS
        and not (image.depth or image.arrayed or image.multisampled)
    )


def check_inputs(draw: Draw) -> None:
    """Raise WrongUse for a draw that a sample cannot describe.

    A sample keeps size, time and the like; its reader would take anything else for the canonical
    run's.  Of a captured draw it keeps counts and times, and says by its collection that what was
    drawn is not in it.
    """
    what, state = [], draw.state
    given = state.inputs.values.values()
    if not draw.is_compute and any(each.source is not Source.DEFAULT for each in given):
        what.append("values")
    if any(
        each.source is not Source.DEFAULT and not isinstance(each.value.source, _GENERATED)
        for each in state.inputs.textures.values()
    ):
        what.append("images")
    if state.inputs.uniforms.keys:
        what.append("pressed keys")
    if not draw.is_compute and not state.is_captured:
        if not state.geometry.is_full_screen:
            what.append("geometry")
        if state.attachments != Attachments(state.size):
            what.append("attachments")
    if what:
        raise WrongUse(
            f"a sample cannot hold {' and '.join(what)} of your own: "
            "record the shader with its defaults, full-screen"
        )


def device_record(info: DeviceInfo, clocks: str | None) -> DeviceRecord:
    """`clocks`: state of its clocks while measuring, as `Measurement` has it."""
    serial = info.uuid.encode()
    return DeviceRecord(
        slug=info.slug,
        name=info.name,
        kind=info.kind,
        vendor_id=info.vendor_id,
        device_id=info.device_id,
        uuid_hash=hashlib.sha256(serial).hexdigest()[:16] if serial else None,
        driver=info.driver,
        api_version=info.api_version,
        memory_bytes=info.memory_bytes or None,
        clocks=clocks,
    )


def timing_record(measured: Measurement, device: DeviceInfo) -> TimingRecord:
    """A software device counts by the CPU clock where the trials have it, others by timestamps."""
    on_cpu = device.kind == "software" and bool(measured.cpu_trials_s)
    trials = measured.cpu_trials_s if on_cpu else measured.trials_s
    rejected = measured.on_processor.rejected if on_cpu else measured.rejected
    time_s, median_s = centre(trials, rejected)
    floor = float(measured.floor_s)
    return TimingRecord(
        clock="cpu" if on_cpu else "device",
        time_s=time_s,
        median_s=median_s,
        draws=measured.draws,
        trials_s=tuple(map(float, measured.trials_s)),
        cpu_trials_s=tuple(map(float, measured.cpu_trials_s)),
        rejected=rejected,
        floor_s=floor if np.isfinite(floor) else None,
        compile_s=measured.compile_s,
    )


def centre(trials: tuple[float, ...], rejected: tuple[int, ...]) -> tuple[float, float]:
    """Mean and median of the trials kept."""
    kept = np.delete(np.asarray(trials), rejected)
    return float(kept.mean()), float(np.median(kept))


def trace_record(module: Module, trace: Trace) -> TraceRecord:
    """`module` is the one that was traced."""
    operations = operations_by_label(module)
    place = {block.label: number for number, block in enumerate(trace.blocks)}
    ends = {block.label: block.last for f in module.functions for block in f.blocks}
    return TraceRecord(
        device=trace.device,
        opcodes={name: int(n) for name, n in trace.opcode_totals.items()},
        blocks=tuple(
            BlockRecord(
                count=int(block.count),
                lane_groups=None if block.lane_groups is None else int(block.lane_groups),
                operations=operations[block.label],
                successors=tuple(
                    place[label]
                    for label in dict.fromkeys(branch_targets(module, ends[block.label]))
                ),
            )
            for block in trace.blocks
        ),
        undefined_uses=undefined_uses(module),
    )
