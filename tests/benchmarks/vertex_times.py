"""How far a vertex stage's predicted time is from the measured one.  Run by hand:

    python -m tests.benchmarks.vertex_times [--device llvmpipe]

Each of the stages below runs over its mesh in front of a fragment shader that does nothing, in a
picture too small to matter.  Measured is what `profile` finds for the vertex stage alone, predicted
what `predict` prices its counts at for the same device.
"""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import closing
from typing import NamedTuple

import numpy as np

from shaderlab.frontend.compiler import compile_text
from shaderlab.frontend.reading import Reading
from shaderlab.frontend.stage import Stage
from shaderlab.scene.draw import Attachments, Draw, DrawState, Frame
from shaderlab.scene.geometry import Body, Geometry
from shaderlab.workers.device import DeviceWorker
from shaderlab.workers.discovery import discover
from shaderlab.workers.predictor import PredictorWorker

SIZE = (64, 48)
FRAGMENT = """#version 450
layout(location = 0) out vec4 colour;
void main() { colour = vec4(1.0); }
"""
HEAD = """#version 450
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 0) out vec3 shade;
"""
NUMBERED = """#version 450
layout(location = 0) out vec3 shade;
"""
NOISE = """
float hash(ivec3 p) {
    uint n = uint(p.x) * 1597334677u ^ uint(p.y) * 3812015801u ^ uint(p.z) * 2798796415u;
    n = (n ^ n >> 15) * 2246822519u;
    return float(n >> 8) / 16777216.0;
}
float noise(vec3 p) {
    ivec3 i = ivec3(floor(p));
    vec3 f = fract(p), u = f * f * (3.0 - 2.0 * f);
    float sum = 0.0;
    for (int n = 0; n < 8; n++) {
        ivec3 o = ivec3(n & 1, n >> 1 & 1, n >> 2);
        vec3 w = mix(1.0 - u, u, vec3(o));
        sum += w.x * w.y * w.z * hash(i + o);
    }
    return sum;
}
"""
PLACE = "gl_Position = vec4(at * 0.5, 1.0); gl_Position.z = gl_Position.z * 0.5 + 0.5;"


class Case(NamedTuple):
    name: str
    body: Body
    vertices: int | None
    text: str


def _stages() -> list[Case]:
    def own(name: str, body: Body, code: str, before: str = "") -> Case:
        return Case(name, body, None, f"{HEAD}{before}void main() {{\n{code}\n{PLACE}\n}}\n")

    def numbered(name: str, vertices: int, code: str, before: str = "") -> Case:
        text = f"{NUMBERED}{before}void main() {{\n{code}\n{PLACE}\n}}\n"
        return Case(name, Body.FULL_SCREEN, vertices, text)

    grid = "vec3 at = vec3(gl_VertexIndex % 300, gl_VertexIndex / 300, 0.0) / 150.0 - 1.0;"
    matrices = """mat4 turn = mat4(1.0);
    for (int i = 0; i < 24; i++) {
        float a = 0.1 * float(i) + uv.x;
        turn = turn * mat4(cos(a), sin(a), 0, 0, -sin(a), cos(a), 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);
    }
    vec3 at = (turn * vec4(position, 1.0)).xyz; shade = normal;"""
    return [
        own("passed on", Body.SPHERE, "vec3 at = position; shade = normal;"),
        own("passed on, few", Body.CUBE, "vec3 at = position; shade = normal;"),
        own(
            "lit", Body.TORUS,
            "vec3 at = position; vec3 n = normalize(normal);"
            "shade = vec3(pow(max(dot(n, normalize(vec3(1, 2, 3))), 0.0), 16.0)) + 0.1 * n;",
        ),
        own(
            "waves", Body.POT,
            "vec3 at = position; shade = normal; for (int i = 1; i <= 16; i++)"
            " at += normal * sin(float(i) * dot(position, vec3(3, 5, 7))) / float(16 * i);",
        ),
        own("noise", Body.SPHERE,
            "vec3 at = position * (1.0 + 0.2 * noise(position * 4.0)); shade = at;", NOISE),
        own(
            "fractal noise", Body.POT,
            "float sum = 0.0; vec3 p = position * 2.0; for (int i = 0; i < 6; i++)"
            " { sum += noise(p) * exp2(-float(i)); p *= 2.03; }"
            "vec3 at = position + normal * sum * 0.1; shade = vec3(sum);", NOISE,
        ),
        own("matrices", Body.TORUS, matrices),
        own(
            "march", Body.SPHERE,
            "vec3 at = position; shade = normal; for (int i = 0; i < 100; i++) {"
            " float d = length(at) - 0.5 - 0.1 * sin(9.0 * at.x) * sin(9.0 * at.y);"
            " if (abs(d) < 1e-4) break; at -= normal * d * 0.7; }",
        ),
        own(
            "half of them", Body.TORUS,
            "vec3 at = position; shade = normal; if (position.x > 0.0)"
            " for (int i = 0; i < 200; i++) at = at * 0.99 + 0.01 * cos(at.yzx);",
        ),
        numbered("grid", 90_000, f"{grid} shade = at;"),
        numbered("waving grid", 90_000,
            f"{grid} for (int i = 1; i < 20; i++) at.z += sin(at.x * float(i)) / float(i);"
            " shade = at;"),
        numbered(
            "integers", 90_000,
            f"{grid} uint n = uint(gl_VertexIndex); for (int i = 0; i < 64; i++)"
            " n = (n ^ n << 13 ^ n >> 17) * 747796405u + 2891336453u;"
            " at.z = float(n >> 8) / 16777216.0; shade = at;",
        ),
        numbered("heavy", 3_000,
            f"{grid} for (int i = 0; i < 3000; i++) at = fract(at * 1.7 + sin(at.yzx)); shade = at;"
        ),
    ]  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--device", default="llvmpipe", metavar="D")
    arguments = parser.parse_args()
    info = discover().result().choose(arguments.device)
    print(f"{info.name}, {info.driver}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    fragment = compile_text(FRAGMENT, "constant", None)
    ratios: list[float] = []
    with closing(DeviceWorker(info)) as device, closing(PredictorWorker()) as predictor:
        for stage in _stages():
            vertex = compile_text(stage.text, stage.name, None, Reading(stage=Stage.VERTEX))
            geometry = Geometry(stage.body, vertices=stage.vertices)
            draw = Draw(
                fragment, DrawState(geometry=geometry, attachments=Attachments(SIZE)), vertex
            )
            counted = device.trace_vertex(Frame.of(draw), "0").result()
            measured = device.profile(draw, 5, 10).result()
            (forecast,) = predictor.predict(
                draw, device.trace(draw).result(), [info.slug], vertex=counted
            ).result()
            part = forecast.vertex
            assert measured.vertex is not None
            assert part is not None
            assert part.time_s is not None
            assert part.invocations is not None
            ratios.append(measured.vertex.time_s / part.time_s)
            print(
                f"{stage.name:16} {part.invocations:8,} invocations  "
                f"{part.instructions / part.invocations:8,.0f} instructions each  measured "
                f"{measured.vertex.time_s * 1e6:9.1f} us  predicted {part.time_s * 1e6:9.1f} us  "
                f"ratio {ratios[-1]:6.2f}"
            )
    low, middle, high = np.quantile(ratios, (0.1, 0.5, 0.9))
    print(f"measured over predicted: median {middle:.2f}, 80 % from {low:.2f} to {high:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
