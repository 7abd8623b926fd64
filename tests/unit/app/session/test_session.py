"""The whole session over workers whose answers the test gives: what follows what, and what not."""

from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import pytest

from shaderlab.app.session.counted_run import CountedRun
from shaderlab.app.session.refining import REST_S
from shaderlab.errors import (
    CompileFailed,
    DeviceLost,
    NoVulkan,
    OutOfMemory,
    ShaderlabError,
    ShaderTimeout,
    UnsupportedShader,
)
from shaderlab.frontend.program import Dialect
from shaderlab.prediction.forms import Form
from shaderlab.spirv.analysis.influence import Influence
from shaderlab.workers.external import ExternalReports
from shaderlab.workers.supervisor.limits import Limits

from .driven import Driven
from .fakes import (
    FLOAT,
    OTHER,
    FakeWorker,
    forecast,
    frame,
    measurement,
    program,
    trace,
)

HUNG = ShaderTimeout("took longer than its limit")
OPTIMIZED, COMPILED = Form.OPTIMIZED, Form.COMPILED


# -- the way of one text --------------------------------------------------------------------


def test_a_document_is_edited_once_its_text_changed(driven):
    assert not driven.session.edited
    driven.session.edit("ab")
    assert driven.session.edited
    driven.session.open_text("b", "b.frag", None)
    assert not driven.session.edited


def test_what_could_not_be_counted_took_no_time_to_count(driven):
    driven.compiles("a")
    driven.device.answer(frame())
    driven.device.fail(ShaderlabError("no counters on this device"))
    latency = driven.session.latency
    assert latency.picture is not None
    assert (latency.counts, latency.trace_s, latency.forecasts) == (None, None, None)


def test_a_text_goes_all_the_way_and_each_step_is_timed(driven):
    session = driven.session
    driven.clock.move(0.03)
    driven.compiles("a")
    driven.clock.move(0.02)
    driven.device.answer(frame())
    driven.clock.move(0.04)
    driven.device.answer(trace())
    assert not session.complete
    driven.clock.move(0.01)
    driven.predictor.answer((forecast(),))
    assert session.complete
    timing = session.latency
    steps = (timing.compiled, timing.picture, timing.counts, timing.forecasts)
    assert steps == pytest.approx((0.03, 0.05, 0.09, 0.1))
    requests = (timing.compile_s, timing.draw_s, timing.trace_s, timing.predict_s)
    assert requests == pytest.approx((0.03, 0.02, 0.04, 0.01))


def test_a_program_that_changed_is_in_force_before_anyone_hears_of_it(driven):
    driven.serve()
    seen = []
    session = driven.session
    session.program_changed.connect(
        lambda: seen.append(
            (session.program.name, session.on_device.pictures.current, session.complete)
        )
    )
    session.edit("ab")
    driven.compiles("ab")
    assert seen == [("ab", False, False)]


def test_a_newer_text_stops_the_older_ones_counts_and_not_its_picture(driven):
    assert driven.text.on == "compile"
    driven.session.edit("ab")
    driven.compiles("a")
    assert driven.device.on == "render"
    driven.device.answer(frame())
    assert driven.device.on == "", "its counts would be of a text that is gone"
    driven.compiles("ab")
    driven.device.answer(frame())
    assert driven.device.on == "trace"


def test_forecasts_of_a_trace_that_was_overtaken_are_dropped_and_asked_anew(driven):
    driven.compiles("a")
    driven.device.answer(frame())
    driven.device.answer(trace())
    former = driven.predictor.open[0]
    driven.session.edit("ab")
    ab = driven.compiles("ab")
    driven.device.answer(frame())
    driven.device.answer(trace())
    assert driven.predictor.open == [former], "one request at a time"
    former.answer((forecast(time_s=7.0),))
    assert driven.session.forecasts == ()
    assert driven.predictor.open[0].of is ab
    driven.predictor.answer((forecast(time_s=8.0),))
    assert [each.time_s for each in driven.session.forecasts] == [8.0]


