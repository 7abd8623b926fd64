"""Texels of Vulkan's uncompressed formats as numbers, for comparing and showing pictures."""

from __future__ import annotations

import re

import numpy as np

from shaderlab.scene.texel_layouts import layout

_PLAIN = re.compile(r"((?:[RGBA]\d+)+)_(UNORM|SNORM|UINT|SINT|SFLOAT|SRGB)")
_SMALL = re.compile(r"((?:[RGBA]\d)+)_UNORM_PACK16")
_CHANNEL = re.compile(r"([RGBA])(\d+)")
_ORDER = "RGBA"


def decoded(name: str, data: bytes) -> np.ndarray | None:
    """(texels, channels) float64 in the order red, green, blue, alpha, of the channels there are.

    Normalised formats give 0 to 1 (sRGB as encoded), integers and floats their values; None for a
    format that is not known here.
    """
    if name in ("A2B10G10R10_UNORM_PACK32", "A2R10G10B10_UNORM_PACK32"):
        words = np.frombuffer(data, "<u4")
        low, middle, high = ((words >> shift & 1023) / 1023 for shift in (0, 10, 20))
        red, blue = (low, high) if name.startswith("A2B") else (high, low)
        return np.column_stack([red, middle, blue, (words >> 30) / 3])
    if name == "B10G11R11_UFLOAT_PACK32":
        words = np.frombuffer(data, "<u4")
        parts = [(words & 0x7FF, 6), (words >> 11 & 0x7FF, 6), (words >> 22, 5)]
        return np.column_stack([_small_float(bits, mantissa) for bits, mantissa in parts])
    small = _SMALL.fullmatch(name)
    if small is not None:
        return _small_numbers(_CHANNEL.findall(small[1]), np.frombuffer(data, "<u2"))
    plain = _PLAIN.fullmatch(name)
    if plain is None:
        return None
    channels = _CHANNEL.findall(plain[1])
    widths = {int(bits) for _, bits in channels}
    if len(widths) != 1 or widths - {8, 16, 32}:
        return None
    (bits,) = widths
    kind = plain[2]
    letter = {"SFLOAT": "f", "SNORM": "i", "SINT": "i"}.get(kind, "u")
    if (letter, bits) == ("f", 8):
        return None
    values = np.frombuffer(data, f"<{letter}{bits // 8}").reshape(-1, len(channels))
    with np.errstate(invalid="ignore"):  # signalling NaNs
        numbers = values.astype(np.float64)
    if kind in ("UNORM", "SRGB"):
        numbers /= (1 << bits) - 1
    elif kind == "SNORM":
        numbers = np.maximum(numbers / ((1 << bits - 1) - 1), -1.0)
    places = sorted(range(len(channels)), key=lambda n: _ORDER.index(channels[n][0]))
    return numbers[:, places]


def _small_numbers(channels: list[tuple[str, str]], words: np.ndarray) -> np.ndarray:
    """Of texels packed into 16 bits, the first channel in the highest."""
    shift, found = 16, {}
    for letter, bits in channels:
        shift -= int(bits)
        most = (1 << int(bits)) - 1
        found[letter] = (words >> shift & most) / most
    return np.column_stack([found[each] for each in _ORDER if each in found])


def _small_float(bits: np.ndarray, mantissa_bits: int) -> np.ndarray:
    """Unsigned floats with five bits of exponent (Vulkan specification, "Unsigned 11-Bit …")."""
    mantissa = (bits & (1 << mantissa_bits) - 1).astype(np.float64) / (1 << mantissa_bits)
    exponent = (bits >> mantissa_bits).astype(np.int64)
    normal = (1 + mantissa) * np.exp2(exponent - 15.0)
    found = np.where(exponent == 0, mantissa * 2.0**-14, normal)
    special = np.where(mantissa == 0, np.inf, np.nan)
    return np.where(exponent == 31, special, found)


def is_whole(name: str) -> bool:
    """Whether its texels are integers."""
    return name.split("_")[1:2] in (["UINT"], ["SINT"])


def differing(name: str, ours: bytes, theirs: bytes, tolerance: float) -> np.ndarray | None:
    """(texels,) bool: which differ by more than `tolerance` in any channel.

    Integers differ where they are not equal; floats above 1 by so much of their value.  None for a
    format that is not known here.
    """
    its = layout(name)
    if its is None or (its.width, its.height) != (1, 1) or len(ours) != len(theirs):
        return None
    here, there = (np.frombuffer(data, np.uint8).reshape(-1, its.nbytes) for data in (ours, theirs))
    off = np.zeros(len(here), bool)
    if ours == theirs:
        return off
    unequal = (here != there).any(axis=1)
    one, other = decoded(name, here[unequal].tobytes()), decoded(name, there[unequal].tobytes())
    if one is None or other is None:
        return None
    off[unequal] = _far(one, other, 0.0 if is_whole(name) else tolerance)
    return off


def _far(one: np.ndarray, other: np.ndarray, tolerance: float) -> np.ndarray:
    """(texels,) bool of (texels, channels)."""
    with np.errstate(invalid="ignore"):
        gap = np.abs(one - other)
        is_far = gap > tolerance * np.maximum(1.0, np.abs(other))
    same = (one == other) | (np.isnan(one) & np.isnan(other))
    return ((is_far | np.isnan(gap)) & ~same).any(axis=1)


_ALIKE = 1e-5
"""Of their value, two words that are floats may differ by."""


def differing_words(ours: bytes, theirs: bytes) -> np.ndarray:
    """(words,) bool: which of a buffer's 32-bit words differ.

    What a word holds is not known: those that as floats are off by 1e-5 of their value at most are
    taken for equal, as rounding makes them.  Bytes after the last whole word are left out.
    """
    here, there = (np.frombuffer(data[: len(data) // 4 * 4], "<u4") for data in (ours, theirs))
    count = min(len(here), len(there))
    here, there = here[:count], there[:count]
    off = here != there
    if off.any():
        with np.errstate(invalid="ignore", over="ignore"):
            a, b = (each.view("<f4").astype(np.float64) for each in (here, there))
            close = np.abs(a - b) <= _ALIKE * np.maximum(np.abs(a), np.abs(b))
        off &= ~close
    return off
