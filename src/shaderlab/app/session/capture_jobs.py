"""The captured frame that is open: its draws with their numbers, and what edits change in them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session.device_jobs import DeviceJobs
from shaderlab.app.session.jobs import Tools
from shaderlab.captures import opening
from shaderlab.captures.frame import CapturedDraw, Counters, Listed
from shaderlab.errors import ShaderlabError
from shaderlab.gpu.device_info import DeviceInfo
from shaderlab.workers.analysed_draws import AnalysedDraw
from shaderlab.workers.captured_frames import FrameAnalyser, stage_of
from shaderlab.workers.captured_texts import (
    EditableShader,
    editable,
    folder_of,
    recorded_text,
)
from shaderlab.workers.edited_frame import Analysed, Changed, Picture, ShaderKey, shader_key
from shaderlab.workers.frame_heat import FrameHeat, FrameHeatKind
from shaderlab.workers.opened_captures import Ended, NoHeat, OpenedCapture, Said, Summed

if TYPE_CHECKING:
    from shaderlab.frontend.program import Program
    from shaderlab.prediction.forecasts.frame_forecast import FrameForecast

_NOTHING = Summed((), ())


@dataclass(frozen=True)
class ChosenDraw:
    """The draw whose shader is the document."""

    draw: CapturedDraw
    key: ShaderKey
    shader: EditableShader


class CaptureJobs(QObject):
    """One capture at a time; all of it is counted in the background, at low priority."""

    changed = Signal()
    """Anything of what is known of the frame; often while it is read."""
    opened = Signal()
    """Another capture is being read."""
    ready = Signal(object)
    """A `ChosenDraw` that was asked for: its shader can be opened."""
    text_ready = Signal(object, object)
    """A `CapturedDraw` that is not replayed, and the path of its GLSL, which was asked for."""
    failed = Signal(object)
    """A ShaderlabError: a draw's shader cannot be opened."""
    chosen_changed = Signal()
    _arrived = Signal(object, object)
    """From the threads: which capture, and what it says."""

    def __init__(self, tools: Tools, device: DeviceJobs, parent: QObject):
        super().__init__(parent)
        self._tools, self._device = tools, device
        self._info: DeviceInfo | None = None
        """Of the device that counts; None where there is none."""
        self._capture: OpenedCapture | None = None
        self._asking = ThreadPoolExecutor(1, thread_name_prefix="captured text")
        self._asked = 0
        self._shaders: dict[ShaderKey, EditableShader] = {}
        self._arrived.connect(self._take)
        device.device_changed.connect(self._on_device)
        self.path: Path | None = None
        self.chosen: ChosenDraw | None = None
        self._forget()

    def _forget(self) -> None:
        self.draws: dict[int, CapturedDraw] = {}
        """By event; as far as they were read."""
        self.found: dict[int, AnalysedDraw] = {}
        """With the captured shaders."""
        self.edited: dict[int, AnalysedDraw] = {}
        """Those that edits change: with an edited shader, or what such draws left."""
        self.theirs: Mapping[int, Counters] = {}
        self.pictures: dict[int, np.ndarray] = {}
        """Of passes, by the event of their last draw."""
        self._edited_pictures: dict[int, np.ndarray] = {}
        self._edits: dict[ShaderKey, str] = {}
        """Digests of the programs that are drawn in place of captured ones."""
        self.summed = _NOTHING
        self.pinned: tuple[FrameForecast, ...] = ()
        """The frame's times that later ones are compared with; empty for none."""
        self._pin_follows = False
        """Whether there was no edit since: then refined times are pinned too."""
        self.heat: FrameHeat | None = None
        """The heat map that was asked for last, as far as it has come."""
        self.heat_error: ShaderlabError | None = None
        self.error: ShaderlabError | None = None
        self.reading = False
        self.is_stopped = False
        """Whether the user wanted no more of it to be read and counted."""
        self.read = 0

    def close(self) -> None:
        if self._capture is not None:
            self._capture.close()
        self._asking.shutdown(wait=False, cancel_futures=True)

    # -- opening ----------------------------------------------------------------------------

    def open(self, path: Path) -> None:
        """Read a capture in the background; what was open before goes."""
        if self._capture is not None:
            self._capture.close()
        self._forget()
        self._shaders = {}
        self.path, self.reading = path, True
        self._use(None)
        capture = OpenedCapture(path, self._analyser(), self._say)
        self._capture = capture
        capture.start()
        self.opened.emit()
        self.changed.emit()

    def stop(self) -> None:
        """Read and count no more; what is there stays."""
        if self._capture is not None:
            self.is_stopped = True
            self._capture.stop_reading()
            self.changed.emit()

    def ask_heat(self, kind: FrameHeatKind, event: int | None = None) -> None:
        """Have `heat` made of the draws that are counted; of one alone, for a difference."""
        self.heat = self.heat_error = None
        if self._capture is not None:
            self._capture.ask_heat(kind, event)

    @property
    def version(self) -> tuple[object, ...]:
        """Another whenever a heat map would be: of the capture, its counts and its edits."""
        edits = tuple(sorted(self._edits.items()))
        return self.path, len(self.found), edits, len(self.edited)

    @property
    def redrawing(self) -> bool:
        """Whether `summed` is of an earlier version: an edit has not been drawn in all of the
        frame yet, or could not be."""
        return self.summed.edits != frozenset(self._edits.items())

    @property
    def counting(self) -> bool:
        """Whether draws that can be counted are still to be."""
        return (
            self._info is not None
            and not self.is_stopped
            and any(
                each.state is not None and event not in self.found
                for event, each in self.draws.items()
            )
        )

    @property
    def has_device(self) -> bool:
        return self._info is not None

    def pin(self) -> None:
        """Compare the frame from now on with what it takes now; where it is compared already and
        has not changed since, with nothing."""
        now = self.summed.forecasts
        self.pinned = () if self.pinned == now else now
        self._pin_follows = bool(self.pinned)
        self.changed.emit()

    @property
    def shown_pictures(self) -> dict[int, np.ndarray]:
        """Of passes, by the event of their last draw, with edited shaders in place."""
        edited = self._edited_pictures.items()
        return self.pictures | {event: each for event, each in edited if event in self.pictures}

    def is_edited(self, event: int) -> bool:
        """Whether the draw's own shader is edited."""
        draw = self.draws.get(event)
        return draw is not None and shader_key(draw) in self._edits

    def known(self, event: int) -> AnalysedDraw | None:
        """The numbers of a draw as it is drawn now."""
        return self.edited.get(event) or self.found.get(event)

    def _analyser(self) -> FrameAnalyser | None:
        self._info = info = self._device.info
        return self._tools.crew.analyser(info) if info is not None else None

    def _on_device(self) -> None:
        """Counts are those of one device."""
        if self.path is not None and self._info != self._device.info:
            self.open(self.path)

    # -- what the threads say ---------------------------------------------------------------

    def _say(self, said: Said) -> None:
        self._arrived.emit(self._capture, said)

    def _take(self, capture: OpenedCapture, said: Said) -> None:
        if capture is not self._capture:
            return
        if isinstance(said, Listed):
            self.draws = {each.event: each for each in said.draws}
        elif isinstance(said, CapturedDraw):
            self.draws[said.event] = said
            self.read += 1
        elif isinstance(said, Analysed):
            self._take_numbers(said)
        elif isinstance(said, Picture):
            kept = self._edited_pictures if said.edited else self.pictures
            kept[said.event] = said.pixels
        elif isinstance(said, Changed):
            self._keep_edited(said.events)
        elif isinstance(said, Summed):
            self.summed = said
            if self._pin_follows:
                self.pinned = said.forecasts
        elif isinstance(said, FrameHeat):
            self.heat = said
        elif isinstance(said, NoHeat):
            self.heat_error = said.error
        elif isinstance(said, Ended):
            self.reading = False
            self.error = self.error or said.error
        else:
            self.theirs = said
        self.changed.emit()

    def _take_numbers(self, said: Analysed) -> None:
        found = said.found
        if not said.edited:
            self.found[found.draw.event] = found
            return
        key, program = shader_key(found.draw), found.program
        if key is None or not self._edits:
            return
        # One with the captured shader sees what others leave.
        if key not in self._edits or (program is not None and self._edits[key] == program.digest):
            self.edited[found.draw.event] = found

    def _keep_edited(self, events: Collection[int]) -> None:
        for known in (self.edited, self._edited_pictures):
            for event in [each for each in known if each not in events]:
                del known[event]

    # -- the draw in the editor -------------------------------------------------------------

    def ask(self, event: int) -> None:
        """Have `ready` emitted with this draw's shader as a file.  Of several asked for, the last
        alone."""
        draw, path, compiler = self.draws.get(event), self.path, self._tools.crew.compiler
        key = shader_key(draw) if draw is not None else None
        self._asked += 1
        if draw is None or key is None or path is None or draw.shader is None:
            return
        number, shader = self._asked, draw.shader

        def done(found: EditableShader) -> None:
            if self.path == path:
                self._shaders[key] = found
                if number == self._asked:
                    self.ready.emit(ChosenDraw(draw, key, found))

        if key in self._shaders:
            done(self._shaders[key])
            return

        def make() -> EditableShader:
            digest = opening.cache_folder(path).name
            return editable(compiler, shader, folder_of(digest), stage_of(draw))

        self._tools.bridge.watch(self._asking.submit(make), done, self.failed.emit)

    def ask_text(self, event: int) -> None:
        """Have `text_ready` emitted for a draw that is not replayed but has its GLSL."""
        draw, path = self.draws.get(event), self.path
        if draw is None or draw.text is None or path is None:
            return
        self._asked += 1
        number, text = self._asked, draw.text

        def done(written: Path) -> None:
            if number == self._asked and self.path == path:
                self.text_ready.emit(draw, written)

        folder = folder_of(opening.cache_folder(path).name)
        asked = self._asking.submit(recorded_text, text, folder)
        self._tools.bridge.watch(asked, done, self.failed.emit)

    def use(self, chosen: ChosenDraw) -> None:
        """The document is this draw's shader now."""
        self._use(chosen)

    def leave_document(self) -> None:
        """Another document, which is no draw's."""
        self._use(None)

    def _use(self, chosen: ChosenDraw | None) -> None:
        if chosen is not self.chosen:
            self.chosen = chosen
            self.chosen_changed.emit()

    def use_program(self, program: Program) -> None:
        """The document compiled: where it is a draw's shader, it is drawn in all its draws."""
        chosen, capture = self.chosen, self._capture
        if chosen is None or capture is None:
            return
        base = chosen.shader.base
        if program.digest != base.digest:
            self._pin_follows &= self._edits.get(chosen.key) == program.digest
            self._edits[chosen.key] = program.digest
            capture.edit(chosen.key, base, program)
            return
        if self._edits.pop(chosen.key, None) is None:
            return
        self._pin_follows = False
        others = [n for n, each in self.edited.items() if shader_key(each.draw) != chosen.key]
        self._keep_edited(others if self._edits else ())
        capture.edit(chosen.key, base, None)
        self.changed.emit()
