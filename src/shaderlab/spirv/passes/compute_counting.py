"""Counting how often every basic block of a compute shader runs, per invocation.

As `counting` does for pixels: private counters, stored once where an invocation ends.  Invocations
are numbered by workgroup, then within it; those outside the window that the header names share one
place more, so that a large launch is counted window by window.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from shaderlab.errors import InvalidModule
from shaderlab.spirv.analysis.cfg import reachable_functions
from shaderlab.spirv.grammar import GLSL_STD_450, BuiltIn, ExecutionModel, Op, StorageClass
from shaderlab.spirv.module import EntryPoint, Module, printable
from shaderlab.spirv.passes.counting import Instrumented, instrument_at
from shaderlab.spirv.passes.instrumentation import built_in
from shaderlab.spirv.passes.places import Body, Places
from shaderlab.spirv.passes.rewriting import Rewriter
from shaderlab.spirv.reflection import Descriptor
from shaderlab.spirv.reflection import entry_point as found_entry
from shaderlab.spirv.warps import GROUP_HEIGHT, GROUP_WIDTH, LANES

HEADER_WORDS = 5
"""uint32 words before the counters: first invocation, invocations in the window, invocations of a
workgroup, workgroups along x and along y; where loops are bounded, one more: the rounds that each
invocation may go (`guarding`)."""

_UMIN = next(code for code, name in GLSL_STD_450.items() if name == "UMin")


def compute_entry(module: Module, name: str) -> EntryPoint:
    """The compute entry point of that name.  Raises InvalidModule."""
    entry = found_entry(module, name, ExecutionModel.GLCompute)
    if entry is None:
        raise InvalidModule(f'the module has no compute entry point "{printable(name)}"')
    return entry


def instrument_compute(
    module: Module,
    entry_point: str,
    *,
    every_block: bool = False,
    alone: int | None = None,
    taken: Iterable[Descriptor] = (),
    described: Module | None = None,
) -> Instrumented:
    """Make a compute shader count its blocks.  `alone`, `taken`: as `counting.instrument`.

    `described`: the module whose instructions its blocks stand for, if not `module` itself, which
    may have more instructions in them.

    The buffer has `header_words + counters * (window + 1)` words: word `c` of the window's
    invocation `i` lies at `header_words + c * (window + 1) + i`.  Raises InvalidModule.
    """
    entry = compute_entry(module, entry_point)
    functions = reachable_functions(module, entry)
    places = _Invocations(entry)
    return instrument_at(
        module,
        functions,
        places,
        every_block=every_block,
        alone=alone,
        taken=taken,
        described=described,
    )


class _Invocations(Places):
    """The places of a window of invocations."""

    header_words = HEADER_WORDS

    def declare(self, rewriter: Rewriter) -> list[int]:
        uint = rewriter.type(Op.TypeInt, 32, 0)
        vector = rewriter.type(Op.TypeVector, uint, 3)
        self._group = built_in(rewriter, self.entry, BuiltIn.WorkgroupId, vector)
        self._local = built_in(rewriter, self.entry, BuiltIn.LocalInvocationIndex, uint)
        return [self._group.variable, self._local.variable]

    def place(self, rewriter: Rewriter, body: Body) -> tuple[int, int]:
        uint = body.uint
        pointer = rewriter.pointer(StorageClass.Input, self._group.component)

        def group(axis: int) -> int:
            at = body.emit(Op.AccessChain, pointer, self._group.variable, body.constant(axis))
            return body.unsigned(
                body.emit(Op.Load, self._group.component, at), self._group.component
            )

        def multiplied(one: int, other: int, more: int) -> int:
            return body.emit(Op.IAdd, uint, body.emit(Op.IMul, uint, one, other), more)

        row = multiplied(group(2), body.header(4), group(1))
        number = multiplied(row, body.header(3), group(0))
        kind = self._local.component
        local = body.unsigned(body.emit(Op.Load, kind, self._local.variable), kind)
        invocation = multiplied(number, body.header(2), local)
        within = body.emit(Op.ISub, uint, invocation, body.header(0))
        glsl = rewriter.import_set("GLSL.std.450")
        kept = body.emit(Op.ExtInst, uint, glsl, _UMIN, within, body.header(1))
        place = body.emit(Op.IAdd, uint, kept, body.constant(self.words))
        return place, body.emit(Op.IAdd, uint, body.header(1), body.constant(1))


def by_warps(raw: np.ndarray, per_group: int) -> np.ndarray:
    """Raw counters (counters, invocations) as `Instrumented.lane_groups` takes them.

    Each 32 consecutive invocations of a workgroup run in step, and stand where the pixels of an
    8x4 group would; a workgroup's last warp is filled up with zeros.
    """
    counters = len(raw)
    split = raw.reshape(counters, -1, per_group)
    if per_group % LANES:
        split = np.pad(split, ((0, 0), (0, 0), (0, -per_group % LANES)))
    warps = split.reshape(counters, -1, GROUP_HEIGHT, GROUP_WIDTH)
    return warps.transpose(0, 2, 1, 3).reshape(counters, GROUP_HEIGHT, -1)
