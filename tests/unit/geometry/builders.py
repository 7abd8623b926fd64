"""Small glTF files."""

from __future__ import annotations

import base64
import json
import struct
from typing import Any

import numpy as np

_CODES = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}


def document(
    positions: np.ndarray,
    indices: list[int],
    *,
    mode: int = 4,
    uvs: np.ndarray | None = None,
    normals: np.ndarray | None = None,
    colours: np.ndarray | None = None,
) -> dict[str, Any]:
    """One primitive, its buffer in a data URI: accessor 0 positions, accessor 1 indices."""
    attributes = {"POSITION": 0}
    arrays = [positions, np.array(indices, np.uint16)]
    for name, values in (("TEXCOORD_0", uvs), ("NORMAL", normals), ("COLOR_0", colours)):
        if values is not None:
            attributes[name] = len(arrays)
            arrays.append(values)
    data = b""
    views, accessors = [], []
    for number, values in enumerate(arrays):
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": values.nbytes})
        width = 1 if values.ndim == 1 else values.shape[1]
        accessors.append(
            {
                "bufferView": number,
                "componentType": _CODES[values.dtype.str[1:]],
                "count": len(values),
                "type": "SCALAR" if values.ndim == 1 else f"VEC{width}",
                "normalized": values.dtype == np.uint8,
            }
        )
        data += values.tobytes() + bytes(-values.nbytes % 4)
    uri = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    primitive = {"attributes": attributes, "indices": 1, "mode": mode}
    return {
        "asset": {"version": "2.0"},
        "meshes": [{"primitives": [primitive]}],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": len(data), "uri": uri}],
    }


def glb(whole: dict[str, Any]) -> bytes:
    """The same in one binary file."""
    data = base64.b64decode(whole["buffers"][0]["uri"].partition(",")[2])
    inner = dict(whole, buffers=[{"byteLength": len(data)}])
    text = json.dumps(inner).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<2I", len(text), 0x4E4F534A) + text
    chunks += struct.pack("<2I", len(data), 0x004E4942) + data
    return struct.pack("<3I", 0x46546C67, 2, 12 + len(chunks)) + chunks
