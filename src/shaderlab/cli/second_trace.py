"""The trace of the optimised program, which some methods and all good samples rest on too."""

from __future__ import annotations

import logging

from shaderlab.errors import ShaderlabError
from shaderlab.frontend import optimizing
from shaderlab.frontend.program import Program
from shaderlab.gpu.uniforms import Uniforms
from shaderlab.spirv.trace import Trace
from shaderlab.workers.device import DeviceWorker

log = logging.getLogger(__name__)


def trace_optimized(
    program: Program, device: DeviceWorker, uniforms: Uniforms
) -> tuple[Program, Trace] | None:
    """The program after `spirv-opt -O` and its trace; None where one has to do without."""
    try:
        smaller = optimizing.optimized(program)
        return smaller, device.trace(smaller, uniforms).result()
    except ShaderlabError as error:
        log.info("no trace of the optimised program: %s", error)
        return None
