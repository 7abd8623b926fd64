import time

from shaderlab.app.qt import QTimer
from shaderlab.app.shell.watchdog import Watchdog


def test_a_thread_that_keeps_events_waiting_is_measured_and_named(qtbot):
    watchdog = Watchdog(limit_s=0.2, interval_s=0.01)
    watchdog.start()
    qtbot.waitUntil(lambda: watchdog.events > 0)

    def dawdle():
        time.sleep(0.4)
        end = time.thread_time() + 0.2
        while time.thread_time() < end:
            pass

    QTimer.singleShot(0, dawdle)
    # A busy machine may have kept other events waiting too.
    qtbot.waitUntil(lambda: any("dawdle" in block.where for block in watchdog.blocks))
    watchdog.stop()
    (block,) = (block for block in watchdog.blocks if "dawdle" in block.where)
    assert block.seconds > 0.2
    assert 0.0 < block.work_s < block.seconds
    assert watchdog.longest_work_s >= block.work_s
    assert watchdog.longest_s >= block.seconds
    watchdog.reset()
    assert not watchdog.blocks
