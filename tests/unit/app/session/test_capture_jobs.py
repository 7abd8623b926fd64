"""The open capture in a session, with a reader whose words the test gives."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from pytestqt.qtbot import QtBot

from shaderlab.app.session import capture_jobs
from shaderlab.app.session.capture_jobs import ChosenDraw
from shaderlab.captures.frame import CapturedDraw, CapturedShader, Counters, Listed
from shaderlab.captures.shader_texts import Origin
from shaderlab.errors import WrongUse
from shaderlab.prediction.forecast import Forecast, Validation
from shaderlab.prediction.forecasts.frame_forecast import frame_forecasts
from shaderlab.scene.contents import Contents, Piece
from shaderlab.scene.draw import DrawState
from shaderlab.workers.analysed_draws import AnalysedDraw
from shaderlab.workers.captured_texts import EditableShader
from shaderlab.workers.edited_frame import Analysed, shader_key
from shaderlab.workers.opened_captures import Ended, Summed

from .driven import Driven
from .fakes import OTHER, program


class Reader:
    """In the place of what reads and counts."""

    made: list[Reader]

    def __init__(self, path: Path, analyser: object, say: Any):
        self.path, self.analyser, self.say = path, analyser, say
        self.edits: list[tuple[str, str]] = []
        self.closed = self.stopped = False
        Reader.made.append(self)

    def start(self) -> None: ...

    def close(self) -> None:
        self.closed = True

    def stop_reading(self) -> None:
        self.stopped = True

    def edit(self, _key: object, base: Any, changed: Any) -> None:
        self.edits.append((base.name, changed.name if changed is not None else ""))


@pytest.fixture(autouse=True)
def readers(monkeypatch: pytest.MonkeyPatch) -> list[Reader]:
    Reader.made = []
    monkeypatch.setattr(capture_jobs, "OpenedCapture", Reader)
    return Reader.made


def draw(event: int, shader: str = "a") -> CapturedDraw:
    module = Contents(Path("pack"), (Piece(shader, 0, 4),))
    return CapturedDraw(event, "draw", shader=CapturedShader(module, "main"), state=DrawState())


def chosen(of: CapturedDraw) -> ChosenDraw:
    key = shader_key(of)
    assert key is not None
    return ChosenDraw(of, key, EditableShader(Path("x"), Origin.DECOMPILED, program("base")))


def test_what_is_said_of_a_frame_is_kept_and_goes_with_the_next(
    driven: Driven, readers: list[Reader]
):
    capture = driven.session.capture
    capture.open(Path("one.rdc"))
    (first,) = readers
    assert first.analyser is not None
    plain = replace(draw(7), state=None, shader=None)
    for said in (Listed((plain,), "1.24"), draw(7), {7: Counters(1.0, 2.0)}, Summed((), ())):
        first.say(said)
    assert capture.draws[7].state is not None
    assert capture.theirs == {7: Counters(1.0, 2.0)}
    assert (capture.reading, capture.counting, capture.read) == (True, True, 1)
    first.say(Analysed(AnalysedDraw(draw(7)), edited=False))
    first.say(Ended())
    assert not capture.reading
    assert not capture.counting
    assert capture.known(7) is not None

    capture.open(Path("two.rdc"))
    assert first.closed
    assert not capture.draws
    capture._take(cast("Any", first), Listed((plain,), "late"))
    assert not capture.draws
    readers[-1].say(Ended(WrongUse("no capture")))
    assert str(capture.error) == "no capture"


def test_another_device_counts_anew(driven: Driven, readers: list[Reader]):
    driven.session.capture.open(Path("one.rdc"))
    driven.session.use_device(OTHER)
    assert [each.path.name for each in readers] == ["one.rdc", "one.rdc"]
    assert readers[0].closed


def test_an_edit_is_drawn_in_the_frame_until_it_is_taken_back(
    driven: Driven, readers: list[Reader], qtbot: QtBot
):
    capture = driven.session.capture
    capture.open(Path("one.rdc"))
    (reader,) = readers
    reader.say(Listed((draw(7),), ""))
    capture.use_program(program("of no draw"))
    assert not reader.edits
    its = chosen(draw(7))
    with qtbot.waitSignal(capture.chosen_changed):
        capture.use(its)
    capture.use_program(its.shader.base)
    assert not reader.edits
    before = capture.version
    edited, later = program("edited"), program("later")
    capture.use_program(edited)
    assert reader.edits == [("base", "edited")]
    assert capture.version != before
    reader.say(Analysed(AnalysedDraw(draw(7), edited), edited=True))
    assert capture.known(7) is capture.edited[7]
    capture.use_program(later)
    assert reader.edits[-1] == ("base", "later")
    capture.use_program(its.shader.base)
    assert reader.edits[-1] == ("base", "")
    assert not capture.edited
    # What was counted of an edit that is taken back comes too late.
    reader.say(Analysed(AnalysedDraw(draw(7), later), edited=True))
    assert not capture.edited


def test_a_pinned_frame_is_refined_until_an_edit_comes(driven: Driven, readers: list[Reader]):
    capture = driven.session.capture
    capture.open(Path("one.rdc"))
    (reader,) = readers
    reader.say(Listed((draw(7),), ""))
    its = chosen(draw(7))
    capture.use(its)
    rough, refined, edited = (
        frame_forecasts({"7": (forecast(each),)}, {"7": 1}) for each in (3.0, 2.0, 9.0)
    )
    reader.say(Summed(rough, rough))
    capture.pin()
    assert capture.pinned == rough
    reader.say(Summed(refined, refined))
    assert capture.pinned == refined
    capture.use_program(program("edited"))
    reader.say(Summed(edited, refined))
    assert capture.pinned == refined
    capture.pin()
    assert capture.pinned == edited
    capture.pin()
    assert not capture.pinned


def forecast(time_s: float) -> Forecast:
    return Forecast("gpu", time_s, time_s, time_s, "sh", "", Validation(None, None, None, ""))


def test_another_document_is_no_draws(driven: Driven, readers: list[Reader]):
    capture = driven.session.capture
    capture.open(Path("one.rdc"))
    capture.use(chosen(draw(7)))
    driven.session.open_text("b", "b.frag", None)
    assert capture.chosen is None
    capture.use_program(program("edited"))
    assert not readers[0].edits
    capture.stop()
    assert readers[0].stopped
