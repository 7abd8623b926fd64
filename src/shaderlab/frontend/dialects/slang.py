"""Slang, by its own compiler."""

from __future__ import annotations

from collections.abc import Iterator

from shaderlab.frontend.dialects.entry_points import (
    candidates,
    entry_point,
    likely_stage,
    no_entry,
)
from shaderlab.frontend.dialects.external import INPUT, OUTPUT, SLANGC, External
from shaderlab.frontend.dialects.family import Attempt, Family, Text
from shaderlab.frontend.program import Dialect
from shaderlab.frontend.reading import Language
from shaderlab.frontend.stage import Stage
from shaderlab.spirv.source_lines import DOCUMENT, PRELUDE

_STAGES = {
    Stage.VERTEX: "vertex", Stage.FRAGMENT: "fragment", Stage.COMPUTE: "compute",
    Stage.GEOMETRY: "geometry", Stage.TESSELLATION_CONTROL: "hull",
    Stage.TESSELLATION_EVALUATION: "domain",
}  # fmt: skip


class Slang(Family):
    language = Language.SLANG

    def recognises(self, text: Text) -> bool:
        return text.suffix == "slang"

    def attempts(self, text: Text) -> Iterator[Attempt]:
        if not SLANGC.is_installed:
            return
        entry = entry_point(text)
        if not entry:
            return
        source = f'#line 1 "{PRELUDE}"\n{text.defines}#line 1 "{DOCUMENT}"\n{text.bare}\n'
        yield External(
            Dialect.SLANG,
            source,
            command=(
                "slangc", INPUT, "-target", "spirv", "-profile", "spirv_1_5", "-O0", "-g1",
                "-fvk-use-entrypoint-name", "-entry", entry,
                "-stage", _STAGES[text.stage], "-o", OUTPUT,
            ),
            file_name="source.slang",
            entry=entry,
        )  # fmt: skip

    def stage(self, text: Text) -> Stage:
        named = super().stage(text)
        return likely_stage(text) if named is Stage.FRAGMENT else named

    def entry_points(self, text: Text) -> tuple[str, ...]:
        return candidates(text)

    def hint(self, text: Text) -> str:
        if not SLANGC.is_installed:
            return SLANGC.missing
        return "" if entry_point(text) else no_entry(text)
