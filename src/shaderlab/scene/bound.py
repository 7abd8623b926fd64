"""What another program had bound for a draw, as it was: bytes, images with views, samplers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from shaderlab.scene.contents import Contents
from shaderlab.spirv.reflection import Descriptor


@dataclass(frozen=True)
class StoredImage:
    """An image with all its levels and layers."""

    format: str
    """Vulkan's name, without `VK_FORMAT_`."""
    size: tuple[int, int, int]
    """Width, height, depth in texels."""
    layers: int
    dimension: int
    """1, 2 or 3."""
    is_cube: bool
    levels: tuple[tuple[Contents, ...], ...]
    """Each level's layers, rows tightly packed; of three dimensions one with all slices."""
    resource: int = 0
    """RenderDoc's number of it: the same where two draws use one image."""
    samples: int = 1
    """Per pixel: each layer is one sample's texels after the other's."""


@dataclass(frozen=True)
class ImageView:
    """The part of an image that a shader sees."""

    format: str
    first_level: int = 0
    levels: int = 1
    first_layer: int = 0
    layers: int = 1
    swizzle: tuple[str, str, str, str] = ("R", "G", "B", "A")
    """`R`, `G`, `B`, `A`, `ZERO` or `ONE` for each component."""


@dataclass(frozen=True)
class SamplerState:
    """All of a sampler; words are Vulkan's, without their prefixes."""

    magnify: str = "NEAREST"
    minify: str = "NEAREST"
    mip: str = "NEAREST"
    address: tuple[str, str, str] = ("REPEAT", "REPEAT", "REPEAT")
    compare: str | None = None
    lod: tuple[float, float] = (0.0, 0.0)
    lod_bias: float = 0.0
    anisotropy: float = 0.0
    """Samples at most; 0: off."""
    border: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    unnormalized: bool = False


@dataclass(frozen=True)
class BoundImage:
    """A texture, storage image or input attachment with its sampler; a sampler alone; nothing."""

    image: StoredImage | None = None
    view: ImageView | None = None
    sampler: SamplerState | None = None
    after: Contents | None = None
    """Of the first level and layer of the view, what the other program's dispatch left there."""


@dataclass(frozen=True)
class BoundBuffer:
    """A uniform block, storage buffer or texel buffer."""

    contents: Contents
    format: str = ""
    """Of a texel buffer's view."""
    resource: int = 0
    """RenderDoc's number of it: the same where two draws use one buffer."""
    after: Contents | None = None
    """What the other program's dispatch left there."""


@dataclass(frozen=True)
class Bound:
    """Everything that was bound for a stage."""

    resources: Mapping[Descriptor, tuple[BoundBuffer | BoundImage, ...]] = field(
        default_factory=dict, hash=False
    )
    """By element, where a descriptor is an array."""
    push_constants: bytes = b""
    constants: tuple[tuple[int, bytes], ...] = ()
    """Values of specialisation constants by `SpecId`, 8 bytes each, little-endian."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "resources", MappingProxyType(dict(self.resources)))

    @property
    def block_bytes(self) -> dict[Descriptor, int]:
        """Bytes of each buffer; of an array's its first element."""
        return {
            at: elements[0].contents.nbytes
            for at, elements in self.resources.items()
            if isinstance(elements[0], BoundBuffer)
        }

    def __getstate__(self) -> tuple[dict, bytes, tuple]:
        return dict(self.resources), self.push_constants, self.constants

    def __setstate__(self, state: tuple[dict, bytes, tuple]) -> None:
        object.__setattr__(self, "resources", MappingProxyType(state[0]))
        object.__setattr__(self, "push_constants", state[1])
        object.__setattr__(self, "constants", state[2])

    def __hash__(self) -> int:
        parts = tuple(sorted(self.resources.items(), key=lambda item: item[0]))
        return hash((parts, self.push_constants, self.constants))
