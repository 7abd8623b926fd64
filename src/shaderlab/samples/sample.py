"""The sample schema, versions 1 to 4.  This module is its one home.

Columns of the exchange format, the JSON Schema and the documentation are derived from these
classes (`samples.schema`): a field's type is its column, its `Rule` the documentation and the
bounds a row is held to.  A sample names a program by the hash of its SPIR-V and a device by its
model; it never holds a user's name, a path, a host name or a device's own serial number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

FIRST, VERSION = 1, 4
"""The version that a row needs is written into it: a change that older readers would misread
raises it, and rows without what is new keep theirs, and so their ids.  2: textures; 3: compute
shaders; 4: the driver's compile time."""

TEXTURED, LAUNCHED = 2, 3
"""The versions that brought textures and compute shaders."""

CLOCKS = ("device", "cpu")


@dataclass(frozen=True)
class Rule:
    """What a field means, in one sentence for its documentation, and which values it may take."""

    text: str
    minimum: float | None = None
    maximum: float | None = None
    pattern: str | None = None
    """Regular expression a text must match as a whole."""
    longest: int | None = None
    """Most entries of a list or map, most characters of a text."""
    since: int = FIRST
    """The version that brought the field; rows of earlier ones are without it."""


_HASH = r"[0-9a-f]{64}"
_WORD = r"[A-Za-z0-9][A-Za-z0-9._+-]*"
_OPERATION = r"Op\w{1,80}(\.\w{1,80})?(\*\d{1,3})?"
_MOST = 2**62

Seconds = float

Picture = Literal["varied", "constant", "black", "white"]


@dataclass(frozen=True)
class BlockRecord:
    """One basic block that is reachable from the entry point, without its identity."""

    count: Annotated[int, Rule("Executions, summed over all invocations.", 0, _MOST)]
    lane_groups: Annotated[
        int | None,
        Rule(
            "Executions summed over 8x4 pixel groups, the longest lane's of each; "
            "null where not recorded.",
            0,
            _MOST,
        ),
    ]
    operations: Annotated[
        Mapping[str, int],
        Rule(
            "Static instructions of the block, OpLabel excluded, by operation: the opcode's name, "
            "`.` and the extended instruction's name for OpExtInst, `*` and the number of result "
            "components where there are several (`OpFMul*3`, `OpExtInst.Normalize*3`).",
            1,
            1 << 22,
            pattern=_OPERATION,
            longest=4096,
        ),
    ]
    successors: Annotated[
        tuple[int, ...],
        Rule(
            "Blocks its terminator may lead to, by their place in the list, each once.",
            0,
            1 << 17,
            longest=1 << 12,
        ),
    ]


@dataclass(frozen=True)
class TraceRecord:
    """How often every basic block of one module ran in one frame with the sample's inputs."""

    device: Annotated[str, Rule("Slug of the device that counted.", pattern=_WORD, longest=64)]
    opcodes: Annotated[
        Mapping[str, int],
        Rule(
            "Executed instructions by opcode name, summed over all invocations.",
            1,
            _MOST,
            pattern=r"Op\w{1,80}",
            longest=1024,
        ),
    ]
    blocks: Annotated[
        tuple[BlockRecord, ...],
        Rule("Basic blocks in the order of the module; empty where left out.", longest=1 << 17),
    ]
    undefined_uses: Annotated[
        int,
        Rule(
            "Operands in the module's functions that name an undefined value (OpUndef): where "
            "there are any, devices may disagree about what the shader does.",
            0,
            1 << 22,
        ),
    ]


@dataclass(frozen=True)
class ProgramRecord:
    """The fragment shader, or compute shader."""

    digest: Annotated[str, Rule("SHA-256 of the SPIR-V that ran, hex.", pattern=_HASH)]
    collection: Annotated[
        str | None,
        Rule("Public collection the shader is from, e.g. `shadertoy`.", pattern=_WORD, longest=64),
    ]
    id: Annotated[str | None, Rule("Its id in that collection.", pattern=_WORD, longest=64)]
    dialect: Annotated[
        Literal[
            "shadertoy", "shadertoy-450", "glsl", "opengl", "isf", "libretro", "gl-transition",
            "love", "flutter", "mpv", "godot", "hlsl", "slang", "wgsl", "spirv",
        ],
        Rule("How the text was read."),
    ]  # fmt: skip
    words: Annotated[int, Rule("Size of the SPIR-V in 32-bit words.", 5, 1 << 22)]
    opcodes: Annotated[
        Mapping[str, int],
        Rule(
            "Static instructions of the whole module by opcode name.",
            1,
            1 << 22,
            pattern=r"Op\w{1,80}",
            longest=1024,
        ),
    ]
    text: Annotated[
        str | None,
        Rule("Source, only where its author chose to share it.", longest=1 << 20),
    ] = None
    license: Annotated[
        str | None,
        Rule(
            "SPDX licence expression of the source; null without source.",
            pattern=r"[A-Za-z0-9][A-Za-z0-9.+() -]*",
            longest=200,
        ),
    ] = None


