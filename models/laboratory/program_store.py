"""`ProgramStore`: what compilers left of many programs, so that a long run can be resumed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from shaderlab.frontend.program import Dialect, Program


class ProgramStore:
    """One SPIR-V file per program, by the digest of the program it was made of."""

    def __init__(self, folder: Path):
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def _path(self, original: Program) -> Path:
        return self._folder / f"{original.digest}.spv"

    def put(self, original: Program, made: Program) -> None:
        """Keep what was made of the original."""
        path = self._path(original)
        unfinished = path.with_suffix(".part")
        unfinished.write_bytes(made.spirv)
        unfinished.replace(path)

    def get(self, original: Program) -> Program | None:
        """What was made of the original, with its inputs; None where nothing was kept.

        Mesa's compiler drops the names by which inputs are bound.
        """
        path = self._path(original)
        if not path.exists():
            return None
        made = replace(
            original, spirv=path.read_bytes(), dialect=Dialect.SPIRV, text="", diagnostics=()
        )
        return made.bound_as(original)
