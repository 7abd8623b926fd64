"""What a texture shows and how it is sampled, before any pixel of it is read."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from shaderlab.scene.keys import COLUMNS, ROWS


class Pattern(StrEnum):
    """A generated texture.  Each exists for every dimension and component type."""

    BLACK = "black"
    """One opaque black texel (per face), as Shadertoy shows an empty channel."""
    WHITE = "white"
    NOISE = "noise"
    """Independent uniformly distributed components."""
    BLUE_NOISE = "blue-noise"
    CHECKER = "checker"
    GRADIENT = "gradient"
    """Red along u, green along v, blue along w."""
    NORMAL_MAP = "normal-map"
    """Bumps as tangent-space normals."""
    KEYBOARD = "keyboard"
    """Shadertoy's keyboard (`scene.keys`); none is pressed but in the window's preview."""
    GAME = "game"
    """A frame of an old console's game, in square pixels."""


MOST_IMAGE_BYTES = 128 << 20
"""Of an image file that is read."""


@dataclass(frozen=True)
class ImageFile:
    """An image file: PNG, JPEG, Radiance HDR, KTX2, DDS, …: what `shaderlab.textures` reads."""

    path: Path
    stamp: tuple[int, int] = (0, 0)
    """Modification time (ns) and size of the file when chosen: another file, another draw."""
    flipped: bool = False
    """Whether row 0 is the bottom row (Shadertoy's `vflip`)."""
    srgb: bool = False
    """Whether sampling converts from sRGB to linear."""
    size: tuple[int, int] = (0, 0)
    """Width, height in texels, for shaders that read the size; zeros where it is unknown."""


GAME_SIZE = (256, 224)
"""Width, height in texels of a two-dimensional game picture."""
PATTERN_SIDE = 256
"""Texels along each axis of a two-dimensional pattern that varies."""


@dataclass(frozen=True)
class PassPicture:
    """The picture of a pass of the same frame: its latest, from the frame before where the pass
    comes later or is the reading one itself."""

    name: str
    before: bool = False
    """Whether always of the frame before."""


@dataclass(frozen=True)
class NoisePicture:
    """Noise where the picture of a pass would be: of its size and of 32-bit floats from 0 to 1."""

    size: tuple[int, int]
    """Width, height in texels."""


class Filter(StrEnum):
    NEAREST = "nearest"
    LINEAR = "linear"
    MIPMAP = "mipmap"
    """Trilinear."""


class Wrap(StrEnum):
    REPEAT = "repeat"
    CLAMP = "clamp"
    MIRROR = "mirror"
    BORDER = "border"
    """Transparent black outside."""


@dataclass(frozen=True)
class Texture:
    """One texture as a shader sees it."""

    source: Pattern | ImageFile | PassPicture | NoisePicture = Pattern.BLACK
    filter: Filter = Filter.LINEAR
    wrap: Wrap = Wrap.REPEAT

    def size(self, picture: tuple[int, int]) -> tuple[int, int]:
        """Width, height in texels as a Shadertoy channel reports them: an empty one none.

        `picture`: the size of the frame, which its passes are taken to have.
        """
        match self.source:
            case PassPicture():
                return picture
            case ImageFile() | NoisePicture() as source:
                return source.size
            case Pattern.BLACK:
                return 0, 0
            case Pattern.WHITE:
                return 1, 1
            case Pattern.KEYBOARD:
                return COLUMNS, ROWS
            case Pattern.GAME:
                return GAME_SIZE
        return PATTERN_SIDE, PATTERN_SIDE


BLACK = Texture()
