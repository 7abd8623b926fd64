"""The control flow of the counted program, in its panel."""

from __future__ import annotations

from shaderlab.app.editor.assembly import Assembly
from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.panels.flow.code_presenter import CodePresenter
from shaderlab.app.panels.flow.graph import graphs
from shaderlab.app.panels.flow.panel import FlowPanel
from shaderlab.app.qt import QObject, Signal
from shaderlab.app.session import reasons
from shaderlab.app.session.session import Session
from shaderlab.app.widgets.phrases import frame_caption
from shaderlab.app.widgets.throttle import Throttle
from shaderlab.app.widgets.when_seen import WhenSeen
from shaderlab.scene.launch import is_compute


class FlowPresenter(QObject):
    """Connects the session and the editor's caret to the graph."""

    lines_chosen = Signal(object)
    """Lines (a tuple of int) of the block that the user chose."""

    def __init__(
        self,
        session: Session,
        panel: FlowPanel,
        editor: Editor,
        assembly: Assembly,
        refresh: Throttle,
    ):
        super().__init__(panel)
        self._session, self._panel = session, panel
        self._editor, self._assembly = editor, assembly
        seen = WhenSeen(panel)
        session.flow.changed.connect(seen(self._show))
        assembly.changed.connect(seen(self._show))
        panel.seen.connect(session.flow.want)
        panel.view.chosen.connect(self.lines_chosen)
        CodePresenter(session, panel).lines_chosen.connect(self.lines_chosen)
        editor.cursor_moved.connect(seen(lambda line, _column: panel.follow_line(line)))
        refresh.passed.connect(seen(self._refresh))

    def _show(self) -> None:
        flow = self._session.flow
        if flow.trace is None or not flow.flows:
            self._panel.show_empty()
            self._refresh()
            return
        edited = self._session.drawing.passes.edited
        found = graphs(flow.flows, flow.trace, self._assembly.lines)
        is_launched = is_compute(self._session.program)
        caption = frame_caption(flow.trace, edited, is_launched=is_launched)
        self._panel.show_graphs(found, caption)
        self._panel.follow_line(self._editor.caret[0])

    def _show_age(self) -> None:
        self._panel.veil.set_drawn(bool(reasons.outdated_counts(self._session)))

    def _refresh(self) -> None:
        self._show_age()
        flow = self._session.flow
        if flow.flows:
            return
        if flow.error is not None:
            self._panel.empty.say("warning", str(flow.error), flow.error.remedy, role="warning")
        else:
            why = reasons.no_counts(self._session)
            self._panel.empty.say("blocks", why.title, why.hint, role=why.role)
