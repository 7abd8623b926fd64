"""Do predicted curves over a constant follow the measured ones?

python -m tests.benchmarks.sweeps [--device D] [--trials 5] [--draws 5] [--size WxH] [--only NAME]

Six shaders, each swept over one constant: median error of the points, also once the curve is moved
through what the shader's own value was measured at, rank correlation, and how many values lie
between the predicted and the measured cheapest value and knee.  Exit status 1 where the median
error of all curves is above 15 %, a rank correlation below 0.95, or a cheapest value or knee off by
more than one.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from models.laboratory import measured_figures
from shaderlab.cli.options import size
from shaderlab.engine import questions
from shaderlab.engine.crew import Crew, Engine
from shaderlab.frontend.reading import RECOGNISED
from shaderlab.scene.draw import Draw, Frame
from shaderlab.studies.axes import parse
from shaderlab.studies.constants import constants
from shaderlab.studies.sweep import Effort
from shaderlab.studies.swept_frame import Plan, sweep_frame
from shaderlab.workers.discovery import discover

ERROR, RANK, STEPS = 0.15, 0.95, 1

_NOISE = """
float hash(vec2 p) { return fract(sin(dot(p, vec2(12.9898, 78.233))) * 43758.5453); }
float noise(vec2 p)
{
    vec2 i = floor(p), f = fract(p);
    f = f * f * (3.0 - 2.0 * f);
    return mix(mix(hash(i), hash(i + vec2(1, 0)), f.x),
               mix(hash(i + vec2(0, 1)), hash(i + vec2(1, 1)), f.x), f.y);
}
"""

SHADERS = {
    "march": ("STEPS=8:128:x2", """
#define STEPS 64
float shape(vec3 p) { return length(vec3(mod(p.xy, 2.0) - 1.0, p.z)) - 0.4; }
void mainImage(out vec4 c, in vec2 x)
{
    vec3 way = normalize(vec3((2.0 * x - iResolution.xy) / iResolution.y, 1.5));
    float t = 0.0;
    for (int i = 0; i < STEPS; i++) {
        float d = shape(vec3(0.0, 0.0, -4.0) + t * way);
        if (d < 0.001 || t > 20.0) break;
        t += d;
    }
    c = vec4(vec3(1.0 / (1.0 + 0.1 * t * t)), 1.0);
}
"""),
    "volume": ("SAMPLES=4,8,16,32,64,128", _NOISE + """
const int SAMPLES = 32;
void mainImage(out vec4 c, in vec2 x)
{
    vec2 p = x / iResolution.y;
    float light = 1.0, sum = 0.0, step = 4.0 / float(SAMPLES);
    for (int i = 0; i < SAMPLES; i++) {
        float fog = noise(4.0 * p + 0.7 * step * float(i));
        sum += light * fog * step;
        light *= exp(-fog * step);
    }
    c = vec4(vec3(sum), 1.0);
}
"""),
    "octaves": ("OCTAVES=1:10", _NOISE + """
const int OCTAVES = 6;
void mainImage(out vec4 c, in vec2 x)
{
    vec2 p = 3.0 * x / iResolution.y;
    float sum = 0.0, weight = 0.5;
    for (int i = 0; i < OCTAVES; i++, weight *= 0.5) { sum += weight * noise(p); p = 2.1 * p; }
    c = vec4(vec3(sum), 1.0);
}
"""),
    "tile": ("TILE=1,2,4,8,16,32", _NOISE + """
// A cell of TILE pixels a side looks for its darkest point, then every pixel shades it.
const int TILE = 8;
void mainImage(out vec4 c, in vec2 x)
{
    vec2 corner = floor(x / float(TILE)) * float(TILE);
    float least = 1.0;
    for (int j = 0; j < TILE; j += 2)
        for (int i = 0; i < TILE; i += 2)
            least = min(least, noise((corner + vec2(i, j)) / 17.0));
    c = vec4(vec3(least), 1.0);
}
"""),
    "supersample": ("SIDE=1:6", """
