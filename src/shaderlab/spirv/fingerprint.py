"""A module's identity as far as its execution goes: names, lines and source text left out."""

from __future__ import annotations

import hashlib

import numpy as np

from shaderlab.spirv.grammar import Op
from shaderlab.spirv.module import Module

_DEBUG = (
    *(Op.SourceContinued, Op.Source, Op.SourceExtension, Op.Name, Op.MemberName, Op.String),
    *(Op.Line, Op.NoLine, Op.ModuleProcessed),
)
"""Debug instructions (SPIR-V specification §3.52.2) do nothing."""


def fingerprint(module: Module) -> str:
    """SHA-256, hex, of the instructions that do something.

    Two texts that differ in comments, white space or the names of variables alone have the same:
    ids stay as the module has them, and a compiler gives them out in the order of the code.
    """
    kept = ~np.isin(module.opcodes, _DEBUG)
    lengths = np.diff(module.starts)
    words = module.words[module.starts[0] :][np.repeat(kept, lengths)]
    return hashlib.sha256(words.astype("<u4").tobytes()).hexdigest()
