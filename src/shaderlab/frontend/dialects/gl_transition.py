"""GL Transitions: a body with `vec4 transition(vec2 uv)` between two pictures.

The specification (https://gl-transitions.com) gives it `progress`, `ratio`, `getFromColor` and
`getToColor`; the default of a parameter stands in a comment behind its declaration.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from shaderlab.frontend.dialects import literals, opengl
from shaderlab.frontend.dialects.family import Attempt, Family, Text
from shaderlab.frontend.program import Dialect, Given
from shaderlab.frontend.reading import Language
from shaderlab.frontend.toolchain.interface import Rules
from shaderlab.spirv.source_lines import PRELUDE

_TRANSITION = re.compile(r"\bvec4\s+transition\s*\(\s*(?:in\s+)?(?:highp\s+)?vec2\b")
_MAIN = re.compile(r"\bvoid\s+main\s*\(")
_DEFAULT = re.compile(
    r"\buniform\s+(?P<type>\w+)\s+(?P<name>\w+)\s*(?:;\s*(?://|/\*)|/\*)\s*=\s*(?P<value>[^;*\n]+)"
)


_PRELUDE = """\
uniform sampler2D from;
uniform sampler2D to;
uniform float progress;
uniform vec2 resolution;
float ratio;
vec4 getFromColor(vec2 uv) { return texture(from, uv); }
vec4 getToColor(vec2 uv) { return texture(to, uv); }
layout(location = 0) out vec4 shaderlab_color;
"""
_AFTER = f"""
#line 1 "{PRELUDE}"
void main() {{
    ratio = resolution.x / resolution.y;
    shaderlab_color = transition(gl_FragCoord.xy / resolution);
}}"""


class GlTransition(Family):
    language = Language.GL_TRANSITION

    def recognises(self, text: Text) -> bool:
        return bool(_TRANSITION.search(text.code)) and not _MAIN.search(text.code)

    def attempts(self, text: Text) -> Iterator[Attempt]:
        """As OpenGL ES first, whose rules the collection asks for."""
        for version in ("310 es", "450"):
            yield Attempt(
                Dialect.GL_TRANSITION,
                opengl.assemble(text, version, _PRELUDE, _AFTER),
                Rules(is_relaxed=True),
                remark="compiled as #version 450, because #version 310 es fails: ",
            )

    def given(self, text: Text) -> Mapping[str, Given]:
        found = {"progress": Given(0.5, 0.0, 1.0)}
        for match in _DEFAULT.finditer(text.text):
            value = literals.value(match["value"], match["type"])
            if value is not None:
                found[match["name"]] = Given(value)
        return found
