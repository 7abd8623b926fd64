"""The passes that the command line offers do what their summaries say."""

import pytest

from shaderlab.spirv.grammar import ENUMS, Decoration, Op, StorageClass
from shaderlab.spirv.module import Module
from shaderlab.spirv.passes.registry import PASSES
from shaderlab.spirv.passes.rewriting import encode
from tests.unit.spirv.passes.test_counting import MODULE
from tests.unit.spirv.passes.test_zeroing import HEAD, PRIVATE_FLOAT
from tests.unit.spirv.test_module import words_of


def applied(name: str, module: Module = MODULE) -> Module:
    return Module.parse(PASSES[name].apply(module, "main"))


def additions(module: Module) -> int:
    """Additions within the module's own blocks."""
    return sum(
        int(module.opcodes[index]) in (Op.IAdd, Op.AtomicIAdd)
        for function in module.functions[: len(MODULE.functions)]
        for index in range(function.first, function.last)
    )


def test_every_block_has_a_counter_where_that_is_asked_for():
    blocks = sum(len(function.blocks) for function in MODULE.functions)
    assert additions(applied("count-every-block")) == blocks
    assert additions(applied("count")) == 2


@pytest.mark.parametrize(("name", "wide"), [("count-atomic-64", True), ("count-atomic-32", False)])
def test_atomic_counters_are_as_wide_as_their_name_says(name, wide):
    module = applied(name)
    capabilities = {module.instruction_words(index)[1] for index in module.indices(Op.Capability)}
    assert (ENUMS["Capability"]["Int64Atomics"] in capabilities) is wide
    assert module.indices(Op.AtomicIAdd)


def test_zeros_and_exactness_are_added_where_they_are_missing():
    variable = encode(Op.Variable, PRIVATE_FLOAT, 30, StorageClass.Private)
    add = encode(Op.FAdd, 2, 31, 11, 11)
    module = Module.parse(words_of(*HEAD[:2], *HEAD[3:], variable, add))
    assert applied("zero-undefined", module).indices(Op.ConstantNull)
    exact = applied("exact", module)
    decorations = [exact.instruction_words(index)[1:] for index in exact.indices(Op.Decorate)]
    assert decorations == [(31, Decoration.NoContraction)]
