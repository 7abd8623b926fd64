"""The chips that the vendors' compilers know, and the products made with them.

AMD's products are those of `shaderlab.products`; `families.json` has what that table leaves out:
older cards, and the other vendors', whose units it counts otherwise.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from shaderlab.errors import InternalError, UnknownTarget
from shaderlab.gpu.compilers.vendors import VENDORS, Vendor
from shaderlab.locations import resources
from shaderlab.products import Product as Listed
from shaderlab.products import products as listed

REFERENCE = "navi23"
"""Slug of the family whose compiler `gpu.radv.compiled_program` reads, as models were fitted to."""

_MARKS = ("geforce", "radeon", "graphics", "intel", "nvidia", "amd", "arm")
"""What the makers put before and after the names of their products."""


@dataclass(frozen=True)
class Page:
    """A page that was read, and prints a product's number."""

    kind: str
    """The kind of source: `AMD's documentation`, `report of AMD's figures`, `database of
    others`."""
    url: str


@dataclass(frozen=True)
class Product:
    """A graphics card, or a processor with graphics, as it is sold.

    None stands for a number that is not known for certain.
    """

    name: str
    units: int | None
    """Compute units, execution units, Xe-cores, streaming multiprocessors or shader cores."""
    clock_hz: float | None
    """The highest that the specifications state for normal use; AMD's boost clock."""
    bandwidth_bps: float | None
    """Bytes per second of its memory."""
    confirmed: Mapping[str, tuple[Page, ...]]
    """`units`, `clock_mhz`, `bandwidth_gbs` -> pages that print the number."""
    specification: str = ""
    """The maker's own page, where the numbers are from; empty where they are from others'."""
    note: str = ""
    listed: tuple[str, ...] = ()
    """Titles of the sources of one that `products` lists."""

    @property
    def source(self) -> str:
        """Whose numbers they are, in a sentence."""
        if self.listed:
            return "; ".join(self.listed)
        known = {"units": self.units, "clock": self.clock_hz, "bandwidth": self.bandwidth_bps}
        keys = {"units": "units", "clock": "clock_mhz", "bandwidth": "bandwidth_gbs"}
        parts = []
        for title, number in known.items():
            kinds = dict.fromkeys(page.kind for page in self.confirmed.get(keys[title], ()))
            if number is not None:
                parts.append(f"{title}: {' and '.join(kinds) or 'confirmed nowhere'}")
        note = f" ({self.note})" if self.note else ""
        made = f"; maker's page: {self.specification}" if self.specification else ""
        return f"{'; '.join(parts) or 'no number confirmed'}{note}{made}"


@dataclass(frozen=True)
class Family:
    """One chip a vendor's compiler knows."""

    vendor: Vendor
    slug: str
    """Stable name; of AMD's the spelling of the Mesa that first knew it."""
    spellings: tuple[str, ...]
    """What the driver, or the stand-in for the kernel's, calls it; of AMD's names under which some
    Mesa knows it, the oldest first."""
    chip: str
    architecture: str
    products: tuple[Product, ...]
    """The largest first."""
    simds_per_unit: int = 0
    """SIMDs in a compute unit; known of AMD's only."""

    @property
    def name(self) -> str:
        """`Navi 31 (Radeon RX 7900 XTX, RX 7900 XT, RX 7900 GRE)`."""
        first, *others = (product.name for product in self.products)
        names = ", ".join([first, *(other.removeprefix("Radeon ") for other in others)])
        return f"{self.chip} ({names})" if names != self.chip else self.chip

    @property
    def largest(self) -> Product:
        return self.products[0]


