"""Kinds of operations in groups that a GPU prices alike, so that few samples can correct them."""

from __future__ import annotations

import re

from shaderlab.prediction.features.kinds import OTHER
from shaderlab.spirv.analysis.dependency_chains import CHAIN

GROUPS = (
    "memory",
    "arithmetic",
    "integer",
    "function",
    "transcendental",
    "control",
    "move",
    "texture",
    "not varying",
    "latency",
    "other",
)

TRANSCENDENTAL = frozenset(
    (
        "Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Atan2", "Sinh", "Cosh", "Tanh", "Asinh",
        "Acosh", "Atanh", "Pow", "Exp", "Exp2", "Log", "Log2", "Sqrt", "InverseSqrt", "Normalize",
        "Length", "Distance",
    )
)  # fmt: skip
_PATTERNS = (
    ("texture", re.compile(r"OpImage|OpSampled|OpDPd|OpFwidth")),
    ("memory", re.compile(r"OpLoad|OpStore|OpAccessChain|OpCopy")),
    (
        "control",
        re.compile(
            r"OpBranch|OpSwitch|OpReturn|OpKill|OpFunction|OpPhi|OpLogical|OpSelect|OpAny|OpAll"
            r"|OpF(Ord|Unord)|Op[ISU](Less|Greater|Equal|NotEqual)|OpIs|OpUnreachable"
            r"|OpTerminate|OpLoop|OpSelection"
        ),
    ),
    ("move", re.compile(r"OpComposite|OpVectorShuffle|OpVectorExtract|OpVectorInsert|OpTranspose")),
    ("integer", re.compile(r"Op[ISU][A-Z]|OpShift|OpBit|OpNot|OpConvert")),
    ("arithmetic", re.compile(r"OpF[A-Z]|OpDot|OpMatrix|OpVectorTimes|OpOuter")),
)


def group_of(kind: str) -> str:
    """The group of a kind such as `varying:OpFMul`; one of `GROUPS`.

    Work that does not differ between pixels is a separate group: whether a driver folds or hoists
    it matters more than what it is.
    """
    if kind == OTHER:
        return "other"
    if kind.startswith(CHAIN):
        return "latency"
    level, name, *_ = kind.split(":")
    if level != "varying":
        return "not varying"
    if not name.startswith("Op"):
        return "transcendental" if name in TRANSCENDENTAL else "function"
    return next((group for group, pattern in _PATTERNS if pattern.match(name)), "other")
