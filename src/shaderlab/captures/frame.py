"""`CapturedFrame`: the draws of another program's frame, each as far as it can be replayed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from shaderlab.frontend.program import Program
from shaderlab.scene.contents import Contents
from shaderlab.scene.draw import Draw, DrawState, Frame, Pass
from shaderlab.scene.fixed_functions import ColourTarget

COMPUTE = "compute"
"""The stage of a dispatch, as RenderDoc's child writes it."""


@dataclass(frozen=True)
class CapturedShader:
    """A stage's SPIR-V as it lies in the capture, not yet validated."""

    module: Contents
    entry_point: str


@dataclass(frozen=True)
class CapturedDraw:
    """One draw or dispatch."""

    event: int
    """RenderDoc's number of it."""
    name: str
    """The command, as RenderDoc writes it."""
    marker: str = ""
    """The program's own debug regions around it, outermost first."""
    stage: str = "fragment"
    """`fragment` or `compute`."""
    shader: CapturedShader | None = None
    """Of that stage."""
    vertex: CapturedShader | None = None
    vertex_state: DrawState | None = None
    """What its vertex stage reads; None where that cannot be run by itself."""
    vertex_reason: str = ""
    """Why not."""
    state: DrawState | None = None
    """Everything but the program; None where it cannot be replayed."""
    reason: str = ""
    """Why not, as a sentence without full stop."""
    text: Contents | None = None
    """GLSL of its shader, where the capture is of OpenGL."""

    @property
    def size(self) -> tuple[int, int]:
        """Width, height of what it draws into, pixels; zeros where it is not known, or nothing."""
        return self.state.size if self.state and not self.is_dispatch else (0, 0)

    @property
    def is_dispatch(self) -> bool:
        return self.stage == COMPUTE

    @property
    def targets(self) -> tuple[ColourTarget | None, ...]:
        """Colour attachments by location, with what they held after the draw."""
        fixed = self.state.attachments.fixed if self.state else None
        return fixed.colours if fixed else ()


class Counters(NamedTuple):
    """What RenderDoc's own replay measured of a draw; None where the driver has no such counter."""

    time_s: float | None
    """EventGPUDuration."""
    invocations: float | None
    """PSInvocations; of a dispatch CSInvocations."""


@dataclass(frozen=True)
class Listed:
    """All draws of a frame, before any of them was read."""

    draws: tuple[CapturedDraw, ...]
    """With event, name and marker alone."""
    renderdoc: str
    """RenderDoc's version."""


def pass_of(draw: CapturedDraw) -> tuple[int, ...]:
    """The attachments it draws into, by RenderDoc's numbers; empty where they are not known.
    A dispatch draws into none, and is a pass of its own."""
    if draw.is_dispatch:
        return (-2, draw.event)
    fixed = draw.state.attachments.fixed if draw.state is not None else None
    if fixed is None:
        return ()
    colours = tuple(each.resource if each is not None else -1 for each in fixed.colours)
    return (*colours, fixed.depth.resource if fixed.depth is not None else -1)


def pass_numbers(draws: Iterable[CapturedDraw]) -> dict[int, int]:
    """The number, from 0, of each draw's pass, by event: draws in a row into the same attachments
    belong to one.  Those whose attachments are not known have none."""
    numbers: dict[int, int] = {}
    number, last = 0, None
    for draw in sorted(draws, key=lambda each: each.event):
        if draw.state is not None:
            its = pass_of(draw)
            number += last is not None and its != last
            numbers[draw.event], last = number, its
    return numbers


@dataclass(frozen=True)
class CapturedFrame:
    """All that was read of a capture."""

    name: str
    draws: tuple[CapturedDraw, ...]
    counters: Mapping[int, Counters] = field(default_factory=dict)
    """By event."""

    @property
    def size(self) -> tuple[int, int]:
        """Of the last draw that can be replayed, pixels."""
        sizes = [each.size for each in self.draws if each.state and not each.is_dispatch]
        return sizes[-1] if sizes else (0, 0)

    def frame(self, programs: Mapping[int, Program]) -> Frame:
        """The draws that can be replayed, named by their events.  `programs`: by event."""
        return Frame(
            tuple(
                Pass(str(each.event), Draw(programs[each.event], each.state))
                for each in self.draws
                if each.state is not None and each.event in programs
            )
        )