@dataclass(frozen=True)
class InputsRecord:
    """Uniforms of the frame that was timed and traced."""

    width: Annotated[int, Rule("`iResolution.x`, pixels.", 1, 16384)]
    height: Annotated[int, Rule("`iResolution.y`, pixels.", 1, 16384)]
    time_s: Annotated[Seconds, Rule("`iTime`, seconds.", -1e9, 1e9)]
    frame: Annotated[int, Rule("`iFrame`.", -(2**31), 2**31 - 1)]
    time_delta_s: Annotated[Seconds, Rule("`iTimeDelta`, seconds.", -1e9, 1e9)]
    frame_rate: Annotated[float, Rule("`iFrameRate`, 1/s.", -1e9, 1e9)]
    mouse: Annotated[tuple[float, ...], Rule("`iMouse`, four numbers.", -1e9, 1e9, longest=4)]
    date: Annotated[tuple[float, ...], Rule("`iDate`, four numbers.", -1e9, 1e9, longest=4)]


@dataclass(frozen=True)
class TextureRecord:
    """One texture that the program declares, as it was bound."""

    name: Annotated[str, Rule("Its name in the shader.", pattern=r"[\w.\[\]]+", longest=200)]
    holds: Annotated[
        Literal["black", "white", "noise", "blue-noise", "checker", "gradient", "normal-map"],
        Rule("Generated content: `noise` is uniform, of one fixed seed."),
    ]
    dimension: Annotated[Literal["1D", "2D", "3D", "Cube"], Rule("Of the image.")]
    width: Annotated[int, Rule("Texels.", 1, 16384)]
    height: Annotated[int, Rule("Texels.", 1, 16384)]
    depth: Annotated[int, Rule("Texels.", 1, 16384)]
    levels: Annotated[int, Rule("Mip levels.", 1, 15)]
    format: Annotated[Literal["rgba8", "rgba32f"], Rule("Of a texel.")]
    filter: Annotated[Literal["nearest", "linear", "mipmap"], Rule("`mipmap` is trilinear.")]
    wrap: Annotated[Literal["repeat", "clamp", "mirror"], Rule("Outside 0 to 1.")]


@dataclass(frozen=True)
class BufferRecord:
    """One storage buffer that ends in an array without a length."""

    name: Annotated[str, Rule("Its name in the shader.", pattern=r"[\w.]+", longest=200)]
    elements: Annotated[int, Rule("Length of the array.", 0, 1 << 28)]
    stride: Annotated[int, Rule("Bytes from one element to the next.", 1, 1 << 20)]
    digest: Annotated[
        str | None,
        Rule(
            "SHA-256 of its bytes where they came from a file; null: random numbers, the same for "
            "every run.",
            pattern=_HASH,
        ),
    ]


@dataclass(frozen=True)
class ValueRecord:
    """A uniform, push constant or specialisation constant that was chosen."""

    name: Annotated[str, Rule("Its name in the shader.", pattern=r"[\w.\[\]@]+", longest=200)]
    numbers: Annotated[tuple[float, ...], Rule("Its components.", -1.8e308, 1.8e308, longest=256)]


@dataclass(frozen=True)
class LaunchRecord:
    """One dispatch of a compute shader."""

    groups: Annotated[tuple[int, ...], Rule("Along x, y and z.", 1, 2**31, longest=3)]
    local: Annotated[
        tuple[int, ...],
        Rule("Invocations of a workgroup along x, y and z.", 1, 1 << 16, longest=3),
    ]
    buffers: Annotated[
        tuple[BufferRecord, ...], Rule("Storage buffers that end in an array.", longest=64)
    ]
    values: Annotated[
        tuple[ValueRecord, ...],
        Rule("Values that were set; all others had the default for their name.", longest=256),
    ]


