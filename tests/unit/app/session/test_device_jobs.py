"""What a device is asked for, in which order, and what is made of its answers."""

from itertools import pairwise

import pytest

from shaderlab.app.qt import QApplication, QObject
from shaderlab.app.session.bridge import Bridge
from shaderlab.app.session.device_jobs import DeviceJobs
from shaderlab.app.session.device_place import PATIENCE_S
from shaderlab.app.session.draw_settings import REST_S, DrawSettings
from shaderlab.app.session.jobs import Tools
from shaderlab.app.session.picture_jobs import FRAME_INTERVAL_S, WAY_S
from shaderlab.app.session.suspects import Suspects
from shaderlab.app.session.workers import Crew
from shaderlab.errors import (
    DeviceLost,
    DeviceStuck,
    OutOfDeviceMemory,
    Quarantined,
    ShaderTimeout,
    StuckDuring,
    UnsupportedShader,
)
from shaderlab.scene.draw import CANONICAL
from shaderlab.spirv.heat import HeatKind, HeatView
from shaderlab.workers import answering

from .fakes import (
    FLOAT,
    LLVMPIPE,
    OTHER,
    FakeClock,
    FakeDevice,
    FakeWorkers,
    Loop,
    frame,
    measurement,
    program,
    trace,
)

PLASMA, CLOUDS = program("plasma"), program("clouds")
HUNG = ShaderTimeout("took longer than its limit")
HEAT = HeatView(HeatKind.INSTRUCTIONS)


class Noting(Suspects):
    """Notes what is to be named on disk while it is under way."""

    def __init__(self):
        super().__init__()
        self.begun: list[tuple[str, str]] = []

    def begin(self, suspect, task, place):
        self.begun.append((suspect.name, task))
        return lambda: None


class Bench:
    """A device with its jobs, paused unless a test plays it."""

    def __init__(self):
        self.owner = QObject()
        self.clock, self.quarantine = FakeClock(), Noting()
        self.loop = loop = Loop(self.clock)
        tools = Tools(Bridge(self.owner), self.quarantine, self.clock, Crew(FakeWorkers()), loop)
        self.settings = DrawSettings(self.clock, self.owner)
        self.jobs = DeviceJobs(tools, self.settings, self.owner)
        self.jobs.pictures.playback.pause()
        self.worker = FakeDevice(settle=loop.settle)
        self.jobs.use(self.worker)
        self.traces: list[object] = []
        self.jobs.counts.changed.connect(lambda: self.traces.append(self.jobs.counts.trace))

    def answer(self, task: str, value: object = None) -> None:
        """Answer what is under way, which must be this."""
        assert self.worker.on == task
        answers = {"render": frame(), "trace": trace(), "profile": measurement()}
        self.worker.answer(value or answers[task])

    def serve(self, of=PLASMA) -> None:
        """Draw and count it."""
        self.jobs.set_program(of)
        self.answer("render")
        self.answer("trace")


@pytest.fixture
def bench(qapp):
    bench = Bench()
    yield bench
    bench.loop.end()


# -- the order ------------------------------------------------------------------------------


def test_a_program_is_drawn_then_counted_then_the_device_rests(bench):
    bench.serve()
    assert bench.worker.tasks == ["render", "trace"]
    assert bench.worker.requests[1].arguments == (CANONICAL.draw(PLASMA),)
    assert bench.jobs.pictures.current
    assert bench.jobs.counts.current
    assert bench.traces == [bench.jobs.counts.trace]
    assert bench.jobs.counts.program is PLASMA


def test_a_profile_comes_before_frames(bench):
    bench.jobs.pictures.playback.play()
    bench.jobs.set_program(PLASMA)
    bench.jobs.profiles.ask(3, 2)
    for task in ("render", "trace", "profile"):
        bench.answer(task)
    bench.clock.move(FRAME_INTERVAL_S)
    assert bench.worker.on == "render"


