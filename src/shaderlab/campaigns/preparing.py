"""Shaders become programs: one in the process that asks, many in children."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, replace
from itertools import islice

from shaderlab.campaigns.corpus import Shader
from shaderlab.errors import (
    CompileFailed,
    InvalidModule,
    MissingTool,
    ShaderlabError,
    ShaderTimeout,
    UnsupportedShader,
)
from shaderlab.frontend.program import Dialect, Program
from shaderlab.frontend.stage import Stage
from shaderlab.workers.supervisor.client import Client

log = logging.getLogger(__name__)

_START_S = 60.0
COMPILE_S = 60.0
"""Compiling a shader is stopped after this, seconds."""
_AHEAD = 2
"""Shaders given to a child before the first of them is taken."""


@dataclass(frozen=True)
class Prepared:
    """A compiled shader."""

    program: Program
    optimized: Program | None
    """The same after `spirv-opt -O`; None where that tool is missing or fails on it."""


class Preparer:
    """Compiles in this process, which is a child: what it is given may end it."""

    def __init__(self, counted: frozenset[str] = frozenset()):
        """`counted`: digests of programs that need no optimised form: its counts are known."""
        self._counted = counted

    def prepare(self, shader: Shader, optimize: bool) -> Prepared:
        """Raises what the frontend raises, and InvalidModule for a bundle's broken module."""
        if shader.program is not None:
            program = shader.program
            _check(program)
            if shader.optimized is None:
                return Prepared(program, None)
            optimized = replace(program, spirv=shader.optimized, dialect=Dialect.SPIRV)
            _check(optimized)
            return Prepared(program, optimized)
        from shaderlab.frontend import compiler

        if shader.path is not None:
            program = compiler.load_program(shader.path)
        else:
            program = compiler.compile_text(shader.text or "", shader.name, None)
        if program.stage not in (Stage.FRAGMENT, Stage.COMPUTE):
            stage = program.stage.shown
            raise UnsupportedShader(
                f"campaigns measure fragment and compute shaders, not {stage} shaders"
            )
        # The text has served; neither the device nor the sample needs it.
        program = replace(program, text="", includes=())
        wanted = optimize and program.digest not in self._counted
        return Prepared(program, _optimized(program) if wanted else None)


class _PreparingWorker(Client[Preparer]):
    def __init__(self, number: int):
        name = f"compiler {number}"
        super().__init__(Preparer, name=name, limits=None, start_s=_START_S, patient=True)

    def prepare(self, shader: Shader, optimize: bool) -> Future[Prepared]:
        ask = self._request(Preparer.prepare, COMPILE_S, f"compiling {shader.name}")
        return ask(shader, optimize)


class Preparation:
    """Compiles shaders in the given order in `workers` children.  A context manager."""

    def __init__(self, *, optimize: bool = True, workers: int = 1):
        self._optimize = optimize
        self._workers = [_PreparingWorker(number) for number in range(1, workers + 1)]

    def each(self, shaders: Iterable[Shader]) -> Iterator[tuple[Shader, Prepared | ShaderlabError]]:
        """Every shader with what it compiled to, or why it did not."""
        left = enumerate(shaders)
        pending: deque[tuple[Shader, Future[Prepared]]] = deque()

        def submit(most: int) -> None:
            for number, shader in islice(left, most):
                worker = self._workers[number % len(self._workers)]
                pending.append((shader, worker.prepare(shader, self._optimize)))

        submit(_AHEAD * len(self._workers))
        while pending:
            shader, future = pending.popleft()
            error = future.exception()
            submit(1)
            if error is None:
                yield shader, future.result()
            elif isinstance(error, ShaderlabError):
                yield shader, error
            else:
                raise error

    def close(self) -> None:
        for worker in self._workers:
            worker.close()

    def __enter__(self) -> Preparation:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _check(program: Program) -> None:
    """Raise InvalidModule for a foreign module that no driver should see.

    A bundle may be measured where there is no validator: there its modules need only parse.
    """
    from shaderlab.frontend.toolchain.choice import toolchain

    try:
        toolchain().validate(program.spirv)
    except MissingTool:
        log.warning("%s is not validated: spirv-val is missing", program.name)
    _ = program.module


def _optimized(program: Program) -> Program | None:
    from shaderlab.frontend import optimizing

    try:
        return optimizing.optimized(program)
    except (CompileFailed, MissingTool, ShaderTimeout, InvalidModule):
        return None
