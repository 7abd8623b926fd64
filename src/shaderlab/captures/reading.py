"""From the lines about a draw to its nouns: what does not fit together is refused here."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from shaderlab.captures import words
from shaderlab.captures.frame import CapturedDraw, CapturedShader, Counters
from shaderlab.captures.schema import (
    BlendPart,
    CountersRecord,
    DrawRecord,
    FacePart,
    FixedPart,
    ImagePart,
    NewPiece,
    OutputPart,
    Pieces,
    ResourcePart,
    SamplerPart,
    ShaderPart,
    TargetPart,
    VerticesPart,
    ViewPart,
)
from shaderlab.errors import WrongUse
from shaderlab.scene.bound import (
    Bound,
    BoundBuffer,
    BoundImage,
    ImageView,
    SamplerState,
    StoredImage,
)
from shaderlab.scene.contents import Contents, Piece
from shaderlab.scene.draw import Attachments, DrawState
from shaderlab.scene.fixed_functions import (
    BlendEquation,
    ColourTarget,
    DepthTarget,
    FixedFunctions,
    Rectangle,
    StencilFace,
    Viewport,
)
from shaderlab.scene.geometry import Geometry, StoredVertices, VertexColumn
from shaderlab.scene.inputs import Inputs
from shaderlab.scene.texel_layouts import DEPTH, layout
from shaderlab.spirv.module import printable
from shaderlab.spirv.reflection import Descriptor

MOST_CONTENTS = 1 << 30
"""Bytes of one texture level, buffer or attachment."""
_ALL = 0xFFFFFFFF
"""VK_REMAINING_MIP_LEVELS and VK_REMAINING_ARRAY_LAYERS."""


class Reader:
    """Turns the records of one capture into draws; pieces are announced once and used later."""

    def __init__(self, pack: Path):
        """`pack`: the file that holds the pieces."""
        self._pack = pack
        self._pieces: list[Piece] = []
        self._known: dict[tuple[int, ...], Contents] = {}

    def announce(self, pieces: list[NewPiece]) -> None:
        self._pieces += (Piece(*each) for each in pieces)

    def draw(self, record: DrawRecord, listed: CapturedDraw) -> CapturedDraw:
        """`listed` with all that the record says; with the reason where it is not replayed."""
        self.announce(record.pieces)
        if record.reason:
            return replace(listed, reason=printable(record.reason))
        try:
            return self._read(record, listed)
        except WrongUse as error:
            return replace(listed, reason=str(error))

    def _read(self, record: DrawRecord, listed: CapturedDraw) -> CapturedDraw:
        its = record.fixed, record.fragment, record.vertices, record.size
        fixed, fragment, vertices, size = its
        if fixed is None or fragment is None or vertices is None or size is None:
            raise WrongUse("the capture does not say all of it")
        bound = Bound(
            self._resources(record.resources),
            bytes.fromhex(record.push),
            tuple(sorted((_number(k), bytes.fromhex(v)) for k, v in record.constants.items())),
        )
        shape = self._vertices(vertices)
        state = DrawState(
            Inputs(bound=bound),
            Geometry(shape),
            Attachments(size, fixed=self._fixed(fixed, record, shape)),
        )
        return replace(
            listed,
            fragment=self._shader(fragment),
            vertex=self._shader(record.vertex) if record.vertex else None,
            state=state,
        )

    def _contents(self, pieces: Pieces) -> Contents:
        key = tuple(pieces)
        if key not in self._known:
            if any(number >= len(self._pieces) for number in pieces):
                raise WrongUse("it names contents that the capture does not have")
            found = Contents(self._pack, tuple(self._pieces[number] for number in pieces))
            if found.nbytes > MOST_CONTENTS:
                raise WrongUse(f"it has contents of {found.nbytes >> 20} MiB")
            self._known[key] = found
        return self._known[key]

    def _shader(self, part: ShaderPart) -> CapturedShader:
        return CapturedShader(self._contents(part.spirv), part.entry)

    def _texels(self, pieces: Pieces, name: str, size: tuple[int, int, int], what: str) -> Contents:
        """Contents that fill an image of a format; of several layers or slices all at once."""
        its = layout(name)
        if its is None:
            raise WrongUse(f"{what} has the format {printable(name)}, which is not replayed")
        found = self._contents(pieces)
        if found.nbytes != its.size(*size):
            raise WrongUse(f"{what} has {found.nbytes:,} bytes, not {its.size(*size):,}")
        return found

    def _fixed(self, part: FixedPart, record: DrawRecord, shape: StoredVertices) -> FixedFunctions:
        size = record.size
        for target in (*record.colours, record.depth):
            if target is not None and target.size != size:
                raise WrongUse("its attachments differ in size")
        if any(each.logic for each in part.blends):
            raise WrongUse("it combines colours by a logical operation")
        colours = tuple(
            self._colour(target, part.blends[n] if n < len(part.blends) else None)
            for n, target in enumerate(record.colours)
        )
        depth = self._depth(record.depth, part) if record.depth is not None else None
        return FixedFunctions(
            Viewport(*part.viewport),
            _clipped(part.scissor, record.size),
            colours,
            depth,
            shape.topology,
            words.word(words.CULL, part.cull, "culling"),
            part.front_ccw,
            words.word(words.FILL, part.fill, "polygon mode"),
            part.depth_clamp,
            part.depth_bias,
            part.line_width,
            part.sample_mask,
            part.alpha_to_coverage,
            part.blend_constants,
        )

    def _colour(self, target: TargetPart | None, blend: BlendPart | None) -> ColourTarget | None:
        if target is None:
            return None
        name, size = words.format_name(target.format), (*target.size, 1)
        mask = blend.mask if blend else 0xF
        is_blended = blend is not None and blend.enabled
        return ColourTarget(
            name,
            self._texels(target.before, name, size, "an attachment"),
            mask,
            _equation(blend.colour) if blend and is_blended else None,
            _equation(blend.alpha) if blend and is_blended else None,
            self._texels(target.after, name, size, "an attachment"),
            target.image,
        )

    def _depth(self, target: TargetPart, part: FixedPart) -> DepthTarget:
        name, size = words.format_name(target.format), (*target.size, 1)
        if name not in DEPTH:
            raise WrongUse(f"its depth attachment has the format {printable(name)}")
        return DepthTarget(
            name,
            self._texels(target.before, name, size, "its depth attachment"),
            part.depth_test,
            part.depth_write,
            words.word(words.COMPARE, part.depth_compare, "depth test"),
            part.depth_bounds,
            (_face(part.stencil[0]), _face(part.stencil[1])) if part.stencil else None,
            self._texels(target.after, name, size, "its depth attachment"),
            target.image,
        )

    def _vertices(self, part: VerticesPart) -> StoredVertices:
        position, columns = _columns(part.outputs, part.aligned, part.stride)
        indices = self._contents(part.indices) if part.indices else None
        if indices is not None and part.index_bytes not in (1, 2, 4):
            raise WrongUse(f"its indices have {part.index_bytes} bytes each")
        if part.instances > 1 and part.step < part.stride:
            raise WrongUse("the vertices of its instances overlap")
        return StoredVertices(
            self._contents(part.data),
            part.stride,
            part.count,
            position,
            columns,
            words.word(words.TOPOLOGY, part.topology, "topology"),
            indices,
            part.index_bytes,
            part.base,
            part.restart,
            part.instances,
            part.step,
        )

    def _resources(
        self, parts: list[ResourcePart]
    ) -> dict[Descriptor, tuple[BoundBuffer | BoundImage, ...]]:
        found: dict[Descriptor, dict[int, BoundBuffer | BoundImage]] = {}
        for part in parts:
            at = Descriptor(part.set, part.binding)
            found.setdefault(at, {})[part.element] = self._resource(part)
        return {
            at: tuple(elements.get(n, BoundImage()) for n in range(max(elements) + 1))
            for at, elements in found.items()
        }

    def _resource(self, part: ResourcePart) -> BoundBuffer | BoundImage:
        if part.buffer is not None:
            name = words.format_name(part.buffer.format)
            is_texels = layout(name) is not None
            return BoundBuffer(self._contents(part.buffer.data), name if is_texels else "")
        its = _sampler(part.sampler) if part.sampler else None
        if part.image is None or part.view is None:
            return BoundImage(sampler=its)
        image = self._image(part.image)
        return BoundImage(image, _view(part.view, image), its)

    def _image(self, part: ImagePart) -> StoredImage:
        name = words.format_name(part.format)
        levels = []
        for level, layers in enumerate(part.levels):
            width, height, depth = (max(1, side >> level) for side in part.size)
            if len(layers) != part.layers:
                raise WrongUse("a texture lacks layers")
            size = width, height, depth
            levels.append(tuple(self._texels(p, name, size, "a texture") for p in layers))
        return StoredImage(
            name, part.size, part.layers, part.dimension, part.cube, tuple(levels), part.image
        )


def counters(record: CountersRecord) -> dict[int, Counters]:
    """By event."""
    return {int(k): Counters(*v) for k, v in record.values.items() if k.isdecimal()}


def _number(text: str) -> int:
    if not text.isdecimal():
        raise WrongUse("a specialisation constant has no number")
    return int(text)


def _clipped(scissor: tuple[int, int, int, int], size: tuple[int, int] | None) -> Rectangle:
    width, height = size or (0, 0)
    left, top = max(0, scissor[0]), max(0, scissor[1])
    right, bottom = min(width, scissor[0] + scissor[2]), min(height, scissor[1] + scissor[3])
    return Rectangle(left, top, max(0, right - left), max(0, bottom - top))


def _equation(part: tuple[str, str, str]) -> BlendEquation:
    return BlendEquation(
        words.word(words.FACTOR, part[0], "blend factor"),
        words.word(words.FACTOR, part[1], "blend factor"),
        words.word(words.BLEND, part[2], "blend operation"),
    )


def _face(part: FacePart) -> StencilFace:
    return StencilFace(
        words.word(words.STENCIL, part.fail, "stencil operation"),
        words.word(words.STENCIL, part.passed, "stencil operation"),
        words.word(words.STENCIL, part.depth_fail, "stencil operation"),
        words.word(words.COMPARE, part.compare, "stencil test"),
        part.compare_mask & 0xFF,
        part.write_mask & 0xFF,
        part.reference & 0xFF,
    )


def _columns(
    outputs: list[OutputPart], is_aligned: bool, stride: int
) -> tuple[int, tuple[VertexColumn, ...]]:
    """Where the position and the varyings lie: the position first, then all others in order, where
    `is_aligned` as std430 aligns them (RenderDoc, `BufferViewer`)."""
    first = [each for each in outputs if each.builtin == "Position"]
    if not first:
        raise WrongUse("its vertex stage writes no position")
    at, columns = 0, []
    for each in [*first, *(other for other in outputs if other is not first[0])]:
        nbytes = 8 if each.wide else 4
        if is_aligned and each.components > 1:
            step = nbytes * (2 if each.components == 2 else 4)
            at = -(-at // step) * step
        if at + nbytes * each.components > stride:
            raise WrongUse("its vertices are shorter than what its vertex stage writes")
        if each.builtin in ("ClipDistance", "CullDistance"):
            raise WrongUse("its vertex stage writes clip distances, which are not replayed")
        if each.builtin == "Undefined" and not each.wide:
            component = (each.channels & -each.channels).bit_length() - 1 if each.channels else 0
            count = min(each.components, 4 - component)
            columns.append(VertexColumn(each.location, max(0, component), at, count))
        at += nbytes * each.components
    return 0, tuple(columns)


def _view(part: ViewPart, image: StoredImage) -> ImageView:
    levels = len(image.levels) - part.first_level if part.levels == _ALL else part.levels
    layers = image.layers - part.first_layer if part.layers == _ALL else part.layers
    if image.dimension == 3:
        part_layer, layers = 0, 1
    else:
        part_layer = part.first_layer
    if levels < 1 or part.first_level + levels > len(image.levels):
        raise WrongUse("a texture's view has levels that the texture lacks")
    if layers < 1 or part_layer + layers > image.layers:
        raise WrongUse("a texture's view has layers that the texture lacks")
    red, green, blue, alpha = (words.word(words.SWIZZLE, s, "swizzle") for s in part.swizzle)
    name = words.format_name(part.format)
    is_known = layout(name) is not None
    return ImageView(
        name if is_known else image.format,
        part.first_level, levels, part_layer, layers, (red, green, blue, alpha),
    )  # fmt: skip


def _sampler(part: SamplerPart) -> SamplerState:
    first, second, third = (words.word(words.ADDRESS, a, "address mode") for a in part.address)
    return SamplerState(
        words.word(words.FILTER, part.magnify, "filter"),
        words.word(words.FILTER, part.minify, "filter"),
        words.word(words.FILTER, part.mip, "filter"),
        (first, second, third),
        words.word(words.COMPARE, part.compare, "comparison") if part.compare else None,
        (_bounded(part.lod[0]), _bounded(part.lod[1])),
        _bounded(part.lod[2]),
        part.anisotropy if part.anisotropy > 1 else 0.0,
        part.border,
        part.unnormalized,
    )


def _bounded(number: float) -> float:
    return max(-1000.0, min(1000.0, number))
