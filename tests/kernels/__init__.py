"""Twelve compute kernels of our own with data and an oracle for each.

The kernels are those LLMPerf is judged on (Table IV), written anew: `NAME.comp` beside this file.
An oracle says how often each line that ends in `// @mark` runs, and what the output buffers hold,
from the data alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from shaderlab.frontend.compiler import load_program
from shaderlab.frontend.program import Program
from shaderlab.scene.draw import Draw, DrawState
from shaderlab.scene.given_buffers import from_files
from shaderlab.scene.inputs import Input, Inputs, Source
from shaderlab.scene.launch import LaunchChoice
from shaderlab.spirv.trace import SourceLine, Trace

FOLDER = Path(__file__).parent
LOCAL = 64
FIXED_GROUPS = 32
"""Of reduction and scan, whose launch does not grow with the data."""
UNSEEN = 0xFFFFFFFF


@dataclass(frozen=True)
class Case:
    """A kernel with data of one size, and what must come out."""

    values: Mapping[str, float | tuple[float, ...]]
    """Push constants."""
    buffers: Mapping[str, np.ndarray]
    invocations: int
    counts: Mapping[str, int]
    """Runs of each marked line."""
    results: Mapping[str, np.ndarray] = field(default_factory=dict)
    """Output buffers, where exact arithmetic or a tolerance decides."""

    @property
    def groups(self) -> int:
        return -(-self.invocations // LOCAL)


def program(name: str) -> Program:
    return load_program(FOLDER / f"{name}.comp")


def marks(name: str) -> dict[str, int]:
    """Line of each mark, from 1."""
    lines = (FOLDER / f"{name}.comp").read_text(encoding="utf-8").splitlines()
    return {
        match[1]: number
        for number, line in enumerate(lines, 1)
        if (match := re.search(r"// @(\w+)$", line))
    }


def draw(name: str, case: Case, folder: Path) -> Draw:
    """The dispatch of a case; its buffers are written to `folder`."""
    kernel = program(name)
    paths = {}
    for buffer, data in case.buffers.items():
        paths[buffer] = folder / f"{name}.{buffer}.bin"
        paths[buffer].write_bytes(np.ascontiguousarray(data).tobytes())
    inputs = Inputs(
        values={
            value: Input(given if isinstance(given, tuple) else (float(given),), Source.SET)
            for value, given in case.values.items()
        }
    )
    inputs = replace(inputs, bound=from_files(kernel, paths) if paths else None)
    choice = LaunchChoice(groups=(case.groups, 1, 1))
    return Draw(kernel, DrawState(inputs, launch=choice))


def counted(name: str, trace: Trace) -> dict[str, int]:
    """What a trace says of the marked lines."""
    return {mark: trace.line_counts[SourceLine("", line)] for mark, line in marks(name).items()}


def _random(n: int) -> np.random.Generator:
    return np.random.default_rng(n)


def _whole(random: np.random.Generator, most: int, shape: int | tuple[int, ...]) -> np.ndarray:
    """Whole numbers as float32: sums and products of few of them are exact in any order."""
    return random.integers(0, most, shape).astype(np.float32)


def triad(n: int) -> Case:
    random = _random(n)
    a, b = _whole(random, 64, n), _whole(random, 64, n)
    return Case(
        {"n": n, "factor": 3.0},
        {"a": a, "b": b, "c": np.zeros(n, np.float32)},
        n + 40,  # some are beyond the end
        {"element": n},
        {"c": a + 3 * b},
    )


def _tree(groups: int) -> int:
    return groups * (LOCAL - 1)


def reduction(n: int) -> Case:
    values = _whole(_random(n), 8, n)
    invocations = FIXED_GROUPS * LOCAL
    padded = np.pad(values, (0, -n % invocations)).reshape(-1, FIXED_GROUPS, LOCAL)
    return Case(
        {"n": n},
        {"values": values, "sums": np.zeros(FIXED_GROUPS, np.float32)},
        invocations,
        {"element": n, "tree": _tree(FIXED_GROUPS), "group": FIXED_GROUPS},
        {"sums": padded.sum(axis=(0, 2))},
    )


def _stretches(n: int) -> list[tuple[int, int]]:
    stretch = -(-n // FIXED_GROUPS)
    firsts = [min(n, group * stretch) for group in range(FIXED_GROUPS)]
    return [(first, min(n, first + stretch)) for first in firsts]


def scan_reduce(n: int) -> Case:
    values = _random(n).integers(0, 100, n).astype(np.uint32)
    sums = [values[first:last].sum() for first, last in _stretches(n)]
    return Case(
        {"n": n},
        {"values": values, "sums": np.zeros(FIXED_GROUPS, np.uint32)},
        FIXED_GROUPS * LOCAL,
        {"element": n, "tree": _tree(FIXED_GROUPS), "group": FIXED_GROUPS},
        {"sums": np.array(sums, np.uint32)},
    )


def scan_bottom(n: int) -> Case:
    values = _random(n).integers(0, 100, n).astype(np.uint32)
    sums = [int(values[first:last].sum()) for first, last in _stretches(n)]
    before = np.concatenate([[0], np.cumsum(sums)[:-1]]).astype(np.uint32)
    tiles = sum(-(-(last - first) // LOCAL) for first, last in _stretches(n))
    left = sum(LOCAL - (1 << step) for step in range(6))
    return Case(
        {"n": n},
        {"values": values, "before": before, "scanned": np.zeros(n, np.uint32)},
        FIXED_GROUPS * LOCAL,
        {"element": n, "left": tiles * left, "written": n},
        {"scanned": np.cumsum(values).astype(np.uint32)},
    )


def _power_law(n: int, random: np.random.Generator, mean: float) -> np.ndarray:
    """Lengths of rows, (n,): a few long ones, about `mean` on average, at most 256."""
    lengths = random.pareto(1.6, n) * mean * 0.6
    return np.minimum(lengths.astype(np.int64) + 1, 256)


@dataclass(frozen=True)
class _Graph:
    rows: np.ndarray
    edges: np.ndarray
    levels: np.ndarray

    @classmethod
    def of(cls, n: int) -> _Graph:
        """Nodes of power-law degree; a third of them lie at level 1, the rest are unseen."""
        random = _random(n)
        degrees = _power_law(n, random, 8)
        rows = np.concatenate([[0], np.cumsum(degrees)]).astype(np.uint32)
        edges = random.integers(0, n, int(rows[-1])).astype(np.uint32)
        levels = np.where(random.random(n) < 1 / 3, 1, UNSEEN).astype(np.uint32)
        return cls(rows, edges, levels)

    def case(self, values: Mapping[str, float], invocations: int, more: dict[str, int]) -> Case:
        frontier = self.levels == 1
        reached = self.edges[np.repeat(frontier, np.diff(self.rows.astype(np.int64)))]
        found = np.unique(reached[self.levels[reached] == UNSEEN])
        after = self.levels.copy()
        after[found] = 2
        counts = {"edge": len(reached), "found": len(found)} | more
        buffers = {"rows": self.rows, "edges": self.edges, "levels": self.levels}
        return Case(values, buffers, invocations, counts, {"levels": after})


def bfs_node(n: int) -> Case:
    return _Graph.of(n).case({"n": n, "level": 1}, n, {})


def bfs_warp(n: int) -> Case:
    chunk = 16
    warps = -(-n // chunk)
    values = {"n": n, "level": 1, "chunk": chunk}
    return _Graph.of(n).case(values, 32 * warps, {"node": 32 * n})


def kmeans(n: int, clusters: int = 5, features: int = 8) -> Case:
    random = _random(n)
    points = _whole(random, 16, (features, n))
    centres = _whole(random, 16, (clusters, features))
    off = points.T[:, None, :] - centres[None]
    distances = (off * off).sum(axis=2)
    nearest = np.minimum.accumulate(distances, axis=1)
    before = np.pad(nearest[:, :-1], ((0, 0), (1, 0)), constant_values=np.inf)
    return Case(
        {"n": n, "clusters": clusters, "features": features},
        {"points": points, "centres": centres, "members": np.zeros(n, np.uint32)},
        n,
        {"feature": n * clusters * features, "nearer": int((distances < before).sum())},
        {"members": distances.argmin(axis=1).astype(np.uint32)},
    )


def nearest(n: int) -> Case:
    records = _whole(_random(n), 100, (n, 2))
    off = records - np.array([50, 40], np.float32)
    squared = (off * off).sum(axis=1)
    near = int((squared < 400).sum())
    return Case(
        {"n": n, "place": (50.0, 40.0), "reach": 20.0},
        {
            "records": records,
            "distances": np.zeros(n, np.float32),
            "near": np.zeros(1, np.uint32),
        },
        n,
        {"record": n, "near": near},
        {"near": np.array([near], np.uint32), "distances": np.sqrt(squared)},
    )


@dataclass(frozen=True)
class _Matrix:
    rows: np.ndarray
    columns: np.ndarray
    values: np.ndarray
    x: np.ndarray

    @classmethod
    def of(cls, n: int) -> _Matrix:
        """About 1 % of the elements, at least a few in each row, with power-law rows."""
        random = _random(n)
        lengths = _power_law(n, random, max(4.0, min(n / 100, 64)))
        rows = np.concatenate([[0], np.cumsum(lengths)]).astype(np.uint32)
        columns = random.integers(0, n, int(rows[-1])).astype(np.uint32)
        return cls(rows, columns, _whole(random, 4, len(columns)), _whole(random, 4, n))

    @property
    def product(self) -> np.ndarray:
        parts = self.values * self.x[self.columns]
        return np.add.reduceat(parts, self.rows[:-1].astype(np.int64)).astype(np.float32)

    def case(self, invocations: int, more: dict[str, int]) -> Case:
        n = len(self.rows) - 1
        buffers = {
            "rows": self.rows, "columns": self.columns, "values": self.values, "x": self.x,
            "y": np.zeros(n, np.float32),
        }  # fmt: skip
        counts = {"product": len(self.columns), "row": n} | more
        return Case({"n": n}, buffers, invocations, counts, {"y": self.product})


def spmv_csr_scalar(n: int) -> Case:
    return _Matrix.of(n).case(n, {})


def spmv_csr_vector(n: int) -> Case:
    warps = -(-32 * n // LOCAL) * LOCAL // 32
    return _Matrix.of(n).case(32 * n, {"tree": warps * 31})


def spmv_ellpackr(n: int) -> Case:
    matrix = _Matrix.of(n)
    lengths = np.diff(matrix.rows.astype(np.int64))
    longest = int(lengths.max())
    columns = np.zeros((longest, n), np.uint32)
    values = np.zeros((longest, n), np.float32)
    row = np.repeat(np.arange(n), lengths)
    number = np.arange(len(matrix.columns)) - np.repeat(matrix.rows[:-1].astype(np.int64), lengths)
    columns[number, row], values[number, row] = matrix.columns, matrix.values
    buffers = {
        "lengths": lengths.astype(np.uint32), "columns": columns, "values": values,
        "x": matrix.x, "y": np.zeros(n, np.float32),
    }  # fmt: skip
    counts = {"product": len(matrix.columns), "row": n}
    return Case({"n": n}, buffers, n, counts, {"y": matrix.product})


def lennard_jones(n: int, most: int = 32) -> Case:
    random = _random(n)
    side = max(4, round((8 * n) ** (1 / 3)))
    positions = np.zeros((n, 4), np.float32)
    positions[:, :3] = _whole(random, side, (n, 3))
    neighbours = random.integers(0, n, (most, n)).astype(np.uint32)
    off = positions[None, :, :3] - positions[neighbours][..., :3]
    squared = (off * off).sum(axis=2)
    cutoff = (side / 2) ** 2
    close = int(((squared < cutoff) & (squared > 0)).sum())
    return Case(
        {"n": n, "most": most, "cutoff_squared": cutoff},
        {"positions": positions, "neighbours": neighbours, "forces": np.zeros((n, 4), np.float32)},
        n,
        {"pair": n * most, "force": close},
    )


KERNELS: dict[str, Callable[[int], Case]] = {
    each.__name__: each
    for each in (
        triad, reduction, scan_reduce, scan_bottom, bfs_node, bfs_warp, kmeans, nearest,
        spmv_csr_scalar, spmv_csr_vector, spmv_ellpackr, lennard_jones,
    )
}  # fmt: skip
