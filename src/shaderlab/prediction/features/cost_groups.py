"""What a kind of work is bound by on a GPU, in the words of someone who wants to save it.

Other than `kind_groups`, whose groups share a price correction, these do not set apart work that is
the same for all pixels: it is still arithmetic, or memory.
"""

from __future__ import annotations

import re
from functools import lru_cache

from shaderlab.prediction.features.kind_groups import TRANSCENDENTAL
from shaderlab.prediction.features.kinds import OTHER
from shaderlab.spirv.analysis.dependency_chains import CHAIN

LATENCY, OTHERS = "dependency latency", "other"
COST_GROUPS = (
    "arithmetic",
    "transcendental",
    "memory",
    "texture",
    "control",
    "conversion",
    LATENCY,
    OTHERS,
)

_PATTERNS = (
    ("texture", re.compile(r"OpImage|OpSampled|OpDPd|OpFwidth")),
    ("memory", re.compile(r"OpLoad|OpStore|OpAccessChain|OpCopyMemory|OpAtomic")),
    (
        "conversion",
        re.compile(
            r"OpConvert|Op[FSU]Convert|OpBitcast|OpQuantize|OpComposite|OpVector(Shuffle|Extract"
            r"|Insert)|OpTranspose|OpCopy|Pack|Unpack"
        ),
    ),
    (
        "control",
        re.compile(
            r"OpBranch|OpSwitch|OpReturn|OpKill|OpFunction|OpPhi|OpLogical|OpSelect|OpAny|OpAll"
            r"|OpF(Ord|Unord)|Op[ISU](Less|Greater|Equal|NotEqual)|OpIs|OpUnreachable"
            r"|OpTerminate|OpLoop"
        ),
    ),
    (
        "arithmetic",
        re.compile(r"Op[FISU][A-Z]|OpDot|OpMatrix|OpVectorTimes|OpOuter|OpShift|OpBit|OpNot"),
    ),
)


@lru_cache(maxsize=8192)
def cost_group_of(kind: str) -> str:
    """The group of a kind such as `varying:OpFMul`; one of `COST_GROUPS`."""
    if kind == OTHER:
        return OTHERS
    if kind.startswith(CHAIN):
        return LATENCY
    name = kind.split(":")[1]
    found = next((group for group, pattern in _PATTERNS if pattern.match(name)), None)
    if found or name.startswith("Op"):
        return found or OTHERS
    return "transcendental" if name in TRANSCENDENTAL else "arithmetic"
