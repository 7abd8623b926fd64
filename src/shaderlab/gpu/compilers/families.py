"""The chips of Intel, NVIDIA, Qualcomm and Arm that can be compiled for, and products with them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from shaderlab.errors import InternalError, UnknownTarget
from shaderlab.gpu.compilers.vendors import VENDORS, Vendor
from shaderlab.gpu.radv.families import Page
from shaderlab.locations import resources


@dataclass(frozen=True)
class Product:
    """A graphics card, or a processor with graphics, as it is sold.

    None stands for a number that no page read confirms.
    """

    name: str
    units: int | None
    """Execution units, Xe-cores, streaming multiprocessors or shader cores."""
    clock_hz: float | None
    bandwidth_bps: float | None
    """Bytes per second of its memory."""
    confirmed: Mapping[str, tuple[Page, ...]]
    """`units`, `clock_mhz`, `bandwidth_gbs` -> pages that print the number."""
    note: str = ""


@dataclass(frozen=True)
class Family:
    """One chip a vendor's compiler knows."""

    vendor: Vendor
    slug: str
    id: str
    """What the stand-in for the kernel's driver calls it."""
    chip: str
    architecture: str
    products: tuple[Product, ...]
    """The largest first."""

    @property
    def name(self) -> str:
        """`GA106 (GeForce RTX 3060)`."""
        products = ", ".join(product.name for product in self.products)
        return f"{self.chip} ({products})" if products != self.chip else self.chip


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


def choose(available: Iterable[Family], wanted: Iterable[str]) -> tuple[Family, ...]:
    """The families named by slug, chip or product, in that order; the name of a vendor means all
    of its families.

    Raises UnknownTarget, which lists the families.
    """
    there = tuple(available)
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
        names = (family.slug, family.chip, *(product.name for product in family.products))
        for name in names:
            by_name.setdefault(_key(name), (family,))
    for vendor in dict.fromkeys(family.vendor.slug for family in there):
        of_it = tuple(family for family in there if family.vendor.slug == vendor)
        for name in (vendor, of_it[0].vendor.name, of_it[0].vendor.driver):
            by_name.setdefault(_key(name), of_it)
    return by_name


def _key(name: str) -> str:
    """Case, blanks, hyphens and the makers' marks do not distinguish targets."""
    key = name.lower()
    for mark in ("geforce", "graphics", "intel", "nvidia", "arm"):
        if key != mark:
            key = key.replace(f"{mark} ", "")
    return "".join(c for c in key if c.isalnum())


def _family(entry: Mapping[str, Any], pages: Mapping[str, Page]) -> Family:
    return Family(
        vendor=VENDORS[entry["vendor"]],
        slug=entry["slug"],
        id=entry["id"],
        chip=entry["chip"],
        architecture=entry["architecture"],
        products=tuple(_product(product, pages) for product in entry["products"]),
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
        note=entry.get("note", ""),
    )