def test_a_profile_stops_the_preview_and_its_time(bench):
    bench.jobs.pictures.playback.play()
    bench.serve()
    bench.clock.move(FRAME_INTERVAL_S)
    before = bench.jobs.pictures.playback.time_s
    bench.jobs.profiles.ask(3, 2, ((256, 192), (1024, 768)))
    bench.answer("render")
    for size in ((256, 192), (1024, 768)):
        bench.clock.move(30.0)
        assert bench.worker.open[0].arguments[0].size == size
        assert bench.jobs.profiles.running
        bench.answer("profile", measurement(size))
    assert [m.size for m in bench.jobs.profiles.by_size] == [(256, 192), (1024, 768)]
    assert bench.jobs.profiles.measurement.size == (1024, 768)
    assert not bench.jobs.profiles.running
    bench.clock.move(FRAME_INTERVAL_S)
    assert bench.worker.on == "render"
    assert bench.jobs.pictures.playback.time_s - before < 0.1


def test_frames_come_sixty_times_a_second_and_only_while_seen(bench):
    bench.jobs.pictures.playback.play()
    bench.serve()
    sent_at = [bench.clock.now()]
    for _ in range(3):
        assert bench.worker.on == ""
        while bench.worker.on == "":
            bench.clock.move(0.0001)
        sent_at.append(bench.clock.now())
        bench.clock.move(0.004)
        bench.answer("render")
    gaps = [after - before for before, after in pairwise(sent_at)]
    assert gaps == pytest.approx([1 / 60] * 3, abs=0.0002)
    bench.jobs.pictures.set_visible(False)
    bench.clock.move(1.0)
    assert bench.worker.on == ""
    bench.jobs.pictures.set_visible(True)
    assert bench.worker.on == "render"


def test_no_frame_is_begun_while_what_the_user_waits_for_is_on_its_way(bench):
    bench.jobs.pictures.playback.play()
    bench.serve()
    bench.jobs.pictures.give_way()
    bench.clock.move(WAY_S - 0.001)
    assert bench.worker.on == "", "several frames' time"
    bench.jobs.set_program(CLOUDS)
    assert bench.worker.on == "render", "the first picture is what is waited for"
    bench.answer("render")
    bench.answer("trace")
    bench.clock.move(FRAME_INTERVAL_S)
    assert bench.worker.on == "render"


