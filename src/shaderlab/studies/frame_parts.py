"""A frame's passes as parts to explore: each compiled for the families and counted here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shaderlab.errors import UnknownTarget
from shaderlab.scene.draw import Frame
from shaderlab.studies.explore import Part
from shaderlab.workers.frame_costs import CompiledFrame, FrameCosts


def costs_of(
    joined: FrameCosts, frame: Frame, slugs: Sequence[str] | None = None
) -> dict[str, CompiledFrame]:
    """By pass, for the named families or all.  Raises what compiling and counting do."""
    several = len(frame.passes) > 1
    return {
        each.name: joined.cost(
            each.draw, slugs, within=(frame, each.name) if several else None
        ).result()
        for each in frame.passes
    }


def parts_of(
    found: Mapping[str, CompiledFrame], draws: Mapping[str, int], slug: str
) -> tuple[Part, ...]:
    """Of one family; `draws`: by pass.  Raises UnknownTarget with the first pass that has no cost
    there, and why."""
    parts = []
    for name, each in found.items():
        cost = each.costs.get(slug)
        if cost is None:
            error = each.problems.get(slug)
            reason = str(error) if error else each.uncounted.get(slug)
            where = f"{name}: " if len(found) > 1 else ""
            raise UnknownTarget(f"{where}{reason or 'its cycles could not be counted'}")
        parts.append(Part(cost, draws.get(name, 1)))
    return tuple(parts)
