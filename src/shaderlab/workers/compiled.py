"""Compile-only targets: a worker per family, which a whole process stands for.

RADV's family and a stand-in's chip are chosen by environment variables of the process.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from shaderlab import locations
from shaderlab.errors import NoVulkan, UnknownTarget, UnsupportedShader
from shaderlab.frontend.stage import Stage
from shaderlab.gpu import drivers
from shaderlab.gpu.compilers import discovery, families
from shaderlab.gpu.compilers.discovery import KEEPING_LOOPS, Answers, CompiledTarget
from shaderlab.gpu.compilers.installed import BUILD, InvalidFolder
from shaderlab.gpu.compilers.vendors import VENDORS
from shaderlab.gpu.radv import discovery as radv_discovery
from shaderlab.workers.background import in_background
from shaderlab.workers.supervisor.client import Client
from shaderlab.workers.supervisor.limits import BACKGROUND_IDLE_S, Limits

if TYPE_CHECKING:
    from shaderlab.frontend.program import Program
    from shaderlab.gpu.compilers.compiled import CompiledStats
    from shaderlab.gpu.compilers.families import Family

_START_S = 2.0
"""More to wait for a child's start, for each other one."""


def available() -> Future[Answers]:
    """What this machine compiles for, AMD's families first; a vendor whose compiler is not here is
    a problem under its slug.  Its exception is NoVulkan where there is none at all."""
    return in_background(_available, "discovery of compiled targets")


def amd() -> Future[tuple[CompiledTarget, ...]]:
    """AMD's families alone, which need no build; its exception is NoVulkan without RADV."""
    return in_background(radv_discovery.available, "AMD target discovery")


def _available() -> Answers:
    try:
        others = discovery.available()
    except (NoVulkan, InvalidFolder) as error:
        lacking = dict.fromkeys((slug for slug in VENDORS if slug != "amd"), str(error))
        others = Answers(None, (), lacking)
    try:
        found, problems = radv_discovery.available(), {}
    except NoVulkan as error:
        found, problems = (), {"amd": str(error)}
    problems |= others.problems
    if (compilers := others.compilers) is not None:
        for slug, vendor in VENDORS.items():
            if vendor.shim and compilers.driver(vendor) is None:
                why = compilers.missing.get(slug)
                problems[slug] = (
                    f"{vendor.driver} was not built: {why}"
                    if why
                    else f"{vendor.driver} is not built; build it with: {BUILD} --only {slug}"
                )
    if not found and not others.targets:
        raise NoVulkan("; ".join(dict.fromkeys(problems.values())))
    return replace(others, targets=(*found, *others.targets), problems=problems)


def choose(
    targets: Iterable[CompiledTarget], wanted: Iterable[str] | None
) -> tuple[CompiledTarget, ...]:
    """The targets named by slug, spelling, chip, product or vendor; all for None.

    Raises UnknownTarget.
    """
    by_slug = {target.family.slug: target for target in targets}
    chosen = families.choose((t.family for t in by_slug.values()), wanted)
    return tuple(by_slug[family.slug] for family in chosen)


def choose_among(answers: Answers, wanted: Iterable[str]) -> tuple[CompiledTarget, ...]:
    """As `choose`.  Raises UnknownTarget, which says why a family that is known is not there."""
    found, lacking = choose_available(answers, wanted)
    if lacking:
        slug, why = next(iter(lacking.items()))
        raise UnknownTarget(f"{slug}: {why}")
    return found


def choose_available(
    answers: Answers, wanted: Iterable[str]
) -> tuple[tuple[CompiledTarget, ...], dict[str, str]]:
    """As `choose`, without families that are known and not there: why each is not, by its slug or
    its vendor's.

    Raises UnknownTarget for a name that no family has.
    """
    there = {target.family.slug for target in answers.targets}
    found: list[str] = []
    lacking: dict[str, str] = {}
    for name in wanted:
        known = families.named(name)
        why = {} if any(f.slug in there for f in known) else _lacking(answers, known)
        lacking |= why
        if not why:
            found.append(name)
    return choose(answers.targets, found), lacking


def _lacking(answers: Answers, known: Sequence[Family]) -> dict[str, str]:
    problems = answers.problems
    vendors = {family.vendor.slug for family in known} if len(known) > 1 else set()
    if whole := {vendor: problems[vendor] for vendor in vendors & problems.keys()}:
        return whole
    why = {f.slug: problems.get(f.slug) or problems.get(f.vendor.slug) for f in known}
    return {slug: each for slug, each in why.items() if each}


def of_family(slug: str, limits: Limits | None = None) -> CompiledWorkers:
    """The compiler of one of AMD's families, looked for until it is found.

    Raises NoVulkan without RADV, UnknownTarget where that compiles for no such family.
    """
    return CompiledWorkers(choose(amd().result(), [slug]), limits)


