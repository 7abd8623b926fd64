"""Where code may be added to a block, and what the passes that measure declare."""

import pytest

from shaderlab.spirv.grammar import Decoration, Op, StorageClass
from shaderlab.spirv.module import Module
from shaderlab.spirv.passes.instrumentation import first_ordinary, storage_buffer
from shaderlab.spirv.passes.rewriting import Rewriter, encode
from tests.unit.spirv.test_module import words_of
from tests.unit.spirv.walking import TRUE, UINT, ZERO, module_of

LINE, NO_LINE = [Op.Line, 90, 1, 1], [Op.NoLine]
PHI, SECOND_PHI = ([Op.Phi, UINT, id, ZERO, 100] for id in (201, 202))
ADD = [Op.IAdd, UINT, 203, ZERO, ZERO]


@pytest.mark.parametrize(
    ("body", "after"),
    [
        ([], 0),
        ([ADD], 0),
        ([LINE, ADD], 0),
        ([PHI, ADD], 1),
        ([LINE, PHI, NO_LINE, SECOND_PHI, LINE, ADD], 4),
        ([LINE, PHI], 2),
    ],
)
def test_code_comes_after_the_phis_whatever_lines_stand_between(body, after):
    entry = [[Op.Label, 100], [Op.Branch, 101]]
    module = module_of([[*entry, [Op.Label, 101], *body, [Op.Return]]])
    block = module.functions[0].blocks[1]
    assert first_ordinary(module, block) == block.first + 1 + after


def test_code_comes_after_the_variables_of_a_function():
    variables = [[Op.Variable, 91, id, StorageClass.Function] for id in (201, 202)]
    module = module_of([[[Op.Label, 100], *variables, ADD, [Op.Return]]])
    block = module.functions[0].blocks[0]
    assert first_ordinary(module, block) == block.first + 3


@pytest.mark.parametrize(
    ("taken", "free"), [((), 1), ((0,), 1), ((1,), 2), ((1, 2, 4), 3), ((2, 3), 1)]
)
def test_the_buffer_has_the_first_descriptor_set_that_is_free(taken, free):
    sets = [encode(Op.Decorate, 50 + n, Decoration.DescriptorSet, n) for n in taken]
    module = Module.parse(
        words_of(
            encode(Op.Capability, 1),
            encode(Op.MemoryModel, 0, 1),
            *sets,
            encode(Op.TypeInt, 1, 32, 0),
        )
    )
    rewriter = Rewriter(module)
    buffer, at = storage_buffer(rewriter, 1)
    assert at == (free, 0)
    built = Module.parse(rewriter.build())
    decorated = [built.instruction_words(index)[1:] for index in built.indices(Op.Decorate)]
    assert (buffer, Decoration.DescriptorSet, free) in decorated
    assert (buffer, Decoration.Binding, 0) in decorated


@pytest.mark.parametrize(("version", "needed"), [(0x10000, 1), (0x10200, 1), (0x10300, 0)])
def test_older_modules_declare_the_extension_that_storage_buffers_need(version, needed):
    module = module_of([[[Op.Label, 100], [Op.Return]]], version)
    rewriter = Rewriter(module)
    storage_buffer(rewriter, UINT)
    assert len(Module.parse(rewriter.build()).indices(Op.Extension)) == needed


def test_branches_in_between_do_not_hide_a_phi():
    """A block of a loop: its phi comes first, its merge last."""
    header = [[Op.Label, 101], PHI, [Op.LoopMerge, 103, 102, 0]]
    module = module_of(
        [
            [
                [Op.Label, 100],
                [Op.Branch, 101],
                *header,
                [Op.BranchConditional, TRUE, 102, 103],
                [Op.Label, 102],
                [Op.Branch, 101],
                [Op.Label, 103],
                [Op.Return],
            ]
        ]
    )
    block = module.functions[0].blocks[1]
    assert first_ordinary(module, block) == block.first + 2
