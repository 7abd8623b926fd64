"""A changed program's first picture by a second child, while the device prepares to count it."""

import pytest

from shaderlab.app.qt import QObject
from shaderlab.app.session.bridge import Bridge
from shaderlab.app.session.device_jobs import DeviceJobs
from shaderlab.app.session.device_place import PATIENCE_S
from shaderlab.app.session.draw_settings import DrawSettings
from shaderlab.app.session.first_pictures import DEADLINE_S
from shaderlab.app.session.jobs import Tools
from shaderlab.app.session.suspects import Suspects, Task
from shaderlab.app.session.workers import Crew
from shaderlab.errors import DeviceLost, ShaderTimeout, UnsupportedShader
from shaderlab.spirv.heat import HeatKind, HeatView

from .fakes import LLVMPIPE, FakeClock, FakeDevice, FakeWorkers, Loop, frame, program, trace

PLASMA, CLOUDS, STARS = program("plasma"), program("clouds"), program("stars")


class Bench:
    """A paused device that has drawn and counted one program, and its quick companion."""

    def __init__(self):
        self.owner, self.clock, self.quarantine = QObject(), FakeClock(), Suspects()
        self.loop = loop = Loop(self.clock)
        tools = Tools(Bridge(self.owner), self.quarantine, self.clock, Crew(FakeWorkers()), loop)
        self.settings = DrawSettings(self.clock, self.owner)
        self.jobs = DeviceJobs(tools, self.settings, self.owner)
        self.jobs.pictures.playback.pause()
        self.device, self.quick = FakeDevice(settle=loop.settle), FakeDevice()
        self.shown: list[object] = []
        self.jobs.pictures.arrived.connect(lambda: self.shown.append(self.jobs.pictures.frame))
        self.jobs.use(self.device, self.quick)
        self.jobs.set_program(PLASMA)
        self.device.answer(frame())
        self.device.answer(trace())
        self.jobs.pictures.playback.pause()

    def change(self, to=CLOUDS) -> None:
        self.jobs.set_program(to)
        self.jobs.pictures.playback.pause()


@pytest.fixture
def bench(qapp):
    bench = Bench()
    yield bench
    bench.loop.end()


def test_the_first_picture_of_a_document_is_the_devices(bench):
    assert bench.quick.started
    assert bench.device.tasks == ["render", "trace"]
    assert bench.quick.tasks == []


def test_a_changed_program_is_drawn_by_one_and_prepared_by_the_other(bench):
    bench.change()
    assert (bench.quick.on, bench.device.on) == ("render", "prepare trace")
    assert bench.quick.open[0].of == bench.device.open[0].of == CLOUDS
    assert bench.quick.open[0].arguments[1] == DEADLINE_S
    picture = frame()
    bench.quick.answer(picture)
    assert bench.shown[-1] is picture
    assert bench.jobs.pictures.current
    assert bench.device.on == "prepare trace"
    bench.device.answer(None)
    assert bench.device.on == "trace"
    counted = trace()
    bench.device.answer(counted)
    assert bench.jobs.counts.trace is counted
    assert (bench.quick.on, bench.device.on) == ("", "")


def test_what_is_prepared_sooner_is_counted_once_the_picture_is_there(bench):
    bench.change()
    bench.device.answer(None)
    assert bench.device.on == ""  # its draw would take the processor from the picture's
    bench.quick.answer(frame())
    assert bench.device.on == "trace"


def test_a_picture_that_cannot_be_had_there_is_drawn_by_the_device(bench):
    bench.change()
    bench.quick.fail(UnsupportedShader("not supported"))
    assert bench.device.on == "prepare trace"
    bench.device.answer(None)
    assert bench.device.on == "render"
    bench.device.fail(UnsupportedShader("not supported"))
    assert str(bench.jobs.pictures.error) == "not supported"


@pytest.mark.parametrize("error", [ShaderTimeout("took too long"), DeviceLost("was lost")])
def test_what_ends_the_quick_worker_is_not_waited_for_in_the_other(bench, error):
    bench.change()
    (preparing,) = bench.device.open
    bench.quick.fail(error)
    assert bench.device.given_up == [preparing]
    assert bench.device.on == "render"
    assert not bench.quarantine.reason(CLOUDS, Task.RENDER, LLVMPIPE.slug)
    bench.device.answer(frame())
    assert bench.device.on == "trace"


def test_what_ends_the_worker_that_prepares_does_so_again_where_it_is_counted(bench):
    bench.change()
    bench.device.fail(DeviceLost("was lost"))
    bench.quick.answer(frame())
    bench.device.fail(DeviceLost("was lost again"))
    assert str(bench.jobs.counts.error) == "was lost again"
    assert bench.device.on == ""


def test_while_a_former_program_is_drawn_the_device_draws_the_new_one(bench):
    bench.change()
    bench.device.answer(None)
    bench.change(STARS)
    assert bench.device.on == "render"
    assert bench.device.open[0].of == STARS
    newer = frame()
    bench.device.answer(newer)
    bench.quick.answer(frame())  # too late: a newer picture is shown
    assert bench.shown[-1] is newer
    assert bench.device.on == "trace"


def test_an_outdated_picture_is_shown_where_there_is_none_newer(bench):
    bench.change()
    bench.change(STARS)
    assert bench.device.on == "prepare trace"
    older = frame()
    bench.quick.answer(older)
    assert bench.shown[-1] is older
    assert not bench.jobs.pictures.current


def test_an_outdated_picture_is_given_up_in_the_end(bench):
    bench.change()
    bench.change(STARS)
    (asked,) = bench.quick.open
    bench.clock.move(PATIENCE_S)
    assert bench.quick.given_up == [asked]


def test_a_picture_of_a_document_that_was_left_is_not_shown(bench):
    bench.change()
    shown = len(bench.shown)
    bench.jobs.clear()
    left = frame()
    bench.quick.answer(left)
    assert left not in bench.shown[shown:]


def test_costly_pictures_are_left_to_one_child(bench):
    bench.jobs.pictures.frame_s = 0.3
    bench.change()
    assert (bench.quick.on, bench.device.on) == ("", "render")


def test_a_heat_map_needs_the_device(bench):
    bench.jobs.pictures.show_heat(HeatView(HeatKind.INSTRUCTIONS))
    bench.device.answer(frame(view=HeatView(HeatKind.INSTRUCTIONS)))
    bench.change()
    assert (bench.quick.on, bench.device.on) == ("", "render")


def test_nothing_is_drawn_unseen(bench):
    bench.jobs.pictures.set_visible(False)
    bench.change()
    assert bench.quick.on == ""


def test_another_device_brings_its_own(bench):
    other = FakeDevice()
    bench.jobs.use(FakeDevice(), other)
    assert bench.quick.closed
    assert other.started
    bench.jobs.use(FakeDevice())
    assert other.closed
    assert bench.jobs.first.worker is None


def test_speed_of_the_quick_one_does_not_change_the_pictures_size(bench):
    bench.change()
    bench.quick.answer(frame(took_s=9.0))
    assert bench.jobs.pictures.budget.size((512, 384)) == (512, 384)
