"""Execution counts of basic blocks, in their panel."""

from __future__ import annotations

from collections.abc import Callable

from shaderlab.app.editor.assembly import Assembly
from shaderlab.app.editor.scintilla import Editor
from shaderlab.app.panels.blocks.panel import BlocksPanel
from shaderlab.app.qt import QObject
from shaderlab.app.session import reasons
from shaderlab.app.session.session import Session
from shaderlab.app.widgets.phrases import frame_caption
from shaderlab.app.widgets.throttle import Throttle
from shaderlab.app.widgets.when_seen import WhenSeen
from shaderlab.scene.launch import is_compute


class BlocksPresenter(QObject):
    """Connects the session and the editor's caret to the table of blocks."""

    def __init__(
        self,
        session: Session,
        panel: BlocksPanel,
        editor: Editor,
        assembly: Assembly,
        refresh: Throttle,
        needed: Callable[[], bool],
    ):
        """`needed`: whether `chosen_labels` are used while the panel is not on screen."""
        super().__init__(panel)
        self._session, self._panel = session, panel
        self._editor, self._assembly = editor, assembly
        self._seen = seen = WhenSeen(panel, needed)
        session.trace_changed.connect(seen(self._show))
        assembly.changed.connect(seen(self._show))
        editor.cursor_moved.connect(seen(lambda line, _column: panel.follow_line(line)))
        refresh.passed.connect(seen(self._refresh))

    @property
    def chosen_labels(self) -> set[int]:
        """The panel's, of the present counts."""
        self._seen.catch_up()
        return self._panel.chosen_labels

    def _show(self) -> None:
        trace = self._session.trace
        if trace is None:
            self._panel.show_empty()
        else:
            edited = self._session.drawing.passes.edited
            caption = frame_caption(trace, edited, is_launched=is_compute(self._session.program))
            self._panel.show_trace(trace, self._assembly.lines, caption)
            self._panel.follow_line(self._editor.caret[0])

    def _show_age(self) -> None:
        self._panel.set_stale(reasons.outdated_counts(self._session))

    def _refresh(self) -> None:
        self._show_age()
        if self._session.trace is None:
            why = reasons.no_counts(self._session)
            self._panel.empty.say("blocks", why.title, why.hint, role=why.role)
