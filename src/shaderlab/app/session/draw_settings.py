"""What the document's program is drawn with: values and textures given for its inputs, geometry.

The preview, the counts, profiles and predictions all take them from here, the preview at its own
size and time, the others at those of the canonical run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.clock import Clock
from shaderlab.app.session.counted_run import CANONICAL, CountedRun
from shaderlab.app.session.given import Declared, GivenProgram, Kept
from shaderlab.app.session.other_passes import ALONE, OtherPasses
from shaderlab.app.session.vertex_stage import FROM_GEOMETRY, VertexStage
from shaderlab.errors import ShaderlabError
from shaderlab.frontend.program import Program
from shaderlab.scene.binding import Binding
from shaderlab.scene.defaults import of_both_stages
from shaderlab.scene.digests import state_digest
from shaderlab.scene.draw import CANONICAL_SIZE, Attachments, Draw, DrawState, Frame
from shaderlab.scene.geometry import Body, Camera, Geometry, MeshFile
from shaderlab.scene.inputs import Input, Inputs, Numbers, Source
from shaderlab.scene.keys import NO_KEYS, Keys
from shaderlab.scene.launch import LaunchChoice, is_compute
from shaderlab.scene.shader_input import ShaderInput
from shaderlab.scene.textures import PassPicture, Pattern, Texture
from shaderlab.scene.uniforms import Uniforms

REST_S = 0.25
"""What changes again within this time is still being moved: counts wait for it to rest."""

Variant = tuple[str, int]
"""A program, by its digest, drawn with one version of the settings."""


class DrawSettings(QObject):
    """Belongs to the interface's thread."""

    changed = Signal()
    """Inputs or geometry are others now: the picture is outdated."""
    rested = Signal()
    """They have stood still for a moment: counts are worth their time."""
    carried_over = Signal()
    """A document's first program took over what of the former one's it declares, too."""
    run_changed = Signal()
    """Counts are of a frame of another size or time from now on; `changed` follows."""
    settled = Signal()
    """The same values come from elsewhere now: from the file they were written to."""

    def __init__(self, clock: Clock, parent: QObject):
        super().__init__(parent)
        self._clock = clock
        self._values: dict[str, Kept] = {}
        self._textures: dict[str, Kept] = {}
        self._program: Program | None = None
        self._bindings: tuple[Binding, ...] = ()
        """Of the program and of its vertex stage; empty before they are asked for."""
        self._types: Mapping[str, Declared] = {}
        """What the program declares, by name; empty before anything is given."""
        self._is_foreign = False
        """Whether what is kept was given for a document left behind."""
        self.inputs = Inputs()
        """What was given for inputs that the program declares."""
        self.geometry = Geometry()
        self.captured: DrawState | None = None
        """What another program's draw found: it stands for geometry, size and attachments."""
        self._captured_digest = ""
        self.passes = ALONE
        """What is drawn in the same frame."""
        self._sized: tuple[int, OtherPasses] | None = None
        self._unsized: ShaderlabError | None = None
        """What `_size_problem` found for `_sized`."""
        self.vertex = FROM_GEOMETRY
        self.run = CANONICAL
        """The frame that is counted and predicted."""
        self.keys = NO_KEYS
        """Those held and switched on, for every frame of a shader that reads the keyboard."""
        self.launch = LaunchChoice()
        """What was chosen of a compute shader's launch."""
        self._listed: tuple[ShaderInput, ...] = ()
        self._listed_of: tuple[tuple[int, int], int] | None = None
        """Size and version that `_listed` is of."""
        self.version = 0
        self.given_version = 0
        """Rises with `version`, unless only the counted run changed."""
        self.changed_at = 0.0
        """The clock's time of the latest change."""
        self._rest = clock.alarm(self.rested.emit, self)

    # -- the program ------------------------------------------------------------------------

    def leave_document(self) -> None:
        """Another document: of what was given, only what its first program declares too stays."""
        self._is_foreign = True
        self._program, self._bindings = None, ()
        self.passes, self.vertex = ALONE, FROM_GEOMETRY
        self._use_captured(None)
        self.launch = LaunchChoice()
        for name in [n for n, each in self._textures.items() if _is_picture(each.input.value)]:
            del self._textures[name]  # of a pass that only that document's project has

    def use(self, program: Program) -> None:
        """The program to draw from now on.  What was given stays where its name and type do."""
        former, self._program = self._program, program
        if former is not None and former.digest == program.digest:
            if former.given != program.given:
                self._bindings = ()
                self._changed()
            return
        self._bindings = ()
        self._types = {}
        if self._values or self._textures:
            self._read_types()
        if self._is_foreign:
            self._is_foreign = False
            for kept in (self._values, self._textures):
                for name in [n for n, each in kept.items() if not each.suits(self._types.get(n))]:
                    del kept[name]
            self.carried_over.emit()
        self._select()

    def listed(self, size: tuple[int, int] = CANONICAL_SIZE) -> tuple[ShaderInput, ...]:
        """Every input of the program with its value; `size` is the picture's."""
        if self._program is None:
            return ()
        if not self._bindings:
            stages = (self._program, self.vertex.program)
            try:
                self._bindings = tuple(Binding.of(each) for each in stages if each is not None)
            except ShaderlabError:  # the device says what is wrong with such a module
                return ()
        if (size, self.version) != self._listed_of:
            self._listed_of = size, self.version
            size = self._extent(self._program, size)
            camera = self.geometry.camera
            inputs = self._inputs_in_frame(size)
            self._listed = of_both_stages(
                *(each.listed(inputs, size, camera) for each in self._bindings)
            )
        return self._listed

    def _inputs_in_frame(self, size: tuple[int, int]) -> Inputs:
        """What the program is given as a pass, whose description may give it more."""
        try:
            state = DrawState(self.inputs, self.geometry, Attachments(size))
            return self.passes.inputs(state)
        except ShaderlabError:  # `problem` has it
            return self.inputs

    def _extent(self, program: Program, size: tuple[int, int]) -> tuple[int, int]:
        """What inputs that mean a size follow."""
        try:
            return self.draw(program, size).extent
        except ShaderlabError:  # said where it is run
            return size

    def set_launch(self, choice: LaunchChoice) -> None:
        """Launch a compute shader so from now on."""
        if choice != self.launch:
            self.launch = choice
            self._changed()

    def suspect(self, program: Program) -> Program | GivenProgram:
        """What is to blame if drawing the program ends a worker."""
        inputs, shape = self.inputs, self.geometry.shape
        is_bare = not inputs.values and not inputs.textures and self.geometry.is_full_screen
        is_bare = is_bare and self.run == CANONICAL and not self.launch
        if is_bare and not (self.passes.edited or self.vertex.digest or self.captured):
            return program
        values = sorted((name, each.value) for name, each in inputs.values.items())
        textures = sorted((name, repr(each.value)) for name, each in inputs.textures.items())
        run = () if self.run == CANONICAL else (self.run,)
        launch = (self.launch,) if self.launch else ()
        given = repr((values, textures, shape, *run, *launch))
        around = self.passes.digest + self.vertex.digest + self._captured_digest
        return GivenProgram(program, given + around)

    # -- the draw ---------------------------------------------------------------------------

    def draw(
        self,
        program: Program,
        size: tuple[int, int] = CANONICAL_SIZE,
        uniforms: Uniforms | None = None,
    ) -> Draw:
        """The program with all that is given; by default at the canonical size and time.

        A captured draw has the size and time that it was captured with.
        """
        inputs = self.inputs
        if self.keys and self.reads_keyboard and not (uniforms and uniforms.keys):
            uniforms = replace(uniforms or Uniforms(), keys=self.keys)
        if self.captured is not None:
            return Draw(program, replace(self.captured, inputs=inputs))
        if uniforms is not None:
            inputs = replace(inputs, clock=Input(uniforms))
        state = DrawState(inputs, self.geometry, Attachments(size), self.launch)
        return Draw(program, state, None if is_compute(program) else self.vertex.program)

    def counted(self, program: Program) -> Draw:
        """The program with all that is given, as it is counted."""
        return self.draw(program, self.run.size, self.run.uniforms)

    def count_at(self, run: CountedRun) -> None:
        """Count a frame of this size and time from now on."""
        if run != self.run:
            self.run = run
            self.run_changed.emit()
            self._changed(given=False)

    def set_keys(self, keys: Keys) -> None:
        """These are held and switched on from now on."""
        if keys != self.keys:
            self.keys = keys
            if self.reads_keyboard:
                self._changed()

    @property
    def reads_keyboard(self) -> bool:
        """Whether a texture of the frame shows the keyboard."""
        given, project = [self.inputs], self.passes.project
        if project is not None and self.passes.edited:
            given += [project.state.inputs, *(each.state.inputs for each in project.passes)]
        textures = (each.value for inputs in given for each in inputs.textures.values())
        return any(each.source is Pattern.KEYBOARD for each in textures)

    def frame(self, edited: Draw) -> Frame:
        """A draw of the program with what is drawn before and after it."""
        return self.passes.frame(edited)

    def use_passes(self, passes: OtherPasses) -> None:
        """Draw these in the same frame from now on."""
        former, self.passes = self.passes, passes
        known = (former.digest, former.waiting, str(former.problem))
        if known != (passes.digest, passes.waiting, str(passes.problem)):
            self._changed()

    def use_vertex(self, vertex: VertexStage) -> None:
        """Draw with this vertex stage from now on."""
        former, self.vertex = self.vertex, vertex
        known = (former.digest, former.waiting, str(former.problem))
        if known != (vertex.digest, vertex.waiting, str(vertex.problem)):
            self._bindings = ()
            self._types = {}
            if self._values or self._textures:
                self._read_types()
            self._changed()

    @property
    def waiting(self) -> bool:
        """Whether something the draw needs is still being compiled."""
        return self.passes.waiting or self.vertex.waiting

    @property
    def problem(self) -> ShaderlabError | None:
        """Why there is nothing to draw, though the program compiles."""
        return self.passes.problem or self.vertex.problem or self._size_problem

    @property
    def _size_problem(self) -> ShaderlabError | None:
        """Why the passes have no sizes with these values."""
        of = self.version, self.passes
        if self._sized != of:
            state = DrawState(self.inputs, self.geometry)
            self._sized, self._unsized = of, self.passes.size_problem(state)
        return self._unsized

    @property
    def moving(self) -> bool:
        """Whether the latest change is too fresh to count by."""
        return self._rest.isActive()

    # -- what is given ----------------------------------------------------------------------

    def set_value(self, name: str, value: Numbers) -> None:
        """Give an input of the program another value."""
        self._give(self._values, name, Input(tuple(value), Source.SET))

    def set_texture(self, name: str, texture: Texture) -> None:
        """Have a texture of the program show something else."""
        self._give(self._textures, name, Input(texture, Source.SET))

    def reset_input(self, name: str) -> None:
        """Give nothing for this input any more."""
        gone = [kept.pop(name, None) for kept in (self._values, self._textures)]
        if any(gone):
            self._changed()

    def set_shape(self, shape: Body | MeshFile) -> None:
        """Draw another geometry, seen as before."""
        self._set_geometry(replace(self.geometry, shape=shape))

    def set_camera(self, camera: Camera) -> None:
        """See it from elsewhere."""
        self._set_geometry(replace(self.geometry, camera=camera))

    def _set_geometry(self, geometry: Geometry) -> None:
        if geometry != self.geometry:
            self.geometry = geometry
            self._changed()

    def take(self, state: DrawState) -> None:
        """Have what a project file, or a capture, gives, and nothing else that was given."""
        self._is_foreign = False
        self._use_captured(state if state.is_captured else None)
        inputs = state.inputs
        self._values = {name: Kept(each) for name, each in inputs.values.items()}
        self._textures = {name: Kept(each) for name, each in inputs.textures.items()}
        self.geometry = Geometry() if state.is_captured else state.geometry
        self.launch = state.launch
        self._bindings = ()
        self._read_types()
        self._changed()

    @property
    def kept(self) -> DrawState:
        """All that was given for this document, whether the program declares it now or not."""
        if self._is_foreign:
            return DrawState(geometry=self.geometry)
        return DrawState(
            Inputs(
                values={name: each.input for name, each in self._values.items()},
                textures={name: each.input for name, each in self._textures.items()},
            ),
            self.geometry,
            launch=self.launch,
        )

    def settle(self) -> None:
        """What is kept was written to the project file."""
        for kept in (self._values, self._textures):
            for name, each in kept.items():
                kept[name] = replace(each, input=replace(each.input, source=Source.PROJECT))
        self._select()
        self.settled.emit()

    def _use_captured(self, state: DrawState | None) -> None:
        self.captured = state
        self._captured_digest = state_digest(state) if state is not None else ""

    def _give(self, kept: dict[str, Kept], name: str, given: Input) -> None:
        if name not in self._types:
            self._read_types()
        declared = self._types.get(name)
        if declared is not None and kept.get(name) != (entry := Kept(given, declared.type)):
            kept[name] = entry
            self._changed()

    def _read_types(self) -> None:
        self._types = {
            each.name: Declared(each.type, len(each.value) if isinstance(each.value, tuple) else 0)
            for each in self.listed()
        }

    def _changed(self, *, given: bool = True) -> None:
        """`given`: other inputs, not another run of the same."""
        self._select()
        self.version += 1
        self.given_version += given
        self.changed_at = self._clock.now()
        self._rest.set(REST_S)
        self.changed.emit()

    def _select(self) -> None:
        self._listed_of = None
        self.inputs = Inputs(
            values=self._declared(self._values),
            textures=self._declared(self._textures),
            bound=self.captured.inputs.bound if self.captured is not None else None,
        )

    def _declared(self, kept: dict[str, Kept]) -> Mapping[str, Input]:
        return MappingProxyType(
            {n: each.input for n, each in kept.items() if each.suits(self._types.get(n))}
        )


def _is_picture(value: Numbers | Texture) -> bool:
    return isinstance(value, Texture) and isinstance(value.source, PassPicture)
