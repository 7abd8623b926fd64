"""How large a preview frame may be: a heavy shader costs resolution before it costs time."""

from __future__ import annotations

LARGEST_DIVISOR = 8
_HEADROOM = 1.5
"""The next finer size is taken when its expected time, with this much to spare, fits the budget."""
_LEAST = 16


class FrameBudget:
    """Divides the wanted size by 1, 2, 4 or 8, by what frames took."""

    def __init__(self, budget_s: float = 0.5):
        self.budget_s = budget_s
        """Seconds a frame should take at most, its pipeline's creation left out."""
        self.divisor = 1
        self._over = 0
        """Frames in a row that took longer."""

    def reset(self) -> None:
        """Another shader or device: begin at the full size."""
        self.divisor, self._over = 1, 0

    def size(self, wanted: tuple[int, int]) -> tuple[int, int]:
        """Width, height in pixels of the next frame."""
        if self.divisor == 1:
            return wanted
        return tuple(max(_LEAST, side // self.divisor) for side in wanted)

    def spent(self, seconds: float) -> bool:
        """A frame took so long; whether the next one has another size.

        One hiccup is let pass, unless it is twice the budget.
        """
        self._over = self._over + 1 if seconds > self.budget_s else 0
        if self._over >= 2 or seconds > 2 * self.budget_s:
            return self._coarser(2)
        if self.divisor > 1 and 4 * seconds * _HEADROOM < self.budget_s:
            self.divisor //= 2
            return True
        return False

    def missed(self) -> bool:
        """A frame missed its deadline; whether a much smaller one is left to try."""
        return self._coarser(4)

    def _coarser(self, factor: int) -> bool:
        former, self._over = self.divisor, 0
        self.divisor = min(self.divisor * factor, LARGEST_DIVISOR)
        return self.divisor != former


def capped(size: tuple[int, int], most_pixels: int) -> tuple[int, int]:
    """`size` (width, height), or the largest of about the same shape with so many pixels."""
    width, height = size
    if width * height <= most_pixels:
        return size
    scale = (most_pixels / (width * height)) ** 0.5
    return max(_LEAST, int(width * scale)), max(_LEAST, int(height * scale))