def test_a_second_document_drops_all_answers_for_the_first(driven):
    driven.compiles("a")
    driven.device.answer(frame())
    driven.device.answer(trace())
    driven.session.open_text("b", "b.frag", None)
    assert driven.session.program is None
    driven.predictor.answer((forecast(),))
    assert driven.session.forecasts == ()
    driven.serve("b")
    assert driven.session.complete
    assert driven.session.trace is not None


def test_a_program_that_ended_the_predictor_is_not_predicted_again(driven):
    driven.compiles("a")
    driven.device.answer(frame())
    driven.device.answer(trace())
    driven.predictor.fail(OutOfMemory("the predictor grew"))
    assert str(driven.session.forecast_error) == "the predictor grew"
    driven.session.read_targets()
    assert "predict" not in [request.task for request in driven.predictor.open]
    assert str(driven.session.forecast_error) == "the predictor grew"


def test_limits_hold_for_all_workers_and_those_made_later(driven):
    limits = Limits(frame=3.0)
    driven.session.set_limits(limits)
    driven.session.use_device(OTHER)
    for worker in (driven.text, driven.predictor, *driven.workers.devices[1:]):
        assert worker.limits is limits


def test_replacements_are_counted_by_role_and_for_the_present_device(driven):
    driven.text.replacements = 2
    driven.device.replacements = 5
    assert driven.session.replacements == {"compiler": 2, "predictor": 0, "device": 5}
    driven.session.use_device(OTHER)
    assert driven.session.replacements["device"] == 0


# -- modules --------------------------------------------------------------------------------


@pytest.fixture
def module(driven):
    driven.compiles("a")
    driven.session.open_module(Path("/x/m.spv"), "ab" * 32)
    made = program("m", dialect=Dialect.SPIRV)
    driven.text.answer(made)
    return made


def test_a_module_is_disassembled(driven, module, qtbot):
    with qtbot.waitSignal(driven.session.disassembled) as told:
        driven.text.answer("OpCapability")
    assert told.args == ["OpCapability"]


def test_assembly_of_a_document_that_was_left_is_dropped(driven, module, qtbot):
    driven.session.open_text("b", "b.frag", None)
    with qtbot.assertNotEmitted(driven.session.disassembled):
        driven.text.answer("OpCapability")


def test_a_module_that_ended_the_disassembler_is_not_given_to_it_again(driven, module):
    driven.text.fail(HUNG)
    driven.session.open_module(Path("/x/m.spv"), "ab" * 32)
    assert driven.text.on == ""
    assert [str(error) for error in driven.told] == [str(HUNG)] * 2


# -- programs that cannot be run ------------------------------------------------------------


def test_what_cannot_be_run_is_predicted_from_its_text_once(driven):
    made = driven.compiles("a")
    driven.device.fail(DeviceLost("ended by SIGSEGV"))
    driven.clock.move()
    assert driven.predictor.tasks.count("predict static") == 1
    assert driven.predictor.open[0].arguments == (made, "ended by SIGSEGV"), "there is no time"
    driven.predictor.answer((forecast(),))
    untraced = driven.session.untraced
    assert (untraced.program, untraced.reason) == (made, "ended by SIGSEGV")
    driven.session.on_device.state_changed.emit()
    driven.clock.move()
    assert driven.predictor.tasks.count("predict static") == 1
    driven.session.edit("b")
    driven.serve("b")
    driven.clock.move()
    assert untraced.forecasts == ()
    assert untraced.reason == ""


def test_what_the_device_cannot_draw_is_estimated_with_a_time(driven):
    made = driven.compiles("a")
    driven.device.fail(UnsupportedShader("no 64-bit integers"))
    driven.clock.move()
    assert driven.predictor.open[0].arguments == (made,)


def test_an_estimate_of_a_text_that_changed_is_dropped(driven):
    driven.compiles("a")
    driven.device.fail(DeviceLost("ended by SIGSEGV"))
    driven.clock.move()
    driven.session.edit("b")
    driven.compiles("b")
    driven.clock.move()
    driven.predictor.answer((forecast(),))
    assert driven.session.untraced.forecasts == ()


