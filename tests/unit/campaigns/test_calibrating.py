"""Which shaders of a calibration count, when it gives up, and how the device is described."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from types import SimpleNamespace

import pytest

from shaderlab.campaigns import calibrating
from shaderlab.campaigns.calibrating import Calibration, Options, Progress
from shaderlab.campaigns.measuring import Effort
from shaderlab.errors import (
    Abandoned,
    CalibrationFailed,
    DeviceLost,
    InvalidSample,
    NoTimestamps,
    NoVulkan,
    ShaderlabError,
    WrongUse,
)
from shaderlab.frontend.program import Dialect, Program
from shaderlab.gpu.compilers.families import REFERENCE
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.gpu.measurement import Measurement
from shaderlab.prediction.calibration.fitting import FEWEST
from shaderlab.prediction.forms import FITTED, Form
from shaderlab.samples.recording import identified
from shaderlab.samples.store import Store
from shaderlab.scene.draw import CANONICAL
from shaderlab.scene.textures import Filter, PassPicture, Pattern, Texture, Wrap
from tests.unit.samples.builders import sample

DEVICE = DeviceInfo(
    "gpu", "A GPU", "discrete", "driver 1", "1.3", 0x10DE, 0, "00", "/icd.json", 0, timestamps=True
)
LOST = DeviceLost("the device was lost")


class Station:
    """Its shaders end as the test says: an error, or seconds per draw."""

    def __init__(self, *ends: Exception | float):
        self._ends = iter(ends)

    def prepare(self, shader):
        program = Program(shader.name, Dialect.SHADERTOY_ES310, "", shader.name.encode(), "main")
        return SimpleNamespace(program=program, optimized=None)

    def draw(self, program, shader):
        assert program.name == shader.name
        assert program.entry_point == "main"
        return program

    def time(self, draw):
        end = next(self._ends)
        if isinstance(end, Exception):
            raise end
        return Measurement("gpu", "A GPU", "driver 1", (8, 8), 1, (end,) * 3, (), 0.0)

    def trace(self, draw):
        return SimpleNamespace(trace="trace")


def take(calibration: Calibration, *ends: Exception | float, unset: bool = False) -> list[bool]:
    """Whether each shader counts, taken one after another."""
    work = SimpleNamespace(examples={}, reads_uninitialised=unset)
    tools = SimpleNamespace(device=Station(*ends), work=lambda *_: work)
    shaders = [SimpleNamespace(name=f"s{number}", textures={}) for number in range(len(ends))]
    return [calibration._take(shader, {}, {}, tools) for shader in shaders]


@pytest.fixture
def calibration(monkeypatch) -> Calibration:
    record = SimpleNamespace(timing_record=lambda *_: SimpleNamespace(time_s=0.1))
    monkeypatch.setattr(calibrating, "recording", record)
    return Calibration(DEVICE)


def test_a_shader_that_fails_costs_itself_and_says_why(calibration):
    assert take(calibration, 0.1, ShaderlabError("too odd"), 0.2) == [True, False, True]
    assert calibration._skipped == [("s1", "too odd")]


def test_a_shader_that_reads_uninitialised_values_does_not_count(calibration):
    assert take(calibration, 0.1, unset=True) == [False]
    assert "uninitialised" in calibration._skipped[0][1]


def test_two_losses_of_the_device_in_a_row_are_the_shaders_doing(calibration):
    ends = (LOST, LOST, 0.1, LOST, LOST, ShaderlabError("too odd"), LOST, LOST, 0.1)
    assert take(calibration, *ends) == [end == 0.1 for end in ends]


def test_three_losses_in_a_row_are_not(calibration):
    with pytest.raises(DeviceLost):
        take(calibration, LOST, LOST, LOST)
    assert len(calibration._skipped) == 2


def test_without_vulkan_there_is_nothing_to_go_on_with(calibration):
    with pytest.raises(NoVulkan):
        take(calibration, NoVulkan("no driver"))


@pytest.mark.parametrize(
    ("vendor_id", "vendor"),
    [
        (0x10DE, "NVIDIA"),
        (0x1002, "AMD"),
        (0x8086, "Intel"),
        (0x10005, "Mesa"),
        (0x1AE0, "Google"),
        (0x5143, "vendor 0x5143"),
    ],
)
def test_the_vendor_is_named_where_its_id_is_known(vendor_id, vendor):
    described = Calibration(replace(DEVICE, vendor_id=vendor_id))._described()
    assert described.vendor == vendor


def test_floors_count_on_devices_whose_own_clock_measured_them():
    made = Measurement("gpu", "A GPU", "driver 1", (8, 8), 1, (0.1,) * 3, (), 2e-6, clocks="1 GHz")
    for kind, floor_s in (("discrete", 2e-6), ("software", None)):
        calibration = Calibration(replace(DEVICE, kind=kind))
        assert calibration._described().clocks == "not reported"
        calibration._note(replace(made, floor_s=5e-6))
        calibration._note(made)
        calibration._note(replace(made, floor_s=0.0, clocks=""))
        described = calibration._described()
        assert described.floor_s == floor_s
        assert described.clocks == "1 GHz; not reported"
        assert described.software == (kind == "software")


# -- a whole run ----------------------------------------------------------------------------


class Calibrator:
    """Takes the works and makes no card of them."""

    given: tuple = ()

    def error(self, works, _):
        return SimpleNamespace(result=lambda: len(works[Form.WRITTEN]) / 100)

    def calibrate(self, *given):
        type(self).given = given
        return SimpleNamespace(result=lambda: ("card",))

    def work(self, program, trace, siblings):
        examples = dict.fromkeys((Form.WRITTEN, *siblings), "example")
        found = SimpleNamespace(examples=examples, reads_uninitialised=False)
        return SimpleNamespace(result=lambda: found)

    def close(self):
        pass


@pytest.fixture
def run(monkeypatch, calibration):
    """Runs a calibration over shaders that end as given."""

    def over(*ends, stopped=lambda: False, device=DEVICE, options=None, **changes):
        class Given(Station):
            def __init__(self, *_):
                super().__init__(*ends)

            def close(self):
                pass

        shaders = [SimpleNamespace(name=f"s{n}", textures={}) for n in range(len(ends))]
        monkeypatch.setattr(calibrating, "Station", Given)
        monkeypatch.setattr(calibrating, "CalibratorWorker", Calibrator)
        monkeypatch.setattr(calibrating, "_shaders", lambda _: shaders)
        monkeypatch.setattr(calibrating, "_left_by_radv", lambda _: None)
        told = []
        outcome = Calibration(device, options).run(told.append, stopped)
        return outcome, told

    return over


def test_shaders_are_timed_one_by_one_then_fitted_by_form(run):
    ends = [0.1] * FEWEST + [ShaderlabError("too odd")]
    outcome, told = run(*ends)
    total = len(ends)
    assert told == [
        Progress(0, total, "starting"),
        *(Progress(n + 1, total, f"s{n}") for n in range(FEWEST - 1)),
        *(Progress(n + 1, total, f"s{n}", error=0.05) for n in range(FEWEST - 1, total)),
        Progress(total, total, "fitting"),
    ]
    assert (outcome.cards, outcome.timed, outcome.recorded) == (("card",), FEWEST, 0)
    assert outcome.skipped == ((f"s{FEWEST}", "too odd"),)
    assert outcome.traced == {form: FEWEST * (form is Form.WRITTEN) for form in FITTED}
    slug, works, reading, described = Calibrator.given
    assert [work.name for work in works[Form.WRITTEN]] == [f"s{n}" for n in range(FEWEST)]
    assert not any(reading.values())
    assert slug == Calibration(DEVICE).slug
    assert described.name == "A GPU"


def test_how_long_it_takes_and_how_far_off_it_is_are_said(run):
    _, told = run(*[0.1] * 12)
    assert [each.error for each in told[1:-1]] == [None] * 4 + [0.05] * 5 + [0.1] * 3
    assert told[-2].left_s == 0
    assert "left" not in told[-2].said
    assert Progress(3, 9, "s2", 12.3, 0.05).said == "s2, 12.3 s left, forecasts 5.0 % off by now"


def test_after_its_seconds_no_other_shader_is_timed_once_there_are_enough(run):
    outcome, told = run(*[0.1] * 12, options=Options(seconds=1e-9))
    assert outcome.timed == FEWEST
    assert told[-1].last == "fitting"


def test_too_few_shaders_fail_with_the_first_reason(run):
    ends = [ShaderlabError("too odd"), *[0.1] * (FEWEST - 1)]
    with pytest.raises(CalibrationFailed, match=rf"^{FEWEST - 1} of {FEWEST} .*; s0: too odd$"):
        run(*ends)
    with pytest.raises(CalibrationFailed, match=r"needed$"):
        run(*[0.1] * (FEWEST - 1))


@pytest.mark.parametrize("asked", [1, 3, FEWEST + 1])
def test_a_calibration_stops_between_shaders_and_before_the_fit(run, asked):
    left = iter([False] * (asked - 1) + [True])
    Calibrator.given = ()
    with pytest.raises(Abandoned):
        run(*[0.1] * FEWEST, stopped=lambda: next(left))
    assert Calibrator.given == ()


def test_a_device_without_timestamps_cannot_be_calibrated(run):
    with pytest.raises(NoTimestamps, match="A GPU has no timestamps"):
        run(device=replace(DEVICE, timestamps=False))


def test_a_target_needs_a_name_that_is_one():
    assert Calibration(DEVICE, Options(slug="mine")).slug == "mine"
    with pytest.raises(WrongUse):
        Calibration(DEVICE, Options(slug="../mine"))


def test_forms_that_are_not_available_are_left_out():
    class Counting(Station):
        def trace(self, program):
            if program == "odd":
                raise ShaderlabError("cannot be counted")
            return SimpleNamespace(trace=f"counts of {program}")

    given = []

    class Asked(Calibrator):
        def work(self, program, trace, siblings):
            given.append(siblings)
            return super().work(program, trace, siblings)

    compilers = SimpleNamespace(
        program=lambda _, slug: SimpleNamespace(result=lambda: f"what {slug} leaves")
    )
    draw = SimpleNamespace(of_program=lambda made: made)
    for optimized, here in (("small", compilers), ("odd", compilers), (None, None)):
        prepared = SimpleNamespace(program=SimpleNamespace(name="p"), optimized=optimized)
        calibrating._Tools(Counting(), Asked(), here).work(prepared, draw, "trace")
    whole, one, none = given
    assert whole[Form.OPTIMIZED] == ("small", "counts of small")
    assert list(whole) == [Form.OPTIMIZED, Form.COMPILED]
    assert list(one) == [Form.COMPILED]
    assert none == {}


# -- samples recorded before ----------------------------------------------------------------

RECORDED = sample("a", size=(1024, 768))
OWN = replace(DEVICE, slug=RECORDED.device.slug, driver=RECORDED.device.driver)


@pytest.mark.parametrize(
    ("inputs", "device", "reason"),
    [
        ({}, {}, ""),
        ({}, {"slug": "other"}, "is of llvmpipe, not other"),
        ({}, {"driver": "driver 2"}, "was measured with another driver"),
        ({"width": 512}, {}, "is of another run (512x768, iTime 1)"),
        ({"height": 512}, {}, "is of another run (1024x512, iTime 1)"),
        ({"time_s": 2.5}, {}, "is of another run (1024x768, iTime 2.5)"),
        ({"frame": 2}, {}, "is of another run"),
    ],
)
def test_samples_of_another_device_driver_or_run_do_not_join(inputs, device, reason):
    changed = replace(RECORDED, inputs=replace(RECORDED.inputs, **inputs))
    assert calibrating._unfit(changed, replace(OWN, **device)).startswith(reason)
    assert bool(calibrating._unfit(changed, replace(OWN, **device))) is bool(reason)


def test_samples_that_fit_are_found_by_their_program(tmp_path):
    assert Calibration(OWN)._recorded() == {}
    with Store(tmp_path / "store") as store:
        store.add([RECORDED, sample("small", size=(64, 48))])
    calibration = Calibration(OWN, Options(samples=tmp_path / "store"))
    assert calibration._recorded() == {RECORDED.program.digest: RECORDED}
    ((name, reason),) = calibration._skipped
    assert name == f"sample {sample('small', size=(64, 48)).id[:12]}"
    assert "another run" in reason


def test_of_several_owners_times_of_a_built_in_shader_the_median_counts(tmp_path):
    times = {"one": 1e-4, "two": 5e-5, "three": 4e-5}
    for number, (compiler, time_s) in enumerate(times.items()):
        made = sample(compiler, size=(1024, 768))
        program = replace(made.program, collection=calibrating.BUILT_IN, id="julia")
        timing = replace(
            made.timing, clock="device", cpu_trials_s=(), trials_s=(time_s,), time_s=time_s,
            median_s=time_s, rejected=(),
        )  # fmt: skip
        owned = identified(replace(made, program=program, timing=timing))
        with Store(tmp_path / "store") as store:
            store.add([owned])
        if number == 1:
            wanted = owned
    found = Calibration(OWN, Options(samples=tmp_path / "store"))._recorded()
    assert found == {wanted.program.digest: wanted}


def test_a_sample_joins_where_its_program_is_available(monkeypatch):
    monkeypatch.setattr(calibrating, "trace_of", lambda *_: "trace")
    work = SimpleNamespace(examples={Form.WRITTEN: "example"}, reads_uninitialised=False)
    asked = []
    tools = SimpleNamespace(device=Station(), work=lambda *given: asked.append(given) or work)
    prepared = tools.device.prepare(SimpleNamespace(name="known"))
    text = replace(RECORDED, program=replace(RECORDED.program, text="a text that differs"))
    for given, known, added in (
        (RECORDED, {RECORDED.program.digest: prepared}, 1),
        (RECORDED, {}, 0),
        (text, {}, 0),
    ):
        calibration = Calibration(OWN)
        samples = {given.program.digest: given}
        assert calibration._add_samples(samples, known, tools) == added
        assert len(calibration._works[Form.WRITTEN]) == added
        assert [("not available" in reason) for _, reason in calibration._skipped] == [True] * (
            1 - added
        )
    assert calibration._clocks == set()
    assert asked == [(prepared, CANONICAL.draw(prepared.program), "trace")]


def test_a_sample_whose_counts_are_not_its_programs_is_skipped(monkeypatch):
    def wrong(*_):
        raise InvalidSample("other blocks")

    monkeypatch.setattr(calibrating, "trace_of", wrong)
    tools = SimpleNamespace(device=Station(), work=None)
    calibration = Calibration(OWN)
    known = {RECORDED.program.digest: tools.device.prepare(SimpleNamespace(name="known"))}
    assert calibration._add_samples({RECORDED.program.digest: RECORDED}, known, tools) == 0
    assert calibration._skipped == [(f"sample {RECORDED.id[:12]}", "other blocks")]


def test_a_shader_that_was_recorded_before_is_not_timed_again(calibration):
    station = Station()
    prepared = station.prepare(SimpleNamespace(name="s"))
    tools, known = SimpleNamespace(device=station), {}
    samples = {prepared.program.digest: RECORDED}
    assert not calibration._take(SimpleNamespace(name="s"), samples, known, tools)
    assert list(known) == [prepared.program.digest]
    assert calibration._skipped == []


@pytest.mark.parametrize(("is_known", "text"), [(True, "a text"), (False, None), (True, None)])
def test_only_samples_with_a_text_whose_program_is_new_are_compiled(monkeypatch, is_known, text):
    class Unasked(Station):
        def prepare(self, shader):
            raise AssertionError("nothing is to be compiled")

    monkeypatch.setattr(calibrating, "trace_of", lambda *_: "trace")
    work = SimpleNamespace(examples={Form.WRITTEN: "example"}, reads_uninitialised=False)
    given = replace(RECORDED, program=replace(RECORDED.program, text=text))
    known = {given.program.digest: Station().prepare(SimpleNamespace(name="known"))}
    tools = SimpleNamespace(device=Unasked(), work=lambda *_: work)
    added = Calibration(OWN)._add_samples(
        {given.program.digest: given}, known if is_known else {}, tools
    )
    assert added == is_known


@pytest.mark.parametrize(("clocks", "said"), [("1.8 GHz", "1.8 GHz"), ("", "not reported")])
def test_the_clocks_of_samples_that_join_are_named(monkeypatch, clocks, said):
    monkeypatch.setattr(calibrating, "trace_of", lambda *_: "trace")
    work = SimpleNamespace(examples={Form.WRITTEN: "example"}, reads_uninitialised=False)
    given = replace(RECORDED, device=replace(RECORDED.device, clocks=clocks))
    known = {given.program.digest: Station().prepare(SimpleNamespace(name="known"))}
    calibration = Calibration(OWN)
    tools = SimpleNamespace(device=Station(), work=lambda *_: work)
    assert calibration._add_samples({given.program.digest: given}, known, tools) == 1
    assert calibration._described().clocks == said


def test_the_compiled_form_is_what_the_reference_compiler_leaves():
    asked = []

    def program(*given):
        asked.append(given)
        return SimpleNamespace(result=lambda: "left")

    prepared = SimpleNamespace(program="p", optimized="o")
    tools = calibrating._Tools(Station(), Calibrator(), SimpleNamespace(program=program))
    assert tools._compiled(prepared) == "left"
    assert asked == [("p", REFERENCE)]
    assert tools._optimized(prepared) == "o"
    assert replace(tools, compilers=None)._compiled(prepared) is None


def test_compilers_that_are_not_there_are_done_without_and_others_closed(monkeypatch):
    closed = []
    here = SimpleNamespace(close=lambda: closed.append(1))
    monkeypatch.setattr(calibrating, "compiled", SimpleNamespace(of_family=lambda _: here))
    with ExitStack() as stack:
        assert calibrating._left_by_radv(stack) is here
        assert not closed
    assert closed

    def missing(_):
        raise ShaderlabError("no RADV")

    monkeypatch.setattr(calibrating, "compiled", SimpleNamespace(of_family=missing))
    assert calibrating._left_by_radv(ExitStack()) is None


def test_a_calibration_that_nobody_stops_or_watches_goes_on(run, monkeypatch):
    monkeypatch.setattr(calibrating, "Station", lambda *_: GivenStation(*[0.1] * FEWEST))
    monkeypatch.setattr(calibrating, "CalibratorWorker", Calibrator)
    shaders = [SimpleNamespace(name=f"s{n}", textures={}) for n in range(FEWEST)]
    monkeypatch.setattr(calibrating, "_shaders", lambda _: shaders)
    monkeypatch.setattr(calibrating, "_left_by_radv", lambda _: None)
    assert Calibration(DEVICE).run().timed == FEWEST


class GivenStation(Station):
    def close(self):
        pass


def test_shaders_that_read_textures_are_given_those_and_come_last(tmp_path):
    own = tmp_path / "own.frag"
    named = [each.name for each in calibrating._shaders(Options(shaders=3, files=(own,)))]
    assert named[3] == "own.frag"
    reading = named[4:]
    assert reading
    assert len({*named}) == len(named)
    plain = [*calibrating._shaders(Options(shaders=3, textures=False))]
    assert [each.name for each in plain] == named[:3]
    assert not any(each.textures for each in plain)
    (given,) = (each for each in calibrating._shaders(Options()) if each.name == reading[0])
    assert given.textures
    assert given.text


def test_textures_are_given_as_the_shader_says():
    text = (
        "// iChannel0: noise, mipmap, repeat\n// iChannel1: picture, linear, clamp\n"
        "// iChannel2: sound, linear, clamp\n"
    )
    assert calibrating._textures(text) == {
        "iChannel0": Texture(Pattern.NOISE, Filter.MIPMAP, Wrap.REPEAT),
        "iChannel1": Texture(PassPicture("picture"), Filter.LINEAR, Wrap.CLAMP),
    }


def test_a_calibration_takes_less_time_than_a_campaign_and_counts_textured_shaders_apart(
    calibration, monkeypatch
):
    work = SimpleNamespace(examples={Form.WRITTEN: "example"}, reads_uninitialised=False)
    tools = SimpleNamespace(device=Station(0.1, 0.2), work=lambda *_: work)
    for name, textures in (("plain", {}), ("textured", {"iChannel0": "noise"})):
        assert calibration._take(SimpleNamespace(name=name, textures=textures), {}, {}, tools)
    assert [each.name for each in calibration._works[Form.WRITTEN]] == ["plain"]
    assert [each.name for each in calibration._reading[Form.WRITTEN]] == ["textured"]
    ours, theirs = Options().effort, Effort()
    assert ours.shader_s < theirs.shader_s
    assert ours.deadline_s < theirs.deadline_s
