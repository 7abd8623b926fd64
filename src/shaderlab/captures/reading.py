"""From the lines about a draw to its nouns: what does not fit together is refused here."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from shaderlab.captures import state_parts, words
from shaderlab.captures.frame import CapturedDraw, CapturedShader, Counters
from shaderlab.captures.schema import (
    BlendPart,
    CountersRecord,
    DrawRecord,
    FetchedPart,
    FixedPart,
    ImagePart,
    NewPiece,
    Pieces,
    ResourcePart,
    ShaderPart,
    TargetPart,
    VerticesPart,
)
from shaderlab.errors import WrongUse
from shaderlab.scene.bound import (
    Bound,
    BoundBuffer,
    BoundImage,
    StoredImage,
)
from shaderlab.scene.contents import Contents, Piece
from shaderlab.scene.draw import Attachments, DrawState
from shaderlab.scene.fetched import FetchedVertices, VertexAttribute, VertexBuffer
from shaderlab.scene.fixed_functions import (
    ColourTarget,
    DepthTarget,
    FixedFunctions,
    Viewport,
)
from shaderlab.scene.geometry import Geometry, StoredVertices
from shaderlab.scene.inputs import Inputs
from shaderlab.scene.launch import LaunchChoice
from shaderlab.scene.texel_layouts import DEPTH, layout
from shaderlab.spirv.module import printable
from shaderlab.spirv.reflection import Descriptor

MOST_CONTENTS = 1 << 30
"""Bytes of one texture level, buffer or attachment."""


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
        try:
            if record.reason:
                text = self._contents(record.text) if record.text else None
                return replace(listed, reason=printable(record.reason), text=text)
            return self._read(record, listed)
        except WrongUse as error:
            return replace(listed, reason=str(error))

    def _read(self, record: DrawRecord, listed: CapturedDraw) -> CapturedDraw:
        if listed.is_dispatch:
            return self._dispatch(record, listed)
        its = record.fixed, record.fragment, record.vertices, record.size
        fixed, fragment, vertices, size = its
        if fixed is None or fragment is None or vertices is None or size is None:
            raise WrongUse("the capture does not hold all of its state")
        shape = self._vertices(vertices)
        state = DrawState(
            Inputs(bound=self._bound(record.resources, record.push, record.constants)),
            Geometry(shape),
            Attachments(size, samples=fixed.samples, fixed=self._fixed(fixed, record, shape)),
        )
        vertex_state, why_not = self._vertex_state(record, size)
        return replace(
            listed,
            shader=self._shader(fragment),
            vertex=self._shader(record.vertex) if record.vertex else None,
            vertex_state=vertex_state,
            vertex_reason=why_not,
            state=state,
        )

    def _bound(self, parts: list[ResourcePart], push: str, constants: dict[str, str]) -> Bound:
        return Bound(
            self._resources(parts),
            bytes.fromhex(push),
            tuple(sorted((state_parts.number(k), bytes.fromhex(v)) for k, v in constants.items())),
        )

    def _dispatch(self, record: DrawRecord, listed: CapturedDraw) -> CapturedDraw:
        if record.compute is None or record.groups is None:
            raise WrongUse("the capture does not hold all of its state")
        if not all(record.groups):
            raise WrongUse("it launches no workgroups")
        bound = self._bound(record.resources, record.push, record.constants)
        launch = LaunchChoice(record.groups)
        state = DrawState(Inputs(bound=bound), launch=launch)
        return replace(listed, shader=self._shader(record.compute), state=state)

    def _vertex_state(
        self, record: DrawRecord, size: tuple[int, int]
    ) -> tuple[DrawState | None, str]:
        """What the vertex stage reads; None with the reason where it cannot be run by itself."""
        if record.fetched is None or record.vertex is None:
            return None, printable(record.vertex_reason)
        try:
            bound = self._bound(record.vertex_resources, record.push, record.vertex_constants)
            shape = self._fetched(record.fetched)
        except WrongUse as error:
            return None, str(error)
        return DrawState(Inputs(bound=bound), Geometry(shape), Attachments(size)), ""

    def _fetched(self, part: FetchedPart) -> FetchedVertices:
        if part.indices and part.index_bytes not in (1, 2, 4):
            raise WrongUse(f"its indices have {part.index_bytes} bytes each")
        buffers = [
            VertexBuffer(each.binding, each.stride, each.instanced, self._contents(each.data))
            for each in part.bindings
        ]
        numbers = [each.binding for each in buffers]
        locations = [each.location for each in part.attributes]
        if len(set(numbers)) != len(numbers) or len(set(locations)) != len(locations):
            raise WrongUse("its vertex buffers or attributes are listed twice")
        if not {each.binding for each in part.attributes} <= set(numbers):
            raise WrongUse("an attribute names a vertex buffer that is not bound")
        return FetchedVertices(
            tuple(
                VertexAttribute(
                    each.location, each.binding, words.format_name(each.format), each.offset
                )
                for each in part.attributes
            ),
            tuple(buffers),
            words.word(words.TOPOLOGY, part.topology, "topology"),
            part.count,
            part.instances,
            part.first,
            part.first_instance,
            self._contents(part.indices) if part.indices else None,
            part.index_bytes,
            part.base,
            part.restart,
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

    def _texels(
        self, pieces: Pieces, name: str, size: tuple[int, int, int], what: str, samples: int = 1
    ) -> Contents:
        """Contents that fill an image of a format, one sample after the other; of several slices
        all at once."""
        its = layout(name)
        if its is None:
            raise WrongUse(f"{what} has the format {printable(name)}, which is not replayed")
        found = self._contents(pieces)
        wanted = its.size(*size) * samples
        if found.nbytes != wanted:
            raise WrongUse(f"{what} has {found.nbytes:,} bytes, not {wanted:,}")
        return found

    def _fixed(self, part: FixedPart, record: DrawRecord, shape: StoredVertices) -> FixedFunctions:
        size = record.size
        for target in (*record.colours, record.depth):
            if target is not None and target.size != size:
                raise WrongUse("its attachments differ in size")
            if target is not None and target.samples != part.samples:
                raise WrongUse("its attachments differ in samples per pixel")
        logic = next((each.logic for each in part.blends if each.logic), None)
        colours = tuple(
            self._colour(target, part.blends[n] if n < len(part.blends) else None)
            for n, target in enumerate(record.colours)
        )
        depth = self._depth(record.depth, part) if record.depth is not None else None
        return FixedFunctions(
            Viewport(*part.viewport),
            state_parts.clipped(part.scissor, record.size),
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
            part.samples,
            part.sample_shading,
            words.word(words.LOGIC, logic, "logical operation") if logic else None,
        )

    def _colour(self, target: TargetPart | None, blend: BlendPart | None) -> ColourTarget | None:
        if target is None:
            return None
        name, size = words.format_name(target.format), (*target.size, 1)
        mask = blend.mask if blend else 0xF
        is_blended = blend is not None and blend.enabled
        return ColourTarget(
            name,
            self._texels(target.before, name, size, "an attachment", target.samples),
            mask,
            state_parts.equation(blend.colour) if blend and is_blended else None,
            state_parts.equation(blend.alpha) if blend and is_blended else None,
            self._texels(target.after, name, size, "an attachment", target.samples),
            target.image,
        )

    def _depth(self, target: TargetPart, part: FixedPart) -> DepthTarget:
        name, size = words.format_name(target.format), (*target.size, 1)
        if name not in DEPTH:
            raise WrongUse(f"its depth attachment has the format {printable(name)}")
        return DepthTarget(
            name,
            self._texels(target.before, name, size, "its depth attachment", target.samples),
            part.depth_test,
            part.depth_write,
            words.word(words.COMPARE, part.depth_compare, "depth test"),
            part.depth_bounds,
            (state_parts.face(part.stencil[0]), state_parts.face(part.stencil[1]))
            if part.stencil
            else None,
            self._texels(target.after, name, size, "its depth attachment", target.samples),
            target.image,
        )

    def _vertices(self, part: VerticesPart) -> StoredVertices:
        position, columns = state_parts.columns(part.outputs, part.aligned, part.stride)
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
            return BoundBuffer(
                self._contents(part.buffer.data),
                name if is_texels else "",
                part.buffer.image,
                self._contents(part.after) if part.after is not None else None,
            )
        its = state_parts.sampler(part.sampler) if part.sampler else None
        if part.image is None or part.view is None:
            return BoundImage(sampler=its)
        image = self._image(part.image)
        after = self._contents(part.after) if part.after is not None else None
        return BoundImage(image, state_parts.view(part.view, image), its, after)

    def _image(self, part: ImagePart) -> StoredImage:
        name = words.format_name(part.format)
        levels = []
        for level, layers in enumerate(part.levels):
            width, height, depth = (max(1, side >> level) for side in part.size)
            if len(layers) != part.layers:
                raise WrongUse("a texture lacks layers")
            size = width, height, depth
            levels.append(
                tuple(self._texels(p, name, size, "a texture", part.samples) for p in layers)
            )
        return StoredImage(
            name, part.size, part.layers, part.dimension, part.cube, tuple(levels), part.image,
            part.samples,
        )  # fmt: skip


def counters(record: CountersRecord) -> dict[int, Counters]:
    """By event."""
    return {int(k): Counters(*v) for k, v in record.values.items() if k.isdecimal()}
