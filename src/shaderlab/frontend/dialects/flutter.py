"""Fragment programs of Flutter: GLSL that includes `flutter/runtime_effect.glsl`.

Its one function, `FlutterFragCoord`, counts pixels from the top left, whatever draws them
(https://docs.flutter.dev/ui/design/graphics/fragment-shaders).
"""

from __future__ import annotations

from collections.abc import Iterator

from shaderlab.frontend.dialects import opengl
from shaderlab.frontend.dialects.family import Attempt, Family, Text
from shaderlab.frontend.program import Dialect
from shaderlab.frontend.reading import Language

RUNTIME_EFFECT = "vec2 FlutterFragCoord() { return gl_FragCoord.xy; }"
"""What the include holds."""


class Flutter(Family):
    language = Language.FLUTTER

    def recognises(self, text: Text) -> bool:
        return "FlutterFragCoord" in text.words

    def attempts(self, text: Text) -> Iterator[Attempt]:
        return opengl.attempts(text, Dialect.FLUTTER)
