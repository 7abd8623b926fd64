"""AMD's GPU families as RADV names them, and the products made with each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from shaderlab.errors import InternalError, UnknownTarget
from shaderlab.locations import resources

REFERENCE = "navi23"
"""Slug of the family whose compiler `gpu.radv.compiled_program` reads, as models were fitted to."""


@dataclass(frozen=True)
class Page:
    """A page that was read, and prints a product's number."""

    kind: str
    """The kind of source: `AMD's documentation`, `report of AMD's figures`, `database of
    others`."""
    url: str


@dataclass(frozen=True)
class Product:
    """A graphics card or APU as AMD sells it."""

    name: str
    compute_units: int
    boost_hz: float
    """The boost clock in the specifications."""
    specification: str
    """The maker's own page."""
    confirmed: Mapping[str, tuple[Page, ...]]
    """`compute_units`, `boost_mhz` -> pages that print the same; absent for what none does."""
    note: str = ""

    @property
    def source(self) -> str:
        """Whose numbers they are, and what was compared, in a sentence."""
        parts = []
        for key, title in (("compute_units", "compute units"), ("boost_mhz", "boost clock")):
            kinds = dict.fromkeys(page.kind for page in self.confirmed.get(key, ()))
            parts.append(f"{title}: {' and '.join(kinds) or 'confirmed nowhere'}")
        note = f" ({self.note})" if self.note else ""
        return f"{'; '.join(parts)}{note}; maker's page: {self.specification}"


@dataclass(frozen=True)
class Family:
    """One chip RADV can compile for."""

    slug: str
    """Stable name: the spelling of the Mesa that first knew it."""
    spellings: tuple[str, ...]
    """Names under which some Mesa knows it, the oldest first."""
    chip: str
    architecture: str
    simds_per_unit: int
    """SIMDs in a compute unit."""
    products: tuple[Product, ...]
    """The largest first."""

    @property
    def name(self) -> str:
        """`Navi 31 (Radeon RX 7900 XTX, RX 7900 XT, RX 7900 GRE)`."""
        first, *others = (product.name for product in self.products)
        short = [other.removeprefix("Radeon ") for other in others]
        return f"{self.chip} ({', '.join([first, *short])})"

    @property
    def largest(self) -> Product:
        return self.products[0]


@cache
def families() -> tuple[Family, ...]:
    """All families of `resources/amd/families.json`, by architecture, oldest first."""
    path = resources() / "amd" / "families.json"
    try:
        table = json.loads(path.read_text("utf-8"))
        pages = {key: Page(page["kind"], page["url"]) for key, page in table["pages"].items()}
        return tuple(_family(entry, pages) for entry in table["families"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InternalError(f"{path.name} cannot be read: {error}") from None


def spellings() -> tuple[str, ...]:
    """Every name any Mesa may know a family by."""
    return tuple(name for family in families() for name in family.spellings)


def choose(available: Iterable[Family], wanted: Iterable[str] | None) -> tuple[Family, ...]:
    """The families named by slug, spelling or chip, in that order; all for None.

    Raises UnknownTarget, which lists the families.
    """
    there = tuple(available)
    if wanted is None:
        return there
    by_name: dict[str, Family] = {}
    for family in there:
        for name in (family.slug, *family.spellings, family.chip):
            by_name.setdefault(_key(name), family)
    chosen: dict[str, Family] = {}
    for name in wanted:
        family = by_name.get(_key(name))
        if family is None:
            names = ", ".join(f.slug for f in there) or "none"
            raise UnknownTarget(f'no compiled target "{name}"; there are: {names}')
        chosen[family.slug] = family
    return tuple(chosen.values())


def _key(name: str) -> str:
    return name.lower().replace(" ", "")


def _family(entry: Mapping[str, Any], pages: Mapping[str, Page]) -> Family:
    return Family(
        slug=entry["slug"],
        spellings=tuple(entry["spellings"]),
        chip=entry["chip"],
        architecture=entry["architecture"],
        simds_per_unit=int(entry["simds_per_unit"]),
        products=tuple(_product(product, pages) for product in entry["products"]),
    )


def _product(entry: Mapping[str, Any], pages: Mapping[str, Page]) -> Product:
    return Product(
        name=entry["name"],
        compute_units=int(entry["compute_units"]),
        boost_hz=float(entry["boost_mhz"]) * 1e6,
        specification=entry["specification"],
        confirmed={
            what: tuple(pages[key] for key in keys) for what, keys in entry["confirmed"].items()
        },
        note=entry.get("note", ""),
    )
