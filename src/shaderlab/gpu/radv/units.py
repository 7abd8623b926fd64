"""Which unit of a compute unit an instruction keeps busy, and for how long.

Sources: AMD, "RDNA Architecture" white paper (2019): a SIMD has 32 lanes and issues a wave of 64
in two cycles, transcendental functions run at a quarter of the rate; "Vega
Instruction Set Architecture" and "GCN Architecture" white paper (2012): 16 lanes, a wave of 64 in
four cycles, a quarter of the rate for transcendental functions and 32-bit integer products.
"""

from __future__ import annotations

import re
from enum import Enum


class Unit(Enum):
    """What executes an instruction."""

    VECTOR = "vector"
    TRANSCENDENTAL = "transcendental"
    QUARTER = "quarter rate"
    """Vector instructions at a quarter of the rate: 32-bit integer products."""
    DOUBLE = "double"
    SCALAR = "scalar"
    BRANCH = "branch"
    SCALAR_MEMORY = "scalar memory"
    VECTOR_MEMORY = "vector memory"
    LDS = "LDS"
    EXPORT = "export"
    NONE = "none"
    """Waits and hints."""


_PATTERNS = (
    (re.compile(r"s_(wait|nop|clause|delay_alu|(set_)?inst_prefetch|sleep|endpgm)"), Unit.NONE),
    (re.compile(r"s_c?branch"), Unit.BRANCH),
    (re.compile(r"s_(load|buffer_load|store|buffer_store|dcache|memtime)"), Unit.SCALAR_MEMORY),
    (re.compile(r"s_"), Unit.SCALAR),
    (re.compile(r"v_(s_)?(rcp|rsq|sqrt|sin|cos|exp|log)_(legacy_)?(iflag_)?f(16|32)"),
     Unit.TRANSCENDENTAL),
    (re.compile(r"v_(mul_lo_u32|mul_hi_[iu]32|mad_[iu]64)"), Unit.QUARTER),
    (re.compile(r"v_\w*f64"), Unit.DOUBLE),
    (re.compile(r"v_"), Unit.VECTOR),
    (re.compile(r"(buffer|image|global|flat|scratch|tbuffer)_"), Unit.VECTOR_MEMORY),
    (re.compile(r"ds_"), Unit.LDS),
    (re.compile(r"exp\b"), Unit.EXPORT),
)  # fmt: skip

_RDNA = {
    Unit.VECTOR: 2.0,
    Unit.TRANSCENDENTAL: 4.0,  # eight on a separate pipe; other waves fill the other half
    Unit.QUARTER: 8.0,
    Unit.DOUBLE: 32.0,
    Unit.VECTOR_MEMORY: 4.0,
    Unit.LDS: 2.0,
    Unit.EXPORT: 4.0,
}
_GCN = {
    Unit.VECTOR: 4.0,
    Unit.TRANSCENDENTAL: 16.0,
    Unit.QUARTER: 16.0,
    Unit.DOUBLE: 64.0,
    Unit.VECTOR_MEMORY: 4.0,
    Unit.LDS: 4.0,
    Unit.EXPORT: 4.0,
}


def unit(mnemonic: str) -> Unit:
    """By the mnemonic, in ACO's spelling or the assembler's."""
    for pattern, found in _PATTERNS:
        if pattern.match(mnemonic):
            return found
    return Unit.NONE


def busy_cycles(mnemonic: str, architecture: str, subgroup_size: int) -> float:
    """Cycles one wave's instruction keeps its SIMD from issuing another vector instruction.

    Scalar instructions and branches issue alongside the vectors of other waves: none.
    """
    table = _GCN if architecture.startswith("GCN") else _RDNA
    cycles = table.get(unit(mnemonic), 0.0)
    return cycles / 2 if table is _RDNA and subgroup_size == 32 else cycles
