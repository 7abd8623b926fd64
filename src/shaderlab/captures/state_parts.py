"""States of one draw, from RenderDoc's words to nouns."""

from __future__ import annotations

from collections.abc import Iterator

from shaderlab.captures import words
from shaderlab.captures.schema import FacePart, OutputPart, SamplerPart, ViewPart
from shaderlab.errors import WrongUse
from shaderlab.scene.bound import ImageView, SamplerState, StoredImage
from shaderlab.scene.fixed_functions import BlendEquation, Rectangle, StencilFace
from shaderlab.scene.geometry import (
    CLIP_DISTANCES,
    CULL_DISTANCES,
    POINT_SIZE,
    VertexColumn,
)
from shaderlab.scene.texel_layouts import layout

_ALL = 0xFFFFFFFF
"""VK_REMAINING_MIP_LEVELS and VK_REMAINING_ARRAY_LAYERS."""


def number(text: str) -> int:
    if not text.isdecimal():
        raise WrongUse("a specialisation constant has no number")
    return int(text)


def clipped(scissor: tuple[int, int, int, int], size: tuple[int, int] | None) -> Rectangle:
    width, height = size or (0, 0)
    left, top = max(0, scissor[0]), max(0, scissor[1])
    right, bottom = min(width, scissor[0] + scissor[2]), min(height, scissor[1] + scissor[3])
    return Rectangle(left, top, max(0, right - left), max(0, bottom - top))


def equation(part: tuple[str, str, str]) -> BlendEquation:
    return BlendEquation(
        words.word(words.FACTOR, part[0], "blend factor"),
        words.word(words.FACTOR, part[1], "blend factor"),
        words.word(words.BLEND, part[2], "blend operation"),
    )


def face(part: FacePart) -> StencilFace:
    return StencilFace(
        words.word(words.STENCIL, part.fail, "stencil operation"),
        words.word(words.STENCIL, part.passed, "stencil operation"),
        words.word(words.STENCIL, part.depth_fail, "stencil operation"),
        words.word(words.COMPARE, part.compare, "stencil test"),
        part.compare_mask & 0xFF,
        part.write_mask & 0xFF,
        part.reference & 0xFF,
    )


def columns(
    outputs: list[OutputPart], is_aligned: bool, stride: int
) -> tuple[int, tuple[VertexColumn, ...]]:
    """Where the position and the varyings lie: the position first, then all others in order, where
    `is_aligned` as std430 aligns them (RenderDoc, `BufferViewer`)."""
    first = [each for each in outputs if each.builtin == "Position"]
    if not first:
        raise WrongUse("its vertex stage writes no position")
    at = 0
    columns: list[VertexColumn] = []
    written = dict.fromkeys(_DISTANCES, 0)
    for each in [*first, *(other for other in outputs if other is not first[0])]:
        nbytes = 8 if each.wide else 4
        if is_aligned and each.components > 1:
            step = nbytes * (2 if each.components == 2 else 4)
            at = -(-at // step) * step
        if at + nbytes * each.components > stride:
            raise WrongUse("its vertices are shorter than what its vertex stage writes")
        if each.builtin == "PointSize":
            columns.append(VertexColumn(POINT_SIZE, 0, at, 1))
        elif each.builtin in _DISTANCES and not each.wide:
            columns += _distances(each, at, written)
        if each.builtin == "Undefined":
            component = (each.channels & -each.channels).bit_length() - 1 if each.channels else 0
            count = min(each.components, 4 - component)
            bits = 64 if each.wide else 32
            columns.append(VertexColumn(each.location, max(0, component), at, count, bits))
        at += nbytes * each.components
    return 0, tuple(columns)


_DISTANCES = {"ClipDistance": CLIP_DISTANCES, "CullDistance": CULL_DISTANCES}
_MOST_DISTANCES = 8


def _distances(part: OutputPart, at: int, written: dict[str, int]) -> Iterator[VertexColumn]:
    """Where some clip or cull distances lie.  `written`: how many came before, of each."""
    for n in range(part.components):
        number = written[part.builtin]
        if number >= _MOST_DISTANCES:
            raise WrongUse(f"its vertex stage writes more than {_MOST_DISTANCES} clip distances")
        yield VertexColumn(_DISTANCES[part.builtin][number // 4], number % 4, at + 4 * n, 1)
        written[part.builtin] = number + 1


def view(part: ViewPart, image: StoredImage) -> ImageView:
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


def sampler(part: SamplerPart) -> SamplerState:
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
