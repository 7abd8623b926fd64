"""RetroArch's `.slang` shaders: Vulkan GLSL with both stages in one text.

`#pragma stage NAME` begins the lines of one stage; those before the first belong to every stage.
Settings are declared by `#pragma parameter` (`frontend.initial_values`), as members of the uniform
block or the push constants.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from shaderlab.frontend.dialects import vulkan
from shaderlab.frontend.dialects.family import Attempt, Family, Text
from shaderlab.frontend.program import Dialect
from shaderlab.frontend.reading import Language
from shaderlab.frontend.stage import Stage
from shaderlab.frontend.toolchain.interface import Rules

_STAGE = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+stage[ \t]+(\w+)", re.M)
_LINE = re.compile(r"[ \t]*#line ")
_STAGES = {"vertex": Stage.VERTEX, "fragment": Stage.FRAGMENT, "compute": Stage.COMPUTE}


class Libretro(Family):
    language = Language.LIBRETRO

    def recognises(self, text: Text) -> bool:
        return _STAGE.search(text.code) is not None

    def attempts(self, text: Text) -> Iterator[Attempt]:
        source = vulkan.complete(_of_stage(text.bare, text.stage), text.defines)
        for is_relaxed in (False, True):
            rules = Rules(text.stage, is_relaxed=is_relaxed)
            yield Attempt(Dialect.LIBRETRO, source, rules)


def _of_stage(text: str, stage: Stage) -> str:
    """The text with the lines of other stages, and libretro's own directives, emptied."""
    kept, current = [], None
    for line in text.split("\n"):
        if match := _STAGE.match(line):
            current = _STAGES.get(match[1].lower())
            kept.append("")
        elif current not in (None, stage) and not _LINE.match(line):
            kept.append("")
        else:
            kept.append(line)
    return "\n".join(kept)
