"""Which pixels a draw can reach, so that counting spares the others."""

from __future__ import annotations

import math

import numpy as np

from shaderlab.geometry.stored_vertices import stored_vertices
from shaderlab.gpu.vulkan.fixed_functions import common
from shaderlab.gpu.vulkan.tiles import Tile
from shaderlab.scene.draw import Draw
from shaderlab.scene.fixed_functions import Rectangle, Viewport
from shaderlab.scene.geometry import StoredVertices
from shaderlab.spirv.warps import GROUP_HEIGHT, GROUP_WIDTH

_NOTHING = Tile(0, 0, GROUP_WIDTH, GROUP_HEIGHT)


def drawn_area(draw: Draw) -> Tile:
    """A rectangle that begins at a multiple of a lane group and holds all pixels it can reach."""
    whole = Tile(0, 0, *draw.size)
    fixed, shape = draw.state.attachments.fixed, draw.state.geometry.shape
    if fixed is None:
        return whole
    reached = common(whole, fixed.scissor)
    if isinstance(shape, StoredVertices):
        around = _around(shape, draw, fixed.viewport)
        reached = reached if around is None else common(reached, around)
    if not reached.width or not reached.height:
        return common(_NOTHING, Rectangle(0, 0, *draw.size))
    left = reached.x // GROUP_WIDTH * GROUP_WIDTH
    top = reached.y // GROUP_HEIGHT * GROUP_HEIGHT
    return Tile(left, top, reached.x + reached.width - left, reached.y + reached.height - top)


def _around(shape: StoredVertices, draw: Draw, port: Viewport) -> Rectangle | None:
    """Around all vertices, a pixel wider; None where some lie behind the eye."""
    read = tuple(each for each in draw.program.interface.varyings if each.is_read)
    found = stored_vertices(shape, read)
    if shape.topology.startswith("LINE") or not len(found.indices):
        return None
    corners = found.positions[np.unique(found.indices)].astype(np.float64)
    w = corners[:, 3]
    if not np.isfinite(corners).all() or w.min() <= 1e-6:
        return None
    x = port.x + (corners[:, 0] / w + 1) / 2 * port.width
    y = port.y + (corners[:, 1] / w + 1) / 2 * port.height
    width, height = draw.size
    low = (max(-1.0, x.min() - 1), max(-1.0, y.min() - 1))
    high = (min(width + 1.0, x.max() + 1), min(height + 1.0, y.max() + 1))
    left, top = math.floor(low[0]), math.floor(low[1])
    return Rectangle(left, top, max(0, math.ceil(high[0]) - left), max(0, math.ceil(high[1]) - top))
