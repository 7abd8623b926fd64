"""A module's identity as far as its execution goes: names, lines and source text left out."""

from __future__ import annotations

import hashlib

import numpy as np

from shaderlab.spirv.module import Module

# Debug instructions (SPIR-V §3.49.2 and §3.49.3 of the unified specification, by opcode).
_OP_SOURCE_CONTINUED, _OP_SOURCE, _OP_SOURCE_EXTENSION, _OP_NAME, _OP_MEMBER_NAME = 2, 3, 4, 5, 6
_OP_STRING, _OP_LINE, _OP_NO_LINE, _OP_MODULE_PROCESSED = 7, 8, 317, 330
_DEBUG = (
    _OP_SOURCE_CONTINUED,
    _OP_SOURCE,
    _OP_SOURCE_EXTENSION,
    _OP_NAME,
    _OP_MEMBER_NAME,
    _OP_STRING,
    _OP_LINE,
    _OP_NO_LINE,
    _OP_MODULE_PROCESSED,
)


def fingerprint(module: Module) -> str:
    """SHA-256, hex, of the instructions that do something.

    Two texts that differ in comments, white space or the names of variables alone have the same:
    ids stay as the module has them, and a compiler gives them out in the order of the code.
    """
    kept = ~np.isin(module.opcodes, _DEBUG)
    lengths = np.diff(module.starts)
    words = module.words[module.starts[0] :][np.repeat(kept, lengths)]
    return hashlib.sha256(words.astype("<u4").tobytes()).hexdigest()
