"""What a pointer is called, in a module put together by hand: compilers nest chains differently."""

from __future__ import annotations

import numpy as np
import pytest

from shaderlab.spirv import grammar
from shaderlab.spirv.analysis.access_paths import AccessPaths
from shaderlab.spirv.grammar import Op, StorageClass
from shaderlab.spirv.module import Module
from shaderlab.spirv.passes.rewriting import encode, encode_string

FLOAT, VECTOR, UINT, LENGTH, ARRAY, STRUCT = range(1, 7)
TO_STRUCT, TO_ARRAY, TO_VECTOR, TO_FLOAT, TO_UINT = range(10, 15)
ZERO, ONE, NINE = range(20, 23)
LIGHTS, NUMBER, NAMELESS = range(30, 33)
COLOURS, THIRD, RED, BY_NUMBER, ODD, LOADED, PART, HIDDEN = range(40, 48)
VOID, PROCEDURE, MAIN, ENTRY = range(60, 64)

INSTRUCTIONS = [
    [Op.Capability, 1],
    [Op.MemoryModel, 0, 1],
    [Op.EntryPoint, 4, MAIN, *encode_string("main")],
    [Op.Name, LIGHTS, *encode_string("lights")],
    [Op.Name, NUMBER, *encode_string("n")],
    [Op.MemberName, STRUCT, 1, *encode_string("colours")],
    [Op.TypeVoid, VOID],
    [Op.TypeFunction, PROCEDURE, VOID],
    [Op.TypeFloat, FLOAT, 32],
    [Op.TypeVector, VECTOR, FLOAT, 4],
    [Op.TypeInt, UINT, 32, 0],
    *([Op.Constant, UINT, id, value] for id, value in ((ZERO, 0), (ONE, 1), (NINE, 9))),
    [Op.TypeArray, ARRAY, VECTOR, NINE],
    [Op.TypeStruct, STRUCT, FLOAT, ARRAY],
    *(
        [Op.TypePointer, pointer, StorageClass.Private, to]
        for pointer, to in (
            (TO_STRUCT, STRUCT), (TO_ARRAY, ARRAY), (TO_VECTOR, VECTOR), (TO_FLOAT, FLOAT),
            (TO_UINT, UINT),
        )
    ),
    [Op.Variable, TO_STRUCT, LIGHTS, StorageClass.Private],
    [Op.Variable, TO_UINT, NUMBER, StorageClass.Private],
    [Op.Variable, TO_ARRAY, NAMELESS, StorageClass.Private],
    [Op.Function, VOID, MAIN, 0, PROCEDURE],
    [Op.Label, ENTRY],
    [Op.AccessChain, TO_ARRAY, COLOURS, LIGHTS, ONE],
    [Op.InBoundsAccessChain, TO_VECTOR, THIRD, COLOURS, NINE],
    [Op.AccessChain, TO_FLOAT, RED, THIRD, ZERO],
    [Op.Load, UINT, LOADED, NUMBER],
    [Op.AccessChain, TO_FLOAT, BY_NUMBER, LIGHTS, ONE, LOADED, ONE],
    [Op.AccessChain, TO_FLOAT, PART, LIGHTS, ZERO],
    [Op.IAdd, UINT, ODD, LOADED, LOADED],
    [Op.AccessChain, TO_VECTOR, HIDDEN, NAMELESS, ODD],
    [Op.Return],
    [Op.FunctionEnd],
]  # fmt: skip


@pytest.fixture(scope="module")
def paths() -> AccessPaths:
    words = [grammar.MAGIC, 0x10500, 0, 100, 0]
    for instruction in INSTRUCTIONS:
        words += encode(*instruction)
    return AccessPaths(Module.parse(np.array(words, "<u4").tobytes()))


@pytest.mark.parametrize(
    ("pointer", "path"),
    [
        (LIGHTS, "lights"),
        (COLOURS, "lights.colours"),
        (THIRD, "lights.colours[9]"),
        (RED, "lights.colours[9].x"),
        (BY_NUMBER, "lights.colours[n].y"),
        (PART, "lights._0"),
        (NAMELESS, ""),
        (HIDDEN, "[\u2026]"),
    ],
)
def test_a_path_is_written_as_in_the_source(paths: AccessPaths, pointer: int, path: str) -> None:
    assert paths.of(pointer) == path


@pytest.mark.parametrize(
    ("pointer", "variable"),
    [(LIGHTS, LIGHTS), (RED, LIGHTS), (BY_NUMBER, LIGHTS), (HIDDEN, NAMELESS)],
)
def test_chains_lead_to_their_variable(paths: AccessPaths, pointer: int, variable: int) -> None:
    assert paths.root(pointer) == variable
