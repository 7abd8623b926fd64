"""What vendors' compilers made of one program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shaderlab.errors import ShaderlabError
from shaderlab.workers.external import ExternalReports

if TYPE_CHECKING:
    from shaderlab.frontend.program import Program
    from shaderlab.gpu.compilers.compiled import CompiledStats
    from shaderlab.gpu.radv.cost import FrameCost


@dataclass(frozen=True)
class Compiled:
    """What is known of one program, by family."""

    program: Program
    stats: Mapping[str, CompiledStats] = field(default_factory=dict)
    problems: Mapping[str, ShaderlabError] = field(default_factory=dict)
    """Families whose compiler rejected it."""
    costs: Mapping[str, FrameCost] = field(default_factory=dict)
    cost_problem: ShaderlabError | None = None
    """Why no frame could be counted."""
    external: ExternalReports | None = None
    """Of vendors' analysers; None before they were asked."""

    def lacks(self, slugs: Iterable[str]) -> tuple[str, ...]:
        return tuple(s for s in slugs if s not in self.stats and s not in self.problems)
