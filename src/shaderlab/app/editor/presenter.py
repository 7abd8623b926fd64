"""What the session knows of the text's lines, in the editor: problems, counts, shares of time."""

from __future__ import annotations

from shaderlab.app.editor.assembly import Assembly
from shaderlab.app.editor.assistant import Assistant
from shaderlab.app.editor.cost_strip import CostStrip
from shaderlab.app.editor.line_costs import joined, with_uncalled
from shaderlab.app.editor.margin_notes import MarginNotes, document_counts, shares_by_target
from shaderlab.app.editor.problem_marks import Mark
from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.qt import QObject, QTimer
from shaderlab.app.session import reasons
from shaderlab.app.session.chosen_forecast import ChosenForecast
from shaderlab.app.session.session import Session
from shaderlab.app.widgets.throttle import Throttle
from shaderlab.frontend.program import Severity

_REST_MS = 250
"""Without other counts, before the text's functions are looked for."""


class EditorPresenter(QObject):
    """Connects the session to the editor."""

    def __init__(
        self,
        session: Session,
        editor: Editor,
        strip: CostStrip,
        assembly: Assembly,
        assistant: Assistant,
        refresh: Throttle,
    ):
        super().__init__(editor)
        self._assistant = assistant
        self._unrun: tuple[tuple[int, int], ...] = ()
        self._rest = QTimer(self, singleShot=True, interval=_REST_MS)
        self._rest.timeout.connect(self._dim_uncalled)
        self._session, self._editor, self._assembly = session, editor, assembly
        self._strip = strip
        self._chosen: ChosenForecast | None = None
        session.diagnostics_changed.connect(self._show_problems)
        session.program_changed.connect(self._on_program)
        session.trace_changed.connect(self._show_notes)
        assembly.changed.connect(self._show_notes)
        editor.cursor_moved.connect(self._on_cursor)
        session.text_moved_on.connect(self._show_age)
        refresh.passed.connect(self._show_age)
        editor.shown_changed.connect(self._on_shown)
        editor.about_line = self._about_line

    def show_forecast(self, chosen: ChosenForecast | None) -> None:
        """Show the lines' shares of this forecast from now on."""
        self._chosen = chosen
        self._show_notes()

    def _about_line(self, line: int) -> str:
        """Its share on every target, where these are of the text on screen."""
        chosen, session = self._chosen, self._session
        current = session.progress.forecasts_are_current and self._editor.main.is_shown
        if chosen is None or chosen.frame is not None or not current or self._assembly.lines:
            return ""
        of_targets = {
            chosen.names[each.target]: each.lines
            for each in session.forecasts
            if each.lines and each.target in chosen.names
        }
        return shares_by_target(line, of_targets) if len(of_targets) > 1 else ""

    def _on_program(self) -> None:
        """An edit that is taken back leaves the trace as it was, but lines without their notes."""
        program, traced = self._session.program, self._session.on_device.counts.program
        if program is not None and traced is not None and program.digest == traced.digest:
            self._show_notes()

    def _show_age(self) -> None:
        stale = reasons.outdated_counts(self._session)
        self._editor.set_stale(stale)
        self._strip.set_drawn(not stale)

    def _show_problems(self) -> None:
        is_vertex = not self._editor.main.is_shown
        file = self._session.vertex.name if is_vertex else ""
        if not self._editor.read_only:
            self._editor.set_marks(
                Mark(d.line, d.column, d.severity is Severity.ERROR, d.message)
                for d in self._session.diagnostics
                if d.line and d.file == file
            )

    def _on_shown(self) -> None:
        self._show_problems()
        self._show_notes()

    def _show_notes(self) -> None:
        """Counts beside the lines, with the lines' shares of the chosen target's forecast."""
        if not self._editor.main.is_shown:
            self._note(self._vertex_notes)
            return
        trace, chosen = self._session.trace, self._chosen
        if trace is None:
            self._note()
            return
        shares: dict[int, float] | None = None
        if lines := self._assembly.lines:
            counts = {
                lines[block.label][0]: block.count for block in trace.blocks if block.label in lines
            }
        else:
            counts = document_counts(trace)
            # Static estimates are of a program that these counts are not of, and so are forecasts
            # that new ones will replace.
            of_counts = self._session.forecasting.of == self._session.on_device.counts.variant
            if chosen is not None and of_counts and not self._untraced:
                shares = self._shares(chosen)
        width, height = trace.size
        target = chosen.name if chosen is not None else ""
        draw = self._session.on_device.counts.draw
        per = "invocation" if draw is not None and draw.is_compute else "pixel"
        notes = MarginNotes(counts, width * height, shares, target, per)
        if not self._session.vertex.in_document:
            self._note(notes)
        else:  # a line that both stages run has the fragment stage's counts
            self._note(self._vertex_notes, notes)

    def _note(self, *stages: MarginNotes) -> None:
        """Show the stages' lines: of one that several run, the last one's."""
        if len(stages) == 1:
            self._editor.set_notes(stages[0])
        else:
            self._editor.set_notes({line: n for each in stages for line, n in each.items()})
        costs = joined(each.costs for each in stages)
        self._strip.show_costs(costs)
        self._unrun = costs.unrun if len(stages) == 1 else ()
        self._editor.dim_lines(self._unrun)
        if len(stages) == 1 and stages[0] and not self._assembly.lines:
            self._rest.start()
        else:
            self._rest.stop()

    def _dim_uncalled(self) -> None:
        """Functions without a count on any line were never called, or not even compiled."""
        counted = self._editor.notes
        if self._assistant.may_look and counted and not self._editor.stale:
            bodies = [(p.first, p.last) for p in self._assistant.outline() if p.has_body]
            self._editor.dim_lines(with_uncalled(self._unrun, bodies, counted))

    @property
    def _vertex_notes(self) -> MarginNotes:
        """Counts of the vertex stage's lines; empty where it is not counted."""
        counts = self._session.on_device.counts
        stage = counts.draw.vertex if counts.draw is not None else None
        if counts.vertex is None or stage is None:
            return MarginNotes({}, 1)
        runs = counts.vertex.runs_of(stage.entry_point)
        return MarginNotes(document_counts(counts.vertex), runs, per="vertex")

    def _shares(self, chosen: ChosenForecast) -> dict[int, float]:
        """By line of the document: part of the time, of the frame's where there are passes."""
        if chosen.frame is None:
            return {part.line: part.share for part in chosen.forecast.lines if not part.file}
        edited = self._session.drawing.passes.edited
        own = (part for part in chosen.frame.lines if part.pass_name == edited)
        return {part.line: part.share for part in own if not part.file}

    @property
    def _untraced(self) -> bool:
        return bool(self._session.untraced.forecasts)

    def _on_cursor(self, line: int, _column: int) -> None:
        linked = self._editor.linked_lines
        if linked and line not in linked:
            self._editor.link_lines(())
