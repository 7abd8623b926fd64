"""Recording samples: what is measured first, what is kept, and that nothing is kept twice."""

from types import SimpleNamespace

import pytest

from shaderlab.app.session.refining import REST_S
from shaderlab.errors import InvalidSample, ShaderTimeout
from shaderlab.prediction.forms import Form

from .fakes import OTHER, FakeWorker, forecast, frame, measurement, program, trace


class FakeSamples(FakeWorker):
    """In the place of `SampleWorker`."""

    def __init__(self, path):
        super().__init__()
        self.path = path

    def record(self, what):
        return self._ask("record", what)

    def listing(self, most):
        return self._ask("listing", most)

    def statistics(self, path):
        return self._ask("statistics", path)

    def forget(self, ids):
        return self._ask("forget", ids)

    def review(self, choice):
        return self._ask("review", choice)

    def export(self, output, choice, licence):
        return self._ask("export", output, choice, licence)


@pytest.fixture
def kept(driven, monkeypatch, tmp_path):
    """A session with a text served, and the samples' workers it made in `stores`."""
    driven.stores = []

    def make(path):
        driven.stores.append(FakeSamples(path))
        return driven.stores[-1]

    monkeypatch.setattr("shaderlab.app.session.sample_jobs.SampleWorker", make)
    driven.session.samples.path = tmp_path / "samples.db"
    driven.names, driven.errors = [], []
    driven.session.samples.recorded.connect(driven.names.append)
    driven.session.samples.failed.connect(driven.errors.append)
    driven.serve("a")
    return driven


def recorded(kept) -> SimpleNamespace:
    """What the store was last asked to keep."""
    (request,) = kept.stores[-1].open
    assert request.task == "record"
    return request.arguments[0]


def test_a_program_is_profiled_then_kept_with_its_counts_then_listed(kept):
    samples, made = kept.session.samples, measurement()
    samples.record("mine", 3, 2)
    assert (samples.stage, kept.stores) == ("profile", [])
    kept.device.answer(made)
    assert samples.stage == "keep"
    what = recorded(kept)
    assert what.draw.program.name == "mine"
    assert (what.measured, what.trace) == (made, kept.session.trace)
    assert what.optimized is None
    kept.stores[-1].answer("id")
    assert (samples.stage, kept.names) == ("", ["mine"])
    kept.stores[-1].answer("the list")
    assert samples.listing == "the list"


def test_a_profile_on_screen_is_taken_and_no_second_time(kept):
    made = measurement()
    kept.session.on_device.profiles.ask(3, 2)
    kept.device.answer(made)
    assert kept.stores == [], "nobody asked to record it"
    kept.session.samples.record("mine", 3, 2)
    assert recorded(kept).measured is made
    kept.stores[-1].answer("id")
    kept.session.samples.record("again", 3, 2)
    assert kept.device.on == "profile"
    second = measurement()
    kept.device.answer(second)
    kept.stores[-1].answer("the list")
    assert recorded(kept).measured is second


def test_a_profile_of_another_program_is_not_taken_for_it(kept):
    kept.session.on_device.profiles.ask(3, 2)
    kept.device.answer(measurement())
    kept.session.edit("ab")
    kept.serve("ab")
    kept.session.samples.record("ab", 3, 2)
    assert kept.device.on == "profile"
    assert kept.stores == []


def test_one_at_a_time(kept):
    kept.session.samples.record("mine", 3, 2)
    kept.session.samples.record("again", 9, 9)
    assert kept.device.open[0].arguments[1:] == (3, 2)
    kept.device.answer(measurement())
    assert recorded(kept).draw.program.name == "mine"


def test_without_a_program_nothing_is_recorded(driven):
    driven.session.samples.record("none", 3, 2)
    assert driven.session.samples.stage == ""


def test_a_profile_that_failed_is_told_and_can_be_tried_again(kept):
    error = ShaderTimeout("took longer than its limit")
    for _ in range(2):
        kept.session.samples.record("mine", 3, 2)
        kept.device.fail(error)
        assert kept.session.samples.stage == ""
    assert kept.errors == [error, error]
    assert kept.stores == []


def test_a_profile_that_another_device_stopped_ends_the_recording_quietly(kept):
    kept.session.samples.record("mine", 3, 2)
    kept.session.use_device(OTHER)
    assert kept.session.samples.stage == ""
    assert kept.errors == []
    assert kept.stores == []


