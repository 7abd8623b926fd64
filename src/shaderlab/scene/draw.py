"""`Draw`, the unit that is rendered, traced, profiled and recorded; `Frame`, draws in order."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property

from shaderlab.frontend.program import Program
from shaderlab.scene.binding import Binding
from shaderlab.scene.fixed_functions import FixedFunctions
from shaderlab.scene.geometry import FULL_SCREEN, Geometry
from shaderlab.scene.inputs import Inputs
from shaderlab.scene.launch import (
    Launch,
    LaunchChoice,
    declared,
    is_compute,
    launch,
    local_constants,
    writes_pictures,
)
from shaderlab.scene.textures import PassPicture
from shaderlab.scene.uniforms import STEP_S, Uniforms
from shaderlab.spirv.analysis.dispatch import Dispatch

CANONICAL_SIZE = (1024, 768)
"""Width and height of the canonical run, pixels."""


CUBE_FACES = 6
FACES_IN_ROW = 3
"""Of a picture that shows a cube map: +X, -X, +Y above -Y, +Z, -Z."""
CUBE_FACE = "iCubeFace"
"""The input that says which face of a cube map a pass draws."""


class ColourFormat(StrEnum):
    """Texels of the attachment at location 0."""

    RGBA8 = "rgba8"
    """Four 8-bit unsigned normalised components."""
    RGBA8_SRGB = "rgba8-srgb"
    """The same; colours are stored in sRGB and read back linear."""
    RGBA16F = "rgba16f"
    RGBA32F = "rgba32f"


class Blend(StrEnum):
    """How a colour meets the one that is there."""

    OFF = "off"
    ALPHA = "alpha"
    """Source alpha, one minus source alpha."""
    ADD = "add"
    PREMULTIPLIED = "premultiplied"


SEVERAL_SIZES = ((256, 192), (512, 384), (724, 543), CANONICAL_SIZE, (1448, 1086))
"""From a sixteenth of the canonical pixels to twice as many, of one shape."""


@dataclass(frozen=True)
class Attachments:
    """What a draw writes."""

    size: tuple[int, int] = CANONICAL_SIZE
    """Width, height in pixels."""
    colour: ColourFormat = ColourFormat.RGBA8
    samples: int = 1
    """Per pixel: 1, 2, 4 or 8."""
    blend: Blend = Blend.OFF
    fixed: FixedFunctions | None = None
    """All fixed functions, with the attachments' formats and contents, as another program set them;
    None: what the rest says."""


@dataclass(frozen=True)
class DrawState:
    """All of a draw but its program.  The default is the canonical run's."""

    inputs: Inputs = field(default_factory=Inputs)
    geometry: Geometry = FULL_SCREEN
    attachments: Attachments = field(default_factory=Attachments)
    launch: LaunchChoice = field(default_factory=LaunchChoice)
    """Of a compute shader, which has neither geometry nor attachments: what was chosen."""

    @classmethod
    def of(
        cls, size: tuple[int, int] = CANONICAL_SIZE, uniforms: Uniforms | None = None
    ) -> DrawState:
        """A full-screen draw of `size` (width, height) with nothing given but the clock."""
        return cls(Inputs.at(uniforms), attachments=Attachments(size))

    def draw(self, program: Program) -> Draw:
        """The program drawn so."""
        return Draw(program, self)

    @property
    def size(self) -> tuple[int, int]:
        """Width, height of the picture in pixels."""
        return self.attachments.size

    @property
    def is_captured(self) -> bool:
        """Whether it is a draw or dispatch of another program."""
        return self.attachments.fixed is not None or self.inputs.bound is not None


CANONICAL = DrawState()
"""The run that predictions are for (ShaderPerFormer, section 5)."""


