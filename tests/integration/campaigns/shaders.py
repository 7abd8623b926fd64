"""A little corpus of our own, with the kinds of trouble a large one holds."""

from __future__ import annotations

import json
from pathlib import Path

SOUND = {
    f"loop{n}": f"""\
void mainImage(out vec4 fragColor, in vec2 fragCoord) {{
    float sum = 0.0;
    for (int i = 0; i < {n + 1} * 4; i++) {{
        sum += sin(float(i) * fragCoord.x);
    }}
    fragColor = vec4(sin(vec3(sum) + iTime), 1.0);
}}
"""
    for n in range(4)
}
BLACK = "void mainImage(out vec4 fragColor, in vec2 fragCoord) { fragColor = vec4(0.0); }\n"
BROKEN = "void mainImage(out vec4 fragColor, in vec2 fragCoord) { fragColor = vec4(nonsense); }\n"
# lavapipe gives an endless loop 65,536 rounds, so each of them is long.
ENDLESS = """\
#define FOUR(x) x x x x
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    float x = fragCoord.x;
    while (x > -1.0) {
        FOUR(FOUR(FOUR(FOUR(x = abs(sin(x + iTime));))))
    }
    fragColor = vec4(x);
}
"""


def write(path: Path, shaders: dict[str, str]) -> Path:
    path.write_text("".join(json.dumps({"id": i, "code": c}) + "\n" for i, c in shaders.items()))
    return path
