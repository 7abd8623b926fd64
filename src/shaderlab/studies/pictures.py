"""How far one picture is from another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shaderlab.errors import WrongUse

STEPS = 1
"""Of 255: what a component may be off by in a pixel that counts as the same."""


@dataclass(frozen=True)
class Difference:
    """Of red, green and blue; alpha is not looked at."""

    changed: float
    """Share of pixels with a component off by more than `STEPS`."""
    rms: float
    """Root mean square over all components, of a range of 1."""

    @property
    def psnr_db(self) -> float:
        """Peak signal-to-noise ratio; inf of equal pictures."""
        return float(-20 * np.log10(self.rms)) if self.rms > 0 else float("inf")


def difference(reference: np.ndarray, picture: np.ndarray) -> Difference:
    """Of two (h, w, 4) uint8 pictures.  Raises WrongUse where their sizes differ."""
    if reference.shape != picture.shape:
        raise WrongUse("pictures of two sizes cannot be compared")
    off = np.abs(reference[..., :3].astype(np.int16) - picture[..., :3])
    return Difference(
        float((off > STEPS).any(axis=-1).mean()),
        float(np.sqrt(np.square(off, dtype=np.float64).mean()) / 255),
    )
