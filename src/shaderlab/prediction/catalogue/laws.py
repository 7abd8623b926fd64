"""`Laws`: forecasts for products that nobody measured, from a relative of the same vendor.

How far a law is off was found on GPUs that were left out whole, or against published distributions
(`models.recipes.laws`); it is stored in `models/laws.json`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from shaderlab import locations
from shaderlab.errors import InvalidModel
from shaderlab.prediction.bundles.accuracy import BandCard
from shaderlab.prediction.bundles.card import (
    UNWRITTEN,
    Card,
    MethodCard,
    Origin,
    TargetCard,
)
from shaderlab.prediction.calibration.fitting import Relative
from shaderlab.prediction.catalogue import table_file
from shaderlab.prediction.catalogue.products import Product, products
from shaderlab.prediction.forecast import Validation
from shaderlab.prediction.models.law import ARCHITECTURE, METHOD, Hardware, LawModel, ratios
from shaderlab.prediction.models.model import Model, latest_first

FILE = "laws.json"
_MAX_BYTES = 64 * 1024
_VENDORS = {"nvidia": "NVIDIA", "amd": "AMD", "intel": "Intel"}
"""As cards name them."""
_Name = Annotated[str, msgspec.Meta(min_length=1, max_length=80)]
_Text = Annotated[str, msgspec.Meta(min_length=1, max_length=500)]
_Positive = Annotated[float, msgspec.Meta(gt=0, le=1e12)]
_Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class Law(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """From one GPU with samples to others of its vendor."""

    relative: _Name
    """Slug of the GPU with samples."""
    vendor: _Name
    """As `products.Design` has it."""
    low: Annotated[float, msgspec.Meta(gt=0, le=1)]
    """How far times lie below the law's, beside the relative's own band: a factor."""
    high: Annotated[float, msgspec.Meta(ge=1, le=100)]
    level: _Share
    n: Annotated[int, msgspec.Meta(ge=1)]
    mape: _Share | None
    median_ape: _Share | None
    within20: _Share | None
    spearman: Annotated[float, msgspec.Meta(ge=-1, le=1)] | None
    validated_n: Annotated[int, msgspec.Meta(ge=1)] | None
    """Shaders these are over; None, as they are, where only distributions could be compared."""
    checked: _Text
    """Against what, as sentences."""

    @property
    def validation(self) -> Validation:
        """Error of a forecast by the law."""
        return Validation(
            mape=self.mape,
            spearman=self.spearman,
            n=self.validated_n,
            source=self.checked,
            median_ape=self.median_ape,
            within20=self.within20,
        )


class Laws(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All of `laws.json`."""

    origin: _Text
    reproduce: _Text
    integers: _Share
    """Share of integer operations in the arithmetic of shaders."""
    pass_s: Annotated[float, msgspec.Meta(ge=0, le=1e-3)]
    """What a pass takes beside writing its pixels."""
    floors_s: dict[str, _Positive]
    """Empty passes that were measured, by slug of the product."""
    laws: Annotated[tuple[Law, ...], msgspec.Meta(max_length=64)]


def read(folder: Path) -> Laws | None:
    """The folder's; None where it has none.  Raises `InvalidModel`."""
    return table_file.read(folder / FILE, _parse, _MAX_BYTES)


def _parse(data: bytes) -> Laws:
    try:
        return msgspec.json.decode(data, type=Laws)
    except msgspec.DecodeError as error:
        raise InvalidModel(f"{FILE}: {error}") from None


def to_json(laws: Laws) -> str:
    """The text `read` reads."""
    return msgspec.json.format(msgspec.json.encode(laws)).decode() + "\n"


def by_law(laws: Laws, installed: Mapping[str, Sequence[Model]]) -> Iterator[LawModel]:
    """A model of each product that has none installed and a law of its vendor."""
    table = products()
    for law in laws.laws:
        bases = latest_first(each for each in installed.get(law.relative, ()) if each.HAS_FORMS)
        relative = table.get(law.relative)
        if not bases or relative is None:
            continue
        there = hardware(relative)
        for product in table.values():
            if product.slug in installed or product.core.vendor != law.vendor:
                continue
            here = hardware(product)
            floor_s = laws.floors_s.get(product.slug) or pass_seconds(laws, here, bases[0])
            card = _card(product, law, laws, floor_s, bases[0].card)
            yield LawModel(card, bases, ratios(there, here, laws.integers), floor_s)


def relative_of(slug: str, vendor: str) -> Relative | None:
    """What a calibration of a device starts from; None where no law is of its vendor.

    `vendor`: as `products.Design` has it.  Raises `InvalidModel`.
    """
    laws, table = read(locations.models()), products()
    law = next((each for each in laws.laws if each.vendor == vendor), None) if laws else None
    if laws is None or law is None:
        return None
    there, here = table.get(law.relative), table.get(slug)
    if there is None or here is None or here.core.vendor != vendor:
        return Relative(law.relative, None)
    return Relative(law.relative, ratios(hardware(there), hardware(here), laws.integers))


def hardware(product: Product) -> Hardware:
    """What the product does, instructions issued one by one."""
    core, clock_hz = product.core, product.clock_hz
    return Hardware(
        product.units_drawing * clock_hz,
        core.fma_lanes,
        core.int_lanes,
        core.shares_int,
        core.special_lanes,
        core.texels,
        product.pixels_per_clock * clock_hz,
    )


def pass_seconds(laws: Laws, here: Hardware, base: Model) -> float:
    """A pass of the canonical run that draws a constant colour."""
    width, height = base.card.run.size
    return width * height / here.pixels_hz + laws.pass_s


def _card(product: Product, law: Law, laws: Laws, floor_s: float, base: Card) -> Card:
    measured = product.slug in laws.floors_s
    method = MethodCard(
        name=METHOD,
        origin=Origin(laws.origin, law.relative, None, None, ", ".join(product.sources)),
        loss="none: data sheets alone",
        training_samples=base.methods[0].training_samples,
        features=(law.relative,),
        validation=law.validation,
        by_time=(),
        bands=(BandCard(0.0, None, law.low, law.high, law.level, law.n, law.level),),
    )
    return Card(
        architecture=ARCHITECTURE,
        target=TargetCard(
            slug=product.slug,
            name=product.name,
            vendor=_VENDORS[product.core.vendor],
            kind="law",
            device=f"{product.name} ({product.chip})",
            driver=base.target.driver,
            clocks=f"{product.clock_hz / 1e6:.0f} MHz by its data sheet",
            floor_s=floor_s,
            floor_source="measured" if measured else "its pixel rate, and a constant for a pass",
            notes="",
        ),
        run=base.run,
        methods=(method,),
        default_reason=f"No sample of this GPU. {law.checked}",
        largest_block_count=base.largest_block_count,
        weights=UNWRITTEN,
        reproduce=laws.reproduce,
    )
