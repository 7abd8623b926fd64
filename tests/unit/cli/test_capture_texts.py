from __future__ import annotations

from concurrent.futures import Future
from math import nan

from shaderlab.captures.frame import CapturedDraw, Counters, Listed
from shaderlab.cli.capturing import _Found, _Progress
from shaderlab.cli.texts import captures as texts
from shaderlab.gpu.replayed import Replayed
from shaderlab.workers.analysed_draws import AnalysedDraw

SHADOWS = AnalysedDraw(
    CapturedDraw(30, "vkCmdDraw(6)", "shadows", reason="it has no pixel shader"),
    reason="it has no pixel shader",
)
SEEN = AnalysedDraw(CapturedDraw(45, "vkCmd\x1bDraw()"), replayed=Replayed(0.25, nan, 12, 0.0))


def test_each_draw_has_its_numbers_or_the_reason():
    found = texts.data((SHADOWS, SEEN), {45: Counters(0.5, 12.0)}, (), (64, 32))
    assert found["frame"] == {"draws": 2, "replayed": 1, "size": [64, 32]}
    shadows, seen = found["draws"]
    assert shadows["reason"] == "it has no pixel shader"
    assert shadows["picture_difference"] is None
    assert shadows["renderdoc"] == {"time_s": None, "invocations": None}
    assert seen["picture_difference"] == 0.25
    assert seen["measured_s"] is None
    assert seen["renderdoc"] == {"time_s": 0.5, "invocations": 12.0}
    assert seen["reason"] is None


def test_a_frame_of_which_nothing_can_be_replayed_has_no_size():
    assert _Found("a.rdc", [SHADOWS, SEEN]).size == (0, 0)


def test_the_table_shows_names_of_others_as_text():
    shown = texts.text((SHADOWS, SEEN), (), (64, 32))
    assert "2 draws, 1 replayed, 64 x 32" in shown
    assert "shadows / vkCmdDraw(6)" in shown
    assert "30: it has no pixel shader" in shown
    assert "25 %" in shown
    assert "\x1b" not in shown


def test_progress_is_noted_when_all_is_done_and_not_for_every_draw(capsys):
    progress = _Progress()
    progress.begin(Listed((CapturedDraw(7, "a"), CapturedDraw(9, "b")), "1.24"), None)
    for _ in range(2):
        progress.count(Future())
    assert capsys.readouterr().err.splitlines() == [
        "2 draws, read by RenderDoc 1.24", "2 of 2 draws"
    ]  # fmt: skip
