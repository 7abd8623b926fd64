"""How large a preview frame may be: a heavy shader costs resolution before it costs time."""

from __future__ import annotations

from shaderlab.errors import ShaderlabError, ShaderTimeout

LARGEST_DIVISOR = 8
_HEADROOM = 1.5
"""The next finer size is taken when its expected time, with this much to spare, fits the budget."""
_LEAST = 16
_LAST_CHANCE = 1 / 3
"""Share of the limit a frame has that is tried smaller after it missed the limit."""


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
        width, height = wanted
        return max(_LEAST, width // self.divisor), max(_LEAST, height // self.divisor)

    def spent(self, seconds: float) -> bool:
        """A frame took so long; whether the next one has another size.

        A single slow frame is ignored, unless it took twice the budget.
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


class LastChance:
    """A frame that missed its deadline is tried once more, much smaller and in less time."""

    def __init__(self, budget: FrameBudget):
        self._budget = budget
        self.limit_s: float | None = None
        """Seconds the next frame gets, where that is not the worker's limit."""
        self._first: ShaderlabError | None = None

    def clear(self) -> None:
        """A frame came in time, or it is about another program."""
        self.limit_s = None

    def taken(self, error: ShaderlabError, limit_s: float) -> bool:
        """Whether the frame that ended so, held to `limit_s`, is worth a smaller one."""
        if self.limit_s is not None or not isinstance(error, ShaderTimeout):
            return False
        if not self._budget.missed():
            return False
        self._first, self.limit_s = error, limit_s * _LAST_CHANCE
        return True

    def explained(self, error: ShaderlabError) -> ShaderlabError:
        """The error of the last try as that of both."""
        if self.limit_s is None or self._first is None or not isinstance(error, ShaderTimeout):
            return error
        message = f"{self._first}; a much smaller picture also took too long"
        return ShaderTimeout(message).with_remedy(self._first.remedy)


def capped(size: tuple[int, int], most_pixels: int) -> tuple[int, int]:
    """`size` (width, height), or the largest of about the same shape with so many pixels."""
    width, height = size
    if width * height <= most_pixels:
        return size
    scale = (most_pixels / (width * height)) ** 0.5
    return max(_LEAST, int(width * scale)), max(_LEAST, int(height * scale))
