"""Times the paper's authors printed for single shaders, and the texts those shaders have."""

from __future__ import annotations

import io
import json
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

SIZE = (1024, 768)
"""Width, height of the canonical run, pixels."""


@dataclass(frozen=True)
class PublishedSample:
    """One shader on one GPU at the canonical run, with the authors' own predictions of it."""

    shader_id: str
    time_s: float
    pilr_s: float
    """By their PILR of that data set; may be negative."""
    transformer_s: float
    black: bool | None = None
    """Whether its picture was all black there."""


def read(figures: Path) -> dict[str, dict[str, PublishedSample]]:
    """Samples by platform (`RTX3060`, `RX6600XT`) and shader id.

    `figures` holds `measured_samples.jsonl`; rows at other sizes or times, or without predictions,
    are left out.
    """
    found: dict[str, dict[str, PublishedSample]] = {}
    with (figures / "measured_samples.jsonl").open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            canonical = (row["width"], row["height"], row["iTime"]) == (*SIZE, 1.0)
            if canonical and row.get("pred_pilr_s") is not None:
                found.setdefault(row["platform"], {})[row["shader_id"]] = PublishedSample(
                    row["shader_id"],
                    row["time_s"],
                    row["pred_pilr_s"],
                    row["pred_transformer_s"],
                    row.get("black_output"),
                )
    return found


def texts(corpus: Path, wanted: Collection[str] | None = None) -> dict[str, str]:
    """Shader bodies by id from a `.jsonl.zst` of objects with `id` and `code`; None for all."""
    import zstandard  # only measuring runs need it

    with corpus.open("rb") as file:
        stream = zstandard.ZstdDecompressor().stream_reader(file)
        rows = map(json.loads, io.TextIOWrapper(stream, encoding="utf-8"))
        return {row["id"]: row["code"] for row in rows if wanted is None or row["id"] in wanted}