def test_a_program_that_ended_the_predictor_is_not_estimated_either(driven):
    driven.compiles("a")
    for _ in range(2):
        driven.device.fail(UnsupportedShader("no 64-bit integers"))
        driven.clock.move()
        if driven.predictor.open:
            driven.predictor.fail(HUNG)
        driven.session.open_text("a", "a.frag", None)
        driven.clock.settle()
    assert driven.predictor.tasks.count("predict static") == 1


def test_without_a_device_texts_are_estimated_once_that_is_known(qapp):
    driven = Driven()
    driven.session.open_text("a", "a.frag", None)
    driven.compiles("a")
    driven.clock.move()
    assert "predict static" not in driven.predictor.tasks
    driven.session.untraced.set_no_device("no Vulkan driver was found")
    driven.clock.move()
    assert driven.predictor.open[-1].task == "predict static"
    driven.close()


# -- the program's other forms --------------------------------------------------------------


@pytest.fixture
def formed(driven):
    driven.has_targets(OPTIMIZED)
    return driven


def test_a_form_is_asked_for_once_the_text_rested_and_all_else_is_there(formed):
    formed.clock.move(2 * REST_S)
    assert formed.optimizer.requests == [], "there are no forecasts yet"
    formed.session.edit("ab")
    made = formed.serve("ab")
    assert formed.session.refining.pending
    formed.clock.move(REST_S / 2)
    assert formed.optimizer.requests == []
    formed.clock.move(REST_S)
    assert [request.of for request in formed.optimizer.requests] == [made]
    smaller, counted = program("ab, optimised"), trace()
    formed.optimizer.answer(smaller)
    assert formed.device.open[0].of is smaller
    formed.device.answer(counted)
    request = formed.predictor.open[0]
    assert request.arguments[2] == {OPTIMIZED: (smaller, counted)}
    first = formed.session.forecasts
    assert first, "the first forecasts stay until better ones come"
    formed.predictor.answer((forecast("additive-optimized", OPTIMIZED),))
    assert formed.session.forecasts[0].form is OPTIMIZED
    assert not formed.session.refining.pending
    assert formed.session.forecasting.other_forms == {OPTIMIZED: (smaller, counted)}
    formed.clock.move(10 * REST_S)
    assert len(formed.optimizer.requests) == 1, "once per trace"


def test_with_another_input_a_form_is_counted_again_and_not_made_again(formed):
    glowing = program("a", inputs={"glow": FLOAT})
    formed.text.answer(glowing)
    formed.device.answer(frame())
    formed.text.answer(Influence({}))
    formed.device.answer(trace())
    formed.predictor.answer((forecast(),))
    formed.clock.move(2 * REST_S)
    smaller = program("a, optimised")
    formed.optimizer.answer(smaller)
    formed.device.answer(trace())
    formed.predictor.answer((forecast("additive-optimized", OPTIMIZED),))
    formed.session.drawing.set_value("glow", (2.0,))
    formed.device.answer(frame())
    formed.clock.move(REST_S)
    formed.device.answer(trace())
    formed.predictor.answer((forecast(),))
    formed.clock.move(2 * REST_S)
    assert len(formed.optimizer.requests) == 1
    draw = formed.device.open[0].arguments[0]
    assert draw.program is smaller
    assert draw.inputs.values["glow"].value == (2.0,)


def test_a_form_is_asked_for_one_second_after_the_last_change(formed):
    formed.serve("a")
    formed.clock.move(0.9)
    assert formed.optimizer.requests == []
    formed.clock.move(0.2)
    assert len(formed.optimizer.requests) == 1


def test_typing_on_puts_it_off(formed):
    formed.serve("a")
    for text in ("ab", "abc", "abcd"):
        formed.clock.move(0.9 * REST_S)
        formed.session.edit(text)
        formed.serve(text)
    assert formed.optimizer.requests == []
    formed.clock.move(REST_S)
    assert [request.of.name for request in formed.optimizer.requests] == ["abcd"]


