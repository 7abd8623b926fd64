"""`TraceStore`: traces of many shaders on disk, so that a long measuring run can be resumed."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path

from shaderlab.errors import ShaderlabError
from shaderlab.spirv.trace import BlockCount, Trace


class TraceStore:
    """One gzipped JSON file per shader: its trace, or why there is none."""

    def __init__(self, folder: Path):
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def _path(self, shader_id: str) -> Path:
        # Ids may differ in case only, which some file systems ignore.
        return self._folder / f"{hashlib.sha1(shader_id.encode()).hexdigest()}.json.gz"

    def holds(self, shader_id: str) -> bool:
        """Whether the shader was tried before."""
        return self._path(shader_id).exists()

    def put(self, shader_id: str, outcome: Trace | ShaderlabError) -> None:
        """Keep a trace, or the error the shader is to blame for."""
        raw: dict = {"id": shader_id}
        if isinstance(outcome, Trace):
            raw |= {"device": outcome.device, "size": outcome.size, "time_s": outcome.time_s}
            raw |= {"frame": outcome.frame, "blocks": [_block(each) for each in outcome.blocks]}
        else:
            raw["error"] = f"{type(outcome).__name__}: {outcome}"
        path = self._path(shader_id)
        unfinished = path.with_suffix(".part")
        unfinished.write_bytes(gzip.compress(json.dumps(raw).encode(), mtime=0))
        unfinished.replace(path)

    def get(self, shader_id: str) -> Trace | str:
        """The trace without source lines and debug names, or the reason there is none."""
        raw = json.loads(gzip.decompress(self._path(shader_id).read_bytes()))
        if "error" in raw:
            return raw["error"]
        blocks = tuple(
            BlockCount(
                function=function,
                function_name=f"%{function}",
                label=label,
                count=count,
                lines=(),
                opcodes=opcodes,
                lane_groups=lane_groups,
            )
            for function, label, count, lane_groups, opcodes in raw["blocks"]
        )
        size = tuple(raw["size"])
        return Trace(raw["device"], size, raw["time_s"], raw["frame"], blocks, float("nan"))


def _block(block: BlockCount) -> list:
    return [block.function, block.label, block.count, block.lane_groups, dict(block.opcodes)]
