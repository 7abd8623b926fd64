"""Which matrix of the camera an input is, from the words of its name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from shaderlab.scene import camera as at
from shaderlab.scene.geometry import Camera
from shaderlab.scene.inputs import Numbers

LIGHT_POSITION = (2.0, 4.0, 3.0)
"""Where lights are taken to be, in radii of the bodies around the origin."""
_LIGHT = Camera(yaw=0.588, pitch=0.837, distance=5.385, vertical_fov=0.7)
"""Looks at the origin from there."""

_SPACES = {
    "model": 0, "object": 0, "local": 0, "instance": 0,
    "world": 1,
    "view": 2, "camera": 2,
    "clip": 3, "projection": 3, "screen": 3, "ndc": 3,
}  # fmt: skip
_SHORT = {
    "mvp": "mvp", "wvp": "mvp", "pvm": "mvp", "mv": "mv", "wv": "mv", "vp": "vp", "pv": "vp",
    "mvit": "mvit", "itmv": "mvit",
}  # fmt: skip


class MatrixName(NamedTuple):
    """A product of the camera's matrices."""

    text: str
    """As shown: `view and projection matrix, inverse`."""
    value: Callable[[Camera, tuple[int, int]], Numbers]
    """4x4, in the order of memory."""


class _Product(NamedTuple):
    view: bool
    projection: bool
    of_light: bool
    is_inverse: bool
    is_normal: bool
    """Inverse transpose, as normals need."""


def matrix(words: Sequence[str]) -> MatrixName:
    """The matrix these words name; one without a known name is the identity."""
    product = _between_spaces(words) or _product(words)
    names = [
        name
        for name, is_in in (("view", product.view), ("projection", product.projection))
        if is_in
    ]
    text = f"{' and '.join(names)} matrix" if names else "identity matrix"
    if product.of_light:
        text += " of the light"
    if product.is_normal:
        text = "normal matrix"
    if product.is_inverse and names:
        text += ", inverse"
    return MatrixName(text, lambda camera, size: _value(product, camera, size))


def _between_spaces(words: Sequence[str]) -> _Product | None:
    """Of `world to view`, `clip to world`."""
    if "to" not in words:
        return None
    middle = words.index("to")
    before = [_SPACES[word] for word in words[:middle] if word in _SPACES]
    after = [_SPACES[word] for word in words[middle + 1 :] if word in _SPACES]
    if not before or not after:
        return None
    low, high = sorted((before[-1], after[0]))
    inverse = before[-1] > after[0]
    of_light = "light" in words or "shadow" in words
    return _Product(low < 2 <= high, low < 3 <= high, of_light, inverse, False)


def _product(words: Sequence[str]) -> _Product:
    letters = "".join(_SHORT.get(word, "") for word in words)
    found = set(words)
    of_light = bool(found & {"light", "shadow", "cascade"})
    has_projection = "projection" in found or "p" in letters
    has_view = "view" in found or "v" in letters or (of_light and not has_projection)
    if "camera" in found and not has_view and not has_projection:
        has_view = True
    is_normal = "normal" in found or "mvit" in letters
    if "model" in found and not (has_view or has_projection or is_normal):
        of_light = False
    is_inverse = "inverse" in found and not is_normal
    if "camera" in found and "world" in found and not has_projection:
        is_inverse = not is_inverse  # three.js: where the camera stands, not what it sees
    if of_light:
        has_view = has_projection = True
    return _Product(has_view or is_normal, has_projection, of_light, is_inverse, is_normal)


@lru_cache(maxsize=256)
def _value(product: _Product, camera: Camera, size: tuple[int, int]) -> Numbers:
    if product.of_light:
        camera, size = _LIGHT, (1, 1)
    found = at.view(camera) if product.view else at.IDENTITY
    if product.projection:
        found = at.product(at.projection(camera, size), found)
    if product.is_normal:
        return at.transposed(at.inverse(found))
    return at.inverse(found) if product.is_inverse else found
