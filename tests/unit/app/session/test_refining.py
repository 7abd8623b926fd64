"""Which text and which stage the numbers on screen belong to, from edit to final forecast."""

from dataclasses import replace

import pytest

from shaderlab.app.qt import QApplication
from shaderlab.app.session import forecasts, reasons
from shaderlab.app.session.refining import REST_S
from shaderlab.errors import CompileFailed, DeviceStuck
from shaderlab.frontend.program import Diagnostic, Severity
from shaderlab.prediction.forecast import Measured
from shaderlab.prediction.forms import Form
from shaderlab.studies import pace
from shaderlab.workers import answering

from .fakes import LLVMPIPE, forecast, frame, measurement, program, trace

WRITTEN, OPTIMIZED, COMPILED = Form.WRITTEN, Form.OPTIMIZED, Form.COMPILED


def answered(driven) -> bool:
    """Whether there was something to predict, which is done now."""
    is_open = bool(driven.predictor.open)
    if is_open:
        driven.predictor.answer((forecast(),))
    return is_open


@pytest.fixture
def served(driven):
    driven.has_targets(OPTIMIZED)
    driven.serve("a")
    return driven


def finer(driven):
    return driven.session.refining.finer(driven.session.forecasts[0])


def test_numbers_are_outdated_from_the_edit_to_their_successors(served):
    session = served.session
    assert reasons.outdated_counts(session) == reasons.outdated_forecasts(session) == ""
    session.edit("ab")
    assert "counting" in reasons.outdated_counts(session)
    assert "counting" in reasons.outdated_forecasts(session)
    served.compiles("ab")
    served.device.answer(frame())
    assert reasons.outdated_counts(session)
    served.device.answer(trace())
    assert not reasons.outdated_counts(session)
    assert reasons.outdated_forecasts(session), "the counts are new, the forecasts are not"
    assert finer(served) is None, "what is outdated is not being refined"
    served.predictor.answer((forecast(),))
    assert not reasons.outdated_forecasts(session)


def test_an_edit_that_is_taken_back_leaves_the_numbers_as_they_are(served):
    served.session.edit("ab")
    assert reasons.outdated_counts(served.session)
    served.session.edit("a")
    served.clock.settle()
    assert not reasons.outdated_counts(served.session)
    assert not reasons.outdated_forecasts(served.session)


def test_of_a_text_that_does_not_compile_the_numbers_are_the_last_version_s(served):
    served.session.edit("broken")
    error = CompileFailed("no", (Diagnostic(1, 1, Severity.ERROR, "no"),))
    served.text.fail(error)
    served.clock.move(1.0)
    assert reasons.outdated_forecasts(served.session) == "last version that compiled"


def test_a_text_that_is_compiled_when_it_is_saved_leaves_its_numbers_behind(served):
    session = served.session
    session.compiling.leave_behind("ab")
    assert reasons.outdated_counts(session) == "previous version"
    session.compiling.leave_behind("a")
    assert not reasons.outdated_counts(session)
    session.compiling.leave_behind("ab")
    session.edit("ab")
    served.serve("ab")
    assert not reasons.outdated_forecasts(session)


def test_a_changed_input_outdates_the_numbers_too(served):
    served.session.drawing.version += 1
    assert reasons.outdated_counts(served.session)
    assert reasons.outdated_forecasts(served.session)


def test_refining_stands_until_the_finer_forecast_is_there(served):
    assert finer(served) is OPTIMIZED, "before the text has rested, too"
    served.clock.move(REST_S)
    assert finer(served) is OPTIMIZED
    served.optimizer.answer(program("a, optimised"))
    assert finer(served) is OPTIMIZED
    served.device.answer(trace())
    assert served.predictor.open
    assert finer(served) is OPTIMIZED
    served.predictor.answer((forecast("additive-optimized", OPTIMIZED),))
    assert finer(served) is None


@pytest.mark.parametrize("where", ["optimizer", "device"])
def test_a_form_that_fails_ends_the_refining_and_says_so(served, where):
    told = []
    served.session.forecasting.changed.connect(lambda: told.append(finer(served)))
    served.clock.move(REST_S)
    if where == "device":
        served.optimizer.answer(program("a, optimised"))
    getattr(served, where).fail(CompileFailed("no"))
    assert served.predictor.on == "", "there is nothing new to predict by"
    assert finer(served) is None
    assert told[-1] is None


def test_a_form_that_meets_a_stuck_device_is_counted_once_it_answers(served, monkeypatch):
    monkeypatch.setattr(answering, "_FIRST_WAIT_S", 0.01)
    hangs = [True]
    state = answering.Answering(LLVMPIPE, lambda _: not hangs[0])
    served.device.answering = state
    served.clock.move(REST_S)
    served.optimizer.answer(program("a, optimised"))
    first = served.session.forecasts
    assert state.try_it().result() is False
    served.device.fail(DeviceStuck("it no longer responds"))
    asked = len(served.device.requests)
    served.clock.move(10 * REST_S)
    assert len(served.device.requests) == asked
    assert served.session.forecasts == first
    assert finer(served) is OPTIMIZED
    again = state.again()
    hangs[0] = False
    again.result(10.0)
    QApplication.processEvents()
    served.clock.move(REST_S)
    served.device.answer(trace())
    served.predictor.answer((forecast("additive-optimized", OPTIMIZED),))
    assert finer(served) is None
    assert served.session.forecasts[0].form is OPTIMIZED


def test_what_no_model_of_the_target_looks_at_refines_nothing(driven):
    driven.has_targets()
    driven.serve("a")
    assert finer(driven) is None


def test_a_time_measured_here_is_a_witness_of_the_frame_it_is_of(served):
    assert served.predictor.measured is None
    served.session.on_device.profiles.ask(3, 2)
    served.device.answer(replace(measurement(), cpu_trials_s=(0.2,)))
    assert served.predictor.open, "predicted again"
    assert served.predictor.measured == Measured("llvmpipe", 0.2), "processor time"
    served.predictor.answer((forecast(),))
    served.session.edit("ab")
    served.serve("ab")
    assert served.predictor.measured is None, "it was measured of the former text"


def test_a_processor_s_pace_is_measured_once_and_comes_after_the_time(served, monkeypatch, qtbot):
    asked = []
    monkeypatch.setattr(forecasts, "kept", lambda info: None)
    monkeypatch.setattr(pace, "pace_of", lambda *of: asked.append(of) or 1.5)
    for _ in range(2):
        served.session.on_device.profiles.ask(3, 2)
        served.device.answer(replace(measurement(), cpu_trials_s=(0.2,)))
        qtbot.wait_until(lambda: not answered(served) and len(asked) == 1)
    assert served.predictor.measured == Measured("llvmpipe", 0.2, 1.5)
    assert len(asked) == 1
    assert served.session.forecasting.of is not None


def test_a_time_at_another_size_is_none_of_the_frame_that_was_counted(served):
    asked = len(served.predictor.requests)
    served.session.on_device.profiles.ask(3, 2)
    served.device.answer(replace(measurement((64, 48)), cpu_trials_s=(0.2,)))
    assert len(served.predictor.requests) == asked
