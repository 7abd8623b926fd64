"""Animations written by the real encoders, and read back."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from shaderlab.errors import WrongUse
from shaderlab.workers.exporting import MOST_GIF_BYTES, ExportServer, Film, Plan

FRAMES, SIZE = 6, (33, 20)


def picture(number: int) -> np.ndarray:
    """Grey, brighter from picture to picture; the top row is red."""
    made = np.full((SIZE[1], SIZE[0], 3), 40 * number, np.uint8)
    made[0] = (255, 0, 0)
    return made


def written(tmp_path, film: Film):
    plan = Plan(film, tmp_path / f"out.{film.value}", SIZE, 0.0, FRAMES, 30.0)
    server = ExportServer()
    server.begin(plan)
    for number in range(FRAMES):
        server.add(picture(number), plan.path, bottom_up=False)
    server.finish(plan.path)
    return plan.path


def test_png_pictures_are_numbered_and_exact(tmp_path):
    written(tmp_path, Film.PNG)
    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == [f"out_{n:04}.png" for n in range(FRAMES)]
    for number, file in enumerate(files):
        assert (np.asarray(Image.open(file)) == picture(number)).all()


def test_a_devices_pixels_are_turned_and_lose_their_alpha(tmp_path):
    plan = Plan(Film.PNG, tmp_path / "out.png", SIZE, 0.0, 1, 30.0)
    server = ExportServer()
    server.begin(plan)
    upright = picture(1)
    with_alpha = np.dstack([upright, np.zeros(upright.shape[:2], np.uint8)])
    server.add(with_alpha[::-1], plan.path, bottom_up=True)
    server.finish(plan.path)
    assert (np.asarray(Image.open(tmp_path / "out_0000.png")) == upright).all()


def test_a_gif_has_every_picture_and_lasts_as_long(tmp_path):
    path = written(tmp_path, Film.GIF)
    assert list(tmp_path.iterdir()) == [path]
    with Image.open(path) as film:
        assert film.n_frames == FRAMES
        lasts = []
        for number in range(FRAMES):
            film.seek(number)
            lasts.append(film.info["duration"])
            grey = np.asarray(film.convert("RGB"))[10, 10]
            assert np.abs(grey.astype(int) - 40 * number).max() <= 8
    assert sum(lasts) == pytest.approx(1000 * FRAMES / 30, abs=11)


def test_an_mp4_film_has_every_picture_at_its_rate(tmp_path):
    av = pytest.importorskip("av")
    path = written(tmp_path, Film.MP4)
    assert list(tmp_path.iterdir()) == [path]
    with av.open(str(path)) as film:
        (stream,) = film.streams.video
        frames = [frame.to_ndarray(format="rgb24") for frame in film.decode(video=0)]
        assert stream.average_rate == 30
    assert len(frames) == FRAMES
    assert frames[0].shape == (20, 32, 3), "H.264 has even sides"
    for number, frame in enumerate(frames):
        assert np.abs(frame[15, 10].astype(int) - 40 * number).max() <= 8


@pytest.mark.parametrize("film", Film)
def test_what_is_given_up_leaves_nothing(tmp_path, film):
    if film is Film.MP4:
        pytest.importorskip("av")
    server = ExportServer()
    server.begin(Plan(film, tmp_path / "out", SIZE, 0.0, FRAMES, 30.0))
    server.add(picture(1), tmp_path / "out", bottom_up=False)
    server.discard()
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_written_is_named(tmp_path):
    server = ExportServer()
    there = tmp_path / "missing" / "out.png"
    server.begin(Plan(Film.PNG, there, SIZE, 0.0, FRAMES, 30.0))
    with pytest.raises(WrongUse, match=r"out\.png cannot be written"):
        server.add(picture(0), there, bottom_up=False)
    huge = Plan(Film.GIF, tmp_path / "out.gif", (4096, 4096), 0.0, MOST_GIF_BYTES >> 20, 30.0)
    with pytest.raises(WrongUse, match="too large"):
        server.begin(huge)
