"""`iMouse`: where the mouse is held over the picture and where it was pressed."""

from __future__ import annotations

from shaderlab.app.qt import QObject, Signal


class ShaderMouse(QObject):
    """Places are fractions of the picture, 0..1 from where gl_FragCoord is (0, 0).

    As on Shadertoy the uniform's xy is the last place held and zw the place of the press: z is
    positive while held and negative after, w is positive in the first frame of a press only.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None):
        super().__init__(parent)
        self._at = (0.0, 0.0)
        self._pressed_at = (0.0, 0.0)
        self._held = False
        self._fresh = False

    def press(self, x: float, y: float) -> None:
        self._at = self._pressed_at = (x, y)
        self._held = self._fresh = True
        self.changed.emit()

    def drag(self, x: float, y: float) -> None:
        """Moved; of no consequence unless held."""
        if self._held:
            self._at = (x, y)
            self.changed.emit()

    def release(self) -> None:
        if self._held:
            self._held = False
            self.changed.emit()

    def take(self, size: tuple[int, int]) -> tuple[float, float, float, float]:
        """The uniform of the next frame, whose picture has `size` pixels."""
        width, height = size
        fresh, self._fresh = self._fresh, False
        return (
            self._at[0] * width,
            self._at[1] * height,
            self._pressed_at[0] * width * (1 if self._held else -1),
            self._pressed_at[1] * height * (1 if fresh else -1),
        )
