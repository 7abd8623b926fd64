"""What a program is given: by name and type, for the draw, and across programs and documents."""

from dataclasses import replace
from pathlib import Path

import pytest

from shaderlab.app.qt import QObject
from shaderlab.app.session.counted_run import CountedRun
from shaderlab.app.session.draw_settings import REST_S, DrawSettings
from shaderlab.app.session.given import GivenProgram
from shaderlab.app.session.other_passes import OtherPasses
from shaderlab.errors import UnsupportedShader
from shaderlab.frontend.program import Given
from shaderlab.projects.project import Project, ProjectPass
from shaderlab.scene.draw import CANONICAL, CANONICAL_SIZE, DrawState
from shaderlab.scene.geometry import Body, Camera, Geometry
from shaderlab.scene.inputs import Input, Inputs, Source
from shaderlab.scene.keys import Keys
from shaderlab.scene.launch import LaunchChoice
from shaderlab.scene.textures import PassPicture, Pattern, Texture
from shaderlab.scene.uniforms import Uniforms
from shaderlab.spirv.value_types import Component, Numeric

from .fakes import FLOAT, INT, FakeClock, program

NOISE = Texture(Pattern.NOISE)
PLASMA = program("plasma", inputs={"steps": INT, "glow": FLOAT}, textures=["picture"])


class Bench:
    def __init__(self) -> None:
        self.owner, self.clock = QObject(), FakeClock()
        self.settings = DrawSettings(self.clock, self.owner)
        self.changes: list[int] = []
        self.rests: list[int] = []
        self.settings.changed.connect(lambda: self.changes.append(self.settings.version))
        self.settings.rested.connect(lambda: self.rests.append(self.settings.version))
        self.settings.use(PLASMA)

    def given(self) -> dict:
        inputs = self.settings.inputs
        return {n: each.value for n, each in (*inputs.values.items(), *inputs.textures.items())}


@pytest.fixture
def bench(qapp):
    return Bench()


def test_with_nothing_given_it_is_the_canonical_run(bench):
    assert bench.settings.draw(PLASMA) == CANONICAL.draw(PLASMA)
    assert bench.settings.suspect(PLASMA) is PLASMA


def test_values_and_textures_reach_the_draw(bench):
    bench.settings.set_value("steps", (9,))
    bench.settings.set_texture("picture", NOISE)
    draw = bench.settings.draw(PLASMA, (320, 180), Uniforms(time_s=4.0))
    assert draw.inputs.values["steps"].value == (9,)
    assert draw.inputs.values["steps"].source is Source.SET
    assert draw.inputs.textures["picture"].value == NOISE
    assert draw.inputs.uniforms.time_s == 4.0
    assert draw.size == (320, 180)
    counted = bench.settings.draw(PLASMA)
    assert counted.inputs.values == draw.inputs.values
    assert (counted.size, counted.inputs.uniforms) == (CANONICAL_SIZE, Uniforms())


def test_a_row_shows_what_is_given_and_who_gave_it(bench):
    bench.settings.set_value("glow", (0.5,))
    rows = {each.name: each for each in bench.settings.listed()}
    assert list(rows) == ["steps", "glow", "picture"]
    assert (rows["glow"].value, rows["glow"].source) == ((0.5,), Source.SET)
    assert (rows["steps"].value, rows["steps"].source) == ((0.0,), Source.DEFAULT)


def test_the_same_value_again_changes_nothing(bench):
    bench.settings.set_value("steps", (9,))
    bench.settings.set_value("steps", (9,))
    bench.settings.reset_input("glow")
    assert bench.changes == [1]


def test_resetting_brings_the_default_back(bench):
    bench.settings.set_value("steps", (9,))
    bench.settings.set_texture("picture", NOISE)
    bench.settings.reset_input("steps")
    bench.settings.reset_input("picture")
    assert bench.given() == {}
    assert bench.changes == [1, 2, 3, 4], "the version never comes back: counts are of one"


def test_what_the_program_does_not_declare_cannot_be_given(bench):
    bench.settings.set_value("speed", (1.0,))
    assert bench.changes == []
    assert bench.given() == {}


def test_it_rests_once_after_many_changes(bench):
    for n in range(20):
        bench.settings.set_value("glow", (n / 20 + 1,))
        bench.clock.move(0.6 * REST_S)
        assert bench.settings.moving
    assert bench.rests == []
    bench.clock.move(REST_S)
    assert bench.rests == [20]
    assert not bench.settings.moving


def test_a_value_waits_for_its_name_and_type_while_its_document_is_edited(bench):
    bench.settings.set_value("glow", (0.5,))
    bench.settings.use(program("renamed", inputs={"shine": FLOAT}))
    assert bench.given() == {}
    bench.settings.use(program("retyped", inputs={"glow": Numeric(Component.FLOAT, rows=3)}))
    assert bench.given() == {}, "one number does not fill a vec3"
    bench.settings.use(program("undone", inputs={"glow": FLOAT}))
    assert bench.given() == {"glow": (0.5,)}


