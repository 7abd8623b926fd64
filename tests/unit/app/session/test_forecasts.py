"""When forecasts are of the text as it stands, and how long an error stays."""

from shaderlab.errors import ShaderlabError, StartFailed, UnsupportedShader
from shaderlab.prediction.forms import Form

from .fakes import forecast, frame, target, trace


def counted(driven, name: str) -> None:
    driven.session.edit(name)
    driven.compiles(name)
    driven.device.answer(frame())
    driven.device.answer(trace())


def test_while_a_text_is_predicted_the_former_forecasts_do_not_complete_it(driven):
    driven.serve("a")
    assert driven.session.complete
    counted(driven, "ab")
    assert driven.session.forecasts, "those of the text before stay on screen"
    assert driven.session.progress.counts_are_current
    assert not driven.session.complete
    driven.predictor.answer((forecast(),))
    assert driven.session.complete


def test_an_error_goes_as_soon_as_another_program_is_in_force(driven):
    counted(driven, "a")
    driven.predictor.fail(ShaderlabError("no model takes it"))
    assert str(driven.session.forecast_error) == "no model takes it"
    driven.session.edit("ab")
    driven.compiles("ab")
    assert driven.session.forecast_error is None


def test_an_error_goes_with_its_document(driven):
    counted(driven, "a")
    driven.predictor.fail(ShaderlabError("no model takes it"))
    driven.session.open_text("b", "b.frag", None)
    assert driven.session.forecast_error is None


def test_what_cannot_be_counted_any_more_has_no_forecasts(driven):
    driven.serve("a")
    driven.session.edit("ab")
    driven.compiles("ab")
    driven.device.answer(frame())
    driven.device.fail(UnsupportedShader("no counters on this device"))
    assert driven.session.forecasts == ()
    assert driven.session.progress.served(without_device=False), "no forecasts will come"


def test_each_model_that_was_refused_is_named_once(driven):
    named: list[str] = []
    driven.session.model_refused.connect(named.append)
    for refused in (("a: no card",), ("a: no card", "b: no weights")):
        driven.read_targets()
        driven.predictor.answer(())
        driven.predictor.answer(refused)
    assert named == ["a: no card", "b: no weights"]


def test_targets_that_did_not_come_are_asked_for_again_with_the_next_forecasts(driven):
    driven.read_targets()
    driven.predictor.fail(StartFailed("too slow to start"))
    driven.predictor.answer(())
    assert driven.predictor.open == [], "not at once"
    driven.compiles("a")
    driven.device.answer(frame())
    driven.device.answer(trace())
    assert driven.predictor.on == "targets"
    driven.predictor.answer((target(Form.OPTIMIZED),))
    assert driven.session.forecasting.served == {Form.OPTIMIZED}
    assert driven.predictor.on == "predict"


def test_what_comes_after_the_forecasts_waits_for_them_or_their_failure(driven):
    progress = driven.session.progress
    counted(driven, "a")
    assert not progress.served(without_device=False)
    driven.predictor.fail(ShaderlabError("no model takes it"))
    assert progress.served(without_device=False)
    driven.session.edit("ab")
    assert not progress.served(without_device=False)


def test_a_document_that_comes_back_is_neither_compiled_nor_counted_nor_predicted_again(driven):
    driven.serve("a", forecast(time_s=7.0))
    driven.session.open_text("b", "b.frag", None)
    driven.serve("b")
    driven.session.open_text("a", "a.frag", None)
    driven.device.answer(frame())
    assert driven.text.tasks.count("compile") == 2
    assert driven.device.tasks.count("trace") == driven.predictor.tasks.count("predict") == 2
    assert driven.session.complete
    assert [each.time_s for each in driven.session.forecasts] == [7.0]
