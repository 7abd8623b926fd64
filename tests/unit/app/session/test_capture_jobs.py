"""The open capture in a session, with a reader whose words the test gives."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np
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
from shaderlab.workers.edited_frame import Analysed, Changed, Picture, shader_key
from shaderlab.workers.frame_heat import FrameHeat, FrameHeatKind
from shaderlab.workers.opened_captures import Ended, NoHeat, Summed

from .driven import Driven
from .fakes import OTHER, program


class Reader:
    """In the place of what reads and counts."""

    made: list[Reader]

    def __init__(self, path: Path, analyser: object, say: Any):
        self.path, self.analyser, self.say = path, analyser, say
        self.edits: list[tuple[str, str]] = []
        self.heats: list[tuple[FrameHeatKind, int | None]] = []
        self.closed = self.stopped = False
        Reader.made.append(self)

    def start(self) -> None: ...

    def close(self) -> None:
        self.closed = True

    def stop_reading(self) -> None:
        self.stopped = True

    def ask_heat(self, kind: FrameHeatKind, event: int | None) -> None:
        self.heats.append((kind, event))

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


def test_times_are_of_an_earlier_version_until_the_whole_frame_is_drawn_with_the_edit(
    driven: Driven, readers: list[Reader]
):
    capture = driven.session.capture
    capture.open(Path("one.rdc"))
    (reader,) = readers
    reader.say(Listed((draw(7),), ""))
    its = chosen(draw(7))
    capture.use(its)
    reader.say(Summed((), ()))
    assert not capture.redrawing
    edited = program("edited")
    capture.use_program(edited)
    assert capture.redrawing
    reader.say(Summed((), (), None))
    assert capture.redrawing, "some draws are of the edit, others not yet"
    reader.say(Summed((), (), frozenset({(its.key, edited.digest)})))
    assert not capture.redrawing
    capture.use_program(its.shader.base)
    assert capture.redrawing


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


# -- what a draw's shader is opened by


@dataclass
class Opening:
    """In the place of what makes files of captured shaders: one at a time, as the test lets it."""

    made: list[str]
    let: threading.Event


@pytest.fixture
def opening(monkeypatch: pytest.MonkeyPatch) -> Opening:
    doing = Opening([], threading.Event())
    doing.let.set()

    def editable(_compiler: object, shader: CapturedShader, folder: Path, stage: object):
        assert doing.let.wait(20)
        name = shader.module.pieces[0].digest
        doing.made.append(f"{name} {folder.name} {stage}")
        if name == "broken":
            raise WrongUse("no text")
        return EditableShader(Path(name), Origin.DECOMPILED, program(name))

    monkeypatch.setattr(capture_jobs, "editable", editable)
    monkeypatch.setattr(capture_jobs, "folder_of", lambda digest: Path(f"of-{digest}"))
    monkeypatch.setattr(capture_jobs, "stage_of", lambda draw: f"stage of {draw.event}")
    monkeypatch.setattr(capture_jobs.opening, "cache_folder", lambda path: Path("c") / path.stem)
    return doing


def test_a_draws_shader_is_made_a_file_once(
    driven: Driven, readers: list[Reader], opening: Opening, qtbot: QtBot
):
    capture = driven.session.capture
    capture.open(Path("one.rdc"))
    readers[0].say(Listed((draw(7), draw(8)), ""))
    for event in (7, 8):
        with qtbot.waitSignal(capture.ready) as ready:
            capture.ask(event)
        (its,) = ready.args
        assert its.draw is capture.draws[event]
        assert its.key == shader_key(its.draw)
        assert its.shader.path == Path("a")
    assert opening.made == ["a of-one stage of 7"], "both are drawn with it"


def test_of_several_asked_for_the_last_is_opened(
    driven: Driven, readers: list[Reader], opening: Opening, qtbot: QtBot
):
    capture = driven.session.capture
    capture.open(Path("one.rdc"))
    readers[0].say(Listed((draw(7), draw(8, "b")), ""))
    told: list[int] = []
    capture.ready.connect(lambda chosen: told.append(chosen.draw.event))
    opening.let.clear()
    capture.ask(7)
    with qtbot.waitSignal(capture.ready):
        capture.ask(8)
        opening.let.set()
    assert told == [8]
    capture.ask(7)
    assert told == [8, 7], "it was made meanwhile"
    assert len(opening.made) == 2


def test_a_shader_that_makes_no_file_is_told(
    driven: Driven, readers: list[Reader], opening: Opening, qtbot: QtBot
):
    capture = driven.session.capture
    capture.open(Path("one.rdc"))
    readers[0].say(Listed((draw(7, "broken"),), ""))
    with qtbot.waitSignal(capture.failed) as failed:
        capture.ask(7)
    assert str(failed.args[0]) == "no text"


def test_what_is_no_draw_with_a_shader_is_not_opened(
    driven: Driven, readers: list[Reader], opening: Opening
):
    capture = driven.session.capture
    capture.ask(7)
    capture.open(Path("one.rdc"))
    readers[0].say(Listed((replace(draw(7), shader=None),), ""))
    for event in (7, 9):
        capture.ask(event)
    capture.close()  # with what was asked for
    assert opening.made == []


def test_a_shader_of_a_capture_that_was_left_is_not_opened(
    driven: Driven, readers: list[Reader], opening: Opening, qtbot: QtBot
):
    capture = driven.session.capture
    capture.open(Path("one.rdc"))
    readers[0].say(Listed((draw(7),), ""))
    told: list[object] = []
    capture.ready.connect(told.append)
    opening.let.clear()
    capture.ask(7)
    capture.open(Path("two.rdc"))
    readers[1].say(Listed((draw(7), draw(8, "b")), ""))
    opening.let.set()
    with qtbot.waitSignal(capture.ready):
        capture.ask(8)
    assert [each.draw.event for each in told] == [8]
    with qtbot.waitSignal(capture.ready):
        capture.ask(7)
    assert [each.split()[:2] for each in opening.made] == [
        ["a", "of-one"], ["b", "of-two"], ["a", "of-two"],
    ]  # fmt: skip


# -- pictures, heat, and what follows edits


def test_pictures_of_the_edited_frame_stand_for_the_captured_ones(
    driven: Driven, readers: list[Reader]
):
    capture = driven.session.capture
    capture.open(Path("one.rdc"))
    one, two, edited = (np.full((1, 1, 4), n, np.uint8) for n in (1, 2, 3))
    readers[0].say(Picture(7, one))
    readers[0].say(Picture(8, two))
    readers[0].say(Picture(8, edited, edited=True))
    readers[0].say(Picture(9, edited, edited=True))
    assert capture.pictures == {7: one, 8: two}
    assert capture.shown_pictures == {7: one, 8: edited}, "of 9 there is none to stand for"
    readers[0].say(Changed({9}))
    assert capture.shown_pictures == {7: one, 8: two}


def test_a_stopped_frame_counts_no_more_until_the_next_is_opened(
    driven: Driven, readers: list[Reader]
):
    capture = driven.session.capture
    capture.open(Path("one.rdc"))
    assert not capture.is_stopped
    capture.stop()
    assert readers[0].stopped
    assert capture.is_stopped
    assert not capture.counting
    capture.open(Path("two.rdc"))
    assert not capture.is_stopped


def test_a_heat_map_is_asked_for_and_comes_or_does_not(driven: Driven, readers: list[Reader]):
    capture = driven.session.capture
    capture.ask_heat(FrameHeatKind.OVERDRAW)
    capture.open(Path("one.rdc"))
    reader = readers[0]
    capture.ask_heat(FrameHeatKind.OVERDRAW)
    capture.ask_heat(FrameHeatKind.OVERDRAW, 7)
    assert reader.heats == [(FrameHeatKind.OVERDRAW, None), (FrameHeatKind.OVERDRAW, 7)]
    heat = object.__new__(FrameHeat)
    reader.say(heat)
    assert capture.heat is heat
    reader.say(NoHeat(WrongUse("no counts")))
    assert str(capture.heat_error) == "no counts"
    capture.ask_heat(FrameHeatKind.OVERDRAW)
    assert (capture.heat, capture.heat_error) == (None, None)


def test_an_edited_draw_is_known_by_its_shader(driven: Driven, readers: list[Reader]):
    capture = driven.session.capture
    capture.open(Path("one.rdc"))
    readers[0].say(Listed((draw(7), draw(8, "b")), ""))
    capture.use(chosen(draw(7)))
    assert not capture.is_edited(7)
    capture.use_program(program("edited"))
    assert [capture.is_edited(event) for event in (7, 8, 9)] == [True, False, False]


def test_numbers_of_an_edited_frame_are_those_of_its_programs(
    driven: Driven, readers: list[Reader]
):
    capture = driven.session.capture
    capture.open(Path("one.rdc"))
    say = readers[0].say
    say(Listed((draw(7), draw(8, "b")), ""))
    capture.use(chosen(draw(7)))
    edited = program("edited")
    say(Analysed(AnalysedDraw(draw(8, "b")), edited=True))
    assert capture.edited == {}, "nothing is edited"
    capture.use_program(edited)
    say(Analysed(AnalysedDraw(draw(7), program("earlier")), edited=True))
    say(Analysed(AnalysedDraw(draw(7)), edited=True))
    say(Analysed(AnalysedDraw(replace(draw(9), shader=None)), edited=True))
    assert capture.edited == {}
    say(Analysed(AnalysedDraw(draw(7), edited), edited=True))
    say(Analysed(AnalysedDraw(draw(8, "b")), edited=True))
    assert set(capture.edited) == {7, 8}, "the second sees what the first leaves"
    say(Changed({8}))
    assert set(capture.edited) == {8}


def test_of_two_edits_the_other_stays_when_one_is_taken_back(driven: Driven, readers: list[Reader]):
    capture = driven.session.capture
    capture.open(Path("one.rdc"))
    say = readers[0].say
    say(Listed((draw(7), draw(8, "b")), ""))
    for of in (draw(7), draw(8, "b")):
        capture.use(chosen(of))
        capture.use_program(edited := program(f"edited {of.event}"))
        say(Analysed(AnalysedDraw(of, edited), edited=True))
    told: list[int] = []
    capture.changed.connect(lambda: told.append(1))
    capture.use_program(program("base"))
    assert set(capture.edited) == {7}
    assert readers[0].edits[-1] == ("base", "")
    assert told == [1]
    capture.use_program(program("base"))
    assert len(readers[0].edits) == 3, "there is nothing to take back"


def test_a_pinned_frame_stays_when_an_edit_is_taken_back(driven: Driven, readers: list[Reader]):
    capture = driven.session.capture
    capture.open(Path("one.rdc"))
    readers[0].say(Listed((draw(7),), ""))
    capture.use(chosen(draw(7)))
    edited = program("edited")
    capture.use_program(edited)
    with_edit, without = (frame_forecasts({"7": (forecast(s),)}, {"7": 1}) for s in (3.0, 2.0))
    readers[0].say(Summed(with_edit, without))
    capture.pin()
    capture.use_program(edited)
    finer = frame_forecasts({"7": (forecast(2.5),)}, {"7": 1})
    readers[0].say(Summed(finer, without))
    assert capture.pinned == finer, "the same edit again is none"
    capture.use_program(program("base"))
    readers[0].say(Summed(without, without))
    assert capture.pinned == finer


def test_the_first_error_of_a_frame_stays(driven: Driven, readers: list[Reader]):
    capture = driven.session.capture
    capture.open(Path("one.rdc"))
    readers[0].say(Ended(WrongUse("first")))
    readers[0].say(Ended(WrongUse("second")))
    assert str(capture.error) == "first"
    capture.open(Path("two.rdc"))
    assert capture.error is None
    assert capture.reading


# -- the device that counts


def test_a_frame_is_counted_on_a_device_of_its_own_kept_for_the_next(
    driven: Driven, readers: list[Reader]
):
    capture, made = driven.session.capture, driven.workers.background_devices
    assert not capture.has_device
    capture.open(Path("one.rdc"))
    (worker,) = made
    assert capture.has_device
    capture.open(Path("two.rdc"))
    assert made == [worker]
    assert not worker.closed
    assert driven.workers.background.count("compiler") == 1
    driven.session.use_device(OTHER)
    assert (worker.closed, worker.waited_for) == (True, False)
    assert made[-1].info == OTHER
    assert [each.path.name for each in readers] == ["one.rdc", "two.rdc", "two.rdc"]
    driven.session.on_device.device_changed.emit()
    assert len(readers) == 3, "it is the same device"
    capture.close()
    assert readers[-1].closed


def test_without_a_device_nothing_is_counted(driven: Driven, readers: list[Reader]):
    capture = driven.session.capture
    capture.open(Path("one.rdc"))
    driven.session.on_device._place.worker = None
    capture.open(Path("two.rdc"))
    assert readers[1].analyser is None
    readers[1].say(Listed((draw(7),), ""))
    assert not capture.has_device
    assert not capture.counting


def test_choosing_the_same_draw_again_is_no_change(driven: Driven, readers: list[Reader]):
    capture = driven.session.capture
    told: list[int] = []
    capture.chosen_changed.connect(lambda: told.append(1))
    its = chosen(draw(7))
    capture.use(its)
    capture.use(its)
    capture.leave_document()
    capture.leave_document()
    assert told == [1, 1]
