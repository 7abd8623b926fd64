"""Counts on real drivers: as computed by hand, and the same whichever way they are counted."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from shaderlab.errors import CounterOverflow, UnsupportedShader
from shaderlab.frontend.compiler import compile_text
from shaderlab.gpu import discovery
from shaderlab.spirv.grammar import Op, StorageClass
from shaderlab.spirv.module import Module
from shaderlab.spirv.passes.atomic_counting import instrument_atomic
from shaderlab.spirv.passes.counting import instrument
from shaderlab.spirv.passes.rewriting import Rewriter
from shaderlab.spirv.trace import SourceLine

SIZE = (37, 22)
WIDTH, HEIGHT = SIZE
PIXELS = WIDTH * HEIGHT
FRAGMENT = "#version 450\nlayout(location = 0) out vec4 color;\n"

# Shader text and executions of its lines, by hand.
SHADERS = {
    "nested loops with continue": (
        """void mainImage(out vec4 color, in vec2 at) {
            float sum = 0.0;
            for (int i = 0; i < 7; i++) {
                if (i % 3 == 0)
                    continue;
                for (int j = 0; j < i; j++)
                    sum += float(j);
            }
            color = vec4(sum / 32.0);
        }""",
        {2: PIXELS, 4: 7 * PIXELS, 7: (1 + 2 + 4 + 5) * PIXELS, 9: PIXELS},
    ),
    "early return by pixel": (
        """void mainImage(out vec4 color, in vec2 at) {
            color = vec4(1.0);
            if (at.x < 10.0)
                return;
            color = vec4(0.5);
        }""",
        {3: PIXELS, 4: 10 * HEIGHT, 5: 27 * HEIGHT},
    ),
    "switch with fall-through": (
        """void mainImage(out vec4 color, in vec2 at) {
            float v = 0.0;
            switch (int(at.x) % 4) {
                case 0:
                    v += 0.1;
                case 1:
                    v += 0.2;
                    break;
                case 2:
                    v += 0.3;
                    break;
                default:
                    v += 0.4;
            }
            color = vec4(v);
        }""",
        {5: 10 * HEIGHT, 7: 19 * HEIGHT, 10: 9 * HEIGHT, 13: 9 * HEIGHT, 15: PIXELS},
    ),
    "discard in a callee, calls after it": (
        """float shade(float x) {
            return x * 0.5;
        }
        float cut(float x) {
            if (x < 8.0)
                discard;
            return x;
        }
        void mainImage(out vec4 color, in vec2 at) {
            float v = shade(at.x) + shade(cut(at.x) + shade(at.y));
            for (int i = 0; i < 3; i++)
                v += shade(v);
            color = vec4(v / 100.0);
        }""",
        {
            5: PIXELS,
            6: 8 * HEIGHT,
            7: 29 * HEIGHT,
            # Operands run from left to right: one call before the cut, two after, three looped.
            2: PIXELS + 5 * 29 * HEIGHT,
            13: 29 * HEIGHT,
        },
    ),
    "derivatives next to discarded pixels": (
        """void mainImage(out vec4 color, in vec2 at) {
            float edge = fwidth(at.x * at.y) / 100.0;
            if (int(at.x + at.y) % 3 == 0)
                discard;
            for (int i = 0; i < int(at.x) % 5; i++)
                edge += 0.1;
            color = vec4(edge);
        }""",
        {2: PIXELS},
    ),
    "demotion": (
        "#version 450\n#extension GL_EXT_demote_to_helper_invocation : require\n"
        """layout(location = 0) out vec4 color;
        void main() {
            float v = gl_FragCoord.x;
            if (v < 12.0)
                demote;
            v += dFdx(v);
            color = vec4(v / 40.0);
        }""",
        {6: PIXELS, 7: 12 * HEIGHT, 8: 25 * HEIGHT},
    ),
    "no gl_FragCoord, a specialization constant": (
        FRAGMENT
        + """layout(constant_id = 0) const int TRIPS = 6;
        void main() {
            float v = 0.0;
            for (int i = 0; i < TRIPS; i++)
                v += 0.1;
            color = vec4(v);
        }""",
        {5: PIXELS, 7: 6 * PIXELS},
    ),
    "a large array": (
        """void mainImage(out vec4 color, in vec2 at) {
            float table[1000];
            for (int i = 0; i < 1000; i++)
                table[i] = float(i) * 0.001;
            color = vec4(table[(int(at.x) * 23 + int(at.y)) % 1000]);
        }""",
        {4: 1000 * PIXELS, 5: PIXELS},
    ),
    "short circuits and ternaries": (
        """bool odd(float x) {
            return mod(floor(x), 2.0) > 0.5;
        }
        void mainImage(out vec4 color, in vec2 at) {
            float v = 0.0;
            if (odd(at.x) && odd(at.y))
                v = 1.0;
            while (v < 3.0 && !odd(v))
                v += 1.0;
            color = vec4(v / 3.0);
        }""",
        {6: PIXELS, 7: 18 * 11, 2: PIXELS + 18 * HEIGHT + 2 * (PIXELS - 18 * 11) + 18 * 11},
    ),
}

DEVICES = {device.slug: device for device in discovery.discover().devices}
_device = None


def _open(info):
    from shaderlab.gpu import drivers

    drivers.select(info.manifest)
    from shaderlab.gpu.vulkan.device import Device

    global _device
    _device = Device.open(info)


def _plain(program):
    from shaderlab.gpu.vulkan.rendering import Renderer
    from shaderlab.scene.draw import Draw

    picture = np.empty((HEIGHT, WIDTH, 4), np.uint8)
    draw = Draw.of(program, SIZE)
    with Renderer(_device, draw) as renderer:
        renderer.render(draw.inputs, picture)
    return picture


def _traced(program, memory_budget):
    from shaderlab.gpu.vulkan.tracing import Tracer
    from shaderlab.scene.draw import Draw

    draw = Draw.of(program, SIZE)
    tracer = Tracer(_device, draw, memory_budget)
    try:
        return tracer.trace(draw.inputs), tracer.picture()
    finally:
        tracer.close()


def _counted(program, how):
    from shaderlab.scene.draw import Draw
    from tests.integration.spirv.counted_draw import CountedDraw

    module, entry = program.module, program.entry_point
    if how == "every block":
        instrumented = instrument(module, entry, every_block=True)
    else:
        instrumented = instrument_atomic(module, entry, bits=how)
    with CountedDraw(_device, Draw.of(program, SIZE), instrumented) as draw:
        return draw.draw()[0]


@pytest.fixture(scope="module", params=["llvmpipe", "swiftshader"])
def device(request):
    """A process with that driver in it."""
    if request.param not in DEVICES:
        pytest.skip(f"no {request.param} here")
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, context, _open, (DEVICES[request.param],)) as pool:
        pool.name = request.param
        yield pool


@pytest.fixture(params=SHADERS)
def shader(request):
    text, lines = SHADERS[request.param]
    return compile_text(text, request.param, None), lines


def test_counts(device, shader):
    program, by_hand = shader
    try:
        trace, picture = device.submit(_traced, program, 1 << 28).result()
    except UnsupportedShader as error:
        pytest.skip(str(error))
    counts = [block.count for block in trace.blocks]
    entry = program.module.entry_points[0].id
    assert next(b.count for b in trace.blocks if b.function == entry) == PIXELS
    lines = trace.line_counts
    assert {line: lines.get(SourceLine("", line)) for line in by_hand} == by_hand
    assert (picture == device.submit(_plain, program).result()).all()
    ways = ["every block", 32, *([64] if device.name == "llvmpipe" else [])]
    for how in ways:
        assert device.submit(_counted, program, how).result().tolist() == counts, how


def test_tiles_add_up(device):
    program = compile_text(SHADERS["early return by pixel"][0], "tiles", None)
    whole, picture = device.submit(_traced, program, 1 << 28).result()
    pieces, cut = device.submit(_traced, program, 4 * 4 + 2 * 4 * 40).result()
    assert pieces.blocks == whole.blocks
    assert (picture == cut).all()


def test_a_counter_that_would_wrap_says_so(device):
    """Seven trips of a loop whose counter begins at 2^32 - 2."""
    text = """void mainImage(out vec4 color, in vec2 at) {
        uint hash = uint(at.x) ^ 4294967294u;
        for (float trips = at.x * 0.0; trips < 7.0; trips++)
            hash = hash * 747796405u + 1u;
        color = vec4(float(hash) / 4294967296.0);
    }"""
    program = compile_text(text, "overflow", None)
    assert device.submit(_draw_from, program, 0).result().max() == 8 * PIXELS
    with pytest.raises(CounterOverflow):
        device.submit(_draw_from, program, 4294967294).result()


def _draw_from(program, start):
    """Block counts with all counters beginning at `start`, a constant the program has."""
    from shaderlab.scene.draw import Draw
    from tests.integration.spirv.counted_draw import CountedDraw

    instrumented = instrument(program.module, program.entry_point, every_block=True)
    module = Module.parse(instrumented.spirv)
    words = module.words.copy()
    uint = Rewriter(module).type(Op.TypeInt, 32, 0)
    first = Rewriter(module).constant(uint, start)
    changed = 0
    for index in module.indices(Op.Variable):
        variable = module.instruction_words(index)
        if variable[3] == StorageClass.Private and len(variable) == 5:
            words[module.starts[index] + 4] = first
            changed += 1
    assert changed == instrumented.counters
    with CountedDraw(
        _device, Draw.of(program, SIZE), replace(instrumented, spirv=words.tobytes())
    ) as draw:
        return draw.draw()[0]


def test_paths_of_includes(device, tmp_path: Path):
    (tmp_path / "shape.glsl").write_text("float disc(vec2 p) {\n    return length(p) - 9.0;\n}\n")
    text = (
        '#include "shape.glsl"\n'
        "#define TWICE(x) ((x) + (x))\n"
        "void mainImage(out vec4 color, in vec2 at) {\n"
        "    float d = TWICE(disc(at));\n"
        "    color = vec4(d);\n"
        "}\n"
    )
    program = compile_text(text, "includes", tmp_path)
    trace, _ = device.submit(_traced, program, 1 << 28).result()
    assert trace.line_counts[SourceLine("shape.glsl", 2)] == 2 * PIXELS
    assert trace.line_counts[SourceLine("", 4)] == PIXELS
