"""`Product`: a GPU one can buy, by its published figures, from `resources/gpus/products.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Annotated, Literal

from msgspec import Meta, Struct, structs

from shaderlab import files, toml_text
from shaderlab.errors import WrongUse
from shaderlab.locations import resources

_FILE = "products.toml"
_MAX_BYTES = 1 << 20
_Text = Annotated[str, Meta(min_length=1, max_length=256)]
_Slug = Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")]
_Name = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
_Count = Annotated[int, Meta(ge=1, le=1024)]
_MHz = Annotated[float, Meta(ge=100, le=10_000)]
_Sources = Annotated[tuple[_Text, ...], Meta(min_length=1, max_length=16)]
"""Names of the table's `sources`, or addresses."""


class Design(Struct, frozen=True, forbid_unknown_fields=True):
    """What one unit does in a clock: a streaming multiprocessor of NVIDIA's, a compute unit of
    AMD's (half of a workgroup processor), a subslice or Xe core of Intel's."""

    vendor: Literal["nvidia", "amd", "intel"]
    fma_lanes: _Count
    """Fused multiply-adds of 32-bit floats."""
    int_lanes: _Count
    """Additions of 32-bit integers."""
    shares_int: bool
    """Whether integers take time from floats."""
    special_lanes: _Count
    """Results of the special functions: reciprocal, root, sine, exponential, logarithm."""
    texels: _Count
    """Of four bytes, filtered bilinearly."""
    sources: _Sources
    paired_lanes: _Count | None = None
    """As `fma_lanes`, where two instructions issue together; None: they never do."""


class Share(Struct, frozen=True, forbid_unknown_fields=True):
    """Of the machines in Steam's survey."""

    percent: Annotated[float, Meta(gt=0, le=100)]
    month: Annotated[str, Meta(pattern=r"^20\d\d-(0[1-9]|1[0-2])$")]


class _Entry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: _Text
    """As it is sold."""
    design: _Name
    """Names the `core`."""
    chip: _Text
    mesa: _Text | None = None
    """The chip's `slug` in `resources/compilers/families.json`; None: it is not there."""
    processor: _Text | None = None
    """Whose graphics these are: clock, bandwidth and cache are of this one."""
    form: Literal["desktop", "laptop", "integrated", "handheld", "server", "console"]
    year: Annotated[int, Meta(ge=2015, le=2035)]
    units: _Count
    drawing_units: _Count | None = None
    """Those that run vertex and fragment shaders; None: all."""
    boost_mhz: _MHz
    """Highest published; of a laptop's GPU, at the highest power that it is sold with."""
    sustained_mhz: _MHz | None = None
    """While it draws: AMD's game clock, Intel's graphics clock."""
    sampled_mhz: _MHz | None = None
    """Locked while the published times of it were taken; None: not locked, or none were."""
    bandwidth_gbs: Annotated[float, Meta(ge=5, le=20_000)]
    """Of memory, 10^9 bytes in a second."""
    cache_mib: Annotated[float, Meta(ge=0.1, le=1024)] | None = None
    """Of the last level that the GPU reads through."""
    pixels_per_clock: _Count
    """Written by all raster units."""
    share: Share | None = None
    sources: _Sources

    def __post_init__(self) -> None:
        if (self.drawing_units or 0) > self.units:
            raise ValueError(f"drawing_units of {self.name}: there are only {self.units}")


class Product(_Entry, frozen=True, kw_only=True):
    slug: _Slug
    core: Design
    titles: tuple[str, ...]
    """Of its `sources`, in words."""

    @property
    def units_drawing(self) -> int:
        """Units that fragment shaders run on."""
        return self.drawing_units or self.units

    @property
    def clock_hz(self) -> float:
        """While its times were taken, else while it draws, else the highest."""
        return 1e6 * (self.sampled_mhz or self.sustained_mhz or self.boost_mhz)


class _Table(Struct, forbid_unknown_fields=True):
    sources: dict[_Slug, dict[_Slug, _Text]]
    """Each with `title`, `url` and, unless it was read, how its figures came here."""
    designs: dict[_Name, Design]
    products: dict[_Slug, _Entry]


@cache
def products() -> Mapping[str, Product]:
    """By slug, in the order of the file.  Raises WrongUse with the key that is wrong."""
    return parse(files.read_bytes(resources() / "gpus" / _FILE, _MAX_BYTES).decode())


def parse(text: str) -> Mapping[str, Product]:
    """The file's text.  Raises WrongUse with the key that is wrong."""
    table = toml_text.table(text, _Table, _FILE)
    for slug, entry in (*table.designs.items(), *table.products.items()):
        unknown = [e for e in entry.sources if e not in table.sources and e[:8] != "https://"]
        if isinstance(entry, _Entry) and entry.design not in table.designs:
            unknown.append(entry.design)
        if unknown:
            raise WrongUse(f"{_FILE}: {slug}: there is no {unknown[0]}")
    titles = {key: each["title"] for key, each in table.sources.items()}
    made = {
        slug: Product(
            **structs.asdict(entry),
            slug=slug,
            core=table.designs[entry.design],
            titles=tuple(titles.get(each, each) for each in entry.sources),
        )
        for slug, entry in table.products.items()
    }
    return MappingProxyType(made)
