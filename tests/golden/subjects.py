"""Whose answers are frozen: our own shaders, and what lies in `../shared` where it is there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared"
KINDS = ("examples", "calibration", "kernels", "real", "captures")
_RACING = ("bfs_node",)
"""Kernels whose counts differ from run to run."""


@dataclass(frozen=True)
class Subject:
    """A file with the name that its answers are kept under."""

    name: str
    kind: str
    path: Path

    @property
    def is_ours(self) -> bool:
        """Whether its text may be repeated; of the others numbers and digests are kept alone."""
        return self.path.is_relative_to(ROOT)


def subjects(kinds: list[str], real: int, shared: Path) -> Iterator[Subject]:
    """Of these kinds, with about as many as `real` shaders of other projects."""
    folders = {
        "examples": ROOT / "resources" / "examples",
        "calibration": ROOT / "resources" / "calibration",
        "kernels": ROOT / "tests" / "kernels",
    }
    for kind, folder in folders.items():
        for path in sorted((*folder.glob("*.frag"), *folder.glob("*.comp"))):
            if kind in kinds and path.stem not in _RACING:
                yield Subject(f"{kind}-{path.stem}", kind, path)
    if "real" in kinds and (manifest := shared / "real-shaders" / "manifest.json").is_file():
        entries = json.loads(manifest.read_bytes())
        step = max(1, len(entries) // real)
        for number in range(0, len(entries), step):
            yield Subject(f"real-{number:03}", "real", manifest.parent / entries[number]["file"])
    if "captures" in kinds:
        for number, path in enumerate(sorted((shared / "captures").glob("*.rdc"))):
            yield Subject(f"capture-{number}", "captures", path)
