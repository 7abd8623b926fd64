"""The clock that sessions use: alarms ring once and never before their time."""

import pytest

from shaderlab.app.qt import QObject
from shaderlab.app.session.clock import Clock


def test_an_alarm_rings_once(qtbot):
    owner, rings = QObject(), []
    alarm = Clock().alarm(lambda: rings.append(alarm.isActive()), owner)
    assert not alarm.isActive()
    with qtbot.waitSignal(alarm.timeout):
        alarm.set(0.0)
    assert rings == [False]
    assert alarm.parent() is owner


@pytest.mark.parametrize(("seconds", "ms"), [(90.0, 90_000), (0.0154, 15), (-3.0, 0)])
def test_an_alarm_is_set_in_seconds_and_what_is_past_is_due_at_once(qapp, seconds, ms):
    owner = QObject()
    alarm = Clock().alarm(print, owner)
    alarm.set(seconds)
    assert alarm.interval() == ms
    alarm.stop()


def test_time_only_rises():
    clock = Clock()
    first = clock.now()
    assert clock.now() >= first
