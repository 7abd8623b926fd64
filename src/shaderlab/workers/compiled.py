"""Compile-only AMD targets: a worker per family, since a family is chosen by the environment."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING

from shaderlab import locations
from shaderlab.gpu import drivers
from shaderlab.gpu.radv import discovery, families
from shaderlab.gpu.radv.discovery import CompiledTarget
from shaderlab.workers.supervisor import priority
from shaderlab.workers.supervisor.limits import Limits
from shaderlab.workers.supervisor.supervisor import Supervisor

if TYPE_CHECKING:
    from shaderlab.frontend.program import Program
    from shaderlab.gpu.radv.compiled import CompiledStats

_START_S = 2.0
"""More to wait for a child's start, for each other one."""


def available() -> Future[tuple[CompiledTarget, ...]]:
    """The families this machine compiles for; its exception is NoVulkan without RADV."""
    found: Future[tuple[CompiledTarget, ...]] = Future()

    def run() -> None:
        try:
            found.set_result(discovery.available())
        except Exception as error:
            found.set_exception(error)

    threading.Thread(target=run, name="AMD target discovery", daemon=True).start()
    return found


def choose(
    targets: Iterable[CompiledTarget], wanted: Iterable[str] | None
) -> tuple[CompiledTarget, ...]:
    """The targets named by slug, spelling or chip, all for None.  Raises UnknownTarget."""
    by_slug = {target.family.slug: target for target in targets}
    chosen = families.choose((t.family for t in by_slug.values()), wanted)
    return tuple(by_slug[family.slug] for family in chosen)


def of_family(slug: str, limits: Limits | None = None) -> CompiledWorkers:
    """The compiler of one family, looked for until it is found.

    Raises NoVulkan without RADV, UnknownTarget where that compiles for no such family.
    """
    return CompiledWorkers(choose(available().result(), [slug]), limits)


class CompiledWorkers:
    """Compiles for many families side by side, each in a child of its own.

    A child starts with the first request for its family, or with `start`.  A shader one family's
    compiler chokes on costs that child alone; the others go on.
    """

    def __init__(
        self,
        targets: Sequence[CompiledTarget],
        limits: Limits | None = None,
        *,
        low_priority: bool = False,
    ):
        self.targets = tuple(targets)
        self._limits = limits or Limits()
        # All children may start at once, and share what cores there are.
        start_s = self._limits.start + _START_S * len(self.targets)
        self._supervisors = {
            target.family.slug: Supervisor(
                *priority.server(
                    "shaderlab.workers.compiled:CompiledServer", (target,), low_priority
                ),
                name=f"compiler for {target.family.slug}",
                start_deadline_s=start_s,
                memory_bytes=self._limits.memory_bytes,
            )
            for target in self.targets
        }

    def start(self, slugs: Iterable[str] | None = None) -> None:
        """Bring children up without waiting for them."""
        for slug in self._supervisors if slugs is None else slugs:
            self._supervisors[slug].start()

    def set_limits(self, limits: Limits) -> None:
        """Hold requests made from now on to these."""
        self._limits = limits
        for supervisor in self._supervisors.values():
            supervisor.memory_bytes = limits.memory_bytes

    @property
    def pids(self) -> set[int]:
        """Process ids of the children there are."""
        return {pid for each in self._supervisors.values() if (pid := each.pid) is not None}

    @property
    def replacements(self) -> int:
        """Children killed or found dead so far."""
        return sum(supervisor.replacements for supervisor in self._supervisors.values())

    def compile(
        self, program: Program, slugs: Iterable[str] | None = None
    ) -> dict[str, Future[CompiledStats]]:
        """By slug, in the order of `targets`: what the compiler of each family made of it.

        Beside supervision's ShaderTimeout and DeviceLost, futures carry UnsupportedShader.
        """
        return {
            slug: self._supervisors[slug].submit(
                "compile",
                program,
                deadline_s=self._limits.compile,
                doing=f"compiling {program.name} for {slug}",
            )
            for slug in (self._supervisors if slugs is None else slugs)
        }

    def program(self, program: Program, slug: str) -> Future[Program]:
        """What the compiler of one family leaves of it, to be run and counted.

        Futures carry what those of `compile` do, and what `gpu.radv.compiled_program` raises.
        """
        return self._supervisors[slug].submit(
            "program",
            program,
            deadline_s=self._limits.compile,
            doing=f"compiling {program.name} for {slug}",
        )

    def abandon(self, requests: Mapping[str, Future]) -> None:
        """Give up what `compile` returned, where it is not done; those futures fail: Abandoned."""
        for slug, request in requests.items():
            if not request.cancel():
                self._supervisors[slug].abandon(request)

    def close(self) -> None:
        for supervisor in self._supervisors.values():
            supervisor.close()


class CompiledServer:
    """Runs in the child.  Vulkan is loaded here and nowhere above."""

    def __init__(self, target: CompiledTarget):
        drivers.select(target.manifest, radv_family=target.spelling)
        from shaderlab.gpu.radv import compiled_program, compiler

        cache = locations.user_cache() / "radv" / target.family.slug
        with contextlib.suppress(OSError):
            cache.mkdir(parents=True, exist_ok=True)
        compiler.environment(target.family, cache)
        self._compiler = compiler.FamilyCompiler(target)
        self._left = compiled_program.compiled_program

    def compile(self, program: Program) -> CompiledStats:
        return self._compiler.compile(program)

    def program(self, program: Program) -> Program:
        return self._left(program, self._compiler.compile(program)).identified()
