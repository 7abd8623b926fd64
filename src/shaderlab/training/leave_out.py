"""Leaving out what is alike: how far off a model is on shaders unlike any it was fitted to.

A shader outside the training data differs from it somehow: by what it does, by its size, by how
long it takes.  So the models are fitted again without whole groups of shaders that have that in
common, and asked for them: without a cluster of the feature space, without every shader that runs
a rare operation, without a decile of size, without a decade of time.  Each is fitted alone, not
drawn towards other targets' prices, which saw the shaders left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from shaderlab.errors import InvalidModel
from shaderlab.prediction.catalogue import domain
from shaderlab.prediction.catalogue.domain import Domain, Features
from shaderlab.prediction.features.context import CONTEXT
from shaderlab.prediction.models.model import CountedShader
from shaderlab.training import tables
from shaderlab.training.evaluation import decade
from shaderlab.training.methods import features

CLUSTER, OPERATION, SIZE_DECILE, DECADE = "cluster", "operation", "size decile", "decade"
CLUSTERS, STARTS = 8, 4
"""How many, and how many random starts the best of which counts."""
OPERATION_FOLDS = 5
DECILES = 10
RARE = 0.05
"""Operations that fewer of the shaders run are rare."""
LEAST = 30
"""Shaders of a group worth leaving out, or worth stating a share of."""


_SCHEMA = pa.schema(
    [
        ("target", pa.string()),
        ("method", pa.string()),
        ("fold", pa.int32()),
        ("criterion", pa.string()),
        ("group", pa.string()),
        ("id", pa.string()),
        ("predicted_s", pa.float32()),
    ]
)


@dataclass(frozen=True)
class LeftOut:
    """What a model says of a shader that it was fitted without, and without those like it."""

    target: str
    method: str
    fold: int
    """Of the target; all left out together have the same."""
    criterion: str
    group: str
    id: str
    predicted_s: float


def write(path: Path, rows: Iterable[LeftOut]) -> None:
    """Write what `read` reads; the same rows always give the same bytes."""
    ordered = sorted(rows, key=lambda each: (each.target, each.method, each.fold, each.id))
    path.parent.mkdir(parents=True, exist_ok=True)
    table = pa.Table.from_pylist([asdict(each) for each in ordered], _SCHEMA)
    pq.write_table(table, path, compression="zstd", compression_level=19)


def read(path: Path) -> list[LeftOut]:
    """Raises `InvalidModel` where the file is not of this form."""
    return [LeftOut(**row) for row in tables.read(path, _SCHEMA, InvalidModel).to_pylist()]


@dataclass(frozen=True)
class Fold:
    """Shaders left out together, each under the group it is left out for."""

    criterion: str
    group_of: Mapping[str, str]
    """By id of every shader left out."""


def folds(shaders: Mapping[str, CountedShader]) -> list[Fold]:
    """By cluster, rare operation and size decile, the same for all targets; ids in order."""
    ids = sorted(shaders)
    seen = [features(shaders[each]) for each in ids]
    return [
        *_by_cluster(ids, domain.fit(seen)),
        *_by_operation(ids, seen),
        *_by_size(ids, seen),
    ]


def decades(ids: Sequence[str], measured_s: np.ndarray) -> list[Fold]:
    """By decade of measured time on one target; `measured_s` (n,).

    The decade of the fastest 1 % is never left out: a fit without it has no floor, and the models
    that ship have one.
    """
    exponents = decade(measured_s)
    fastest = decade(np.quantile(measured_s, [0.01]))[0]
    return [
        Fold(DECADE, {i: f"1e{exponent} s" for i in _where(ids, exponents == exponent)})
        for exponent in np.unique(exponents).tolist()
        if exponent > fastest and (exponents == exponent).sum() >= LEAST
    ]


def _by_cluster(ids: Sequence[str], found: Domain) -> Iterator[Fold]:
    from sklearn.cluster import KMeans

    points = found.points
    scaled = (points - points.mean(0)) / (points.std(0) + 1e-6)
    clusters = KMeans(CLUSTERS, random_state=0).set_params(n_init=STARTS)
    labels = clusters.fit_predict(scaled)
    for label in range(CLUSTERS):
        yield Fold(CLUSTER, dict.fromkeys(_where(ids, labels == label), f"cluster {label + 1}"))


def _by_operation(ids: Sequence[str], seen: Sequence[Features]) -> Iterator[Fold]:
    """Several operations at a time; a shader that runs two of them is of the rarer one's group."""
    having = Counter(name for each in seen for name in each.work)
    rare = sorted(
        (name for name, n in having.items() if domain.LEAST_SHADERS <= n < RARE * len(ids)),
        key=lambda name: (having[name], name),
    )
    for number in range(OPERATION_FOLDS):
        mine = rare[number::OPERATION_FOLDS]
        pairs = (
            (i, next((n for n in mine if n in each.work), ""))
            for i, each in zip(ids, seen, strict=True)
        )
        yield Fold(OPERATION, {i: name for i, name in pairs if name})


def _by_size(ids: Sequence[str], seen: Sequence[Features]) -> Iterator[Fold]:
    """Two deciles at a time that are not neighbours."""
    sizes = np.array([each.context[CONTEXT.index("log_instructions")] for each in seen])
    place = np.argsort(np.argsort(sizes, kind="stable"), kind="stable") * DECILES // len(ids)
    half = DECILES // 2
    for first in range(half):
        yield Fold(
            SIZE_DECILE,
            {
                i: f"decile {int(p) + 1}"
                for i, p in zip(ids, place, strict=True)
                if p % half == first
            },
        )


def _where(ids: Sequence[str], chosen: np.ndarray) -> list[str]:
    return [each for each, yes in zip(ids, chosen.tolist(), strict=True) if yes]