@dataclass(frozen=True)
class Draw:
    """One draw call: a program with everything it reads and writes."""

    program: Program
    """Of the fragment stage."""
    state: DrawState = CANONICAL
    vertex: Program | None = None
    """Of the vertex stage; None: one that passes on what the geometry gives."""

    @classmethod
    def of(
        cls,
        program: Program,
        size: tuple[int, int] = CANONICAL_SIZE,
        uniforms: Uniforms | None = None,
    ) -> Draw:
        """A full-screen draw of `size` (width, height) with nothing given but the clock."""
        return cls(program, DrawState.of(size, uniforms))

    def of_program(self, program: Program) -> Draw:
        """The same draw of another program."""
        return replace(self, program=program)

    def of_size(self, size: tuple[int, int]) -> Draw:
        """The same draw into a picture of another size (width, height)."""
        attachments = replace(self.state.attachments, size=size)
        return replace(self, state=replace(self.state, attachments=attachments))

    @property
    def inputs(self) -> Inputs:
        return self.state.inputs

    @property
    def size(self) -> tuple[int, int]:
        """Width, height of the picture in pixels."""
        return self.state.size

    @property
    def is_compute(self) -> bool:
        """Whether it is a dispatch: its program a compute shader."""
        return is_compute(self.program)

    @cached_property
    def launch(self) -> Launch:
        """What of a compute shader runs.  Raises WrongUse, InvalidModule."""
        constants = Binding.of(self.program).spec_constants(self.inputs)
        return launch(self.program, self.state.launch, self.size, constants)

    @property
    def launch_constants(self) -> dict[int, bytes]:
        """Bytes of a compute shader's specialisation constants by `SpecId`, its local size
        included.  Raises WrongUse, InvalidModule."""
        found = dict(Binding.of(self.program).spec_constants(self.inputs))
        own = declared(self.program)
        sides = local_constants(own, self.launch.local, self.program.name)
        return found | {number: side.to_bytes(4, "little") for number, side in sides.items()}

    @property
    def dispatch(self) -> Dispatch | None:
        """What is known of a compute shader's dispatch before it runs; None of other draws.
        Raises WrongUse, InvalidModule."""
        if not self.is_compute:
            return None
        push = Binding.of(self.program).push_constants(self.inputs, self.extent)
        return Dispatch(self.launch.groups, self.launch.local, push, self.launch_constants)

    @property
    def extent(self) -> tuple[int, int]:
        """What values that mean a size follow: of the picture, in pixels; of a dispatch without
        one the invocations along x and y."""
        if not self.is_compute or writes_pictures(self.program):
            return self.size
        return self.launch.global_size[:2]

    @property
    def counted_size(self) -> tuple[int, int]:
        """What its trace has for a size: the picture's; of a dispatch its invocations and 1."""
        return (self.launch.invocations, 1) if self.is_compute else self.size

    @property
    def draws_cube(self) -> bool:
        """Whether it is drawn once for each face of a cube map."""
        return any(
            resource.block is not None
            and [each.name for each in resource.block.members] == [CUBE_FACE]
            for resource in self.program.interface.resources
        )

    @property
    def draws_per_frame(self) -> int:
        """How often it is drawn in a frame."""
        return CUBE_FACES if self.draws_cube else 1

    @property
    def picture_size(self) -> tuple[int, int]:
        """Width, height in pixels of what shows its picture: of a cube map all its faces."""
        if not self.draws_cube:
            return self.size
        side = min(self.size)
        return FACES_IN_ROW * side, CUBE_FACES // FACES_IN_ROW * side

    @property
    def pipeline_key(self) -> Hashable:
        """Equal for draws that differ in the values of uniforms and in the camera at most; of
        compute shaders, whose values decide what buffers they need, for the same values."""
        state = self.state
        textures = tuple(sorted((n, each.value) for n, each in state.inputs.textures.items()))
        return (
            self.program.digest,
            self.program.entry_point,
            self.vertex and (self.vertex.digest, self.vertex.entry_point),
            state.geometry.shape,
            state.geometry.vertices,
            state.attachments,
            repr(textures),
            state.inputs.bound,
            (state.launch, tuple(sorted(state.inputs.values.items(), key=lambda item: item[0])))
            if self.is_compute
            else (),
            self._constants,
        )

    @property
    def _constants(self) -> Hashable:
        """Values of specialisation constants, which are compiled in."""
        values = self.state.inputs.values
        if not values:
            return ()
        programs = [each for each in (self.program, self.vertex) if each is not None]
        return tuple(
            tuple(sorted(Binding.of(each).spec_constants(self.inputs).items()))
            for each in programs
            if each.interface.spec_constants
        )


@dataclass(frozen=True)
class Pass:
    """One draw of a frame; later draws, and the next frame's, may read its picture by its name."""

    name: str
    draw: Draw


@dataclass(frozen=True)
class Frame:
    """Passes in the order they run; the last one's picture is the frame's."""

    passes: tuple[Pass, ...]

    @classmethod
    def of(cls, *draws: Draw) -> Frame:
        """A frame of draws that read nothing of each other."""
        return cls(tuple(Pass(str(number), draw) for number, draw in enumerate(draws)))

    @property
    def draws(self) -> tuple[Draw, ...]:
        return tuple(each.draw for each in self.passes)

    @property
    def shown(self) -> Draw:
        """The draw whose picture is the frame's."""
        return self.passes[-1].draw

    def named(self, name: str) -> Draw:
        """The draw of the pass of that name; of an empty one, `shown`.  Raises KeyError."""
        if not name:
            return self.shown
        for each in self.passes:
            if each.name == name:
                return each.draw
        raise KeyError(name)

    def reads(self, name: str) -> Frame:
        """The pass of that name and all whose pictures it reads, directly or not."""
        found, left = set[str](), [name]
        while left:
            at = left.pop()
            if at not in found:
                found.add(at)
                given = self.named(at).inputs.textures.values()
                sources = (each.value.source for each in given)
                names = {each.name for each in self.passes}
                left += [s.name for s in sources if isinstance(s, PassPicture) and s.name in names]
        return Frame(tuple(each for each in self.passes if each.name in found))

    def of_program(self, name: str, program: Program) -> Frame:
        """The same frame with another program in one of its passes."""
        return Frame(
            tuple(
                replace(each, draw=each.draw.of_program(program)) if each.name == name else each
                for each in self.passes
            )
        )

    @property
    def draws_per_frame(self) -> dict[str, int]:
        """How often each pass is drawn, by its name."""
        return {each.name: each.draw.draws_per_frame for each in self.passes}

    @property
    def reads_pictures(self) -> bool:
        """Whether a pass reads a picture of a pass."""
        return any(
            isinstance(given.value.source, PassPicture)
            for draw in self.draws
            for given in draw.inputs.textures.values()
        )

    def earlier(self, back: int) -> Frame:
        """The frame as many frames earlier, at 60 frames a second where nothing else is given."""

        def moved(draw: Draw) -> Draw:
            clock = draw.inputs.clock
            step = clock.value.time_delta_s or STEP_S
            before = replace(
                clock.value,
                frame=max(0, clock.value.frame - back),
                time_s=max(0.0, clock.value.time_s - back * step),
            )
            inputs = replace(draw.inputs, clock=replace(clock, value=before))
            return replace(draw, state=replace(draw.state, inputs=inputs))

        return Frame(tuple(replace(each, draw=moved(each.draw)) for each in self.passes))
