"""Where code may be added to a block, and what the passes that measure declare."""

import pytest

from shaderlab.frontend.compiler import compile_text
from shaderlab.spirv.grammar import BuiltIn, Decoration, Op, StorageClass
from shaderlab.spirv.module import Module
from shaderlab.spirv.passes.instrumentation import (
    first_ordinary,
    frag_coord,
    may_test_early,
    storage_buffer,
)
from shaderlab.spirv.passes.instrumentation import (
    tests_early as have_tested_early,
)
from shaderlab.spirv.passes.rewriting import Rewriter, encode, encode_string
from tests.unit.spirv.test_module import words_of
from tests.unit.spirv.walking import MAIN, TRUE, UINT, ZERO, module_of

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


@pytest.mark.parametrize(("bindings", "free"), [((0,), 1), ((0, 1, 3), 2), ((1,), 0)])
def test_where_all_sets_are_used_the_buffer_has_the_first_binding_that_is_free(bindings, free):
    places = [(1, binding) for binding in bindings] + [(2, 0), (3, 5)]
    decorations = [
        words
        for id, (at, binding) in enumerate(places, 50)
        for words in (
            encode(Op.Decorate, id, Decoration.DescriptorSet, at),
            encode(Op.Decorate, id, Decoration.Binding, binding),
        )
    ]
    memory_model, uint = encode(Op.MemoryModel, 0, 1), encode(Op.TypeInt, 1, 32, 0)
    module = Module.parse(words_of(encode(Op.Capability, 1), memory_model, *decorations, uint))
    assert storage_buffer(Rewriter(module), 1)[1] == (1, free)


VEC4, INPUT_VEC4, FIRST, SECOND = 60, 61, 70, 71


def two_entries(listed: list[int]) -> Module:
    """Both entry points are of one function; each variable is a gl_FragCoord."""
    return Module.parse(
        words_of(
            encode(Op.Capability, 1),
            encode(Op.MemoryModel, 0, 1),
            encode(Op.EntryPoint, 4, MAIN, *encode_string("main"), *listed),
            encode(Op.EntryPoint, 4, MAIN, *encode_string("other")),
            encode(Op.ExecutionMode, MAIN, 7),
            encode(Op.Decorate, FIRST, Decoration.BuiltIn, BuiltIn.FragCoord),
            encode(Op.Decorate, SECOND, Decoration.BuiltIn, BuiltIn.FragCoord),
            encode(Op.TypeFloat, 59, 32),
            encode(Op.TypeVector, VEC4, 59, 4),
            encode(Op.TypePointer, INPUT_VEC4, StorageClass.Input, VEC4),
            encode(Op.Variable, INPUT_VEC4, FIRST, StorageClass.Input),
            encode(Op.Variable, INPUT_VEC4, SECOND, StorageClass.Input),
            encode(Op.TypeVoid, 57),
            encode(Op.TypeFunction, 58, 57),
            encode(Op.Function, 57, MAIN, 0, 58),
            encode(Op.Label, 56),
            encode(Op.Return),
            encode(Op.FunctionEnd),
        )
    )


@pytest.mark.parametrize(("listed", "used"), [([FIRST], FIRST), ([SECOND], SECOND), ([], FIRST)])
def test_the_entry_points_own_position_is_used_before_anothers(listed, used):
    module = two_entries(listed)
    rewriter = Rewriter(module)
    assert frag_coord(rewriter, module.entry_points[0]) == used
    assert rewriter.build() == module.to_bytes()


def test_modes_of_execution_come_after_all_entry_points():
    module = two_entries([])
    rewriter = Rewriter(module)
    have_tested_early(rewriter, module.entry_points[0])
    built = Module.parse(rewriter.build())
    assert max(each.at for each in built.entry_points) < min(built.indices(Op.ExecutionMode))


@pytest.mark.parametrize(
    ("declared", "body", "may"),
    [
        ("", "colour = vec4(1);", True),
        ("uniform sampler2D a; uniform sampler2D b;", "colour = texture(a, vec2(0));", True),
        ("", "if (gl_FragCoord.x < 9.0) discard; colour = vec4(1);", False),
        ("", "colour = vec4(1); gl_FragDepth = 0.5;", False),
        ("", "colour = vec4(1); gl_SampleMask[0] = 1;", False),
        ("layout(early_fragment_tests) in;", "colour = vec4(1);", False),
        ("uniform sampler2D a; buffer B { float x; } b;", "b.x = 1.0; colour = vec4(1);", False),
        ("writeonly uniform image2D a;", "imageStore(a, ivec2(0), vec4(1));", False),
    ],
)
def test_depth_may_be_tested_early_where_nothing_of_the_shader_can_tell(declared, body, may):
    text = (
        f"#version 450\nlayout(location = 0) out vec4 colour;\n{declared}\nvoid main() {{ {body} }}"
    )
    program = compile_text(text, "made-for-the-test", None)
    entry = program.module.fragment_entry_point("main")
    assert may_test_early(program.module, entry, program.interface) is may
