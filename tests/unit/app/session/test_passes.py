"""Passes of a project: compiled beside the text, drawn with it, and named when they fail."""

from dataclasses import replace

import pytest

from shaderlab.app.session.other_passes import OtherPasses, edited_pass
from shaderlab.app.session.shown_pass import EDITED, FINAL, named
from shaderlab.errors import CompileFailed, OutOfDeviceMemory
from shaderlab.frontend.program import Diagnostic, Severity
from shaderlab.frontend.reading import Language, Reading
from shaderlab.frontend.stage import Stage
from shaderlab.projects.project import Project, ProjectPass
from shaderlab.scene.draw import Attachments, ColourFormat, Draw, DrawState
from shaderlab.scene.inputs import Input, Inputs
from shaderlab.scene.textures import PassPicture, Texture
from shaderlab.spirv.heat import HeatKind, HeatView

from .driven import analysed, change, load
from .fakes import REST_MORE_S, forecast, frame, measurement, program, trace

IMAGE = program("image", textures=["iChannel0"])
BUFFER, CHANGED = program("buffer"), program("buffer, changed")
OWN_SIZE = (64, 32)


@pytest.fixture
def project(tmp_path):
    for name in ("toy.frag", "a.frag"):
        (tmp_path / name).write_text(name)
    reads = Inputs(textures={"iChannel0": Input(Texture(PassPicture("A")))})
    own = DrawState(attachments=Attachments(OWN_SIZE, ColourFormat.RGBA32F))
    buffer = ProjectPass("A", tmp_path / "a.frag", own)
    return Project(tmp_path / "toy.frag", state=DrawState(reads), passes=(buffer,))


@pytest.fixture
def opened(driven, project):
    """The project's image, whose text has compiled; its buffer is being compiled."""
    driven.compiles("a")
    driven.device.answer(frame())
    driven.device.answer(trace())
    driven.predictor.answer(())
    driven.session.open_text("toy", "toy.frag", project.shader.parent)
    driven.session.drawing.take(project.state)
    driven.session.use_project(project, "toy.shaderlab.toml", project.shader)
    driven.text.answer(IMAGE)
    return driven


def loaded(driven, answer) -> None:
    """The compile of a pass that is under way ends so."""
    analysed(driven)  # the child answers one after the other
    (request,) = (each for each in driven.text.open if each.task == "load")
    load(request, answer)


def frames(driven):
    return driven.device.frames


def test_nothing_is_drawn_before_the_passes_it_reads_have_compiled(opened):
    before = len(opened.device.requests)
    assert opened.device.on == ""
    loaded(opened, BUFFER)
    assert opened.device.on == "render"
    assert len(opened.device.requests) == before + 1
    (buffer, image) = frames(opened)[-1].passes
    assert (buffer.name, buffer.draw.program, buffer.draw.size) == ("A", BUFFER, OWN_SIZE)
    assert (image.name, image.draw.program) == ("Image", IMAGE)


def test_compiling_again_compiles_the_other_passes_too(opened, project):
    loaded(opened, BUFFER)
    change(project.passes[0].shader)
    opened.session.compile_again()
    analysed(opened)
    assert [each.of.name for each in opened.text.open if each.task == "load"] == ["a.frag"]


def test_passes_have_names_in_the_order_they_run(opened, project):
    assert opened.session.drawing.passes.names == ("A", "Image")
    assert OtherPasses(project).names == OtherPasses().names == ()
    assert OtherPasses(project).digest == OtherPasses().digest == ""


