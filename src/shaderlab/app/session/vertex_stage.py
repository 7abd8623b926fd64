"""`VertexStage`: what feeds the document's fragment stage."""

from __future__ import annotations

from dataclasses import dataclass

from shaderlab.errors import ShaderlabError
from shaderlab.frontend.program import Program


@dataclass(frozen=True)
class VertexStage:
    """The user's own vertex stage as far as it is there; without one the geometry is passed on."""

    program: Program | None = None
    """Made to fit the fragment program."""
    waiting: bool = False
    """It is being compiled: without it the draw would be another."""
    problem: ShaderlabError | None = None
    """Why there is none to draw with."""

    @property
    def digest(self) -> str:
        """Of what a picture depends on."""
        return self.program.digest if self.program is not None else ""


FROM_GEOMETRY = VertexStage()
