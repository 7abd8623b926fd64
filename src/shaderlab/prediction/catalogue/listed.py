"""Which products the user wants predicted beside what is installed: a file in the user's data.

It lies beside the targets calibrated here (`user_targets`), and stands alone so that a window need
not read any model to write it.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Annotated

import msgspec

from shaderlab import files, locations
from shaderlab.errors import WrongUse

ALL = "all"
"""Names every target, products whose times follow by a law among them."""
FILE = "listed.json"
_MAX_BYTES = 64 * 1024
_Slugs = Annotated[tuple[str, ...], msgspec.Meta(max_length=500)]


def folder() -> Path:
    """Of all that a user adds to the targets."""
    return locations.user_data() / "targets"


def read(home: Path) -> tuple[str, ...]:
    """Their slugs; none where nothing readable says so."""
    try:
        return msgspec.json.decode(files.read_bytes(home / FILE, _MAX_BYTES), type=_Slugs)
    except (WrongUse, msgspec.MsgspecError):
        return ()


def write(slugs: Collection[str]) -> None:
    """From now on these are predicted wherever no target is named, as installed ones are.

    Raises WrongUse where that cannot be written.
    """
    home = folder()
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WrongUse(f"cannot make {home}: {error.strerror or error}") from None
    files.save(home / FILE, msgspec.json.encode(sorted(slugs)))
