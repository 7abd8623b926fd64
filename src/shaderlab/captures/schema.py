"""The lines that `renderdoc_reader` writes, with the ranges they keep within.

They are read as written by somebody else: a capture may have been made to mislead RenderDoc.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

MOST_DRAWS = 20000

Word = Annotated[str, Meta(max_length=64)]
Line = Annotated[str, Meta(max_length=1000)]
Count = Annotated[int, Meta(ge=0, le=1 << 31)]
Groups = Annotated[int, Meta(ge=0, le=1 << 22)]
Signed = Annotated[int, Meta(ge=-(1 << 31), le=1 << 32)]
Side = Annotated[int, Meta(ge=1, le=1 << 15)]
Real = Annotated[float, Meta(ge=-1e9, le=1e9)]
Any = float
"""Ranges of samplers and the like, which may be infinite."""
Samples = Annotated[int, Meta(ge=1, le=64)]
Mask = Annotated[int, Meta(ge=0, le=0xFFFFFFFF)]
Event = Annotated[int, Meta(ge=0, le=1 << 32)]
Hex = Annotated[str, Meta(max_length=8192, pattern="^([0-9a-f]{2})*$")]
Pieces = Annotated[list[Count], Meta(max_length=1 << 16)]
"""Numbers of pieces, in the order in which they were announced."""
Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
NewPiece = tuple[
    Digest,
    Annotated[int, Meta(ge=0, le=1 << 40)],
    Annotated[int, Meta(ge=1, le=1 << 16)],
]


class _Part(Struct, forbid_unknown_fields=True):
    pass


class ListedDraw(_Part):
    event: Event
    name: Line
    marker: Line
    stage: Literal["fragment", "compute"]


class ShaderPart(_Part):
    entry: Annotated[str, Meta(min_length=1, max_length=1000)]
    spirv: Pieces


class OutputPart(_Part):
    builtin: Word
    location: Annotated[int, Meta(ge=0, le=255)]
    components: Annotated[int, Meta(ge=1, le=4)]
    channels: Annotated[int, Meta(ge=0, le=255)]
    wide: bool


class VerticesPart(_Part):
    topology: Word
    count: Count
    instances: Annotated[int, Meta(ge=1, le=1 << 24)]
    step: Signed
    stride: Annotated[int, Meta(ge=4, le=1 << 16)]
    data: Pieces
    indices: Pieces
    index_bytes: Annotated[int, Meta(ge=0, le=4)]
    base: Signed
    restart: Mask | None
    aligned: bool
    outputs: Annotated[list[OutputPart], Meta(max_length=256)]


class AttributePart(_Part):
    location: Annotated[int, Meta(ge=0, le=255)]
    binding: Annotated[int, Meta(ge=0, le=255)]
    format: Word
    offset: Count


class BindingPart(_Part):
    binding: Annotated[int, Meta(ge=0, le=255)]
    stride: Annotated[int, Meta(ge=0, le=1 << 16)]
    instanced: bool
    data: Pieces


class FetchedPart(_Part):
    attributes: Annotated[list[AttributePart], Meta(max_length=256)]
    bindings: Annotated[list[BindingPart], Meta(max_length=256)]
    topology: Word
    count: Annotated[int, Meta(ge=0, le=1 << 28)]
    instances: Annotated[int, Meta(ge=1, le=1 << 24)]
    first: Count
    first_instance: Count
    base: Annotated[int, Meta(ge=-(1 << 31), le=(1 << 31) - 1)]
    indices: Pieces
    index_bytes: Annotated[int, Meta(ge=0, le=4)]
    restart: bool


class BlendPart(_Part):
    enabled: bool
    logic: Word | None
    colour: tuple[Word, Word, Word]
    alpha: tuple[Word, Word, Word]
    mask: Annotated[int, Meta(ge=0, le=15)]


class FacePart(_Part):
    fail: Word
    passed: Word
    depth_fail: Word
    compare: Word
    compare_mask: Mask
    write_mask: Mask
    reference: Mask


class FixedPart(_Part):
    viewport: tuple[Real, Real, Real, Real, Real, Real]
    scissor: tuple[Signed, Signed, Signed, Signed]
    cull: Word
    front_ccw: bool
    fill: Word
    depth_clamp: bool
    depth_bias: tuple[Real, Real, Real] | None
    line_width: Real
    samples: Samples
    sample_shading: Annotated[float, Meta(ge=0, le=1)] | None
    sample_mask: Mask
    alpha_to_coverage: bool
    blend_constants: tuple[Real, Real, Real, Real]
    blends: Annotated[list[BlendPart], Meta(max_length=32)]
    depth_test: bool
    depth_write: bool
    depth_compare: Word
    depth_bounds: tuple[Real, Real] | None
    stencil: tuple[FacePart, FacePart] | None


class TargetPart(_Part):
    image: Count
    format: Word
    mip: Count
    slice: Count
    size: tuple[Side, Side]
    samples: Samples
    before: Pieces
    after: Pieces


class BufferPart(_Part):
    data: Pieces
    image: Count
    format: Word = ""


class ImagePart(_Part):
    image: Count
    format: Word
    size: tuple[Side, Side, Side]
    layers: Annotated[int, Meta(ge=1, le=4096)]
    samples: Samples
    cube: bool
    dimension: Annotated[int, Meta(ge=1, le=3)]
    levels: Annotated[
        list[Annotated[list[Pieces], Meta(min_length=1, max_length=4096)]],
        Meta(min_length=1, max_length=17),
    ]


class ViewPart(_Part):
    format: Word
    first_level: Count
    levels: Mask
    first_layer: Count
    layers: Mask
    swizzle: tuple[Word, Word, Word, Word]


class SamplerPart(_Part):
    minify: Word
    magnify: Word
    mip: Word
    address: tuple[Word, Word, Word]
    compare: Word | None
    lod: tuple[Any, Any, Any]
    anisotropy: Any
    border: tuple[Any, Any, Any, Any]
    unnormalized: bool


class ResourcePart(_Part):
    set: Annotated[int, Meta(ge=0, le=64)]
    binding: Annotated[int, Meta(ge=0, le=1 << 16)]
    element: Annotated[int, Meta(ge=0, le=4096)]
    type: Word = ""
    sampler: SamplerPart | None = None
    buffer: BufferPart | None = None
    image: ImagePart | None = None
    view: ViewPart | None = None
    after: Pieces | None = None
    """What a dispatch left there: of a buffer, or of the first level and layer of an image."""


class _Record(_Part, tag_field="kind"):
    pass


class CaptureRecord(_Record, tag="capture"):
    api: Word
    renderdoc: Word
    draws: Annotated[list[ListedDraw], Meta(max_length=MOST_DRAWS)]


class DrawRecord(_Record, tag="draw"):
    event: Event
    pieces: Annotated[list[NewPiece], Meta(max_length=1 << 20)]
    reason: Line = ""
    text: Pieces = []
    """Of its pixel or compute shader, in GLSL: of OpenGL, whose draws are not replayed."""
    size: tuple[Side, Side] | None = None
    fragment: ShaderPart | None = None
    vertex: ShaderPart | None = None
    constants: dict[Word, Hex] = {}
    push: Hex = ""
    vertices: VerticesPart | None = None
    fetched: FetchedPart | None = None
    vertex_resources: Annotated[list[ResourcePart], Meta(max_length=1 << 14)] = []
    vertex_constants: dict[Word, Hex] = {}
    vertex_reason: Line = ""
    """Why the vertex stage cannot be run by itself."""
    compute: ShaderPart | None = None
    groups: tuple[Groups, Groups, Groups] | None = None
    """Workgroups of a dispatch."""
    fixed: FixedPart | None = None
    resources: Annotated[list[ResourcePart], Meta(max_length=1 << 14)] = []
    colours: Annotated[list[TargetPart | None], Meta(max_length=32)] = []
    depth: TargetPart | None = None


class CountersRecord(_Record, tag="counters"):
    values: Annotated[dict[Word, tuple[float | None, float | None]], Meta(max_length=MOST_DRAWS)]


class EndRecord(_Record, tag="end"):
    pass


class ErrorRecord(_Record, tag="error"):
    message: Line


class ProgressRecord(_Record, tag="progress"):
    """Reading goes on; of no other meaning."""


Record = CaptureRecord | DrawRecord | CountersRecord | EndRecord | ErrorRecord | ProgressRecord


class UnreadableDraw(Struct, tag_field="kind", tag="draw"):
    """What is still read of a draw with invalid state: other draws may share its contents."""

    event: Event
    pieces: Annotated[list[NewPiece], Meta(max_length=1 << 20)]


UNREADABLE = msgspec.json.Decoder(UnreadableDraw)
DECODER = msgspec.json.Decoder(Record)
