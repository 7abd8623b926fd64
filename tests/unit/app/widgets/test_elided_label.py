"""A label in a narrow pane."""

from shaderlab.app.widgets.elided_label import ElidedLabel


def test_a_label_without_room_ends_in_an_ellipsis_and_tells_the_rest(qtbot):
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.setText("a long text that needs some room")
    label.resize(60, 20)
    assert label.minimumSizeHint().width() < 30
    assert label.toolTip() == label.text()
    narrow = label.grab().toImage()
    label.resize(400, 20)
    wide = label.grab().toImage()
    ink = [{image.pixel(x, 10) for x in range(image.width())} for image in (narrow, wide)]
    assert all(len(colours) > 1 for colours in ink), "both are painted"
