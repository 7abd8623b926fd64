import threading

from shaderlab.workers.background import in_background


def test_work_that_is_not_waited_for_any_more_ends_in_peace():
    go_on = threading.Event()
    found = in_background(go_on.wait, "work")
    assert not found.cancel()
    go_on.set()
    assert found.result(10) is True