def test_the_edited_pass_is_counted_and_profiled_in_its_frame(opened):
    loaded(opened, BUFFER)
    opened.device.answer(frame())
    opened.clock.move(REST_MORE_S)
    assert opened.device.on == "trace pass"
    assert opened.device.open[0].arguments[1] == "Image"
    opened.device.answer(trace())
    assert opened.session.on_device.counts.current
    assert opened.session.on_device.counts.draw.program is IMAGE
    opened.device.answer(trace())  # of the other pass
    opened.session.on_device.profiles.ask(2, 3)
    assert opened.device.on == "profile pass"
    assert opened.device.open[0].arguments[1:] == ("Image", 2, 3)
    own, other, together = measurement(), measurement(), measurement()
    opened.device.answer(own)
    assert opened.device.open[0].arguments[1:] == ("A", 2, 3)
    opened.device.answer(other)
    assert opened.device.on == "profile frame"
    opened.device.answer(together)
    profiles = opened.session.on_device.profiles
    assert profiles.measurement is own
    assert (profiles.frame.passes["A"], profiles.frame.passes["Image"]) == (other, own)
    assert list(profiles.frame.passes) == ["A", "Image"]
    assert profiles.frame.together is together


def test_a_pass_that_cannot_be_timed_leaves_the_edited_one_its_time(opened):
    counted(opened)
    profiles = opened.session.on_device.profiles
    profiles.ask(2, 3)
    opened.device.answer(measurement())
    opened.device.fail(OutOfDeviceMemory("no room"))
    assert profiles.measurement is not None
    assert profiles.frame is None
    assert str(profiles.error) == "no room"
    profiles.ask(2, 3, alone=True)
    opened.device.answer(measurement())
    assert not profiles.running
    assert profiles.error is None


def failure() -> CompileFailed:
    return CompileFailed("it does not", (Diagnostic(3, 1, Severity.ERROR, "x is unknown"),))


def test_a_pass_that_fails_is_located_and_its_last_program_kept(opened, project):
    loaded(opened, BUFFER)
    opened.device.answer(frame())
    change(project.passes[0].shader)
    opened.session.passes.again()
    loaded(opened, failure())
    (found,) = opened.session.diagnostics
    assert (found.file, found.line, found.message) == ("a.frag", 3, "x is unknown")
    assert opened.session.on_device.pictures.error is None
    assert tuple(opened.session.drawing.passes.programs.values()) == (BUFFER,)
    change(project.passes[0].shader)
    opened.session.passes.again()
    loaded(opened, CHANGED)
    assert opened.session.diagnostics == ()
    assert opened.device.on == "render"
    assert frames(opened)[-1].draws[0].program is CHANGED


def test_without_a_pass_that_ever_compiled_there_is_no_picture_but_a_reason(opened, project):
    loaded(opened, failure())
    assert opened.device.on == ""
    error = opened.session.on_device.pictures.error
    assert "a.frag:3: x is unknown" in str(error)
    told = []
    opened.session.on_device.profiles.changed.connect(lambda: told.append(error))
    opened.session.on_device.profiles.ask(2, 3)
    assert told == [error]
    assert opened.session.on_device.profiles.error is error
    assert not opened.session.on_device.profiles.running
    change(project.passes[0].shader)
    opened.session.passes.again()
    loaded(opened, BUFFER)
    assert opened.session.on_device.pictures.error is None
    assert opened.device.on == "render"


def counted(opened):
    loaded(opened, BUFFER)
    opened.device.answer(frame())
    opened.clock.move(REST_MORE_S)
    opened.device.answer(trace())
    opened.device.answer(trace())  # of the other pass


def test_the_picture_and_the_heat_map_are_of_the_pass_chosen(opened):
    counted(opened)
    pictures, view = opened.session.on_device.pictures, HeatView(HeatKind.INSTRUCTIONS)
    pictures.show_pass(named("A"))
    assert opened.device.on == "render"
    assert opened.device.open[0].of is BUFFER
    opened.device.answer(frame())
    pictures.show_heat(view)
    assert opened.device.on == "heat"
    assert opened.device.open[0].of is BUFFER
    opened.device.answer(frame(view=view))
    pictures.show_pass(FINAL)
    assert opened.device.open[0].of is IMAGE
    opened.device.answer(frame(view=view))
    assert opened.device.on == ""


