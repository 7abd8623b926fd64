"""Work for a panel that waits until somebody can see it."""

from __future__ import annotations

from collections.abc import Callable

from shaderlab.app.qt import QEvent, QObject, QWidget, Signal


def _never() -> bool:
    return False


class WhenSeen(QObject):
    """Calls functions while a panel is on screen.

    What is asked for while the panel is behind a tab or closed is done once when it is shown,
    before it is painted: each function with its latest arguments, in the order of the latest calls.
    """

    changed = Signal(bool)
    """The panel was shown or hidden."""

    def __init__(self, panel: QWidget, needed: Callable[[], bool] = _never):
        """`needed`: whether something else on screen shows what the panel holds."""
        super().__init__(panel)
        self._panel, self._needed = panel, needed
        self._due: dict[Callable[..., object], tuple[object, ...]] = {}
        panel.installEventFilter(self)

    def __call__(self, work: Callable[..., object]) -> Callable[..., None]:
        """A slot that does the work now, or defers it."""

        def ask(*args: object) -> None:
            self._due.pop(work, None)
            if self._panel.isVisible() or self._needed():
                work(*args)
            else:
                self._due[work] = args

        return ask

    def catch_up(self) -> None:
        """Do the deferred work."""
        due, self._due = self._due, {}
        for work, args in due.items():
            work(*args)

    def eventFilter(self, watched, event) -> bool:
        if event.type() == QEvent.Type.Show:
            self.catch_up()
            self.changed.emit(True)
        elif event.type() == QEvent.Type.Hide:
            self.changed.emit(False)
        return super().eventFilter(watched, event)
