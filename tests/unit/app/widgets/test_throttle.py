"""Many changes passed on as one."""

from shaderlab.app.widgets.throttle import Throttle


def test_many_calls_in_an_interval_are_passed_on_once_and_later_ones_again(qtbot):
    throttle = Throttle(5)
    passed = []
    throttle.passed.connect(lambda: passed.append(len(asked)))
    asked = []
    for _ in range(50):
        asked.append(True)
        throttle.soon()
    assert passed == []
    qtbot.waitUntil(lambda: bool(passed))
    assert passed == [50], "once, after all of them"
    throttle.soon()
    qtbot.waitUntil(lambda: len(passed) == 2)


def test_at_once_takes_the_place_of_what_was_to_come(qtbot):
    throttle = Throttle(1)
    passed = []
    throttle.passed.connect(lambda: passed.append(True))
    throttle.soon()
    throttle.now()
    assert passed == [True]
    with qtbot.waitSignal(throttle.passed):  # the next is of the next call, not of the first
        throttle.soon()
    assert passed == [True, True]