def test_another_document_takes_over_what_it_declares_too_and_forgets_the_rest(bench):
    bench.settings.set_value("glow", (0.5,))
    bench.settings.set_value("steps", (9,))
    bench.settings.leave_document()
    bench.settings.use(program("other", inputs={"glow": FLOAT}))
    assert bench.given() == {"glow": (0.5,)}
    bench.settings.use(program("its next version", inputs={"glow": FLOAT, "steps": INT}))
    assert bench.given() == {"glow": (0.5,)}


def test_geometry_and_camera_are_part_of_the_draw(bench):
    bench.settings.set_shape(Body.TORUS)
    bench.settings.set_camera(Camera(yaw=1.0))
    bench.settings.set_camera(Camera(yaw=1.0))
    assert bench.changes == [1, 2]
    geometry = bench.settings.draw(PLASMA).state.geometry
    assert (geometry.shape, geometry.camera) == (Body.TORUS, Camera(yaw=1.0))


def test_a_program_with_other_values_is_another_suspect(bench):
    bench.settings.set_value("steps", (9,))
    one = bench.settings.suspect(PLASMA)
    bench.settings.set_value("steps", (10,))
    other = bench.settings.suspect(PLASMA)
    assert isinstance(one, GivenProgram)
    assert len({PLASMA.digest, one.digest, other.digest}) == 3
    assert len({PLASMA.fingerprint, one.fingerprint, other.fingerprint}) == 3
    assert one.name == "plasma"
    bench.settings.set_value("steps", (9,))
    assert bench.settings.suspect(PLASMA) == one


def test_other_defaults_in_the_text_are_a_change_though_the_code_is_the_same(bench):
    bench.settings.use(replace(PLASMA, name="renamed"))
    assert bench.changes == []
    bench.settings.use(replace(PLASMA, given={"glow": Given(2.0)}))
    assert bench.changes == [1]


def test_a_module_that_cannot_be_read_has_no_inputs(bench):
    broken = program("broken")
    del vars(broken)["interface"]
    bench.settings.use(broken)
    assert bench.settings.listed() == ()
    bench.settings.set_value("steps", (1,))
    assert bench.changes == []


def test_only_what_another_document_was_given_is_carried_over(qapp):
    owner, carried = QObject(), []
    settings = DrawSettings(FakeClock(), owner)
    settings.carried_over.connect(lambda: carried.append(settings.version))
    settings.use(PLASMA)
    settings.use(program("its next version"))
    assert carried == []
    settings.leave_document()
    settings.use(program("other"))
    settings.use(program("its next version"))
    assert len(carried) == 1


STATE = DrawState(
    Inputs(
        values={"glow": Input((0.5,), Source.PROJECT)},
        textures={"picture": Input(NOISE, Source.PROJECT)},
    ),
    Geometry(Body.TORUS),
)


def test_what_a_project_gives_takes_the_place_of_all_that_was_given(bench):
    bench.settings.set_value("steps", (9,))
    bench.settings.take(STATE)
    assert bench.given() == {"glow": (0.5,), "picture": NOISE}
    assert bench.settings.geometry == STATE.geometry
    assert bench.settings.kept == STATE
    assert bench.changes == [1, 2]


def test_what_a_project_gives_is_of_its_document_though_no_program_came_before(qapp):
    owner = QObject()
    settings = DrawSettings(FakeClock(), owner)
    settings.leave_document()
    settings.take(STATE)
    settings.use(program("without these inputs"))
    assert settings.kept == STATE


def test_what_was_written_to_the_project_is_the_projects(bench):
    settled = []
    bench.settings.settled.connect(lambda: settled.append(bench.settings.version))
    bench.settings.set_value("glow", (0.5,))
    bench.settings.set_texture("picture", NOISE)
    bench.settings.set_shape(Body.TORUS)
    assert bench.settings.kept.inputs.values["glow"].source is Source.SET
    bench.settings.settle()
    assert bench.settings.kept == STATE
    assert bench.settings.inputs.values["glow"].source is Source.PROJECT
    assert settled == [3], "the same values as before"


def test_nothing_of_another_document_is_kept_for_this_one(bench):
    bench.settings.set_value("glow", (0.5,))
    bench.settings.set_shape(Body.TORUS)
    bench.settings.leave_document()
    assert bench.settings.kept == DrawState(geometry=bench.settings.geometry)


KEYED = program("keyed", textures=["iChannel0"])