def test_a_form_of_a_text_that_changed_is_given_up_and_never_counted(formed):
    formed.serve("a")
    formed.clock.move(REST_S)
    formed.session.edit("ab")
    formed.serve("ab")
    assert not formed.optimizer.given_up
    formed.clock.move(2.0)
    assert [request.of.name for request in formed.optimizer.given_up] == ["a"]
    assert [request.of.name for request in formed.optimizer.open] == ["ab"]
    assert formed.told == []


def test_an_optimiser_on_an_outdated_text_is_stopped_after_two_seconds(formed):
    formed.serve("a")
    formed.clock.move(REST_S)
    formed.session.edit("ab")
    formed.compiles("ab")
    formed.clock.move(0.9)
    assert not formed.optimizer.given_up
    formed.clock.move(1.2)
    assert [request.of.name for request in formed.optimizer.given_up] == ["a"]


def test_a_form_that_came_after_its_text_changed_is_not_counted(formed):
    formed.serve("a")
    formed.clock.move(REST_S)
    formed.session.edit("ab")
    formed.serve("ab")
    formed.optimizer.answer(program("a, optimised"))
    assert formed.device.on == ""
    assert formed.session.forecasting.other_forms == {}


def test_forms_go_with_the_trace_they_belong_to(formed):
    formed.serve("a")
    formed.clock.move(REST_S)
    formed.optimizer.answer(program("a, optimised"))
    formed.device.answer(trace())
    formed.predictor.answer((forecast("additive-optimized", OPTIMIZED),))
    formed.session.edit("ab")
    formed.serve("ab")
    assert formed.predictor.requests[-1].arguments[2] == {}
    assert formed.session.forecasting.other_forms == {}
    formed.clock.move(REST_S)
    formed.optimizer.answer(program("ab, optimised"))
    formed.device.answer(trace())
    formed.predictor.answer((forecast("additive-optimized", OPTIMIZED),))
    assert set(formed.session.forecasting.other_forms) == {OPTIMIZED}


def test_a_profile_comes_first(formed):
    formed.serve("a")
    formed.session.on_device.profiles.ask(3, 2)
    formed.clock.move(2 * REST_S)
    assert formed.optimizer.requests == []
    formed.device.answer(measurement())
    formed.clock.move(REST_S)
    assert len(formed.optimizer.requests) == 1


@pytest.mark.parametrize("error", [HUNG, CompileFailed("no")])
def test_where_a_form_is_not_available_the_first_forecasts_stay(formed, error):
    formed.serve("a")
    formed.clock.move(REST_S)
    formed.optimizer.fail(error)
    formed.clock.move(10 * REST_S)
    assert len(formed.optimizer.requests) == 1
    assert len(formed.session.forecasts) == 1
    assert formed.told == []
    formed.session.drawing.count_at(CountedRun((640, 480), 2.0))
    formed.device.answer(frame())
    formed.clock.move(REST_S)
    formed.device.answer(trace((640, 480)))
    formed.predictor.answer((forecast(),))
    formed.clock.move(2 * REST_S)
    assert len(formed.optimizer.requests) == 1, "of another frame of the same program, too"


def test_a_predictor_that_fails_with_forms_does_without(formed):
    formed.serve("a")
    first = formed.session.forecasts
    formed.clock.move(REST_S)
    formed.optimizer.answer(program("a, optimised"))
    formed.device.answer(trace())
    formed.predictor.fail(HUNG)
    assert formed.session.forecasts == first
    assert formed.session.forecast_error is None


# -- vendors' compilers ---------------------------------------------------------------------


class NoAnalysers:
    def analyse(self, *_):
        found: Future = Future()
        found.set_result(ExternalReports())
        return found

    def close(self):
        pass


@pytest.fixture
def vendors(driven, monkeypatch):
    """Two families in view; where nothing is counted, so that compiling is all there is to do."""
    monkeypatch.setattr("shaderlab.workers.external.Analysers", NoAnalysers)
    driven.has_vendors("navi23", "polaris10")
    driven.session.compiled.choose(["navi23", "polaris10"])
    return driven


