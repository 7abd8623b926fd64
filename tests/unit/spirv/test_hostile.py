"""Whatever the words say, the answer is a module or one clear line; never anything else."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shaderlab.errors import InvalidModule
from shaderlab.frontend.compiler import compile_text
from shaderlab.spirv import grammar
from shaderlab.spirv.grammar import Op
from shaderlab.spirv.module import Module
from shaderlab.spirv.passes.counting import instrument
from shaderlab.spirv.reflection import reflect
from shaderlab.spirv.type_reading import Types
from tests.unit.spirv.hostility import is_bound, mutated, survives
from tests.unit.spirv.test_module import TWO_FUNCTIONS
from tests.unit.spirv.test_source_lines import BODY, module_with
from tests.unit.spirv.walking import ZERO, module_of

SEEDS = [
    np.frombuffer(module.to_bytes(), "<u4").tolist()
    for module in (module_of(TWO_FUNCTIONS), module_with(["document", "b", "c"], *BODY))
]

INPUTS = """#version 450
struct Light { vec4 tint; float reach; mat3 turn; };
layout(set = 0, binding = 0) uniform Scene { Light lights[4]; float weights[8]; int rounds; } scene;
layout(set = 0, binding = 1, row_major) uniform Loose { mat2x3 odd; ivec2 size; };
layout(set = 1, binding = 0) uniform sampler2D pictures[3];
layout(set = 1, binding = 1) uniform texture2DArray layers;
layout(set = 1, binding = 2) uniform sampler filtered;
layout(set = 1, binding = 3, rgba8) uniform image2D canvas;
layout(set = 1, binding = 4) uniform isamplerBuffer numbers;
layout(set = 1, binding = 5) buffer Items { uint count; Light items[]; } store;
layout(input_attachment_index = 0, set = 1, binding = 6) uniform subpassInput before;
layout(push_constant) uniform Push { vec2 at; layout(offset = 16) float gain[3]; } push;
layout(constant_id = 3) const int QUALITY = 2;
layout(location = 0) in Face { vec3 normal; flat ivec2 number; vec2 uv[2]; } face;
layout(location = 6) in mat3 frame;
layout(location = 0) out vec4 colour;
float reach_of(Light light, inout vec3 sum) {
    sum += light.turn * light.tint.xyz;
    return push.at.x;
}
void main() {
    vec3 sum = frame * face.normal;
    float whole, part = modf(push.gain[1], whole);
    for (int i = 0; i < scene.rounds + QUALITY; i++)
        sum.x += reach_of(scene.lights[i & 3], sum) * scene.weights[2];
    if (store.items[face.number.x].reach > whole) discard;
    if (texelFetch(numbers, size.x).x == 1) sum += texture(pictures[1], face.uv[1]).xyz;
    else sum += texture(sampler2DArray(layers, filtered), vec3(face.uv[0], 1)).xyz;
    imageStore(canvas, ivec2(gl_FragCoord.xy), vec4(sum, part));
    colour = subpassLoad(before) + vec4(odd[1], 1);
}
"""


def operands_before_functions(words: list[int]) -> list[int]:
    """Where they stand in a module."""
    module = Module.parse(np.array(words, "<u4").tobytes())
    first = module.indices(Op.Function)[0]
    starts = module.starts.tolist()[: first + 1]
    return [at for start, end in pairwise(starts) for at in range(start + 1, end)]


BOUND = np.frombuffer(compile_text(INPUTS, "inputs", None).spirv, "<u4").tolist()
OPERANDS = operands_before_functions(BOUND)


@given(st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_mutations_of_modules_with_inputs(rng):
    assert is_bound(np.array(BOUND, "<u4").tobytes())
    is_bound(mutated(BOUND, rng))


@given(
    st.lists(st.tuples(st.integers(0, 2**20), st.integers(0, 2**32 - 1)), min_size=1, max_size=3)
)
@example([(17323, 0)])  # a SpecId decoration without its number
@settings(max_examples=150, deadline=None)
def test_wrong_types_decorations_and_constants(faults):
    """Operands alone are changed, so that most modules come as far as their inputs."""
    words = list(BOUND)
    for at, new in faults:
        operand = OPERANDS[at % len(OPERANDS)]
        words[operand] = new if new % 2 else words[OPERANDS[new % len(OPERANDS)]]
    is_bound(np.array(words, "<u4").tobytes())


def test_a_few_words_of_types_that_hold_billions_of_values():
    module = module_of([[[Op.Label, 100], [Op.Return]]])
    words = module.words.tolist()
    at = int(module.starts[module.indices(Op.TypeFunction)[0]])
    doubled = [
        word for n in range(30) for word in (4 << 16 | Op.TypeStruct, 51 + n, 50 + n, 50 + n)
    ]
    words[at:at] = [3 << 16 | Op.TypeFloat, 50, 32, *doubled]
    with pytest.raises(InvalidModule, match="more than 65,536 members in all"):
        Types(Module.parse(np.array(words, "<u4").tobytes())).read(80)


def test_a_varying_of_billions_of_locations():
    text = "#version 450\nlayout(location = 0) in vec4 v[2][2]; void main() { vec4 x = v[0][1]; }"
    words = np.frombuffer(compile_text(text, "wide", None).spirv, "<u4").copy()
    module = Module.parse(words.tobytes())
    (length,) = {module.instruction_words(n)[3] for n in module.indices(Op.TypeArray)}
    words[module.starts[module.definitions[length]] + 3] = 1 << 31
    wide = Module.parse(words.tobytes())
    with pytest.raises(InvalidModule, match="v takes more than 1,024 locations"):
        reflect(wide, wide.entry_points[0])


@given(st.binary(max_size=200))
@settings(max_examples=200)
def test_noise(data):
    survives(data)
    survives(grammar.MAGIC.to_bytes(4, "little") + data)


@given(st.sampled_from(SEEDS), st.randoms(use_true_random=False))
@settings(max_examples=400)
def test_mutations_of_modules(words, rng):
    survives(mutated(words, rng))


def test_a_module_survives_unbroken():
    assert survives(np.array(SEEDS[0], "<u4").tobytes())


def test_types_that_contain_themselves():
    module = module_of([[[Op.Label, 100], [Op.Return]]])
    words = module.words.tolist()
    at = int(module.starts[module.indices(Op.TypeFunction)[0]])
    words[at:at] = [3 << 16 | Op.TypeStruct, 7, 7, 4 << 16 | Op.TypeArray, 8, 8, 8]
    assert survives(np.array(words, "<u4").tobytes())


def test_calls_that_double_at_every_level_are_no_trouble():
    count = 3000
    functions = []
    for number in range(count):
        body = [[Op.Label, 10_000 + number]]
        if number + 1 < count:
            body += [
                [Op.FunctionCall, 1, 20_000 + 2 * number + twice, 11 + number] for twice in (0, 1)
            ]
        functions.append([*body, [Op.Return]])
    counted = instrument(module_of(functions), "main")
    assert counted.counters == 1
    assert len(counted.blocks) == count


def test_very_wide_graphs_are_no_trouble():
    cases = 20_000
    words = [word for n in range(cases) for word in (n, 1000 + n)]
    body = [[Op.Label, 500], [Op.Switch, ZERO, 1000, *words]]
    for n in range(cases):
        body += [[Op.Label, 1000 + n], [Op.Return if n % 2 else Op.Kill]]
    counted = instrument(module_of([body]), "main")
    assert len(counted.fields) == cases
    assert counted.counters == cases // 32
