import pytest
from hypothesis import given
from hypothesis import strategies as st

from shaderlab.app.panels.preview.timeline import horizon_s
from shaderlab.app.panels.preview.zoom import FACTORS, Zoom
from shaderlab.app.qt import QPointF, QRectF

PANE, FITTED = QRectF(0, 0, 400, 300), QRectF(0, 37.5, 400, 225)
inside = st.builds(QPointF, st.floats(0, 400), st.floats(0, 300))


def fraction(place: QRectF, at: QPointF) -> tuple[float, float]:
    return (at.x() - place.left()) / place.width(), (at.y() - place.top()) / place.height()


def test_a_fitted_picture_is_where_it_fits():
    assert Zoom().place(FITTED, PANE) == FITTED
    assert Zoom(4.0).notched(-20, QPointF(9, 9), FITTED, PANE).place(FITTED, PANE) == FITTED


@given(st.lists(st.tuples(st.sampled_from([-3, -1, 1, 2, 5]), inside), max_size=8))
def test_no_edge_of_the_pane_stays_empty_that_the_picture_could_cover(notches):
    zoom = Zoom()
    for count, at in notches:
        zoom = zoom.notched(count, at, FITTED, PANE)
        place = zoom.place(FITTED, PANE)
        assert FACTORS[0] <= zoom.factor <= FACTORS[-1]
        assert place.left() <= 1e-6
        assert place.right() >= PANE.right() - 1e-6
        if place.height() >= PANE.height():
            assert place.top() <= 1e-6
            assert place.bottom() >= PANE.bottom() - 1e-6
        else:
            assert place.center().y() == pytest.approx(PANE.center().y())


def test_what_is_under_the_pointer_stays_there():
    at = QPointF(200, 150)
    zoom = Zoom().scaled(8.0, at, FITTED, PANE)
    before = fraction(zoom.place(FITTED, PANE), at)
    after = zoom.notched(2, at, FITTED, PANE)
    assert fraction(after.place(FITTED, PANE), at) == pytest.approx(before)


def test_the_picture_follows_the_hand():
    zoom = Zoom(8.0)
    moved = zoom.moved(30, -20, FITTED, PANE)
    before, after = zoom.place(FITTED, PANE), moved.place(FITTED, PANE)
    assert after.topLeft() - before.topLeft() == QPointF(30, -20)


def test_the_slider_ends_where_the_time_has_not_come():
    assert horizon_s(0) == 10
    assert horizon_s(10.5) == 30
    assert horizon_s(99999) == 99999
