"""Compile-only targets of other vendors: a worker per chip, which a whole process stands for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING

from shaderlab.gpu import drivers
from shaderlab.gpu.compilers import discovery, families
from shaderlab.gpu.compilers.discovery import Answers, VendorTarget
from shaderlab.workers.background import in_background
from shaderlab.workers.supervisor.client import Client
from shaderlab.workers.supervisor.limits import Limits

if TYPE_CHECKING:
    from shaderlab.frontend.program import Program
    from shaderlab.gpu.compilers.compiled import VendorStats

_START_S = 2.0
"""More to wait for a child's start, for each other one."""


def available() -> Future[Answers]:
    """What the compilers here compile for; its exception is NoVulkan without any."""
    return in_background(discovery.available, "discovery of vendors' targets")


def choose(targets: Iterable[VendorTarget], wanted: Iterable[str]) -> tuple[VendorTarget, ...]:
    """The targets named by slug, chip, product or vendor.  Raises UnknownTarget."""
    by_slug = {target.family.slug: target for target in targets}
    chosen = families.choose((t.family for t in by_slug.values()), wanted)
    return tuple(by_slug[family.slug] for family in chosen)


class VendorServer:
    """Runs in the child.  Vulkan is loaded here and nowhere above."""

    def __init__(self, target: VendorTarget):
        drivers.select(target.icd)
        from shaderlab.gpu.compilers import compiler

        self._compiler = compiler.VendorCompiler(target)

    def compile(self, program: Program) -> VendorStats:
        return self._compiler.compile(program)


class VendorWorker(Client[VendorServer]):
    """One chip's compiler."""

    def __init__(
        self,
        target: VendorTarget,
        limits: Limits | None = None,
        *,
        start_s: float | None = None,
        low_priority: bool = False,
    ):
        super().__init__(
            VendorServer,
            target,
            name=f"compiler for {target.family.slug}",
            limits=limits or Limits(),
            start_s=start_s,
            low_priority=low_priority,
            environment=target.environment,
        )
        self.target = target

    def compile(self, program: Program) -> Future[VendorStats]:
        """Beside supervision's errors, the future carries UnsupportedShader."""
        doing = f"compiling {program.name} for {self.target.family.slug}"
        return self._request(VendorServer.compile, self.limits.compile, doing)(program)


class VendorWorkers:
    """Compiles for many chips side by side, each in its own child.

    A child starts with the first request for its chip, or with `start`.  A shader one compiler
    chokes on costs that child alone; the others go on.
    """

    def __init__(
        self,
        targets: Sequence[VendorTarget],
        limits: Limits | None = None,
        *,
        low_priority: bool = False,
    ):
        self.targets = tuple(targets)
        limits = limits or Limits()
        # All children may start at once, and share what cores there are.
        start_s = limits.start + _START_S * len(self.targets)
        self._workers = {
            target.family.slug: VendorWorker(
                target, limits, start_s=start_s, low_priority=low_priority
            )
            for target in self.targets
        }

    def start(self) -> None:
        """Bring children up without waiting for them."""
        for worker in self._workers.values():
            worker.start()

    @property
    def replacements(self) -> int:
        """Children killed or found dead so far."""
        return sum(worker.replacements for worker in self._workers.values())

    def compile(
        self, program: Program, slugs: Iterable[str] | None = None
    ) -> dict[str, Future[VendorStats]]:
        """By slug, in the order of `targets`: what each chip's compiler made of it."""
        chosen = self._workers if slugs is None else slugs
        return {slug: self._workers[slug].compile(program) for slug in chosen}

    def abandon(self, requests: Mapping[str, Future]) -> None:
        """Give up what `compile` returned, where it is not done; those futures fail: Abandoned."""
        for slug, request in requests.items():
            if not request.cancel():
                self._workers[slug].abandon(request)

    def close(self) -> None:
        """End the children."""
        for worker in self._workers.values():
            worker.close()
