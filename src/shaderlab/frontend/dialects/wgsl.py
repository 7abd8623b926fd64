"""WGSL, by naga, the compiler of wgpu."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shaderlab.frontend.dialects.external import INPUT, NAGA, OUTPUT, External
from shaderlab.frontend.dialects.family import Attempt, Family, Text
from shaderlab.frontend.program import Dialect
from shaderlab.frontend.reading import Language
from shaderlab.frontend.stage import Stage

_ATTRIBUTES = {Stage.VERTEX: "vertex", Stage.FRAGMENT: "fragment", Stage.COMPUTE: "compute"}


class Wgsl(Family):
    language = Language.WGSL

    def recognises(self, text: Text) -> bool:
        return (
            text.suffix == "wgsl"
            or re.search(r"@(?:fragment|compute)\b[^;{]{0,500}?\bfn\b", text.code) is not None
        )

    def attempts(self, text: Text) -> Iterator[Attempt]:
        if not NAGA.is_installed:
            return
        entry = text.reading.entry or next(iter(self.entry_points(text)), "main")
        yield External(
            Dialect.WGSL,
            text.text,
            command=("naga", "-g", INPUT, OUTPUT),
            file_name="source.wgsl",
            entry=entry,
        )

    def stage(self, text: Text) -> Stage:
        named = super().stage(text)
        has = {stage for stage, name in _ATTRIBUTES.items() if f"@{name}" in text.code}
        return (
            Stage.COMPUTE if has and Stage.FRAGMENT not in has and Stage.COMPUTE in has else named
        )

    def entry_points(self, text: Text) -> tuple[str, ...]:
        attribute = _ATTRIBUTES.get(text.stage)
        return tuple(re.findall(rf"@{attribute}\b[^;{{]{{0,500}}?\bfn\s+(\w+)", text.code))

    def hint(self, text: Text) -> str:  # noqa: ARG002
        return "" if NAGA.is_installed else NAGA.missing
