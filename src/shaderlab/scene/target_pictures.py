"""Small pictures of what a captured draw left in an attachment."""

from __future__ import annotations

import numpy as np

from shaderlab.scene.fixed_functions import ColourTarget
from shaderlab.scene.texel_decoding import decoded, is_whole
from shaderlab.scene.texel_layouts import layout


def thumbnail(
    target: ColourTarget, size: tuple[int, int], within: tuple[int, int], *, grey: bool = True
) -> np.ndarray | None:
    """(height, width, 4) uint8 RGBA of at most `within` (width, height), row 0 at the top.

    `size`: of the attachment, pixels; `grey`: a single channel is a brightness, else red.  Texels
    are left out, not averaged; numbers beyond 0 to 1 are cut off.  None for a format that is not
    known here.  Raises WrongUse for damaged contents.
    """
    its, contents = layout(target.format), target.after
    if its is None or contents is None or (its.width, its.height) != (1, 1):
        return None
    if is_whole(target.format):
        return None
    width, height = size
    texels = np.frombuffer(contents.read(), np.uint8)
    one = width * height * its.nbytes
    samples = texels.size // one
    if not samples or texels.size != samples * one:
        return None
    step = max(1, -(-width // within[0]), -(-height // within[1]))
    all_of_it = texels.reshape(samples, height, width, its.nbytes)[:, ::step, ::step]
    numbers = decoded(target.format, all_of_it.tobytes())
    if numbers is None:
        return None
    chosen = all_of_it[0]
    numbers = numbers.reshape(samples, chosen.shape[0] * chosen.shape[1], -1).mean(axis=0)
    found = np.zeros((chosen.shape[0], chosen.shape[1], 4), np.uint8)
    shown = numbers[:, :3]
    if shown.shape[1] == 1 and grey:
        shown = np.repeat(shown, 3, axis=1)
    colours = np.nan_to_num(np.clip(shown, 0.0, 1.0)) * 255.0
    found[..., : colours.shape[1]] = np.rint(colours).reshape(*chosen.shape[:2], -1)
    found[..., 3] = 255
    return found
