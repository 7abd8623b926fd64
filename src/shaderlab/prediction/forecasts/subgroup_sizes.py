"""How far a target's subgroups differ from those that were counted."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from shaderlab.frontend.program import Program
from shaderlab.prediction.catalogue.targets import Target
from shaderlab.scene.defaults import decisions, subgroup_sentence
from shaderlab.spirv.passes.subgroups import uses_subgroups
from shaderlab.spirv.trace import Trace

_LEAST, _MOST = 4, 64
"""Invocations of a subgroup: of SwiftShader, and of some GPUs."""
_DEVICES = {"llvmpipe": (8, 8), "swiftshader": (4, 4)}
_RDNA = re.compile(r"Radeon RX [5-9]\d{3}")
_GCN = re.compile(r"Renoir|Vega|Radeon RX \d{3}\b")


class SubgroupSizes(NamedTuple):
    """Of a target, where they decide what runs of a program."""

    factor: float
    """By which counts may differ at most, up or down; 1 where they do not."""
    sentences: tuple[str, ...]
    """What to say of it; none where they do not differ."""


SAME = SubgroupSizes(1.0, ())


def subgroup_sizes(target: Target, program: Program | None, trace: Trace) -> SubgroupSizes:
    """How a target's subgroups compare with those of the trace."""
    if program is None or not _decide(program):
        return SAME
    counted = trace.subgroup
    if counted is None:
        return SubgroupSizes(_MOST / _LEAST, subgroup_sentence(program, None))
    known = _sizes(target)
    least, most = known or (_LEAST, _MOST)
    factor = max(most / counted, counted / least)
    if factor == 1.0:
        return SAME
    said = "this target may have others"
    if known:
        between = " or " if most == 2 * least else " to "
        said = f"this target has {least}{f'{between}{most}' if most > least else ''}"
    return SubgroupSizes(factor, subgroup_sentence(program, counted, said))


@lru_cache(maxsize=4)  # every target asks
def _decide(program: Program) -> bool:
    """Whether what runs of a program depends on subgroups: few have any to begin with."""
    return uses_subgroups(program.module) and decisions(program).subgroup is not None


def _sizes(target: Target) -> tuple[int, int] | None:
    """Least and most invocations of a subgroup of a compute shader; None where unknown.

    A warp of NVIDIA has 32.  GCN has waves of 64; RDNA of 32 or 64, as its compiler chooses (RADV
    takes 64 for compute shaders by default).  Intel's compiler chooses 8, 16 or 32.
    """
    card = target.card.target
    if target.device in _DEVICES:
        return _DEVICES[target.device]
    if card.vendor == "NVIDIA":
        return 32, 32
    if card.vendor == "Intel":
        return 8, 32
    if card.vendor == "AMD":
        return (64, 64) if _GCN.search(card.name) and not _RDNA.search(card.name) else (32, 64)
    return None
