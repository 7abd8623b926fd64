"""Kinds of work by name, coarse to fine: `varying:OpFMul:constant`, `uniform:Sin:unrolled`.

First what the work depends on (`dataflow`), then the operation, then what makes it cheaper or more
expensive than others of its kind.  `waiting:carried:Sin` is latency (`dependency_chains`), not
work. A model need not have a price for every refinement: a kind without one costs what the nearest
coarser kind does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from shaderlab.prediction.features.texture_work import is_texture_read

OTHER = "other"
"""The kind for all that have no price."""


def coarser(kind: str) -> Iterator[str]:
    """The kinds this one refines, nearest first."""
    while kind.count(":") > 1:
        kind = kind.rpartition(":")[0]
        yield kind


def nearest(kind: str, known: Collection[str]) -> str | None:
    """The kind itself if it is known, else the nearest coarser one that is; None if none is."""
    if kind in known:
        return kind
    return next((each for each in coarser(kind) if each in known), None)


def operation_table(rows: Sequence[Mapping[str, float]], kinds: Sequence[str]) -> np.ndarray:
    """(rows, kinds) float64: operations under the nearest of the kinds.

    What has none counts as `OTHER` if that is among them, else not at all; a texture read never
    does, which costs what no other work does.
    """
    column = {kind: number for number, kind in enumerate(kinds)}
    column |= {
        kind: column[found]
        for kind in {kind for row in rows for kind in row}
        if (found := nearest(kind, column) or ("" if is_texture_read(kind) else OTHER)) in column
    }
    counted = np.zeros((len(rows), len(kinds)))
    for counts, row in zip(counted, rows, strict=True):
        for kind, n in row.items():
            if kind in column:
                counts[column[kind]] += n
    return counted


def priced_kinds(frames: Sequence[Mapping[str, float]], least: int) -> tuple[str, ...]:
    """Kinds that enough shaders have, rarer ones counted as the coarser kind.

    And one for the rest, where enough have any of the rest.
    """
    seen: dict[str, set[int]] = defaultdict(set)
    for number, operations in enumerate(frames):
        for kind, n in operations.items():
            if n:
                seen[kind].add(number)
    kinds: set[str] = set()
    rest: set[int] = set()
    while seen:
        kind = max(seen, key=lambda kind: (kind.count(":"), kind))
        shaders = seen.pop(kind)
        if len(shaders) >= least:
            kinds.add(kind)
        elif above := next(coarser(kind), None):
            seen[above] |= shaders
        else:
            rest |= shaders
    if len(rest) >= least:
        kinds.add(OTHER)
    return tuple(sorted(kinds))
