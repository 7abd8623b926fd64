"""Image files, read as untrusted input: what they are is seen from their first bytes."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from PIL import Image as PillowImage

from shaderlab import files
from shaderlab.errors import InvalidAsset, WrongUse
from shaderlab.scene.textures import MOST_IMAGE_BYTES
from shaderlab.textures import dds, ktx2, radiance, stored
from shaderlab.textures.stored import Damaged, Stored

READ = "PNG, JPEG, BMP, TGA, GIF, WebP, DDS, Radiance HDR and KTX2"
"""The formats that are read, for messages."""

_PILLOW = ["PNG", "JPEG", "BMP", "GIF", "WEBP"]
_REFUSED = (
    (b"\x76\x2f\x31\x01", "OpenEXR"),
    (b"\xabKTX 11", "KTX of version 1"),
    (b"\x13\xab\xa1\x5c", "ASTC"),
    (b"II*\0", "TIFF"),
    (b"MM\0*", "TIFF"),
    (b"8BPS", "Photoshop"),
    (b"sB", "Basis Universal"),
)
_ROWS = 256
"""Rows of a picture that are converted at once."""


def read(path: Path) -> Stored:
    """The texels of an image file.

    Raises WrongUse for a file that cannot be opened, and InvalidAsset, one of these, for one that
    is damaged, too large or of a format that is not among `READ`.
    """
    try:
        return _read(path)
    except Damaged as error:
        raise InvalidAsset(f"cannot read {path}: {error}") from None
    except MemoryError:
        raise InvalidAsset(f"cannot read {path}: it needs more memory than there is") from None


def size(path: Path) -> tuple[int, int]:
    """Width, height of a picture by its header.

    Zeros for what has no header that is read alone, and for what `read` refuses with its reason.
    """
    try:
        with (
            files.open_regular(path, MOST_IMAGE_BYTES) as file,
            PillowImage.open(file, formats=_PILLOW) as picture,
        ):
            return picture.size
    except Exception:  # noqa: BLE001, Pillow's decoders of damaged headers raise anything
        return 0, 0


def _read(path: Path) -> Stored:
    with files.open_regular(path, MOST_IMAGE_BYTES) as file:
        start = file.read(16)
    if start.startswith(ktx2.MAGIC):
        return ktx2.read(files.read_bytes(path, MOST_IMAGE_BYTES))
    if start.startswith(dds.MAGIC):
        return dds.read(files.read_bytes(path, MOST_IMAGE_BYTES))
    if start.startswith(radiance.MAGICS):
        return radiance.read(files.read_bytes(path, MOST_IMAGE_BYTES))
    for magic, name in _REFUSED:
        if start.startswith(magic):
            raise Damaged(f"{name} files are not read; {READ} are")
    return _with_pillow(path)


def _with_pillow(path: Path) -> Stored:
    # TGA has no magic number, so that anything might be one: its name must say so.
    formats = ["TGA"] if path.suffix.lower() == ".tga" else _PILLOW
    with files.open_regular(path, MOST_IMAGE_BYTES) as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with PillowImage.open(file, formats=formats) as picture:
                stored.check_size(*picture.size, texel_bytes=_texel_bytes(picture))
                return Stored((_texels(picture)[None, None],))
        except (Damaged, WrongUse, MemoryError):
            raise
        except PillowImage.UnidentifiedImageError:
            raise Damaged(f"it is not one of {READ}") from None
        except PillowImage.DecompressionBombError:
            raise Damaged("it is too large") from None
        except Exception as error:  # noqa: BLE001, its plug-ins raise what they meet
            reason = " ".join(str(error).split())[:100] or type(error).__name__
            raise Damaged(f"it is damaged: {reason}") from None


def _is_deep(picture: PillowImage.Image) -> bool:
    return picture.mode.startswith(("I", "F"))


def _texel_bytes(picture: PillowImage.Image) -> int:
    return 16 if _is_deep(picture) else 4


def _texels(picture: PillowImage.Image) -> np.ndarray:
    """(height, width, 4) of uint8; of float32 for 16 bits of grey."""
    width, height = picture.size
    picture.load()
    if _is_deep(picture):
        made = np.ones((height, width, 4), np.float32)
        made[..., :3] = np.asarray(picture, np.float32)[..., None] / np.float32(65535)
        return made
    made = np.empty((height, width, 4), np.uint8)
    for top in range(0, height, _ROWS):
        rows = picture.crop((0, top, width, min(height, top + _ROWS)))
        made[top : top + _ROWS] = np.asarray(rows.convert("RGBA"))
    return made
