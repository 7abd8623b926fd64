"""SPIR-V files: is it SPIR-V, is it valid, does it have a fragment shader."""

from __future__ import annotations

import numpy as np

from shaderlab.errors import InvalidModule
from shaderlab.frontend.kernel_checks import checked
from shaderlab.frontend.program import Diagnostic, Dialect, Program, Severity
from shaderlab.frontend.stage import Stage
from shaderlab.frontend.toolchain.choice import toolchain
from shaderlab.spirv.module import Module, printable

MAX_BYTES = 16 << 20
"""Largest SPIR-V file."""

_MAGIC = 0x07230203
_EXECUTION_MODELS = {stage.execution_model: stage for stage in Stage}
_OTHER_MODELS = {6: "OpenCL kernel", 5267: "task", 5268: "mesh", 5313: "ray generation",
                 5314: "intersection", 5315: "any-hit", 5316: "closest-hit", 5317: "miss",
                 5318: "callable", 5364: "task", 5365: "mesh"}  # fmt: skip


def is_spirv(data: bytes) -> bool:
    """Whether the first word is SPIR-V's magic number, in either byte order."""
    return data[:4] in (_MAGIC.to_bytes(4, "little"), _MAGIC.to_bytes(4, "big"))


def load(
    data: bytes,
    name: str,
    stage: Stage | None = None,
    entry: str = "",
) -> Program:
    """A Program of a SPIR-V file: of the entry point asked for, else of the stage's first.

    Words in big-endian order are swapped.  Without a stage the fragment stage is meant, or the
    compute stage of a module without one.  A module
    that breaks one of Vulkan's rules for SPIR-V alone, as compilers before the rule made them and
    drivers still take them, is loaded with a warning.  Raises
    InvalidModule (with the validator's words, or if there is no such entry point) and MissingTool.
    """
    if len(data) % 4 or len(data) < 20:
        raise InvalidModule(f"{name}: {len(data)} bytes are not a SPIR-V module (truncated?)")
    if data[:4] == _MAGIC.to_bytes(4, "big"):
        data = np.frombuffer(data, ">u4").astype("<u4").tobytes()
    try:
        warnings = _validated(data)
        module = Module.parse(data)
    except InvalidModule as error:
        raise InvalidModule(f"{name}: {error}") from None
    models = {each.execution_model for each in module.entry_points}
    is_compute = Stage.COMPUTE.execution_model in models
    is_fragment = Stage.FRAGMENT.execution_model in models
    wanted = stage or (Stage.COMPUTE if is_compute and not is_fragment else Stage.FRAGMENT)
    of_stage = [e for e in module.entry_points if e.execution_model == wanted.execution_model]
    if not of_stage:
        held = ", ".join(sorted(map(_shown, models)))
        others = [_EXECUTION_MODELS[m].value for m in models if m in _EXECUTION_MODELS]
        way_on = f"; --stage {others[0]} compiles it" if others and stage is None else ""
        raise InvalidModule(
            f"{name}: not a {wanted.shown} shader"
            + (f" (its entry points are: {held}{way_on})" if held else " (it has no entry point)")
        )
    found = [each for each in of_stage if not entry or each.name == entry]
    if not found:
        names = ", ".join(printable(each.name) for each in of_stage)
        raise InvalidModule(f"{name}: no {wanted.shown} entry point {entry}, but: {names}")
    return checked(Program(name, Dialect.SPIRV, "", data, found[0].name, warnings, stage=wanted))


def _validated(data: bytes) -> tuple[Diagnostic, ...]:
    """What the validator has against it by Vulkan's rules alone.  Raises InvalidModule."""
    try:
        toolchain().validate(data)
    except InvalidModule as error:
        if "VUID-" not in str(error):
            raise
        toolchain().validate(data, universal=True)
        message = f"valid SPIR-V, but against one of Vulkan's rules: {error}"
        return (Diagnostic(0, 0, Severity.WARNING, message),)
    return ()


def _shown(model: int) -> str:
    stage = _EXECUTION_MODELS.get(model)
    return stage.shown if stage else _OTHER_MODELS.get(model, f"execution model {model}")