def test_blocks_are_counted_in_the_edited_pass_alone(opened):
    counted(opened)
    pictures = opened.session.on_device.pictures
    pictures.show_pass(named("A"))
    opened.device.answer(frame())
    pictures.show_heat(HeatView(HeatKind.BLOCKS, frozenset({7})))
    assert pictures.heat_is_of_others
    assert opened.device.on == ""
    pictures.show_pass(EDITED)
    assert opened.device.on == "heat"


def test_a_buffer_s_own_text_is_drawn_in_the_frame(driven, project):
    buffer = project.passes[0]
    driven.compiles("a")
    driven.session.open_text("buffer", "a.frag", buffer.shader.parent)
    driven.session.use_project(project, "toy.shaderlab.toml", buffer.shader)
    (compile_,) = (each for each in driven.text.open if each.arguments[0] == "buffer")
    compile_.answer(BUFFER)
    loaded(driven, IMAGE)
    driven.device.answer(frame())  # of the document before
    shown = frames(driven)[-1]
    assert [each.program for each in shown.draws] == [BUFFER, IMAGE]
    while driven.device.on == "render":
        driven.device.answer(frame())
    driven.clock.move(REST_MORE_S)
    counted = driven.device.open[0].arguments[0]
    assert counted.program is BUFFER, "alone: it reads no other pass"
    assert driven.device.open[0].arguments[0].size == OWN_SIZE


def test_another_document_has_neither_passes_nor_their_pictures(opened):
    loaded(opened, BUFFER)
    opened.device.answer(frame())
    opened.session.open_text("other", "other.frag", None)
    (compile_,) = (each for each in opened.text.open if each.task == "compile")
    compile_.answer(program("other", textures=["iChannel0"]))
    assert opened.device.on == "render"
    (only,) = frames(opened)[-1].draws
    assert not only.inputs.textures
    assert opened.session.files_read == ()


def test_the_text_is_read_as_its_project_says(driven, project):
    driven.compiles("a")
    known = replace(project, passes=(), language="glsl", defines=(("ROUNDS", "3"),))
    driven.session.open_text("text", "toy.frag", project.shader.parent)
    driven.session.use_project(known, "toy.shaderlab.toml", project.shader)
    (asked,) = driven.text.open
    assert asked.arguments[0] == "text"
    assert asked.arguments[3] == Reading(Language.GLSL, defines=(("ROUNDS", "3"),))
    driven.session.use_project(
        replace(known, language="basic"), "toy.shaderlab.toml", project.shader
    )
    assert "basic" in str(driven.told[-1])


def test_frames_with_passes_are_compiled_for_other_gpus_and_not_counted(opened):
    opened.has_vendors("navi23")
    opened.session.compiled.choose(["navi23"])
    opened.session.compiled.show(True)
    loaded(opened, BUFFER)
    opened.device.answer(frame())
    opened.clock.move(REST_MORE_S)
    opened.device.answer(trace())
    analysed(opened)
    opened.predictor.answer((forecast(),))
    opened.device.answer(trace())
    opened.predictor.answer(())
    opened.vendors.answer("code")
    current = opened.session.compiled.current
    assert "passes are not counted" in str(current.cost_problem)
    assert current.costs == {}


def test_before_a_first_compile_the_other_passes_are_waited_for(opened):
    passes = opened.session.drawing.passes
    assert passes.waiting
    assert passes.problem is None
    loaded(opened, BUFFER)
    assert not opened.session.drawing.passes.waiting
    opened.session.passes.again()
    assert not opened.session.drawing.passes.waiting, "the last program stands"


def test_a_pass_of_another_stage_says_so(opened):
    loaded(opened, replace(BUFFER, stage=Stage.COMPUTE))
    assert opened.session.drawing.passes.programs == {}
    (found,) = opened.session.diagnostics
    assert found.message == "a pass is a fragment shader, not a compute shader"
    assert (found.file, found.line, found.severity) == ("a.frag", 0, Severity.ERROR)
    error = str(opened.session.drawing.problem)
    assert error == (
        "a pass of this frame does not compile: a.frag: "
        "a pass is a fragment shader, not a compute shader"
    )


