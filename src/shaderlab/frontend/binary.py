"""SPIR-V files: is it SPIR-V, is it valid, does it have a fragment shader."""

from __future__ import annotations

import numpy as np

from shaderlab.errors import InvalidModule
from shaderlab.frontend.program import Dialect, Program
from shaderlab.frontend.toolchain.choice import toolchain
from shaderlab.spirv.module import Module

MAX_BYTES = 16 << 20
"""Largest SPIR-V file."""

_MAGIC = 0x07230203
_FRAGMENT = 4
_EXECUTION_MODELS = {0: "vertex", 1: "tessellation control", 2: "tessellation evaluation",
                     3: "geometry", 5: "compute", 6: "OpenCL kernel"}  # fmt: skip


def is_spirv(data: bytes) -> bool:
    """Whether the first word is SPIR-V's magic number, in either byte order."""
    return data[:4] in (_MAGIC.to_bytes(4, "little"), _MAGIC.to_bytes(4, "big"))


def load(data: bytes, name: str) -> Program:
    """A Program of a SPIR-V file; the first of several fragment entry points.

    Words in big-endian order are swapped.  Raises InvalidModule (with the validator's words, or if
    no entry point is a fragment shader) and MissingTool.
    """
    if len(data) % 4 or len(data) < 20:
        raise InvalidModule(f"{name}: {len(data)} bytes are not a SPIR-V module (truncated?)")
    if data[:4] == _MAGIC.to_bytes(4, "big"):
        data = np.frombuffer(data, ">u4").astype("<u4").tobytes()
    try:
        toolchain().validate(data)
        module = Module.parse(data)
    except InvalidModule as error:
        raise InvalidModule(f"{name}: {error}") from None
    fragments = [entry for entry in module.entry_points if entry.execution_model == _FRAGMENT]
    if not fragments:
        models = {entry.execution_model for entry in module.entry_points}
        held = ", ".join(sorted(_EXECUTION_MODELS.get(m, f"execution model {m}") for m in models))
        raise InvalidModule(
            f"{name}: not a fragment shader"
            + (f" (its entry points are: {held})" if held else " (it has no entry point)")
        )
    return Program(name, Dialect.SPIRV, "", data, fragments[0].name)
