"""Where passes that count put their buffer."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from shaderlab.spirv.grammar import Decoration, Op
from shaderlab.spirv.module import Module
from shaderlab.spirv.passes.instrumentation import storage_buffer
from shaderlab.spirv.passes.rewriting import Rewriter
from shaderlab.spirv.reflection import Descriptor
from tests.unit.spirv.passes.test_counting import MODULE

PLACES = st.frozensets(st.builds(Descriptor, st.integers(0, 5), st.integers(0, 3)), max_size=12)


def bound(taken: frozenset[Descriptor]) -> Descriptor:
    rewriter = Rewriter(MODULE)
    uint = rewriter.type(Op.TypeInt, 32, 0)
    buffer, at = storage_buffer(rewriter, uint, taken=taken)
    module = Module.parse(rewriter.build())
    decorations = {
        words[2]: words[3]
        for index in module.indices(Op.Decorate)
        if (words := module.instruction_words(index))[1] == buffer
    }
    assert decorations == {Decoration.DescriptorSet: at.set, Decoration.Binding: at.binding}
    return at


@given(PLACES)
def test_the_buffer_is_where_nothing_is_and_every_device_has_a_set(
    taken: frozenset[Descriptor],
) -> None:
    at = bound(taken)
    assert at not in taken
    assert 1 <= at.set < 4
    assert at.binding == 0 or {1, 2, 3} <= {each.set for each in taken}
