from datetime import datetime

import pytest

from shaderlab.app.session.playback import FrameRate, Playback, date_of


def test_time_runs_with_the_clock_while_playing():
    playback = Playback()
    assert playback.next(100.0) == (0.0, 0, 0.0)
    assert playback.next(100.5) == (0.5, 1, 0.5)
    assert playback.next(102.0) == (2.0, 2, 1.5)


def test_time_stands_still_while_paused():
    playback = Playback()
    playback.next(0.0)
    playback.next(1.0)
    playback.pause()
    assert playback.next(50.0).time_s == 1.0
    playback.play()
    assert playback.next(60.0).time_s == 1.0
    assert playback.next(60.25).time_s == 1.25


def test_holding_lets_no_time_pass():
    playback = Playback()
    playback.next(0.0)
    playback.next(1.0)
    playback.hold()
    assert playback.next(9.0).time_s == 1.0


def test_step_pauses_and_advances_one_frame():
    playback = Playback()
    playback.next(0.0)
    playback.step()
    assert not playback.playing
    assert playback.next(5.0) == pytest.approx((1 / 60, 1, 1 / 60))


def test_restart_keeps_pause():
    playback = Playback(playing=False)
    playback.step()
    playback.restart()
    assert playback.moment == (0.0, 0, 0.0)
    assert not playback.playing


def test_frame_rate_counts_the_last_second_only():
    rate = FrameRate()
    assert rate.value is None
    for i in range(5):
        rate.tick(i * 10.0)  # long ago, slowly
    for i in range(1, 61):
        rate.tick(40.0 + i / 60)
    assert rate.value == pytest.approx(60, rel=0.02)
    rate.clear()
    assert rate.value is None


def test_a_frame_of_exactly_one_second_ago_still_counts():
    rate = FrameRate()
    for moment in (0.0, 0.25, 1.0):
        rate.tick(moment)
    assert rate.value == 2.0


def test_the_date_is_shadertoy_s():
    assert date_of(datetime(2024, 3, 9, 1, 0, 2, 500_000)) == (2024, 2, 9, 3602.5)


def test_a_fault_halts_what_plays_until_it_is_gone():
    playback = Playback()
    playback.halt()
    assert not playback.playing
    playback.halt()  # the next text is no better
    playback.resume()
    assert playback.playing


def test_what_the_user_paused_stays_so_after_a_fault():
    playback = Playback()
    playback.pause()
    playback.halt()
    playback.resume()
    assert not playback.playing
    playback.play()
    playback.halt()
    playback.pause()
    playback.resume()
    assert not playback.playing


def test_a_step_back_ends_at_the_beginning():
    playback = Playback()
    playback.seek(2 / 60)
    playback.step(-1)
    assert playback.moment == pytest.approx((1 / 60, 1, 1 / 60))
    playback.step(-1)
    playback.step(-1)
    assert playback.moment[:2] == (0.0, 0)


def test_seeking_counts_frames_at_sixty_a_second_and_playing_goes_on_there():
    playback = Playback()
    playback.next(0.0)
    playback.seek(5.0)
    assert playback.next(1.0)[:2] == (5.0, 300)
    assert playback.next(1.5).time_s == 5.5
    assert playback.playing


def test_a_loop_begins_again_at_its_start():
    playback = Playback()
    playback.loop = (2.0, 3.0)
    playback.seek(2.9)
    playback.next(0.0)
    assert playback.next(0.3).time_s == pytest.approx(2.2)
    assert playback.next(9.7).time_s == pytest.approx(2.6), "however late the frame is"
    playback.loop = None
    assert playback.next(10.7).time_s == pytest.approx(3.6)


def test_inside_a_loop_time_and_frames_run_on_as_without():
    looped, free = Playback(), Playback()
    looped.loop = (0.0, 60.0)
    for now in (0.0, 0.25, 5.0, 5.001):
        assert looped.next(now) == free.next(now)