def test_a_slow_frame_is_drawn_again_smaller_and_its_rate_forgotten(bench):
    bench.jobs.pictures.playback.play()
    bench.serve()
    for _ in range(2):
        bench.clock.move(1 / 60)
        bench.answer("render")
    bench.clock.move(1 / 60)
    full = bench.worker.open[0].arguments[0].size
    assert bench.jobs.pictures.rate.value is not None
    bench.answer("render", frame(took_s=3 * bench.jobs.pictures.budget.budget_s))
    assert bench.jobs.pictures.rate.value is None
    assert bench.worker.open[0].arguments[0].size == (full[0] // 2, full[1] // 2)


def test_another_size_begins_at_the_full_one_and_is_drawn_once(bench):
    bench.serve()
    bench.jobs.pictures.step()
    for took_s in (3.0, 0.6):
        bench.answer("render", frame(took_s * bench.jobs.pictures.budget.budget_s))
    bench.jobs.pictures.set_size((640, 400))
    assert bench.worker.open[0].arguments[0].size == (640, 400)
    bench.answer("render")
    bench.jobs.pictures.set_size((640, 400))
    assert bench.worker.on == ""


def test_going_back_to_the_start_is_drawn_though_paused(bench):
    bench.serve()
    bench.jobs.pictures.step()
    assert bench.worker.open[0].arguments[0].inputs.uniforms.frame == 1
    bench.answer("render")
    bench.jobs.pictures.restart()
    assert bench.worker.open[0].arguments[0].inputs.uniforms.frame == 0


def test_a_shader_reads_the_rate_of_frames_once_there_is_one(bench):
    bench.jobs.pictures.playback.play()
    bench.serve()
    rates = []
    for _ in range(3):
        bench.clock.move(1 / 30)
        rates.append(bench.worker.open[0].arguments[0].inputs.uniforms.frame_rate)
        bench.answer("render")
    assert rates == pytest.approx([60.0, 60.0, 30.0])


def test_before_anything_ran_nothing_took_time(bench):
    jobs = bench.jobs
    assert (jobs.counts.took_s, jobs.pictures.frame_s, jobs.busy_s, jobs.task) == (
        0.0,
        0.0,
        0.0,
        "",
    )
    jobs.set_program(PLASMA)
    bench.clock.move(2.0)
    assert (jobs.busy_s, jobs.task) == (2.0, "render")
    bench.answer("render")
    bench.clock.move(3.0)
    bench.answer("trace")
    assert (jobs.pictures.frame_s, jobs.counts.took_s) == (2.0, 3.0)


def test_while_a_newer_text_compiles_nothing_is_counted(bench):
    bench.jobs.counts.hold = True
    bench.jobs.set_program(PLASMA)
    bench.answer("render")
    assert bench.worker.on == ""
    bench.jobs.counts.hold = False
    bench.jobs.pump()
    bench.answer("trace")


def test_a_heat_map_waits_for_picture_and_counts_and_comes_with_each_frame(bench):
    bench.jobs.pictures.show_heat(HEAT)
    bench.serve()
    assert bench.worker.on == "heat"
    (draw, view) = bench.worker.open[0].arguments
    assert (draw.program, draw.size, view) == (PLASMA, (512, 384), HEAT)
    bench.answer("heat", frame(view=HEAT))
    assert bench.jobs.pictures.frame.heat.view == HEAT
    assert bench.worker.on == ""
    bench.jobs.pictures.step()
    bench.answer("heat", frame(view=HEAT))
    bench.jobs.pictures.show_heat(None)
    bench.answer("render")
    assert bench.jobs.pictures.frame.heat is None


def test_where_no_heat_map_is_possible_pictures_go_on_without(bench):
    bench.serve()
    bench.jobs.pictures.show_heat(HEAT)
    error = OutOfDeviceMemory("no room for counters")
    bench.worker.fail(error)
    assert bench.jobs.pictures.heat_error is error
    assert bench.worker.on == "render"
    assert bench.jobs.pictures.error is None


def test_who_shows_the_state_hears_that_a_heat_map_was_asked_for_or_ended(bench):
    heard = []
    bench.serve()
    bench.jobs.state_changed.connect(lambda: heard.append(bench.worker.on))
    bench.jobs.pictures.set_visible(False)
    bench.jobs.pictures.show_heat(HEAT)
    bench.jobs.pictures.show_heat(HEAT)
    assert heard == [""]
    bench.jobs.pictures.show_heat(None)
    assert heard == ["", ""]


def test_one_size_is_a_measurement_and_several_are_a_list(bench):
    bench.serve()
    bench.jobs.profiles.ask(3, 2)
    bench.answer("profile")
    assert bench.jobs.profiles.measurement is not None
    assert bench.jobs.profiles.by_size == ()
    sizes = ((256, 192), (1024, 768))
    bench.jobs.profiles.ask(3, 2, sizes)
    for size in sizes:
        bench.answer("profile", measurement(size))
    bench.jobs.profiles.ask(3, 2, sizes)
    bench.answer("profile", measurement(sizes[0]))
    bench.worker.fail(HUNG)
    assert [m.size for m in bench.jobs.profiles.by_size] == list(sizes), "those of before"
    assert bench.jobs.profiles.error is HUNG


# -- a text that changes --------------------------------------------------------------------


def test_the_newest_program_is_next_once_the_device_is_free(bench):
    bench.jobs.set_program(PLASMA)
    bench.jobs.set_program(CLOUDS)
    assert [request.of for request in bench.worker.requests] == [PLASMA]
    bench.answer("render")
    assert [request.of for request in bench.worker.requests] == [PLASMA, CLOUDS]
    assert not bench.jobs.pictures.current, "the picture is of the program before"
    bench.answer("render")
    bench.answer("trace")
    assert bench.jobs.counts.program is CLOUDS


def test_what_an_outdated_program_takes_long_over_is_given_up_without_blame(bench):
    bench.jobs.set_program(PLASMA)
    bench.clock.move(PATIENCE_S / 2)
    bench.jobs.set_program(CLOUDS)
    bench.clock.move(PATIENCE_S / 2 + 0.001)
    assert [request.of for request in bench.worker.given_up] == [PLASMA]
    assert bench.worker.open[0].of is CLOUDS
    assert bench.jobs.pictures.error is None
    assert not bench.quarantine.reason(PLASMA, "render", "llvmpipe")


def test_a_profile_is_not_given_up_and_blames_nobody(bench):
    bench.serve()
    bench.jobs.profiles.ask(3, 2)
    bench.jobs.set_program(CLOUDS)
    bench.clock.move(100.0)
    assert bench.worker.on == "profile"
    bench.worker.fail(HUNG)
    assert bench.jobs.profiles.error is HUNG
    assert not bench.quarantine.reason(PLASMA, "profile")
    assert bench.worker.open[0].of is CLOUDS


# -- another document -----------------------------------------------------------------------


def test_answers_for_a_former_document_are_dropped(bench):
    bench.jobs.set_program(PLASMA)
    bench.jobs.clear()
    bench.answer("render")
    assert bench.jobs.pictures.frame is None
    assert bench.worker.on == "", "there is no program yet"
    bench.jobs.set_program(CLOUDS)
    bench.answer("render")
    assert bench.jobs.pictures.frame is not None


def test_a_second_document_waits_for_the_device_and_blame_stays_with_the_first(bench):
    bench.jobs.set_program(PLASMA)
    bench.jobs.clear()
    bench.jobs.set_program(CLOUDS)
    assert [request.of for request in bench.worker.requests] == [PLASMA]
    bench.worker.fail(HUNG)
    assert bench.jobs.pictures.error is None
    assert bench.quarantine.reason(PLASMA, "render", "llvmpipe") == str(HUNG)
    assert bench.worker.open[0].of is CLOUDS


def test_a_left_document_takes_its_results_with_it(bench):
    bench.serve()
    bench.jobs.profiles.ask(3, 2)
    bench.answer("profile")
    jobs, heard = bench.jobs, []
    jobs.program_changed.connect(lambda: heard.append(jobs.program))
    jobs.pictures.arrived.connect(lambda: heard.append(jobs.pictures.frame))
    jobs.counts.changed.connect(lambda: heard.append(jobs.counts.trace))
    jobs.profiles.changed.connect(lambda: heard.append(jobs.profiles.measurement))
    jobs.clear()
    assert heard == [None] * 4
    assert not bench.jobs.pictures.current
    assert not bench.jobs.counts.current


# -- another device -------------------------------------------------------------------------


def test_a_device_replaced_while_busy_is_closed_and_its_answers_ignored(bench):
    bench.serve()
    bench.jobs.profiles.ask(3, 2)
    (former,) = bench.worker.open
    second = FakeDevice(OTHER, bench.clock.settle)
    bench.jobs.use(second)
    assert bench.worker.closed
    assert not bench.worker.waited_for, "a driver may take its time to let go"
    assert second.started
    assert not bench.jobs.profiles.running
    former.fail(DeviceLost("shut down"))
    assert bench.jobs.profiles.error is None
    assert second.on == "render"
    second.answer(frame())
    second.answer(trace())
    assert bench.jobs.pictures.current
    assert bench.jobs.counts.current
    assert bench.jobs.info is OTHER


def test_closing_the_former_device_blames_no_program(bench):
    bench.jobs.set_program(PLASMA)
    (former,) = bench.worker.open
    bench.jobs.use(FakeDevice(OTHER))
    former.fail(DeviceLost("shut down"))
    assert bench.jobs.pictures.error is None
    assert not bench.quarantine.reason(PLASMA, "render", "llvmpipe")


def test_a_window_that_closes_waits_for_the_device_to_let_go(bench):
    bench.jobs.pictures.playback.play()
    bench.serve()
    bench.jobs.close()
    assert bench.worker.closed
    assert bench.worker.waited_for
    bench.clock.move(1.0)
    assert bench.worker.on == "", "no frame is due any more"


# -- programs that end their worker ---------------------------------------------------------


def test_a_program_that_ended_the_device_stands_still_until_play(bench):
    bench.jobs.pictures.playback.play()
    bench.jobs.set_program(PLASMA)
    bench.worker.fail(DeviceLost("ended by SIGSEGV"))
    assert str(bench.jobs.pictures.error) == "ended by SIGSEGV"
    assert not bench.jobs.pictures.playback.playing
    assert bench.worker.on == "", "nothing is drawn or counted"
    bench.jobs.clear()
    bench.jobs.set_program(program("plasma with a comment", code="plasma"))
    assert isinstance(bench.jobs.pictures.error, Quarantined)
    assert bench.worker.on == ""
    bench.jobs.toggle_play()
    assert bench.worker.on == "render"


def test_it_may_run_on_another_device(bench):
    bench.jobs.set_program(PLASMA)
    bench.worker.fail(DeviceLost("ended by SIGSEGV"))
    second = FakeDevice(OTHER)
    bench.jobs.use(second)
    assert second.on == "render"


def test_a_program_that_draws_but_cannot_be_counted_goes_on_drawing(bench):
    bench.jobs.pictures.playback.play()
    bench.jobs.set_program(PLASMA)
    bench.answer("render")
    bench.worker.fail(HUNG)
    assert bench.jobs.counts.error is HUNG
    assert bench.traces == [None]
    bench.clock.move(FRAME_INTERVAL_S)
    assert bench.worker.on == "render"
    bench.answer("render")
    bench.jobs.set_program(CLOUDS)
    bench.answer("render")
    bench.answer("trace")
    bench.jobs.set_program(PLASMA)
    bench.answer("render")
    bench.clock.move(FRAME_INTERVAL_S)
    assert bench.worker.tasks.count("trace") == 2, "not of what hung once"
    assert bench.jobs.counts.error is HUNG


def test_a_heat_map_that_hung_once_is_refused_and_pictures_go_on(bench):
    bench.quarantine.add(PLASMA, "heat", LLVMPIPE.slug, "counting it hung")
    bench.jobs.pictures.show_heat(HEAT)
    bench.serve()
    assert "not counted again automatically: counting it hung" in str(
        bench.jobs.pictures.heat_error
    )
    assert bench.worker.on == "render"


def test_an_error_that_ends_no_worker_is_shown_and_not_remembered(bench):
    bench.jobs.set_program(PLASMA)
    bench.worker.fail(UnsupportedShader("no doubles"))
    assert str(bench.jobs.pictures.error) == "no doubles"
    bench.jobs.again()
    assert bench.worker.on == "render"


def test_a_frame_that_came_too_late_is_tried_smaller_before_anyone_is_blamed(bench):
    bench.jobs.set_program(PLASMA)
    full = bench.worker.open[0].arguments[0].size
    bench.worker.fail(HUNG)
    assert bench.jobs.pictures.error is None
    draw, limit_s = bench.worker.open[0].arguments
    assert draw.size == (full[0] // 4, full[1] // 4)
    assert limit_s == pytest.approx(bench.worker.limits.frame / 3)
    bench.worker.fail(ShaderTimeout("again"))
    assert "a much smaller picture also took too long" in str(bench.jobs.pictures.error)
    assert bench.quarantine.reason(PLASMA, "render", "llvmpipe") == str(bench.jobs.pictures.error)


def test_a_frame_of_a_program_that_was_drawn_before_is_tried_smaller_too(bench):
    bench.serve()
    bench.jobs.pictures.step()
    full = bench.worker.open[0].arguments[0].size
    bench.worker.fail(HUNG)
    assert bench.worker.open[0].arguments[0].size == (full[0] // 4, full[1] // 4)


def test_what_runs_for_the_first_time_is_named_on_disk_and_frames_after_it_are_not(bench):
    bench.jobs.pictures.show_heat(HEAT)
    bench.serve()
    bench.answer("heat", frame(view=HEAT))
    bench.jobs.pictures.show_heat(None)
    bench.answer("render")
    bench.jobs.set_program(CLOUDS)
    assert bench.quarantine.begun == [("plasma", "render"), ("clouds", "render")]


# -- inputs ---------------------------------------------------------------------------------

GLOWING = program("glowing", inputs={"glow": FLOAT})


def test_a_moved_slider_is_drawn_at_once_and_counted_when_it_rests(bench):
    bench.settings.use(GLOWING)
    bench.serve(GLOWING)
    for n in (1, 2, 3):
        bench.settings.set_value("glow", (n,))
        assert bench.worker.open[0].arguments[0].inputs.values["glow"].value == (n,)
        bench.answer("render")
    assert bench.worker.on == "", "it is still being moved"
    assert not bench.jobs.counts.current
    bench.clock.move(REST_S)
    (draw,) = bench.worker.open[0].arguments
    assert draw.inputs.values["glow"].value == (3,)
    assert draw.size == CANONICAL.size
    bench.answer("trace")
    assert bench.jobs.counts.current
    assert bench.jobs.counts.draw == draw


def test_a_storm_of_values_asks_for_one_picture_at_a_time(bench):
    bench.settings.use(GLOWING)
    bench.serve(GLOWING)
    before = len(bench.worker.requests)
    for n in range(100):
        bench.settings.set_value("glow", (n,))
    assert len(bench.worker.requests) == before + 1
    bench.answer("render")
    (draw, _) = bench.worker.open[0].arguments
    assert draw.inputs.values["glow"].value == (99,), "the newest, and none between"
    bench.answer("render")
    assert bench.worker.on == ""


def test_counts_of_values_changed_meanwhile_are_given_up(bench):
    bench.settings.use(GLOWING)
    bench.serve(GLOWING)
    bench.settings.set_value("glow", (1,))
    bench.answer("render")
    bench.clock.move(REST_S)
    assert bench.worker.on == "trace"
    bench.settings.set_value("glow", (2,))
    tasks = [request.task for request in bench.worker.open]
    assert tasks == ["trace", "render"], "the trace may be done in a moment"
    bench.clock.move(PATIENCE_S)
    assert [request.task for request in bench.worker.given_up] == ["trace"]
    bench.answer("render")
    assert bench.worker.on == "trace"


def test_another_value_frees_a_program_that_hung_with_the_one_before(bench):
    bench.settings.use(GLOWING)
    bench.serve(GLOWING)
    bench.settings.set_value("glow", (1e9,))
    bench.worker.fail(HUNG)
    while bench.worker.on == "render":  # smaller pictures are tried
        bench.worker.fail(HUNG)
    assert bench.jobs.pictures.error is not None
    bench.settings.set_value("glow", (2,))
    assert bench.worker.on == "render"
    bench.answer("render")
    bench.settings.set_value("glow", (1e9,))
    assert bench.worker.on == "", "this value ended a worker before"
    assert isinstance(bench.jobs.pictures.error, Quarantined)


def test_another_value_plays_again_what_only_a_fault_had_stopped(bench):
    bench.settings.use(GLOWING)
    bench.jobs.pictures.playback.play()
    bench.serve(GLOWING)
    bench.clock.move(1 / 60)
    bench.worker.fail(UnsupportedShader("not with this value"))
    assert not bench.jobs.pictures.playback.playing
    bench.settings.set_value("glow", (2,))
    assert bench.jobs.pictures.playback.playing


def test_a_profile_is_of_the_values_it_was_asked_with(bench):
    bench.settings.use(GLOWING)
    bench.serve(GLOWING)
    bench.settings.set_value("glow", (3,))
    bench.answer("render")
    bench.clock.move(REST_S)
    bench.answer("trace")
    bench.jobs.profiles.ask(2, 3)
    assert bench.worker.open[0].arguments[0].inputs.values["glow"].value == (3,)
    bench.answer("profile")
    assert bench.jobs.profiles.variant == bench.jobs.variant
    bench.settings.set_value("glow", (4,))
    assert bench.jobs.profiles.variant != bench.jobs.variant


def test_whoever_shows_what_the_device_is_on_hears_of_each_request(bench):
    told: list[str] = []
    bench.jobs.state_changed.connect(lambda: told.append(bench.jobs.task))
    bench.jobs.set_program(PLASMA)
    bench.worker.answer(frame())
    assert told[-1] == "trace"
    bench.worker.answer(trace())
    assert told[-1] == ""
    bench.jobs.profiles.ask(1, 1)
    assert told[-1] == "profile"


# -- a device that answers nothing ----------------------------------------------------------


@pytest.fixture
def hang(bench, monkeypatch):
    """Have the device answer nothing, not even a trial, until `free` is called."""
    monkeypatch.setattr(answering, "_FIRST_WAIT_S", 0.01)
    hangs = [False]
    state = bench.worker.answering = answering.Answering(LLVMPIPE, lambda _: not hangs[0])

    def begin() -> StuckDuring:
        hangs[0] = True
        state.try_it().result()
        bench.jobs.state_changed.emit()
        return state.stuck_during("rendering plasma")

    def free() -> None:
        again = state.again()
        hangs[0] = False
        again.result(10.0)
        QApplication.processEvents()

    begin.free = free
    return begin


def refuse(bench) -> None:
    """What a worker says of a request that it does not send."""
    with pytest.raises(DeviceStuck) as caught:
        bench.worker.answering.require()
    bench.worker.fail(caught.value)


def test_a_program_that_was_drawn_before_is_drawn_again_once_the_device_answers(bench, hang):
    bench.serve()
    bench.jobs.pictures.playback.play()
    bench.jobs.pump()
    assert bench.jobs.stuck == ""
    for blamed in (False, True):  # twice is no accident
        bench.clock.move(1.0)
        bench.worker.fail(hang())
        if not blamed:
            refuse(bench)
        assert "no longer responds" in bench.jobs.stuck
        assert "keeps trying" in bench.jobs.stuck
        assert not bench.jobs.pictures.playback.playing
        assert bench.worker.on == ""
        assert bool(bench.quarantine.reason(PLASMA, "render", LLVMPIPE.slug)) is blamed
        hang.free()
        assert bench.jobs.stuck == ""
        if not blamed:
            assert bench.jobs.pictures.playback.playing
            bench.answer("render")
    assert isinstance(bench.jobs.pictures.error, Quarantined)
    assert bench.worker.on == ""


def test_one_that_was_never_drawn_is_not_run_again_and_others_are(bench, hang):
    bench.jobs.set_program(PLASMA)
    bench.worker.fail(hang())
    assert isinstance(bench.jobs.pictures.error, StuckDuring)
    bench.jobs.set_program(CLOUDS)
    refuse(bench)
    assert isinstance(bench.jobs.pictures.error, DeviceStuck)
    hang.free()
    assert bench.worker.on == "render"
    bench.answer("render")
    bench.answer("trace")
    bench.jobs.set_program(PLASMA)
    assert isinstance(bench.jobs.pictures.error, Quarantined)


def test_who_changed_to_another_device_is_not_disturbed_by_the_former_ones_answer(bench, hang):
    bench.jobs.set_program(PLASMA)
    bench.worker.fail(hang())
    second = FakeDevice(OTHER)
    bench.jobs.use(second)
    assert second.on == "render"
    hang.free()
    assert second.tasks == ["render"]
