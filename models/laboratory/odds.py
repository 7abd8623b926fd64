"""What branches and loops really do: odds for `spirv.frequencies`, from counted frames."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import inf

import numpy as np

from shaderlab.spirv.analysis.cfg import FlowGraph
from shaderlab.spirv.analysis.frequencies import Loop, Odds, Shape
from shaderlab.spirv.analysis.trip_counts import LoopBounds
from shaderlab.spirv.module import Module
from shaderlab.spirv.trace import Trace
from shaderlab.spirv.warps import LANES

SHARES = ("then", "either", "leave", "breaks", "bounded", "breakable")
_TRIPS = ("trips0", "trips1")


@dataclass
class Observed:
    """Every branch's and loop's share or trips, by what `Odds` calls it, shader by shader."""

    shaders: list[Mapping[str, list[float]]] = field(default_factory=list)

    def odds(self) -> Odds:
        """The mean share, the geometric mean of trips; each shader weighs the same.

        Trips of a shader that loops for ever on some pixels must not outweigh all others, and
        errors of forecasts are ratios.  Raises `ValueError` where no shader has one.
        """
        shares = {name: self._mean(name, lambda found: float(np.mean(found))) for name in SHARES}
        outermost, inner = (float(np.exp(self._mean(name, _log_mean))) for name in _TRIPS)
        return Odds(**shares, trips=(outermost, inner))

    def _mean(self, name: str, mean: Callable[[list[float]], float]) -> float:
        found = [mean(each[name]) for each in self.shaders if each.get(name)]
        if not found:
            raise ValueError(f"no frame has {name!r}")
        return float(np.mean(found))


def _log_mean(trips: list[float]) -> float:
    return float(np.mean(np.log(np.maximum(trips, 1.0))))


def observe(module: Module, trace: Trace, *, lanes: bool) -> Mapping[str, list[float]]:
    """Shares and trips of one traced frame.

    `lanes`: of groups of lanes (an instruction is spent if any lane of the group needs it), in
    place of invocations.
    """
    counts: dict[int, dict[int, float]] = defaultdict(dict)
    for block in trace.blocks:
        count = block.lane_groups * LANES if lanes and block.lane_groups else block.count
        counts[block.function][block.label] = float(count)
    found: dict[str, list[float]] = defaultdict(list)
    bounds = LoopBounds(module)
    for function in module.functions:
        if function.id in counts:
            graph = FlowGraph(function)
            here = counts[function.id]
            ran = [here.get(block.label, 0.0) for block in function.blocks]
            shape = Shape(graph, bounds)
            _branches(shape, ran, found)
            for loop in shape.loops.values():
                _loop(shape, loop, ran, found)
    return found


def _branches(shape: Shape, ran: list[float], found: dict[str, list[float]]) -> None:
    graph = shape.graph
    for block, count in enumerate(ran):
        if count and len(graph.successors[block]) == 2:
            purpose, (first, _) = shape.purpose(block)
            # Only what is entered from here alone shows how often this branch went there.
            if purpose in ("then", "either", "leave") and graph.predecessors[first] == [block]:
                found[purpose].append(min(ran[first] / count, 1.0))


def _loop(shape: Shape, loop: Loop, ran: list[float], found: dict[str, list[float]]) -> None:
    graph = shape.graph
    back = [b for b in graph.predecessors[loop.header] if b in loop.members]
    again = sum(ran[block] for block in back)
    entered = sum(
        ran[block] / max(len(graph.successors[block]), 1)
        for block in graph.predecessors[loop.header]
        if block not in loop.members
    )
    if not entered:
        return
    body = [t for t in graph.successors[loop.decision] if t in loop.members]
    trips = (ran[body[0]] if loop.decision >= 0 and body else again) / entered
    if loop.bound == inf:
        found[f"trips{min(loop.depth, len(_TRIPS) - 1)}"].append(trips)
    elif loop.bound > 0:
        name = "breakable" if loop.breakable else "bounded"
        found[name].append(min(trips / loop.bound, 1.0))
    if loop.breakable and loop.decision >= 0:
        ended = max(ran[loop.decision] - ran[body[0]], 0.0) if body else 0.0
        found["breaks"].append(min(max(1 - ended / entered, 0.0), 1.0))


def measured(frames: Iterable[tuple[Module, Trace]]) -> dict[str, Odds]:
    """Odds of invocations and of groups of lanes (`invocations`, `lanes`)."""
    per_invocation, per_group = Observed(), Observed()
    for module, trace in frames:
        per_invocation.shaders.append(observe(module, trace, lanes=False))
        per_group.shaders.append(observe(module, trace, lanes=True))
    return {"invocations": per_invocation.odds(), "lanes": per_group.odds()}
