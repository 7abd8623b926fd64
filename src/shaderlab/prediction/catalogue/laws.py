"""`Laws`: forecasts for products that nobody measured, from a relative that somebody did.

How far a law is off was found on GPUs that were left out whole, or against published distributions
(`models.recipes.laws`); it is stored in `models/laws.json`, by how near the relative is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

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
from shaderlab.prediction.forecast import Validation
from shaderlab.prediction.models.law import ARCHITECTURE, METHOD, Hardware, LawModel, ratios
from shaderlab.prediction.models.model import Model, latest_first
from shaderlab.products import Product, products

FILE = "laws.json"
_MAX_BYTES = 64 * 1024
_VENDORS = {"nvidia": "NVIDIA", "amd": "AMD", "intel": "Intel"}
"""As cards name them."""
_Name = Annotated[str, msgspec.Meta(min_length=1, max_length=80)]
_Text = Annotated[str, msgspec.Meta(min_length=1, max_length=500)]
_Positive = Annotated[float, msgspec.Meta(gt=0, le=1e12)]
_Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


Kind = Literal["same design", "same vendor", "other vendor"]
"""How near a relative is: of the same figures for a unit, nearest first."""
_KINDS: tuple[Kind, ...] = ("same design", "same vendor", "other vendor")


class Law(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """From one GPU with samples to others of a vendor."""

    relative: _Name
    """Slug of the GPU with samples."""
    vendor: _Name
    """Of the others, as `products.Design` has it."""
    kind: Kind
    """The farthest relation that it is for."""
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


class Transfer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a law did on a GPU with samples that was left out whole."""

    there: _Name
    """Slug of the relative."""
    here: _Name
    kind: Kind
    source: _Name
    """What of the relative was taken: its times, or the forecasts for it."""
    n: Annotated[int, msgspec.Meta(ge=1)]
    """Shaders."""
    median_ape: Annotated[float, msgspec.Meta(ge=0)]
    mape: Annotated[float, msgspec.Meta(ge=0)]
    within20: _Share
    spearman: Annotated[float, msgspec.Meta(ge=-1, le=1)]
    low: _Positive
    """Measured over forecast time at the ends of `bands.LEVEL`."""
    high: _Positive


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
    """Of one vendor the nearest kind first."""
    transfers: Annotated[tuple[Transfer, ...], msgspec.Meta(max_length=64)] = ()


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
    """A model of each product that has none installed and a law."""
    table = products()
    for product in table.values():
        law = None if product.slug in installed else _of(laws, product)
        if law is None or law.relative not in table:
            continue
        bases = latest_first(each for each in installed.get(law.relative, ()) if each.HAS_FORMS)
        if not bases:
            continue
        there, here = hardware(table[law.relative]), hardware(product)
        floor_s = laws.floors_s.get(product.slug) or pass_seconds(laws, here, bases[0])
        card = _card(product, law, laws, floor_s, bases[0].card)
        yield LawModel(card, bases, ratios(there, here, laws.integers), floor_s)


def _of(laws: Laws, product: Product) -> Law | None:
    """The nearest relative's, as far as its error is known for one so near."""
    for law in laws.laws:
        relative = products().get(law.relative)
        if law.vendor != product.core.vendor or relative is None:
            continue
        if _KINDS.index(_kind(relative, product)) <= _KINDS.index(law.kind):
            return law
    return None


def _kind(relative: Product, product: Product) -> Kind:
    if relative.core.vendor != product.core.vendor:
        return "other vendor"
    figures = (msgspec.structs.replace(each.core, sources=("",)) for each in (relative, product))
    return "same design" if len(set(figures)) == 1 else "same vendor"


def relative_of(slug: str, vendor: str) -> Relative | None:
    """What a calibration of a device starts from; None where no GPU by its vendor has samples.

    `vendor`: as `products.Design` has it.  Raises `InvalidModel`.
    """
    laws, table = read(locations.models()), products()
    found = laws.laws if laws else ()
    law = next((e for e in found if e.vendor == vendor and e.kind != _KINDS[-1]), None)
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
            notes="Untested: the relative is of another vendor." if law.kind == _KINDS[-1] else "",
        ),
        run=base.run,
        methods=(method,),
        default_reason=f"No sample of this GPU. {law.checked}",
        largest_block_count=base.largest_block_count,
        weights=UNWRITTEN,
        reproduce=laws.reproduce,
    )