def test_what_the_store_refused_can_be_recorded_without_measuring_anew(kept):
    refused, samples = InvalidSample("its times do not settle"), kept.session.samples
    samples.record("mine", 3, 2)
    made = measurement()
    kept.device.answer(made)
    kept.stores[-1].fail(refused)
    assert (samples.stage, kept.errors, kept.names) == ("", [refused], [])
    samples.record("mine", 3, 2)
    assert recorded(kept).measured is made


def test_the_text_goes_with_it_only_under_a_licence(kept):
    made = program("written")
    vars(made)["text"] = "void main() {}"
    kept.session.edit("written")
    kept.text.answer(made)
    kept.device.answer(frame())
    kept.device.answer(trace())
    for licence in ("", "CC0-1.0"):
        kept.session.samples.licence = licence
        kept.session.samples.record("mine", 3, 2)
        kept.device.answer(measurement())
        shared = recorded(kept).shared
        kept.stores[-1].answer("id")
        kept.stores[-1].answer("the list")
        assert (shared is not None) == bool(licence)
    assert (shared.text, shared.license) == ("void main() {}", "CC0-1.0")


def test_the_optimised_form_is_kept_where_it_was_counted(kept):
    kept.has_targets(Form.OPTIMIZED)
    kept.predictor.answer((forecast(),))
    kept.clock.move(REST_S)
    smaller, counted = program("a, optimised"), trace()
    kept.optimizer.answer(smaller)
    kept.device.answer(counted)
    kept.predictor.answer((forecast(),))
    kept.session.samples.record("mine", 3, 2)
    kept.device.answer(measurement())
    assert recorded(kept).optimized == (smaller, counted)


def test_another_store_has_a_worker_of_its_own(kept, tmp_path):
    samples = kept.session.samples
    samples.refresh()
    samples.refresh()
    assert [store.path.name for store in kept.stores] == ["samples.db"]
    samples.path = tmp_path / "other.db"
    samples.refresh()
    assert [store.path.name for store in kept.stores] == ["samples.db", "other.db"]
    assert kept.stores[0].closed
    assert not kept.stores[1].closed


def test_a_list_that_cannot_be_read_says_why_until_it_can(kept):
    samples = kept.session.samples
    samples.refresh()
    error = InvalidSample("no store")
    kept.stores[-1].fail(error)
    assert samples.listing_error is error
    samples.refresh()
    kept.stores[-1].answer("the list")
    assert (samples.listing_error, samples.listing) == (None, "the list")


def test_review_and_export_are_under_way_until_they_are_answered(kept):
    samples = kept.session.samples
    reviewed, exported = [], []
    samples.reviewed.connect(lambda *pair: reviewed.append(pair))
    samples.exported.connect(exported.append)
    samples.review("choice")
    assert samples.busy == "review"
    kept.stores[-1].answer("review")
    samples.export("file", "choice", "CC0-1.0")
    assert samples.busy == "export"
    kept.stores[-1].answer("written")
    assert samples.busy == ""
    assert (reviewed, exported) == ([("choice", "review")], ["written"])
    samples.review("choice")
    kept.stores[-1].fail(InvalidSample("no store"))
    assert samples.busy == ""
    assert [str(error) for error in kept.errors] == ["no store"]


def test_what_is_forgotten_leaves_the_list(kept):
    kept.session.samples.forget(["one"])
    assert kept.stores[-1].open[0].arguments == (["one"],)
    kept.stores[-1].answer(None)
    assert kept.stores[-1].on == "listing"


def test_a_store_or_data_set_is_described_or_says_why_not(kept, tmp_path):
    told = []
    kept.session.samples.described.connect(lambda *given: told.append(given))
    kept.session.samples.describe()
    kept.session.samples.describe(tmp_path / "set.parquet")
    first, second = kept.stores[-1].open
    assert (first.arguments, second.arguments) == ((None,), (tmp_path / "set.parquet",))
    error = InvalidSample("damaged")
    first.answer(("one device",))
    second.fail(error)
    assert told == [(None, ("one device",)), (tmp_path / "set.parquet", error)]


def test_what_is_under_way_is_announced(kept):
    samples, told = kept.session.samples, []
    samples.changed.connect(lambda: told.append((samples.stage, samples.busy)))
    samples.record("mine", 3, 2)
    assert told == [("profile", "")]
    kept.device.answer(measurement())
    assert told[-1] == ("keep", "")
    kept.stores[-1].answer("id")
    assert samples.stage == ""
    samples.review("choice")
    assert told[-1] == ("", "review")
    kept.stores[-1].requests[-1].fail(InvalidSample("none"))
    assert told[-1] == ("", "")
    assert [str(each) for each in kept.errors] == ["none"]
    samples.close()
    assert kept.stores[-1].closed
