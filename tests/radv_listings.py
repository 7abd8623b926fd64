"""Small shaders of our own as several Mesas' RADV lists them (`tests/unit/gpu/radv/listings`).

    python -m tests.radv_listings ICD VERSION

records them with the RADV whose driver manifest is named: `VERSION/NAME.nir`, the listing without
the head that tells nothing, and what its machine code's text says of constant arrays.
"""

from __future__ import annotations

import argparse
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from shaderlab.frontend.compiler import compile_text
from shaderlab.gpu.compilers.families import REFERENCE
from shaderlab.workers import compiled
from shaderlab.workers.compiled import FamilyWorker

FOLDER = Path(__file__).parent / "unit" / "gpu" / "radv" / "listings"
VERSIONS = ("22.3.6", "25.0.7")
"""Of Mesa, recorded."""
SHADERS = {
    "steps": """\
void mainImage(out vec4 c, in vec2 p) {
    float a = 0.0;
    for (float t = 0.5; t < p.x; t += 1.0) {
        a += sin(t * 0.37 + iTime);
    }
    if (p.y > 24.0) a = exp2(a * 0.125);
    c = vec4(fract(a), p / iResolution.xy, 1.0);
}
""",
    "compares": """\
void mainImage(out vec4 c, in vec2 p) {
    vec2 z = p / iResolution.xy - 0.5;
    vec3 sum = vec3(0.0);
    for (int i = 0; i < 60; i++) {
        z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + vec2(0.31, 0.03) * iTime;
        if (!(dot(z, z) < 4.0)) break;
        if (z.x != z.y && !(z.x >= 0.5)) sum += vec3(abs(z.x), sign(z.y) * z.x, 0.1);
    }
    c = vec4(sum * 0.1, 1.0);
}
""",
    "lookup": """\
const float heights[5] = float[](0.1, 0.9, 0.4, 0.7, 0.2);
const int bits[4] = int[](0x5a, 0x3c, 0x99, 0x0f);
void mainImage(out vec4 c, in vec2 p) {
    int column = int(p.x) / 13;
    int set = (bits[int(p.y) & 3] >> (int(p.x) & 7)) & 1;
    c = vec4(heights[column % 5], float(set), heights[int(p.y) % 5], 1.0);
}
""",
    "slopes": """\
void mainImage(out vec4 c, in vec2 p) {
    float wave = sin(p.x * 0.3) * cos(p.y * 0.2);
    c = vec4(dFdx(wave) + 0.5, fwidth(wave), dFdy(wave) + 0.5, 1.0);
}
""",
    "checks": """\
void mainImage(out vec4 c, in vec2 p) {
    int n = int(p.x) + int(p.y);
    c = vec4(float(n & 1));
}
""",
    "textures": """\
void mainImage(out vec4 c, in vec2 p) {
    vec2 uv = p / iResolution.xy;
    vec4 a = texture(iChannel0, uv) + textureLod(iChannel1, uv.yx, 2.0);
    vec4 b = texelFetch(iChannel2, ivec2(p) & 31, 0) + textureGather(iChannel0, uv * 0.5, 1);
    for (int i = 0; i < 3; i++) a += textureGrad(iChannel1, a.xy, uv * 0.1, uv.yx * 0.1);
    c = vec4(a.rgb * 0.15 + b.rgb * 0.1 + texture(iChannel2, b.xy, 1.0).rgb * 0.2, 1.0);
}
""",
    "cube_map": """\
void mainImage(out vec4 c, in vec2 p) {
    vec2 uv = p / iResolution.xy * 6.0 - 3.0;
    vec3 d = vec3(uv, 1.3);
    c = texture(iChannel1, d) * 0.5 + textureLod(iChannel1, d.zxy - 2.0, 1.0) * 0.25;
    c += texture(iChannel0, uv) * 0.25;
}
""",
    "grey": """\
void mainImage(out vec4 c, in vec2 p) {
    float g = clamp(p.x * 0.01, 0.0, 1.0);
    c = p.y > 10.0 ? vec4(g * 0.75, g * 0.5, 0.25, 0.5) : vec4(0.25);
}
""",
}


def text_of(version: str, name: str) -> tuple[str, str]:
    """The listing, and the part of the machine code's text about constants."""
    listing, _, constants = (FOLDER / version / f"{name}.nir").read_text("utf-8").partition("\f\n")
    return listing, constants


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("icd", type=Path)
    parser.add_argument("version")
    options = parser.parse_args()
    folder = FOLDER / options.version
    folder.mkdir(parents=True, exist_ok=True)
    (target,) = compiled.choose(compiled.amd().result(), [REFERENCE])
    with closing(FamilyWorker(replace(target, icd=str(options.icd.resolve())))) as worker:
        for name, text in SHADERS.items():
            made = worker.compile(compile_text(text, name, None)).result().chosen
            _, _, listing = made.ir.rpartition("\nimpl main")
            head = "\n".join(line for line in made.ir.splitlines() if line.startswith("scratch: "))
            _, start, constants = made.assembly.partition("/* constant data */")
            (folder / f"{name}.nir").write_text(
                f"{head}\nimpl main{listing.rstrip()}\n\f\n{start}{constants}", "utf-8"
            )


if __name__ == "__main__":
    main()
