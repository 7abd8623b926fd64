"""Traces of the other forms of a program, which some methods and samples use too."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, closing, contextmanager

from shaderlab.errors import ShaderlabError
from shaderlab.frontend.program import Program
from shaderlab.frontend.stage import Stage
from shaderlab.gpu.compilers.families import REFERENCE
from shaderlab.prediction.forms import Form, OtherForms
from shaderlab.spirv.trace import Trace
from shaderlab.workers import compiled
from shaderlab.workers.compiled import CompiledWorkers
from shaderlab.workers.compiler import CompilerWorker

log = logging.getLogger(__name__)


def trace_other_forms(
    program: Program,
    count: Callable[[Program], Future[Trace]],
    compiler: CompilerWorker,
    forms: Collection[Form] = (Form.OPTIMIZED, Form.COMPILED),
    *,
    needed: Form | None = None,
    radv: CompiledWorkers | None = None,
    failed: Callable[[Form, ShaderlabError], None] | None = None,
) -> OtherForms:
    """The forms of the program available here, with their traces.

    `count` counts a form as the program is.  `radv`: the reference family's compiler, where it runs
    already.  `failed` is called with the reason where a form is missing.  Raises the error that
    makes the `needed` one unavailable.  A compute shader has none: its prices are those of the
    program as written.
    """
    if program.stage is Stage.COMPUTE:
        return {}
    found: dict[Form, tuple[Program, Trace]] = {}
    with ExitStack() as stack:
        makers: dict[Form, Callable[[], Program]] = {
            Form.OPTIMIZED: lambda: compiler.optimize(program).result()
        }
        if Form.COMPILED in forms:
            makers[Form.COMPILED] = stack.enter_context(_left_by_radv(program, radv)).result
        for form in forms:
            try:
                made = makers[form]()
                found[form] = made, count(made).result()
            except ShaderlabError as error:
                if form is needed:
                    raise
                log.info("no trace of the %s program: %s", form, error)
                if failed:
                    failed(form, error)
    return found


@contextmanager
def _left_by_radv(program: Program, running: CompiledWorkers | None) -> Iterator[Future[Program]]:
    """The program as RADV's compiler leaves it, already requested."""
    if running is not None:
        yield running.program(program, REFERENCE)
        return
    try:
        compilers = compiled.of_family(REFERENCE)
    except ShaderlabError as error:
        none: Future[Program] = Future()
        none.set_exception(error)
        yield none
        return
    with closing(compilers):
        yield compilers.program(program, REFERENCE)
