"""The colours of heat maps: equal steps of cost look like equal steps, to every eye.

A smooth curve through OKLab (B. Ottosson, "A perceptual color space for image processing", 2020),
from a dark violet over red to a pale yellow, cut into pieces of equal length.  Lightness only rises
along it, so that the order of colours is kept for the colour-blind and in print.
"""

from __future__ import annotations

from functools import cache
from math import comb

import numpy as np

COLOURS = 255

# Lightness, chroma, hue in degrees: control points of a Bézier curve.
_CURVE = (
    (0.19, 0.070, 283),
    (0.31, 0.170, 296),
    (0.43, 0.225, 338),
    (0.64, 0.220, 18),
    (0.80, 0.160, 66),
    (0.96, 0.100, 103),
)

_TO_LMS = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
_TO_LAB = (
    (0.2104542553, 0.7936177850, -0.0040720468),
    (1.9779984951, -2.4285922050, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.8086757660),
)


def oklab(rgb: np.ndarray) -> np.ndarray:
    """sRGB (…, 3) in 0..1 as OKLab (…, 3): lightness 0..1, green to red, blue to yellow."""
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return np.cbrt(linear @ np.transpose(_TO_LMS)) @ np.transpose(_TO_LAB)


def srgb(lab: np.ndarray) -> np.ndarray:
    """OKLab (…, 3) as sRGB (…, 3); beyond 0..1 where a screen cannot show it."""
    linear = (lab @ np.linalg.inv(_TO_LAB).T) ** 3 @ np.linalg.inv(_TO_LMS).T
    low = linear <= 0.0031308
    return np.where(low, 12.92 * linear, 1.055 * np.maximum(linear, 1e-9) ** (1 / 2.4) - 0.055)


@cache
def heat_table() -> np.ndarray:
    """(255, 3) uint8 sRGB, cold to hot; not to be changed."""
    light, chroma, hue = np.array(_CURVE).T
    points = np.stack([light, chroma * np.cos(np.radians(hue)), chroma * np.sin(np.radians(hue))])
    degree = len(_CURVE) - 1
    t = np.linspace(0, 1, 4001)
    weights = np.stack(
        [comb(degree, k) * t**k * (1 - t) ** (degree - k) for k in range(degree + 1)]
    )
    curve = (points @ weights).T
    length = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(curve, axis=0), axis=1))])
    even = np.interp(np.linspace(0, length[-1], COLOURS), length, t)
    colours = np.stack([np.interp(even, t, axis) for axis in curve.T], axis=1)
    table = np.round(srgb(colours).clip(0, 1) * 255).astype(np.uint8)
    table.flags.writeable = False
    return table
