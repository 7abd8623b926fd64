"""What a pane says in the place of what is missing."""

import pytest

from shaderlab.app.session import reasons
from shaderlab.app.session.counted_run import CountedRun
from shaderlab.app.session.reasons import FIX_FIRST, Reason, advice, no_counts, no_forecasts
from shaderlab.errors import CompileFailed, DeviceLost, ShaderlabError, ShaderTimeout

from .driven import Driven
from .fakes import forecast, frame, trace

HUNG = ShaderTimeout("took longer than its limit")


def test_while_the_first_text_is_under_way_everything_is(driven):
    driven.compiles("a")
    assert no_counts(driven.session) == Reason("Counting…")
    assert no_forecasts(driven.session) == Reason("Predicting…")
    driven.device.answer(frame())
    driven.device.answer(trace())
    assert no_forecasts(driven.session) == Reason("Predicting…")


def test_a_text_that_never_compiled_is_to_be_fixed_first(driven):
    driven.text.fail(CompileFailed("no"))
    driven.clock.move(10.0)
    assert reasons.never_compiled(driven.session)
    assert no_counts(driven.session) == Reason("No counts yet", FIX_FIRST, "error")
    assert no_forecasts(driven.session) == Reason("No predictions yet", FIX_FIRST, "error")


def test_a_version_that_compiled_once_is_not_to_be_fixed(driven):
    driven.compiles("a")
    driven.session.edit("ab")
    driven.text.fail(CompileFailed("no"))
    driven.clock.move(10.0)
    assert not reasons.never_compiled(driven.session)
    assert no_counts(driven.session).title == "Counting…"


def test_an_error_of_the_device_is_the_reason_and_comes_with_advice(driven):
    driven.compiles("a")
    driven.device.answer(frame())
    driven.device.fail(HUNG)
    assert no_counts(driven.session) == Reason(str(HUNG), advice(HUNG), "warning")
    assert "cheaper" in no_counts(driven.session).hint
    hint = "Predictions are based on this shader's execution counts."
    assert no_forecasts(driven.session) == Reason("No predictions yet", hint, "warning")


def test_what_could_not_be_estimated_either_says_so(driven):
    driven.compiles("a")
    driven.device.fail(DeviceLost("ended by SIGSEGV"))
    driven.clock.move()
    driven.predictor.fail(ShaderlabError("no model takes it"))
    assert no_counts(driven.session).title == "ended by SIGSEGV"
    assert no_forecasts(driven.session).hint == "no model takes it"


def test_a_predictor_that_failed_is_the_reason_for_no_forecasts(driven):
    driven.compiles("a")
    driven.device.answer(frame())
    driven.device.answer(trace())
    driven.predictor.fail(ShaderlabError("no model takes it"))
    assert no_forecasts(driven.session) == Reason("no model takes it", role="warning")


def test_without_a_device_one_is_asked_for(qapp):
    driven = Driven()
    driven.session.open_text("a", "a.frag", None)
    driven.compiles("a")
    assert "needs a Vulkan device" in no_counts(driven.session).hint
    assert no_counts(driven.session).role == "dim"
    driven.session.close()


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (HUNG, "Make the shader cheaper, or run it on a faster device."),
        (ShaderTimeout("hung").with_remedy("Wait."), "Wait."),
        (DeviceLost("lost"), ""),
        (DeviceLost("lost").with_remedy("Replug it."), "Replug it."),
    ],
)
def test_advice_is_the_errors_own_or_what_helps_against_time(error, said):
    assert advice(error) == said


def outdated(driven) -> tuple[str, str]:
    return reasons.outdated_counts(driven.session), reasons.outdated_forecasts(driven.session)


def test_counts_and_forecasts_say_when_they_are_of_an_earlier_text(driven):
    assert outdated(driven) == ("", ""), "there are none"
    driven.serve("a")
    assert outdated(driven) == ("", "")
    driven.session.edit("ab")
    assert outdated(driven) == ("previous version, counting…",) * 2
    driven.compiles("ab")
    driven.device.answer(frame())
    driven.device.answer(trace())
    assert outdated(driven) == ("", "previous version, counting…")
    driven.predictor.answer((forecast(),))
    assert outdated(driven) == ("", "")
    driven.session.edit_without_compiling("abc")
    assert outdated(driven) == ("previous version",) * 2
    driven.session.edit("abc(")
    driven.text.fail(CompileFailed("no"))
    driven.clock.move(10.0)
    assert outdated(driven) == ("last version that compiled",) * 2


def test_counts_of_earlier_values_are_outdated_too(driven):
    driven.serve("a")
    driven.session.drawing.count_at(CountedRun((64, 64)))
    assert outdated(driven) == ("previous version, counting…",) * 2


def test_estimates_of_a_text_that_is_not_counted_are_outdated_with_it(driven):
    driven.compiles("a")
    driven.device.fail(DeviceLost("ended by SIGSEGV"))
    driven.clock.move()
    driven.predictor.answer((forecast(),))
    assert driven.session.untraced.forecasts
    assert outdated(driven) == ("", "")
    driven.session.edit("ab")
    assert outdated(driven) == ("", "previous version, counting…")
