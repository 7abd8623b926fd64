"""The fixed functions of a draw as another program set them.  Words and numbers are Vulkan's."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from shaderlab.scene.contents import Contents


class Viewport(NamedTuple):
    """Pixels; a negative height turns the picture upside down."""

    x: float
    y: float
    width: float
    height: float
    min_depth: float = 0.0
    max_depth: float = 1.0


class Rectangle(NamedTuple):
    """Pixels."""

    x: int
    y: int
    width: int
    height: int


class BlendEquation(NamedTuple):
    """Words after `VK_BLEND_FACTOR_` and `VK_BLEND_OP_`."""

    source: str
    destination: str
    operation: str


@dataclass(frozen=True)
class ColourTarget:
    """A colour attachment and how it is written."""

    format: str
    """Word after `VK_FORMAT_`."""
    before: Contents
    """Its texels before the draw, rows tightly packed, first row first; of several samples per
    pixel one sample's picture after the other."""
    mask: int = 0xF
    """Components written: 1 red, 2 green, 4 blue, 8 alpha."""
    colour: BlendEquation | None = None
    """None: not blended."""
    alpha: BlendEquation | None = None
    after: Contents | None = None
    """Its texels after the draw as the other program's were."""
    resource: int = 0
    """RenderDoc's number of the image: the same where two draws write one."""


@dataclass(frozen=True)
class StencilFace:
    """Words after `VK_STENCIL_OP_` and `VK_COMPARE_OP_`."""

    fail: str
    passed: str
    depth_fail: str
    compare: str
    compare_mask: int
    write_mask: int
    reference: int


@dataclass(frozen=True)
class DepthTarget:
    """The depth or stencil attachment, and its tests."""

    format: str
    before: Contents
    """Texels as RenderDoc packs them: depth; D24 with stencil in the highest byte; D32 and stencil
    in eight bytes, D16 and stencil in four."""
    test: bool = False
    write: bool = False
    compare: str = "ALWAYS"
    bounds: tuple[float, float] | None = None
    stencil: tuple[StencilFace, StencilFace] | None = None
    """Of front and back faces."""
    after: Contents | None = None
    resource: int = 0


@dataclass(frozen=True)
class FixedFunctions:
    """Everything of a pipeline but shaders, vertices and resources."""

    viewport: Viewport
    scissor: Rectangle
    colours: tuple[ColourTarget | None, ...]
    """By output location."""
    depth: DepthTarget | None = None
    topology: str = "TRIANGLE_LIST"
    cull: str = "NONE"
    front_ccw: bool = True
    fill: str = "FILL"
    depth_clamp: bool = False
    depth_bias: tuple[float, float, float] | None = None
    """Constant, clamp, slope."""
    line_width: float = 1.0
    sample_mask: int = 0xFFFFFFFF
    alpha_to_coverage: bool = False
    blend_constants: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    samples: int = 1
    """Per pixel."""
    sample_shading: float | None = None
    """Least share of a pixel's samples that have an invocation of their own; None: off."""
    logic: str | None = None
    """Word after `VK_LOGIC_OP_`: colours are combined so instead of blended."""

    def without_contents(self) -> FixedFunctions:
        """What a pipeline is made of: equal for draws that differ in contents and rectangles."""
        return replace(
            self,
            viewport=Viewport(0, 0, 0, 0),
            scissor=Rectangle(0, 0, 0, 0),
            colours=tuple(
                each and replace(each, before=_NOTHING, after=None, resource=0)
                for each in self.colours
            ),
            depth=self.depth and replace(self.depth, before=_NOTHING, after=None, resource=0),
        )


_NOTHING = Contents(Path(), ())
