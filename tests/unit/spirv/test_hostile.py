"""Whatever the words say, the answer is a module or one clear line; never anything else."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shaderlab.spirv import grammar
from shaderlab.spirv.grammar import Op
from shaderlab.spirv.passes.counting import instrument
from tests.unit.spirv.hostility import mutated, survives
from tests.unit.spirv.test_module import TWO_FUNCTIONS
from tests.unit.spirv.test_source_lines import BODY, module_with
from tests.unit.spirv.walking import ZERO, module_of

SEEDS = [
    np.frombuffer(module.to_bytes(), "<u4").tolist()
    for module in (module_of(TWO_FUNCTIONS), module_with(["document", "b", "c"], *BODY))
]


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
