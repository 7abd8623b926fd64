"""Answers that come after the user has turned to something else."""

from shaderlab.errors import ShaderlabError

from .driven import Driven
from .fakes import OTHER, frame, program, trace

LATE = "an answer to a former question"


def test_a_pixel_picked_meanwhile_does_not_get_the_former_one_s_values(driven):
    driven.serve("a")
    pixels = driven.session.on_device.pixels
    pixels.pick((1, 2))
    pixels.pick((3, 4))
    driven.device.answer(LATE)
    assert pixels.values is None
    assert driven.device.open[0].task == "pixel"
    driven.device.answer("of the picked one")
    assert pixels.values == "of the picked one"


def test_an_error_of_a_pixel_that_is_no_longer_picked_is_not_shown(driven):
    driven.serve("a")
    pixels = driven.session.on_device.pixels
    pixels.pick((1, 2))
    pixels.pick(None)
    driven.device.fail(ShaderlabError(LATE))
    assert pixels.error is None


def test_pictures_of_one_version_are_not_shown_as_those_of_another(driven, qtbot):
    driven.serve("a")
    compared = driven.session.on_device.compared
    compared.compare(program("one"), 1.0, (64, 48))
    compared.compare(program("other"), 1.0, (64, 48))
    for _ in range(2):
        driven.device.answer(frame())
    assert compared.pair is None
    for _ in range(2):
        driven.device.answer(frame())
    qtbot.waitUntil(lambda: compared.pair is not None)


def test_pictures_nobody_looks_at_any_more_are_dropped(driven):
    driven.serve("a")
    compared = driven.session.on_device.compared
    compared.compare(program("one"), 1.0, (64, 48))
    compared.clear()
    for _ in range(2):
        driven.device.answer(frame())
    assert compared.pair is None


def test_both_pictures_have_the_size_that_was_asked_for_first_then_the_new_one(driven):
    driven.serve("a")
    compared, before = driven.session.on_device.compared, len(driven.device.frames)
    compared.compare(program("one"), 1.0, (64, 48))
    compared.compare(program("one"), 1.0, (32, 24))
    for _ in range(4):
        driven.device.answer(frame())
    sizes = [each.shown.size for each in driven.device.frames[before:]]
    assert sizes == [(64, 48), (64, 48), (32, 24), (32, 24)]


def test_control_flow_of_a_former_document_is_dropped(driven):
    flow = driven.session.flow
    flow.want(wanted=True)
    driven.serve("a")
    driven.session.open_text("b", "b.frag", None)
    said = []
    flow.changed.connect(lambda: said.append(flow.flows))
    driven.text.answer((LATE,))
    assert said == []


def test_the_curve_over_time_ends_with_its_device(driven):
    driven.serve("a")
    curve = driven.session.curve
    curve.ask(10.0, "rtx3060")
    driven.clock.move()
    assert driven.device.on == "trace"
    driven.session.use_device(OTHER)
    assert not curve.running


def test_the_curve_over_time_goes_with_its_document(driven):
    driven.serve("a")
    curve = driven.session.curve
    curve.ask(10.0, "rtx3060")
    driven.clock.move()
    driven.device.answer(trace())
    driven.predictor.answer(())
    assert curve.moments
    driven.session.open_text("b", "b.frag", None)
    assert (curve.moments, curve.run) == ({}, None)


def test_without_a_device_the_curve_over_time_says_so(qapp):
    driven = Driven()
    driven.session.open_text("a", "a.frag", None)
    driven.compiles("a")
    curve = driven.session.curve
    curve.ask(10.0, "rtx3060")
    assert (curve.running, str(curve.error)) == (False, "no device, so nothing is counted")
    driven.session.close()
