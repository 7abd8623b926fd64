"""What is said is counted, and a flood of it bounded."""

from shaderlab.app.widgets.notifications import MOST_KEPT, NotificationCentre


def test_the_same_notice_is_counted_not_repeated(qapp):
    centre = NotificationCentre()
    for _ in range(5):
        centre.say("error", "device lost")
        centre.say("note", "fine again")
    assert [(n.text, n.times) for n in centre.notices] == [("device lost", 5), ("fine again", 5)]


def test_a_flood_is_shown_as_its_worst_and_latest(qtbot):
    centre = NotificationCentre()
    shown = []
    centre.changed.connect(lambda notice: shown.append(notice.text))
    for number in range(50):
        centre.say("error", f"frame {number} failed")
        centre.say("note", f"note {number}")
    assert shown == ["frame 0 failed"]
    qtbot.waitUntil(lambda: len(shown) > 1)
    assert shown == ["frame 0 failed", "frame 49 failed"]
    assert len(centre.notices) == 100


def test_notices_are_bounded(qapp):
    centre = NotificationCentre()
    for number in range(MOST_KEPT + 50):
        centre.say("note", f"{number}")
    assert len(centre.notices) == MOST_KEPT
    assert centre.notices[-1].text == f"{MOST_KEPT + 49}"
