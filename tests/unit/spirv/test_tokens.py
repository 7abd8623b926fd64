"""Tokens of small modules, worked out by hand from the vocabulary."""

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shaderlab import locations
from shaderlab.errors import InvalidModule, UnsupportedShader
from shaderlab.frontend.compiler import load_program
from shaderlab.samples.operations import static_opcodes
from shaderlab.spirv import grammar, tokens
from shaderlab.spirv.grammar import Op
from shaderlab.spirv.module import Module
from shaderlab.spirv.passes.rewriting import encode, encode_string
from shaderlab.spirv.tokens import BOS, VOCABULARY, estimated, tokenize
from tests.unit.spirv.hostility import mutated
from tests.unit.spirv.test_module import TWO_FUNCTIONS, words_of
from tests.unit.spirv.walking import TRUE, VOID, module_of

HEAD = [
    [2019, 20001],  # OpTypeVoid %1
    [2020, 20002],  # OpTypeBool %2
    [2021, 20003, 256 + ord("3"), 256 + ord("2"), 256 + ord("0")],  # OpTypeInt %3 32 0
    [2033, 20004, 20001],  # OpTypeFunction %4 %1
    [2041, 20002, 20005],  # OpConstantTrue %2 %5
    [2043, 20003, 20006, 256 + ord("0")],  # OpConstant %3 %6 0
]
"""What `module_of` puts before its functions."""


def flat(*rows):
    return [BOS, *(token for row in rows for token in row)]


def text(value):
    return [256 + ord(character) for character in value]


def test_the_entry_function_comes_first_and_functions_have_no_tokens_of_their_own():
    module = module_of([[[Op.Label, 100], [Op.Return]], [[Op.Label, 101], [Op.Kill]]])
    found = tokenize(module)
    blocks = [[2248, 20100], [2253], [2248, 20101], [2252]]
    assert found.ids.tolist() == flat(*HEAD, *blocks)
    start = len(flat(*HEAD))
    assert found.labels.tolist() == [0] * start + [100, 0, 100, 101, 0, 101]
    assert found.ids.dtype == np.int32


def test_a_selection_a_branch_and_a_call():
    body = [
        [Op.Label, 100],
        [Op.FunctionCall, VOID, 200, 11],
        [Op.SelectionMerge, 102, 2],
        [Op.BranchConditional, TRUE, 101, 102, 7, 31],
        [Op.Label, 101],
        [Op.Branch, 102],
        [Op.Label, 102],
        [Op.Return],
    ]
    found = tokenize(module_of([body, [[Op.Label, 103], [Op.Return]]])).ids.tolist()
    assert found[len(flat(*HEAD)) :][: 2 + 4 + 3 + 7] == [
        2248, 20100,
        2057, 20001, 20200, 20011,
        2247, 20102, *text("2"),
        2250, 20005, 20101, 20102, *text("731"),
    ]  # fmt: skip


def test_every_bit_of_a_mask_brings_its_operands():
    sampled = [Op.ImageSampleExplicitLod, VOID, 110, 111, 112, 2 | 8, 113, 114]
    found = tokenize(module_of([[[Op.Label, 100], sampled, [Op.Return]]])).ids.tolist()
    assert found[len(flat(*HEAD)) + 2 : -1] == [
        2088, 20001, 20110, 20111, 20112, *text("10"), 20113, 20114,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("type", "words", "shown"),
    [
        ((Op.TypeInt, 300, 32, 0), [0xFFFFFFFF], "4294967295"),
        ((Op.TypeInt, 300, 32, 1), [0xFFFFFFFF], "-1"),
        ((Op.TypeInt, 300, 64, 0), [1, 1], "4294967297"),
        ((Op.TypeInt, 300, 64, 1), [0xFFFFFFFE, 0xFFFFFFFF], "-2"),
        ((Op.TypeInt, 300, 16, 1), [0xFFFFFFFD], "-3"),
        ((Op.TypeFloat, 300, 32), [0x3F000000], "0.500000"),
        ((Op.TypeFloat, 300, 32), [0xC0490FDB], "-3.141593"),
        ((Op.TypeFloat, 300, 32), [0x33D6BF95], "0.000000"),
        ((Op.TypeFloat, 300, 32), [0x49742400], "1000000.000000"),
        ((Op.TypeFloat, 300, 16), [0x3C00], "1.000000"),
        ((Op.TypeFloat, 300, 64), [0x9999999A, 0x3FB99999], "0.100000"),
        ((Op.TypeFloat, 300, 32), [0x7F800000], "inf"),
    ],
)
def test_literals_are_decimal_text(type, words, shown):
    module = with_globals(encode(*type), encode(Op.Constant, 300, 301, *words))
    assert tokenize(module).ids.tolist()[-len(shown) - 5 : -3] == [
        20300, 20301, *text(shown)
    ]  # fmt: skip


