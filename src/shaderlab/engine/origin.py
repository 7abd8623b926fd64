"""Which program answers: another version's answers, or another model's, are not recalled."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from shaderlab import __version__, files, locations
from shaderlab.errors import WrongUse

_CARD, _PRODUCTS = "card.json", "products"
"""As `prediction.bundles.bundle` has them, which takes long to import."""
_LARGEST_TABLE = 16 << 20


def of_code() -> str:
    """Digest of this installation: its version and the sizes of its modules and of the texts they
    read; where they are edited, in a checkout, also their times."""
    package = Path(__file__).parent.parent
    is_edited = locations.models().parent != package
    parts = sorted(
        (name, status.st_size, status.st_mtime_ns if is_edited else 0)
        for folder in (package, locations.resources())
        for name, status in _below(str(folder), (".py", ".json", ".toml", ".glsl"))
    )
    return hashlib.sha256(repr((__version__, parts)).encode()).hexdigest()


def of_models() -> str:
    """Digest of the models that ship and of the targets that the user calibrated.

    Of their cards, which state the digests of their weights, and of the tables beside them.
    """
    digest = hashlib.sha256()
    for folder in (locations.models(), locations.user_data() / "targets"):
        for path in sorted(
            (
                *folder.glob("*.json"),
                *folder.glob(f"*/{_CARD}"),
                *folder.glob(f"{_PRODUCTS}/*/{_CARD}"),
            )
        ):
            try:
                data = files.read_bytes(path, _LARGEST_TABLE)
            except WrongUse:
                continue
            digest.update(f"{path.relative_to(folder)} {len(data)}\n".encode(errors="replace"))
            digest.update(data)
    return digest.hexdigest()


def _below(folder: str, suffixes: tuple[str, ...]) -> Iterator[tuple[str, os.stat_result]]:
    """Every such file, by its path from the folder; `pathlib` would take ten times as long."""
    for place, _, names in os.walk(folder):
        for name in names:
            if name.endswith(suffixes):
                path = os.path.join(place, name)  # noqa: PTH118
                yield path[len(folder) :], os.stat(path)  # noqa: PTH116
