"""Samples made up for tests: consistent in every part, unless a test breaks one."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from shaderlab.gpu.trials import outliers
from shaderlab.samples.operations import opcode_of
from shaderlab.samples.recording import centre, identified
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
    ProgramRecord,
    Sample,
    TextureRecord,
    TimingRecord,
    TraceRecord,
    ValueRecord,
)


def trace(pixels: int, loops: int = 7) -> TraceRecord:
    blocks = (
        BlockRecord(pixels, -(-pixels // 32), {"OpFMul*3": 2, "OpLoad*2": 1, "OpBranch": 1}, (1,)),
        BlockRecord(
            pixels * loops, None, {"OpExtInst.Sin": 1, "OpFAdd": 2, "OpBranchConditional": 1}, (1,)
        ),
    )
    totals: Counter[str] = Counter()
    for block in blocks:
        for operation, times in block.operations.items():
            totals[opcode_of(operation)] += times * block.count
    return TraceRecord(device="llvmpipe", opcodes=dict(totals), blocks=blocks, undefined_uses=0)


def timing(trials: tuple[float, ...] = (0.010, 0.011, 0.0105), clock: str = "cpu") -> TimingRecord:
    rejected = outliers(np.asarray(trials), 1e-9)
    time_s, median_s = centre(trials, rejected)
    return TimingRecord(
        clock=clock,
        time_s=time_s,
        median_s=median_s,
        draws=4,
        trials_s=trials,
        cpu_trials_s=trials if clock == "cpu" else (),
        rejected=rejected,
        floor_s=0.0005,
    )


def sample(name: str = "a", *, size: tuple[int, int] = (64, 48), **changes) -> Sample:
    """A sample of a made-up shader; `name` decides its hash and id."""
    made = Sample(
        schema=FIRST,
        id="",
        program=ProgramRecord(
            digest=hashlib.sha256(name.encode()).hexdigest(),
            collection="made-up",
            id=name,
            dialect="shadertoy",
            words=400,
            opcodes={"OpLoad": 3, "OpFMul": 2, "OpReturn": 1},
        ),
        inputs=InputsRecord(
            width=size[0],
            height=size[1],
            time_s=1.0,
            frame=1,
            time_delta_s=0.0,
            frame_rate=0.0,
            mouse=(0.0,) * 4,
            date=(0.0,) * 4,
        ),
        timing=timing(),
        device=DeviceRecord(
            slug="llvmpipe",
            name="llvmpipe (LLVM 15.0.6, 256 bits)",
            kind="software",
            vendor_id=0x10005,
            device_id=0,
            uuid_hash="0123456789abcdef",
            driver="llvmpipe Mesa 22.3.6",
            api_version="1.3.230",
        ),
        software="0.1.0",
        date="2026-01-31",
        trace=trace(size[0] * size[1]),
        optimized=trace(size[0] * size[1], loops=5),
    )
    return identified(replace(made, **changes))


TEXTURES = (
    TextureRecord(
        name="iChannel0",
        holds="noise",
        dimension="2D",
        width=256,
        height=256,
        depth=1,
        levels=9,
        format="rgba8",
        filter="mipmap",
        wrap="repeat",
    ),
)


def with_textures(name: str = "textured") -> Sample:
    """A sample of a made-up shader that reads a texture."""
    return sample(name, schema=TEXTURED, textures=TEXTURES)


def compiled(name: str = "compiled") -> Sample:
    """A sample of a made-up shader that took its driver 0.18 s to compile."""
    return sample(name, schema=VERSION, timing=replace(timing(), compile_s=0.18))


def launched(name: str = "launched", **changes) -> Sample:
    """A sample of a made-up compute shader, of as many invocations as `sample` has pixels."""
    buffer = BufferRecord("b", 3072, 4, None)
    value = ValueRecord("n", (3072.0,))
    launch = LaunchRecord((48, 1, 1), (64, 1, 1), (buffer,), (value,))
    return sample(name, **({"schema": LAUNCHED, "launch": launch} | changes))


def table_of(rows: list[dict[str, Any]], schema: pa.Schema) -> pa.Table:
    """As `pa.Table.from_pylist`, which would leave out what the schema does not know."""
    for row in rows:
        _check_known(row, pa.struct(list(schema)), "")
    return pa.Table.from_pylist(rows, schema)


def _check_known(value: object, type: pa.DataType, place: str) -> None:
    if pa.types.is_list(type) and isinstance(value, list | tuple):
        for entry in value[:3]:
            _check_known(entry, type.value_type, f"{place}[]")
    elif pa.types.is_struct(type) and isinstance(value, dict):
        inner = {field.name: field.type for field in type}
        unknown = value.keys() - inner.keys()
        assert not unknown, f"{place}: {min(unknown)!r} would be left out"
        for name, entry in value.items():
            _check_known(entry, inner[name], f"{place}.{name}")
