"""A SPIR-V word stream cut into instructions and checked against the grammar."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from shaderlab.errors import InvalidModule
from shaderlab.spirv import grammar
from shaderlab.spirv.grammar import Op

KNOWN_OPCODES = len(grammar.OPCODES)

_STRUCTURAL = frozenset((Op.Function, Op.FunctionEnd, Op.Label)) | grammar.TERMINATORS


class _ByOpcode(NamedTuple):
    """What the grammar says, as arrays over all its opcodes."""

    result_word: np.ndarray
    min_words: np.ndarray
    is_structural: np.ndarray


@cache
def by_opcode() -> _ByOpcode:
    return _ByOpcode(
        np.array(grammar.RESULT_WORD, np.int8),
        np.array(grammar.MIN_WORDS, np.uint16),
        np.array([code in _STRUCTURAL for code in grammar.OPCODES]),
    )


def result_word(opcode: int) -> int:
    return grammar.RESULT_WORD[opcode] if opcode < KNOWN_OPCODES else 0


def check_header(words: np.ndarray) -> None:
    version, bound = int(words[1]), int(words[3])
    major, minor = version >> 16 & 0xFF, version >> 8 & 0xFF
    if version & 0xFF0000FF or (major, minor) > grammar.VERSION or major < 1:
        newest = ".".join(map(str, grammar.VERSION))
        raise InvalidModule(f"SPIR-V version word 0x{version:08x} is not one of 1.0 to {newest}")
    if not 0 < bound <= grammar.MAX_ID_BOUND:
        raise InvalidModule(
            f"SPIR-V id bound {bound:,} is not between 1 and the limit of {grammar.MAX_ID_BOUND:,}"
        )


def instruction_starts(words: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Word offset of each instruction and of the end, (n + 1,) int64; opcodes, (n,) int64."""
    lengths = (words >> np.uint32(16)).tolist()
    total = len(lengths)
    starts = []
    append = starts.append
    position = grammar.HEADER_WORDS
    while position < total:
        append(position)
        length = lengths[position]
        if not length:
            raise InvalidModule(f"SPIR-V instruction at word {position} has length 0")
        position += length
    append(position)
    offsets = np.array(starts, np.int64)
    if position != total:
        raise InvalidModule(
            f"SPIR-V instruction at word {starts[-2]} is {position - starts[-2]} words long, "
            f"but only {total - starts[-2]} are left"
        )
    opcodes = (words[offsets[:-1]] & np.uint32(0xFFFF)).astype(np.int64)
    known = np.where(opcodes < KNOWN_OPCODES, opcodes, 0)
    short = np.flatnonzero(np.diff(offsets) < by_opcode().min_words[known])
    if len(short):
        at = int(short[0])
        raise InvalidModule(
            f"{grammar.name(int(opcodes[at]))} at word {offsets[at]} has "
            f"{offsets[at + 1] - offsets[at]} words instead of at least "
            f"{grammar.MIN_WORDS[known[at]]}"
        )
    return offsets, opcodes


def definitions(words: np.ndarray, starts: np.ndarray, opcodes: np.ndarray) -> np.ndarray:
    bound = int(words[3])
    known = np.where(opcodes < KNOWN_OPCODES, opcodes, 0)
    place = by_opcode().result_word[known]
    defining = np.flatnonzero(place)
    ids = words[starts[defining] + place[defining]]
    outside = np.flatnonzero((ids == 0) | (ids >= bound))
    if len(outside):
        at = int(outside[0])
        raise InvalidModule(
            f"{grammar.name(int(opcodes[defining[at]]))} at word {starts[defining[at]]} defines "
            f"%{ids[at]}, but ids lie between 1 and {bound - 1}"
        )
    definitions = np.full(bound, -1, np.int32)
    definitions[ids] = defining
    twice = np.flatnonzero(definitions[ids] != defining)
    if len(twice):
        raise InvalidModule(f"id %{ids[twice[0]]} is defined twice")
    definitions.flags.writeable = False
    return definitions