@cache
def families() -> tuple[Family, ...]:
    """All of `resources/compilers/families.json`, by vendor, the oldest chip first."""
    path = resources() / "compilers" / "families.json"
    try:
        table = json.loads(path.read_text("utf-8"))
        pages = {key: Page(page["kind"], page["url"]) for key, page in table["pages"].items()}
        return tuple(_family(entry, pages) for entry in table["families"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InternalError(f"{path.name} cannot be read: {error}") from None


def of_vendor(vendor: Vendor) -> tuple[Family, ...]:
    return tuple(family for family in families() if family.vendor is vendor)


def choose(available: Iterable[Family], wanted: Iterable[str] | None) -> tuple[Family, ...]:
    """The families named by slug, spelling, chip or product, in that order; the name of a vendor
    means all of its families; all for None.

    Raises UnknownTarget, which lists the families.
    """
    there = tuple(available)
    if wanted is None:
        return there
    by_name = _by_name(there)
    chosen: dict[str, Family] = {}
    for name in wanted:
        found = by_name.get(_key(name))
        if found is None:
            names = ", ".join(f.slug for f in there) or "none"
            raise UnknownTarget(f'no compiled target "{name}"; there are: {names}')
        chosen |= {family.slug: family for family in found}
    return tuple(chosen.values())


def named(name: str) -> tuple[Family, ...]:
    """Families of that slug, chip, product or vendor, whether they are available or not."""
    return _by_name(families()).get(_key(name), ())


def _by_name(there: tuple[Family, ...]) -> dict[str, tuple[Family, ...]]:
    by_name: dict[str, tuple[Family, ...]] = {}
    for family in there:
        products = (product.name for product in family.products)
        own = family.spellings if family.vendor.slug == "amd" else ()  # others' are numbers
        for name in (family.slug, *own, family.chip, *products):
            by_name.setdefault(_key(name), (family,))
    for vendor in dict.fromkeys(family.vendor.slug for family in there):
        of_it = tuple(family for family in there if family.vendor.slug == vendor)
        for name in (vendor, of_it[0].vendor.name, of_it[0].vendor.driver):
            by_name.setdefault(_key(name), of_it)
    return by_name


def _key(name: str) -> str:
    """Case, blanks, hyphens and the makers' marks do not distinguish targets."""
    key = name.lower()
    for mark in _MARKS:
        key = key.replace(f"{mark} ", "")
    return "".join(c for c in key if c.isalnum())


def _family(entry: Mapping[str, Any], pages: Mapping[str, Page]) -> Family:
    return Family(
        vendor=VENDORS[entry["vendor"]],
        slug=entry["slug"],
        spellings=tuple(entry["spellings"]),
        chip=entry["chip"],
        architecture=entry["architecture"],
        products=_products(entry, pages),
        simds_per_unit=int(entry.get("simds_per_unit", 0)),
    )


def _products(entry: Mapping[str, Any], pages: Mapping[str, Page]) -> tuple[Product, ...]:
    """The largest first."""
    own = [_product(product, pages) for product in entry["products"]]
    if entry["vendor"] != "amd":
        return tuple(own)
    own += [_listed(each) for each in listed().values() if each.mesa == entry["slug"]]
    return tuple(sorted(own, key=lambda each: -(each.units or 0) * (each.clock_hz or 0.0)))


def _listed(product: Listed) -> Product:
    name = product.name
    if product.processor:
        name = f"{name.partition(' (')[0]} ({product.processor})"
    return Product(
        name=name,
        units=product.units,
        clock_hz=product.boost_mhz * 1e6,
        bandwidth_bps=product.bandwidth_gbs * 1e9,
        confirmed={},
        listed=product.titles,
    )


def _product(entry: Mapping[str, Any], pages: Mapping[str, Page]) -> Product:
    clock, bandwidth = entry.get("clock_mhz"), entry.get("bandwidth_gbs")
    return Product(
        name=entry["name"],
        units=entry.get("units"),
        clock_hz=None if clock is None else clock * 1e6,
        bandwidth_bps=None if bandwidth is None else bandwidth * 1e9,
        confirmed={
            what: tuple(pages[key] for key in keys)
            for what, keys in entry.get("confirmed", {}).items()
        },
        specification=entry.get("specification", ""),
        note=entry.get("note", ""),
    )