def cannot_be_counted(driven, name: str = "a"):
    made = driven.compiles(name)
    driven.device.answer(frame())
    driven.device.fail(ShaderlabError("no counters on this device"))
    return made


def test_nothing_is_looked_for_or_compiled_before_anyone_looks(vendors):
    cannot_be_counted(vendors)
    assert vendors.workers.background == []
    vendors.session.compiled.show(True)
    assert vendors.vendors.tasks == ["compile", "compile"]
    assert vendors.workers.background == ["look", "compiled"]


def test_compilers_are_looked_for_again_where_there_were_none(driven):
    compiled = driven.session.compiled
    compiled.show(True)
    driven.clock.settle()
    driven.workers.looking.set_exception(NoVulkan("no RADV"))
    driven.clock.settle()
    compiled.look()
    driven.clock.settle()
    assert isinstance(compiled.error, NoVulkan)
    assert driven.workers.background.count("look") == 1
    driven.workers.looking = Future()
    driven.has_vendors("navi23")
    compiled.retry()
    driven.clock.settle()
    assert compiled.error is None
    assert [each.family.slug for each in compiled.targets] == ["navi23"]


def test_it_comes_after_picture_and_counts_of_the_text_as_it_stands(vendors):
    vendors.session.compiled.show(True)
    vendors.compiles("a")
    assert vendors.vendors.requests == []
    vendors.device.answer(frame())
    assert vendors.vendors.requests == []
    vendors.device.fail(ShaderlabError("no counters on this device"))
    assert len(vendors.vendors.requests) == 2
    for request in vendors.vendors.open:
        request.answer(f"code for {request.arguments[1]}")
    current = vendors.session.compiled.current
    assert dict(current.stats) == {
        "navi23": "code for navi23",
        "polaris10": "code for polaris10",
    }
    vendors.session.edit("ab")
    assert vendors.vendors.open == []
    vendors.compiles("ab")
    assert vendors.vendors.open == []


def test_one_familys_failure_is_its_own_and_is_remembered_for_it(vendors):
    vendors.session.compiled.show(True)
    cannot_be_counted(vendors)
    navi, polaris = vendors.vendors.open
    navi.fail(HUNG)
    assert vendors.session.compiled.busy
    polaris.answer("code")
    current = vendors.session.compiled.current
    assert (dict(current.stats), dict(current.problems)) == (
        {"polaris10": "code"},
        {"navi23": HUNG},
    )


def test_families_whose_compiler_the_program_ended_are_left_out_until_one_asks(vendors):
    compiled = vendors.session.compiled
    compiled.show(True)
    cannot_be_counted(vendors)
    for request in vendors.vendors.open:
        request.fail(HUNG)
    vendors.session.open_text("b", "b.frag", None)
    cannot_be_counted(vendors, "b")
    for request in vendors.vendors.open:
        request.answer("code of b")
    vendors.session.open_text("a", "a.frag", None)
    vendors.clock.settle()
    vendors.device.answer(frame())
    assert len(vendors.vendors.requests) == 4
    assert compiled.current.problems == {"navi23": HUNG, "polaris10": HUNG}
    compiled.retry()
    assert len(vendors.vendors.open) == 2


def test_compiling_a_text_that_changed_is_given_up_and_not_shown(vendors):
    vendors.session.compiled.show(True)
    cannot_be_counted(vendors)
    vendors.session.edit("ab")
    vendors.compiles("ab")
    assert not vendors.vendors.given_up
    vendors.clock.move(1.0)
    assert [request.of.name for request in vendors.vendors.given_up] == ["a", "a"]
    assert vendors.session.compiled.current is None
    assert not vendors.session.compiled.busy
    vendors.device.answer(frame())
    vendors.device.fail(ShaderlabError("no counters on this device"))
    assert [request.of.name for request in vendors.vendors.open] == ["ab", "ab"]