def test_keys_are_given_to_a_program_that_reads_them_and_to_no_other(bench):
    held = Keys(held=(65,))
    bench.settings.set_keys(held)
    assert bench.changes == []
    assert not bench.settings.reads_keyboard
    bench.settings.use(KEYED)
    bench.settings.set_texture("iChannel0", Texture(Pattern.KEYBOARD))
    assert bench.settings.reads_keyboard
    assert bench.settings.draw(KEYED).inputs.uniforms.keys == held
    moment = Uniforms(time_s=5.0)
    drawn = bench.settings.draw(KEYED, uniforms=moment).inputs.uniforms
    assert (drawn.keys, drawn.time_s) == (held, 5.0)
    pressed = Keys(held=(66,))
    own = replace(moment, keys=pressed)
    assert bench.settings.draw(KEYED, uniforms=own).inputs.uniforms.keys == pressed
    before = len(bench.changes)
    bench.settings.set_keys(held)
    assert len(bench.changes) == before, "the same"
    bench.settings.set_keys(pressed)
    assert len(bench.changes) == before + 1
    bench.settings.set_texture("iChannel0", NOISE)
    assert not bench.settings.reads_keyboard
    assert not bench.settings.draw(KEYED).inputs.uniforms.keys


def test_a_launch_is_chosen_once(bench):
    choice = LaunchChoice(groups=(2, 1, 1))
    bench.settings.set_launch(choice)
    bench.settings.set_launch(choice)
    assert len(bench.changes) == 1
    assert bench.settings.draw(PLASMA).state.launch == choice
    assert isinstance(bench.settings.suspect(PLASMA), GivenProgram)
    bench.settings.leave_document()
    assert not bench.settings.launch


def test_inputs_are_listed_with_their_values_and_afresh_when_those_change(bench):
    first = bench.settings.listed()
    assert [each.name for each in first] == ["steps", "glow", "picture"]
    assert bench.settings.listed() is first
    bench.settings.set_value("glow", (0.5,))
    (glow,) = (each for each in bench.settings.listed() if each.name == "glow")
    assert glow.value == (0.5,)
    assert bench.settings.listed((3, 2)) is not bench.settings.listed((4, 2))
    bench.settings.leave_document()
    assert bench.settings.listed() == ()


def test_a_reset_of_what_was_not_given_is_no_change(bench):
    bench.settings.reset_input("glow")
    assert bench.changes == []
    bench.settings.set_texture("picture", NOISE)
    bench.settings.reset_input("picture")
    assert bench.given() == {}
    assert len(bench.changes) == 2


def test_pictures_of_passes_go_with_their_document_and_other_textures_stay(bench):
    bench.settings.use(KEYED)
    for given, kept in ((Texture(PassPicture("A")), {}), (NOISE, {"iChannel0": NOISE})):
        bench.settings.set_texture("iChannel0", given)
        bench.settings.leave_document()
        bench.settings.use(KEYED)
        assert bench.given() == kept


def test_a_frame_reads_the_keyboard_where_one_of_its_passes_does(bench):
    def showing(texture: Texture) -> DrawState:
        return DrawState(Inputs(textures={"iChannel0": Input(texture)}))

    keys = showing(Texture(Pattern.KEYBOARD))
    bench.settings.set_texture("picture", NOISE)
    for shown, buffer, reads in ((keys, NOISE, True), (NOISE, keys, True), (NOISE, NOISE, False)):
        states = [each if each is keys else showing(each) for each in (shown, buffer)]
        buffers = (ProjectPass("A", Path("a.frag"), states[1]),)
        project = Project(Path("toy.frag"), state=states[0], passes=buffers)
        bench.settings.use_passes(OtherPasses(project, "Image"))
        assert bench.settings.reads_keyboard == reads
        bench.settings.use_passes(OtherPasses(project))
        assert not bench.settings.reads_keyboard, "no pass is edited"


def test_only_another_run_is_announced_and_it_is_nothing_given(bench):
    told: list[int] = []
    bench.settings.run_changed.connect(lambda: told.append(len(bench.changes)))
    given = bench.settings.given_version
    bench.settings.count_at(CountedRun((64, 32), 3.0))
    bench.settings.count_at(CountedRun((64, 32), 3.0))
    assert told == [0], "before it is a change"
    assert len(bench.changes) == 1
    assert bench.settings.given_version == given
    counted = bench.settings.counted(PLASMA)
    assert (counted.size, counted.inputs.uniforms.time_s) == ((64, 32), 3.0)
    bench.settings.set_value("glow", (0.5,))
    assert bench.settings.given_version == given + 1


def test_what_a_program_given_by_a_file_holds_is_read_again_when_it_changes(bench):
    bench.settings.use(replace(PLASMA))
    assert bench.changes == []


@pytest.mark.parametrize("name", ["passes", "vertex"])
def test_something_still_compiled_or_wrong_beside_the_program_is_waited_for_or_told(bench, name):
    use = bench.settings.use_passes if name == "passes" else bench.settings.use_vertex
    nothing = getattr(bench.settings, name)
    assert not bench.settings.waiting
    assert bench.settings.problem is None
    use(nothing)
    assert bench.changes == []
    use(replace(nothing, waiting=True))
    assert bench.settings.waiting
    problem = UnsupportedShader("no such pass")
    use(replace(nothing, problem=problem))
    assert not bench.settings.waiting
    assert bench.settings.problem is problem
    assert len(bench.changes) == 2
