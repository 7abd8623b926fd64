"""Compile-only AMD targets: a worker per family, since a family is chosen by the environment."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING

from shaderlab import locations
from shaderlab.gpu import drivers
from shaderlab.gpu.radv import discovery, families
from shaderlab.gpu.radv.discovery import CompiledTarget
from shaderlab.workers.background import in_background
from shaderlab.workers.supervisor.client import Client
from shaderlab.workers.supervisor.limits import Limits

if TYPE_CHECKING:
    from shaderlab.frontend.program import Program
    from shaderlab.gpu.radv.compiled import CompiledStats

_START_S = 2.0
"""More to wait for a child's start, for each other one."""


def available() -> Future[tuple[CompiledTarget, ...]]:
    """The families this machine compiles for; its exception is NoVulkan without RADV."""
    return in_background(discovery.available, "AMD target discovery")


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


class _FamilyWorker(Client[CompiledServer]):
    def __init__(
        self, target: CompiledTarget, limits: Limits, start_s: float, *, low_priority: bool
    ):
        super().__init__(
            CompiledServer,
            target,
            name=f"compiler for {target.family.slug}",
            limits=limits,
            start_s=start_s,
            low_priority=low_priority,
        )
        self._slug = target.family.slug

    def compile(self, program: Program) -> Future[CompiledStats]:
        doing = f"compiling {program.name} for {self._slug}"
        return self._request(CompiledServer.compile, self.limits.compile, doing)(program)

    def program(self, program: Program) -> Future[Program]:
        doing = f"compiling {program.name} for {self._slug}"
        return self._request(CompiledServer.program, self.limits.compile, doing)(program)


class CompiledWorkers:
    """Compiles for many families side by side, each in its own child.

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
        limits = limits or Limits()
        # All children may start at once, and share what cores there are.
        start_s = limits.start + _START_S * len(self.targets)
        self._workers = {
            target.family.slug: _FamilyWorker(target, limits, start_s, low_priority=low_priority)
            for target in self.targets
        }

    def start(self, slugs: Iterable[str] | None = None) -> None:
        """Bring children up without waiting for them."""
        for slug in self._workers if slugs is None else slugs:
            self._workers[slug].start()

    def set_limits(self, limits: Limits) -> None:
        """Hold requests made from now on to these."""
        for worker in self._workers.values():
            worker.set_limits(limits)

    @property
    def pids(self) -> set[int]:
        """Process ids of the children there are."""
        return {pid for worker in self._workers.values() for pid in worker.pids}

    @property
    def replacements(self) -> int:
        """Children killed or found dead so far."""
        return sum(worker.replacements for worker in self._workers.values())

    def compile(
        self, program: Program, slugs: Iterable[str] | None = None
    ) -> dict[str, Future[CompiledStats]]:
        """By slug, in the order of `targets`: what the compiler of each family made of it.

        Beside supervision's ShaderTimeout and DeviceLost, futures carry UnsupportedShader.
        """
        chosen = self._workers if slugs is None else slugs
        return {slug: self._workers[slug].compile(program) for slug in chosen}

    def program(self, program: Program, slug: str) -> Future[Program]:
        """What the compiler of one family leaves of it, to be run and counted.

        Futures carry what those of `compile` do, and what `gpu.radv.compiled_program` raises.
        """
        return self._workers[slug].program(program)

    def abandon(self, requests: Mapping[str, Future]) -> None:
        """Give up what `compile` returned, where it is not done; those futures fail: Abandoned."""
        for slug, request in requests.items():
            if not request.cancel():
                self._workers[slug].abandon(request)

    def close(self) -> None:
        """End the children."""
        for worker in self._workers.values():
            worker.close()
