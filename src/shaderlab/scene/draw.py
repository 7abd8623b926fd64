"""`Draw`, the unit that is rendered, traced, profiled and recorded; `Frame`, draws in order."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from enum import StrEnum

from shaderlab.frontend.program import Program
from shaderlab.scene.inputs import Inputs
from shaderlab.scene.uniforms import Uniforms

CANONICAL_SIZE = (1024, 768)
"""Width and height of the canonical run, pixels."""


class Geometry(StrEnum):
    """What is rasterised."""

    FULL_SCREEN = "fullscreen"
    """Two triangles that cover the attachments."""


class ColourFormat(StrEnum):
    """Texels of the attachment at location 0."""

    RGBA8 = "rgba8"
    """Four 8-bit unsigned normalised components."""


@dataclass(frozen=True)
class Attachments:
    """What a draw writes."""

    size: tuple[int, int] = CANONICAL_SIZE
    """Width, height in pixels."""
    colour: ColourFormat = ColourFormat.RGBA8


@dataclass(frozen=True)
class DrawState:
    """All of a draw but its program.  The default is the canonical run's."""

    inputs: Inputs = field(default_factory=Inputs.shadertoy)
    geometry: Geometry = Geometry.FULL_SCREEN
    attachments: Attachments = field(default_factory=Attachments)

    @classmethod
    def of(
        cls, size: tuple[int, int] = CANONICAL_SIZE, uniforms: Uniforms | None = None
    ) -> DrawState:
        """A full-screen draw of `size` (width, height) with Shadertoy's inputs."""
        return cls(Inputs.shadertoy(uniforms), attachments=Attachments(size))

    def draw(self, program: Program) -> Draw:
        """The program drawn so."""
        return Draw(program, self)

    @property
    def size(self) -> tuple[int, int]:
        """Width, height of the picture in pixels."""
        return self.attachments.size


CANONICAL = DrawState()
"""The run that predictions are for (ShaderPerFormer, section 5)."""


@dataclass(frozen=True)
class Draw:
    """One draw call: a program with everything it reads and writes."""

    program: Program
    state: DrawState = CANONICAL

    @classmethod
    def of(
        cls,
        program: Program,
        size: tuple[int, int] = CANONICAL_SIZE,
        uniforms: Uniforms | None = None,
    ) -> Draw:
        """A full-screen draw of `size` (width, height) with Shadertoy's inputs."""
        return cls(program, DrawState.of(size, uniforms))

    def of_program(self, program: Program) -> Draw:
        """The same draw of another program."""
        return replace(self, program=program)

    @property
    def inputs(self) -> Inputs:
        return self.state.inputs

    @property
    def size(self) -> tuple[int, int]:
        """Width, height of the picture in pixels."""
        return self.state.size

    @property
    def pipeline_key(self) -> Hashable:
        """Equal for draws that differ in the values of their uniforms at most."""
        state = self.state
        textures = tuple(sorted((at, each.value) for at, each in state.inputs.textures.items()))
        return (
            self.program.digest,
            self.program.entry_point,
            state.geometry,
            state.attachments,
            textures,
        )


@dataclass(frozen=True)
class Frame:
    """Draws (passes) in the order they run; the last one's picture is the frame's."""

    draws: tuple[Draw, ...]

    @property
    def shown(self) -> Draw:
        """The draw whose picture is the frame's."""
        return self.draws[-1]