def test_a_request_cancelled_in_a_shared_queue_does_not_stop_the_rest(vendors):
    vendors.session.compiled.show(True)
    cannot_be_counted(vendors)
    navi, polaris = vendors.vendors.open
    navi.future.cancel()
    polaris.answer("code")
    assert [request.arguments[1] for request in vendors.vendors.open] == ["navi23"]


def test_the_pinned_program_is_compiled_for_families_chosen_later(vendors):
    compiled = vendors.session.compiled
    compiled.show(True)
    compiled.choose(["navi23"])
    cannot_be_counted(vendors)
    vendors.vendors.answer("code of a")
    vendors.session.versions.pin("first")
    vendors.session.edit("ab")
    cannot_be_counted(vendors, "ab")
    vendors.vendors.answer("code of ab")
    assert compiled.before == {"navi23": "code of a"}
    compiled.choose(["navi23", "polaris10"])
    vendors.vendors.answer("code of ab for polaris")
    vendors.clock.move(10.0)
    assert not vendors.vendors.given_up, "its being another program does not outdate it"
    vendors.vendors.answer("code of a for polaris")
    assert compiled.pinned.stats["polaris10"] == "code of a for polaris"
    assert compiled.current.stats["polaris10"] == "code of ab for polaris"


@pytest.mark.parametrize(("error", "problems"), [(None, ()), (HUNG, (str(HUNG),))])
def test_an_analyser_is_asked_once_and_its_hanging_blames_no_program(
    driven, monkeypatch, error, problems
):
    asked = []

    class Analysers(NoAnalysers):
        def analyse(self, program, slugs, *_):
            asked.append((program, slugs))
            found: Future = Future()
            found.set_exception(error) if error else found.set_result(ExternalReports())
            return found

    monkeypatch.setattr("shaderlab.workers.external.Analysers", Analysers)
    driven.has_vendors("navi23")
    compiled = driven.session.compiled
    compiled.choose(["navi23"])
    compiled.show(True)
    made = cannot_be_counted(driven)
    assert asked == [], "not before the families on screen"
    driven.vendors.answer("code")
    assert asked == [(made, ("navi23",))]
    assert compiled.current.external.problems == problems
    assert not driven.session.quarantine.reason(made, "analyse")
    compiled.set_analysers({"malioc": "/opt/malioc"})
    driven.clock.settle()
    assert len(asked) == 2, "it may be another analyser now"


class FakeCosts(FakeWorker):
    """In the place of `FrameCosts`."""

    made: ClassVar[list] = []

    def __init__(self, compiler, device, compilers):
        super().__init__(settle=compilers._settle)
        self.device = device
        self.made.append(self)

    def cost(self, draw, *, trace, stats):
        return self._ask("cost", draw, set(stats))

    def abandon(self) -> None:
        super().abandon(self.open[0].future)


@pytest.fixture
def costed(vendors, monkeypatch):
    """One family, compiled, and its frame being counted."""
    monkeypatch.setattr("shaderlab.workers.frame_costs.FrameCosts", FakeCosts)
    FakeCosts.made.clear()
    vendors.session.compiled.choose(["navi23"])
    vendors.session.compiled.show(True)
    vendors.serve("a")
    vendors.vendors.answer("code of a")
    return vendors


def frame_of(cost: str):
    return SimpleNamespace(costs={"navi23": cost}, uncounted={})


def test_a_compiled_program_is_counted_apart_from_the_preview(costed):
    (costs,) = FakeCosts.made
    assert costs.open[0].of is costed.session.program
    assert costs.device is not costed.device
    costed.session.on_device.pictures.step()
    assert costed.device.on == "render"
    costs.answer(frame_of("two milliseconds"))
    current = costed.session.compiled.current
    assert (current.costs, current.cost_problem) == ({"navi23": "two milliseconds"}, None)
    assert not costed.session.compiled.busy


def test_what_counts_frames_ends_with_the_session(costed):
    (costs,) = FakeCosts.made
    assert not costs.closed
    costed.session.close()
    assert costs.closed