def test_an_error_in_an_included_file_is_located_there(opened, project, tmp_path):
    inner = Diagnostic(2, 1, Severity.ERROR, "y is unknown", "lib/noise.glsl")
    remark = Diagnostic(1, 1, Severity.WARNING, "unused")
    loaded(opened, CompileFailed("no", (remark, inner)))
    (found,) = opened.session.diagnostics
    assert (found.file, found.line, found.severity) == ("lib/noise.glsl", 2, Severity.ERROR)
    change(project.passes[0].shader)
    opened.session.passes.again()
    loaded(opened, CompileFailed("no", (remark,)))
    (found,) = opened.session.diagnostics
    assert (found.file, found.message, found.severity) == ("a.frag", "unused", Severity.ERROR)
    change(project.passes[0].shader)
    opened.session.passes.again()
    loaded(opened, CompileFailed("no", (replace(inner, file="/elsewhere/x.glsl"),)))
    assert opened.session.diagnostics[0].file == "/elsewhere/x.glsl"


def test_files_to_watch_are_the_other_passes_with_what_they_include(opened, tmp_path):
    watched = opened.session.passes
    assert watched.files == (str(tmp_path / "a.frag"),)
    loaded(opened, replace(BUFFER, includes=("/lib/noise.glsl",)))
    assert watched.files == ("/lib/noise.glsl", str(tmp_path / "a.frag"))
    watched.clear()
    assert watched.files == ()


def test_a_project_read_otherwise_is_compiled_again(opened):
    passes = opened.session.passes
    loaded(opened, BUFFER)
    reading = Reading(Language.GLSL)
    passes.read_as(reading)
    passes.read_as(reading)
    loaded(opened, BUFFER)
    assert [each.task for each in opened.text.requests].count("load") == 2
    told: list[int] = []
    passes.changed.connect(lambda: told.append(1))
    passes.clear()
    passes.again()
    assert told == [1]
    assert [each.task for each in opened.text.requests].count("load") == 2


def test_a_shader_of_no_pass_has_no_frame_around_it(driven, project, tmp_path):
    driven.compiles("a")
    driven.session.passes.open(project, "toy.shaderlab.toml", tmp_path / "other.frag")
    assert driven.session.passes.files == ()
    assert driven.text.on == ""


def test_a_project_in_no_language_has_no_frame(driven, project):
    driven.compiles("a")
    known = replace(project, language="basic")
    driven.session.passes.open(known, "toy.shaderlab.toml", project.shader)
    assert "basic" in str(driven.session.drawing.passes.problem)
    assert driven.text.on == ""


def test_a_shader_is_found_by_its_passs_name(project):
    passes = OtherPasses(project, "A")
    assert passes.shader("A") == project.passes[0].shader
    assert passes.shader("Image") == project.shader
    assert passes.shader("B") is None
    assert OtherPasses().shader("Image") is None
    assert OtherPasses(project).shader("Image") is None
    assert edited_pass(project, project.shader) == "Image"
    assert edited_pass(replace(project, passes=()), project.shader) == ""


def test_passes_are_others_when_a_program_the_state_or_the_edited_one_is(project):
    path = project.passes[0].shader
    one = OtherPasses(project, "Image", {(path, ""): BUFFER})
    others = (
        replace(one, programs={path: CHANGED}),
        replace(one, edited="A"),
        replace(one, project=replace(project, state=DrawState())),
        replace(one, project=replace(project, passes=())),
    )
    assert len({each.digest for each in (one, *others)}) == 5
    assert replace(one, waiting=True).digest == one.digest


def test_an_edited_buffer_is_drawn_with_its_own_attachments(project):
    passes = OtherPasses(project, "A", {project.text: IMAGE})
    edited = Draw(CHANGED, DrawState(attachments=Attachments((320, 200))))
    assert passes.draw(edited).size == OWN_SIZE
    assert passes.draw(edited).program is CHANGED
    assert passes.frame(edited).shown.size == (320, 200)
    assert OtherPasses().draw(edited) is edited
