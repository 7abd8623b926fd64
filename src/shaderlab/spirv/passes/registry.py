"""The passes over a module, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from shaderlab.spirv.module import Module
from shaderlab.spirv.passes.atomic_counting import instrument_atomic
from shaderlab.spirv.passes.counting import instrument
from shaderlab.spirv.passes.exactness import exact
from shaderlab.spirv.passes.recording import record
from shaderlab.spirv.passes.zeroing import zeroed


class Pass(NamedTuple):
    """One way to rewrite a fragment shader's module."""

    name: str
    summary: str
    apply: Callable[[Module, str], bytes]
    """The rewritten module for a module and its entry point's name; raises InvalidModule."""


PASSES = {
    entry.name: entry
    for entry in (
        Pass(
            "count",
            "count blocks per pixel, as `trace` does; other counts follow from conservation of "
            "flow",
            lambda module, name: instrument(module, name).spirv,
        ),
        Pass(
            "count-every-block",
            "the same, with a counter in every block",
            lambda module, name: instrument(module, name, every_block=True).spirv,
        ),
        Pass(
            "count-atomic-64",
            "count with 64-bit atomics, as ShaderPerFormer does",
            lambda module, name: instrument_atomic(module, name, bits=64).spirv,
        ),
        Pass(
            "count-atomic-32",
            "the same with sharded pairs of 32-bit atomics",
            lambda module, name: instrument_atomic(module, name, bits=32).spirv,
        ),
        Pass(
            "zero-undefined",
            "start uninitialised variables at zero",
            lambda module, _: zeroed(module),
        ),
        Pass(
            "record-values",
            "record what the variables of every line hold in one pixel",
            lambda module, name: record(module, name, None, early=False).spirv,
        ),
        Pass(
            "exact",
            "forbid the driver to reorder or contract floating-point arithmetic",
            lambda module, _: exact(module),
        ),
    )
}
