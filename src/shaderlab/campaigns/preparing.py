"""Compiling ahead: the next shaders become programs in children while the device is busy."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator
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
)
from shaderlab.frontend.program import Dialect, Program
from shaderlab.workers.supervision import Supervisor

log = logging.getLogger(__name__)

_START_S = 60.0
_COMPILE_S = 60.0


@dataclass(frozen=True)
class Prepared:
    """A compiled shader."""

    program: Program
    optimized: Program | None
    """The same after `spirv-opt -O`; None where that tool is missing or fails on it."""


class Preparation:
    """Compiles shaders in the given order, `ahead` of the one asked for.  A context manager."""

    def __init__(
        self,
        *,
        optimize: bool = True,
        workers: int = 1,
        ahead: int = 4,
        held: bool = False,
        counted: frozenset[str] = frozenset(),
    ):
        """`held`: while a shader is out, nothing is compiled before `go_on`, and then one ahead:
        a device that draws with the same cores would be slowed down by it.
        `counted`: digests of programs that need no optimised sibling, their counts being known."""
        self._optimize = optimize
        self._ahead = 1 if held else ahead
        self._held = held
        self._pending_step: Callable[[], None] | None = None
        self._supervisors = [
            Supervisor(
                "shaderlab.campaigns.preparing:Preparer",
                (counted,),
                name=f"compiler {number + 1}",
                start_deadline_s=_START_S,
            )
            for number in range(workers)
        ]

    def each(self, shaders: Iterable[Shader]) -> Iterator[tuple[Shader, Prepared | ShaderlabError]]:
        """Every shader with what it compiled to, or why it did not."""
        left = enumerate(shaders)
        pending: deque[tuple[Shader, Future[Prepared]]] = deque()

        def submit(number: int, shader: Shader) -> None:
            supervisor = self._supervisors[number % len(self._supervisors)]
            pending.append(
                (
                    shader,
                    supervisor.submit(
                        "prepare",
                        shader,
                        self._optimize,
                        deadline_s=_COMPILE_S,
                        doing=f"compiling {shader.name}",
                    ),
                )
            )

        def submit_next() -> None:
            for number, following in islice(left, 1):
                submit(number, following)

        for number, shader in islice(left, self._ahead):
            submit(number, shader)
        while pending:
            shader, future = pending.popleft()
            error = future.exception()
            self._pending_step = submit_next
            if not self._held:
                self.go_on()
            if error is None:
                yield shader, future.result()
            elif isinstance(error, ShaderlabError):
                yield shader, error
            else:
                raise error
            self.go_on()

    def go_on(self) -> None:
        """Compile the next shader; once for each that is out, more calls do nothing."""
        step, self._pending_step = self._pending_step, None
        if step is not None:
            step()

    def close(self) -> None:
        for supervisor in self._supervisors:
            supervisor.close()

    def __enter__(self) -> Preparation:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Preparer:
    """Runs in the child."""

    def __init__(self, counted: frozenset[str] = frozenset()):
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
        # The text has served; neither the device nor the sample needs it.
        program = replace(program, text="", includes=())
        wanted = optimize and program.digest not in self._counted
        return Prepared(program, _optimized(program) if wanted else None)


def _check(program: Program) -> None:
    """Raise InvalidModule for a module of others that no driver should see.

    A bundle may be measured where there is no validator: there its modules need only parse.
    """
    from shaderlab.frontend import tools

    try:
        tools.validate(program.spirv)
    except MissingTool:
        log.warning("%s is not validated: spirv-val is missing", program.name)
    _ = program.module


def _optimized(program: Program) -> Program | None:
    from shaderlab.frontend import optimizing

    try:
        return optimizing.optimized(program)
    except (CompileFailed, MissingTool, ShaderTimeout, InvalidModule):
        return None
