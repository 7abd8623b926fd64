"""The keyboard that a shader reads: keys pressed while the preview has the focus."""

from __future__ import annotations

from shaderlab.app.qt import QObject, Signal
from shaderlab.scene.keys import Keys


class ShaderKeyboard(QObject):
    """By key codes, see `scene.keys`."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self._held: set[int] = set()
        self._fresh: set[int] = set()
        """Pressed since the last frame."""
        self._toggled: set[int] = set()

    def press(self, code: int) -> None:
        if code not in self._held:
            self._held.add(code)
            self._fresh.add(code)
            self._toggled ^= {code}
            self.changed.emit()

    def release(self, code: int) -> None:
        if code in self._held:
            self._held.discard(code)
            self.changed.emit()

    def release_all(self) -> None:
        """The preview lost the focus: key releases no longer reach it."""
        if self._held:
            self._held.clear()
            self.changed.emit()

    def clear(self) -> None:
        """As if no key had ever been pressed."""
        if self._held or self._fresh or self._toggled:
            self._held, self._fresh, self._toggled = set(), set(), set()
            self.changed.emit()

    @property
    def resting(self) -> Keys:
        """As it stands between frames: none was pressed just now."""
        return Keys(tuple(sorted(self._held)), (), tuple(sorted(self._toggled)))

    def take(self) -> Keys:
        """What the next frame sees; a press is fresh in one frame, also a very short one."""
        fresh, self._fresh = self._fresh, set()
        return Keys(
            tuple(sorted(self._held | fresh)), tuple(sorted(fresh)), tuple(sorted(self._toggled))
        )
