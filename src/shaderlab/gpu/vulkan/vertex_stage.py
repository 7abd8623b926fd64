"""What feeds the fragment stage: vertex buffers and a vertex shader, made here or the user's."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from shaderlab.errors import OutOfDeviceMemory, UnsupportedShader
from shaderlab.frontend.program import Program
from shaderlab.geometry.varyings import vertices
from shaderlab.gpu.vulkan import binding as vk
from shaderlab.gpu.vulkan.device import Device
from shaderlab.gpu.vulkan.memory import HostBuffer
from shaderlab.locations import resources
from shaderlab.scene.geometry import (
    CLIP_DISTANCES,
    CULL_DISTANCES,
    FEWEST_VERTICES,
    POINT_SIZE,
    Geometry,
    StoredVertices,
)
from shaderlab.spirv.grammar import BuiltIn
from shaderlab.spirv.pass_through import ENTRY_POINT, pass_through
from shaderlab.spirv.reflection import Interface
from shaderlab.spirv.value_types import Component
from shaderlab.spirv.varyings import Varying

_QUAD_VERTICES = 6
_FORMATS = {
    Component.FLOAT: vk.VK_FORMAT_R32G32B32A32_SFLOAT,
    Component.INT: vk.VK_FORMAT_R32G32B32A32_SINT,
    Component.UINT: vk.VK_FORMAT_R32G32B32A32_UINT,
}
_BYTES = 16
"""Of one attribute of one vertex: four components of 32 bits."""


@dataclass(frozen=True)
class VertexStage:
    """A vertex shader, and the attributes it is fed."""

    spirv: bytes
    entry_point: str
    attributes: tuple[tuple[int, int], ...] = ()
    """Location and VkFormat of each, in the order they lie in a vertex."""
    with_position: bool = False
    """Whether the first of them is the position in clip space."""
    varyings: tuple[Varying, ...] = ()
    """Whose values the others are, at ascending locations."""
    program: Program | None = None
    """Where it is the user's."""
    numbers_primitives: bool = False
    """Whether pixels read which primitive of its instance they are of."""
    numbered: int | None = None
    """How many vertices it makes of nothing but their numbers; None: it takes the geometry's."""

    @property
    def covers_everything(self) -> bool:
        """Whether it is two triangles that cover all pixels, each once."""
        return not self.attributes and self.program is None

    @property
    def input_state(self) -> vk.Struct:
        """VkPipelineVertexInputStateCreateInfo."""
        if not self.attributes:
            return vk.VkPipelineVertexInputStateCreateInfo()
        return vk.VkPipelineVertexInputStateCreateInfo(
            pVertexBindingDescriptions=[
                vk.VkVertexInputBindingDescription(stride=_BYTES * len(self.attributes))
            ],
            pVertexAttributeDescriptions=[
                vk.VkVertexInputAttributeDescription(
                    location=location, format=kind, offset=_BYTES * number
                )
                for number, (location, kind) in enumerate(self.attributes)
            ],
        )


def vertex_stage(
    device: Device,
    interface: Interface,
    geometry: Geometry,
    vertex: Program | None = None,
    vertex_interface: Interface | None = None,
) -> VertexStage:
    """For a fragment stage's interface.  Raises UnsupportedShader."""
    most = device.limits.maxVertexInputAttributes
    if vertex is not None and vertex_interface is not None:
        read = tuple(each for each in vertex_interface.varyings if each.is_read)
        by_location = {each.location: each.type.component for each in reversed(read)}
        attributes = tuple((at, _FORMATS[by_location[at]]) for at in sorted(by_location))
        numbered = None if attributes else _numbered(vertex_interface, geometry)
        made = VertexStage(
            vertex.spirv, vertex.entry_point, attributes, False, read, vertex, numbered=numbered
        )
    else:
        read = tuple(each for each in interface.varyings if each.is_read)
        if geometry.is_full_screen and not interface.varyings:
            return VertexStage(_quad(), "main")
        passed = pass_through(interface.varyings, _built_ins(geometry))
        attributes = (
            (0, _FORMATS[Component.FLOAT]),
            *((n, _FORMATS[kind]) for n, kind in enumerate(passed.components, 1)),
        )
        numbers = "PrimitiveId" in interface.builtins
        made = VertexStage(passed.spirv, ENTRY_POINT, attributes, True, read, None, numbers)
    if len(made.attributes) > most:
        raise UnsupportedShader(
            f"the shader reads {len(made.attributes)} locations with the position, but "
            f"{device.info.name} takes {most}"
        )
    return made


