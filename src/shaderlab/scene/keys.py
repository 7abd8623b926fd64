"""A keyboard as Shadertoy's shaders see it: a texture of 256 x 3 texels.

Column: the key's code, as `KeyboardEvent.keyCode` of the browsers has it (65 is A, 37 to 40 are the
arrows, 32 is the space bar).  Row 0: held; row 1: pressed since the last frame; row 2: changes with
each press.  Red is 1 or 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

COLUMNS, ROWS = 256, 3


@dataclass(frozen=True)
class Keys:
    """Codes of keys in ascending order."""

    held: tuple[int, ...] = ()
    pressed: tuple[int, ...] = ()
    toggled: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        """Whether any texel differs from those of an untouched keyboard."""
        return bool(self.held or self.pressed or self.toggled)

    def texels(self) -> np.ndarray:
        """(1, 1, 3, 256, 4) of float32, 0 or 1, alpha 1."""
        made = np.zeros((1, 1, ROWS, COLUMNS, 4), np.float32)
        made[..., 3] = 1.0
        for row, codes in enumerate((self.held, self.pressed, self.toggled)):
            made[0, 0, row, [code for code in codes if 0 <= code < COLUMNS], 0] = 1.0
        return made


NO_KEYS = Keys()