def test_a_frame_of_a_program_that_changed_is_given_up(costed):
    (costs,) = FakeCosts.made
    costed.clock.move(5.0)
    costed.session.edit("ab")
    assert not costs.given_up
    costed.serve("ab")
    assert [request.of.name for request in costs.given_up] == ["a"]
    costed.vendors.answer("code of ab")
    assert costs.open[0].of.name == "ab"


def test_another_device_counts_anew_and_blames_nobody(costed):
    (costs,) = FakeCosts.made
    (request,) = costs.open
    made = costed.session.program
    costed.session.use_device(OTHER)
    assert costs.closed
    assert costs.device.closed
    request.fail(DeviceLost("shut down"))
    assert not costed.session.quarantine.reason(made, "compiled frame")
    costed.device.answer(frame())
    costed.device.answer(trace())
    second = FakeCosts.made[1]
    assert second.device.info is OTHER
    assert second.open[0].of is made


def test_a_program_that_ended_the_counting_is_not_counted_again_unasked(costed):
    (costs,) = FakeCosts.made
    costs.fail(HUNG)
    assert costed.session.compiled.current.cost_problem is HUNG
    costed.session.open_text("a", "a.frag", None)
    costed.clock.settle()
    costed.device.answer(frame())
    assert len(costs.requests) == 1
    assert costed.session.compiled.current.cost_problem is HUNG


def test_only_families_without_a_cost_are_counted_and_each_once(costed):
    (costs,) = FakeCosts.made
    costs.answer(frame_of("two milliseconds"))
    costed.session.compiled.choose(["navi23", "polaris10"])
    costed.vendors.answer("code for polaris10")
    assert costs.open[0].arguments[1] == {"polaris10"}
    costs.answer(SimpleNamespace(costs={"polaris10": "three milliseconds"}, uncounted={}))
    current = costed.session.compiled.current
    assert current.costs == {"navi23": "two milliseconds", "polaris10": "three milliseconds"}
    costed.session.compiled.retry()
    assert costs.tasks == ["cost", "cost"]


def test_a_family_whose_compiler_failed_is_not_counted(costed):
    (costs,) = FakeCosts.made
    costs.answer(frame_of("two milliseconds"))
    costed.session.compiled.choose(["navi23", "polaris10"])
    costed.vendors.fail(CompileFailed("no"))
    assert costs.tasks == ["cost"]
    assert not costed.session.compiled.busy


def test_a_frame_without_cycles_is_a_problem_and_is_not_asked_for_again(costed):
    (costs,) = FakeCosts.made
    costs.answer(SimpleNamespace(costs={}, uncounted={"navi23": "no cycles"}))
    assert "no cycles" in str(costed.session.compiled.current.cost_problem)
    assert costs.tasks == ["cost"]


def test_the_functions_a_stage_may_begin_with_are_asked_of_the_compiler(driven):
    told = []
    driven.compiles("a")
    driven.session.ask_entry_points(told.append)
    request = driven.text.open[-1]
    assert request.task == "entry points"
    assert request.arguments[:3] == ("a", "a.frag", None)
    request.answer(("main", "other"))
    assert told == [("main", "other")]
    driven.session.ask_entry_points(told.append)
    driven.text.open[-1].fail(ShaderlabError("none"))
    assert len(told) == 1


def test_what_pictures_depend_on_is_told(driven):
    assert driven.session.files_read == ()
    driven.text.answer(replace(program("a"), includes=("lib/a.glsl",)))
    assert driven.session.files_read == ("lib/a.glsl",)
    assert driven.session.history is driven.session.forecasting.history


# -- samples --------------------------------------------------------------------------------


def test_recording_profiles_first_where_nothing_is_measured(driven):
    driven.serve("a")
    driven.session.samples.record("a", 3, 2)
    assert driven.device.on == "profile"
    assert driven.session.samples.stage == "profile"
    driven.device.fail(HUNG)
    assert driven.session.samples.stage == ""
