"""FLIP: how different two pictures look when one flips between them.

Andersson, Nilsson, Akenine-Möller, Oskarsson, Åström and Fairchild, "FLIP: A Difference Evaluator
for Alternating Images", Proc. ACM Comput. Graph. Interact. Tech. 3 (2), 2020 (HPG 2020).  Sections
and equations below are that paper's.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from shaderlab.errors import WrongUse

PIXELS_PER_DEGREE = 67.02
"""Of a picture seen at 0.7 m on a 3840 pixels wide screen of 0.7 m: the paper's default (§5)."""

_CONTRAST = (((1.0, 0.0047),), ((1.0, 0.0053),), ((34.1, 0.04), (13.5, 0.025)))
"""Weight and width of the Gaussians of the contrast sensitivity, for the achromatic, red-green and
blue-yellow channels (table 1)."""
_WIDEST = 0.04
_COLOUR_POWER, _FEATURE_POWER = 0.7, 0.5
"""q_c and q_f (§4.1.3, §4.2)."""
_KNEE = (0.4, 0.95)
"""p_c and p_t (§4.1.3): 0.4 of the largest colour difference becomes 0.95."""
_FEATURE_WIDTH = 0.082
"""w, degrees: the width of the features that are seen (§4.2)."""

_TO_XYZ = (
    (10135552 / 24577794, 8788810 / 24577794, 4435075 / 24577794),
    (2613072 / 12288897, 8788810 / 12288897, 887015 / 12288897),
    (1425312 / 73733382, 8788810 / 73733382, 70074185 / 73733382),
)
"""From linear sRGB to XYZ, D65 white."""
_WHITE = tuple(map(sum, _TO_XYZ))
"""Tuples, since the window reads this module before its first paint, and numpy after it."""


def flip(reference: np.ndarray, picture: np.ndarray) -> np.ndarray:
    """(h, w) float32, 0 (the same) to 1, of two (h, w, 4) uint8 sRGB pictures.

    Raises WrongUse where their sizes differ.
    """
    if reference.shape != picture.shape:
        raise WrongUse("pictures of different sizes cannot be compared")
    one, other = (_opponent(_linear(each)) for each in (reference, picture))
    colour = _colour_difference(_seen(one), _seen(other))
    feature = _feature_difference(one[0], other[0])
    return (colour ** (1 - feature)).astype(np.float32)


# -- colour: §4.1 ------------------------------------------------------------------------------


def _linear(pixels: np.ndarray) -> np.ndarray:
    """(3, h, w) linear light of (h, w, 4) uint8."""
    steps = np.arange(256) / 255
    light = np.where(steps <= 0.04045, steps / 12.92, ((steps + 0.055) / 1.055) ** 2.4)
    return np.moveaxis(light[pixels[..., :3]], -1, 0)


def _to_xyz(light: np.ndarray) -> np.ndarray:
    """(3, h, w), as multiples of white, of linear light."""
    return np.tensordot(np.array(_TO_XYZ), light, axes=1) / _white()


def _from_xyz(normal: np.ndarray) -> np.ndarray:
    return np.tensordot(np.linalg.inv(_TO_XYZ), normal * _white(), axes=1)


def _white() -> np.ndarray:
    return np.array(_WHITE)[:, None, None]


def _opponent(light: np.ndarray) -> np.ndarray:
    """YCxCz, a linear space of an achromatic and two opponent channels (§4.1.1)."""
    x, y, z = _to_xyz(light)
    return np.stack((116 * y - 16, 500 * (x - y), 200 * (y - z)))


def _seen(opponent: np.ndarray) -> np.ndarray:
    """As the eye blurs it (§4.1.1): Hunt-adjusted CIELAB (§4.1.2)."""
    blurred = [_blurred(each, channel) for channel, each in enumerate(opponent)]
    y = (blurred[0] + 16) / 116
    normal = np.stack((y + blurred[1] / 500, y, y - blurred[2] / 200))
    light = np.clip(_from_xyz(normal), 0, 1)
    return _hunt_lab(light)


def _hunt_lab(light: np.ndarray) -> np.ndarray:
    """CIELAB of linear light, with colours the weaker the darker they are (eq. 5)."""
    normal = _to_xyz(light)
    edge = 6 / 29
    x, y, z = np.where(
        normal > edge**3,
        np.cbrt(np.maximum(normal, 0)),
        normal / (3 * edge**2) + 4 / 29,
    )
    lightness = 116 * y - 16
    return np.stack((lightness, 5 * lightness * (x - y), 2 * lightness * (y - z)))