def with_globals(*instructions):
    """A module with these before its one function, which is a label and a return."""
    return Module.parse(
        words_of(
            encode(Op.EntryPoint, 4, 10, *encode_string("main")),
            encode(Op.TypeVoid, 1),
            encode(Op.TypeFunction, 4, 1),
            *instructions,
            encode(Op.Function, 1, 10, 0, 4),
            encode(Op.Label, 100),
            encode(Op.Return),
            encode(Op.FunctionEnd),
            bound=60_000,
        )
    )


def test_debug_strings_and_lines_leave_no_trace_not_even_in_the_ids():
    """The strings are %2 and %3, so what follows has the number it had without them."""
    plain = with_globals()
    debug = Module.parse(
        words_of(
            encode(Op.EntryPoint, 4, 12, *encode_string("main")),
            encode(Op.String, 2, *encode_string("a")),
            encode(Op.String, 3, *encode_string("b")),
            encode(Op.Name, 12, *encode_string("main")),
            encode(Op.TypeVoid, 1),
            encode(Op.Line, 2, 1, 1),
            encode(Op.TypeFunction, 6, 1),
            encode(Op.Function, 1, 12, 0, 6),
            encode(Op.Label, 102),
            encode(Op.Line, 2, 7, 1),
            encode(Op.Return),
            encode(Op.FunctionEnd),
        )
    )
    assert tokenize(debug).ids.tolist() == tokenize(plain).ids.tolist()
    assert tokenize(debug).labels.tolist()[-3:] == [102, 0, 102]


def test_ids_beyond_the_vocabulary_are_refused():
    assert tokenize(with_globals(encode(Op.TypeBool, 19_999))).ids.max() == VOCABULARY - 1
    with pytest.raises(UnsupportedShader, match="id %20000"):
        tokenize(with_globals(encode(Op.TypeBool, 20_000)))


def test_numbers_no_text_is_known_for_are_refused():
    with pytest.raises(UnsupportedShader, match="OpTypeFloat of 8 bits"):
        tokenize(with_globals(encode(Op.TypeFloat, 300, 8), encode(Op.Constant, 300, 301, 1)))
    with pytest.raises(InvalidModule, match="is OpTypeVoid"):
        tokenize(with_globals(encode(Op.Constant, 1, 301, 1)))


def test_a_module_without_the_entry_point_is_refused():
    with pytest.raises(InvalidModule, match="no fragment entry point"):
        tokenize(module_of([[[Op.Label, 100], [Op.Return]]]), "other")


@given(st.randoms(use_true_random=False))
@settings(max_examples=300)
def test_whatever_the_words_say_there_are_tokens_or_one_clear_line(rng):
    words = module_of(TWO_FUNCTIONS).words.tolist()
    try:
        found = tokenize(Module.parse(mutated(words, rng)))
    except (InvalidModule, UnsupportedShader) as error:
        said = str(error)
    else:
        assert len(found.ids) == len(found.labels)
        assert 0 <= found.ids.min() <= found.ids.max() < VOCABULARY
        return
    assert said
    assert "\n" not in said


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=200)
def test_every_token_of_an_instruction_is_in_the_vocabulary(word):
    module = with_globals(encode(Op.TypeFloat, 300, 32), encode(Op.Constant, 300, 301, word))
    found = tokenize(module).ids
    assert ((found >= 0) & (found < VOCABULARY)).all()
    assert found[0] == BOS


@pytest.fixture(scope="module")
def own_programs():
    """Our own shaders: the examples and those that devices are calibrated with."""
    folders = (locations.resources() / name for name in ("examples", "calibration"))
    return [load_program(path) for each in folders for path in sorted(each.glob("*.frag"))]


def test_means_that_estimates_rest_on_are_those_of_our_own_shaders(own_programs):
    lengths = defaultdict(list)
    for program in own_programs:
        writer = tokens._Writer(program.module)
        for index, opcode in enumerate(program.module.opcodes):
            name, before = grammar.name(int(opcode)), len(writer.ids)
            if tokens._length(name) and program.module.executable[index]:
                writer.instruction(index, 0)
                lengths[name].append(len(writer.ids) - before)
    assert set(lengths) >= set(tokens._MEAN)
    for name, found in lengths.items():
        assert np.mean(found) == pytest.approx(tokens._length(name), abs=0.06), name


def test_an_estimate_is_near_the_tokens_of_each_of_our_own_shaders(own_programs):
    assert len(own_programs) > 40
    off = [
        estimated(static_opcodes(each.module)) / len(tokenize(each.module)) - 1
        for each in own_programs
    ]
    assert np.max(np.abs(off)) < 0.1
    assert np.median(np.abs(off)) < 0.03
