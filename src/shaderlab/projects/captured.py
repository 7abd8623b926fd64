"""Projects of one captured draw: a shader with everything it was drawn with, in a folder."""

from __future__ import annotations

from pathlib import Path

from shaderlab import files
from shaderlab.captures import opening, saving
from shaderlab.captures.frame import CapturedDraw
from shaderlab.errors import WrongUse
from shaderlab.projects import writing
from shaderlab.projects.project import Project, beside
from shaderlab.scene.draw import DrawState


def save(folder: Path, source: Path, draw: CapturedDraw) -> Path:
    """Write a draw of the capture that `source` keeps; the project's path.

    Raises WrongUse, also for a draw that is not replayed.
    """
    if draw.shader is None or draw.state is None:
        raise WrongUse(f"draw {draw.event} cannot be saved: {draw.reason}")
    parts = saving.parts(source, draw.event)
    shader = folder / ("compute.spv" if draw.is_dispatch else "fragment.spv")
    project = Project(
        shader.resolve(),
        entry=draw.shader.entry_point,
        state=draw.state,
        captured=(folder / opening.LINES).resolve(),
    )
    written = {folder / name: data for name, data in parts.items()}
    written[shader] = draw.shader.module.read()
    written[beside(shader)] = writing.text(beside(shader), project).encode()
    files.save_all(written)
    return beside(shader)


def state(lines: Path) -> DrawState:
    """What a captured draw was drawn with.  Raises WrongUse for a folder that is damaged."""
    frame = opening.saved(lines.parent)
    if len(frame.draws) != 1 or frame.draws[0].state is None:
        why = frame.draws[0].reason if frame.draws else "it has no draw"
        raise WrongUse(f"cannot read {lines}: {why}")
    return frame.draws[0].state