def _blurred(channel: np.ndarray, number: int) -> np.ndarray:
    """Through the channel's contrast sensitivity: a sum of Gaussians of weight one (eq. 1)."""
    kernels = _contrast_kernels(number)
    return sum(
        (weight * _along(_along(channel, kernel, 0), kernel, 1) for weight, kernel in kernels),
        np.zeros_like(channel),
    )


@cache
def _contrast_kernels(number: int) -> tuple[tuple[float, np.ndarray], ...]:
    """Weight and, in one direction, values of each Gaussian of a channel."""
    radius = math.ceil(3 * math.sqrt(_WIDEST / (2 * math.pi**2)) * PIXELS_PER_DEGREE)
    degrees = np.arange(-radius, radius + 1) / PIXELS_PER_DEGREE
    found = []
    for weight, width in _CONTRAST[number]:
        kernel = np.exp(-((math.pi * degrees) ** 2) / width)
        found.append((weight * math.sqrt(math.pi / width), kernel))
    total = sum(weight * kernel.sum() ** 2 for weight, kernel in found)
    return tuple((float(weight / total), kernel) for weight, kernel in found)


def _colour_difference(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """0..1 of Hunt-adjusted CIELAB (§4.1.3)."""
    knee, its = _KNEE
    most = _most_different()
    apart = _hyab(one, other) ** _COLOUR_POWER
    near = apart * its / (knee * most)
    far = its + (apart - knee * most) / (most - knee * most) * (1 - its)
    return np.where(apart < knee * most, near, far)


def _hyab(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """City-block in lightness, Euclidean in colour (eq. 6)."""
    off = one - other
    return np.abs(off[0]) + np.hypot(off[1], off[2])


@cache
def _most_different() -> float:
    """c_max: of green and blue (§4.1.3)."""
    green, blue = (
        _hunt_lab(np.array(each).reshape(3, 1, 1)) for each in ((0.0, 1, 0), (0.0, 0, 1))
    )
    return float(_hyab(green, blue)[0, 0] ** _COLOUR_POWER)


# -- features: §4.2 ----------------------------------------------------------------------------


def _feature_difference(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """0..1 of the achromatic channels: edges and points that only one of them has."""
    sizes = [[_size(((each + 16) / 116), kind) for kind in (1, 2)] for each in (one, other)]
    edges, points = (np.abs(a - b) for a, b in zip(*sizes, strict=True))
    largest = np.maximum(edges, points) / math.sqrt(2)
    return np.clip(largest, 0, 1) ** _FEATURE_POWER


def _size(lightness: np.ndarray, derivative: int) -> np.ndarray:
    """Length of the first (edges) or second (points) derivative across and down."""
    smooth, slope = _feature_kernels(derivative)
    across = _along(_along(lightness, smooth, 0), slope, 1)
    down = _along(_along(lightness, smooth, 1), slope, 0)
    return np.hypot(across, down)


@cache
def _feature_kernels(derivative: int) -> tuple[np.ndarray, np.ndarray]:
    """A Gaussian, and a derivative of it whose positive and negative values each add up to one."""
    deviation = 0.5 * _FEATURE_WIDTH * PIXELS_PER_DEGREE
    radius = math.ceil(3 * deviation)
    at = np.arange(-radius, radius + 1)
    smooth = np.exp(-(at**2) / (2 * deviation**2))
    slope = -at * smooth if derivative == 1 else (at**2 / deviation**2 - 1) * smooth
    slope = np.where(slope > 0, slope / slope[slope > 0].sum(), slope / -slope[slope < 0].sum())
    return smooth / smooth.sum(), slope


def _along(channel: np.ndarray, kernel: np.ndarray, axis: int) -> np.ndarray:
    """Correlated with the kernel along an axis; beyond the border the border's values go on."""
    radius, long = len(kernel) // 2, channel.shape[axis]
    room = [(radius, radius) if each == axis else (0, 0) for each in (0, 1)]
    padded = np.pad(channel, room, mode="edge")
    found = np.zeros_like(channel)
    for at, weight in enumerate(kernel):
        part = padded[at : at + long] if axis == 0 else padded[:, at : at + long]
        found += weight * part
    return found