@dataclass(frozen=True)
class TimingRecord:
    """What the profiler found."""

    clock: Annotated[
        Literal["device", "cpu"],
        Rule(
            "Which clock `time_s` and `median_s` are from: `device`, timestamp queries "
            "(`trials_s`); `cpu`, the CPU time of all threads of the process that drew "
            "(`cpu_trials_s`), as a software device shares its cores with everything else."
        ),
    ]
    time_s: Annotated[Seconds, Rule("Mean seconds per draw over the trials kept.", 1e-9, 3600.0)]
    median_s: Annotated[
        Seconds, Rule("Median seconds per draw over the trials kept.", 1e-9, 3600.0)
    ]
    draws: Annotated[int, Rule("Draws per trial, each in its own render pass.", 1, 1_000_000)]
    trials_s: Annotated[
        tuple[Seconds, ...],
        Rule(
            "Seconds per draw of every trial by the device's timestamps, in the order measured.",
            0.0,
            3600.0,
            longest=10_000,
        ),
    ]
    cpu_trials_s: Annotated[
        tuple[Seconds, ...],
        Rule(
            "CPU seconds per draw of every trial, summed over the threads of the process; "
            "empty where not recorded.",
            0.0,
            36_000.0,
            longest=10_000,
        ),
    ]
    rejected: Annotated[
        tuple[int, ...],
        Rule(
            "Indices of trials more than 7 median absolute deviations from the median of the "
            "clock's trials; left out of `time_s` and `median_s`.",
            0,
            10_000,
            longest=10_000,
        ),
    ]
    floor_s: Annotated[
        Seconds | None,
        Rule(
            "Seconds by timestamps of one render pass that draws a constant colour at this size; "
            "null where not measured.",
            0.0,
            3600.0,
        ),
    ]
    compile_s: Annotated[
        Seconds | None,
        Rule(
            "Seconds in which the driver compiled the program before it was timed, short where it "
            "was in the driver's cache; null where not measured.",
            0.0,
            36_000.0,
            since=4,
        ),
    ] = None


@dataclass(frozen=True)
class DeviceRecord:
    """The device and its driver."""

    slug: Annotated[str, Rule("Short name, e.g. `rtx3060`.", pattern=_WORD, longest=64)]
    name: Annotated[str, Rule("The driver's own name of the device.", longest=256)]
    kind: Annotated[
        Literal["discrete", "integrated", "virtual", "software", "other"], Rule("Kind of device.")
    ]
    vendor_id: Annotated[int, Rule("Vulkan vendorID.", 0, 2**32 - 1)]
    device_id: Annotated[int, Rule("Vulkan deviceID.", 0, 2**32 - 1)]
    uuid_hash: Annotated[
        str | None,
        Rule(
            "First 16 hex digits of the SHA-256 of the deviceUUID: distinguishes devices of one "
            "model without identifying their owner; null where the driver has none.",
            pattern=r"[0-9a-f]{16}",
        ),
    ]
    driver: Annotated[str, Rule("Driver name and version.", longest=256)]
    api_version: Annotated[
        str, Rule("Vulkan version of the device.", pattern=r"\d{1,4}(\.\d{1,5}){1,3}")
    ]
    memory_bytes: Annotated[
        int | None, Rule("Largest device-local heap, bytes; null where not asked.", 0, 2**50)
    ] = None
    clocks: Annotated[
        str | None,
        Rule(
            "Clock and power state while measuring, as far as the system reports it: `locked "
            "(high), 1777 MHz` or `unlocked (auto)`; for a software device that of the processor "
            "it draws with, and which one that is; null where it is not reported.",
            longest=200,
        ),
    ] = None


@dataclass(frozen=True)
class Sample:
    """One measured shader on one device with one set of inputs."""

    schema: Annotated[int, Rule("Version of this schema that the row needs.", FIRST, VERSION)]
    id: Annotated[
        str,
        Rule(
            "SHA-256, hex, of the row without `id`, `program.text` and `program.license`: equal "
            "for the same measurement wherever it was merged from.",
            pattern=_HASH,
        ),
    ]
    program: Annotated[ProgramRecord, Rule("The fragment shader, or compute shader.")]
    inputs: Annotated[InputsRecord, Rule("Uniforms of the frame.")]
    timing: Annotated[TimingRecord, Rule("What the profiler found.")]
    device: Annotated[DeviceRecord, Rule("The device and its driver.")]
    software: Annotated[
        str, Rule("Version of shaderlab that measured.", pattern=r"[0-9A-Za-z.+-]+", longest=64)
    ]
    date: Annotated[str, Rule("Day of the measurement, UTC.", pattern=r"20\d\d-[01]\d-[0-3]\d")]
    trace: Annotated[
        TraceRecord | None, Rule("Counts of the program as measured; null where not traced.")
    ] = None
    optimized: Annotated[
        TraceRecord | None,
        Rule("Counts of the program after `spirv-opt -O`; null where not traced."),
    ] = None
    picture: Annotated[
        Picture | None,
        Rule(
            "What the frame shows, alpha apart: several colours, one, all black or all white; "
            "null where not looked at."
        ),
    ] = None
    textures: Annotated[
        tuple[TextureRecord, ...] | None,
        Rule(
            "Textures the program declares, where any was given; null: it declares none, or each "
            "was the one black texel of an empty channel.",
            longest=64,
            since=2,
        ),
    ] = None
    launch: Annotated[
        LaunchRecord | None,
        Rule(
            "How a compute shader was launched; null: the program is a fragment shader. Its "
            "counts are per invocation, lane groups 32 consecutive invocations of a workgroup.",
            since=3,
        ),
    ] = None
