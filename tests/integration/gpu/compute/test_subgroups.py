"""Emulated subgroups of 32: every operation's results are those that numpy computes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from shaderlab.frontend.compiler import compile_text
from shaderlab.gpu.vulkan.compute_rendering import ComputeRenderer
from shaderlab.scene.draw import Draw, DrawState
from shaderlab.scene.launch import LaunchChoice
from shaderlab.spirv.passes.subgroups import emulated

GROUPS = 3
NAMES = "basic vote arithmetic ballot shuffle shuffle_relative clustered quad"
HEAD = "#version 450\n" + "".join(
    f"#extension GL_KHR_shader_subgroup_{name} : enable\n" for name in NAMES.split()
)
VALUES = """
    uint g = gl_WorkGroupID.x * gl_WorkGroupSize.x * gl_WorkGroupSize.y + gl_LocalInvocationIndex;
    uint x = (g ^ (g >> 3)) * 2654435761u;
    x ^= x >> 13;
    int i = int(x) >> 7;
    float f = float(x & 255u) - 100.0;
    bool b = (x & 4u) != 0u;
    uint lane = gl_SubgroupInvocationID;
"""

Subgroup = dict[str, np.ndarray]
"""By name of `VALUES`: those of the invocations of one subgroup."""


def values(g: np.ndarray) -> Subgroup:
    x = (g ^ (g >> 3)).astype(np.uint32) * np.uint32(2654435761)
    x ^= x >> np.uint32(13)
    return {
        "x": x,
        "i": x.view(np.int32) >> 7,
        "f": (x & np.uint32(255)).astype(np.float32) - np.float32(100),
        "b": (x & np.uint32(4)) != 0,
        "lane": np.arange(len(g), dtype=np.uint32),
    }


def ballot(b: np.ndarray) -> int:
    return sum(1 << int(n) for n in np.flatnonzero(b))


def everywhere(of: Callable[[Subgroup], object]) -> Callable[[Subgroup], np.ndarray]:
    return lambda v: np.array([of(v)] * len(v["x"]))


def scanned(name: str, join: np.ufunc, start: object) -> dict[str, Callable[[Subgroup], object]]:
    """Inclusive and exclusive."""

    def inclusive(v: Subgroup) -> np.ndarray:
        return join.accumulate(v[name], dtype=v[name].dtype)

    def exclusive(v: Subgroup) -> np.ndarray:
        return np.concatenate([np.array([start], v[name].dtype), inclusive(v)[:-1]])

    return {"Inclusive": inclusive, "Exclusive": exclusive}


def clustered(name: str, join: np.ufunc, length: int) -> Callable[[Subgroup], object]:
    def found(v: Subgroup) -> np.ndarray:
        parts = [v[name][n : n + length] for n in range(0, len(v[name]), length)]
        reduced = [join.reduce(part, dtype=part.dtype) for part in parts]
        return np.concatenate(
            [np.full(len(part), r, r.dtype) for part, r in zip(parts, reduced, strict=True)]
        )

    return found


INFINITY = np.float32(np.inf)
JOINS: list[tuple[str, str, str, np.ufunc, object]] = [
    # operation, value in GLSL, in numpy, join, and what an exclusive scan begins with
    ("Add", "x", "x", np.add, 0),
    ("Add", "i", "i", np.add, 0),
    ("Add", "f", "f", np.add, 0.0),
    ("Mul", "(x | 1u)", "odd", np.multiply, 1),
    ("Mul", "(1.0 + f * 0.0)", "ones", np.multiply, 1.0),
    ("Min", "x", "x", np.minimum, 0xFFFFFFFF),
    ("Min", "i", "i", np.minimum, 0x7FFFFFFF),
    ("Min", "f", "f", np.minimum, INFINITY),
    ("Max", "x", "x", np.maximum, 0),
    ("Max", "i", "i", np.maximum, -0x80000000),
    ("Max", "f", "f", np.maximum, -INFINITY),
    ("And", "(x | 0xFFFFFF0Fu)", "ands", np.bitwise_and, 0xFFFFFFFF),
    ("Or", "(x & 0xF0u)", "ors", np.bitwise_or, 0),
    ("Xor", "x", "x", np.bitwise_xor, 0),
    ("And", "(b || lane < 3u)", "some", np.logical_and, True),
    ("Or", "(b && lane > 3u)", "few", np.logical_or, False),
    ("Xor", "b", "b", np.logical_xor, False),
]


def with_more(v: Subgroup) -> Subgroup:
    x, lane = v["x"], v["lane"]
    return v | {
        "odd": x | np.uint32(1),
        "ones": np.ones(len(x), np.float32),
        "ands": x | np.uint32(0xFFFFFF0F),
        "ors": x & np.uint32(0xF0),
        "some": v["b"] | (lane < 3),
        "few": v["b"] & (lane > 3),
    }


CASES: dict[str, list[tuple[str, Callable[[Subgroup], object]]]] = {
    "numbers": [
        ("gl_SubgroupSize", everywhere(lambda _: 32)),
        ("gl_SubgroupInvocationID", lambda v: v["lane"]),
        ("gl_SubgroupEqMask.x", lambda v: np.uint32(1) << v["lane"]),
        ("gl_SubgroupLtMask.x", lambda v: (np.uint64(1) << v["lane"].astype(np.uint64)) - 1),
        ("gl_SubgroupLeMask.x", lambda v: (np.uint64(2) << v["lane"].astype(np.uint64)) - 1),
        ("gl_SubgroupGeMask.x",
         lambda v: 0xFFFFFFFF ^ ((1 << v["lane"].astype(np.int64)) - 1)),
        ("gl_SubgroupGtMask.x",
         lambda v: 0xFFFFFFFF ^ ((2 << v["lane"].astype(np.int64)) - 1)),
        ("gl_SubgroupGeMask.y", everywhere(lambda _: 0)),
    ],
    "votes": [
        ("subgroupElect()", lambda v: v["lane"] == 0),
        ("subgroupAll(b)", everywhere(lambda v: v["b"].all())),
        ("subgroupAll(lane < 32u)", everywhere(lambda _: True)),
        ("subgroupAny(x % 61u == 5u)", everywhere(lambda v: (v["x"] % 61 == 5).any())),
        ("subgroupAllEqual(x)", everywhere(lambda v: len(set(v["x"].tolist())) == 1)),
        ("subgroupAllEqual(vec3(f * 0.0, 1.0, 2.0))", everywhere(lambda _: True)),
        ("subgroupAllEqual(b)", everywhere(lambda v: len(set(v["b"].tolist())) == 1)),
    ],
    "moves": [
        ("subgroupBroadcast(x, 5u)", everywhere(lambda v: v["x"][5])),
        ("subgroupBroadcast(b, 9u)", everywhere(lambda v: v["b"][9])),
        ("subgroupBroadcastFirst(f)", everywhere(lambda v: v["f"][0])),
        ("subgroupBroadcastFirst(uvec3(x, 1u, x + 1u)).z", everywhere(lambda v: v["x"][0] + 1)),
        ("subgroupShuffle(x, lane / 2u)", lambda v: v["x"][v["lane"] // 2]),
        ("subgroupShuffleXor(i, 3u)", lambda v: v["i"][v["lane"] ^ 3]),
        ("(lane < 4u ? 0u : 1u) * subgroupShuffleUp(x, 4u)",
         lambda v: np.where(v["lane"] < 4, 0, np.roll(v["x"], 4))),
        ("(lane < 8u ? 1u : 0u) * subgroupShuffleDown(uvec2(1u, x), 5u).y",
         lambda v: np.where(v["lane"] < 8, np.roll(v["x"], -5), 0)),
        ("subgroupQuadBroadcast(x, 2u)", lambda v: v["x"][v["lane"] // 4 * 4 + 2]),
        ("subgroupQuadSwapHorizontal(x)", lambda v: v["x"][v["lane"] ^ 1]),
        ("subgroupQuadSwapVertical(f)", lambda v: v["f"][v["lane"] ^ 2]),
        ("subgroupQuadSwapDiagonal(x)", lambda v: v["x"][v["lane"] ^ 3]),
    ],
    "ballots": [
        ("subgroupBallot(b).x", everywhere(lambda v: ballot(v["b"]))),
        ("subgroupBallot(true).x", everywhere(lambda v: ballot(v["lane"] >= 0))),
        ("subgroupBallot(b).y", everywhere(lambda _: 0)),
        ("subgroupInverseBallot(uvec4(0xF0F0F0F0u, 0u, 0u, 0u))",
         lambda v: (0xF0F0F0F0 >> v["lane"]) & 1),
        ("subgroupBallotBitExtract(uvec4(x, 0u, 0u, 0u), 7u)", lambda v: (v["x"] >> 7) & 1),
        ("subgroupBallotBitCount(subgroupBallot(b))", everywhere(lambda v: v["b"].sum())),
        ("subgroupBallotInclusiveBitCount(subgroupBallot(b))", lambda v: np.cumsum(v["b"])),
        ("subgroupBallotExclusiveBitCount(subgroupBallot(b))",
         lambda v: np.cumsum(v["b"]) - v["b"]),
        ("subgroupBallotFindLSB(subgroupBallot(lane > 4u))", everywhere(lambda _: 5)),
        ("subgroupBallotFindMSB(subgroupBallot(lane < 9u))", everywhere(lambda _: 8)),
    ],
    "reductions": [
        (f"subgroup{name}({text})",
         everywhere(lambda v, of=of, join=join: join.reduce(v[of], dtype=v[of].dtype)))
        for name, text, of, join, _ in JOINS
    ],
    "scans": [
        (f"subgroup{kind}{name}({text})", found)
        for name, text, of, join, start in JOINS
        for kind, found in scanned(of, join, start).items()
    ],
    "clusters": [
        (f"subgroupClustered{name}({text}, {length}u)", clustered(of, join, length))
        for name, text, of, join, _ in JOINS
        for length in (4, 16)
    ],
    "vectors": [
        ("subgroupAdd(vec4(f, 1.0, 2.0 * f, 3.0)).z", everywhere(lambda v: 2 * v["f"].sum())),
        ("subgroupMax(ivec2(i, -i)).y", everywhere(lambda v: (-v["i"]).max())),
        ("subgroupInclusiveAdd(uvec3(x, 1u, 2u)).y", lambda v: v["lane"] + 1),
        ("subgroupExclusiveMin(vec2(f, f)).y",
         lambda v: np.concatenate([[INFINITY], np.minimum.accumulate(v["f"])[:-1]])),
    ],
}  # fmt: skip


def shader(lines: list[str], local: tuple[int, int]) -> str:
    stores = "".join(
        f"    result[{n}u * {GROUPS * local[0] * local[1]}u + g] = word({line});\n"
        for n, line in enumerate(lines)
    )
    return (
        f"{HEAD}layout(local_size_x = {local[0]}, local_size_y = {local[1]}) in;\n"
        "layout(set = 0, binding = 0) buffer Result "
        f"{{ uint result[{len(lines) * GROUPS * local[0] * local[1]}]; }};\n"
        "uint word(uint v) { return v; }\nuint word(int v) { return uint(v); }\n"
        "uint word(float v) { return floatBitsToUint(v); }\n"
        "uint word(bool v) { return v ? 1u : 0u; }\n"
        f"void main() {{{VALUES}{stores}}}\n"
    )


def results(device, text: str, *, size: int = 32) -> np.ndarray:
    """(words,) uint32 of the first buffer after the emulated program ran."""
    program = compile_text(text, "made-for-the-test.comp", None)
    draw = Draw(program, state=DrawState(launch=LaunchChoice(groups=(GROUPS, 1, 1))))
    made = emulated(program.module, program.entry_point, draw.launch.local, size)
    assert made is not None
    draw = draw.of_program(replace(program, spirv=made))
    with ComputeRenderer(device, draw) as renderer:
        renderer.render(draw.inputs, np.empty((*draw.size[::-1], 4), np.uint8))
        (resource,) = draw.program.interface.resources
        return renderer.buffer(resource.descriptor).view(np.uint32).copy()


def as_words(found: object) -> np.ndarray:
    array = np.asarray(found)
    if array.dtype.kind == "f":
        return array.astype(np.float32).view(np.uint32)
    return array.astype(np.int64).astype(np.uint32)


SIZES = [(32, 1), (64, 1), (16, 6), (48, 1)]
LONG = ("reductions", "scans", "clusters")
"""Take seconds to compile: of two sizes, one with a last subgroup that is not full."""


@pytest.mark.parametrize(
    ("kind", "local"),
    [(kind, local) for kind in CASES for local in (SIZES[2:] if kind in LONG else SIZES)],
)
def test_results_are_those_of_a_subgroup_of_32(open_device, kind, local):
    lines = [text for text, _ in CASES[kind]]
    words = results(open_device("llvmpipe"), shader(lines, local))
    per_group = local[0] * local[1]
    for number, (text, wanted) in enumerate(CASES[kind]):
        start = number * GROUPS * per_group
        for group in range(GROUPS):
            for first in range(0, per_group, 32):
                g = np.arange(first, min(first + 32, per_group)) + group * per_group
                found = words[start + g]
                expected = as_words(wanted(with_more(values(g))))
                assert np.array_equal(found, expected), (text, group, first, found, expected)