class CompiledServer:
    """Runs in the child.  Vulkan is loaded here and nowhere above."""

    def __init__(self, target: CompiledTarget):
        if target.family.vendor.slug == "amd":
            drivers.select(target.icd, radv_family=target.spelling)
            from shaderlab.gpu.radv import compiler

            cache = locations.user_cache() / "radv" / target.family.slug
            with contextlib.suppress(OSError):
                cache.mkdir(parents=True, exist_ok=True)
            compiler.environment(target.family, cache)
            self._compiler = compiler.RadvCompiler(target)
        else:
            drivers.select(target.icd)
            from shaderlab.gpu.compilers.compiler import FamilyCompiler

            self._compiler = FamilyCompiler(target)

    def compile(
        self,
        program: Program,
        vertex: Program | None = None,
        constants: Mapping[int, bytes] | None = None,
    ) -> CompiledStats:
        return self._compiler.compile(program, vertex, constants)

    def program(self, program: Program) -> Program:
        from shaderlab.gpu.radv.compiled_program import compiled_program

        if program.stage is Stage.COMPUTE:
            raise UnsupportedShader(
                "Compute shaders are not replayed as AMD's compiler leaves them."
            )
        return compiled_program(program, self._compiler.compile(program)).identified()


class FamilyWorker(Client[CompiledServer]):
    """One family's compiler."""

    def __init__(
        self,
        target: CompiledTarget,
        limits: Limits | None = None,
        *,
        start_s: float | None = None,
        low_priority: bool = False,
        idle_s: float | None = None,
        keeping_loops: bool = False,
    ):
        """`keeping_loops`: compiles as the drivers did that forecasts were fitted to, where the
        target can be asked to."""
        asked = KEEPING_LOOPS if keeping_loops else {}
        super().__init__(
            CompiledServer,
            target,
            name=f"compiler for {target.family.slug}",
            limits=limits or Limits(),
            start_s=start_s,
            low_priority=low_priority,
            environment={**target.environment, **asked},
            idle_s=idle_s,
        )
        self.target = target

    def compile(
        self,
        program: Program,
        vertex: Program | None = None,
        constants: Mapping[int, bytes] | None = None,
    ) -> Future[CompiledStats]:
        """Beside supervision's errors, the future carries UnsupportedShader."""
        doing = f"compiling {program.name} for {self.target.family.slug}"
        request = self._request(CompiledServer.compile, self.limits.compile, doing)
        return request(program, vertex, constants)

    def program(self, program: Program) -> Future[Program]:
        doing = f"compiling {program.name} for {self.target.family.slug}"
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
        """`low_priority`: what is compiled yields to everything else.  A child that has nothing to
        do for a while ends."""
        self.targets = tuple(targets)
        limits = limits or Limits()
        # All children may start at once, and share what cores there are.
        start_s = limits.start + _START_S * len(self.targets)
        worker = partial(
            FamilyWorker,
            limits=limits,
            start_s=start_s,
            low_priority=low_priority,
            idle_s=BACKGROUND_IDLE_S,
        )
        self._workers = {target.family.slug: worker(target) for target in self.targets}
        self._leaving = {
            target.family.slug: worker(target, keeping_loops=True)
            for target in self.targets
            if target.keeps_loops
        }
        """For `program`, where that needs another child than `compile`."""

    @property
    def _all(self) -> tuple[FamilyWorker, ...]:
        return (*self._workers.values(), *self._leaving.values())

    def start(self, slugs: Iterable[str] | None = None) -> None:
        """Bring children up without waiting for them."""
        for slug in self._workers if slugs is None else slugs:
            self._workers[slug].start()

    def set_limits(self, limits: Limits) -> None:
        """Hold requests made from now on to these."""
        for worker in self._all:
            worker.set_limits(limits)

    @property
    def pids(self) -> set[int]:
        """Process ids of the children there are."""
        return {pid for worker in self._all for pid in worker.pids}

    @property
    def replacements(self) -> int:
        """Children killed or found dead so far."""
        return sum(worker.replacements for worker in self._all)

    def compile(
        self,
        program: Program,
        slugs: Iterable[str] | None = None,
        vertex: Program | None = None,
        constants: Mapping[int, bytes] | None = None,
    ) -> dict[str, Future[CompiledStats]]:
        """By slug, in the order of `targets`: what the compiler of each family made of it, a
        compute shader with these specialisation constants.

        Beside supervision's ShaderTimeout and DeviceLost, futures carry UnsupportedShader.
        """
        chosen = self._workers if slugs is None else slugs
        return {slug: self._workers[slug].compile(program, vertex, constants) for slug in chosen}

    def program(self, program: Program, slug: str) -> Future[Program]:
        """What the compiler of one of AMD's families leaves of it, to be run and counted.

        Futures carry what those of `compile` do, and what `gpu.radv.compiled_program` raises.
        """
        return self._leaving.get(slug, self._workers[slug]).program(program)

    def abandon(self, requests: Mapping[str, Future]) -> None:
        """Give up what `compile` or `program` returned, where it is not done; those futures fail:
        Abandoned."""
        for slug, request in requests.items():
            if not request.cancel() and not self._workers[slug].abandon(request):
                self._leaving.get(slug, self._workers[slug]).abandon(request)

    def close(self) -> None:
        """End the children."""
        for worker in self._all:
            worker.close()
