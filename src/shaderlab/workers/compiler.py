"""The compiler's worker: glslang and SPIRV-Tools run in a child, as libraries where they are."""

from __future__ import annotations

from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING

from shaderlab.workers.supervisor import priority
from shaderlab.workers.supervisor.limits import Limits
from shaderlab.workers.supervisor.supervisor import Supervisor

if TYPE_CHECKING:
    from shaderlab.frontend.program import Program


class CompilerWorker:
    """Compiles in a child of its own; see `frontend.compiler` for the errors its futures carry."""

    def __init__(self, limits: Limits | None = None, *, low_priority: bool = False):
        self._limits = limits or Limits()
        self._supervisor = Supervisor(
            *priority.server("shaderlab.workers.compiler:CompilerServer", (), low_priority),
            name="compiler",
            start_deadline_s=self._limits.start,
            memory_bytes=self._limits.memory_bytes,
        )

    def set_limits(self, limits: Limits) -> None:
        """Hold requests made from now on to these."""
        self._limits = limits
        self._supervisor.memory_bytes = limits.memory_bytes

    def start(self) -> None:
        self._supervisor.start()

    def compile(self, text: str, name: str, folder: Path | None) -> Future[Program]:
        """Compile `text`; includes are looked up relative to `folder`."""
        return self._submit("compile", text, name, folder, doing=f"compiling {name}")

    def load(self, path: Path) -> Future[Program]:
        """Read and compile a file of any dialect."""
        return self._submit("load", path, doing=f"compiling {path.name}")

    def disassemble(self, program: Program) -> Future[str]:
        """SPIR-V assembly text of the program's module."""
        return self._submit("disassemble", program.spirv, doing=f"disassembling {program.name}")

    def optimize(self, program: Program) -> Future[Program]:
        """The program after `spirv-opt -O` (`frontend.optimizing`)."""
        return self._submit("optimize", program, doing=f"optimising {program.name}")

    def inline(self, program: Program) -> Future[Program]:
        """The program with every call inlined (`frontend.inlining`)."""
        return self._submit("inline", program, doing=f"inlining {program.name}")

    @property
    def pid(self) -> int | None:
        return self._supervisor.pid

    @property
    def replacements(self) -> int:
        return self._supervisor.replacements

    def abandon(self, request: Future) -> bool:
        """Give up a request that is under way; whether it was.  Its future fails: Abandoned."""
        return self._supervisor.abandon(request)

    def close(self, *, wait: bool = True) -> None:
        """End the child; with `wait` until it is gone."""
        self._supervisor.close(wait=wait)

    def _submit(self, method: str, *arguments: object, doing: str) -> Future:
        return self._supervisor.submit(
            method,
            *arguments,
            deadline_s=self._limits.compile,
            doing=doing,
            remedy="Look for macros that expand into each other, and for very large arrays.",
        )


class CompilerServer:
    """Runs in the child."""

    def __init__(self) -> None:
        from shaderlab.frontend import compiler, inlining, optimizing
        from shaderlab.frontend.toolchain.choice import toolchain

        self._compiler = compiler
        self._inlining = inlining
        self._optimizing = optimizing
        self._toolchain = toolchain()
        self._toolchain.warm_up()

    def compile(self, text: str, name: str, folder: Path | None) -> Program:
        return self._compiler.compile_text(text, name, folder).identified()

    def load(self, path: Path) -> Program:
        return self._compiler.load_program(path).identified()

    def optimize(self, program: Program) -> Program:
        return self._optimizing.optimized(program).identified()

    def inline(self, program: Program) -> Program:
        return self._inlining.inlined(program)

    def disassemble(self, spirv: bytes) -> str:
        return self._toolchain.disassemble(spirv)
