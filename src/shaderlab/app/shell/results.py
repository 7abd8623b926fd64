"""From the session to the views: which result goes where, and what a pane says without one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shaderlab import units
from shaderlab.app.editor import line_notes
from shaderlab.app.editor.text_marks import Mark
from shaderlab.app.panels.profile.profile_panel import estimate_s
from shaderlab.app.qt import QObject, QTimer, Signal
from shaderlab.app.shell.commands import When
from shaderlab.app.widgets import icons
from shaderlab.errors import Quarantined, ShaderlabError, ShaderTimeout
from shaderlab.frontend.program import Dialect, Severity
from shaderlab.scene.draw import CANONICAL_SIZE
from shaderlab.spirv.trace import SourceLine

if TYPE_CHECKING:
    from shaderlab.app.shell.main_window import MainWindow

_DIALECTS = {
    Dialect.SHADERTOY_ES310: "Shadertoy",
    Dialect.SHADERTOY_450: "Shadertoy, as GLSL 4.50",
    Dialect.GLSL: "GLSL",
    Dialect.SPIRV: "SPIR-V",
}
_REFRESH_MS = 20
"""Changes of state within this time are shown together: a frame can come every 16 ms."""
_LATE_S = 0.4
"""A request of the device that takes longer, and longer than usual, is shown as under way."""
_FIX = "Fix the problems listed under the text: the rest comes by itself."


class Results(QObject):
    """Puts the window's views in line with its session."""

    complete = Signal()
    """Picture, counts and forecasts of the present text are on screen."""

    def __init__(self, window: MainWindow):
        super().__init__(window)
        self._window = window
        self._session = session = window.session
        self._assembly: dict[int, tuple[int, ...]] = {}
        """Lines of each block while a SPIR-V module is shown as assembly."""
        self._soon = QTimer(self, singleShot=True, interval=_REFRESH_MS)
        self._soon.timeout.connect(self.refresh)
        self._watch = QTimer(self, interval=100)
        self._watch.timeout.connect(self._mark_picture)
        self._watch.start()
        session.state_changed.connect(self._refresh_soon)
        session.diagnostics_changed.connect(self._on_diagnostics)
        session.program_changed.connect(self._on_program)
        session.disassembled.connect(self._on_disassembled)
        session.frame_arrived.connect(self._on_frame)
        session.trace_changed.connect(self._on_trace)
        session.forecasts_changed.connect(self._on_forecasts)
        session.untraced.changed.connect(self._on_forecasts)
        session.measurement_changed.connect(self._on_measurement)
        session.samples.changed.connect(self._refresh_soon)
        window.targets_panel.target_chosen.connect(self._on_target)
        window.hot_lines_panel.target_chosen.connect(window.targets_panel.choose)
        window.editor.text_edited.connect(self._refresh_soon)
        session.model_refused.connect(
            lambda why: window.notices.say("warning", f"A model is left out: {why}")
        )
        session.failed.connect(lambda error: window.notices.say("error", str(error)))

    def _refresh_soon(self) -> None:
        if not self._soon.isActive():  # starting it again would put it off for as long as it plays
            self._soon.start()

    # -- results, each to its views ---------------------------------------------------------

    def _on_diagnostics(self) -> None:
        if not self._window.documents.document.spirv:
            self._window.editor.set_marks(
                Mark(d.line, d.column, d.severity is Severity.ERROR, d.message)
                for d in self._session.compiling.diagnostics
                if d.line and not d.file
            )
        self._refresh_soon()

    def _on_program(self) -> None:
        program = self._session.program
        if program is None:
            self._assembly = {}
        else:
            self._window.documents.watch_includes(program.includes)
        self._refresh_soon()

    def _on_disassembled(self, text: str) -> None:
        self._window.editor.set_text(text, editable=False)
        self._assembly = line_notes.lines_by_label(text)
        self._on_trace()

    def _on_frame(self) -> None:
        frame = self._session.on_device.frame
        if frame is None:
            self._window.preview.show_empty()
            self._refresh_soon()
        else:
            first = not self._window.preview.has_picture
            self._window.preview.show_picture(frame.pixels)
            if first:
                self._refresh_soon()
        self._show_rates()

    def _on_trace(self) -> None:
        trace, window = self._session.trace, self._window
        self._show_notes()
        if trace is None:
            window.blocks_panel.show_empty()
        else:
            window.blocks_panel.show_trace(trace, self._assembly, self._caption())
            window.blocks_panel.follow_line(window.editor.cursor[0])
        self._refresh_soon()

    def assembly_of(self, file: str, line: int) -> tuple[int, ...]:
        """Lines of the assembly shown whose blocks came from a line of the source behind it."""
        blocks = self._session.trace.blocks if self._session.trace is not None else ()
        found = [each.label for each in blocks if SourceLine(file, line) in each.lines]
        return tuple(sorted(n for label in found for n in self._assembly.get(label, ())))

    def _show_notes(self) -> None:
        """Counts beside the lines, with the lines' shares of the chosen target's forecast."""
        trace, chosen = self._session.trace, self._window.targets_panel.chosen
        shares: dict[int, float] | None = None
        if trace is None:
            self._window.editor.set_notes({})
            return
        if self._assembly:
            counts = {
                self._assembly[block.label][0]: block.count
                for block in trace.blocks
                if block.label in self._assembly
            }
        else:
            counts = line_notes.document_counts(trace)
            # Forecasts without a trace are of a program that these counts are not of.
            if chosen is not None and self._session.forecasts and not self._untraced:
                shares = {part.line: part.share for part in chosen[1].lines if not part.file}
        width, height = trace.size
        target = chosen[0] if chosen is not None else ""
        notes = line_notes.Notes(counts, width * height, shares, target)
        self._window.editor.set_notes(notes)

    def _caption(self) -> str:
        """Which run the counts and forecasts speak about."""
        trace = self._session.trace
        width, height = trace.size
        return f"One frame of {width} \u00d7 {height} pixels at time {trace.time_s:g} s"

    def _on_forecasts(self) -> None:
        session, panel = self._session, self._window.targets_panel
        if session.untraced.forecasts:
            reason = f"No trace, estimated from the text: {session.untraced.reason}"
            panel.show_forecasts(session.untraced.forecasts, session.targets, reason)
            self._show_notes()
        elif session.forecasts and session.trace is not None:
            panel.show_forecasts(
                session.forecasts, session.targets, self._caption(), session.history.before_s
            )
            self._show_notes()
        else:
            panel.show_empty()
        self._show_hot_lines()
        self._refresh_soon()

    def _on_target(self) -> None:
        self._window.settings.target = self._window.targets_panel.chosen[1].target
        self._show_notes()
        self._show_hot_lines()

    def _show_hot_lines(self) -> None:
        session, window = self._session, self._window
        chosen, program = window.targets_panel.chosen, session.on_device.traced_program
        counts = session.trace.line_counts if session.trace is not None else None
        if self._untraced:
            program, counts = session.untraced.program, {}
        if chosen is None or counts is None or not chosen[1].lines:
            window.hot_lines_panel.show_empty()
        else:
            window.hot_lines_panel.show_forecast(
                chosen[1], window.targets_panel.bars, counts, program.text
            )

    @property
    def _untraced(self) -> bool:
        """Whether the forecasts shown rest on estimated counts."""
        return bool(self._session.untraced.forecasts)

    def _on_measurement(self) -> None:
        measurement, panel = self._session.on_device.measurement, self._window.profile_panel
        if measurement is None:
            panel.show_empty()
        else:
            panel.show_measurement(measurement, self._software)
            panel.show_sizes(self._session.on_device.by_size)
        self._refresh_soon()

    @property
    def _software(self) -> bool:
        info = self._session.device
        return info is not None and info.kind == "software"

    # -- the preview ------------------------------------------------------------------------

    def _show_rates(self) -> None:
        device, preview = self._session.on_device, self._window.preview
        frame = device.frame
        preview.show_time(frame.draw.inputs.uniforms.time_s if frame else 0.0)
        rate = device.frame_rate.value if device.playback.playing else None
        preview.show_rates(rate, frame.gpu_s if frame else None, self._software)
        self.show_estimate()

    def show_estimate(self) -> None:
        """How long a profile would take."""
        frame, panel = self._session.on_device.frame, self._window.profile_panel
        if frame is not None:
            panel.show_estimate(estimate_s(frame.gpu_s, frame.draw.size, *panel.plan))

    def _mark_picture(self) -> None:
        device = self._session.on_device
        mark, late_s = "", max(_LATE_S, 2.5 * device.frame_s)
        if device.render_error is not None:
            mark = f"Paused: {device.render_error}"
        elif device.task in ("render", "heat") and device.busy_s > late_s:
            mark = "Rendering…"
        elif device.task == "trace" and device.busy_s > _LATE_S:
            mark = "Counting…"
        elif device.task == "profile":
            mark = "Profiling…"
        elif not self._session.compiling.compiles:
            mark = "Last version that compiled"
        elif device.budget.divisor > 1 and device.frame is not None:
            width, height = device.frame.draw.size
            mark = f"Drawn at {width} \u00d7 {height}: the full size takes too long"
        self._window.preview.picture.set_mark(mark)

    # -- everything that follows from the state ---------------------------------------------

    def refresh(self) -> None:
        """Put every label, badge, hint and enabled state in line with the session."""
        session, window = self._session, self._window
        device, info, program = session.on_device, session.device, session.program
        playing = device.playback.playing
        play = window.actions_["run.play"]
        icon = icons.icon("pause" if playing else "play", window.theme)
        if play.icon().cacheKey() != icon.cacheKey():  # Qt keeps something of each one it is given
            play.setIcon(icon)
        can_profile = info is not None and info.timestamps and program is not None
        window.actions_.enable(
            {
                When.DOCUMENT_IS_TEXT: not window.documents.document.spirv,
                When.CAN_UNDO: window.editor.can_undo,
                When.CAN_REDO: window.editor.can_redo,
                When.HAS_PROBLEMS: bool(session.compiling.diagnostics),
                When.CAN_PROFILE: can_profile and not device.profiling,
                When.PROFILING: device.profiling,
                When.CAN_RECORD: window.samples.can_record(),
                When.HAS_PICTURE: device.frame is not None,
            }
        )
        window.dialect_label.setText(_DIALECTS[program.dialect] if program is not None else "")
        self._show_problems()
        window.profile_panel.set_running(device.profiling)
        window.profile_panel.set_stale(
            device.measured_program is not None
            and (program is None or program.digest != device.measured_program.digest)
        )
        for panel in (window.targets_panel, window.hot_lines_panel, window.blocks_panel):
            panel.set_stale(not session.compiling.compiles)
        self._show_latency()
        self._say_why_no_picture()
        self._say_why_no_counts()
        self._say_why_no_measurement()
        self._show_rates()
        if session.complete:
            self.complete.emit()

    def _show_problems(self) -> None:
        session, problems = self._session, self._window.problems
        program = session.program
        if session.compiling.diagnostics or program is not None:
            words = f"{len(program.spirv) // 4:,}".replace(",", "\u202f") if program else ""
            text = f"Compiles to {words} words of SPIR-V"
            if program is not None and program.dialect is Dialect.SPIRV:
                text = f"{words} words of valid SPIR-V"
            problems.show_state(session.compiling.diagnostics, text)
        else:
            problems.show_state((), "Compiling…", working=True)

    def _show_latency(self) -> None:
        timing = self._session.latency
        parts = (
            ("picture", timing.picture),
            ("counts", timing.counts),
            ("predictions", timing.forecasts),
        )
        known = [f"{name} {units.seconds(value)}" for name, value in parts if value is not None]
        shown = bool(known) and self._session.edited
        self._window.latency_label.setText(f"Last change: {', '.join(known)}" if shown else "")

    @property
    def _broken(self) -> bool:
        return self._session.program is None and not self._session.compiling.compiles

    def _say_why_no_picture(self) -> None:
        session, empty = self._session, self._window.preview.empty
        error = session.on_device.render_error
        if session.on_device.frame is not None:
            return
        if self._broken:
            empty.say("error", "This shader does not compile yet", _FIX, role="error")
        elif error is not None:
            hint = error.remedy or "Change the shader, or try again."
            retry = session.on_device.toggle_play
            button = "Run it anyway" if isinstance(error, Quarantined) else "Try again"
            empty.say("warning", str(error), hint, button, retry, "warning")
        elif session.device is not None:
            empty.say("play", "Rendering the first picture…")
        elif self._window.device_choice.error is not None:
            title = "No Vulkan device"
            hint = f"{self._window.device_choice.error}. The text is compiled and checked anyway."
            look = self._window.device_choice.look
            empty.say("device", title, hint, "Look again", look, "warning")
        else:
            empty.say("device", "Looking for a Vulkan device…")

    def _say_why_no_counts(self) -> None:
        session, window = self._session, self._window
        device = session.on_device
        error = device.trace_error or device.render_error
        if session.trace is None:
            if self._broken:
                title, hint, role = "No counts yet", _FIX, "error"
            elif error is not None:
                title, hint, role = str(error), _advice(error), "warning"
            elif session.device is None:
                title, role = "No counts yet", "dim"
                hint = "Counting needs a Vulkan device; a software driver will do."
            else:
                title, hint, role = "Counting…", "", "dim"
            window.blocks_panel.empty.say("blocks", title, hint, role=role)
            failed = session.untraced.error
            rest = str(failed or "Predictions rest on the counts of this shader.")
            waiting = title == "Counting…"
            title = "Predicting…" if waiting else "No predictions yet"
            hint = "" if waiting else _FIX if self._broken else rest
            self._say_no_forecast(title, hint, role)
        elif not session.forecasts:
            failed = session.forecast_error
            title = str(failed) if failed else "Predicting…"
            self._say_no_forecast(title, "", "warning" if failed else "dim")
        elif not window.hot_lines_panel.rows:
            title = "All of the time is the pass itself"
            hint = "No line takes any that could be told."
            if self._assembly:
                title = "This module names no source lines"
                hint = "Basic blocks lists its blocks by their share."
            window.hot_lines_panel.empty.say("lines", title, hint)

    def _say_no_forecast(self, title: str, hint: str, role: str) -> None:
        self._window.targets_panel.empty.say("targets", title, hint, role=role)
        self._window.hot_lines_panel.empty.say("lines", title, hint, role=role)

    def _say_why_no_measurement(self) -> None:
        session, empty = self._session, self._window.profile_panel.empty
        device = session.on_device
        if device.measurement is not None:
            return
        if device.measurement_error is not None:
            error = device.measurement_error
            empty.say("warning", str(error), _advice(error), role="warning")
        elif device.profiling:
            empty.say("profile", "Profiling…", "The preview stands still meanwhile.")
        elif session.device is not None and not session.device.timestamps:
            empty.say("device", "This device has no timestamps", "Choose another in the Run menu.")
        else:
            key = self._window.actions_["run.profile"].shortcut().toString()
            width, height = CANONICAL_SIZE
            hint = (
                f"Profile on this device ({key}) times the shader at {width} \u00d7 {height} "
                "by the device's own clock."
            )
            empty.say("profile", "Not profiled yet", hint)


def _advice(error: ShaderlabError) -> str:
    if error.remedy or not isinstance(error, ShaderTimeout):
        return error.remedy
    return "Make the shader cheaper, or look at it on a faster device."
