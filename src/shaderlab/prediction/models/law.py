"""`LawModel`: a GPU without samples, by a relative that has some and both data sheets.

A frame takes its pass, and its work above that.  Work of each group takes longer in the ratio of
what does it per second: lanes of arithmetic, of special functions, texture units, and for all else
the units (NVIDIA's SMs, AMD's compute units) times their clock.  A pass takes as long as its pixels
take at the published rate, and a constant.  The two are added: joined by a maximum, or scaled
together, an H200 comes out two to three times as far off from an RTX 3060's times.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from shaderlab import units
from shaderlab.errors import InvalidModel
from shaderlab.prediction.bundles.bundle import Bundle
from shaderlab.prediction.cost import PASS
from shaderlab.prediction.forecast import Forecast
from shaderlab.prediction.forms import method_name
from shaderlab.prediction.models.mapped import MappedModel, Shares
from shaderlab.prediction.models.model import Installed, sentences

METHOD = "law"
ARCHITECTURE = "data-sheet-law"


class Hardware(NamedTuple):
    """What a GPU does at once, by its data sheet."""

    unit_hz: float
    """Units that draw, times their clock."""
    fma_lanes: float
    """Of a unit; results per clock, like all others."""
    int_lanes: float
    shares_int: bool
    """Whether integers take lanes of floating-point numbers."""
    special_lanes: float
    texels: float
    pixels_hz: float
    """Pixels written per second."""

    def arithmetic(self, integers: float) -> float:
        """Results of a unit per clock, `integers` of which are no floating-point numbers."""
        floats = 1.0 if self.shares_int else 1.0 - integers
        return 1 / max(floats / self.fma_lanes, integers / self.int_lanes)


def ratios(there: Hardware, here: Hardware, integers: float) -> dict[str, float]:
    """By group of work: how many times as long it takes here; "" for all other groups."""
    units_alone = there.unit_hz / here.unit_hz
    return {
        "arithmetic": units_alone * there.arithmetic(integers) / here.arithmetic(integers),
        "transcendental": units_alone * there.special_lanes / here.special_lanes,
        "texture": units_alone * there.texels / here.texels,
        "": units_alone,
    }


@dataclass(frozen=True)
class LawModel(MappedModel):
    """The forecast by the law of one target."""

    ratios: dict[str, float]
    """As `ratios` has them."""
    here_floor_s: float
    """A pass of the canonical run."""

    ARCHITECTURES = ()  # no bundle: made of a table of products
    RESTS_ON = "law"

    @classmethod
    def from_bundle(cls, bundle: Bundle, installed: Installed | None = None) -> LawModel:
        raise InvalidModel("a forecast by a law is not read from a bundle")

    @property
    def fixed_s(self) -> float:
        return self.here_floor_s

    def mapping(self, shares: Shares) -> Callable[[float], float]:
        """Of the relative's work in these shares; of unknown work, all groups take units alone."""
        work = {name: share for name, share in shares if name != PASS}
        others = self.ratios[""]
        whole = sum(work.values())
        factor = sum(self.ratios.get(name, others) * share for name, share in work.items())
        factor = factor / whole if whole else others
        return partial(_mapped, self.bases[0].fixed_s, factor, self.here_floor_s)

    def basis(self, there: Forecast) -> str:
        relative = self.bases[-1].card.target
        (spread,) = self.methods[0].bands
        return sentences(
            f"By a law, no sample of this GPU: the forecast for the {relative.name}, "
            f"{units.seconds(there.interval_s[1])} by {method_name(there.method)}, scaled by both "
            f"data sheets, {self.ratios['']:.2f} times per unit and clock.",
            f"Band: the {relative.name}'s, widened by {units.percent(1 - spread.low)} below and "
            f"{units.percent(spread.high - 1)} above.",
            self.card.target.notes,
        )


def _mapped(there_floor_s: float, factor: float, here_floor_s: float, there_s: float) -> float:
    return max(there_s - there_floor_s, 0.0) * factor + here_floor_s
