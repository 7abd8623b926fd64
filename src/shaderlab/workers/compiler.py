"""The compiler's worker: glslang and SPIRV-Tools run in a child, as libraries where they are."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from shaderlab import files
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.reading import RECOGNISED, Reading
from shaderlab.workers.supervisor.client import Client
from shaderlab.workers.supervisor.limits import BACKGROUND_IDLE_S, Limits

if TYPE_CHECKING:
    from shaderlab.frontend.program import Program
    from shaderlab.frontend.source import Source
    from shaderlab.frontend.stage import Stage
    from shaderlab.spirv.analysis.flow_counts import FunctionFlow
    from shaderlab.spirv.analysis.influence import Influence

_P = ParamSpec("_P")
_R = TypeVar("_R")


@dataclass(frozen=True)
class Loaded:
    """A file, or a text, that was compiled."""

    program: Program | None
    error: ShaderlabError | None
    """Why there is none."""
    read: dict[str, str]
    """SHA-256 of the files that decided it, by path; empty of those that were not there."""


class CompilerServer:
    """Runs in the child."""

    def __init__(self) -> None:
        from shaderlab.frontend import binary, compiler, inlining, optimizing, stage_linking
        from shaderlab.frontend.toolchain.choice import toolchain
        from shaderlab.scene import defaults

        self._compiler = compiler
        self._binary = binary
        self._decisions = defaults.decisions
        self._inlining = inlining
        self._linked = stage_linking.linked
        self._optimizing = optimizing
        self._toolchain = toolchain()
        self._toolchain.warm_up()

    def compile(self, text: str, name: str, folder: Path | None, reading: Reading) -> Program:
        return self._compiler.compile_text(text, name, folder, reading).identified()

    def load(self, path: Path, reading: Reading) -> Program:
        return self._compiler.load_program(path, reading).identified()

    def load_noting(self, path: Path, reading: Reading) -> Loaded:
        return _noting(lambda: self.load(path, reading))

    def compile_noting(self, text: str, name: str, folder: Path | None, reading: Reading) -> Loaded:
        return _noting(lambda: self.compile(text, name, folder, reading))

    def vertex(
        self,
        shader: str | Path,
        name: str,
        folder: Path | None,
        reading: Reading,
        fragment: Program,
    ) -> Loaded:
        def made() -> Program:
            if isinstance(shader, Path):
                stage = self._compiler.load_program(shader, reading)
            else:
                stage = self._compiler.compile_text(shader, name, folder, reading)
            return self._linked(stage, fragment).identified()

        return _noting(made)

    def entry_points(
        self, shader: str | Path, name: str, folder: Path | None, reading: Reading
    ) -> tuple[str, ...]:
        return self._compiler.entry_points(shader, name, folder, reading)

    def load_module(self, spirv: bytes, name: str, stage: Stage, entry: str) -> Program:
        return self._binary.load(spirv, name, stage, entry).identified()

    def optimize(self, program: Program) -> Program:
        return self._optimizing.optimized(program).identified()

    def unroll(self, program: Program) -> Program:
        return self._optimizing.unrolled(program).identified()

    def inline(self, program: Program) -> Program:
        return self._inlining.inlined(program)

    def versions(self) -> tuple[str, ...]:
        from shaderlab.frontend.toolchain import choice

        return choice.named_versions()

    def influence(self, program: Program) -> Influence:
        return self._decisions(program)

    def flows(self, program: Program) -> tuple[FunctionFlow, ...]:
        from shaderlab.spirv.analysis.flow_counts import function_flows

        return function_flows(program.module, program.entry())

    def disassemble(self, spirv: bytes) -> str:
        return self._toolchain.disassemble(spirv)

    def function_texts(self, spirv: bytes) -> dict[int, str]:
        from shaderlab.spirv.assembly_text import function_texts

        return function_texts(self._toolchain.disassemble(spirv))


def _noting(compiled: Callable[[], Program]) -> Loaded:
    with files.noting() as read:
        try:
            return Loaded(compiled(), None, read)
        except ShaderlabError as error:
            return Loaded(None, error.with_traceback(None), read)


class CompilerWorker(Client[CompilerServer]):
    """Compiles in its own child; see `frontend.compiler` for the errors its futures carry."""

    def __init__(self, limits: Limits | None = None, *, low_priority: bool = False):
        super().__init__(
            CompilerServer,
            name="compiler",
            limits=limits or Limits(),
            low_priority=low_priority,
            idle_s=BACKGROUND_IDLE_S if low_priority else None,
        )

    def compile(
        self, text: str, name: str, folder: Path | None, reading: Reading = RECOGNISED
    ) -> Future[Program]:
        """Compile `text`; includes are looked up relative to `folder`."""
        return self._ask(CompilerServer.compile, f"compiling {name}")(text, name, folder, reading)

    def load(self, path: Path, reading: Reading = RECOGNISED) -> Future[Program]:
        """Read and compile a file of any dialect."""
        return self._ask(CompilerServer.load, f"compiling {path.name}")(path, reading)

    def load_noting(self, path: Path, reading: Reading = RECOGNISED) -> Future[Loaded]:
        """The same, with what it follows from."""
        return self._ask(CompilerServer.load_noting, f"compiling {path.name}")(path, reading)

    def compile_noting(self, source: Source) -> Future[Loaded]:
        """The same of a text, or of the module that lies at its path."""
        if source.path is not None:
            return self.load_noting(source.path, source.reading)
        ask = self._ask(CompilerServer.compile_noting, f"compiling {source.name}")
        return ask(source.text, source.name, source.folder, source.reading)

    def vertex(self, source: Source, fragment: Program) -> Future[Loaded]:
        """A vertex shader as the fragment stage needs it (`frontend.stage_linking`), with what it
        follows from."""
        ask = self._ask(CompilerServer.vertex, f"compiling {source.name}")
        return ask(*source.as_read, fragment)

    def entry_points(
        self, shader: str | Path, name: str, folder: Path | None, reading: Reading
    ) -> Future[tuple[str, ...]]:
        """Functions that the stage of a text, or of the module at a path, may begin with."""
        ask = self._ask(CompilerServer.entry_points, f"reading {name}")
        return ask(shader, name, folder, reading)

    def load_module(self, spirv: bytes, name: str, stage: Stage, entry: str) -> Future[Program]:
        """A module that lies in no file of its own."""
        return self._ask(CompilerServer.load_module, f"reading {name}")(spirv, name, stage, entry)

    def flows(self, program: Program) -> Future[tuple[FunctionFlow, ...]]:
        """Control flow of the functions that the program's entry point reaches."""
        return self._ask(CompilerServer.flows, f"reading {program.name}")(program)

    def function_texts(self, program: Program) -> Future[dict[int, str]]:
        """SPIR-V assembly of each function, by the label of its first block."""
        ask = self._ask(CompilerServer.function_texts, f"disassembling {program.name}")
        return ask(program.spirv)

    def disassemble(self, program: Program) -> Future[str]:
        """SPIR-V assembly text of the program's module."""
        ask = self._ask(CompilerServer.disassemble, f"disassembling {program.name}")
        return ask(program.spirv)

    def versions(self) -> Future[tuple[str, ...]]:
        """Names and versions of what compiles and optimises."""
        return self._ask(CompilerServer.versions, "reading the compilers' versions")()

    def influence(self, program: Program) -> Future[Influence]:
        """What each input of the program decides (`scene.defaults`)."""
        return self._ask(CompilerServer.influence, f"analysing {program.name}")(program)

    def optimize(self, program: Program) -> Future[Program]:
        """The program after `spirv-opt -O` (`frontend.optimizing`)."""
        return self._ask(CompilerServer.optimize, f"optimising {program.name}")(program)

    def unroll(self, program: Program) -> Future[Program]:
        """The same with loops of constant bounds unrolled."""
        return self._ask(CompilerServer.unroll, f"unrolling the loops of {program.name}")(program)

    def inline(self, program: Program) -> Future[Program]:
        """The program with every call inlined (`frontend.inlining`)."""
        return self._ask(CompilerServer.inline, f"inlining {program.name}")(program)

    def _ask(
        self, method: Callable[Concatenate[CompilerServer, _P], _R], doing: str
    ) -> Callable[_P, Future[_R]]:
        remedy = "Look for macros that expand into each other, and for very large arrays."
        return self._request(method, self.limits.compile, doing, remedy)