#define SIDE 3
float julia(vec2 z)
{
    float n = 0.0;
    for (int i = 0; i < 40; i++) {
        z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + vec2(-0.745, 0.186);
        if (dot(z, z) > 16.0) break;
        n += 1.0;
    }
    return n / 40.0;
}
void mainImage(out vec4 c, in vec2 x)
{
    float sum = 0.0;
    for (int j = 0; j < SIDE; j++)
        for (int i = 0; i < SIDE; i++) {
            vec2 offset = (vec2(i, j) + 0.5) / float(SIDE) - 0.5;
            sum += julia(2.4 * (x + offset - 0.5 * iResolution.xy) / iResolution.y);
        }
    c = vec4(vec3(sum / float(SIDE * SIDE)), 1.0);
}
"""),
    "limit": ("LIMIT=16,32,64,128,256,512", """
#define LIMIT 128
void mainImage(out vec4 c, in vec2 x)
{
    vec2 p = 2.6 * (x - 0.5 * iResolution.xy) / iResolution.y - vec2(0.6, 0.0), z = vec2(0.0);
    int n = 0;
    for (; n < LIMIT && dot(z, z) < 4.0; n++)
        z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + p;
    c = vec4(vec3(float(n) / float(LIMIT)), 1.0);
}
"""),
}  # fmt: skip
"""By name: what is swept, and the text.  In `limit` pixels leave early: cost bends as few stay."""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--device", default="llvmpipe", metavar="D")
    parser.add_argument("--trials", type=int, default=5, metavar="N")
    parser.add_argument("--draws", type=int, default=5, metavar="N")
    parser.add_argument("--size", type=size, default=(512, 384), metavar="WxH")
    parser.add_argument("--only", action="append", choices=SHADERS, metavar="NAME")
    measured_figures.add_option(parser)
    arguments = parser.parse_args()
    info = discover().result().choose(arguments.device)
    errors: list[float] = []
    ranks: list[float] = []
    steps: list[int] = []
    anchored: list[float] = []
    bad: list[str] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(Engine(Crew(info))) as engine,
    ):
        for name in arguments.only or SHADERS:
            values, text = SHADERS[name]
            path = Path(folder) / f"{name}.frag"
            path.write_text(text)
            program = engine.answer(questions.program, path, RECOGNISED)
            axis = parse(values)
            plan = Plan(
                Frame.of(Draw.of(program, arguments.size)),
                (axis,),
                targets=(info.slug,),
                effort=Effort(arguments.trials, arguments.draws),
                reference=(constants(text)[axis.name].value,),
            )
            found = sweep_frame(plan, engine)
            agreed = found.agreement(info.slug)
            if agreed is None:
                bad.append(f"{name}: no curve")
                continue
            errors.append(agreed.median_error)
            anchored.append(agreed.anchored_error)
            ranks.append(agreed.spearman)
            steps.append(max(agreed.cheapest_steps, agreed.knee_steps or 0))
            knee = "none" if agreed.knee_steps is None else agreed.knee_steps
            print(
                f"{name:12} {values:28} median error {agreed.median_error:6.1%}  "
                f"of the shape {agreed.shape_error:6.1%}  "
                f"through one measured value {agreed.anchored_error:6.1%}  "
                f"rank {agreed.spearman:.3f}  cheapest off by {agreed.cheapest_steps}  "
                f"knee off by {knee}",
                flush=True,
            )
            for point in found.points:
                forecast = point.seconds(info.slug)
                if forecast is not None and point.measured is not None:
                    here = point.measured.time_s
                    print(f"    {point.values[0]:>4} {forecast:.3e} s, measured {here:.3e} s")
            if agreed.spearman < RANK:
                bad.append(f"{name}: rank {agreed.spearman:.3f}")
            if max(agreed.cheapest_steps, agreed.knee_steps or 0) > STEPS:
                bad.append(f"{name}: off by more than one value")
    median = statistics.median(errors)
    print(
        f"median error of {len(errors)} curves {median:.1%}, through one measured value "
        f"{statistics.median(anchored):.1%}"
    )
    measured_figures.keep(
        arguments.keep,
        f"sweeps, {arguments.device}",
        {
            "curves": len(errors),
            "median": median,
            "anchored": statistics.median(anchored),
            "lowest rank": min(ranks),
            "ranks reached": sum(each >= RANK for each in ranks),
            "most steps": max(steps),
        },
    )
    if median > ERROR:
        bad.append(f"median error {median:.1%}")
    for each in bad:
        print(f"missed: {each}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