def _built_ins(geometry: Geometry) -> dict[int, int]:
    """What another program's vertices have beside the position: how many numbers of each."""
    shape = geometry.shape
    if not isinstance(shape, StoredVertices):
        return {}
    found = {}
    for name, places in (
        (BuiltIn.PointSize, (POINT_SIZE,)),
        (BuiltIn.ClipDistance, CLIP_DISTANCES),
        (BuiltIn.CullDistance, CULL_DISTANCES),
    ):
        count = sum(each.components for each in shape.columns if each.location in places)
        if count:
            found[name] = count
    return found


def _numbered(interface: Interface, geometry: Geometry) -> int | None:
    """Of a stage without attributes: how many vertices it makes of their numbers."""
    if "VertexIndex" not in interface.builtins:
        return None
    if geometry.vertices is None and geometry.is_full_screen:
        return FEWEST_VERTICES
    return geometry.vertices


@cache
def _quad() -> bytes:
    return (resources() / "gpu" / "quad.vert.spv").read_bytes()


class VertexBuffers:
    """The vertices of a geometry, as a stage takes them."""

    def __init__(
        self,
        device: Device,
        stage: VertexStage,
        geometry: Geometry,
        size: tuple[int, int],
        y_up: bool,
        stack: ExitStack,
    ):
        """`size`: of the picture in pixels; `y_up`: its row 0 is its bottom.

        Raises OutOfDeviceMemory, and WrongUse for a mesh that cannot be read.
        """
        self._stage, self._size, self._y_up = stage, size, y_up
        self._geometry = geometry
        self.count = _QUAD_VERTICES
        """Of vertices drawn."""
        shape = geometry.shape
        is_apart = stage.numbers_primitives and isinstance(shape, StoredVertices)
        self._runs = shape.instances if is_apart and isinstance(shape, StoredVertices) else 1
        """Draws: primitives are counted anew in each instance."""
        self._vertices: HostBuffer | None = None
        self._indices: HostBuffer | None = None
        if stage.covers_everything:
            return
        if stage.numbered is not None:
            self.count = stage.numbered
            return
        packed, indices = self._packed(geometry)
        self.count = len(indices)
        if not self.count:
            return
        if self.count >= 1 << 31:
            raise OutOfDeviceMemory(f"{self.count:,} vertices are too many for one draw")
        if stage.attributes:
            usage = vk.VK_BUFFER_USAGE_VERTEX_BUFFER_BIT
            self._vertices = HostBuffer(device, packed.nbytes, usage, stack)
            self._fill(packed)
        usage = vk.VK_BUFFER_USAGE_INDEX_BUFFER_BIT
        self._indices = HostBuffer(device, indices.nbytes, usage, stack)
        self._indices.bytes[:] = indices.view(np.uint8)
        self._indices.flush()

    def look(self, geometry: Geometry) -> None:
        """Values for another camera; at first those of the geometry's own."""
        if geometry == self._geometry or self._vertices is None:
            return
        self._geometry = geometry
        self._fill(self._packed(geometry)[0])

    def draw(self, commands: Any) -> None:
        if not self.count:
            return
        if self._vertices is not None:
            vk.vkCmdBindVertexBuffers(commands, 0, 1, [self._vertices.handle], [0])
        if self._indices is None:
            vk.vkCmdDraw(commands, self.count, 1, 0, 0)
        else:
            handle = self._indices.handle
            vk.vkCmdBindIndexBuffer(commands, handle, 0, vk.VK_INDEX_TYPE_UINT32)
            each = self.count // self._runs
            for run in range(self._runs):
                vk.vkCmdDrawIndexed(commands, each, 1, run * each, 0, 0)

    def _packed(self, geometry: Geometry) -> tuple[np.ndarray, np.ndarray]:
        """(vertices, bytes of one) uint8, and the indices."""
        found = vertices(geometry, self._stage.varyings, self._size, self._y_up)
        parts = [found.positions] if self._stage.with_position else []
        parts += [found.by_location[at] for at in sorted(found.by_location)]
        columns = [np.ascontiguousarray(part).view(np.uint8).reshape(-1, _BYTES) for part in parts]
        packed = np.hstack(columns) if columns else np.zeros((len(found.positions), 0), np.uint8)
        return packed, np.ascontiguousarray(found.indices, np.uint32)

    def _fill(self, packed: np.ndarray) -> None:
        assert self._vertices is not None
        self._vertices.bytes[:] = packed.reshape(-1)
        self._vertices.flush()
