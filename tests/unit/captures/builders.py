"""Contents and records of captures, made here."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from shaderlab.scene.contents import Contents, Piece

SIZE = (4, 2)
"""Width, height of the attachments, pixels."""


def contents(path: Path, data: bytes) -> Contents:
    """Bytes in a file of their own, in pieces of 64 at most."""
    path.write_bytes(data)
    parts = [data[n : n + 64] for n in range(0, len(data), 64)]
    pieces = tuple(
        Piece(hashlib.sha256(part).hexdigest(), 64 * n, len(part)) for n, part in enumerate(parts)
    )
    return Contents(path, pieces)


def draw_record(path: Path) -> dict[str, Any]:
    """A line about a draw of one triangle onto an attachment, its pieces written to `path`."""
    parts = [b"\x03\x02\x23\x07" * 5, bytes(4 * SIZE[0] * SIZE[1]), bytes(3 * 32), bytes(16)]
    path.write_bytes(b"".join(parts))
    pieces, at = [], 0
    for part in parts:
        pieces.append([hashlib.sha256(part).hexdigest(), at, len(part)])
        at += len(part)
    keep = ["One", "Zero", "Add"]
    target = {
        "image": 1,
        "format": "R8G8B8A8_UNORM",
        "mip": 0,
        "slice": 0,
        "samples": 1,
        "size": list(SIZE),
        "before": [1],
        "after": [1],
    }
    return {
        "kind": "draw",
        "event": 7,
        "pieces": pieces,
        "size": list(SIZE),
        "fragment": {"entry": "main", "spirv": [0]},
        "constants": {"3": "0100000000000000"},
        "push": "00000000",
        "vertices": {
            "topology": "TriangleList",
            "count": 3,
            "instances": 1,
            "step": 0,
            "stride": 32,
            "data": [2],
            "indices": [],
            "index_bytes": 0,
            "base": 0,
            "restart": None,
            "aligned": True,
            "outputs": [
                {"builtin": "Undefined", "location": 0, "components": 2, "channels": 3,
                 "wide": False},
                {"builtin": "Position", "location": 0, "components": 4, "channels": 15,
                 "wide": False},
            ],
        },
        "fixed": {
            "viewport": [0, 2, 4, -2, 0, 1],
            "scissor": [-1, 0, 99, 1],
            "cull": "Back",
            "front_ccw": True,
            "fill": "Solid",
            "depth_clamp": False,
            "depth_bias": None,
            "line_width": 1,
            "samples": 1,
            "sample_shading": None,
            "sample_mask": 0xFFFFFFFF,
            "alpha_to_coverage": False,
            "blend_constants": [0, 0, 0, 0],
            "blends": [
                {"enabled": True, "logic": None, "colour": ["SrcAlpha", "InvSrcAlpha", "Add"],
                 "alpha": keep, "mask": 7},
            ],
            "depth_test": True,
            "depth_write": False,
            "depth_compare": "LessEqual",
            "depth_bounds": None,
            "stencil": None,
        },
        "resources": [
            {"set": 1, "binding": 2, "element": 0, "buffer": {"data": [3], "image": 4}},
            {"set": 0, "binding": 1, "element": 1, "sampler": {
                "minify": "Linear", "magnify": "Point", "mip": "Linear",
                "address": ["Wrap", "ClampEdge", "Mirror"], "compare": None,
                "lod": [0, 1000, 0], "anisotropy": 0, "border": [0, 0, 0, 0],
                "unnormalized": False}},
        ],
        "colours": [target],
        "depth": None,
    }  # fmt: skip
