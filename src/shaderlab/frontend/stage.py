"""The stages of a pipeline, by the names `--stage` takes and glslang's `-S` has."""

from __future__ import annotations

from enum import StrEnum


class Stage(StrEnum):
    """What part of a pipeline a shader is, in the order of SPIR-V's execution models."""

    VERTEX = "vert"
    TESSELLATION_CONTROL = "tesc"
    TESSELLATION_EVALUATION = "tese"
    GEOMETRY = "geom"
    FRAGMENT = "frag"
    COMPUTE = "comp"

    @property
    def execution_model(self) -> int:
        """SPIR-V's number of it (section 3.3), which is glslang's too."""
        return tuple(Stage).index(self)

    @property
    def shown(self) -> str:
        """Its name in a sentence: `tessellation control`."""
        return _SHOWN[self]


_SHOWN = {
    Stage.VERTEX: "vertex",
    Stage.TESSELLATION_CONTROL: "tessellation control",
    Stage.TESSELLATION_EVALUATION: "tessellation evaluation",
    Stage.GEOMETRY: "geometry",
    Stage.FRAGMENT: "fragment",
    Stage.COMPUTE: "compute",
}


def named_in(file_name: str) -> Stage | None:
    """The stage a file's name ends with, as in `sky.vert` or `sky.vert.hlsl`; None without one."""
    parts = file_name.lower().split(".")[1:]
    for part in reversed(parts):
        if part in _SUFFIXES:
            return _SUFFIXES[part]
    return None


_SUFFIXES = {
    **{stage.value: stage for stage in Stage},
    "vs": Stage.VERTEX, "vsh": Stage.VERTEX,
    "fs": Stage.FRAGMENT, "fsh": Stage.FRAGMENT,
}  # fmt: skip
